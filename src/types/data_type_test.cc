#include "types/data_type.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "types/row_kind.h"

namespace braid {
namespace {

DataField Field(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

TEST(DataTypeTest, PrintsTypesAsSchemaFilesSpellThem) {
  const std::vector<std::pair<DataType, std::string>> cases = {
      {DataType::Boolean().NotNull(), "BOOLEAN NOT NULL"},
      {DataType::TinyInt(), "TINYINT"},
      {DataType::Decimal(10, 2), "DECIMAL(10, 2)"},
      {DataType::Char(3), "CHAR(3)"},
      {DataType::VarChar(20), "VARCHAR(20)"},
      {DataType::String(), "STRING"},
      {DataType::Bytes().NotNull(), "BYTES NOT NULL"},
      {DataType::Binary(8), "BINARY(8)"},
      {DataType::Time(0), "TIME(0)"},
      {DataType::Timestamp(3), "TIMESTAMP(3)"},
      {DataType::TimestampLtz(9).NotNull(), "TIMESTAMP(9) WITH LOCAL TIME ZONE NOT NULL"},
      {DataType::Array(DataType::Int().NotNull()), "ARRAY<INT NOT NULL>"},
      {DataType::Map(DataType::String().NotNull(), DataType::Multiset(DataType::Int())),
       "MAP<STRING NOT NULL, MULTISET<INT>>"},
      {DataType::Vector(DataType::Float(), 128), "VECTOR<FLOAT, 128>"},
      {DataType::Row({Field(0, "a", DataType::Int()), Field(1, "b`c", DataType::String())}),
       "ROW<`a` INT, `b``c` STRING>"},
  };
  for (const auto& [type, text] : cases) {
    EXPECT_EQ(type.ToString(), text);
    EXPECT_THAT(ParseDataType(text), HasValue(type));
  }
}

TEST(DataTypeTest, ReadsSynonymsInAnyCaseAndSpacing) {
  const std::vector<std::pair<std::string, DataType>> cases = {
      {"integer", DataType::Int()},
      {"  int  not\n null ", DataType::Int().NotNull()},
      {"INT NULL", DataType::Int()},
      {"CHAR", DataType::Char(1)},
      {"varchar", DataType::VarChar(1)},
      {"VARCHAR(2147483647)", DataType::String()},
      {"BINARY", DataType::Binary(1)},
      {"VARBINARY", DataType::VarBinary(1)},
      {"DECIMAL", DataType::Decimal(10, 0)},
      {"dec(7)", DataType::Decimal(7, 0)},
      {"NUMERIC( 38 , 38 )", DataType::Decimal(38, 38)},
      {"DOUBLE PRECISION NOT NULL", DataType::Double().NotNull()},
      {"TIME", DataType::Time(0)},
      {"TIME(3) WITHOUT TIME ZONE", DataType::Time(3)},
      {"TIMESTAMP", DataType::Timestamp(6)},
      {"TIMESTAMP(9) without time zone", DataType::Timestamp(9)},
      {"TIMESTAMP WITH LOCAL TIME ZONE", DataType::TimestampLtz(6)},
      {"TIMESTAMP_LTZ(3) NOT NULL", DataType::TimestampLtz(3).NotNull()},
      {"VARIANT", DataType::Variant()},
      {"BLOB", DataType::Blob()},
      {"INT ARRAY", DataType::Array(DataType::Int())},
      {"INT NOT NULL ARRAY NOT NULL", DataType::Array(DataType::Int().NotNull()).NotNull()},
      {"STRING MULTISET ARRAY", DataType::Array(DataType::Multiset(DataType::String()))},
      {"map<string,array<int>>", DataType::Map(DataType::String(), DataType::Array(DataType::Int()))},
      {"VECTOR<FLOAT, 128>", DataType::Vector(DataType::Float(), 128)},
      {"ROW()", DataType::Row({})},
      {"ROW<>", DataType::Row({})},
  };
  for (const auto& [text, type] : cases) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseDataType(text), HasValue(type));
  }
}

TEST(DataTypeTest, ReadsRowsInBothBracketsWithQuotedNamesAndComments) {
  DataField a = Field(0, "a", DataType::Int());
  a.description = "it's a";
  DataField time = Field(1, "time", DataType::String().NotNull());
  time.description = "word";
  const DataType expected = DataType::Row({a, time, Field(2, "x y`z", DataType::Date())}).NotNull();
  EXPECT_THAT(ParseDataType("ROW<a INT 'it''s a', time STRING NOT NULL COMMENT 'word', `x y``z` DATE> NOT NULL"),
              HasValue(expected));
  EXPECT_THAT(ParseDataType("row(`a` INT 'it''s a', `time` STRING NOT NULL 'word', `x y``z` DATE) not null"),
              HasValue(expected));
  EXPECT_EQ(expected.ToString(), "ROW<`a` INT 'it''s a', `time` STRING NOT NULL 'word', `x y``z` DATE> NOT NULL");
}

TEST(DataTypeTest, NumbersNestedFieldsDepthFirst) {
  const DataType inner = DataType::Row({Field(8, "x", DataType::Int()), Field(9, "y", DataType::Int())});
  const DataType expected =
      DataType::Row({Field(7, "a", DataType::Array(inner)), Field(10, "b", DataType::Int())});
  EXPECT_THAT(ParseDataType("ROW<a ARRAY<ROW<x INT, y INT>>, b INT>", 7), HasValue(expected));
}

TEST(DataTypeTest, RefusesWhatIsNoType) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "expected a type at position 1"},
      {"INTT", "there is no type INTT"},
      {"strng", "did you mean STRING?"},
      {"CHAR(0)", "expected a number from 1 to 2147483647"},
      {"CHAR(2147483648)", "expected a number from 1 to 2147483647"},
      {"DECIMAL(39)", "from 1 to 38"},
      {"DECIMAL(5, 6)", "from 0 to 5"},
      {"TIMESTAMP(10)", "from 0 to 9"},
      {"TIMESTAMP WITH TIME ZONE", "expected LOCAL"},
      {"INT NOT", "expected NULL"},
      {"INT INT", "expected the end of the type at position 5"},
      {"ARRAY<INT", "expected '>'"},
      {"MAP<INT>", "expected ','"},
      {"ROW<a>", "expected a type"},
      {"ROW<a INT, a INT>", "two fields have the name a"},
      {"ROW<a INT COMMENT 5>", "a comment in single quotes"},
      {"ROW<`a INT>", "a closing `"},
      {"VECTOR<STRING, 3>", "element of a VECTOR"},
      {"INT;", "expected a type at position 4"},
  };
  for (const auto& [text, message] : cases) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseDataType(text), IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(ParseDataType(text), HasMessage(message));
  }
}

TEST(DataTypeTest, RefusesEndlessNesting) {
  std::string open;
  for (int i = 0; i < 100'000; ++i) open += "ARRAY<";
  EXPECT_THAT(ParseDataType(open), IsError(ErrorCode::kInvalidArgument));
  std::string suffixes = "INT";
  for (int i = 0; i < 100'000; ++i) suffixes += " ARRAY";
  EXPECT_THAT(ParseDataType(suffixes), IsError(ErrorCode::kInvalidArgument));
}

TEST(DataTypeTest, SameShapeIgnoresNullabilityIdsAndComments) {
  DataField commented = Field(4, "a", DataType::Int().NotNull());
  commented.description = "c";
  const DataType left = DataType::Row({commented}).NotNull();
  const DataType right = DataType::Row({Field(0, "a", DataType::Int())});
  EXPECT_NE(left, right);
  EXPECT_TRUE(left.SameShape(right));
  EXPECT_FALSE(left.SameShape(DataType::Row({Field(4, "b", DataType::Int())})));
  EXPECT_FALSE(DataType::Decimal(10, 2).SameShape(DataType::Decimal(10, 3)));
  EXPECT_FALSE(DataType::Array(DataType::Int()).SameShape(DataType::Array(DataType::BigInt())));
}

TEST(DataTypeTest, FindsFieldsByNameAndId) {
  const std::vector<DataField> fields = {
      Field(3, "a", DataType::Int()),
      Field(1, "b", DataType::Map(DataType::Int(), DataType::Row({Field(9, "x", DataType::Int())})))};
  EXPECT_EQ(FindField(fields, "b"), 1u);
  EXPECT_EQ(FindField(fields, "B"), std::nullopt);
  EXPECT_EQ(FindField(fields, FieldId(3)), 0u);
  EXPECT_EQ(FindField(fields, FieldId(9)), std::nullopt);
  EXPECT_EQ(HighestFieldId(fields), 9);
  EXPECT_EQ(HighestFieldId({}), -1);
}

TEST(RowKindTest, NamesAndNumbersAgree) {
  EXPECT_EQ(RowKindName(RowKind::kInsert), "+I");
  EXPECT_EQ(RowKindName(RowKind::kUpdateBefore), "-U");
  EXPECT_EQ(RowKindName(RowKind::kUpdateAfter), "+U");
  EXPECT_EQ(RowKindName(RowKind::kDelete), "-D");
  EXPECT_EQ(ParseRowKind("-D"), RowKind::kDelete);
  EXPECT_EQ(ParseRowKind("x"), std::nullopt);
}

}  // namespace
}  // namespace braid
