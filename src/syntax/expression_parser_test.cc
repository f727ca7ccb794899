#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace braid::syntax {
namespace {

Expression Parsed(std::string_view text) {
  Result<Expression> expression = ParseExpression(text);
  EXPECT_THAT(expression, IsOk()) << text;
  return expression ? *std::move(expression) : Expression{{}, NullLiteral{}};
}

template <typename Node>
Node ParsedAs(std::string_view text) {
  const Expression expression = Parsed(text);
  const Node* node = std::get_if<Node>(&expression.node);
  EXPECT_NE(node, nullptr) << text;
  return node != nullptr ? *node : Node{};
}

TEST(ExpressionParserTest, BindsAsCalciteDoes) {
  struct Case {
    std::string_view bare;
    std::string_view grouped;
  };
  const std::vector<Case> cases = {
      {"a OR b AND c", "a OR (b AND c)"},
      {"NOT a = b", "NOT (a = b)"},
      {"NOT a IS NULL", "NOT (a IS NULL)"},
      {"NOT a AND b", "(NOT a) AND b"},
      {"a = b IS NULL", "(a = b) IS NULL"},
      {"a = b = c", "(a = b) = c"},
      {"a + b = c - d", "(a + b) = (c - d)"},
      {"a - b - c", "(a - b) - c"},
      {"a + b * c", "a + (b * c)"},
      {"a + b || c", "a + (b || c)"},
      {"a * b || c", "(a * b) || c"},
      {"-a * b", "(-a) * b"},
      {"-a[1]", "-(a[1])"},
      {"a = -b", "a = (-b)"},
      {"a = NOT b", "a = (NOT b)"},
      {"a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"},
      {"a BETWEEN b + 1 AND c || d OR e", "(a BETWEEN (b + 1) AND (c || d)) OR e"},
      {"a IN (1) = b", "(a IN (1)) = b"},
      {"a = b IN (1)", "a = (b IN (1))"},
      {"a LIKE b || c ESCAPE d AND e", "(a LIKE (b || c) ESCAPE d) AND e"},
      {"a IS DISTINCT FROM b + 1", "a IS DISTINCT FROM (b + 1)"},
      {"a < b AND c >= d", "(a < b) AND (c >= d)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Parsed(c.bare), Parsed(c.grouped)) << c.bare;
}

TEST(ExpressionParserTest, KeepsParenthesesThatMatter) {
  EXPECT_NE(Parsed("a - (b - c)"), Parsed("a - b - c"));
  EXPECT_NE(Parsed("(a OR b) AND c"), Parsed("a OR b AND c"));
  EXPECT_NE(Parsed("(NOT a) = b"), Parsed("NOT a = b"));
}

TEST(ExpressionParserTest, MakesOneNodeOfAChainOfAnd) {
  EXPECT_EQ(ParsedAs<Logical>("a AND b AND c").operands.size(), 3U);
  EXPECT_EQ(ParsedAs<Logical>("a AND (b AND c)").operands.size(), 2U);
}

TEST(ExpressionParserTest, ReducesSpecialFormsToArguments) {
  const FunctionCall extract = ParsedAs<FunctionCall>("EXTRACT(DAY FROM x)");
  ASSERT_EQ(extract.arguments.size(), 2U);
  EXPECT_EQ(std::get<TimeUnitSymbol>(extract.arguments[0].value->node).unit, TimeUnit::kDay);
  EXPECT_EQ(Parsed("SUBSTRING(x FROM 2 FOR 3)"), Parsed("SUBSTRING(x, 2, 3)"));
  EXPECT_EQ(ParsedAs<FunctionCall>("POSITION('a' IN x)").arguments.size(), 2U);
  EXPECT_EQ(ParsedAs<FunctionCall>("OVERLAY(a PLACING b FROM 1 FOR 2)").arguments.size(), 4U);
  EXPECT_EQ(std::get<TimeUnitSymbol>(ParsedAs<FunctionCall>("FLOOR(x TO MONTH)").arguments[1].value->node).unit,
            TimeUnit::kMonth);
}

TEST(ExpressionParserTest, ReadsTrimInAllItsForms) {
  EXPECT_FALSE(ParsedAs<Trim>("TRIM(x)").characters);
  EXPECT_EQ(Parsed("TRIM('a' FROM x)"), Parsed("TRIM(BOTH 'a' FROM x)"));
  EXPECT_EQ(ParsedAs<Trim>("TRIM(LEADING FROM x)").side, TrimSide::kLeading);
}

TEST(ExpressionParserTest, ReadsLiterals) {
  EXPECT_EQ(ParsedAs<StringLiteral>("U&'\\00e9'").value, "é");
  EXPECT_EQ(ParsedAs<StringLiteral>("U&'\\d83d\\de00'").value, "😀");
  EXPECT_EQ(ParsedAs<StringLiteral>("U&'a!0042!!' UESCAPE '!'").value, "aB!");
  EXPECT_EQ(ParsedAs<StringLiteral>("'a'\n'b'").value, "ab");
  EXPECT_EQ(ParsedAs<BinaryLiteral>("x'0a'").bytes, "\n");
  EXPECT_EQ(ParsedAs<NumberLiteral>("1.50").text, "1.50");
  const IntervalLiteral interval = ParsedAs<IntervalLiteral>("INTERVAL -'1 02' DAY(3) TO HOURS");
  EXPECT_TRUE(interval.negative);
  EXPECT_EQ(interval.qualifier, (IntervalQualifier{TimeUnit::kDay, 3, TimeUnit::kHour, std::nullopt}));
  EXPECT_EQ(ParsedAs<TemporalLiteral>("TIMESTAMP '2020-01-01 00:00:00'").kind, TemporalKind::kTimestamp);
}

TEST(ExpressionParserTest, ReadsDifferencesOfTimes) {
  const TemporalDifference difference = ParsedAs<TemporalDifference>("(a - b) DAY TO SECOND");
  EXPECT_EQ(difference.qualifier.end, TimeUnit::kSecond);
  EXPECT_EQ(*difference.left, Parsed("a"));
}

TEST(ExpressionParserTest, TellsSubqueriesFromRowsWithoutLookingBack) {
  EXPECT_TRUE(std::holds_alternative<ScalarSubquery>(Parsed("((SELECT 1))").node));
  EXPECT_TRUE(std::holds_alternative<BinaryOperation>(Parsed("((SELECT 1) + 1)").node));
  EXPECT_EQ(ParsedAs<RowConstructor>("(((SELECT 1) UNION SELECT 2), 3)").elements.size(), 2U);
  EXPECT_TRUE(ParsedAs<In>("x IN ((SELECT 1) UNION (SELECT 2))").query);
  EXPECT_EQ(ParsedAs<In>("x IN ((SELECT 1), 2)").list.size(), 2U);
}

TEST(ExpressionParserTest, ReadsNamesAndFields) {
  EXPECT_EQ(ParsedAs<ColumnReference>("a.`b.c`.d").name.parts.size(), 3U);
  EXPECT_EQ(ParsedAs<FieldAccess>("f(x).a.b").field.name, "b");
  EXPECT_EQ(ParsedAs<Star>("t.*").qualifier.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<ElementAccess>(Parsed("`map`[1]").node));
  EXPECT_TRUE(std::holds_alternative<CollectionConstructor>(Parsed("map['a', 1]").node));
}

TEST(ExpressionParserTest, ReadsWhatFollowsACall) {
  const FunctionCall call = ParsedAs<FunctionCall>(
      "SUM(DISTINCT x) FILTER (WHERE y) OVER (PARTITION BY a ORDER BY b DESC NULLS LAST ROWS 2 PRECEDING)");
  EXPECT_EQ(call.quantifier, SetQuantifier::kDistinct);
  EXPECT_TRUE(call.suffix.filter);
  ASSERT_TRUE(call.suffix.over && call.suffix.over->frame);
  EXPECT_TRUE(call.suffix.over->frame->rows);
  EXPECT_EQ(call.suffix.over->frame->start.kind, FrameBoundKind::kPreceding);
  EXPECT_EQ(call.suffix.over->frame->end.kind, FrameBoundKind::kCurrentRow);
  EXPECT_EQ(call.suffix.over->order_by[0].nulls, NullOrder::kLast);
  EXPECT_EQ(ParsedAs<FunctionCall>("f(a => 1, `table` => 2)").arguments[1].name->name, "table");
}

TEST(ExpressionParserTest, ReadsJsonClauses) {
  const JsonValue value = ParsedAs<JsonValue>("JSON_VALUE(a, '$.b' RETURNING INT DEFAULT 1 ON EMPTY ERROR ON ERROR)");
  EXPECT_EQ(value.returning->name, "INT");
  EXPECT_EQ(value.on_empty->kind, JsonBehaviorKind::kDefault);
  EXPECT_EQ(value.on_error->kind, JsonBehaviorKind::kError);
  EXPECT_EQ(ParsedAs<JsonQuery>("JSON_QUERY(a, 'b' WITH WRAPPER)").wrapper, JsonWrapper::kUnconditional);
  EXPECT_EQ(Parsed("JSON_OBJECT('a' VALUE 1)"), Parsed("JSON_OBJECT(KEY 'a' VALUE 1)"));
  EXPECT_TRUE(
      std::holds_alternative<ColumnReference>(ParsedAs<JsonObject>("JSON_OBJECT(key VALUE 1)").members[0].key->node));
}

TEST(ExpressionParserTest, PlacesNodesInTheText) {
  const Expression sum = Parsed("abc + f(x)");
  EXPECT_EQ(sum.position.offset, 4U);
  const BinaryOperation& operation = std::get<BinaryOperation>(sum.node);
  EXPECT_EQ(operation.left->position.offset, 0U);
  EXPECT_EQ(operation.right->position.offset, 6U);
}

TEST(TypeParserTest, ResolvesSynonyms) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"integer", "INT"},
      {"NUMERIC(10, 2)", "DECIMAL(10, 2)"},
      {"CHARACTER VARYING(5)", "VARCHAR(5)"},
      {"DOUBLE PRECISION", "DOUBLE"},
      {"TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"},
      {"TIMESTAMP WITHOUT TIME ZONE", "TIMESTAMP"},
      {"INT NOT NULL ARRAY", "ARRAY<INT NOT NULL>"},
      {"ROW(a INT, `b c` MAP<STRING, BYTES> 'note')", "ROW<a INT, `b c` MAP<STRING, BYTES> 'note'>"},
      {"ROW<>", "ROW<>"},
      {"ARRAY<ARRAY<INT>>", "ARRAY<ARRAY<INT>>"},
      {"INTERVAL DAY TO SECOND(3)", "INTERVAL DAY TO SECOND(3)"},
  };
  for (const auto& [text, printed] : cases) {
    BRAID_ASSERT_OK_AND_ASSIGN(const TypeName type, ParseTypeName(text));
    EXPECT_EQ(ToSql(type), printed);
  }
  EXPECT_THAT(ParseTypeName("TIMESTAMP WITH TIME ZONE"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(ParseTypeName("DATETIME"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid::syntax
