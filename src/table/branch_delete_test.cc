// What deleting a branch leaves: the files that are there must be those that an independent walk over all other lines
// finds needed.

#include <algorithm>
#include <iterator>

#include <gmock/gmock.h>

#include "table/branch_replace.h"
#include "table/branch_table_testing.h"
#include "table/branches.h"
#include "table/expire.h"
#include "table/rollback.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BranchDeleteTest : public BranchTableTest {
 protected:
  std::set<std::string> Needed() const {
    Result<std::set<std::string>> needed = NeededFiles(*fs_, kTestTableRoot).Find();
    EXPECT_TRUE(needed.has_value()) << needed.error().ToString();
    return needed ? *std::move(needed) : std::set<std::string>();
  }

  void ExpectOnlyNeededFiles() const {
    EXPECT_EQ(PresentFiles(*fs_), Needed());
    EXPECT_THAT(FilesWith("/.dropped-"), IsEmpty());
  }

  void ExpireAllButTheHead(std::string_view branch) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open(branch));
    ASSERT_THAT(ExpireSnapshots(table, {.snapshots = {.retain_max = 1}}, SystemClock()), IsOk());
  }

  void WriteLease(const std::string& line_id) {
    const std::string lease = R"({"lineId":")" + line_id + R"(","owner":"job1","heartbeatMillis":)" +
                              std::to_string(SystemClock().NowMs()) + R"(,"ttlMillis":60000,"snapshots":[]})";
    ASSERT_THAT(fs_->Replace(JoinPath(root_.LeaseDirectory(), "r.json"), lease), IsOk());
  }
};

TEST_F(BranchDeleteTest, WhatOnlyTheBranchUsedGoes) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  for (const int row : {20, 21}) ASSERT_NO_FATAL_FAILURE(Add("b", row));
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("b", "mine", 3));
  const std::size_t data_files = FilesWith("/bucket-0/").size();
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "b"}));
  EXPECT_EQ(deleted.files.data_files, 2);
  EXPECT_EQ(deleted.unreclaimed, "");
  EXPECT_EQ(FilesWith("/bucket-0/").size(), data_files - 2);
  ExpectOnlyNeededFiles();
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
}

TEST_F(BranchDeleteTest, FilesThatMainGaveUpGoWithTheirLastBranch) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(3)}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "twin", .snapshot = SnapshotId(3)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(RollbackAsLatest(main, {.id = SnapshotId(1)}, SystemClock()), IsOk());
  ASSERT_NO_FATAL_FAILURE(ExpireAllButTheHead("main"));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b"}), IsOk());
  ExpectOnlyNeededFiles();
  EXPECT_EQ(FilesWith("/bucket-0/").size(), 3U) << "the twin needs them";
  EXPECT_THAT(Rows("twin"), HasValue(ElementsAre("1", "2", "3")));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "twin"}), IsOk());
  ExpectOnlyNeededFiles();
  EXPECT_EQ(FilesWith("/bucket-0/").size(), 1U);
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1")));
}

TEST_F(BranchDeleteTest, ABranchMadeFromItKeepsWhatItNeeds) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  for (const int row : {20, 21}) ASSERT_NO_FATAL_FAILURE(Add("b", row));
  ASSERT_THAT(CreateBranch(Context(), {.name = "child", .from_branch = "b", .snapshot = SnapshotId(3)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("child", 30));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b", .force = true}), IsOk());
  ExpectOnlyNeededFiles();
  EXPECT_THAT(Rows("child"), HasValue(ElementsAre("1", "2", "20", "30")));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "child"}), IsOk());
  ExpectOnlyNeededFiles();
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
}

TEST_F(BranchDeleteTest, MainKeepsWhatAnotherEngineMergedWithoutARecord) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(3)}), IsOk());
  for (const int row : {20, 21, 22}) ASSERT_NO_FATAL_FAILURE(Add("b", row));
  // As Java fast-forwards: the branch's snapshots are copied, and nothing says so.
  for (const int id : {4, 5, 6}) {
    const TablePaths branch = root_.OnBranch("b");
    BRAID_ASSERT_OK_AND_ASSIGN(const std::string snapshot, fs_->ReadAll(branch.SnapshotFile(SnapshotId(id))));
    ASSERT_THAT(fs_->Replace(root_.SnapshotFile(SnapshotId(id)), snapshot), IsOk());
  }
  ASSERT_THAT(WriteLatestHint(*fs_, root_, SnapshotId(6)), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  ASSERT_NO_FATAL_FAILURE(ExpireAllButTheHead("main"));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b"}), IsOk());
  ExpectOnlyNeededFiles();
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21", "22", "3", "4")));
}

TEST_F(BranchDeleteTest, ItsChangelogGoesAndWhatItSharesStays) {
  fs_ = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table main,
      CreateTestTable(fs_, TestDefinition({{"k", DataType::Int().NotNull()}}, {"k"},
                                          {{"bucket", "1"}, {"changelog-producer", "input"}, {"write-only", "true"}})));
  for (const int row : {1, 2}) ASSERT_THAT(Insert(main, {{row}}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  const std::size_t changelogs = FilesWith("/changelog-").size();
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "b"}));
  EXPECT_EQ(deleted.files.data_files, 2) << "one of rows, one of changes";
  EXPECT_EQ(FilesWith("/changelog-").size(), changelogs - 1);
  ExpectOnlyNeededFiles();
}

TEST_F(BranchDeleteTest, ADryRunListsWhatThenGoes) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  const std::vector<std::string> before = fs_->AllFiles();
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch told, DeleteBranch(Context(), {.name = "b", .dry_run = true}));
  EXPECT_EQ(fs_->AllFiles(), before);
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b"}), IsOk());
  const std::vector<std::string> after = fs_->AllFiles();
  std::vector<std::string> gone;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
  std::erase_if(gone, [](const std::string& path) {
    return path.find("/branch/") != std::string::npos || path.find("/tag/") != std::string::npos;
  });
  EXPECT_EQ(told.files.paths, gone);
}

TEST_F(BranchDeleteTest, FilesStayIfThatIsWantedAndGoLater) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  const std::set<std::string> before = PresentFiles(*fs_);
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "b", .reclaim = false}));
  EXPECT_THAT(deleted.unreclaimed, HasSubstr(".dropped-"));
  EXPECT_EQ(deleted.unreclaimed_reason, "");
  EXPECT_EQ(PresentFiles(*fs_), before);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto told, ReclaimDropped(Context(), true));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told.front().name, "b");
  EXPECT_EQ(told.front().files.data_files, 1);
  EXPECT_EQ(PresentFiles(*fs_), before);
  ASSERT_THAT(ReclaimDropped(Context(), false), HasValue(testing::SizeIs(1)));
  ExpectOnlyNeededFiles();
}

TEST_F(BranchDeleteTest, TheTableSaysWhetherFilesGoAtOnce) {
  BRAID_ASSERT_OK_AND_ASSIGN(TableSchema schema, ReadSchema(*fs_, root_, SchemaId(0)));
  schema.id = SchemaId(1);
  schema.options.Set("branch.delete.reclaim", "false");
  ASSERT_THAT(WriteSchema(*fs_, root_, schema), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "b"}));
  EXPECT_NE(deleted.unreclaimed, "");
}

TEST_F(BranchDeleteTest, AReaderOfAForciblyDeletedBranchFinishesFirst) {
  BRAID_ASSERT_OK_AND_ASSIGN(const CreatedBranch created, CreateBranch(Context(), {.name = "b", .latest = true}));
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  ASSERT_NO_FATAL_FAILURE(WriteLease(created.record.branch_id));
  const std::set<std::string> before = PresentFiles(*fs_);
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "b", .force = true}));
  EXPECT_THAT(deleted.unreclaimed_reason, HasSubstr("read by job1"));
  EXPECT_EQ(PresentFiles(*fs_), before);
  EXPECT_THAT(ReclaimDropped(Context(), false), HasValue(ElementsAre(testing::Field(&ReclaimedBranch::kept_reason, HasSubstr("job1")))));
  ASSERT_THAT(fs_->Delete(JoinPath(root_.LeaseDirectory(), "r.json")), IsOk());
  ASSERT_THAT(ReclaimDropped(Context(), false), IsOk());
  ExpectOnlyNeededFiles();
}

TEST_F(BranchDeleteTest, ALineThatCannotBeReadKeepsEverything) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  ASSERT_THAT(CreateBranch(Context(), {.name = "other", .latest = true}), IsOk());
  const TablePaths other = root_.OnBranch("other");
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string record, fs_->ReadAll(other.ForkRecordFile()));
  ASSERT_THAT(fs_->Replace(other.ForkRecordFile(), "{"), IsOk());
  const std::set<std::string> before = PresentFiles(*fs_);
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "b"}));
  EXPECT_THAT(deleted.unreclaimed_reason, HasSubstr("cannot be told"));
  EXPECT_EQ(PresentFiles(*fs_), before);
  EXPECT_THAT(Rows("b"), IsError(ErrorCode::kNotFound)) << "the branch is gone all the same";
  EXPECT_THAT(CreateBranch(Context(), {.name = "next"}), IsOk()) << "and nothing else is held up";
  ASSERT_THAT(fs_->Replace(other.ForkRecordFile(), record), IsOk());
  ASSERT_THAT(ReclaimDropped(Context(), false), IsOk());
  ExpectOnlyNeededFiles();
}

TEST_F(BranchDeleteTest, WhateverFailsTheNextCommandCompletesIt) {
  SweepFailures(
      [&](const OperationContext& context) -> Status {
        BRAID_TRY(CreateBranch(context, {.name = "b", .snapshot = SnapshotId(2)}));
        Add("b", 20);
        BRAID_TRY(CreateBranch(context, {.name = "child", .from_branch = "b", .latest = true}));
        Add("b", 21);
        return Ok();
      },
      [](const OperationContext& context) -> Status {
        BRAID_TRY(DeleteBranch(context, {.name = "b", .force = true}));
        return Ok();
      },
      [&] {
        EXPECT_THAT(Rows("child"), HasValue(ElementsAre("1", "2", "20")));
        EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
        // Nothing is in progress: the branch is there, or it is gone with its files.
        if (!FilesWith("/.braid/op/").empty()) return;
        if (Rows("b")) {
          EXPECT_THAT(Rows("b"), HasValue(ElementsAre("1", "2", "20", "21")));
        } else {
          ExpectOnlyNeededFiles();
        }
      },
      [&] { return !Rows("b").has_value(); });
}

TEST_F(BranchTableTest, AChildKeepsItsOwnForkPointWhereItIsBelowThatOfItsDeletedParent) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "low", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "high", .latest = true}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("high", 30));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "high", .keep_as = "old"}), IsOk());
  ASSERT_THAT(DeleteBranch(Context(), {.name = "old", .force = true}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto record, ReadForkRecord(*fs_, root_.OnBranch("low")));
  ASSERT_TRUE(record && record->anchor);
  EXPECT_EQ(record->anchor->snapshot.id, SnapshotId(2)) << "it does not have 3, from which its parent was made";
  EXPECT_EQ(ReadTag(*fs_, root_, ForkGuardTag("low"))->snapshot.id, SnapshotId(2));
}

}  // namespace
}  // namespace braid
