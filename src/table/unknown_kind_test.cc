// Snapshots whose commit kind only a newer writer knows.

#include <gtest/gtest.h>

#include "meta/snapshot_json.h"
#include "table/table_testing.h"

namespace braid {
namespace {

// A table of two snapshots, the second of kind TELEPORT.
class UnknownKindTest : public testing::Test {
 protected:
  void SetUp() override {
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}}, {}, {{"bucket", "-1"}})));
    ASSERT_THAT(Insert(*table_, {{1}}), IsOk());
    ASSERT_THAT(Insert(*table_, {{2}}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(Snapshot second, ReadSnapshot(*fs_, table_->paths(), SnapshotId(2)));
    second.commit_kind = CommitKind::kUnknown;
    second.commit_kind_text = "TELEPORT";
    ASSERT_THAT(fs_->Replace(table_->paths().SnapshotFile(SnapshotId(2)), PrintSnapshot(second)), IsOk());
  }

  Table With(Options::Map options) const {
    Result<Table> table = table_->With(Options(std::move(options)));
    EXPECT_THAT(table, IsOk());
    return *table;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::optional<Table> table_;
};

TEST_F(UnknownKindTest, TheStateIsReadAsEver) {
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(*table_));
  EXPECT_THAT(rows, testing::ElementsAre(R"({"k":1})", R"({"k":2})"));
}

TEST_F(UnknownKindTest, ChangesAreNotRead) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto stream, StreamScan::Open(With({{"scan.snapshot-id", "1"}}), {}));
  EXPECT_THAT(stream->Next(), IsOk());
  const auto second = stream->Next();
  EXPECT_THAT(second, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(second, HasMessage("TELEPORT"));
  EXPECT_EQ(stream->next_snapshot(), SnapshotId(2));
  EXPECT_THAT(PlanBatch(With({{"incremental-between", "0,2"}}), {}), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(PlanBatch(With({{"incremental-between", "0,1"}}), {}), IsOk());
  EXPECT_THAT(table_->With(Options(Options::Map{{"scan.mode", "compacted-full"}})), IsError(ErrorCode::kUnsupported));
}

TEST_F(UnknownKindTest, NothingIsWritten) {
  const auto committed = Insert(*table_, {{3}});
  EXPECT_THAT(committed, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(committed, HasMessage("snapshot 2 has the commit kind 'TELEPORT'"));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto latest, FindLatestSnapshot(*fs_, table_->paths()));
  EXPECT_EQ(latest, SnapshotId(2));
}

}  // namespace
}  // namespace braid
