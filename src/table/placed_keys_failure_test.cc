// Every storage call of writing and committing fails once, alone or with all that follow, where another commit
// meanwhile changed where keys lie: shared dynamic buckets, whose indexes are merged or whose rows are routed again,
// and keys that cross partitions. After each failure the rows are those before or after, the next try succeeds, and
// cleaning leaves just the files that are needed.

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "io/fault_injecting_file_system.h"
#include "table/hash_index_file.h"
#include "table/orphan_files.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using Fault = FaultInjectingFileSystem::Fault;

constexpr std::int64_t kNow = 1'715'681'730'000;

// Two writers begin with the rows of `first`; the other commits before ours does.
struct Scenario {
  std::string name;
  std::string key;  // columns of the primary key, separated by commas
  Options::Map options;
  std::vector<DatumList> first;  // p, k, v
  std::function<Status(const Table&)> other;
  std::vector<DatumList> ours;
  std::vector<DatumList> rows_before;  // ours
  std::vector<DatumList> rows_after;
  bool is_routed_again = true;  // else hashes of both writers share a bucket
};

std::function<Status(const Table&)> Inserting(const std::vector<DatumList>& rows) {
  return [rows](const Table& table) -> Status {
    BRAID_TRY(Insert(table, rows));
    return Ok();
  };
}

const std::vector<Scenario>& Scenarios() {
  // In partition 0: the other fills bucket 0 with keys 1 and 2 and begins bucket 1 with 3, ours puts 3 into bucket 0.
  const std::vector<DatumList> others_bucket = {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}};
  const std::vector<DatumList> our_bucket = {{0, 3, 2}, {0, 4, 2}, {0, 1, 2}};
  const std::vector<DatumList> of_both_buckets = {{0, 1, 2}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}};
  const Options::Map small_buckets = {{"dynamic-bucket.target-row-num", "2"}};
  const Options::Map compacting = {{"dynamic-bucket.target-row-num", "2"}, {"num-sorted-run.compaction-trigger", "1"}};
  const Options::Map with_vectors = {{"deletion-vectors.enabled", "true"}, {"dynamic-bucket.target-row-num", "2"}};
  const Options::Map with_changes = {{"changelog-producer", "input"}, {"dynamic-bucket.target-row-num", "2"}};
  const auto truncating = [](const Table& table) -> Status {
    BRAID_TRY(TruncateTable(table, "other"));
    return Ok();
  };
  static const std::vector<Scenario> scenarios = {
      {"a bucket that two writers fill",
       "p,k",
       {},
       {{0, 1, 1}},
       Inserting({{0, 2, 1}, {0, 3, 1}}),
       {{0, 4, 2}, {0, 3, 2}},
       {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}},
       {{0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}},
       false},
      {"a key in two buckets",
       "p,k",
       small_buckets,
       {},
       Inserting(others_bucket),
       our_bucket,
       others_bucket,
       of_both_buckets},
      {"a key in two buckets with deletion vectors",
       "p,k",
       with_vectors,
       {},
       Inserting(others_bucket),
       our_bucket,
       others_bucket,
       of_both_buckets},
      {"a key in two buckets whose changes are kept",
       "p,k",
       with_changes,
       {},
       Inserting(others_bucket),
       our_bucket,
       others_bucket,
       of_both_buckets},
      {"a key whose bucket an overwrite took away",
       "p,k",
       small_buckets,
       others_bucket,
       truncating,
       {{0, 3, 2}},
       {},
       {{0, 3, 2}}},
      {"a key that both move to another partition",
       "k",
       {},
       {{0, 1, 1}, {0, 2, 1}},
       Inserting({{1, 1, 2}}),
       {{2, 1, 3}, {0, 3, 3}},
       {{0, 2, 1}, {1, 1, 2}},
       {{0, 2, 1}, {0, 3, 3}, {2, 1, 3}}},
      {"a key that both move where files are compacted",
       "k",
       compacting,
       {{0, 1, 1}, {0, 2, 1}},
       Inserting({{1, 1, 2}}),
       {{2, 1, 3}, {0, 3, 3}},
       {{0, 2, 1}, {1, 1, 2}},
       {{0, 2, 1}, {0, 3, 3}, {2, 1, 3}}},
      {"a key that ours keeps where an overwrite emptied all partitions",
       "k",
       {},
       {{0, 1, 1}, {0, 2, 1}},
       truncating,
       {{1, 1, 3}, {0, 2, 3}},
       {},
       {{0, 2, 3}, {1, 1, 3}}},
  };
  return scenarios;
}

std::vector<std::string> Texts(const std::vector<DatumList>& rows) {
  std::vector<std::string> texts;
  for (const DatumList& row : rows)
    texts.push_back(fmt::format(R"({{"p":{},"k":{},"v":{}}})", row[0].as_int(), row[1].as_int(), row[2].as_int()));
  return texts;
}

Result<Table> MakeTable(const std::shared_ptr<FileSystem>& fs, const Scenario& scenario) {
  Options::Map options = scenario.options;
  options.merge(Options::Map{{"bucket", "-1"},
                             {"commit.max-retries", "2"},
                             {"commit.min-retry-wait", "1 ms"},
                             {"dynamic-bucket.target-row-num", "100"},
                             {"file.format", "avro"}});  // quicker than Parquet
  const std::vector<std::string> key =
      scenario.key == "k" ? std::vector<std::string>{"k"} : std::vector<std::string>{"p", "k"};
  return CreateTestTable(fs, TestDefinition({{"p", DataType::Int()}, {"k", DataType::Int()}, {"v", DataType::Int()}},
                                            key, std::move(options), {"p"}));
}

Status CommitOurs(const Table& table, std::vector<CommitMessage> messages) {
  Committable committable;
  committable.messages = std::move(messages);
  BRAID_TRY(TableCommit(table, "ours").Commit(committable));
  return Ok();
}

// Each hash of the newest snapshot has one bucket.
void ExpectHashesOnce(const Table& table) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto latest, FindLatestSnapshot(table.file_system(), table.paths()));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(table.file_system(), table.paths(), latest.value()));
  if (!snapshot.index_manifest) return;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto entries,
                             ReadIndexManifest(table.file_system(), table.paths(), *snapshot.index_manifest));
  std::set<std::pair<std::string, std::int32_t>> seen;
  for (const IndexManifestEntry& entry : entries) {
    if (entry.index_type != kHashIndex) continue;
    BRAID_ASSERT_OK_AND_ASSIGN(const auto hashes, ReadHashIndex(table, entry));
    for (const std::int32_t hash : hashes)
      EXPECT_TRUE(seen.emplace(entry.partition.bytes(), hash).second) << "a hash twice";
  }
}

class PlacedKeysFailureTest : public testing::TestWithParam<std::tuple<std::size_t, Fault>> {
 protected:
  // Each failure is logged, and there are hundreds.
  void SetUp() override { SetLogLevel(LogLevel::kError); }
  void TearDown() override { SetLogLevel(LogLevel::kWarning); }
};

TEST_P(PlacedKeysFailureTest, ShowsTheRowsBeforeOrAfterAndTheNextTrySucceeds) {
  const Scenario& scenario = Scenarios()[std::get<0>(GetParam())];
  const Fault fault = std::get<1>(GetParam());
  const std::vector<std::string> before = Texts(scenario.rows_before);
  const std::vector<std::string> after = Texts(scenario.rows_after);
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(testing::Message() << scenario.name << " at call " << nth);
    ManualClock clock(kNow);
    auto memory = std::make_shared<MemoryFileSystem>(clock);
    auto faulty = std::make_shared<FaultInjectingFileSystem>(memory);
    BRAID_ASSERT_OK_AND_ASSIGN(const Table plain, MakeTable(memory, scenario));
    if (!scenario.first.empty()) {
      ASSERT_THAT(Insert(plain, scenario.first), IsOk());
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(faulty, kTestTableRoot, "d.t"));

    faulty->FailAt(nth, fault);
    const auto messages = WriteRows(table, scenario.ours);
    ASSERT_THAT(scenario.other(plain), IsOk());
    const Status committed = messages ? CommitOurs(table, *messages) : Status(messages.error());
    const bool struck = faulty->struck();
    faulty->Heal();
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> shown, SortedRows(plain));
    ASSERT_TRUE(shown == before || shown == after) << testing::PrintToString(shown);
    EXPECT_TRUE(!committed || shown == after) << testing::PrintToString(shown);
    ExpectHashesOnce(plain);

    BRAID_ASSERT_OK_AND_ASSIGN(const auto uncommitted,
                               TableCommit(plain, "ours").FilterUncommitted({kBatchCommitIdentifier}));
    if (uncommitted.empty() && shown != after) {
      // The rows are in, and deletion vectors hide them until they are compacted.
      ASSERT_TRUE(scenario.options.contains("deletion-vectors.enabled"));
      ASSERT_THAT(CompactTable(table, true, nullptr, "compactor"), IsOk());
    } else if (shown != after) {
      // A process that was killed begins anew; one that lives hands in the same files again.
      const bool is_dead = fault == Fault::kStop || !messages;
      ASSERT_THAT(is_dead ? Inserting(scenario.ours)(table) : CommitOurs(table, *messages), IsOk());
    }
    EXPECT_THAT(SortedRows(plain), HasValue(after));
    ExpectHashesOnce(plain);
    clock.Advance(1);  // cleaning spares what is as young as itself
    ASSERT_THAT(RemoveOrphanFiles(plain, {.older_than_ms = clock.NowMs()}, clock), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const std::set<std::string> needed, NeededFiles(*memory, kTestTableRoot).Find());
    EXPECT_EQ(PresentFiles(*memory), needed);
    EXPECT_THAT(SortedRows(plain), HasValue(after));
    if (!struck) {
      const std::set<std::string> files = PresentFiles(*memory);
      for (const CommitMessage& message : *messages) {
        for (const DataFileMeta& file : message.new_files)
          EXPECT_EQ(files.contains(file.file_name), !scenario.is_routed_again);
      }
      EXPECT_GT(nth, 60);  // writing, and committing with a second look, is no less work than this
    }
    if (HasFailure() || !struck) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, PlacedKeysFailureTest,
                         testing::Combine(testing::Range(std::size_t{0}, Scenarios().size()),
                                          testing::Values(Fault::kFail, Fault::kFailAfterwards, Fault::kStop)));

}  // namespace
}  // namespace braid
