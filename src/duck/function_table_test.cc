#include "duck/function_table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using testing::Contains;
using testing::Eq;
using testing::Not;
using testing::Optional;

CallArgument Column(const std::string& sql, DataType type) {
  return {SqlType(std::move(type)), sql};
}

TEST(FunctionTableTest, EmitsDuckDbSqlOfTheFunction) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const EmittedCall call,
      ResolveCall("substring", {Column("s", DataType::VarChar(5).NotNull()), Column("i", DataType::SmallInt())}, {}));
  EXPECT_EQ(call.sql, "flink_substring(s, CAST(i AS INTEGER), 2147483647)");
  EXPECT_EQ(call.type.ToString(), "VARCHAR(5)");
}

TEST(FunctionTableTest, DerivesNullability) {
  const CallArgument a = Column("a", DataType::Int().NotNull());
  const CallArgument b = Column("b", DataType::Int());
  BRAID_ASSERT_OK_AND_ASSIGN(const EmittedCall never, ResolveCall("+", {a, a}, {}));
  EXPECT_EQ(never.type.ToString(), "INT NOT NULL");
  BRAID_ASSERT_OK_AND_ASSIGN(const EmittedCall maybe, ResolveCall("+", {a, b}, {}));
  EXPECT_EQ(maybe.type.ToString(), "INT");
  BRAID_ASSERT_OK_AND_ASSIGN(const EmittedCall coalesced, ResolveCall("COALESCE", {b, a}, {}));
  EXPECT_EQ(coalesced.type.ToString(), "INT NOT NULL");
}

TEST(FunctionTableTest, LeavesComparisonsOfOneTypeToDuckDbForPushdown) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const EmittedCall call,
      ResolveCall(">=", {Column("a", DataType::BigInt()), {DataType::BigInt().NotNull(), "5", Datum(5)}}, {}));
  EXPECT_EQ(call.sql, "(a >= 5)");
}

TEST(FunctionTableTest, SaysWhatAFunctionTakes) {
  const Result<EmittedCall> call = ResolveCall("UPPER", {Column("a", DataType::Int())}, {});
  EXPECT_THAT(call, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(call, HasMessage("UPPER cannot take (INT)"));
  EXPECT_THAT(call, HasMessage("it takes (text)"));
  EXPECT_THAT(ResolveCall("UPPER", {{SqlType::Null(), "NULL"}}, {}), HasMessage("CAST(NULL AS type)"));
}

TEST(FunctionTableTest, SuggestsTheNearestName) {
  const Result<EmittedCall> call = ResolveCall("SUBSTRNG", {Column("a", DataType::String())}, {});
  EXPECT_THAT(call, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(call, HasMessage("did you mean SUBSTRING?"));
  EXPECT_THAT(ResolveCall("PRINTF", {Column("a", DataType::String())}, {}), IsError(ErrorCode::kUnsupported));
}

TEST(FunctionTableTest, ListsFunctionsButNoOperators) {
  EXPECT_THAT(ScalarFunctionNames(), Contains("SPLIT_INDEX"));
  EXPECT_THAT(ScalarFunctionNames(), Not(Contains("||")));
  EXPECT_TRUE(HasScalarFunction("upper"));
  EXPECT_FALSE(HasScalarFunction("IS NULL"));
}

TEST(FunctionTableTest, CastsSilentlyOnlyToWiderTypesOfTheFamily) {
  const CallArgument small = Column("a", DataType::SmallInt());
  EXPECT_TRUE(ImplicitCast(small, DataType::BigInt(), {}).has_value());
  EXPECT_TRUE(ImplicitCast(small, DataType::Decimal(10, 2), {}).has_value());
  EXPECT_FALSE(ImplicitCast(Column("a", DataType::BigInt()), DataType::Int(), {}).has_value());
  EXPECT_FALSE(ImplicitCast(Column("a", DataType::String()), DataType::Int(), {}).has_value());
  EXPECT_TRUE(ImplicitCast({SqlType::Null(), "NULL"}, DataType::Int(), {}).has_value());
}

TEST(FunctionTableTest, FindsTheTypeThatValuesHaveInCommon) {
  const auto common = [](std::vector<SqlType> types) -> std::string {
    const std::optional<SqlType> type = CommonType(types);
    return type ? type->ToString() : "none";
  };
  EXPECT_EQ(common({DataType::Int().NotNull(), DataType::Decimal(3, 1).NotNull()}), "DECIMAL(11, 1) NOT NULL");
  EXPECT_EQ(common({DataType::Char(1).NotNull(), SqlType::Null()}), "CHAR(1)");
  EXPECT_EQ(common({DataType::Char(1), DataType::Char(3)}), "VARCHAR(3)");
  EXPECT_EQ(common({DataType::Timestamp(0), DataType::Timestamp(3)}), "TIMESTAMP(3)");
  EXPECT_EQ(common({DataType::Array(DataType::Int()), DataType::Array(DataType::BigInt())}), "ARRAY<BIGINT>");
  EXPECT_EQ(common({DataType::Int(), DataType::String()}), "none");
}

TEST(FunctionTableTest, WritesLiterals) {
  EXPECT_THAT(EmitLiteral("it's", DataType::String()), HasValue(Eq("'it''s'")));
  EXPECT_THAT(EmitLiteral(Datum(), DataType::Int()), HasValue(Eq("CAST(NULL AS INTEGER)")));
  EXPECT_THAT(EmitLiteral(std::string("\x0a", 1), DataType::Bytes()), HasValue(Eq("unhex('0a')")));
  EXPECT_THAT(EmitLiteral(Decimal{-150}, DataType::Decimal(5, 2)), HasValue(Eq("CAST('-1.50' AS DECIMAL(5,2))")));
  EXPECT_THAT(EmitLiteral(1500, DataType::Time(3)), HasValue(Eq("CAST('00:00:01.500' AS TIME)")));
}

}  // namespace
}  // namespace braid
