// DELETE and UPDATE. Expectations by hand, from what Java Paimon's Flink sink refuses, or from a model.

#include <cstdlib>
#include <map>
#include <random>

#include <fmt/format.h>

#include "sql/session_testing.h"

namespace braid {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RowChangeTest : public SessionTest {
 protected:
  /// Kinds of the table's snapshots, oldest first.
  Result<std::vector<std::string>> Kinds(const std::string& table) {
    return Run(fmt::format("SELECT commit_kind FROM `{}$snapshots` ORDER BY snapshot_id", table));
  }
  void Make(const std::string& definition, const std::string& rows) {
    ASSERT_THAT(Run("CREATE TABLE " + definition), IsOk());
    ASSERT_THAT(Run("INSERT INTO t VALUES " + rows), IsOk());
  }
  Result<std::vector<std::string>> Rows(const std::string& table = "t") {
    return Run(fmt::format("SELECT * FROM `{}` ORDER BY 1, 2", table));
  }
};

TEST_F(RowChangeTest, DeletesAndUpdatesRowsOfKeyTables) {
  Make("t (k INT PRIMARY KEY NOT ENFORCED, v INT, s STRING) WITH ('bucket' = '1')",
       "(1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd')");
  ASSERT_THAT(Run("DELETE FROM t WHERE v > 30 OR s = 'a'"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("2|20|b", "3|30|c")));
  ASSERT_THAT(Run("UPDATE t SET v = v + k, s = UPPER(s) WHERE k = 2"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("2|22|B", "3|30|c")));
  ASSERT_THAT(Run("UPDATE t AS x SET v = CAST(NULL AS INT), s = x.s || '!'"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("2|<NULL>|B!", "3|<NULL>|c!")));
  EXPECT_THAT(Kinds("t"), HasValue(ElementsAre("APPEND", "APPEND", "APPEND", "APPEND")));
  EXPECT_THAT(Run("SELECT rowkind, k, s FROM `t$audit_log` ORDER BY k"),
              HasValue(ElementsAre("-D|1|a", "+U|2|B!", "+U|3|c!", "-D|4|d")));
  ASSERT_THAT(Run("DELETE FROM t WHERE k = 99"), IsOk());
  EXPECT_THAT(Kinds("t"), HasValue(testing::SizeIs(4))) << "nothing to delete, no snapshot";
}

// Fixture 14 of Flink 2.2.1 with Paimon 1.4.2.
TEST_F(RowChangeTest, LeavesTheRowsThatFlinkLeaves) {
  Make(
      "t (k INT, dt STRING, v DECIMAL(10, 2), PRIMARY KEY (k, dt) NOT ENFORCED) PARTITIONED BY (dt) WITH ('bucket' = "
      "'1')",
      "(1, 'd1', 1.56), (2, 'd2', CAST(NULL AS DECIMAL(10, 2))), (3, 'd2', CAST(NULL AS DECIMAL(10, 2))), (4, 'd3', "
      "9)");
  ASSERT_THAT(Run("UPDATE t SET v = v + 1 WHERE k = 1"), IsOk());
  ASSERT_THAT(Run("DELETE FROM t WHERE k = 2"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|d1|2.56", "3|d2|<NULL>", "4|d3|9.00")));
}

TEST_F(RowChangeTest, LetsConditionsAndValuesReadOtherTables) {
  Make("t (k INT PRIMARY KEY NOT ENFORCED, v INT) WITH ('bucket' = '1')", "(1, 10), (2, 20), (3, 30)");
  ASSERT_THAT(Run("CREATE TABLE o (k INT, w INT)"), IsOk());
  ASSERT_THAT(Run("INSERT INTO o VALUES (1, 7), (3, 9), (3, 8)"), IsOk());
  ASSERT_THAT(
      Run("UPDATE t SET v = (SELECT MAX(w) FROM o WHERE o.k = t.k) WHERE EXISTS (SELECT 1 FROM o WHERE o.k = t.k)"),
      IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|7", "2|20", "3|9")));
  ASSERT_THAT(Run("DELETE FROM o WHERE w < (SELECT MAX(w) FROM o) AND k IN (SELECT k FROM t WHERE v < 10)"), IsOk());
  EXPECT_THAT(Rows("o"), HasValue(ElementsAre("3|9")));
  ASSERT_THAT(Run("DELETE FROM t WHERE k NOT IN (SELECT k FROM o)"), IsOk());
  EXPECT_THAT(Rows(), HasValue(ElementsAre("3|9")));
}

TEST_F(RowChangeTest, ChangesAppendTablesByVectorsOrByWritingFilesAnew) {
  for (const char* options : {"'deletion-vectors.enabled' = 'true'", "'file.format' = 'orc'", "'file.format' = 'avro'",
                              "'bucket' = '2', 'bucket-key' = 'k'",
                              "'bucket' = '2', 'bucket-key' = 'k', 'deletion-vectors.enabled' = 'true'"}) {
    SCOPED_TRACE(options);
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT, v INT, s STRING) WITH ({})", options),
         "(1, 10, 'a'), (2, 20, 'b'), (2, 20, 'b'), (3, 30, 'c')");
    ASSERT_THAT(Run("INSERT INTO t VALUES (4, 40, CAST(NULL AS STRING))"), IsOk());
    ASSERT_THAT(Run("DELETE FROM t WHERE k = 1 OR s IS NULL"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("2|20|b", "2|20|b", "3|30|c")));
    ASSERT_THAT(Run("UPDATE t SET v = v + 1, k = k + 10 WHERE s = 'b'"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("3|30|c", "12|21|b", "12|21|b")));
    ASSERT_THAT(Run("UPDATE t SET s = 'z' WHERE k > 10"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("3|30|c", "12|21|z", "12|21|z")));
    EXPECT_THAT(Kinds("t"), HasValue(ElementsAre("APPEND", "APPEND", "OVERWRITE", "OVERWRITE", "OVERWRITE")));
    ASSERT_THAT(Run("DELETE FROM t WHERE k < 3"), IsOk());
    EXPECT_THAT(Kinds("t"), HasValue(testing::SizeIs(5))) << "nothing to delete, no snapshot";
    EXPECT_THAT(Run("SELECT * FROM t /*+ OPTIONS('scan.snapshot-id' = '2') */ ORDER BY k"),
                HasValue(testing::SizeIs(5)));
  }
}

TEST_F(RowChangeTest, DropsPartitionsThatTheConditionNamesAlone) {
  for (const char* key : {"", ", PRIMARY KEY (k, dt, h) NOT ENFORCED"}) {
    SCOPED_TRACE(key);
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT, dt STRING, h INT{}) PARTITIONED BY (dt, h) WITH ({})", key,
                     *key == 0 ? "'bucket' = '-1'" : "'bucket' = '1'"),
         "(1, 'd1', 0), (2, 'd1', 1), (3, 'd2', 0), (4, 'd3', 7)");
    const std::string files = "SELECT COUNT(*) FROM `t$files`";
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, Run(files));
    EXPECT_THAT(before, ElementsAre("4"));
    ASSERT_THAT(Run("DELETE FROM t WHERE dt = 'd1' AND h >= 1 OR dt LIKE '%2'"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|d1|0", "4|d3|7")));
    EXPECT_THAT(Run(files), HasValue(ElementsAre("2")));
    EXPECT_THAT(Kinds("t"), HasValue(ElementsAre("APPEND", "OVERWRITE"))) << "two partitions go in one snapshot";
    ASSERT_THAT(Run("DELETE FROM t WHERE dt = 'nowhere'"), IsOk());
    EXPECT_THAT(Kinds("t"), HasValue(testing::SizeIs(2)));
    ASSERT_THAT(Run("DELETE FROM t WHERE dt = 'd1' AND k = 1"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("4|d3|7")));
    ASSERT_THAT(Run("DELETE FROM t"), IsOk());
    EXPECT_THAT(Rows(), HasValue(IsEmpty()));
    EXPECT_THAT(Run(files), HasValue(ElementsAre("0")));
  }
}

TEST_F(RowChangeTest, MovesRowsBetweenPartitionsWhereTheKeyLetsIt) {
  for (const char* key : {"", ", PRIMARY KEY (k) NOT ENFORCED"}) {
    SCOPED_TRACE(key);
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT, p INT, v INT{}) PARTITIONED BY (p)", key), "(1, 1, 10), (2, 1, 20), (3, 2, 30)");
    ASSERT_THAT(Run("UPDATE t SET p = p + 1 WHERE k < 3"), IsOk());
    ASSERT_THAT(Run("DELETE FROM t WHERE k = 2"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|2|10", "3|2|30")));
    EXPECT_THAT(Run("SELECT COUNT(*) FROM t WHERE p = 1"), HasValue(ElementsAre("0")));
  }
}

TEST_F(RowChangeTest, WritesRowsForTheChangelogIfAskedTo) {
  Make(
      "t (k INT, dt STRING, PRIMARY KEY (k, dt) NOT ENFORCED) PARTITIONED BY (dt) WITH ('bucket' = '1', "
      "'changelog-producer' = 'input', "
      "'delete.force-produce-changelog' = 'true')",
      "(1, 'd1'), (2, 'd2')");
  ASSERT_THAT(Run("DELETE FROM t WHERE dt = 'd1'"), IsOk());
  ASSERT_THAT(Run("DELETE FROM t"), IsOk());
  EXPECT_THAT(Rows(), HasValue(IsEmpty()));
  EXPECT_THAT(Kinds("t"), HasValue(ElementsAre("APPEND", "APPEND", "APPEND")));
}

TEST_F(RowChangeTest, FollowsTheMergeEngine) {
  struct Case {
    const char* options;
    const char* refused_delete;  // null: works
    const char* refused_update;
  };
  for (const Case& c :
       {Case{"'merge-engine' = 'deduplicate'", nullptr, nullptr},
        Case{"'merge-engine' = 'first-row'", "its merge engine is first-row, which keeps the first row of a key",
             "its merge engine is first-row"},
        Case{"'merge-engine' = 'partial-update'", "set its option 'partial-update.remove-record-on-delete' to 'true'",
             nullptr},
        Case{"'merge-engine' = 'partial-update', 'partial-update.remove-record-on-delete' = 'true'", nullptr, nullptr},
        Case{"'merge-engine' = 'partial-update', 'fields.v.sequence-group' = 's', "
             "'partial-update.remove-record-on-sequence-group' = 'v'",
             nullptr, nullptr},
        Case{"'merge-engine' = 'aggregation', 'fields.v.aggregate-function' = 'sum'",
             "set its option 'aggregation.remove-record-on-delete' to 'true'", "its merge engine is aggregation"},
        Case{"'merge-engine' = 'aggregation', 'aggregation.remove-record-on-delete' = 'true'", nullptr,
             "its merge engine is aggregation"},
        Case{"'rowkind.field' = 's'", "its column 's' says what kind a written row is", nullptr}}) {
    SCOPED_TRACE(c.options);
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT PRIMARY KEY NOT ENFORCED, v INT, s STRING) WITH ('bucket' = '1', {})", c.options),
         "(1, 10, '+I'), (2, 20, '+I')");
    const auto updated = Run("UPDATE t SET v = 21 WHERE k = 2");
    if (c.refused_update == nullptr) {
      EXPECT_THAT(updated, IsOk());
      EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10|+I", "2|21|+I")));
    } else {
      EXPECT_THAT(updated, HasMessage(c.refused_update));
    }
    const auto deleted = Run("DELETE FROM t WHERE k = 1");
    if (c.refused_delete == nullptr) {
      EXPECT_THAT(deleted, IsOk());
      EXPECT_THAT(Run("SELECT k FROM t"), HasValue(ElementsAre("2")));
    } else {
      EXPECT_THAT(deleted, HasMessage(c.refused_delete));
      EXPECT_THAT(Run("DELETE FROM t"), HasMessage(c.refused_delete)) << "as Java's sink, also whole tables";
    }
  }
}

TEST_F(RowChangeTest, SaysThatDeletionsAreIgnored) {
  Make("t (k INT PRIMARY KEY NOT ENFORCED, v INT) WITH ('bucket' = '1', 'ignore-delete' = 'true')", "(1, 10)");
  ASSERT_THAT(Run("DELETE FROM t WHERE k = 1"), IsOk());
  EXPECT_THAT(notices(), ElementsAre(HasSubstr("c.default.t ignores deletions")));
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10")));
}

TEST_F(RowChangeTest, RefusesWithThePlace) {
  Make("t (k INT PRIMARY KEY NOT ENFORCED, v INT, r ROW<a INT>, c AS v + 1) WITH ('bucket' = '1')", "(1, 10, ROW(1))");
  ASSERT_THAT(Run("CREATE TEMPORARY VIEW w AS SELECT * FROM t"), IsOk());
  struct Case {
    const char* statement;
    const char* message;
  };
  for (const Case& c :
       {Case{"UPDATE t SET k = 2",
             "column 'k' is part of the primary key of c.default.t and cannot be set, at line 1, column 14"},
        Case{"UPDATE t SET v = 'x'", "column 'v' is INT and cannot take CHAR(1), at line 1, column 18"},
        Case{"UPDATE t SET v = 1, v = 2", "column 'v' is given twice, at line 1, column 21"},
        Case{"UPDATE t SET r.a = 1", "a field of the row 'r' cannot be given alone"},
        Case{"UPDATE t SET c = 1", "column 'c' is computed and cannot be given"},
        Case{"UPDATE t SET vv = 1", "did you mean 'v'?"}, Case{"UPDATE t SET v = w", "Column 'w' not found"},
        Case{"DELETE FROM t WHERE v", "at line 1, column 21"},
        Case{"DELETE FROM t WHERE COUNT(*) > 1", "at line 1, column 21"},
        Case{"DELETE FROM tt", "at line 1, column 13"}, Case{"DELETE FROM w", "c.default.w is a view"},
        Case{"DELETE FROM `t$snapshots`", "snapshots"},
        Case{"DELETE FROM t /*+ OPTIONS('scan.snapshot-id' = '1') */ WHERE k = 1",
             "DELETE changes rows of the newest snapshot"}}) {
    SCOPED_TRACE(c.statement);
    EXPECT_THAT(Run(c.statement), HasMessage(c.message));
  }
  ASSERT_THAT(Run("SET 'execution.runtime-mode' = 'streaming'"), IsOk());
  EXPECT_THAT(Run("DELETE FROM t"), HasMessage("DELETE has no meaning in streaming mode"));
}

TEST_F(RowChangeTest, SeesComputedColumns) {
  for (const char* key : {"", ", PRIMARY KEY (k) NOT ENFORCED"}) {
    SCOPED_TRACE(key);
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT, twice AS k * 2, v INT{}) WITH ({})", key,
                     *key == 0 ? "'bucket' = '-1'" : "'bucket' = '1'"),
         "(1, 10), (2, 20), (3, 30)");
    ASSERT_THAT(Run("DELETE FROM t WHERE twice = 4"), IsOk());
    ASSERT_THAT(Run("UPDATE t SET v = twice WHERE twice > 4 AND k IN (SELECT twice / 2 FROM t)"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|2|10", "3|6|6")));
  }
}

TEST_F(RowChangeTest, WorksOnBranches) {
  for (const char* key : {"", " PRIMARY KEY NOT ENFORCED"}) {
    SCOPED_TRACE(key);
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT{}, v INT) WITH ({})", key, *key == 0 ? "'bucket' = '-1'" : "'bucket' = '1'"),
         "(1, 10), (2, 20)");
    ASSERT_THAT(Run("CALL sys.create_tag('default.t', 'now')"), IsOk());
    ASSERT_THAT(Run("CALL sys.create_branch('default.t', 'b', 'now')"), IsOk());
    ASSERT_THAT(Run("DELETE FROM `t$branch_b` WHERE k = 1"), IsOk());
    ASSERT_THAT(Run("UPDATE `t$branch_b` SET v = 21"), IsOk());
    EXPECT_THAT(Rows("t$branch_b"), HasValue(ElementsAre("2|21")));
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10", "2|20")));
    ASSERT_THAT(Run("SET 'braid.branch' = 'b'"), IsOk());
    ASSERT_THAT(Run("UPDATE t SET v = t.v + 1 WHERE t.k = 2"), IsOk()) << "a session on the branch";
    ASSERT_THAT(Run("RESET 'braid.branch'"), IsOk());
    EXPECT_THAT(Rows("t$branch_b"), HasValue(ElementsAre("2|22")));
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|10", "2|20")));
  }
}

TEST_F(RowChangeTest, ExplainsHowRowsAreChanged) {
  Make("t (k INT, dt STRING) PARTITIONED BY (dt)", "(1, 'd1'), (2, 'd2')");
  ASSERT_THAT(Run("CREATE TABLE keyed (k INT PRIMARY KEY NOT ENFORCED, v INT) WITH ('bucket' = '1')"), IsOk());
  EXPECT_THAT(Run("EXPLAIN DELETE FROM t WHERE k = 1"),
              HasValue(ElementsAre(HasSubstr("DELETE(table=[c.default.t], by=[files written anew])"))));
  EXPECT_THAT(Run("EXPLAIN DELETE FROM t WHERE dt = 'd1'"),
              HasValue(ElementsAre(HasSubstr("by=[dropping 1 partitions]"))));
  EXPECT_THAT(Run("EXPLAIN DELETE FROM keyed"), HasValue(ElementsAre(HasSubstr("by=[dropping all files]"))));
  EXPECT_THAT(Run("EXPLAIN UPDATE keyed SET v = 1 WHERE k = 1"),
              HasValue(ElementsAre(HasSubstr("UPDATE(table=[c.default.keyed], by=[rows of kind +U])"))));
  EXPECT_THAT(Rows(), HasValue(ElementsAre("1|d1", "2|d2")));
}

/// Lets another session change the table just before the first job of this one writes.
class Intruder : public JobObserver {
 public:
  explicit Intruder(std::string catalog) : catalog_(std::move(catalog)) {}
  Status CatalogOpened(const std::shared_ptr<Catalog>&) override { return Ok(); }
  Result<StartedJob> Begin(const JobDescription& job) override {
    jobs.push_back(job.name);
    if (statements.empty()) return StartedJob{};
    Session other(SessionSettings{});
    for (const std::string& statement :
         {catalog_, std::string("USE CATALOG c"), std::string("SET 'execution.runtime-mode' = 'batch'")})
      EXPECT_THAT(other.Execute(statement), IsOk());
    EXPECT_THAT(other.Execute(statements.back()), IsOk());
    statements.pop_back();
    return StartedJob{};
  }
  Status Finished(const StartedJob&, const std::vector<std::vector<Snapshot>>&) override { return Ok(); }
  void Failed(const StartedJob&, const Error& error) override { failures.push_back(error.code()); }

  std::vector<std::string> statements;
  std::vector<std::string> jobs;
  std::vector<ErrorCode> failures;

 private:
  std::string catalog_;
};

TEST_F(RowChangeTest, StartsAgainWhenOthersChangedTheSameFiles) {
  for (const char* options : {"", " WITH ('deletion-vectors.enabled' = 'true')"}) {
    SCOPED_TRACE(options);
    const auto intruder =
        std::make_shared<Intruder>("CREATE CATALOG c WITH ('type' = 'paimon', 'warehouse' = '" + warehouse() + "')");
    Restart({.observer = intruder});
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    Make(fmt::format("t (k INT, v INT){}", options), "(1, 10), (2, 20), (3, 30)");
    intruder->jobs.clear();
    intruder->statements = {"DELETE FROM t WHERE k = 3", "UPDATE t SET v = v + 1 WHERE k > 1"};
    ASSERT_THAT(Run("UPDATE t SET v = v * 2"), IsOk());
    EXPECT_THAT(Rows(), HasValue(ElementsAre("1|20", "2|42")));
    EXPECT_THAT(intruder->jobs, ElementsAre("update_c.default.t", "update_c.default.t", "update_c.default.t"));
    EXPECT_THAT(intruder->failures, ElementsAre(ErrorCode::kConflict, ErrorCode::kConflict));
  }
}

// Random DELETEs and UPDATEs, beside a model of the rows.
TEST_F(RowChangeTest, AgreesWithAModel) {
  const char* given = std::getenv("BRAID_TEST_SEED");
  const unsigned seed =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  struct Row {
    int k, p, v;
  };
  struct Condition {
    std::string sql;
    std::function<bool(const Row&)> test;
  };
  const auto condition = [&]() -> Condition {
    const int x = below(40);
    switch (below(6)) {
      case 0: return {fmt::format("k = {}", x), [=](const Row& row) { return row.k == x; }};
      case 1: return {fmt::format("v < {}", x), [=](const Row& row) { return row.v < x; }};
      case 2: return {fmt::format("p = {}", x % 3), [=](const Row& row) { return row.p == x % 3; }};
      case 3:
        return {fmt::format("MOD(k + v, 5) = {}", x % 5), [=](const Row& row) { return (row.k + row.v) % 5 == x % 5; }};
      case 4:
        return {fmt::format("p = {} AND k > {}", x % 3, x),
                [=](const Row& row) { return row.p == x % 3 && row.k > x; }};
      default:
        return {fmt::format("k BETWEEN {} AND {}", x, x + 5),
                [=](const Row& row) { return row.k >= x && row.k <= x + 5; }};
    }
  };
  for (const char* table : {"WITH ('deletion-vectors.enabled' = 'true')",
                            "PARTITIONED BY (p) WITH ('deletion-vectors.enabled' = 'true')", "", "PARTITIONED BY (p)",
                            "PARTITIONED BY (p) WITH ('bucket' = '2', 'bucket-key' = 'k')", "key WITH ('bucket' = '2')",
                            "key PARTITIONED BY (p) WITH ('bucket' = '1', 'deletion-vectors.enabled' = 'true')",
                            "key PARTITIONED BY (p) WITH ('merge-engine' = 'partial-update', "
                            "'partial-update.remove-record-on-delete' = 'true')"}) {
    SCOPED_TRACE(table);
    const bool has_key = std::string_view(table).starts_with("key");
    ASSERT_THAT(Run("DROP TABLE IF EXISTS t"), IsOk());
    ASSERT_THAT(Run(fmt::format("CREATE TABLE t (k INT, p INT, v INT{}) {}",
                                has_key ? ", PRIMARY KEY (k, p) NOT ENFORCED" : "", table + (has_key ? 3 : 0))),
                IsOk());
    std::vector<Row> model;
    for (int step = 0; step < 25; ++step) {
      const Condition where = condition();
      std::string statement;
      switch (below(4)) {
        case 0:
        case 1: {
          statement = "INSERT INTO t VALUES ";
          const int count = 1 + below(8);
          for (int i = 0; i < count; ++i) {
            const Row row{below(40), below(3), below(40)};
            statement += fmt::format("{}({}, {}, {})", i > 0 ? ", " : "", row.k, row.p, row.v);
            if (has_key) std::erase_if(model, [&](const Row& old) { return old.k == row.k && old.p == row.p; });
            model.push_back(row);
          }
          break;
        }
        case 2:
          statement = "DELETE FROM t WHERE " + where.sql;
          std::erase_if(model, where.test);
          break;
        default:
          statement = "UPDATE t SET v = v + k WHERE " + where.sql;
          for (Row& row : model) {
            if (where.test(row)) row.v += row.k;
          }
      }
      SCOPED_TRACE(statement);
      ASSERT_THAT(Run(statement), IsOk());
      std::vector<std::string> expected;
      for (const Row& row : model) expected.push_back(fmt::format("{}|{}|{}", row.k, row.p, row.v));
      ASSERT_THAT(Run("SELECT * FROM t"), HasValue(testing::UnorderedElementsAreArray(expected)));
      if (below(8) == 0) {
        ASSERT_THAT(Run("CALL sys.compact(`table` => 'default.t')"), IsOk());
      }
    }
  }
}

}  // namespace
}  // namespace braid
