#include "types/row_json.h"

#include <limits>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "base/text.h"
#include "types/variant_json.h"

namespace braid {
namespace {

DataField Field(int id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

std::string ToJson(const Datum& value, const DataType& type) {
  std::string out;
  AppendDatumJson(value, type, out);
  return out;
}

struct Case {
  DataType type;
  Datum value;
  std::string json;
};

// Values and their texts from the golden cases types_parquet, types_far_timestamps, types_far_nanos and types_multiset.
std::vector<Case> GoldenValues() {
  const double infinity = std::numeric_limits<double>::infinity();
  const Timestamp leap{1709210096789, 12'345};
  const Timestamp before_1970{-1, 999'999};
  return {
      {DataType::Boolean(), true, "true"},
      {DataType::BigInt(), std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
      {DataType::Float(), 3.4028235e38F, "3.4028235e+38"},
      {DataType::Float(), -1.4e-45F, "-1e-45"},
      {DataType::Float(), std::numeric_limits<float>::quiet_NaN(), "\"NaN\""},
      {DataType::Float(), 16777216.0F, "16777216.0"},
      {DataType::Double(), 1.7976931348623157e308, "1.7976931348623157e+308"},
      {DataType::Double(), -5e-324, "-5e-324"},
      {DataType::Double(), infinity, "\"Infinity\""},
      {DataType::Double(), -infinity, "\"-Infinity\""},
      {DataType::Double(), -0.0, "-0.0"},
      {DataType::Double(), 1e22, "1e+22"},
      {DataType::Double(), 0.10000000149011612, "0.10000000149011612"},
      {DataType::Decimal(5, 2), Decimal{99999}, "\"999.99\""},
      {DataType::Decimal(38, 10), Decimal{-1}, "\"-0.0000000001\""},
      {DataType::Decimal(5, 0), Decimal{-7}, "\"-7\""},
      {DataType::Char(4), "    ", "\"    \""},
      {DataType::String(), "any ä 中 🐟", "\"any ä 中 🐟\""},
      {DataType::String(), "\n\t\"\\", R"("\n\t\"\\")"},
      {DataType::String(), std::string("\b\f\r\x01/\x7F", 6), "\"\\b\\f\\r\\u0001/\x7F\""},
      {DataType::Bytes(), "\xDE\xAD\xBE\xEF", "\"deadbeef\""},
      {DataType::Date(), -719162, "\"0001-01-01\""},
      {DataType::Date(), -141427, "\"1582-10-15\""},
      {DataType::Date(), 2932896, "\"9999-12-31\""},
      {DataType::Time(0), 86'399'000, "\"23:59:59\""},
      {DataType::Time(3), 1, "\"00:00:00.001\""},
      {DataType::Time(9), 43'200'000, "\"12:00:00.000\""},
      {DataType::Time(0), 3'723'004, "\"01:02:03.004000000\""},
      {DataType::Timestamp(0), Timestamp{-1000}, "\"1969-12-31T23:59:59\""},
      {DataType::Timestamp(3), Timestamp{253402300799999}, "\"9999-12-31T23:59:59.999\""},
      {DataType::Timestamp(6), Timestamp{leap.millis, 12'000}, "\"2024-02-29T12:34:56.789012\""},
      {DataType::Timestamp(9), leap, "\"2024-02-29T12:34:56.789012345\""},
      {DataType::TimestampLtz(9), before_1970, "\"1969-12-31T23:59:59.999999999Z\""},
      {DataType::TimestampLtz(3), Timestamp{-62135596799999}, "\"0001-01-01T00:00:00.001Z\""},
      {DataType::Timestamp(7), Timestamp{16756761599999, 999'900}, "\"2500-12-31T23:59:59.9999999\""},
      {DataType::Timestamp(4), Timestamp{0, 9'000}, "\"1970-01-01T00:00:00.000009000\""},
      {DataType::Timestamp(0), Timestamp{327403382400000}, "\"+12345-01-01T00:00:00\""},
      {DataType::Timestamp(0), Timestamp{-62198755200000}, "\"-0001-01-01T00:00:00\""},
      {DataType::Timestamp(3), Timestamp{9223372036854775000}, "\"-1701532-04-06T07:12:55.000\""},
      {DataType::Multiset(DataType::String()), DatumList{DatumList{"b", 1}, DatumList{"a", 2}}, R"([["a",2],["b",1]])"},
      {DataType::Map(DataType::Int(), DataType::String()),
       DatumList{DatumList{2, Datum()}, DatumList{10, "x"}}, R"([[10,"x"],[2,null]])"},
      {DataType::Array(DataType::Int()), DatumList{1, Datum(), 3}, "[1,null,3]"},
      {DataType::Row({Field(0, "a", DataType::Int()), Field(1, "q\"", DataType::Array(DataType::String()))}),
       DatumList{1, DatumList{}}, R"({"a":1,"q\"":[]})"},
      {DataType::Int(), Datum(), "null"},
  };
}

TEST(RowJsonTest, PrintsValuesAsTheOracle) {
  for (const Case& c : GoldenValues()) EXPECT_EQ(ToJson(c.value, c.type), c.json) << c.type.ToString();
}

TEST(RowJsonTest, PrintsColumnsAsValues) {
  for (const Case& c : GoldenValues()) {
    SCOPED_TRACE(c.type.ToString() + " " + c.json);
    const std::vector<DataField> fields = {Field(0, "k", DataType::Int()), Field(1, "v", c.type)};
    const std::vector<DatumList> rows = {{1, Datum()}, {2, c.value}};
    if (c.type.kind() == TypeKind::kTimestamp && c.type.precision() == 4) continue;  // no column holds nanoseconds there
    BRAID_ASSERT_OK_AND_ASSIGN(Batch batch, MakeBatch(fields, rows));
    batch.rows = batch.rows->Slice(1);
    std::string out;
    AppendRowJson(batch, 0, fields, out);
    EXPECT_EQ(out, "{\"k\":2,\"v\":" + c.json + "}");
  }
}

TEST(RowJsonTest, ReplacesBrokenText) {
  EXPECT_EQ(ToJson("\xFF" "a", DataType::String()), "\"\xEF\xBF\xBD" "a\"");
  EXPECT_EQ(ToJson("\xC3\xA4\xC3", DataType::String()), "\"ä\xEF\xBF\xBD\"");
}

std::string Bytes(std::string_view hex) { return *FromHex(hex); }

TEST(RowJsonTest, PrintsVariants) {
  // {"a":1,"b":[true,null,"x"]}: an object of two members over the names a and b.
  const Datum object = DatumList{Bytes("0202" "0001" "00020c" "0c01" "0303" "00010204" "04" "00" "0578"),
                                 Bytes("0102" "000102" "6162")};
  EXPECT_EQ(ToJson(object, DataType::Variant()), R"({"variant":"{\"a\":1,\"b\":[true,null,\"x\"]}"})");
}

TEST(VariantJsonTest, PrintsPrimitives) {
  const std::string no_names = Bytes("010000");
  struct Primitive {
    std::string hex;
    std::string json;
  };
  const std::vector<Primitive> cases = {
      {"00", "null"},
      {"04", "true"},
      {"08", "false"},
      {"0cff", "-1"},
      {"100080", "-32768"},
      {"1400000080", "-2147483648"},
      {"18ffffffffffffff7f", "9223372036854775807"},
      {"2001" "7d000000", "12.5"},
      {"0d" "616263", "\"abc\""},
      {"3c" "03000000" "000102", "\"AAEC\""},
      {"3c" "01000000" "ff", "\"/w==\""},
      {"40" "01000000" "0a", R"("\n")"},
      {"2c" "014e0000", "\"2024-09-03\""},
      {"30" "0100000000000000", "\"1970-01-01 00:00:00.000001+00:00\""},
      {"34" "f0d8ffffffffffff", "\"1969-12-31 23:59:59.99\""},
      {"38" "0000c03f", "1.5"},
      {"38" "0000c07f", "\"NaN\""},
      {"1c" "0000000000002440", "10.0"},
      {"50" "00112233445566778899aabbccddeeff", "\"00112233-4455-6677-8899-aabbccddeeff\""},
      {"28" "00" "ffffffffffffffffffffffffffffffff", "-1"},
      {"28" "02" "00000000000000000100000000000000", "184467440737095516.16"},
      {"02000000", "{}"},
      {"030000", "[]"},
  };
  for (const Primitive& c : cases) {
    SCOPED_TRACE(c.hex);
    EXPECT_THAT(VariantToJson(Bytes(c.hex), no_names), HasValue(testing::Eq(c.json)));
  }
}

TEST(VariantJsonTest, ReportsBytesThatAreNoVariant) {
  const std::string no_names = Bytes("010000");
  for (const std::string hex : {"", "14ff", "3cffffffff", "0201000001", "03ff", "0301000a", "54"}) {
    EXPECT_THAT(VariantToJson(Bytes(hex), no_names), IsError(ErrorCode::kCorruption)) << hex;
  }
  EXPECT_THAT(VariantToJson(Bytes("00"), ""), IsError(ErrorCode::kCorruption));
  EXPECT_EQ(ToJson(DatumList{std::string(), std::string()}, DataType::Variant()),
            R"({"malformed_variant":"","metadata":""})");
}

}  // namespace
}  // namespace braid
