#include "table/tag_correction.h"

#include <gmock/gmock.h>

#include "table/branch_table_testing.h"
#include "table/expire.h"
#include "table/tag_removal.h"
#include "table/upkeep_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

class TagCorrectionTest : public BranchTableTest {
 protected:
  // A tag of main at snapshot 2, and a branch made from it that has other rows.
  void Prepare() {
    ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "day", 2));
    ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .tag = "day"}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const Table fix, Open("fix"));
    ASSERT_THAT(TableCommit(fix, "user").Overwrite({}, {}), IsOk());
    for (const int row : {1, 20}) ASSERT_NO_FATAL_FAILURE(Add("fix", row));
  }

  Result<std::vector<std::string>> Tagged(const std::string& tag) const { return Rows("main", {{"scan.tag-name", tag}}); }

  void ExpectOnlyNeededFiles() const {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::set<std::string> needed, NeededFiles(*fs_, kTestTableRoot).Find());
    EXPECT_EQ(PresentFiles(*fs_), needed);
  }

  CorrectTagRequest Request() const { return {.tag = "day", .branch = "fix", .assume_exclusive = true}; }
};

TEST_F(TagCorrectionTest, TheTagShowsTheBranchsRowsAndMainIsAsBefore) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  BRAID_ASSERT_OK_AND_ASSIGN(const CorrectedTag corrected, CorrectTag(Context(), Request()));
  EXPECT_THAT(Tagged("day"), HasValue(ElementsAre("1", "20")));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "2"}}), HasValue(ElementsAre("1", "2")));
  EXPECT_THAT(Tagged(corrected.backup), HasValue(ElementsAre("1", "2")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Tag tag, ReadTag(*fs_, root_, "day"));
  EXPECT_EQ(tag.snapshot.id, SnapshotId(2)) << "it keeps its place";
  EXPECT_TRUE(IsCorrectedTag(tag.snapshot));
  BRAID_ASSERT_OK_AND_ASSIGN(const Tag backup, ReadTag(*fs_, root_, corrected.backup));
  EXPECT_EQ(backup.time_retained, "PT168H");
}

TEST_F(TagCorrectionTest, ItsFilesStayWhateverGoesElsewhere) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  ASSERT_THAT(CorrectTag(Context(), Request()), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(ExpireSnapshots(main, {.snapshots = {.retain_max = 1}}, SystemClock()), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table fix, Open("fix"));
  ASSERT_THAT(TableCommit(fix, "user").Overwrite({}, {}), IsOk());
  ASSERT_THAT(ExpireSnapshots(fix, {.snapshots = {.retain_max = 1}}, SystemClock()), IsOk());
  EXPECT_THAT(Tagged("day"), HasValue(ElementsAre("1", "20")));
  ASSERT_THAT(DeleteBranch(Context(), {.name = "fix"}), IsOk());
  EXPECT_THAT(Tagged("day"), HasValue(ElementsAre("1", "20")));
  ExpectOnlyNeededFiles();
  ASSERT_THAT(DeleteTags(main, {"day"}, {}, SystemClock()), IsOk());
  ExpectOnlyNeededFiles();
}

TEST_F(TagCorrectionTest, DeletingItLeavesTheBranchWhatItNeeds) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  ASSERT_THAT(CorrectTag(Context(), Request()), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(DeleteTags(main, {"day"}, {}, SystemClock()), IsOk());
  EXPECT_THAT(Rows("fix"), HasValue(ElementsAre("1", "20")));
  ExpectOnlyNeededFiles();
}

TEST_F(TagCorrectionTest, WithoutABackupWhatOnlyItHeldGoes) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "day", 2));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(TableCommit(main, "user").Overwrite({}, {}), IsOk());
  ASSERT_THAT(ExpireSnapshots(main, {.snapshots = {.retain_max = 1}}, SystemClock()), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "fix"}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("fix", 20));
  CorrectTagRequest request = Request();
  EXPECT_THAT(CorrectTag(Context(), request), HasMessage("was not made from tag day"));
  request.allow_unrelated = true;
  request.backup = false;
  BRAID_ASSERT_OK_AND_ASSIGN(const CorrectedTag corrected, CorrectTag(Context(), request));
  EXPECT_EQ(corrected.files.data_files, 2);
  EXPECT_THAT(Tagged("day"), HasValue(ElementsAre("20")));
  ExpectOnlyNeededFiles();
}

TEST_F(TagCorrectionTest, RefusesWhatCouldHarm) {
  ASSERT_NO_FATAL_FAILURE(Prepare());
  const std::vector<std::string> before = FilesWith("/tag/");
  CorrectTagRequest request = Request();
  request.assume_exclusive = false;
  EXPECT_THAT(CorrectTag(Context(), request), HasMessage("set-maintenance --mode exclusive"));
  request = Request();
  request.tag = "dai";
  EXPECT_THAT(CorrectTag(Context(), request), IsError(ErrorCode::kNotFound));
  request = Request();
  request.branch = "main";
  EXPECT_THAT(CorrectTag(Context(), request), IsError(ErrorCode::kInvalidArgument));
  request = Request();
  request.tag = "braid-fork-fix";
  EXPECT_THAT(CorrectTag(Context(), request), IsError(ErrorCode::kInvalidArgument));
  request = Request();
  request.dry_run = true;
  EXPECT_THAT(CorrectTag(Context(), request), IsOk());
  EXPECT_EQ(FilesWith("/tag/"), before);
}

TEST_F(TagCorrectionTest, ReadersSeeTheFormerContentOrTheCorrectedOne) {
  for (const bool backup : {true, false}) {
    SweepFailures(
        [&](const OperationContext&) -> Status {
          Prepare();
          return Ok();
        },
        [&](const OperationContext& context) -> Status {
          CorrectTagRequest request = Request();
          request.backup = backup;
          BRAID_TRY(CorrectTag(context, request));
          return Ok();
        },
        [&] {
          EXPECT_THAT(Tagged("day"), testing::AnyOf(HasValue(ElementsAre("1", "2")), HasValue(ElementsAre("1", "20"))));
          EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
          if (!FilesWith("/.braid/op/").empty()) return;
          ExpectOnlyNeededFiles();
          const bool is_corrected = Tagged("day").value() == std::vector<std::string>{"1", "20"};
          EXPECT_EQ(FilesWith("/tag-backup-day-").size(), is_corrected && backup ? 1U : 0U);
        },
        [&] { return Tagged("day").value() == std::vector<std::string>{"1", "20"}; });
  }
}

}  // namespace
}  // namespace braid
