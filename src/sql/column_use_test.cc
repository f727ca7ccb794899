#include "sql/column_use.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "sql/query_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LateColumnsOfQueryTest : public testing::Test {
 protected:
  LateColumnsOfQueryTest() {
    const auto columns = [] {
      return std::vector<std::pair<std::string, DataType>>{
          {"k", DataType::Int()}, {"a", DataType::String()}, {"b", DataType::String()}};
    };
    for (const char* table : {"t", "u"}) EXPECT_THAT(names_.AddTable(table, columns()), IsOk());
  }

  /// Columns of texts that the query uses, in the order of its scans.
  std::vector<std::string> Late(const std::string& sql, ValuesWait wait, std::set<std::size_t> looked_at = {}) {
    AnalyzedQuery query = Analyze(sql, names_).value();
    query.looked_at = std::move(looked_at);
    const ColumnSet late = LateColumns(query, wait);
    std::vector<std::string> found;
    const std::function<void(const Operator&)> visit = [&](const Operator& node) {
      if (const auto* scan = std::get_if<op::Scan>(&node.node)) {
        for (const OutputColumn& column : node.columns) {
          const std::string name = scan->table.identifier.table + "." + column.name;
          const bool matters = column.name != "k" && UsedColumns(*query.root).contains(column.id);
          if (matters && late.contains(column.id)) found.push_back(name);
        }
      }
      for (const OperatorPtr& input : InputsOf(node)) visit(*input);
    };
    visit(*query.root);
    return found;
  }
  std::vector<std::string> LateInOperators(const std::string& sql, std::set<std::size_t> looked_at = {}) {
    return Late(sql, ValuesWait::kInOperators, std::move(looked_at));
  }
  std::vector<std::string> LateInTables(const std::string& sql, std::set<std::size_t> looked_at = {}) {
    return Late(sql, ValuesWait::kInTables, std::move(looked_at));
  }

  TestNames names_;
};

TEST_F(LateColumnsOfQueryTest, RowsThatFlowThroughNeedNoReferences) {
  EXPECT_THAT(LateInOperators("SELECT k, a FROM t WHERE k > 1"), IsEmpty());
  EXPECT_THAT(LateInOperators("SELECT t.k, t.a, u.a FROM t JOIN u ON t.k = u.k"), IsEmpty());
  EXPECT_THAT(LateInOperators("SELECT k, a FROM t ORDER BY k LIMIT 3"), IsEmpty()) << "most rows are dropped at once";
}

TEST_F(LateColumnsOfQueryTest, ASortHoldsReferencesToWhatItDoesNotLookAt) {
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t ORDER BY k"), ElementsAre("t.a", "t.b"));
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t ORDER BY a"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t ORDER BY UPPER(a), k"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t ORDER BY k", {1}), ElementsAre("t.a"));
}

TEST_F(LateColumnsOfQueryTest, AWindowHoldsReferencesToWhatItDoesNotLookAt) {
  EXPECT_THAT(LateInOperators("SELECT a, b, ROW_NUMBER() OVER (PARTITION BY a ORDER BY k) FROM t"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT b, LAG(a) OVER (ORDER BY k) FROM t"), ElementsAre("t.b"));
}

TEST_F(LateColumnsOfQueryTest, ConditionsAndExpressionsLookAtValuesWhereverTheyStand) {
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t WHERE a <> 'x' ORDER BY k"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT a || 'x', b FROM t ORDER BY k"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT CAST(a AS VARCHAR(2)), b FROM t ORDER BY k"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT t.a, u.b FROM t JOIN u ON t.a = u.a ORDER BY t.k"), ElementsAre("u.b"));
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.a = t.a) ORDER BY k"),
              ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT a, b FROM t WHERE a IN (SELECT a FROM u) ORDER BY k"), ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT (SELECT MAX(u.a) FROM u WHERE u.k = t.k), b FROM t ORDER BY k"),
              ElementsAre("t.b"));
}

TEST_F(LateColumnsOfQueryTest, InnerQueriesHandOnWhatTheOuterDoes) {
  EXPECT_THAT(LateInOperators("SELECT y FROM (SELECT a AS x, b AS y FROM t) WHERE x <> '' ORDER BY x"),
              ElementsAre("t.b"));
  EXPECT_THAT(LateInOperators("SELECT x, y FROM (SELECT a AS x, b AS y, k FROM t ORDER BY k)"),
              ElementsAre("t.a", "t.b"));
  EXPECT_THAT(LateInOperators("SELECT UPPER(x), y FROM (SELECT a AS x, b AS y, k FROM t ORDER BY k)"),
              ElementsAre("t.b"));
}

TEST_F(LateColumnsOfQueryTest, UnionsHandOnByPositionAndOtherSetsCompare) {
  EXPECT_THAT(LateInOperators("SELECT * FROM (SELECT k, a FROM t UNION ALL SELECT k, b FROM u) ORDER BY k"),
              ElementsAre("t.a", "u.b"));
  EXPECT_THAT(LateInOperators("SELECT * FROM (SELECT k, a FROM t UNION SELECT k, b FROM u) ORDER BY k"), IsEmpty());
  EXPECT_THAT(LateInOperators("SELECT * FROM (SELECT DISTINCT k, a FROM t) ORDER BY k"), IsEmpty());
  EXPECT_THAT(LateInOperators("SELECT * FROM (SELECT a, MAX(b) AS b FROM t GROUP BY a) ORDER BY 1 + 1"), IsEmpty());
}

TEST_F(LateColumnsOfQueryTest, AColumnThatIsUsedTwiceIsLateOnlyIfNobodyLooks) {
  EXPECT_THAT(LateInOperators("SELECT a AS x, a AS y FROM t ORDER BY k"), ElementsAre("t.a"));
  EXPECT_THAT(LateInOperators("SELECT a AS x, CHAR_LENGTH(a) AS y FROM t ORDER BY k"), IsEmpty());
}

TEST_F(LateColumnsOfQueryTest, AJobKeepsReferencesOutOfItsState) {
  EXPECT_THAT(LateInTables("SELECT k, a, b FROM t WHERE b <> ''"), ElementsAre("t.a"));
  EXPECT_THAT(LateInTables("SELECT k, a FROM t UNION ALL SELECT k, a FROM u"), ElementsAre("t.a", "u.a"));
  EXPECT_THAT(LateInTables("SELECT k, a FROM t", {1}), IsEmpty());
  EXPECT_THAT(LateInTables("SELECT t.a, u.a FROM t JOIN u ON t.k = u.k"), IsEmpty());
  EXPECT_THAT(LateInTables("SELECT k, MAX(a) FROM t GROUP BY k"), IsEmpty());
  EXPECT_THAT(LateInTables("SELECT DISTINCT a FROM t"), IsEmpty());
  EXPECT_THAT(LateInTables("SELECT a FROM t WHERE k IN (SELECT k FROM u)"), IsEmpty());
  EXPECT_THAT(LateInTables("SELECT a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY b) AS r FROM t) "
                           "WHERE r = 1"),
              IsEmpty());
}

}  // namespace
}  // namespace braid
