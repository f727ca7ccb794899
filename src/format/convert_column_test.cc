#include "format/convert_column.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <gtest/gtest.h>

#include "format/rows_testing.h"

namespace braid {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

/// An array of these values and a NULL at the end.
template <typename Builder, typename Value>
ArrayPtr Build(std::shared_ptr<arrow::DataType> type, const std::vector<Value>& values) {
  Builder builder(std::move(type), arrow::default_memory_pool());
  for (const Value& value : values) EXPECT_TRUE(builder.Append(value).ok());
  EXPECT_TRUE(builder.AppendNull().ok());
  return builder.Finish().ValueOrDie();
}

/// Expects the converted column to have the type's Arrow layout and these values.
void ExpectConverts(const ArrayPtr& stored, const DataType& type, const DatumList& expected) {
  SCOPED_TRACE(stored->type()->ToString() + " as " + type.ToString());
  BRAID_ASSERT_OK_AND_ASSIGN(const ArrayPtr column, ConvertColumn("c", stored, type));
  EXPECT_TRUE(column->type()->Equals(*ToArrowType(type))) << column->type()->ToString();
  EXPECT_TRUE(column->ValidateFull().ok());
  ASSERT_EQ(column->length(), static_cast<std::int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(SameDatum(DatumAt(*column, static_cast<std::int64_t>(i), type), expected[i])) << i;
  }
}

void ExpectRefused(const ArrayPtr& stored, const DataType& type, const std::string& message) {
  SCOPED_TRACE(stored->type()->ToString() + " as " + type.ToString());
  const auto column = ConvertColumn("c", stored, type);
  EXPECT_THAT(column, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(column, HasMessage(message));
}

TEST(ConvertColumnTest, ReturnsAColumnOfTheRightTypeAsItIs) {
  const ArrayPtr stored = Build<arrow::Int32Builder, int>(arrow::int32(), {1, 2});
  BRAID_ASSERT_OK_AND_ASSIGN(const ArrayPtr column, ConvertColumn("c", stored, DataType::Int()));
  EXPECT_EQ(column.get(), stored.get());
}

TEST(ConvertColumnTest, ConvertsIntegersOfOtherWidths) {
  const ArrayPtr ints = Build<arrow::Int32Builder, int>(arrow::int32(), {-128, 127});
  ExpectConverts(ints, DataType::TinyInt(), {-128, 127, Datum()});
  ExpectConverts(ints, DataType::BigInt(), {-128, 127, Datum()});
  ExpectConverts(ints->Slice(1), DataType::SmallInt(), {127, Datum()});
  ExpectConverts(Build<arrow::UInt64Builder, std::uint64_t>(arrow::uint64(), {5}), DataType::Int(), {5, Datum()});
  ExpectRefused(Build<arrow::Int32Builder, int>(arrow::int32(), {128}), DataType::TinyInt(), "TINYINT cannot hold");
  ExpectRefused(Build<arrow::UInt64Builder, std::uint64_t>(arrow::uint64(), {1ULL << 63}), DataType::BigInt(),
                "cannot hold");
}

TEST(ConvertColumnTest, ConvertsFloatsToDoublesOnly) {
  const ArrayPtr floats = Build<arrow::FloatBuilder, float>(arrow::float32(), {1.5F});
  ExpectConverts(floats, DataType::Double(), {1.5, Datum()});
  ExpectRefused(Build<arrow::DoubleBuilder, double>(arrow::float64(), {1.5}), DataType::Float(),
                "column c is stored as double");
}

TEST(ConvertColumnTest, ConvertsEveryLayoutOfText) {
  const std::vector<std::string> texts = {"a", "", "a longer text than views keep inline"};
  const DatumList expected = {texts[0], texts[1], texts[2], Datum()};
  ExpectConverts(Build<arrow::LargeStringBuilder>(arrow::large_utf8(), texts), DataType::String(), expected);
  ExpectConverts(Build<arrow::StringViewBuilder>(arrow::utf8_view(), texts), DataType::String(), expected);
  ExpectConverts(Build<arrow::BinaryBuilder>(arrow::binary(), texts), DataType::VarChar(50), expected);
  ExpectConverts(Build<arrow::StringBuilder>(arrow::utf8(), texts), DataType::Bytes(), expected);
  ExpectConverts(Build<arrow::FixedSizeBinaryBuilder, std::string>(arrow::fixed_size_binary(2), {"ab", "cd"}),
                 DataType::Binary(2), {"ab", "cd", Datum()});
}

TEST(ConvertColumnTest, ConvertsDictionaries) {
  arrow::StringDictionary32Builder builder;
  for (const char* text : {"x", "y", "x"}) ASSERT_TRUE(builder.Append(text).ok());
  ASSERT_TRUE(builder.AppendNull().ok());
  ExpectConverts(builder.Finish().ValueOrDie(), DataType::String(), {"x", "y", "x", Datum()});
}

TEST(ConvertColumnTest, ConvertsDatesAndTimes) {
  ExpectConverts(Build<arrow::Date64Builder, std::int64_t>(arrow::date64(), {86'400'000, -86'400'000}),
                 DataType::Date(), {1, -1, Datum()});
  ExpectConverts(Build<arrow::Int32Builder, int>(arrow::int32(), {7}), DataType::Date(), {7, Datum()});
  ExpectConverts(Build<arrow::Time64Builder, std::int64_t>(arrow::time64(arrow::TimeUnit::MICRO), {1'999}),
                 DataType::Time(3), {1, Datum()});
  ExpectConverts(Build<arrow::Time64Builder, std::int64_t>(arrow::time64(arrow::TimeUnit::NANO), {5'000'000}),
                 DataType::Time(3), {5, Datum()});
}

TEST(ConvertColumnTest, ConvertsTimestampsBetweenAllUnitsTowardsThePast) {
  struct Case {
    arrow::TimeUnit::type unit;
    std::int64_t value;
    Timestamp wide;
  };
  for (const Case& c : std::vector<Case>{{arrow::TimeUnit::SECOND, -1, {-1000, 0}},
                                         {arrow::TimeUnit::MILLI, -1, {-1, 0}},
                                         {arrow::TimeUnit::MICRO, -1, {-1, 999'000}},
                                         {arrow::TimeUnit::NANO, -1, {-1, 999'999}},
                                         {arrow::TimeUnit::NANO, 1'000'001, {1, 1}}}) {
    const ArrayPtr stored = Build<arrow::TimestampBuilder, std::int64_t>(arrow::timestamp(c.unit, "UTC"), {c.value});
    ExpectConverts(stored, DataType::Timestamp(9), {c.wide, Datum()});
    ExpectConverts(stored, DataType::TimestampLtz(3), {Timestamp{c.wide.millis, 0}, Datum()});
    ExpectConverts(stored, DataType::Timestamp(6),
                   {Timestamp{c.wide.millis, c.wide.nanos_of_milli / 1000 * 1000}, Datum()});
  }
  const std::int64_t far = MillisOf(300'000 - 267'233, 1, 1);  // the last year that std::chrono knows
  ExpectRefused(Build<arrow::TimestampBuilder, std::int64_t>(arrow::timestamp(arrow::TimeUnit::MILLI), {far * 10}),
                DataType::Timestamp(6), "cannot hold");
}

TEST(ConvertColumnTest, ConvertsDecimalsOfTheSameScale) {
  const auto decimals = [](int precision, int scale, int value) {
    return Build<arrow::Decimal128Builder, arrow::Decimal128>(arrow::decimal128(precision, scale), {value});
  };
  ExpectConverts(decimals(5, 2, 12345), DataType::Decimal(10, 2), {Decimal{12345}, Datum()});
  ExpectConverts(decimals(10, 2, 12345), DataType::Decimal(5, 2), {Decimal{12345}, Datum()});
  ExpectRefused(decimals(10, 2, 123456), DataType::Decimal(5, 2), "cannot hold");
  ExpectRefused(decimals(10, 3, 1), DataType::Decimal(10, 2), "stored as decimal128(10, 3)");
}

TEST(ConvertColumnTest, ConvertsLargeAndFixedSizeLists) {
  const auto values = std::make_shared<arrow::Int64Builder>();
  arrow::LargeListBuilder large(arrow::default_memory_pool(), values);
  ASSERT_TRUE(large.Append().ok());
  ASSERT_TRUE(values->AppendValues({1, 2}).ok());
  ASSERT_TRUE(large.AppendNull().ok());
  ASSERT_TRUE(large.Append().ok());
  const DataType type = DataType::Array(DataType::Int());
  const ArrayPtr large_array = large.Finish().ValueOrDie();
  ExpectConverts(large_array, type, {DatumList{1, 2}, Datum(), DatumList{}});
  ExpectConverts(large_array->Slice(1), type, {Datum(), DatumList{}});

  const auto elements = std::make_shared<arrow::FloatBuilder>();
  arrow::FixedSizeListBuilder fixed(arrow::default_memory_pool(), elements, 2);
  ASSERT_TRUE(fixed.Append().ok());
  ASSERT_TRUE(elements->AppendValues({1.5F, 2.5F}).ok());
  ExpectConverts(fixed.Finish().ValueOrDie(), DataType::Vector(DataType::Float(), 2),
                 DatumList(1, Datum(DatumList{1.5F, 2.5F})));
}

TEST(ConvertColumnTest, FindsChildrenOfRowsByName) {
  const ArrayPtr y = Build<arrow::Int32Builder, int>(arrow::int32(), {7});
  const ArrayPtr x = Build<arrow::LargeStringBuilder, std::string>(arrow::large_utf8(), {"t"});
  const ArrayPtr stored =
      arrow::StructArray::Make({y, x, y}, std::vector<std::string>{"y", "x", "unknown"}).ValueOrDie();
  const std::vector<DataField> fields = MakeFields({{"x", DataType::String()}, {"y", DataType::BigInt()}});
  ExpectConverts(stored, DataType::Row(fields), {DatumList{"t", 7}, DatumList{Datum(), Datum()}});
  const std::vector<DataField> more = MakeFields({{"x", DataType::String()}, {"z", DataType::Int()}});
  ExpectRefused(stored, DataType::Row(more), "column c.z is missing");
}

TEST(ConvertColumnTest, ReadsColumnsWithoutTypeAsNull) {
  ExpectConverts(std::make_shared<arrow::NullArray>(2), DataType::Array(DataType::Int()), {Datum(), Datum()});
}

TEST(ConvertColumnTest, PutsShreddedVariantsTogether) {
  const ArrayPtr bytes = Build<arrow::BinaryBuilder, std::string>(arrow::binary(), {"x"});
  const ArrayPtr names =
      Build<arrow::BinaryBuilder, std::string>(arrow::binary(), {std::string("\1\0\0", 3)})->Slice(0, 1);
  const ArrayPtr stored = arrow::StructArray::Make({names, bytes->Slice(0, 1), bytes->Slice(0, 1)},
                                                   std::vector<std::string>{"metadata", "value", "typed_value"})
                              .ValueOrDie();
  // A primitive of type 15, four bytes of its size, and the byte.
  const std::string binary("\x3C\1\0\0\0x", 6);
  ExpectConverts(stored, DataType::Variant(), {Datum(DatumList{binary, std::string("\1\0\0", 3)})});
}

}  // namespace
}  // namespace braid
