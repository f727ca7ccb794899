#include "duck/type_mapping.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::Eq;

DataField Field(const std::string& name, DataType type) {
  return DataField{.id = FieldId(0), .name = name, .type = std::move(type), .description = {}, .default_value = {}};
}

TEST(TypeMappingTest, NamesTheTypeOfDuckDb) {
  struct Case {
    DataType type;
    std::string duck_type;
  };
  const std::vector<Case> cases = {
      {DataType::Boolean(), "BOOLEAN"},
      {DataType::TinyInt().NotNull(), "TINYINT"},
      {DataType::Int(), "INTEGER"},
      {DataType::Float(), "FLOAT"},
      {DataType::Decimal(38, 18), "DECIMAL(38,18)"},
      {DataType::Char(3), "VARCHAR"},
      {DataType::String(), "VARCHAR"},
      {DataType::Bytes(), "BLOB"},
      {DataType::Time(0), "TIME"},
      {DataType::Timestamp(0), "TIMESTAMP"},
      {DataType::Timestamp(6), "TIMESTAMP"},
      {DataType::Timestamp(9), "TIMESTAMP_NS"},
      {DataType::TimestampLtz(3), "TIMESTAMP WITH TIME ZONE"},
      {DataType::Array(DataType::Array(DataType::Int())), "INTEGER[][]"},
      {DataType::Vector(DataType::Float(), 3), "FLOAT[]"},
      {DataType::Multiset(DataType::String()), "MAP(VARCHAR, INTEGER)"},
      {DataType::Map(DataType::String(), DataType::Date()), "MAP(VARCHAR, DATE)"},
      {DataType::Array(DataType::Variant()), "STRUCT(\"value\" BLOB, metadata BLOB)[]"},
  };
  for (const Case& c : cases) EXPECT_THAT(ToDuckType(c.type), HasValue(Eq(c.duck_type))) << c.type.ToString();
}

TEST(TypeMappingTest, RefusesWhatDuckDbCannotHold) {
  const Result<std::string> row = ToDuckType(DataType::Row({Field("a", DataType::Int()), Field("A", DataType::Int())}));
  EXPECT_THAT(row, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(row, HasMessage("a and A differ in case only"));
}

TEST(TypeMappingTest, QuotesNamesAndTexts) {
  EXPECT_EQ(QuoteDuckIdentifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(QuoteDuckText("it's"), "'it''s'");
}

}  // namespace
}  // namespace braid
