#include "table/branches.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "table/branch_table_testing.h"
#include "table/expire.h"
#include "table/seal.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using BranchesTest = BranchTableTest;

TEST_F(BranchesTest, ABranchFromATagReadsAsTheTagAndGoesItsOwnWay) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "two", 2));
  const std::vector<std::string> before = fs_->AllFiles();
  BRAID_ASSERT_OK_AND_ASSIGN(const CreatedBranch created, CreateBranch(Context(), {.name = "fix", .tag = "two"}));
  EXPECT_EQ(created.record.kind, ForkKind::kTag);
  EXPECT_EQ(created.record.parent_line_id, kRootLineId);
  EXPECT_EQ(created.record.anchor->snapshot.id, SnapshotId(2));
  EXPECT_EQ(created.record.created_by, "ana@here");
  EXPECT_THAT(Rows("fix"), HasValue(ElementsAre("1", "2")));
  for (const std::string& file : fs_->AllFiles()) {
    if (std::binary_search(before.begin(), before.end(), file)) continue;
    EXPECT_TRUE(file.find("/branch/branch-fix/") != std::string::npos || file.find("/.braid/") != std::string::npos ||
                file.ends_with("/tag/tag-braid-fork-fix"))
        << file;
  }
  ASSERT_NO_FATAL_FAILURE(Add("fix", 30));
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  EXPECT_THAT(Rows("fix"), HasValue(ElementsAre("1", "2", "30")));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "4")));
  EXPECT_THAT(Rows("fix", {{"scan.tag-name", "two"}}), HasValue(ElementsAre("1", "2")));
}

TEST_F(BranchesTest, MakesBranchesFromEverySource) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "by-id", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "newest", .latest = true}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "empty"}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("by-id", 20));
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("by-id", "mine", 3));
  ASSERT_THAT(CreateBranch(Context(), {.name = "deep", .from_branch = "by-id", .tag = "mine"}), IsOk());
  EXPECT_THAT(Rows("by-id"), HasValue(ElementsAre("1", "2", "20")));
  EXPECT_THAT(Rows("newest"), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(Rows("empty"), HasValue(IsEmpty()));
  EXPECT_THAT(Rows("deep"), HasValue(ElementsAre("1", "2", "20")));
  ASSERT_NO_FATAL_FAILURE(Add("empty", 9));
  EXPECT_THAT(Rows("empty"), HasValue(ElementsAre("9")));
}

TEST_F(BranchesTest, ATagWhoseSnapshotExpiredIsEnough) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "two", 2));
  for (const int id : {1, 2}) ASSERT_THAT(fs_->Delete(root_.SnapshotFile(SnapshotId(id))), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .tag = "two"}), IsOk());
  EXPECT_THAT(Rows("fix"), HasValue(ElementsAre("1", "2")));
  ASSERT_THAT(CreateBranch(Context(), {.name = "other", .snapshot = SnapshotId(2)}), IsOk());
  EXPECT_THAT(CreateBranch(Context(), {.name = "none", .snapshot = SnapshotId(1)}), IsError(ErrorCode::kNotFound));
}

TEST_F(BranchesTest, ABranchReadsOnWhenItsTagAndSnapshotAreGone) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "two", 2));
  ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .tag = "two"}), IsOk());
  ASSERT_THAT(fs_->Delete(root_.TagFile("two")), IsOk());
  ASSERT_THAT(fs_->Delete(root_.SnapshotFile(SnapshotId(2))), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const TableLines lines, ListLines(*fs_, kTestTableRoot));
  EXPECT_EQ(lines.Find("fix")->record->tag, "two");
  EXPECT_EQ(lines.Find("fix")->record->anchor->snapshot.id, SnapshotId(2));
}

TEST_F(BranchesTest, RefusesBadRequestsAndLeavesNothingBehind) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "there"}), IsOk());
  struct Case {
    std::string what;
    CreateBranchRequest request;
    ErrorCode code;
  };
  const std::vector<Case> cases = {
      {"blank", {.name = ""}, ErrorCode::kInvalidArgument},
      {"main", {.name = "Main"}, ErrorCode::kInvalidArgument},
      {"number", {.name = "123"}, ErrorCode::kInvalidArgument},
      {"slash", {.name = "a/b"}, ErrorCode::kInvalidArgument},
      {"dollar", {.name = "a$b"}, ErrorCode::kInvalidArgument},
      {"dots", {.name = "a..b"}, ErrorCode::kInvalidArgument},
      {"leading dot", {.name = ".a"}, ErrorCode::kInvalidArgument},
      {"trailing space", {.name = "a "}, ErrorCode::kInvalidArgument},
      {"control character", {.name = "a\nb"}, ErrorCode::kInvalidArgument},
      {"no UTF-8", {.name = "a\xff"}, ErrorCode::kInvalidArgument},
      {"too long", {.name = std::string(129, 'x')}, ErrorCode::kInvalidArgument},
      {"two sources", {.name = "b", .tag = "t", .latest = true}, ErrorCode::kInvalidArgument},
      {"there already", {.name = "there"}, ErrorCode::kAlreadyExists},
      {"no such tag", {.name = "b", .tag = "none"}, ErrorCode::kNotFound},
      {"no such snapshot", {.name = "b", .snapshot = SnapshotId(9)}, ErrorCode::kNotFound},
      {"no such parent", {.name = "b", .from_branch = "none"}, ErrorCode::kNotFound},
      {"before the first", {.name = "b", .timestamp_ms = 1}, ErrorCode::kNotFound},
  };
  const std::vector<std::string> before = fs_->AllFiles();
  for (const Case& c : cases) {
    EXPECT_THAT(CreateBranch(Context(), c.request), IsError(c.code)) << c.what;
    EXPECT_EQ(fs_->AllFiles(), before) << c.what;
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const CreatedBranch existing, CreateBranch(Context(), {.name = "there", .if_not_exists = true}));
  EXPECT_TRUE(existing.existed);
}

TEST_F(BranchesTest, SaysWhichLineHasTheTag) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "two", 2));
  ASSERT_THAT(CreateBranch(Context(), {.name = "b"}), IsOk());
  EXPECT_THAT(CreateBranch(Context(), {.name = "c", .from_branch = "b", .tag = "two"}), HasMessage("main has it"));
}

TEST_F(BranchesTest, RefusesASnapshotThatAnotherEngineMayBeExpiring) {
  BRAID_ASSERT_OK_AND_ASSIGN(TableSchema schema, ReadSchema(*fs_, root_, SchemaId(0)));
  schema.id = SchemaId(1);
  schema.options.Set("snapshot.num-retained.min", "1");
  schema.options.Set("snapshot.num-retained.max", "2");
  ASSERT_THAT(WriteSchema(*fs_, root_, schema), IsOk());
  EXPECT_THAT(CreateBranch(Context(), {.name = "old", .snapshot = SnapshotId(1)}), IsError(ErrorCode::kConflict));
  EXPECT_THAT(CreateBranch(Context(), {.name = "new", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "one", 1));
  EXPECT_THAT(CreateBranch(Context(), {.name = "old", .snapshot = SnapshotId(1)}), IsOk());
}

TEST_F(BranchesTest, OneOfTwoOperationsWaitsForTheOther) {
  BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable held, LockedTable::Acquire(Context()));
  EXPECT_THAT(CreateBranch(Context(), {.name = "b"}), IsError(ErrorCode::kUnavailable));
}

TEST_F(BranchesTest, DeletesABranchAndFreesItsName) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("b", 20));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b", .dry_run = true}), IsOk());
  EXPECT_THAT(Rows("b"), IsOk());
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b"}), IsOk());
  EXPECT_THAT(Rows("b"), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(FilesWith("braid-fork-b"), testing::Each(testing::HasSubstr(".dropped-")));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(CreateBranch(Context(), {.name = "b"}), IsOk());
}

TEST_F(BranchesTest, RefusesToDeleteWhatIsInUse) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "parent", .latest = true}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "child", .from_branch = "parent", .latest = true}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "shield", .is_protected = true}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "current"}), IsOk());
  EXPECT_THAT(DeleteBranch(Context(), {.name = "main"}), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(DeleteBranch(Context(), {.name = "curent"}), HasMessage("did you mean 'current'?"));
  EXPECT_THAT(DeleteBranch(Context(), {.name = "parent"}), IsError(ErrorCode::kConflict));
  EXPECT_THAT(DeleteBranch(Context(), {.name = "shield"}), IsError(ErrorCode::kPermissionDenied));
  ASSERT_THAT(ProtectBranch(Context(), "shield", false), IsOk());
  EXPECT_THAT(DeleteBranch(Context(), {.name = "shield"}), IsOk());
  ASSERT_THAT(WriteMainBranch(*fs_, root_, "current"), IsOk());
  EXPECT_THAT(DeleteBranch(Context(), {.name = "current"}), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(BranchesTest, ChildrenOfADeletedBranchGetItsParent) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "parent", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("parent", 20));
  ASSERT_THAT(CreateBranch(Context(), {.name = "child", .from_branch = "parent", .latest = true}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const DeletedBranch deleted, DeleteBranch(Context(), {.name = "parent", .force = true}));
  EXPECT_THAT(deleted.reparented, ElementsAre("child"));
  BRAID_ASSERT_OK_AND_ASSIGN(const TableLines lines, ListLines(*fs_, kTestTableRoot));
  const ForkRecord& record = *lines.Find("child")->record;
  EXPECT_EQ(record.parent_line_id, kRootLineId);
  EXPECT_EQ(record.anchor->snapshot.id, SnapshotId(2));
  EXPECT_EQ(record.base->id, SnapshotId(3)) << "its own base stays";
  EXPECT_THAT(Rows("child"), HasValue(ElementsAre("1", "2", "20")));
  EXPECT_THAT(ReadTag(*fs_, root_, "braid-fork-child"), IsOk());
}

TEST_F(BranchesTest, AReaderThatReadsABranchIsNotHurtUnlessForced) {
  BRAID_ASSERT_OK_AND_ASSIGN(const CreatedBranch created, CreateBranch(Context(), {.name = "b"}));
  const std::string lease = R"({"lineId":")" + created.record.branch_id + R"(","snapshots":[],"owner":"job1","heartbeatMillis":)" +
                            std::to_string(SystemClock().NowMs()) + R"(,"ttlMillis":60000})";
  ASSERT_THAT(fs_->Replace(JoinPath(root_.LeaseDirectory(), "r.json"), lease), IsOk());
  EXPECT_THAT(DeleteBranch(Context(), {.name = "b"}), HasMessage("used by readers: job1"));
  EXPECT_THAT(DeleteBranch(Context(), {.name = "b", .force = true}), IsOk());
}

TEST_F(BranchesTest, RenamesABranchWithoutLosingACommit) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "old", .snapshot = SnapshotId(1)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table writer, Open("old"));
  ASSERT_THAT(RenameBranch(Context(), {.from = "old", .to = "new"}), IsOk());
  ASSERT_THAT(Insert(writer, {{10}}), IsOk());
  EXPECT_THAT(Rows("new"), HasValue(ElementsAre("1", "10")));
  EXPECT_THAT(Rows("old"), HasValue(ElementsAre("1", "10"))) << "the old name is an alias";
  EXPECT_THAT(SortedRows(writer), IsOk()) << "so is the place that an open handle knows";
  EXPECT_THAT(FilesWith("braid-fork-old"), IsEmpty());
  EXPECT_EQ(FilesWith("braid-fork-new").size(), 2U);
  EXPECT_THAT(CreateBranch(Context(), {.name = "old"}), HasMessage("another name of branch new"));
  ASSERT_THAT(CreateBranch(Context(), {.name = "old", .replace_alias = true}), IsOk());
  EXPECT_THAT(Insert(writer, {{11}}), IsError(ErrorCode::kConflict));
  EXPECT_THAT(Rows("old"), HasValue(IsEmpty()));
}

TEST_F(BranchesTest, AWriterOfADeletedBranchFailsAlsoWhenTheNameIsUsedAgain) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b"}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table writer, Open("b"));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "b"}), IsOk());
  EXPECT_THAT(Insert(writer, {{10}}), IsError(ErrorCode::kNotFound));
  ASSERT_THAT(CreateBranch(Context(), {.name = "b"}), IsOk());
  EXPECT_THAT(Insert(writer, {{10}}), HasMessage("was deleted and created again"));
  EXPECT_THAT(Rows("b"), HasValue(IsEmpty()));
}

TEST_F(BranchesTest, WritersOfMainStopWhenAnotherBranchBecomesMain) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(1)}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table writer, Open("main"));
  ASSERT_THAT(WriteMainBranch(*fs_, root_, "b"), IsOk());
  EXPECT_THAT(Insert(writer, {{4}}), HasMessage("another branch has become main"));
  EXPECT_THAT(SortedRows(writer), HasValue(testing::SizeIs(3))) << "a reader goes on with what it opened";
  ASSERT_NO_FATAL_FAILURE(Add("main", 10));
  EXPECT_THAT(Rows("b"), HasValue(ElementsAre("1", "10")));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "10")));
}

TEST_F(BranchesTest, ASealEndsALineAndUnsealOpensItAgain) {
  BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable locked, LockedTable::Acquire(Context()));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot sealed, SealLine(locked, root_, {.operation = "op", .reason = "replace", .moved_to = {}}));
  EXPECT_EQ(sealed.id, SnapshotId(4));
  EXPECT_EQ(SealLine(locked, root_, {.operation = "op", .reason = "replace", .moved_to = {}})->id, SnapshotId(4)) << "sealed once";
  BRAID_ASSERT_OK_AND_ASSIGN(const Table writer, Open("main"));
  EXPECT_THAT(Insert(writer, {{4}}), IsError(ErrorCode::kConflict));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  ASSERT_THAT(UnsealLine(locked, root_, "op"), IsOk());
  EXPECT_THAT(Insert(writer, {{4}}), IsOk());
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "4")));
}

TEST_F(BranchesTest, ASealIsBelievedOnlyOfTheUserThatSeals) {
  Snapshot copied;
  copied.commit_user = "java";
  copied.properties = {{"braid.seal", "op"}};
  EXPECT_FALSE(SealOf(copied));
  copied.commit_user = "braid-seal-op";
  EXPECT_TRUE(SealOf(copied));
}

TEST_F(BranchesTest, AdoptsABranchThatAnotherEngineMade) {
  for (const char* file : {"schema/schema-0", "snapshot/snapshot-2"}) {
    ASSERT_THAT(fs_->Replace(JoinPath("/warehouse/d.db/t/branch/branch-java", file), *fs_->ReadAll(JoinPath(kTestTableRoot, file))), IsOk());
  }
  EXPECT_THAT(ProtectBranch(Context(), "java", true), IsError(ErrorCode::kConflict));
  EXPECT_THAT(AdoptBranch(Context(), "java", SnapshotId(3)), IsError(ErrorCode::kNotFound));
  BRAID_ASSERT_OK_AND_ASSIGN(const TableLines before, ListLines(*fs_, kTestTableRoot));
  BRAID_ASSERT_OK_AND_ASSIGN(const ForkRecord record, AdoptBranch(Context(), "java", std::nullopt));
  EXPECT_EQ(record.anchor->snapshot.id, SnapshotId(2));
  EXPECT_EQ(record.branch_id, before.Find("java")->id) << "it stays the line that it was";
  EXPECT_THAT(ReadTag(*fs_, root_, "braid-fork-java"), IsOk());
  EXPECT_THAT(ProtectBranch(Context(), "java", true), IsOk());
}

TEST_F(BranchesTest, ExpiryKeepsWhatAnotherEngineMadeCommonByFastForward) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  for (int row = 30; row <= 32; ++row) ASSERT_NO_FATAL_FAILURE(Add("b", row));
  // As Java's fast_forward does it: main gets the branch's files, and no record says so.
  for (int id = 4; id <= 6; ++id) {
    const SnapshotId snapshot(id);
    ASSERT_THAT(fs_->Replace(root_.SnapshotFile(snapshot), *fs_->ReadAll(root_.OnBranch("b").SnapshotFile(snapshot))), IsOk());
  }
  ASSERT_THAT(WriteLatestHint(*fs_, root_, SnapshotId(6)), IsOk());
  ExpireRequest request;
  request.snapshots.retain_max = 1;
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(ExpireSnapshots(main, request, SystemClock()), HasValue(testing::Field(&ExpireResult::expired, 5)));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "30", "31", "32")));
  EXPECT_THAT(Rows("b", {{"scan.snapshot-id", "4"}}), HasValue(ElementsAre("1", "2", "3", "30")));
  EXPECT_THAT(Rows("b", {{"scan.snapshot-id", "5"}}), HasValue(ElementsAre("1", "2", "3", "30", "31")));
  // And the other way round: the branch goes on, and main still has what it had in common.
  ASSERT_NO_FATAL_FAILURE(Add("b", 33));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch, Open("b"));
  ASSERT_THAT(ExpireSnapshots(branch, request, SystemClock()), IsOk());
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "30", "31", "32")));
}

TEST_F(BranchesTest, CreateIsAllOrNothing) {
  SweepFailures([&](const OperationContext&) { TagSnapshot("main", "two", 2); return Ok(); },
        [](const OperationContext& context) -> Status {
          BRAID_TRY(CreateBranch(context, {.name = "b", .tag = "two"}));
          return Ok();
        },
        [&] {
          const auto rows = Rows("b");
          if (rows) {
            EXPECT_THAT(rows, HasValue(ElementsAre("1", "2")));
            EXPECT_TRUE(ReadForkRecord(*fs_, root_.OnBranch("b"))->has_value());
          } else {
            EXPECT_THAT(rows, IsError(ErrorCode::kNotFound));
          }
          EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
        },
        [&] { return Rows("b").has_value() && ReadTag(*fs_, root_, "braid-fork-b").has_value(); });
}

TEST_F(BranchesTest, DeleteIsAllOrNothing) {
  SweepFailures([](const OperationContext& context) -> Status {
          BRAID_TRY(CreateBranch(context, {.name = "b", .snapshot = SnapshotId(2)}));
          BRAID_TRY(CreateBranch(context, {.name = "child", .from_branch = "b", .latest = true}));
          return Ok();
        },
        [](const OperationContext& context) -> Status {
          BRAID_TRY(DeleteBranch(context, {.name = "b", .force = true}));
          return Ok();
        },
        [&] {
          const auto rows = Rows("b");
          if (rows) {
            EXPECT_THAT(rows, HasValue(ElementsAre("1", "2")));
          } else {
            EXPECT_THAT(rows, IsError(ErrorCode::kNotFound));
          }
          EXPECT_THAT(Rows("child"), HasValue(ElementsAre("1", "2")));
          EXPECT_THAT(ReadTag(*fs_, root_, "braid-fork-b").has_value() || ReadTag(*fs_, root_, "braid-fork-child").has_value(), true);
        },
        [&] { return !Rows("b").has_value(); });
}

TEST_F(BranchesTest, RenameIsAllOrNothing) {
  SweepFailures([](const OperationContext& context) -> Status {
          BRAID_TRY(CreateBranch(context, {.name = "old", .snapshot = SnapshotId(2)}));
          return Ok();
        },
        [](const OperationContext& context) -> Status {
          BRAID_TRY(RenameBranch(context, {.from = "old", .to = "new"}));
          return Ok();
        },
        [&] {
          EXPECT_THAT(Rows("old"), HasValue(ElementsAre("1", "2"))) << "by its name or as an alias";
          const std::vector<std::string> guards = FilesWith("/tag/tag-braid-fork-");
          EXPECT_GE(guards.size(), 2U) << "the fork point is held at any moment";
        },
        [&] { return Rows("new").has_value(); });
}

}  // namespace
}  // namespace braid
