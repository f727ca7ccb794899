#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "syntax/parser.h"

namespace braid::syntax {
namespace {

Query Parsed(std::string_view text) {
  Result<Query> query = ParseQuery(text);
  EXPECT_THAT(query, IsOk()) << text;
  return query ? *std::move(query) : Query{.position = {}, .body = Values{}};
}

Select ParsedSelect(std::string_view text) {
  const Query query = Parsed(text);
  const Select* select = std::get_if<Select>(&query.body);
  EXPECT_NE(select, nullptr) << text;
  return select != nullptr ? *select : Select{};
}

TEST(QueryParserTest, ReadsEveryClause) {
  const Query query = Parsed(
      "WITH c (x) AS (SELECT 1) SELECT DISTINCT a b, c AS d, t.* FROM c WHERE e GROUP BY f, (g, h) HAVING i "
      "WINDOW w AS (ORDER BY j) QUALIFY k ORDER BY 1 DESC LIMIT 2 OFFSET 3");
  ASSERT_EQ(query.with.size(), 1U);
  EXPECT_EQ(query.with[0].columns[0].name, "x");
  const Select& select = std::get<Select>(query.body);
  EXPECT_EQ(select.quantifier, SetQuantifier::kDistinct);
  ASSERT_EQ(select.items.size(), 3U);
  EXPECT_EQ(select.items[0].alias->name, "b");
  EXPECT_EQ(select.items[1].alias->name, "d");
  ASSERT_TRUE(select.group_by);
  EXPECT_EQ(std::get<GroupingKeys>((*select.group_by)[1].node).keys.size(), 2U);
  EXPECT_TRUE(select.where && select.having && select.qualify);
  EXPECT_EQ(select.windows[0].name.name, "w");
  EXPECT_TRUE(query.order_by[0].descending);
  EXPECT_TRUE(query.limit && query.offset);
}

TEST(QueryParserTest, TellsGrandTotalFromNoGrouping) {
  EXPECT_FALSE(ParsedSelect("SELECT 1 FROM t").group_by);
  ASSERT_TRUE(ParsedSelect("SELECT 1 FROM t GROUP BY ()").group_by);
}

TEST(QueryParserTest, ReadsGroupingSets) {
  const Select select = ParsedSelect("SELECT 1 FROM t GROUP BY GROUPING SETS ((a, b), a, (), ROLLUP(a, (b, c)))");
  const GroupingSets& sets = std::get<GroupingSets>(select.group_by->front().node);
  ASSERT_EQ(sets.sets.size(), 4U);
  EXPECT_TRUE(std::get<GroupingKeys>(sets.sets[2].node).keys.empty());
  EXPECT_EQ(std::get<Rollup>(sets.sets[3].node).levels[1].keys.size(), 2U);
}

TEST(QueryParserTest, BindsIntersectTighterAndLeansLeft) {
  EXPECT_EQ(Parsed("SELECT 1 UNION SELECT 2 INTERSECT SELECT 3"),
            Parsed("SELECT 1 UNION (SELECT 2 INTERSECT SELECT 3)"));
  EXPECT_EQ(Parsed("SELECT 1 UNION SELECT 2 EXCEPT SELECT 3"), Parsed("(SELECT 1 UNION SELECT 2) EXCEPT SELECT 3"));
  EXPECT_EQ(Parsed("SELECT 1 MINUS SELECT 2"), Parsed("SELECT 1 EXCEPT DISTINCT SELECT 2"));
  EXPECT_NE(Parsed("SELECT 1 UNION ALL SELECT 2"), Parsed("SELECT 1 UNION SELECT 2"));
}

TEST(QueryParserTest, GivesOrderByToTheWholeUnion) {
  const Query query = Parsed("SELECT 1 UNION (SELECT 2 LIMIT 1) ORDER BY 1");
  EXPECT_EQ(query.order_by.size(), 1U);
  EXPECT_TRUE(std::get<SetOperation>(query.body).right->limit);
}

TEST(QueryParserTest, NestsAQueryWithTwoLimits) {
  const Query query = Parsed("(SELECT x FROM t LIMIT 5) LIMIT 2");
  EXPECT_TRUE(std::get<NestedQuery>(query.body).query->limit);
  EXPECT_TRUE(std::holds_alternative<Select>(Parsed("((SELECT 1))").body));
}

TEST(QueryParserTest, ReadsTablesAsPaimonNamesThem) {
  const Select select =
      ParsedSelect("SELECT * FROM c.d.t$branch_b$snapshots /*+ OPTIONS('a'='b', 'c'='*/') */ AS x(y)");
  const NamedTable& table = std::get<NamedTable>(select.from->node);
  EXPECT_EQ(table.name.last(), "t$branch_b$snapshots");
  ASSERT_EQ(table.hints.size(), 1U);
  EXPECT_EQ(table.hints[0].arguments[1].value, "*/");
  EXPECT_EQ(select.from->alias->columns[0].name, "y");
  EXPECT_EQ(ParsedSelect("SELECT * FROM `t$branch_b`"), ParsedSelect("SELECT * FROM t$branch_b"));
}

TEST(QueryParserTest, ReadsTimeTravel) {
  const Select select = ParsedSelect("SELECT * FROM a JOIN b FOR SYSTEM_TIME AS OF a.p AS c ON a.x = c.x");
  const Join& join = std::get<Join>(select.from->node);
  EXPECT_TRUE(std::get<NamedTable>(join.right->node).as_of);
  EXPECT_EQ(join.right->alias->name.name, "c");
}

TEST(QueryParserTest, BindsCommasLooserThanJoins) {
  const Select select = ParsedSelect("SELECT * FROM a, b JOIN c ON x LEFT JOIN d USING (k)");
  const Join& comma = std::get<Join>(select.from->node);
  ASSERT_EQ(comma.kind, JoinKind::kComma);
  const Join& left = std::get<Join>(comma.right->node);
  EXPECT_EQ(left.kind, JoinKind::kLeft);
  EXPECT_EQ(std::get<Join>(left.left->node).kind, JoinKind::kInner);
}

TEST(QueryParserTest, TellsDerivedTablesFromJoinsInParentheses) {
  EXPECT_TRUE(std::holds_alternative<DerivedTable>(
      ParsedSelect("SELECT * FROM ((SELECT 1) UNION (SELECT 2)) AS t").from->node));
  EXPECT_TRUE(std::holds_alternative<Join>(ParsedSelect("SELECT * FROM ((SELECT 1) AS a CROSS JOIN b)").from->node));
}

TEST(QueryParserTest, ReadsTableFunctions) {
  const Select select =
      ParsedSelect("SELECT * FROM TABLE(TUMBLE(TABLE c.d.t PARTITION BY k, DESCRIPTOR(ts), SIZE => INTERVAL '1' DAY))");
  const FunctionCall& call = std::get<FunctionCall>(std::get<TableFunction>(select.from->node).call->node);
  EXPECT_EQ(std::get<TableArgument>(call.arguments[0].value->node).partition_by.size(), 1U);
  EXPECT_EQ(std::get<Descriptor>(call.arguments[1].value->node).columns[0].name, "ts");
  EXPECT_EQ(call.arguments[2].name->name, "SIZE");
  EXPECT_TRUE(
      std::get<Unnest>(ParsedSelect("SELECT * FROM UNNEST(a) WITH ORDINALITY AS t(x, n)").from->node).with_ordinality);
}

TEST(QueryParserTest, ReadsRowsOfValues) {
  const Query query = Parsed("VALUES 1, (2), (3, 4), ROW(5, 6)");
  const Values& values = std::get<Values>(query.body);
  ASSERT_EQ(values.rows.size(), 4U);
  EXPECT_EQ(values.rows[1].size(), 1U);
  EXPECT_EQ(values.rows[3].size(), 2U);
}

TEST(QueryParserTest, RefusesWhatBraidDoesNotDo) {
  EXPECT_THAT(ParseQuery("SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A))"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(ParseQuery("SELECT * FROM t TABLESAMPLE BERNOULLI (5)"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(ParseQuery("SELECT * FROM t LIMIT 1, 2"), HasMessage("LIMIT count OFFSET start"));
}

TEST(QueryParserTest, RefusesJoinsWithAWrongCondition) {
  EXPECT_THAT(ParseQuery("SELECT * FROM a LEFT JOIN b"), HasMessage("expected ON or USING"));
  EXPECT_THAT(ParseQuery("SELECT * FROM a CROSS JOIN b ON x"), HasMessage("CROSS JOIN takes no ON"));
}

}  // namespace
}  // namespace braid::syntax
