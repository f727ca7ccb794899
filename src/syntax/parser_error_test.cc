#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "syntax/parser.h"

namespace braid::syntax {
namespace {

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ParserErrorTest, ShowsPlaceExpectationAndCaret) {
  const Result<Statement> statement = ParseStatement("SELECT a\nFROM t WERE x = 1");
  ASSERT_THAT(statement, IsError(ErrorCode::kInvalidArgument));
  EXPECT_EQ(statement.error().message(),
            "expected the end of the statement, found x, at line 2, column 13\n"
            "    FROM t WERE x = 1\n"
            "                ^");
}

TEST(ParserErrorTest, SuggestsTheNearestKeyword) {
  EXPECT_THAT(ParseStatement("SELEC 1"), HasMessage("did you mean SELECT?"));
  EXPECT_THAT(ParseStatement("CRATE TABLE t (a INT)"), HasMessage("did you mean CREATE?"));
  EXPECT_THAT(ParseStatement("ALTER TABLE t RENAMED TO u"), HasMessage("did you mean RENAME?"));
}

TEST(ParserErrorTest, SaysHowToUseAReservedWordAsAName) {
  for (const std::string_view word : {"value", "user", "year", "count", "by", "dec", "offset", "timestamp"}) {
    EXPECT_THAT(ParseStatement("SELECT 1 AS " + std::string(word)), HasMessage("`" + std::string(word) + "`")) << word;
  }
  EXPECT_THAT(ParseStatement("CREATE TABLE t (by BYTES)"), HasMessage("as a name it goes in back quotes: `by`"));
  EXPECT_THAT(ParseStatement("SELECT value FROM t"), HasMessage("put it in back quotes: `value`"));
}

TEST(ParserErrorTest, LetsFreeWordsBeNames) {
  for (const std::string_view word :
       {"name", "ts", "type", "state", "key", "first", "last", "week", "map", "options", "metadata", "virtual"}) {
    EXPECT_THAT(ParseStatement("SELECT " + std::string(word) + " AS " + std::string(word) + " FROM t"), IsOk()) << word;
  }
}

TEST(ParserErrorTest, RefusesWhatFlinkRefuses) {
  for (const std::string_view text : {"SELECT TRUE WHERE FALSE",
                                      "SELECT \"Col\" FROM t",
                                      "SELECT 1 +",
                                      "SELECT FROM x",
                                      "SELECT 1 == 1",
                                      "SELECT 1::INT",
                                      "SELECT ROW()",
                                      "SELECT CURRENT_USER()",
                                      "SELECT STRING(1)",
                                      "SELECT WIDTH_BUCKET(5, 0, 10, 5)",
                                      "SELECT CORR(x, x) FROM t",
                                      "SELECT 'a' 'b'",
                                      "SELECT MAP['a']",
                                      "SELECT INTERVAL '1' MONTH TO DAY",
                                      "SELECT U&'\\00'",
                                      "",
                                      ";",
                                      "SELECT 1; SELECT 2",
                                      "CREATE TABLE t (a INT,)",
                                      "INSERT t SELECT 1",
                                      "DROP TEMPORARY DATABASE d",
                                      "SELECT CASE END",
                                      "SELECT a IS 1"}) {
    EXPECT_THAT(ParseStatement(text), IsError(ErrorCode::kInvalidArgument)) << text;
  }
}

TEST(ParserErrorTest, NamesWhatBraidDoesNotDo) {
  EXPECT_THAT(ParseStatement("CREATE MATERIALIZED TABLE t AS SELECT 1"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(ParseStatement("COMPILE PLAN 'x' FOR INSERT INTO t SELECT 1"), IsError(ErrorCode::kUnsupported));
}

TEST(ParserErrorTest, AcceptsDeepNestingUpToTheLimit) {
  const int levels = kMaxNesting - 10;
  EXPECT_THAT(ParseExpression(Repeat("(", levels) + "1" + Repeat(")", levels)), IsOk());
  EXPECT_THAT(ParseExpression(Repeat("(1 + ", levels) + "1" + Repeat(")", levels)), IsOk());
  EXPECT_THAT(ParseTypeName(Repeat("ARRAY<", levels) + "INT" + Repeat(">", levels)), IsOk());
}

TEST(ParserErrorTest, RefusesNestingBeyondTheLimit) {
  const int levels = 20000;
  for (const std::string_view opening : {"(", "ARRAY[", "f(", "- ", "NOT ", "CASE WHEN ", "(SELECT ", "EXISTS (SELECT ",
                                         "a IN (", "((SELECT 1) + ", "CAST(1 AS ARRAY<"}) {
    EXPECT_THAT(ParseExpression(Repeat(opening, levels)), IsError(ErrorCode::kInvalidArgument)) << opening;
  }
  for (const std::string_view opening : {"(", "SELECT * FROM (", "SELECT * FROM (a JOIN ", "WITH a AS ("}) {
    EXPECT_THAT(ParseStatement(Repeat(opening, levels)), IsError(ErrorCode::kInvalidArgument)) << opening;
  }
  EXPECT_THAT(ParseStatement("SELECT * FROM " + Repeat("(", levels)), HasMessage("nested more than 500 levels"));
  EXPECT_THAT(ParseStatement("SELECT 1 FROM t GROUP BY " + Repeat("GROUPING SETS (", levels)),
              HasMessage("nested more than 500"));
}

TEST(ParserErrorTest, BoundsChainsThatMakeTreesHigh) {
  EXPECT_THAT(ParseExpression("1" + Repeat(" + 1", 900)), IsOk());
  for (const std::string_view link : {" + 1", " || 'a'", "[1]", " IS NULL", ".f"}) {
    EXPECT_THAT(ParseExpression("f(x)" + Repeat(link, 20000)), HasMessage("operators on top of each other")) << link;
  }
  EXPECT_THAT(ParseStatement("SELECT 1" + Repeat(" UNION ALL SELECT 1", 20000)),
              HasMessage("operators on top of each other"));
  EXPECT_THAT(ParseStatement("SELECT 1 FROM a" + Repeat(" CROSS JOIN a", 20000)),
              HasMessage("operators on top of each other"));
  EXPECT_THAT(ParseTypeName("INT" + Repeat(" ARRAY", 20000)), HasMessage("operators on top of each other"));
}

TEST(ParserErrorTest, TakesLongFlatTexts) {
  EXPECT_THAT(ParseExpression("a = 1" + Repeat(" OR a = 1", 20000)), IsOk());
  EXPECT_THAT(ParseExpression("a IN (1" + Repeat(", 1", 20000) + ")"), IsOk());
  EXPECT_THAT(ParseStatement("INSERT INTO t VALUES (1, 'a')" + Repeat(", (1, 'a')", 20000)), IsOk());
  EXPECT_THAT(ParseStatement("CREATE TABLE t (a INT ARRAY" + Repeat(", b INT ARRAY", 2000) + ")"), IsOk());
}

}  // namespace
}  // namespace braid::syntax
