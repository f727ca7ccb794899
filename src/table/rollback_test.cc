#include "table/rollback.h"

#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "io/fault_injecting_file_system.h"
#include "meta/fork_record.h"
#include "table/line_move.h"
#include "table/tag_change.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kNow = 1'715'681'730'000;

class RollbackTest : public testing::Test {
 protected:
  void SetUp() override {
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                                    {{"bucket", "1"}, {"write-only", "true"}})));
    for (int value = 1; value <= 4; ++value) {
      Committable committable;
      BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(*table_, {{1, value}}));
      ASSERT_THAT(TableCommit(*table_, "user", clock_).Commit(committable), IsOk());
      clock_.Advance(1000);
    }
    for (const int id : {2, 3}) {
      BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table_->paths(), SnapshotId(id)));
      ASSERT_THAT(
          CreateTag(
              *table_,
              {.name = "t" + std::to_string(id), .snapshot = snapshot, .time_retained = {}, .ignore_if_exists = false},
              clock_),
          IsOk());
    }
  }

  static std::vector<std::string> Row(int value) { return {R"({"k":1,"v":)" + std::to_string(value) + "}"}; }

  ManualClock clock_{kNow};
  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>(clock_);
  std::optional<Table> table_;
};

TEST_F(RollbackTest, AsLatestKeepsAllSnapshotsAndTags) {
  BRAID_ASSERT_OK_AND_ASSIGN(const RollbackResult result, RollbackAsLatest(*table_, {.id = SnapshotId(2)}, clock_));
  EXPECT_EQ(result.previous, SnapshotId(4));
  EXPECT_EQ(result.current, SnapshotId(5));
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(2)));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot made, ReadSnapshot(*fs_, table_->paths(), SnapshotId(5)));
  EXPECT_EQ(made.commit_kind, CommitKind::kOverwrite);
  EXPECT_EQ(made.total_record_count, 2);
  EXPECT_THAT(ListTags(*fs_, table_->paths()), HasValue(ElementsAre("t2", "t3")));
  EXPECT_THAT(SortedRows(*table_->With(Options(Options::Map{{"scan.snapshot-id", "4"}}))), HasValue(Row(4)));
  ASSERT_THAT(RollbackAsLatest(*table_, {.id = SnapshotId(4)}, clock_), IsOk());
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(4)));
}

// Compaction moves a file whose keys no other has to a higher level as it is. Readers take all deletions of a
// snapshot's manifests together, so that a file must not come to a level whose deletion is still on record.
TEST_F(RollbackTest, AFileThatWasMovedUpCanBeMovedUpAgain) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(fs_,
                                             TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                                            {{"bucket", "1"}, {"write-only", "true"}}),
                                             "/moved"));
  ASSERT_THAT(Insert(table, {{1, 1}}), IsOk());
  ASSERT_THAT(CompactTable(table, true, nullptr, "user", clock_), HasValue(testing::SizeIs(1)));
  for (int round = 0; round < 2; ++round) {
    ASSERT_THAT(RollbackAsLatest(table, {.id = SnapshotId(1)}, clock_), IsOk());
    EXPECT_THAT(SortedRows(table), HasValue(Row(1))) << round;
    ASSERT_THAT(CompactTable(table, true, nullptr, "user", clock_), HasValue(testing::SizeIs(1)));
    EXPECT_THAT(SortedRows(table), HasValue(Row(1))) << round;
  }
}

TEST_F(RollbackTest, HardEndsTheLine) {
  BRAID_ASSERT_OK_AND_ASSIGN(const RollbackResult preview, RollbackHard(*table_, {.id = SnapshotId(2)}, true, clock_));
  EXPECT_THAT(preview.removed_snapshots, ElementsAre(SnapshotId(4), SnapshotId(3)));
  EXPECT_THAT(preview.removed_tags, ElementsAre("t3"));
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(4)));
  ASSERT_THAT(RollbackHard(*table_, {.id = SnapshotId(2)}, false, clock_), IsOk());
  EXPECT_THAT(ListSnapshots(*fs_, table_->paths()), HasValue(ElementsAre(SnapshotId(1), SnapshotId(2))));
  EXPECT_THAT(FindLatestSnapshot(*fs_, table_->paths()), HasValue(std::optional(SnapshotId(2))));
  EXPECT_THAT(ListTags(*fs_, table_->paths()), HasValue(ElementsAre("t2")));
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(2)));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto record, ReadTableRecord(*fs_, table_->paths()));
  ASSERT_TRUE(record.has_value());
  ASSERT_EQ(record->rewinds.at("root").size(), 1U);
  EXPECT_EQ(record->rewinds.at("root")[0].to_snapshot, SnapshotId(2));
  EXPECT_EQ(record->rewinds.at("root")[0].head_before.id, SnapshotId(4));
  // The ids come again.
  ASSERT_THAT(Insert(*table_, {{1, 7}}), IsOk());
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(7)));
  EXPECT_THAT(FindLatestSnapshot(*fs_, table_->paths()), HasValue(std::optional(SnapshotId(3))));
}

TEST_F(RollbackTest, FindsItsTargetByTimeAndTag) {
  ASSERT_THAT(RollbackHard(*table_, {.timestamp_ms = kNow + 2999}, false, clock_), IsOk());
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(3)));
  ASSERT_THAT(RollbackHard(*table_, {.tag = "t2"}, false, clock_), IsOk());
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(2)));
  EXPECT_THAT(RollbackHard(*table_, {.id = SnapshotId(9)}, false, clock_), IsError(ErrorCode::kNotFound));
}

// Lets something else happen once, before the snapshot's file is created or just after a file was.
class RacingFileSystem : public FaultInjectingFileSystem {
 public:
  using Hook = std::function<void()>;
  RacingFileSystem(std::shared_ptr<FileSystem> inner, Hook before_sync, std::string created, Hook after_creating)
      : FaultInjectingFileSystem(std::move(inner)),
        before_sync_(std::move(before_sync)),
        created_(std::move(created)),
        after_creating_(std::move(after_creating)) {}

  Status SyncFiles(std::span<const std::string> paths) override {
    if (const Hook hook = std::exchange(before_sync_, nullptr)) hook();
    return FaultInjectingFileSystem::SyncFiles(paths);
  }
  Status CreateAtomically(std::string_view path, std::string_view content) override {
    BRAID_TRY(FaultInjectingFileSystem::CreateAtomically(path, content));
    if (path == created_) after_creating_();
    return Ok();
  }

 private:
  Hook before_sync_;
  std::string created_;
  Hook after_creating_;
};

TEST_F(RollbackTest, AWriterThatStalledCommitsOnTopOfTheTarget) {
  const auto racing = std::make_shared<RacingFileSystem>(
      fs_, [&] { EXPECT_THAT(RollbackHard(*table_, {.id = SnapshotId(2)}, false, clock_), IsOk()); }, "", nullptr);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table stalled, Table::Open(racing, kTestTableRoot, "d.t"));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<CommitMessage> messages, WriteRows(*table_, {{1, 9}}));
  Committable committable;
  committable.messages = messages;
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> made, TableCommit(stalled, "user", clock_).Commit(committable));
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].id, SnapshotId(3)) << "not 5, behind a gap";
  EXPECT_THAT(ListSnapshots(*fs_, table_->paths()), HasValue(ElementsAre(SnapshotId(1), SnapshotId(2), SnapshotId(3))));
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(9)));
}

TEST_F(RollbackTest, ItsSealMakesWritersWait) {
  Snapshot seal = *ReadSnapshot(*fs_, table_->paths(), SnapshotId(4));
  seal.commit_user = "braid-seal-op";
  seal.properties = {{"braid.seal", "op"}, {"braid.seal.reason", "rollback"}, {"braid.seal.line", "root"}};
  EXPECT_THAT(MayMove(*table_, LineMove::kCommit, seal), IsError(ErrorCode::kUnavailable));
}

TEST_F(RollbackTest, StopsWhereAnotherEngineWritesOn) {
  // Snapshot 5 is the seal, which other engines do not know.
  const auto commit_as_java = [&] {
    Snapshot next = *ReadSnapshot(*fs_, table_->paths(), SnapshotId(5));
    EXPECT_EQ(next.commit_kind, CommitKind::kCompact);
    next.id = SnapshotId(6);
    next.commit_user = "java";
    EXPECT_THAT(CreateSnapshot(*fs_, table_->paths(), next), IsOk());
  };
  const auto racing = std::make_shared<RacingFileSystem>(fs_, nullptr, table_->paths().SnapshotFile(SnapshotId(5)), commit_as_java);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(racing, kTestTableRoot, "d.t"));
  EXPECT_THAT(RollbackHard(table, {.id = SnapshotId(2)}, false, clock_), HasMessage("another engine committed"));
  EXPECT_THAT(FindLatestSnapshot(*fs_, table_->paths()), HasValue(std::optional(SnapshotId(6))));
  BRAID_ASSERT_OK_AND_ASSIGN(std::optional<TableRecord> record, ReadTableRecord(*fs_, table_->paths()));
  EXPECT_THAT(record.value().rewinds["root"], testing::IsEmpty());
  ASSERT_THAT(Insert(*table_, {{1, 8}}), IsOk());
  EXPECT_THAT(SortedRows(*table_), HasValue(Row(8)));
}

TEST_F(RollbackTest, ToTheHeadChangesNothing) {
  ASSERT_THAT(RollbackHard(*table_, {.id = SnapshotId(4)}, false, clock_), IsOk());
  EXPECT_THAT(FindLatestSnapshot(*fs_, table_->paths()), HasValue(std::optional(SnapshotId(4))));
  EXPECT_THAT(ReadTableRecord(*fs_, table_->paths()), HasValue(std::optional<TableRecord>()));
}

}  // namespace
}  // namespace braid
