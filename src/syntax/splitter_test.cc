#include "syntax/splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid::syntax {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SplitterTest, CutsAtSemicolonsAndCountsLines) {
  EXPECT_THAT(SplitStatements("SELECT 1;\n\n-- note\nSELECT\n 2 ; SELECT 3"),
              ElementsAre(StatementText{"SELECT 1", 1}, StatementText{"SELECT\n 2", 4}, StatementText{"SELECT 3", 5}));
}

TEST(SplitterTest, DoesNotCutInsideTextsNamesCommentsAndHints) {
  EXPECT_THAT(SplitStatements("SELECT ';', 'it''s;', `a;b` /* ; */ FROM t /*+ OPTIONS('a'=';') */ -- ;\nWHERE x;"),
              ElementsAre(StatementText{
                  "SELECT ';', 'it''s;', `a;b` /* ; */ FROM t /*+ OPTIONS('a'=';') */ -- ;\nWHERE x", 1}));
}

TEST(SplitterTest, IgnoresEmptyStatementsAndLoneComments) {
  EXPECT_THAT(SplitStatements(" ;; -- a\n; /* b ; */ ;\n"), IsEmpty());
}

TEST(SplitterTest, TakesMinusAndSlashForOperators) {
  EXPECT_THAT(SplitStatements("SELECT 1-2/3*4;SELECT 5 -6"),
              ElementsAre(StatementText{"SELECT 1-2/3*4", 1}, StatementText{"SELECT 5 -6", 1}));
}

TEST(SplitterTest, KeepsStatementSetsTogether) {
  const std::string set =
      "EXECUTE STATEMENT SET BEGIN\nINSERT INTO a SELECT CASE WHEN x THEN 1 END FROM t;\nINSERT INTO b SELECT 2;\nEND";
  EXPECT_THAT(SplitStatements(set + ";\nSELECT 1;"), ElementsAre(StatementText{set, 1}, StatementText{"SELECT 1", 5}));
  EXPECT_THAT(SplitStatements("explain statement set begin insert into a select 1; end; SELECT 1"),
              ElementsAre(StatementText{"explain statement set begin insert into a select 1; end", 1},
                          StatementText{"SELECT 1", 1}));
}

TEST(SplitterTest, CutsBeginStatementSetAsTheClientDoes) {
  EXPECT_THAT(SplitStatements("BEGIN STATEMENT SET;\nINSERT INTO a SELECT 1;\nEND;"),
              ElementsAre(StatementText{"BEGIN STATEMENT SET", 1}, StatementText{"INSERT INTO a SELECT 1", 2},
                          StatementText{"END", 3}));
}

TEST(SplitterTest, GivesTheSameWhateverThePieces) {
  const std::string script =
      "SELECT 'a;b' -- c;\n, `x``;y` /* ; * / **/ FROM t /*+ H('*/;') */;EXECUTE STATEMENT SET BEGIN INSERT INTO t "
      "SELECT 1; END; x";
  const std::vector<StatementText> whole = SplitStatements(script);
  ASSERT_EQ(whole.size(), 3U);
  for (std::size_t size = 1; size < script.size(); ++size) {
    StatementSplitter splitter;
    std::vector<StatementText> statements;
    for (std::size_t at = 0; at < script.size(); at += size) {
      for (StatementText& statement : splitter.Feed(std::string_view(script).substr(at, size)))
        statements.push_back(std::move(statement));
    }
    if (std::optional<StatementText> rest = splitter.Finish()) statements.push_back(*std::move(rest));
    EXPECT_EQ(statements, whole) << "pieces of " << size;
  }
}

TEST(SplitterTest, KnowsWhetherAStatementIsOpen) {
  StatementSplitter splitter;
  EXPECT_THAT(splitter.Feed("-- only a note\n  "), IsEmpty());
  EXPECT_FALSE(splitter.IsInsideStatement());
  EXPECT_THAT(splitter.Feed("SELECT '"), IsEmpty());
  EXPECT_TRUE(splitter.IsInsideStatement());
  EXPECT_THAT(splitter.Feed("';"), ElementsAre(StatementText{"SELECT ''", 2}));
  EXPECT_FALSE(splitter.IsInsideStatement());
}

TEST(SplitterTest, ReturnsAnUnfinishedTextForTheParserToRefuse) {
  EXPECT_THAT(SplitStatements("SELECT 'open;\n"), ElementsAre(StatementText{"SELECT 'open;\n", 1}));
}

}  // namespace
}  // namespace braid::syntax
