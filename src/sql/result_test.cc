#include "sql/result.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

// 2020-01-02 03:04:05.678.
constexpr std::int64_t kMillis = 1'577'934'245'678;

std::string JsonOf(const Datum& value, const SqlType& type) {
  std::string text;
  AppendJsonValue(value, type, text);
  return text;
}

TEST(ResultTest, PrintsValuesAsJson) {
  struct Case {
    Datum value;
    SqlType type;
    const char* json;
  };
  const DataType row = DataType::Row(
      {{.id = FieldId(0), .name = "a", .type = DataType::Int(), .description = {}, .default_value = {}},
       {.id = FieldId(1), .name = "b", .type = DataType::String(), .description = {}, .default_value = {}}});
  const std::vector<Case> cases = {
      {Datum(), DataType::Int(), "null"},
      {1e7, DataType::Double(), "1.0E7"},
      {std::numeric_limits<double>::quiet_NaN(), DataType::Double(), "\"NaN\""},
      {Decimal{150}, DataType::Decimal(10, 2), "\"1.50\""},
      {std::string("\x00\xff", 2), DataType::Bytes(), "\"00ff\""},
      {18'263, DataType::Date(), "\"2020-01-02\""},
      {11'045'678, DataType::Time(3), "\"03:04:05.678\""},
      {Timestamp{kMillis, 901'000}, DataType::Timestamp(6), "\"2020-01-02T03:04:05.678901\""},
      {Timestamp{kMillis, 0}, DataType::TimestampLtz(3), "\"2020-01-02T03:04:05.678Z\""},
      {14, SqlType::Months(), "{\"months\":14}"},
      {DatumList{1, Datum()}, DataType::Array(DataType::Int()), "[1,null]"},
      {DatumList{DatumList{"b", 2}, DatumList{"a", 1}}, DataType::Map(DataType::String(), DataType::Int()),
       "[[\"a\",1],[\"b\",2]]"},
      {DatumList{1, "x"}, row, "{\"a\":1,\"b\":\"x\"}"},
  };
  for (const Case& c : cases) EXPECT_EQ(JsonOf(c.value, c.type), c.json);
}

// As Flink's SQL client 2.2.1 shows them.
TEST(ResultTest, PrintsValuesForPeople) {
  const auto shown = [](const Datum& value, const SqlType& type, std::string_view zone = "UTC") {
    return DisplayText(value, type, zone);
  };
  EXPECT_THAT(shown(Datum(), DataType::Int()), HasValue(testing::Eq("<NULL>")));
  EXPECT_THAT(shown(true, DataType::Boolean()), HasValue(testing::Eq("TRUE")));
  EXPECT_THAT(shown(std::string("\x00\xff", 2), DataType::Bytes()), HasValue(testing::Eq("x'00ff'")));
  EXPECT_THAT(shown(DatumList{Datum(DatumList{"k", 1})}, DataType::Map(DataType::String(), DataType::Int())),
              HasValue(testing::Eq("{k=1}")));
  EXPECT_THAT(shown(86'400'000, SqlType::Millis()), HasValue(testing::Eq("+1 00:00:00.000")));
  EXPECT_THAT(shown(-14, SqlType::Months()), HasValue(testing::Eq("-1-02")));
  EXPECT_THAT(shown(Timestamp{0, 0}, DataType::TimestampLtz(3), "Asia/Shanghai"),
              HasValue(testing::Eq("1970-01-01 08:00:00.000")));
  EXPECT_THAT(shown(DatumList{"a", Datum()}, DataType::Array(DataType::String())), HasValue(testing::Eq("[a, NULL]")));
}

TEST(ResultTest, PrintsTypesAsFlink) {
  EXPECT_EQ(SummaryTypeText(DataType::TimestampLtz(3).NotNull()), "TIMESTAMP_LTZ(3) NOT NULL");
  EXPECT_EQ(SummaryTypeText(DataType::Array(DataType::String())), "ARRAY<STRING>");
  EXPECT_EQ(SummaryTypeText(SqlType::Millis(false)), "INTERVAL SECOND(3) NOT NULL");
  EXPECT_EQ(SerializableTypeText(DataType::Array(DataType::String())), "ARRAY<VARCHAR(2147483647)>");
  EXPECT_EQ(SerializableTypeText(DataType::TimestampLtz(3)), "TIMESTAMP(3) WITH LOCAL TIME ZONE");
}

}  // namespace
}  // namespace braid
