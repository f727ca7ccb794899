// Random changes of key tables, read by a job: after every epoch the sink holds the query's result on what the table
// holds. The expected rows come from a map and arithmetic.

#include <algorithm>
#include <map>
#include <random>

#include <fmt/format.h>

#include "base/json.h"
#include "jobs/runner_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

struct SourceKind {
  std::string name;
  std::string options;          // of the source table, beside those that all have
  bool compacted_late = false;  // changes are seen once the table is compacted
};

// The source as a map, and what its query gives.
struct Model {
  std::map<int, std::pair<int, int>> rows;  // k -> g, v

  std::vector<std::string> Groups() const {
    std::map<int, std::vector<int>> groups;
    for (const auto& [key, row] : rows) groups[row.first].push_back(row.second);
    std::vector<std::string> lines;
    for (const auto& [group, values] : groups) {
      long long sum = 0;
      for (const int value : values) sum += value;
      const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
      lines.push_back(fmt::format("{}|{}|{}|{}|{}", group, values.size(), sum, *least, *greatest));
    }
    return lines;
  }
};

unsigned Seed() {
  const char* given = std::getenv("BRAID_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
}

class ChangelogTest : public RunnerTest, public testing::WithParamInterface<SourceKind> {
 protected:
  void Do(const std::string& statement) { ASSERT_THAT(Run(statement), IsOk()) << statement; }

  // One commit of inserts, updates and deletions; no key twice, since rows of one commit have no order.
  void ChangeSource(std::mt19937& random) {
    const auto pick = [&](int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random); };
    std::map<int, std::string> changes;
    for (int n = 1 + pick(8); n > 0; --n) {
      const int key = pick(20);
      if (changes.contains(key)) continue;
      const auto found = model_.rows.find(key);
      if (found != model_.rows.end() && pick(3) == 0) {
        changes[key] = fmt::format("({}, {}, {}, '-D')", key, found->second.first, found->second.second);
        model_.rows.erase(found);
        continue;
      }
      const int group = pick(4);
      const int value = pick(100) - 50;
      const char* kind = found == model_.rows.end() ? "+I" : "+U";
      // A complete changelog has the old row, too.
      std::string rows = fmt::format("({}, {}, {}, '{}')", key, group, value, kind);
      if (found != model_.rows.end())
        rows = fmt::format("({}, {}, {}, '-U'), ", key, found->second.first, found->second.second) + rows;
      changes[key] = std::move(rows);
      model_.rows[key] = {group, value};
    }
    std::string values;
    for (const auto& [key, rows] : changes) values += (values.empty() ? "" : ", ") + rows;
    Do("INSERT INTO source VALUES " + values);
  }

  Model model_;
};

TEST_P(ChangelogTest, TheSinkFollowsTheSource) {
  const unsigned seed = Seed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937 random(seed);
  Do(fmt::format(
      "CREATE TABLE source (k INT PRIMARY KEY NOT ENFORCED, g INT, v INT, kind STRING) WITH ('bucket' = '2', "
      "'rowkind.field' = 'kind'{})",
      GetParam().options));
  Do("CREATE TABLE sums (g INT PRIMARY KEY NOT ENFORCED, n BIGINT, s INT, least INT, greatest INT) WITH ('bucket' = "
     "'1')");
  const std::string job = "INSERT INTO sums SELECT g, COUNT(*), SUM(v), MIN(v), MAX(v) FROM source GROUP BY g";
  ChangeSource(random);
  if (GetParam().compacted_late) Do("CALL sys.compact(`table` => 'default.source')");
  auto runner = Open(job);
  ASSERT_THAT(runner, IsOk());
  std::vector<std::string> seen = model_.Groups();
  for (int step = 0; step < 15; ++step) {
    SCOPED_TRACE(fmt::format("step {}", step));
    ASSERT_THAT(CatchUp(**runner), IsOk());
    ASSERT_THAT(Rows("SELECT * FROM sums"), UnorderedElementsAreArray(seen));
    for (auto commits = 1 + random() % 3; commits > 0; --commits) ChangeSource(random);
    const bool compacts = random() % 3 == 0;
    if (compacts) Do("CALL sys.compact(`table` => 'default.source')");
    if (compacts || !GetParam().compacted_late) seen = model_.Groups();
    if (random() % 5 == 0) {
      runner->reset();
      runner = Open(job);
      ASSERT_THAT(runner, IsOk());
    }
  }
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM sums"), UnorderedElementsAreArray(seen));
}

INSTANTIATE_TEST_SUITE_P(
    Sources, ChangelogTest,
    testing::Values(SourceKind{"Difference", ""}, SourceKind{"Input", ", 'changelog-producer' = 'input'"},
                    SourceKind{"Lookup", ", 'changelog-producer' = 'lookup'"},
                    SourceKind{"FullCompaction",
                               ", 'changelog-producer' = 'full-compaction', 'full-compaction.delta-commits' = '1'"},
                    SourceKind{"DeletionVectors", ", 'deletion-vectors.enabled' = 'true'"},
                    SourceKind{"LookupWithDeletionVectors",
                               ", 'deletion-vectors.enabled' = 'true', 'changelog-producer' = 'lookup'"},
                    SourceKind{"LookupCompactedLate", ", 'changelog-producer' = 'lookup', 'write-only' = 'true'", true},
                    SourceKind{"FullCompactionLate",
                               ", 'changelog-producer' = 'full-compaction', 'write-only' = 'true'", true},
                    SourceKind{"DifferenceCompactedLate", ", 'write-only' = 'true'"},
                    SourceKind{"DeletionVectorsCompactedLate",
                               ", 'deletion-vectors.enabled' = 'true', 'write-only' = 'true'", true}),
    [](const auto& one) { return one.param.name; });

// Queries over two tables that both change, one by its changelog and one by differences. {a} and {b} stand for the
// tables.
struct QueryCase {
  std::string name;
  std::string columns;  // of the sink
  std::string query;
};

class QueriesTest : public RunnerTest, public testing::WithParamInterface<QueryCase> {
 protected:
  void Do(const std::string& statement) { ASSERT_THAT(Run(statement), IsOk()) << statement; }

  void ChangeTable(const std::string& table, std::map<int, std::pair<int, int>>& rows, std::mt19937& random) {
    std::string values;
    const int first = static_cast<int>(random() % 12);
    for (int key = first; key < first + 3; ++key) {
      const auto found = rows.find(key);
      const auto add = [&](const char* kind, const std::pair<int, int>& row) {
        values += fmt::format("{}({}, {}, {}, '{}')", values.empty() ? "" : ", ", key, row.first, row.second, kind);
      };
      if (found != rows.end() && random() % 3 == 0) {
        add("-D", found->second);
        rows.erase(found);
        continue;
      }
      const std::pair<int, int> row(static_cast<int>(random() % 3), static_cast<int>(random() % 9));
      if (found != rows.end()) add("-U", found->second);
      add(found != rows.end() ? "+U" : "+I", row);
      rows[key] = row;
    }
    Do(fmt::format("INSERT INTO {} VALUES {}", table, values));
  }

  // The query in batch at the snapshots that the job has read.
  std::vector<std::string> Expected(EpochRunner& runner) {
    const auto progress = runner.Progress();
    EXPECT_THAT(progress, IsOk());
    std::map<std::string, std::string> tables;
    for (const SourceProgress& source : *progress) {
      const std::string name = source.name.substr(source.name.rfind('.') + 1);
      const auto position = ParseJson(source.position);
      EXPECT_THAT(position, IsOk());
      tables[name] =
          fmt::format("{} /*+ OPTIONS('scan.snapshot-id' = '{}') */", name, position->Find("next")->as_integer() - 1);
    }
    return Rows(Query(tables.contains("a") ? tables["a"] : "a", tables.contains("b") ? tables["b"] : "b"));
  }

  static std::string Query(const std::string& a, const std::string& b) {
    return fmt::format(fmt::runtime(GetParam().query), fmt::arg("a", a), fmt::arg("b", b));
  }
};

TEST_P(QueriesTest, TheSinkIsTheQueryAtTheSnapshotsThatWereRead) {
  const unsigned seed = Seed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937 random(seed);
  for (const auto& [table, producer] : {std::pair("a", "input"), std::pair("b", "none")}) {
    Do(
        fmt::format("CREATE TABLE {} (k INT PRIMARY KEY NOT ENFORCED, g INT, v INT, kind STRING) WITH ('bucket' = '1', "
                    "'rowkind.field' = 'kind', 'changelog-producer' = '{}')",
                    table, producer));
  }
  Do(fmt::format("CREATE TABLE answers ({}) WITH ('bucket' = '1')", GetParam().columns));
  std::map<int, std::pair<int, int>> a;
  std::map<int, std::pair<int, int>> b;
  ChangeTable("a", a, random);
  ChangeTable("b", b, random);
  auto runner = Open("INSERT INTO answers " + Query("a", "b"));
  ASSERT_THAT(runner, IsOk());
  for (int step = 0; step < 15; ++step) {
    SCOPED_TRACE(fmt::format("step {}", step));
    ASSERT_THAT(CatchUp(**runner), IsOk());
    ASSERT_THAT(Rows("SELECT * FROM answers"), UnorderedElementsAreArray(Expected(**runner)));
    if (random() % 4 != 0) ChangeTable("a", a, random);
    if (random() % 4 != 0) ChangeTable("b", b, random);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Queries, QueriesTest,
    testing::Values(
        QueryCase{"InnerJoin", "k INT PRIMARY KEY NOT ENFORCED, x INT, y INT",
                  "SELECT a.k, a.v, b.v FROM {a} AS a JOIN {b} AS b ON a.k = b.k AND a.v <= b.v"},
        QueryCase{"LeftJoin", "k INT PRIMARY KEY NOT ENFORCED, x INT, y INT",
                  "SELECT a.k, a.v, b.v FROM {a} AS a LEFT JOIN {b} AS b ON a.k = b.k"},
        QueryCase{"Exists", "k INT PRIMARY KEY NOT ENFORCED, v INT",
                  "SELECT k, v FROM {a} AS a WHERE EXISTS (SELECT 1 FROM {b} AS b WHERE b.g = a.g AND b.v > a.v)"},
        QueryCase{"NotExists", "k INT PRIMARY KEY NOT ENFORCED, v INT",
                  "SELECT k, v FROM {a} AS a WHERE NOT EXISTS (SELECT 1 FROM {b} AS b WHERE b.g = a.g)"},
        QueryCase{"UnionAndDistinctAggregates", "g INT PRIMARY KEY NOT ENFORCED, n BIGINT, s INT, least INT",
                  "SELECT g, COUNT(DISTINCT v), SUM(v), MIN(v) FROM (SELECT g, v FROM {a} UNION ALL SELECT g, v FROM "
                  "{b}) AS t GROUP BY g"},
        QueryCase{"TopTwoOfEachGroup", "g INT, k INT, v INT, PRIMARY KEY (g, k) NOT ENFORCED",
                  "SELECT g, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY g ORDER BY v DESC, k) AS n FROM {a}) "
                  "AS t WHERE n <= 2"},
        QueryCase{
            "JoinOfAggregates", "g INT PRIMARY KEY NOT ENFORCED, x INT, y INT",
            "SELECT a.g, a.s, b.s FROM (SELECT g, SUM(v) AS s FROM {a} GROUP BY g) AS a JOIN (SELECT g, MAX(v) AS "
            "s FROM {b} GROUP BY g) AS b ON a.g = b.g"},
        QueryCase{"Difference", "g INT, v INT, PRIMARY KEY (g, v) NOT ENFORCED",
                  "SELECT g, v FROM {a} EXCEPT SELECT g, v FROM {b}"}),
    [](const auto& one) { return one.param.name; });

class HintsTest : public RunnerTest {
 protected:
  void Do(const std::string& statement) { ASSERT_THAT(Run(statement), IsOk()) << statement; }

  // The sink of a job that copies with a hint, after all has been read.
  std::vector<std::string> Copied(const std::string& hints, const std::string& id) {
    EXPECT_THAT(folder_.RemoveState(), IsOk());
    EXPECT_THAT(Run("DROP TABLE IF EXISTS copies"), IsOk());
    EXPECT_THAT(Run("CREATE TABLE copies (word STRING)"), IsOk());
    auto runner = Open("INSERT INTO copies SELECT word FROM words /*+ OPTIONS(" + hints + ") */", id);
    EXPECT_THAT(runner, IsOk());
    if (!runner) return {};
    EXPECT_THAT(CatchUp(**runner), IsOk());
    EXPECT_THAT(Run("INSERT INTO words VALUES ('new')"), IsOk());
    EXPECT_THAT(CatchUp(**runner), IsOk());
    return Rows("SELECT * FROM copies");
  }
};

TEST_F(HintsTest, SayWhereAJobBegins) {
  MakeWords();                                                             // 1: a, b, a
  Do("INSERT INTO words VALUES ('two')");                                  // 2
  EXPECT_THAT(Copied("'scan.mode' = 'latest'", "1"), ElementsAre("new"));  // 3
  EXPECT_THAT(Copied("'scan.mode' = 'from-snapshot', 'scan.snapshot-id' = '2'", "2"),
              UnorderedElementsAre("two", "new", "new"));                                    // 4
  EXPECT_THAT(Copied("'scan.snapshot-id' = '4'", "3"), UnorderedElementsAre("new", "new"));  // 5
  EXPECT_THAT(Copied("'scan.mode' = 'from-snapshot-full', 'scan.snapshot-id' = '2'", "4"),
              UnorderedElementsAre("a", "b", "a", "two", "new", "new", "new", "new"));
}

TEST_F(HintsTest, AnAlignedSourceGivesOneSnapshotABarrier) {
  MakeWords();
  auto runner = Open(
      "INSERT INTO counts SELECT word, COUNT(*) FROM words /*+ OPTIONS('source.checkpoint-align.enabled' = 'true') */ "
      "GROUP BY word");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), HasValue(1));
  for (const char* word : {"b", "c", "d"}) Do(fmt::format("INSERT INTO words VALUES ('{}')", word));
  EXPECT_THAT(CatchUp(**runner), HasValue(3));
  EXPECT_THAT(Rows("SELECT commit_identifier FROM counts$snapshots"), ElementsAre("1", "2", "3", "4"));
}

TEST_F(HintsTest, AConsumerSaysWhereToBeginAndIsToldWhatWasRead) {
  MakeWords();
  EXPECT_THAT(Copied("'consumer-id' = 'mine'", "1"), UnorderedElementsAre("a", "b", "a", "new"));
  EXPECT_THAT(Rows("SELECT * FROM words$consumers WHERE consumer_id = 'mine'"), ElementsAre("mine|3"));
  Do("INSERT INTO words VALUES ('three')");
  EXPECT_THAT(Copied("'consumer-id' = 'mine'", "2"), UnorderedElementsAre("three", "new")) << "what came since";
  EXPECT_THAT(Copied("'consumer-id' = 'mine', 'consumer.ignore-progress' = 'true'", "3"), testing::SizeIs(7));
}

}  // namespace
}  // namespace braid
