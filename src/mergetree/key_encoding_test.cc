#include <limits>
#include <random>

#include <arrow/array.h>

#include "base/result_matchers.h"
#include "mergetree/key_encoding_internal.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

/// Order of two rows by their encoding: -1, 0, 1.
int CompareRows(const KeyEncoder& encoder, const EncodedKeys& keys, std::int64_t a, std::int64_t b) {
  if (keys.prefix(a) != keys.prefix(b)) return keys.prefix(a) < keys.prefix(b) ? -1 : 1;
  if (encoder.whole()) return 0;
  const int order = keys.bytes(a).compare(keys.bytes(b));
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
}

/// Expects that each value is encoded below all those behind it, in the given order, also as a part of a wider key.
void ExpectAscending(const DataType& type, const std::vector<Datum>& values, bool descending = false) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::shared_ptr<arrow::Array> column, MakeColumn(values, type));
  const std::vector<DataField> narrow = {Field(0, "a", type)};
  const std::vector<DataField> wide = {Field(0, "a", type), Field(1, "b", type),
                                       Field(2, "c", DataType::BigInt().NotNull())};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto zeros,
                             MakeConstantColumn(Datum(0), DataType::BigInt().NotNull(), column->length()));
  for (const auto& fields : {narrow, wide}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const KeyEncoder encoder, KeyEncoder::Make(fields, descending));
    const std::vector<std::shared_ptr<arrow::Array>> columns =
        fields.size() == 1 ? std::vector{column} : std::vector{column, column, zeros};
    BRAID_ASSERT_OK_AND_ASSIGN(const EncodedKeys keys, encoder.Encode(columns, column->length()));
    for (std::int64_t a = 0; a < column->length(); ++a) {
      for (std::int64_t b = 0; b < column->length(); ++b) {
        EXPECT_EQ(CompareRows(encoder, keys, a, b), a < b ? -1 : (a > b ? 1 : 0))
            << type.ToString() << " values " << a << " and " << b << " of a key of " << fields.size();
      }
    }
  }
}

TEST(KeyEncodingTest, OrdersValuesAsTheSpecificationDoes) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Datum null;
  ExpectAscending(DataType::Boolean(), {null, Datum(false), Datum(true)});
  ExpectAscending(DataType::TinyInt(), {null, -128, -1, 0, 127});
  ExpectAscending(DataType::SmallInt().NotNull(), {-32768, -1, 0, 32767});
  ExpectAscending(DataType::Int().NotNull(), {INT32_MIN, -1, 0, 1, INT32_MAX});
  ExpectAscending(DataType::BigInt().NotNull(), {Datum(INT64_MIN), -1, 0, Datum(INT64_MAX)});
  ExpectAscending(DataType::BigInt(), {null, Datum(INT64_MIN), -1, 0, Datum(INT64_MAX)});
  ExpectAscending(DataType::Date(), {null, -1, 0, 19000});
  ExpectAscending(DataType::Time(3), {null, 0, 86399999});
  ExpectAscending(DataType::Float(), {null, Datum(-1.5F), Datum(-0.0F), Datum(0.0F), Datum(2.0F),
                                      Datum(std::numeric_limits<float>::quiet_NaN())});
  ExpectAscending(DataType::Double(),
                  {null, Datum(-inf), Datum(-1.0), Datum(-0.0), Datum(0.0), Datum(1.0), Datum(inf), Datum(nan)});
  ExpectAscending(DataType::Decimal(10, 2),
                  {null, Datum(Decimal{-100}), Datum(Decimal{-1}), Datum(Decimal{0}), Datum(Decimal{7})});
  const Int128 huge = static_cast<Int128>(INT64_MAX) * 1000;
  ExpectAscending(DataType::Decimal(38, 0).NotNull(),
                  {Datum(Decimal{-huge}), Datum(Decimal{-1}), Datum(Decimal{0}), Datum(Decimal{huge})});
  ExpectAscending(DataType::Timestamp(3),
                  {null, Datum(Timestamp{-1, 0}), Datum(Timestamp{0, 0}), Datum(Timestamp{1, 0})});
  ExpectAscending(DataType::Timestamp(6).NotNull(),
                  {Datum(Timestamp{-1, 999000}), Datum(Timestamp{0, 0}), Datum(Timestamp{0, 1000})});
  ExpectAscending(DataType::Timestamp(9), {null, Datum(Timestamp{-1, 999999}), Datum(Timestamp{0, 0}),
                                           Datum(Timestamp{0, 1}), Datum(Timestamp{1, 0})});
}

TEST(KeyEncodingTest, OrdersTextAndBytesByUnsignedBytes) {
  const std::vector<std::string> texts = {"",
                                          std::string("\0", 1),
                                          std::string("\0\0", 2),
                                          std::string("\0a", 2),
                                          "a",
                                          std::string("a\0", 2),
                                          std::string("a\0b", 3),
                                          "ab",
                                          "abcdefgh",
                                          "abcdefghi",
                                          "b",
                                          "\xc3\xa4",
                                          "\xf0\x9f\x98\x80"};
  std::vector<Datum> values(texts.begin(), texts.end());
  ExpectAscending(DataType::String().NotNull(), values);
  ExpectAscending(DataType::Bytes().NotNull(), values);
  values.insert(values.begin(), Datum());
  ExpectAscending(DataType::String(), values);
}

TEST(KeyEncodingTest, KeepsNullsFirstInDescendingOrder) {
  const Datum null;
  ExpectAscending(DataType::BigInt(), {null, Datum(INT64_MAX), 1, 0, -1}, true);
  ExpectAscending(DataType::Int().NotNull(), {2, 1, 0, -1}, true);
  ExpectAscending(DataType::String(), {null, "b", "ab", "aa", "a", ""}, true);
  ExpectAscending(DataType::Timestamp(9), {null, Datum(Timestamp{0, 1}), Datum(Timestamp{0, 0})}, true);
}

TEST(KeyEncodingTest, FindsThatFixedWidthKeysUpToEightBytesAreWhole) {
  struct Case {
    std::vector<DataField> fields;
    bool whole;
  };
  const DataType number = DataType::Int().NotNull();
  for (const Case& c : std::vector<Case>{{{Field(0, "a", DataType::BigInt().NotNull())}, true},
                                         {{Field(0, "a", number), Field(1, "b", number)}, true},
                                         {{Field(0, "a", DataType::BigInt())}, false},
                                         {{Field(0, "a", number), Field(1, "b", DataType::Int())}, false},
                                         {{Field(0, "a", DataType::String().NotNull())}, false}}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const KeyEncoder encoder, KeyEncoder::Make(c.fields));
    EXPECT_EQ(encoder.whole(), c.whole);
  }
}

TEST(KeyEncodingTest, ReadsSlices) {
  const std::vector<DataField> fields = {Field(0, "a", DataType::String().NotNull()),
                                         Field(1, "b", DataType::BigInt())};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch,
                             MakeBatch(fields, std::vector<DatumList>{{"x", 9}, {"b", 1}, {"b", 2}, {"c", Datum()}}));
  const std::vector<std::shared_ptr<arrow::Array>> columns = {batch.rows->column(0)->Slice(1),
                                                              batch.rows->column(1)->Slice(1)};
  BRAID_ASSERT_OK_AND_ASSIGN(const KeyEncoder encoder, KeyEncoder::Make(fields));
  BRAID_ASSERT_OK_AND_ASSIGN(const EncodedKeys keys, encoder.Encode(columns, 3));
  EXPECT_EQ(CompareRows(encoder, keys, 0, 1), -1);
  EXPECT_EQ(CompareRows(encoder, keys, 1, 2), -1);
}

TEST(KeyEncodingTest, RefusesNestedKeysAndNullsWhereThereMayBeNone) {
  EXPECT_THAT(KeyEncoder::Make(std::vector{Field(0, "a", DataType::Array(DataType::Int()))}), HasMessage("column a"));
  const std::vector<DataField> nullable = {Field(0, "a", DataType::BigInt())};
  const std::vector<DataField> fields = {Field(0, "a", DataType::BigInt().NotNull())};
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(nullable, std::vector<DatumList>{{Datum()}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const KeyEncoder encoder, KeyEncoder::Make(fields));
  EXPECT_THAT(encoder.Encode(batch.rows->columns(), 1), IsError(ErrorCode::kCorruption));
}

}  // namespace
}  // namespace braid
