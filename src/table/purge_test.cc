#include "table/purge.h"

#include <gmock/gmock.h>

#include "table/branch_table_testing.h"
#include "table/consumer_upkeep.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PurgeTest : public BranchTableTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "old", 1));
    ASSERT_THAT(CreateBranch(Context(), {.name = "b", .tag = "old"}), IsOk());
    ASSERT_NO_FATAL_FAILURE(Add("b", 9));
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open("main"));
    ASSERT_THAT(ResetConsumer(table, "reader", SnapshotId(2)), IsOk());
  }
};

TEST_F(PurgeTest, LeavesAnEmptyTable) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open("main"));
  ASSERT_THAT(fs_->Replace(std::string(kTestTableRoot) + "/bucket-0/data-orphan-0.parquet", "x"), IsOk());
  const std::vector<std::string> before = fs_->AllFiles();
  BRAID_ASSERT_OK_AND_ASSIGN(const PurgedTable preview, PurgeTable(table, {.dry_run = true}, "user"));
  EXPECT_THAT(preview.branches, ElementsAre("b"));
  EXPECT_THAT(preview.consumers, ElementsAre("reader"));
  EXPECT_EQ(preview.snapshots, 3);
  EXPECT_EQ(preview.live_files, 3);
  EXPECT_EQ(fs_->AllFiles(), before);

  BRAID_ASSERT_OK_AND_ASSIGN(const PurgedTable purged, PurgeTable(table, {}, "user"));
  EXPECT_THAT(purged.branches, ElementsAre("b"));
  EXPECT_THAT(FilesWith("/bucket-0/"), IsEmpty());
  EXPECT_THAT(FilesWith("/tag/tag-"), IsEmpty());
  EXPECT_THAT(FilesWith("/branch/"), IsEmpty());
  EXPECT_THAT(FilesWith("/consumer/"), IsEmpty());
  EXPECT_THAT(FilesWith("/snapshot/snapshot-"), ElementsAre(std::string(kTestTableRoot) + "/snapshot/snapshot-4"));
  EXPECT_THAT(Rows("main"), HasValue(IsEmpty()));
  ASSERT_NO_FATAL_FAILURE(Add("main", 7));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("7")));
}

TEST_F(PurgeTest, DoesNothingWhereABranchIsProtectedOrMeant) {
  ASSERT_THAT(ProtectBranch(Context(), "b", true), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open("main"));
  EXPECT_THAT(PurgeTable(table, {}, "user"), IsError(ErrorCode::kPermissionDenied));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(Rows("b"), HasValue(ElementsAre("1", "9")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch, Open("b"));
  EXPECT_THAT(PurgeTable(branch, {}, "user"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
