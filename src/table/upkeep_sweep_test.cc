// Every storage call of expiry, deleting tags, rolling back and cleaning fails once, alone or with all that follow.
// After each failure every snapshot and tag that is there can be read whole, and doing it again finishes.

#include <gtest/gtest.h>

#include "base/log.h"
#include "io/fault_injecting_file_system.h"
#include "table/expire.h"
#include "table/orphan_files.h"
#include "table/rollback.h"
#include "table/tag_change.h"
#include "table/tag_removal.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using Fault = FaultInjectingFileSystem::Fault;

constexpr std::int64_t kNow = 1'715'681'730'000;

struct Scenario {
  std::string name;
  std::function<Status(const Table&, const Clock&)> run;
  /// What is to be so in the end.
  std::function<void(const Table&)> expect_end;
  bool leaves_orphans = false;
};

std::vector<std::int64_t> Ids(const Table& table) {
  std::vector<std::int64_t> ids;
  const std::vector<SnapshotId> listed = *ListSnapshots(table.file_system(), table.paths());
  for (const SnapshotId id : listed) ids.push_back(id.value());
  return ids;
}

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> scenarios = {
      {"expire",
       [](const Table& table, const Clock& clock) -> Status {
         ExpireRequest request;
         request.snapshots.retain_max = 2;
         BRAID_TRY(ExpireSnapshots(table, request, clock));
         return Ok();
       },
       [](const Table& table) {
         EXPECT_EQ(Ids(table), (std::vector<std::int64_t>{6, 7}));
       }},
      {"expire, keeping changelogs",
       [](const Table& table, const Clock& clock) -> Status {
         ExpireRequest request;
         request.snapshots.retain_max = 2;
         request.changelogs.retain_max = 4;
         request.keep_changelogs = true;
         BRAID_TRY(ExpireSnapshots(table, request, clock));
         BRAID_TRY(ExpireChangelogs(table, request, false, clock));
         return Ok();
       },
       [](const Table& table) {
         EXPECT_EQ(Ids(table), (std::vector<std::int64_t>{6, 7}));
         EXPECT_EQ(ListChangelogs(table.file_system(), table.paths())->size(), 2U);
       }},
      {"delete a tag",
       [](const Table& table, const Clock& clock) -> Status {
         BRAID_TRY(DeleteTags(table, {"old"}, {}, clock));
         return Ok();
       },
       [](const Table& table) {
         EXPECT_THAT(ListTags(table.file_system(), table.paths()), HasValue(testing::ElementsAre("new")));
       }},
      {"roll back hard",
       [](const Table& table, const Clock& clock) -> Status {
         BRAID_TRY(RollbackHard(table, {.id = SnapshotId(5)}, false, clock));
         return Ok();
       },
       [](const Table& table) {
         EXPECT_EQ(Ids(table), (std::vector<std::int64_t>{3, 4, 5}));
         EXPECT_THAT(ListTags(table.file_system(), table.paths()), HasValue(testing::ElementsAre("old")));
       },
       /*leaves_orphans=*/true},
      {"roll back to a tag whose snapshot expired",
       [](const Table& table, const Clock& clock) -> Status {
         BRAID_TRY(RollbackHard(table, {.tag = "old"}, false, clock));
         return Ok();
       },
       [](const Table& table) { EXPECT_EQ(Ids(table), (std::vector<std::int64_t>{2})); },
       /*leaves_orphans=*/true},
      {"clean",
       [](const Table& table, const Clock& clock) -> Status {
         BRAID_TRY(RemoveOrphanFiles(table, {.older_than_ms = clock.NowMs()}, clock));
         return Ok();
       },
       [](const Table& table) {
         EXPECT_EQ(Ids(table), (std::vector<std::int64_t>{3, 4, 5, 6, 7}));
       }},
  };
  return scenarios;
}

class UpkeepSweepTest : public testing::TestWithParam<std::tuple<std::size_t, Fault>> {
 protected:
  // Each failure is logged, and there are hundreds.
  void SetUp() override { SetLogLevel(LogLevel::kError); }
  void TearDown() override { SetLogLevel(LogLevel::kWarning); }

  // Snapshots 3 … 7, a tag on the expired snapshot 2, one on 6, and an orphan.
  Result<Table> MakeTable(const std::shared_ptr<MemoryFileSystem>& fs) {
    BRAID_TRY_ASSIGN(
        Table table,
        CreateTestTable(fs,
                        TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                       {{"bucket", "1"}, {"changelog-producer", "input"}, {"write-only", "true"}})));
    for (int value = 1; value <= 4; ++value) BRAID_TRY(Commit(table, value));
    BRAID_TRY(Tag(table, "old", 2));
    BRAID_TRY_ASSIGN(const Table compacting, table.With(Options({{"write-only", "false"},
                                                                 {"num-sorted-run.compaction-trigger", "2"},
                                                                 {"snapshot.num-retained.min", "100"}})));
    BRAID_TRY(Commit(compacting, 5));  // two snapshots, one of a compaction
    BRAID_TRY(Commit(table, 6));
    ExpireRequest request;
    request.snapshots.retain_max = 5;
    BRAID_TRY(ExpireSnapshots(table, request, clock_));
    BRAID_TRY(Tag(table, "new", 6));
    clock_.Advance(1000);
    return table;
  }

  Status Commit(const Table& table, int value) {
    Committable committable;
    BRAID_TRY_ASSIGN(committable.messages, WriteRows(table, {{value % 2, value}}));
    BRAID_TRY(TableCommit(table, "user", clock_).Commit(committable));
    return Ok();
  }

  Status Tag(const Table& table, const std::string& name, std::int64_t id) {
    BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(table.file_system(), table.paths(), SnapshotId(id)));
    BRAID_TRY(
        CreateTag(table, {.name = name, .snapshot = snapshot, .time_retained = {}, .ignore_if_exists = false}, clock_));
    return Ok();
  }

  // Reads every snapshot and tag that is there; `rows`: what each snapshot of that identity held at first.
  void ExpectAllReadable(const Table& table, std::map<std::string, std::vector<std::string>>& rows) {
    const FileSystem& fs = table.file_system();
    // Whoever opens the table finishes what was interrupted; afterwards its snapshots stay what they are.
    ASSERT_THAT(Table::Open(table.shared_file_system(), kTestTableRoot, "d.t"), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto latest, FindLatestSnapshot(fs, table.paths()));
    ASSERT_TRUE(latest.has_value());
    for (const std::int64_t id : Ids(table)) {
      BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(fs, table.paths(), SnapshotId(id)));
      ExpectReadable(table, snapshot, {"scan.snapshot-id", std::to_string(id)}, rows);
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const auto tags, ListTags(fs, table.paths()));
    for (const std::string& name : tags) {
      BRAID_ASSERT_OK_AND_ASSIGN(const braid::Tag tag, ReadTag(fs, table.paths(), name));
      ExpectReadable(table, tag.snapshot, {"scan.tag-name", name}, rows);
    }
  }

  static void ExpectReadable(const Table& table, const Snapshot& snapshot,
                             const std::pair<std::string, std::string>& option,
                             std::map<std::string, std::vector<std::string>>& rows) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table at, table.With(Options({option})));
    const Result<std::vector<std::string>> read = SortedRows(at);
    ASSERT_THAT(read, IsOk()) << option.second;
    EXPECT_EQ(rows.emplace(snapshot.delta_manifest_list, *read).first->second, *read) << option.second;
  }

  ManualClock clock_{kNow};
};

TEST_P(UpkeepSweepTest, KeepsWhatItLeavesReadableAndFinishesTheNextTime) {
  const Scenario& scenario = Scenarios()[std::get<0>(GetParam())];
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(testing::Message() << scenario.name << " at call " << nth);
    auto memory = std::make_shared<MemoryFileSystem>(clock_);
    auto faulty = std::make_shared<FaultInjectingFileSystem>(memory);
    Result<Table> made = MakeTable(memory);
    ASSERT_TRUE(made.has_value()) << made.error().ToString();
    const Table& plain = *made;
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(faulty, kTestTableRoot, "d.t"));
    std::map<std::string, std::vector<std::string>> rows;
    ExpectAllReadable(plain, rows);

    faulty->FailAt(nth, std::get<1>(GetParam()));
    const Status done = scenario.run(table, clock_);
    const bool struck = faulty->struck();
    faulty->Heal();
    ExpectAllReadable(plain, rows);
    if (!struck) {
      EXPECT_THAT(done, IsOk());
    }
    ASSERT_THAT(scenario.run(table, clock_), IsOk());
    ExpectAllReadable(plain, rows);
    scenario.expect_end(plain);
    if (scenario.leaves_orphans) {
      clock_.Advance(1);  // cleaning spares what is as young as itself
      ASSERT_THAT(RemoveOrphanFiles(plain, {.older_than_ms = clock_.NowMs()}, clock_), IsOk());
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const std::set<std::string> needed, NeededFiles(*memory, kTestTableRoot).Find());
    EXPECT_EQ(PresentFiles(*memory), needed);
    if (HasFailure() || !struck) {
      EXPECT_GT(nth, 10);
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, UpkeepSweepTest,
                         testing::Combine(testing::Range(std::size_t{0}, Scenarios().size()),
                                          testing::Values(Fault::kFail, Fault::kFailAfterwards, Fault::kStop)));

}  // namespace
}  // namespace braid
