#include "types/data_type_json.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

Result<DataType> FromText(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  return DataTypeFromJson(json);
}

TEST(DataTypeJsonTest, WritesAndReadsTheFormsOfSchemaFiles) {
  const DataType row =
      DataType::Row({Field(4, "a", DataType::Int()), Field(5, "b", DataType::Decimal(20, 4).NotNull())});
  const std::vector<std::pair<DataType, std::string>> cases = {
      {DataType::Int().NotNull(), R"("INT NOT NULL")"},
      {DataType::TimestampLtz(3), R"("TIMESTAMP(3) WITH LOCAL TIME ZONE")"},
      {DataType::Array(DataType::Int()).NotNull(), R"({"type":"ARRAY NOT NULL","element":"INT"})"},
      {DataType::Multiset(DataType::String().NotNull()), R"({"type":"MULTISET","element":"STRING NOT NULL"})"},
      {DataType::Vector(DataType::Float(), 3), R"({"type":"VECTOR","element":"FLOAT","length":3})"},
      {DataType::Map(DataType::String().NotNull(), DataType::Array(row)).NotNull(),
       R"({"type":"MAP NOT NULL","key":"STRING NOT NULL","value":{"type":"ARRAY","element":{"type":"ROW","fields":[)"
       R"({"id":4,"name":"a","type":"INT"},{"id":5,"name":"b","type":"DECIMAL(20, 4) NOT NULL"}]}}})"},
  };
  for (const auto& [type, text] : cases) {
    EXPECT_EQ(PrintJson(DataTypeToJson(type)), text);
    EXPECT_THAT(FromText(text), HasValue(type));
  }
}

TEST(DataTypeJsonTest, ReadsOtherSpellings) {
  EXPECT_THAT(FromText(R"("int not null")"), HasValue(DataType::Int().NotNull()));
  EXPECT_THAT(FromText(R"("TIME")"), HasValue(DataType::Time(0)));
  EXPECT_THAT(FromText(R"("INT ARRAY")"), HasValue(DataType::Array(DataType::Int())));
  EXPECT_THAT(FromText(R"("VECTOR<FLOAT, 3>")"), HasValue(DataType::Vector(DataType::Float(), 3)));
}

// Java reads this text to the same ids.
TEST(DataTypeJsonTest, NumbersFieldsWithoutIdsDepthFirst) {
  const DataType expected = DataType::Row(
      {Field(0, "a", DataType::Int()),
       Field(1, "b", DataType::Array(DataType::Row({Field(2, "x", DataType::Int())}))), Field(3, "c", DataType::Date())});
  EXPECT_THAT(FromText(R"({"type":"ROW","fields":[{"name":"a","type":"INT"},{"name":"b","type":{"type":"ARRAY",)"
                       R"("element":{"type":"ROW","fields":[{"name":"x","type":"INT"}]}}},{"name":"c","type":"DATE"}]})"),
              HasValue(expected));
}

TEST(DataTypeJsonTest, KeepsCommentsAndDefaults) {
  DataField field = Field(2, "f3", DataType::Double());
  field.description = "a \"comment\"";
  field.default_value = "1.5";
  const std::string text = R"([{"id":2,"name":"f3","type":"DOUBLE","description":"a \"comment\"","defaultValue":"1.5"}])";
  EXPECT_EQ(PrintJson(DataFieldsToJson(std::span(&field, 1))), text);
  BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(text));
  EXPECT_THAT(DataFieldsFromJson(json), HasValue(std::vector<DataField>{field}));
}

TEST(DataTypeJsonTest, RefusesWhatIsNoType) {
  const std::vector<std::string> texts = {
      "5",
      "null",
      "{}",
      R"("INTT")",
      R"("ROW<a INT>")",
      R"({"type":5})",
      R"({"type":"ARRAY"})",
      R"({"type":"MAP","key":"INT"})",
      R"({"type":"ROW"})",
      R"({"type":"ROW","fields":{}})",
      R"({"type":"ROW","fields":[{"id":1,"type":"INT"}]})",
      R"({"type":"ROW","fields":[{"id":1,"name":"a"}]})",
      R"({"type":"ROW","fields":[{"id":2147483648,"name":"a","type":"INT"}]})",
      R"({"type":"ROW","fields":[{"id":0,"name":"a","type":"INT"},{"name":"b","type":"INT"}]})",
      R"({"type":"ROW","fields":[{"name":"a","type":"INT"},{"id":1,"name":"b","type":"INT"}]})",
      R"({"type":"VECTOR","element":"FLOAT","length":0})",
      R"({"type":"VECTOR","element":"STRING","length":1})",
      R"({"type":"STRUCT","fields":[]})",
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    EXPECT_THAT(FromText(text), IsError(ErrorCode::kCorruption));
  }
}

TEST(DataTypeJsonTest, NamesTheFieldWhoseTypeIsUnknown) {
  const std::string text = R"-({"type":"ROW","fields":[{"id":1,"name":"place","type":"GEOMETRY(OGC:CRS84)"}]})-";
  EXPECT_THAT(FromText(text), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(FromText(text), HasMessage("while reading field place"));
}

}  // namespace
}  // namespace braid
