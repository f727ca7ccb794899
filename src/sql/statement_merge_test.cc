// MERGE INTO. Expectations by hand or from a model of the rows.

#include <cstdlib>
#include <map>
#include <random>

#include <fmt/format.h>

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Kind {
  const char* key;
  const char* options;
};
const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {{"", ""},
                                          {"", " WITH ('deletion-vectors.enabled' = 'true')"},
                                          {" PRIMARY KEY NOT ENFORCED", " WITH ('bucket' = '2')"}};
  return kinds;
}

class StatementMergeTest : public SessionTest {
 protected:
  void Make(const Kind& kind, const std::string& rows, const std::string& source) {
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    ASSERT_THAT(Run("DROP TABLE IF EXISTS s"), IsOk());
    ASSERT_THAT(
        Run(fmt::format("CREATE TABLE t (k INT{}, v INT, name STRING DEFAULT 'new'){}", kind.key, kind.options)),
        IsOk());
    ASSERT_THAT(Run("CREATE TABLE s (k INT, v INT, name STRING)"), IsOk());
    ASSERT_THAT(Run("INSERT INTO t VALUES " + rows), IsOk());
    ASSERT_THAT(Run("INSERT INTO s VALUES " + source), IsOk());
  }
  Result<std::vector<std::string>> Rows() { return Run("SELECT * FROM t ORDER BY 1, 2"); }
};

TEST_F(StatementMergeTest, UpdatesDeletesAndInserts) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.options);
    Make(kind, "(1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd')",
         "(2, 200, 'B'), (3, -1, 'C'), (5, 500, 'E'), (6, -1, 'F')");
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.v < 0 THEN DELETE WHEN MATCHED THEN UPDATE "
                    "SET v = t.v + s.v, name = s.name "
                    "WHEN NOT MATCHED AND s.v > 0 THEN INSERT (k, v) VALUES (s.k, s.v)"),
                IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|a", "2|220|B", "4|40|d", "5|500|new")));
    EXPECT_THAT(Run("SELECT COUNT(*) FROM t$snapshots"), HasValue(ElementsAre("2"))) << "one snapshot for all";
    ASSERT_THAT(Run("MERGE INTO t AS a USING (SELECT k, v FROM s WHERE k IN (2, 5)) AS b ON a.k = b.k "
                    "WHEN NOT MATCHED BY SOURCE AND a.k = 1 THEN UPDATE SET name = 'alone' WHEN NOT MATCHED BY SOURCE "
                    "THEN DELETE"),
                IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|alone", "2|220|B", "5|500|new")));
    ASSERT_THAT(
        Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY TARGET THEN INSERT * "
            "WHEN NOT MATCHED BY SOURCE THEN DELETE"),
        IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("2|200|B", "3|-1|C", "5|500|E", "6|-1|F")));
  }
}

// While rows wait for their matches to be counted, references stand for long values that no clause looks at.
TEST_F(StatementMergeTest, LongValuesComeWhereTheyBelong) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.options);
    Make(kind, "(0, 0, '')", "(0, 0, '')");
    for (const char* fill : {"INSERT INTO t SELECT k, k * 10, REPEAT(CHR(96 + k), 2000000) FROM (VALUES (1), (2), (3)) AS v(k)",
                             "INSERT INTO s SELECT k, k * 100, REPEAT(CHR(64 + k), 2000000) FROM (VALUES (2), (3), (4)) AS v(k)"})
      ASSERT_THAT(Run(fill), IsOk());
    const std::string shown = "SELECT k, v, CHAR_LENGTH(name), LEFT(name, 1), RIGHT(name, 1) FROM t WHERE k > 0 ORDER BY k";
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.k = 2 THEN UPDATE SET v = s.v WHEN MATCHED THEN "
                    "UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (k, v, name) VALUES (s.k, s.v, s.name)"),
                IsOk());
    EXPECT_THAT(Run(shown), HasValue(ElementsAre("1|10|2000000|a|a", "2|200|2000000|b|b", "3|30|2000000|C|C",
                                                 "4|400|2000000|D|D")));
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.k = 2 THEN UPDATE SET name = LOWER(s.name) WHEN "
                    "MATCHED THEN UPDATE SET name = s.name"),
                IsOk());
    EXPECT_THAT(Run(shown), HasValue(ElementsAre("1|10|2000000|a|a", "2|200|2000000|b|b", "3|30|2000000|C|C",
                                                 "4|400|2000000|D|D")));
  }
}

TEST_F(StatementMergeTest, InsertsAlone) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.options);
    Make(kind, "(1, 10, 'a')", "(1, 11, 'x'), (2, 22, 'y'), (2, 23, 'z')");
    ASSERT_THAT(Run("MERGE INTO t USING (SELECT k, MAX(v) AS v FROM s GROUP BY k) AS s ON t.k = s.k WHEN NOT MATCHED "
                    "THEN INSERT VALUES (s.k, s.v, 'n')"),
                IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|a", "2|23|n")));
    EXPECT_THAT(Run("SELECT commit_kind FROM t$snapshots ORDER BY snapshot_id"),
                HasValue(ElementsAre("APPEND", "APPEND")));
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT *"), IsOk());
    EXPECT_THAT(Run("SELECT COUNT(*) FROM t$snapshots"), HasValue(ElementsAre("2"))) << "nothing to do, no snapshot";
  }
}

TEST_F(StatementMergeTest, RefusesSeveralMatchesOfARowThatIsUpdated) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.options);
    Make(kind, "(1, 10, 'a'), (2, 20, 'b')", "(1, 11, 'x'), (1, 12, 'y'), (3, 30, 'z'), (3, 31, 'w')");
    const auto merged = Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v");
    EXPECT_THAT(merged, HasMessage("2 rows of the source match one row of c.default.t"));
    if (*kind.key != 0) {
      EXPECT_THAT(merged, HasMessage("(k = 1)"));
    }
    EXPECT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.v = 11 THEN DELETE WHEN MATCHED THEN UPDATE "
                    "SET v = s.v"),
                HasMessage("2 rows of the source match one row"));
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND s.v = 12 THEN UPDATE SET v = s.v"), IsOk())
        << "only one applies";
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|12|a", "2|20|b")));
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN DELETE"), IsOk()) << "it goes either way";
    EXPECT_THAT(Rows(), HasValue(ElementsAre("2|20|b")));
  }
}

TEST_F(StatementMergeTest, JoinsByAnyCondition) {
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.options);
    Make(kind, "(1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')", "(9, 15, 'x'), (8, 35, 'y')");
    ASSERT_THAT(Run("MERGE INTO t USING s ON t.v < s.v AND s.v < t.v + 10 WHEN MATCHED THEN UPDATE SET name = s.name, "
                    "v = (SELECT MAX(v) FROM s) "
                    "WHEN NOT MATCHED BY SOURCE THEN DELETE"),
                IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|35|x", "3|35|y")));
  }
}

TEST_F(StatementMergeTest, RefusesWithThePlace) {
  Make(Kinds()[2], "(1, 10, 'a')", "(1, 11, 'x')");
  struct Case {
    const char* statement;
    const char* message;
  };
  for (const Case& c :
       {Case{"MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET k = 2",
             "column 'k' is part of the primary key"},
        Case{"MERGE INTO t USING s ON t.v = s.v WHEN MATCHED THEN UPDATE SET *", "UPDATE SET * would set 'k'"},
        Case{"MERGE INTO t USING (SELECT k FROM s) AS s ON t.k = s.k WHEN NOT MATCHED THEN INSERT *",
             "which has no 'v'"},
        Case{"MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, v) VALUES (s.k)",
             "INSERT gives 1 values to 2 columns, at line 1, column 79"},
        Case{"MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k, k) VALUES (s.k, 1)",
             "column 'k' is given twice"},
        Case{"MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k) VALUES ('x')",
             "column 'k' is INT and cannot take CHAR(1)"},
        Case{"MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT (k) VALUES (t.k)", "Table 't' not found"},
        Case{"MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = s.v",
             "Table 's' not found"},
        Case{"MERGE INTO t USING s ON t.k = s.k WHEN MATCHED AND k > 0 THEN DELETE", "Column 'k' is ambiguous"},
        Case{"MERGE INTO t USING nope ON t.k = 1 WHEN MATCHED THEN DELETE", "at line 1, column 20"}}) {
    SCOPED_TRACE(c.statement);
    EXPECT_THAT(Run(c.statement), HasMessage(c.message));
  }
  ASSERT_THAT(Run("CREATE TABLE f (k INT PRIMARY KEY NOT ENFORCED, v INT) WITH ('bucket' = '1', 'merge-engine' = "
                  "'aggregation', 'fields.v.aggregate-function' = 'sum')"),
              IsOk());
  EXPECT_THAT(Run("MERGE INTO f USING s ON f.k = s.k WHEN MATCHED THEN DELETE"),
              HasMessage("aggregation.remove-record-on-delete"));
  EXPECT_THAT(Run("MERGE INTO f USING s ON f.k = s.k WHEN MATCHED THEN UPDATE SET v = 1"),
              HasMessage("its merge engine is aggregation"));
  EXPECT_THAT(Run("MERGE INTO f USING s ON f.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.v)"), IsOk());
  EXPECT_THAT(Run("SELECT * FROM f"), HasValue(ElementsAre("1|11")));
}

TEST_F(StatementMergeTest, WorksOnBranchesAndExplains) {
  Make(Kinds()[0], "(1, 10, 'a')", "(1, 11, 'x')");
  ASSERT_THAT(Run("CALL sys.create_tag('default.t', 'now')"), IsOk());
  ASSERT_THAT(Run("CALL sys.create_branch('default.t', 'b', 'now')"), IsOk());
  const std::string merge = "MERGE INTO `t$branch_b` AS t USING s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *";
  EXPECT_THAT(Run("EXPLAIN " + merge),
              HasValue(ElementsAre(HasSubstr("MERGE(table=[c.default.t$branch_b], by=[files written anew])"))));
  ASSERT_THAT(Run(merge), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|a")));
  EXPECT_THAT(Run("SELECT * FROM `t$branch_b`"), HasValue(ElementsAre("1|11|x")));
}

// Random merges, beside a model of the rows.
TEST_F(StatementMergeTest, AgreesWithAModel) {
  const char* given = std::getenv("BRAID_TEST_SEED");
  const unsigned seed =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (const Kind& kind : Kinds()) {
    SCOPED_TRACE(kind.options);
    Make(kind, "(0, 0, 'x')", "(0, 0, 'x')");
    std::map<int, int> model = {{0, 0}};
    for (int step = 0; step < 20; ++step) {
      std::map<int, int> source;
      std::string values;
      for (int i = 1 + below(10); i > 0; --i) source[below(20)] = below(100);
      for (const auto& [k, v] : source) values += fmt::format("{}({}, {})", values.empty() ? "" : ", ", k, v);
      const int gone = below(100);
      const int changed = below(100);
      const int added = below(100);
      const int left = below(100);
      std::string statement = fmt::format("MERGE INTO t USING (VALUES {}) AS s (k, v) ON s.k = t.k", values);
      statement +=
          fmt::format(" WHEN MATCHED AND s.v < {} THEN DELETE WHEN MATCHED AND s.v < {} THEN UPDATE SET v = t.v + s.v",
                      gone, changed);
      statement += fmt::format(" WHEN NOT MATCHED AND s.v < {} THEN INSERT (v, k) VALUES (s.v, s.k)", added);
      const bool by_source = below(2) == 0;
      if (by_source)
        statement += fmt::format(
            " WHEN NOT MATCHED BY SOURCE AND t.v < {} THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = v - 1",
            left);
      std::map<int, int> next = model;
      for (const auto& [k, v] : source) {
        const auto old = model.find(k);
        if (old == model.end()) {
          if (v < added) next[k] = v;
        } else if (v < gone) {
          next.erase(k);
        } else if (v < changed) {
          next[k] = old->second + v;
        }
      }
      for (const auto& [k, v] : model) {
        if (!by_source || source.contains(k)) continue;
        if (v < left) {
          next.erase(k);
        } else {
          next[k] = v - 1;
        }
      }
      model = next;
      SCOPED_TRACE(statement);
      ASSERT_THAT(Run(statement), IsOk());
      std::vector<std::string> expected;
      for (const auto& [k, v] : model) expected.push_back(fmt::format("{}|{}", k, v));
      ASSERT_THAT(Run("SELECT k, v FROM t"), HasValue(testing::UnorderedElementsAreArray(expected)));
    }
  }
}

}  // namespace
}  // namespace braid
