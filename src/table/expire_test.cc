// Which snapshots and changelogs expire, and that exactly the files that nothing needs go with them.

#include "table/expire.h"

#include <gtest/gtest.h>

#include "meta/line_upkeep.h"
#include "table/consumer_upkeep.h"
#include "table/operation.h"
#include "table/tag_change.h"
#include "table/upkeep.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

constexpr std::int64_t kNow = 1'715'681'730'000;
constexpr std::int64_t kHour = 3'600'000;

class ExpireTest : public testing::Test {
 protected:
  void MakeTable(Options::Map options = {}) {
    options.emplace("bucket", "1");
    options.emplace("num-sorted-run.compaction-trigger", "3");
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(
                    fs_, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"}, std::move(options))));
  }

  // One or two snapshots, the second of a compaction.
  void Commit(int value) {
    Committable committable;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(*table_, {{value % 3, value}}));
    ASSERT_THAT(TableCommit(*table_, "user", clock_).Commit(committable), IsOk());
  }

  std::vector<std::int64_t> Ids() {
    std::vector<std::int64_t> ids;
    const std::vector<SnapshotId> listed = *ListSnapshots(*fs_, table_->paths());
    for (const SnapshotId id : listed) ids.push_back(id.value());
    return ids;
  }
  std::vector<std::int64_t> ChangelogIds() {
    std::vector<std::int64_t> ids;
    const std::vector<SnapshotId> listed = *ListChangelogs(*fs_, table_->paths());
    for (const SnapshotId id : listed) ids.push_back(id.value());
    return ids;
  }

  void ExpectNothingToSpare() {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::set<std::string> needed, NeededFiles(*fs_, kTestTableRoot).Find());
    EXPECT_EQ(PresentFiles(*fs_), needed);
    EXPECT_THAT(ListJournals(*fs_, table_->paths()), HasValue(testing::IsEmpty()));
  }

  ManualClock clock_{kNow};
  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>(clock_);
  std::optional<Table> table_;
};

// Ids `first` … `last`.
std::vector<std::int64_t> Range(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = first; id <= last; ++id) ids.push_back(id);
  return ids;
}

TEST_F(ExpireTest, ChoosesByNumberAgeAndLimit) {
  struct Case {
    std::string name;
    Retention retention;
    std::optional<std::int64_t> consumer;
    std::int64_t earliest;  // that is left of ten, committed an hour apart, the last one now
  };
  const std::int64_t all = std::numeric_limits<std::int32_t>::max();
  const std::vector<Case> cases = {
      {"by age", {all, 1, kNow - 4 * kHour, all}, {}, 6},
      {"age as old as the limit stays", {all, 1, kNow - 4 * kHour + 1, all}, {}, 7},
      {"the least number stays", {all, 8, kNow + 1, all}, {}, 3},
      {"beyond the greatest number age does not count", {4, 1, 0, all}, {}, 7},
      {"no more than the limit", {1, 1, kNow + 1, 2}, {}, 3},
      {"consumers hold", {1, 1, kNow + 1, all}, 5, 5},
      {"the latest always stays", {all, 0, kNow + 1, all}, {}, 10},
      {"nothing is old", {all, 1, 0, all}, {}, 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    fs_ = std::make_shared<MemoryFileSystem>(clock_);
    MakeTable({{"write-only", "true"}});
    ManualClock commit_clock(kNow - 9 * kHour);
    for (int value = 1; value <= 10; ++value) {
      Committable committable;
      BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(*table_, {{value % 3, value}}));
      ASSERT_THAT(TableCommit(*table_, "user", commit_clock).Commit(committable), IsOk());
      commit_clock.Advance(kHour);
    }
    if (c.consumer) {
      ASSERT_THAT(ResetConsumer(*table_, "c", SnapshotId(*c.consumer)), IsOk());
    }
    ExpireRequest request;
    request.snapshots = c.retention;
    BRAID_ASSERT_OK_AND_ASSIGN(const ExpireResult result, ExpireSnapshots(*table_, request, clock_));
    EXPECT_EQ(result.expired, c.earliest - 1);
    EXPECT_EQ(Ids(), Range(c.earliest, 10));
    EXPECT_THAT(fs_->ReadAll(table_->paths().EarliestHint()), HasValue(std::to_string(c.earliest)));
    ExpectNothingToSpare();
  }
}

TEST_F(ExpireTest, RefusesToRetainLessThanItMust) {
  MakeTable();
  Commit(1);
  ExpireRequest request;
  request.snapshots = {.retain_max = 2, .retain_min = 3};
  EXPECT_THAT(ExpireSnapshots(*table_, request, clock_), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(ExpireTest, FollowsTheTablesOptionsAfterEachCommit) {
  MakeTable({{"snapshot.num-retained.min", "2"}, {"snapshot.num-retained.max", "3"}});
  for (int value = 1; value <= 12; ++value) {
    Commit(value);
    EXPECT_LE(Ids().size(), 3U);
    ExpectNothingToSpare();
  }
  EXPECT_THAT(SortedRows(*table_),
              HasValue(std::vector<std::string>{R"({"k":0,"v":12})", R"({"k":1,"v":10})", R"({"k":2,"v":11})"}));
}

TEST_F(ExpireTest, LeavesWriteOnlyTablesAlone) {
  MakeTable({{"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "1"}, {"write-only", "true"}});
  for (int value = 1; value <= 4; ++value) Commit(value);
  EXPECT_EQ(Ids(), Range(1, 4));
}

TEST_F(ExpireTest, OnlySaysWhatWouldGo) {
  MakeTable({{"write-only", "true"}});
  for (int value = 1; value <= 4; ++value) Commit(value);
  const std::vector<std::string> before = fs_->AllFiles();
  ExpireRequest request;
  request.snapshots.retain_max = 1;
  request.dry_run = true;
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpireResult preview, ExpireSnapshots(*table_, request, clock_));
  std::vector<std::string> after = fs_->AllFiles();
  std::erase_if(after, [](const std::string& path) { return path.ends_with("/.braid/lock"); });
  EXPECT_EQ(after, before);
  request.dry_run = false;
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpireResult result, ExpireSnapshots(*table_, request, clock_));
  EXPECT_EQ(preview.expired, 3);
  EXPECT_EQ(static_cast<std::int64_t>(preview.files.paths.size()),
            result.files.data_files + result.files.metadata_files);
  for (const std::string& path : preview.files.paths) EXPECT_THAT(fs_->Exists(path), HasValue(false)) << path;
}

TEST_F(ExpireTest, KeepsChangelogsThatAreToLiveLonger) {
  MakeTable({{"changelog-producer", "input"}, {"write-only", "true"}});
  for (int value = 1; value <= 6; ++value) Commit(value);
  ExpireRequest request;
  request.snapshots.retain_max = 2;
  request.keep_changelogs = true;
  ASSERT_THAT(ExpireSnapshots(*table_, request, clock_), IsOk());
  EXPECT_EQ(Ids(), Range(5, 6));
  EXPECT_EQ(ChangelogIds(), Range(1, 4));
  ExpectNothingToSpare();
  request.changelogs.retain_max = 4;
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpireResult some, ExpireChangelogs(*table_, request, false, clock_));
  EXPECT_EQ(some.expired, 2);
  EXPECT_EQ(ChangelogIds(), Range(3, 4));
  ExpectNothingToSpare();
  BRAID_ASSERT_OK_AND_ASSIGN(const ExpireResult rest, ExpireChangelogs(*table_, request, true, clock_));
  EXPECT_EQ(rest.expired, 2);
  EXPECT_EQ(ChangelogIds(), std::vector<std::int64_t>());
  EXPECT_THAT(fs_->Exists(table_->paths().ChangelogDirectory() + "/LATEST"), HasValue(false));
  ExpectNothingToSpare();
}

TEST_F(ExpireTest, KeepsWhatWasWrittenAsChangelogWhereThereIsNoOther) {
  MakeTable({{"num-sorted-run.compaction-trigger", "2"}});
  for (int value = 1; value <= 4; ++value) Commit(value);
  const std::vector<std::int64_t> ids = Ids();
  ExpireRequest request;
  request.snapshots.retain_max = 1;
  request.keep_changelogs = true;
  ASSERT_THAT(ExpireSnapshots(*table_, request, clock_), IsOk());
  EXPECT_EQ(ChangelogIds(), std::vector<std::int64_t>(ids.begin(), ids.end() - 1));
  ExpectNothingToSpare();
  ASSERT_THAT(ExpireChangelogs(*table_, request, true, clock_), IsOk());
  ExpectNothingToSpare();
}

TEST_F(ExpireTest, SparesFilesThatAnOverwriteBroughtBack) {
  MakeTable({{"write-only", "true"}});
  Commit(1);
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot first, ReadSnapshot(*fs_, table_->paths(), SnapshotId(1)));
  ASSERT_THAT(TruncateTable(*table_, "user"), IsOk());
  // Back to the first snapshot's files by hand, as another engine's rollback does it.
  BRAID_ASSERT_OK_AND_ASSIGN(Snapshot back, ReadSnapshot(*fs_, table_->paths(), SnapshotId(2)));
  back.delta_manifest_list = first.delta_manifest_list;
  back.id = SnapshotId(3);
  ASSERT_THAT(CreateSnapshot(*fs_, table_->paths(), back), IsOk());
  ASSERT_THAT(WriteLatestHint(*fs_, table_->paths(), SnapshotId(3)), IsOk());
  ExpireRequest request;
  request.snapshots.retain_max = 2;
  ASSERT_THAT(ExpireSnapshots(*table_, request, clock_), IsOk());
  EXPECT_EQ(Ids(), Range(2, 3));
  EXPECT_THAT(SortedRows(*table_), HasValue(std::vector<std::string>{R"({"k":1,"v":1})"}));
}

TEST_F(ExpireTest, DeletesNothingWhileATagCannotBeRead) {
  MakeTable({{"write-only", "true"}});
  for (int value = 1; value <= 4; ++value) Commit(value);
  ASSERT_THAT(fs_->Replace(table_->paths().TagFile("broken"), "{"), IsOk());
  ExpireRequest request;
  request.snapshots.retain_max = 1;
  EXPECT_THAT(ExpireSnapshots(*table_, request, clock_), IsError(ErrorCode::kIo));
  EXPECT_EQ(Ids(), Range(1, 4));
  EXPECT_THAT(SortedRows(*table_->With(Options(Options::Map{{"scan.snapshot-id", "1"}}))), IsOk());
}

TEST_F(ExpireTest, HeedsReadersThatHoldASnapshot) {
  MakeTable({{"write-only", "true"}});
  for (int value = 1; value <= 4; ++value) Commit(value);
  const std::string lease =
      R"({"lineId":"root","snapshots":[3],"owner":"x","heartbeatMillis":1715681730000,"ttlMillis":60000})";
  ASSERT_THAT(fs_->Replace(JoinPath(table_->paths().LeaseDirectory(), "a.json"), lease), IsOk());
  ExpireRequest request;
  request.snapshots.retain_max = 1;
  ASSERT_THAT(ExpireSnapshots(*table_, request, clock_), IsOk());
  EXPECT_EQ(Ids(), Range(3, 4));
  clock_.Advance(90'001);  // the reader is dead
  ASSERT_THAT(ExpireSnapshots(*table_, request, clock_), IsOk());
  EXPECT_EQ(Ids(), Range(4, 4));
  ExpectNothingToSpare();
}

}  // namespace
}  // namespace braid
