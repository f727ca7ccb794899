#include "table/branch_merge.h"

#include <gmock/gmock.h>

#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "table/branch_replace.h"
#include "table/branch_table_testing.h"

namespace braid {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

class BranchMergeTest : public BranchTableTest {
 protected:
  void SetUp() override {
    BranchTableTest::SetUp();
    ASSERT_NO_FATAL_FAILURE(Fork());
  }
  void Fork() {
    ASSERT_THAT(CreateBranch(Context(), {.name = "dev", .latest = true}), IsOk());
    ASSERT_NO_FATAL_FAILURE(Add("dev", 30));
    ASSERT_NO_FATAL_FAILURE(Add("dev", 31));
    ASSERT_NO_FATAL_FAILURE(TagSnapshot("dev", "made", 4));
  }
};

TEST_F(BranchMergeTest, GivesMainTheBranchsSnapshotsUnderTheirIds) {
  BRAID_ASSERT_OK_AND_ASSIGN(const MergeReport report, FastForward(Context(), {.source = "dev"}));
  EXPECT_THAT(report.published, ElementsAre(SnapshotId(4), SnapshotId(5)));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "30", "31")));
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "2"}}), HasValue(ElementsAre("1", "2")));
  EXPECT_THAT(Rows("main", {{"scan.tag-name", "made"}}), HasValue(ElementsAre("1", "2", "3", "30")));
  EXPECT_EQ(SnapshotIdentity(*ReadSnapshot(*fs_, root_, SnapshotId(5))), SnapshotIdentity(*ReadSnapshot(*fs_, root_.OnBranch("dev"), SnapshotId(5))));
  BRAID_ASSERT_OK_AND_ASSIGN(const MergeReport again, FastForward(Context(), {.source = "dev"}));
  EXPECT_EQ(again.state, MergeState::kNothingToMerge);
  ASSERT_NO_FATAL_FAILURE(Add("dev", 32));
  ASSERT_THAT(FastForward(Context(), {.source = "dev"}), IsOk()) << "from the last merge on";
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "30", "31", "32")));
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  ASSERT_THAT(FastForward(Context(), {.source = "main", .target = "dev"}), IsOk()) << "the other way";
  EXPECT_THAT(Rows("dev"), HasValue(ElementsAre("1", "2", "3", "30", "31", "32", "4")));
}

TEST_F(BranchMergeTest, RefusesWhenBothMovedAndSaysHow) {
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  EXPECT_THAT(FastForward(Context(), {.source = "dev"}), HasMessage("main has 1 commits since snapshot 3 that dev does not have: 4"));
  BRAID_ASSERT_OK_AND_ASSIGN(const MergeReport report, CompareBranches(Context(), "dev", "main"));
  EXPECT_EQ(report.state, MergeState::kDiverged);
  EXPECT_EQ(report.source_snapshots.size(), 2U);
  EXPECT_EQ(report.target_snapshots.size(), 1U);
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "4")));
}

TEST_F(BranchMergeTest, RefusesTagsAndSchemasThatContradict) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "made", 1));
  EXPECT_THAT(FastForward(Context(), {.source = "dev"}), HasMessage("tag made means snapshot 4 on dev and 1 on main"));
  BRAID_ASSERT_OK_AND_ASSIGN(TableSchema schema, ReadSchema(*fs_, root_, SchemaId(0)));
  schema.id = SchemaId(1);
  ASSERT_THAT(WriteSchema(*fs_, root_, schema), IsOk());
  schema.fields.push_back({.id = FieldId(1), .name = "x", .type = DataType::Int(), .description = {}, .default_value = {}});
  ASSERT_THAT(WriteSchema(*fs_, root_.OnBranch("dev"), schema), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table dev, Open("dev"));
  ASSERT_THAT(Insert(dev, {{32, 1}}), IsOk());
  EXPECT_THAT(FastForward(Context(), {.source = "dev", .skip_clashing_tags = true}), HasMessage("changed differently"));
}

TEST_F(BranchMergeTest, RefusesAGapInTheBranchsHistory) {
  ASSERT_THAT(fs_->Delete(root_.OnBranch("dev").SnapshotFile(SnapshotId(4))), IsOk());
  ASSERT_THAT(fs_->Delete(root_.OnBranch("dev").SnapshotFile(SnapshotId(3))), IsOk());
  EXPECT_THAT(FastForward(Context(), {.source = "dev"}), IsError(ErrorCode::kUnsupported));
}

TEST_F(BranchMergeTest, DoesNotTakeAnExpiredCommitForNothing) {
  BRAID_ASSERT_OK_AND_ASSIGN(Snapshot last, ReadSnapshot(*fs_, root_.OnBranch("dev"), SnapshotId(5)));
  last.commit_kind = CommitKind::kCompact;
  ASSERT_THAT(fs_->Replace(root_.OnBranch("dev").SnapshotFile(SnapshotId(5)), PrintSnapshot(last)), IsOk());
  for (const int id : {3, 4}) ASSERT_THAT(DeleteSnapshot(*fs_, root_.OnBranch("dev"), SnapshotId(id)), IsOk());
  EXPECT_THAT(FastForward(Context(), {.source = "dev"}), IsError(ErrorCode::kUnsupported)) << "4 brought rows";
}

TEST_F(BranchMergeTest, ABranchWhoseParentIsGoneGoesBackToTheLastSnapshotThatMainHas) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "next", .from_branch = "dev", .latest = true}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("next", 40));
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "own", 4));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "dev", .force = true}), IsOk());
  EXPECT_THAT(FastForward(Context(), {.source = "next"}), IsError(ErrorCode::kConflict)) << "main has a row of its own";
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "4")));
  EXPECT_THAT(ReplaceMain(Context(), {.name = "next"}), HasMessage("tags after the fork"));
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain replaced, ReplaceMain(Context(), {.name = "next", .keep_as = "old"}));
  EXPECT_EQ(replaced.fork.id, SnapshotId(3));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "30", "31", "40")));
  EXPECT_THAT(ReadTag(*fs_, root_, "own"), IsError(ErrorCode::kNotFound));
  EXPECT_EQ(ReadTag(*fs_, root_, ForkGuardTag("old"))->snapshot.id, SnapshotId(3));
}

TEST_F(BranchMergeTest, FinishesWhatAnotherEngineWentOnFrom) {
  // Stopped when the first of two snapshots was published; then somebody committed to main and expired what was below.
  bool published = false;
  for (std::int64_t nth = 1; !published; ++nth) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_NO_FATAL_FAILURE(Fork());
    const auto stopping = std::make_shared<FaultInjectingFileSystem>(fs_);
    stopping->FailAt(nth, FaultInjectingFileSystem::Fault::kStop);
    ASSERT_FALSE(FastForward(Context(stopping), {.source = "dev"}));
    published = fs_->Exists(root_.SnapshotFile(SnapshotId(4))).value();
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(*fs_, root_));
  ASSERT_EQ(consumers.size(), 1U) << "expiry of other engines keeps what is being published";
  EXPECT_EQ(consumers[0].next_snapshot, SnapshotId(4));
  BRAID_ASSERT_OK_AND_ASSIGN(Snapshot theirs, ReadSnapshot(*fs_, root_, SnapshotId(4)));
  theirs.id = SnapshotId(5);
  theirs.delta_manifest_list = "manifest-list-of-java";
  ASSERT_THAT(CreateSnapshot(*fs_, root_, theirs), IsOk());
  for (int id = 1; id <= 3; ++id) ASSERT_THAT(DeleteSnapshot(*fs_, root_, SnapshotId(id)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable repaired, LockedTable::Acquire(Context()));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(*fs_, root_));
  EXPECT_THAT(ids, ElementsAre(SnapshotId(4), SnapshotId(5)));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto record, ReadForkRecord(*fs_, root_.OnBranch("dev")));
  ASSERT_EQ(record->links.size(), 1U);
  EXPECT_EQ(record->links[0].target.id, SnapshotId(4));
  EXPECT_EQ(ReadTag(*fs_, root_, LinkGuardTag("dev", 1))->snapshot.id, SnapshotId(4));
  EXPECT_THAT(ListConsumers(*fs_, root_), HasValue(IsEmpty()));
}

TEST_F(BranchMergeTest, ABranchThatAnotherEngineRenamedKeepsItsGuardTags) {
  ASSERT_THAT(fs_->Rename(root_.OnBranch("dev").BranchDirectory(), root_.OnBranch("work").BranchDirectory()), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "dev", .snapshot = SnapshotId(1)}), IsOk());
  EXPECT_EQ(ReadTag(*fs_, root_, ForkGuardTag("work"))->snapshot.id, SnapshotId(3));
  EXPECT_EQ(ReadTag(*fs_, root_, ForkGuardTag("dev"))->snapshot.id, SnapshotId(1));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "dev"}), IsOk());
  EXPECT_THAT(ReadTag(*fs_, root_, ForkGuardTag("work")), IsOk());
  EXPECT_EQ((*ReadForkRecord(*fs_, root_.OnBranch("work")))->name, "work");
}

TEST_F(BranchMergeTest, ARenameIsFinishedAlthoughTheFormerNameIsTakenAgain) {
  for (std::int64_t nth = 1;; ++nth) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_NO_FATAL_FAILURE(Fork());
    const auto stopping = std::make_shared<FaultInjectingFileSystem>(fs_);
    stopping->FailAt(nth, FaultInjectingFileSystem::Fault::kStop);
    ASSERT_FALSE(RenameBranch(Context(stopping), {.from = "dev", .to = "work"}));
    if (fs_->Exists(root_.OnBranch("work").BranchDirectory()).value()) break;
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string schema, fs_->ReadAll(root_.SchemaFile(SchemaId(0))));
  ASSERT_THAT(fs_->Replace(root_.OnBranch("dev").SchemaFile(SchemaId(0)), schema), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable repaired, LockedTable::Acquire(Context()));
  EXPECT_THAT(ReadTag(*fs_, root_, ForkGuardTag("work")), IsOk());
  EXPECT_THAT(ReadTag(*fs_, root_, ForkGuardTag("dev")), IsError(ErrorCode::kNotFound));
}

TEST_F(BranchMergeTest, PublishesInOrderWhereverItFails) {
  SweepFailures(
      [&](const OperationContext&) {
        Fork();
        return Ok();
      },
      [](const OperationContext& context) -> Status {
        BRAID_TRY(FastForward(context, {.source = "dev"}));
        return Ok();
      },
      [&] {
        EXPECT_THAT(Rows("main"), HasValue(AnyOf(ElementsAre("1", "2", "3"), ElementsAre("1", "2", "3", "30"), ElementsAre("1", "2", "3", "30", "31"))));
        EXPECT_THAT(Rows("dev"), HasValue(ElementsAre("1", "2", "3", "30", "31")));
      },
      [&] { return Rows("main")->size() == 5; });
}

}  // namespace
}  // namespace braid
