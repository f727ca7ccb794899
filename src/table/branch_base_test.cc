#include "table/branch_base.h"

#include <gmock/gmock.h>

#include "table/branch_merge.h"
#include "table/branch_table_testing.h"
#include "table/expire.h"
#include "table/rollback.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class BranchBaseTest : public BranchTableTest {
 protected:
  void ExpectOnlyNeededFiles() const {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::set<std::string> needed, NeededFiles(*fs_, kTestTableRoot).Find());
    EXPECT_EQ(PresentFiles(*fs_), needed);
  }

  // Leaves the fork point, with the rows 2 and 3, to be held by the record and the guard tags alone.
  Status PartCompletely() {
    for (const char* branch : {"main", "b"}) {
      BRAID_TRY_ASSIGN(const Table table, Open(branch));
      BRAID_TRY(TableCommit(table, "user").Overwrite({}, {}));
      BRAID_TRY(Insert(table, {{7}}));
      BRAID_TRY(ExpireSnapshots(table, {.snapshots = {.retain_max = 1}}, SystemClock()));
    }
    return Ok();
  }
};

TEST_F(BranchBaseTest, GivesUpWhatOnlyMergesNeed) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  ASSERT_THAT(PartCompletely(), IsOk());
  ASSERT_NO_FATAL_FAILURE(ExpectOnlyNeededFiles());
  EXPECT_EQ(FilesWith("/bucket-0/").size(), 5U);
  BRAID_ASSERT_OK_AND_ASSIGN(const ReleasedBase told, ReleaseBase(Context(), {.name = "b", .dry_run = true}));
  EXPECT_EQ(told.files.data_files, 3);
  EXPECT_EQ(FilesWith("/bucket-0/").size(), 5U);
  BRAID_ASSERT_OK_AND_ASSIGN(const ReleasedBase released, ReleaseBase(Context(), {.name = "b"}));
  EXPECT_EQ(released.files.data_files, 3);
  ExpectOnlyNeededFiles();
  EXPECT_EQ(FilesWith("/bucket-0/").size(), 2U);
  EXPECT_THAT(FilesWith("braid-fork-b"), IsEmpty());
  EXPECT_THAT(Rows("b"), HasValue(ElementsAre("7")));
  EXPECT_THAT(CompareBranches(Context(), "b", "main"), IsError(ErrorCode::kConflict));
  EXPECT_THAT(ReleaseBase(Context(), {.name = "b"}), IsError(ErrorCode::kConflict));
}

TEST_F(BranchBaseTest, RefusesWhileOtherEnginesCouldDeleteWhatTheBranchReads) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .latest = true}), IsOk());
  EXPECT_THAT(ReleaseBase(Context(), {.name = "b"}), HasMessage("other engines could delete"));
  ASSERT_THAT(ReleaseBase(Context(), {.name = "b", .assume_exclusive = true}), IsOk());
  // Braid's own expiry still knows what the branch needs.
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(TableCommit(main, "user").Overwrite({}, {}), IsOk());
  ASSERT_THAT(ExpireSnapshots(main, {.snapshots = {.retain_max = 1}}, SystemClock()), IsOk());
  EXPECT_THAT(Rows("b"), HasValue(ElementsAre("1", "2", "3")));
  ExpectOnlyNeededFiles();
}

TEST_F(BranchBaseTest, WhateverFailsTheNextCommandPutsItRight) {
  SweepFailures(
      [&](const OperationContext& context) -> Status {
        BRAID_TRY(CreateBranch(context, {.name = "b", .latest = true}));
        return PartCompletely();
      },
      [](const OperationContext& context) -> Status {
        BRAID_TRY(ReleaseBase(context, {.name = "b"}));
        return Ok();
      },
      [&] {
        EXPECT_THAT(Rows("b"), HasValue(ElementsAre("7")));
        if (FilesWith("/.braid/op/").empty()) ExpectOnlyNeededFiles();
      },
      [&] { return FilesWith("braid-fork-b").empty(); });
}

}  // namespace
}  // namespace braid
