#include "table/history_graph.h"

#include <gmock/gmock.h>

#include "table/branch_replace.h"
#include "table/branch_table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

class HistoryGraphTest : public BranchTableTest {
 protected:
  // "graph line id (heads) [tags] note", a row each.
  std::vector<std::string> Drawn(std::size_t limit = 0) const {
    const Result<std::vector<HistoryRow>> rows = DrawHistory(*fs_, kTestTableRoot, limit);
    EXPECT_THAT(rows, IsOk());
    std::vector<std::string> drawn;
    for (const HistoryRow& row : *rows) {
      std::string text = row.graph;
      if (row.snapshot) text += row.line + " " + std::to_string(row.snapshot->id.value());
      for (const std::string& head : row.heads) text += " (" + head + ")";
      for (const std::string& tag : row.tags) text += " [" + tag + "]";
      if (!row.note.empty()) text += " " + row.note;
      drawn.push_back(std::move(text));
    }
    return drawn;
  }

  // At a later time than all commits before it.
  void AddLater(std::string_view branch, int row) {
    clock_.Advance(1000);
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Open(branch));
    Committable committable;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(table, {{row}}));
    ASSERT_THAT(TableCommit(table, "user", clock_).Commit(committable), IsOk());
  }

  ManualClock clock_{SystemClock().NowMs()};
};

TEST_F(HistoryGraphTest, BranchesLeaveMainAtTheirForkPoints) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "a", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "b", .snapshot = SnapshotId(3)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(AddLater("a", 20));
  ASSERT_NO_FATAL_FAILURE(AddLater("main", 4));
  ASSERT_NO_FATAL_FAILURE(AddLater("b", 30));
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "two", 2));
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("a", "mine", 3));
  EXPECT_THAT(Drawn(), ElementsAre("  * b 4 (b)",             //
                                   "* | main 4 (main)",       //
                                   "| | * a 3 (a) [a:mine]",  //
                                   "|/  |",                   //
                                   "*   | main 3",            //
                                   "|__/",                    //
                                   "* main 2 [two]",          //
                                   "* main 1"));
}

TEST_F(HistoryGraphTest, ABranchWithoutCommitsIsNamedAtItsForkPoint) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "a", .snapshot = SnapshotId(2)}), IsOk());
  EXPECT_THAT(Drawn(), ElementsAre("* main 3 (main)", "* main 2 (a)", "* main 1"));
  EXPECT_THAT(Drawn(1), ElementsAre("* main 3 (main)"));
}

TEST_F(HistoryGraphTest, AFormerMainLeavesTheNewOneWhereBothParted) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .snapshot = SnapshotId(2)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(AddLater("fix", 30));
  // The seals of both lines are younger than all else, so the former main has its column before the branch's snapshot.
  clock_.Advance(1000);
  OperationContext context = Context();
  context.clock = &clock_;
  ASSERT_THAT(ReplaceMain(context, {.name = "fix", .keep_as = "old"}), IsOk());
  const std::vector<std::string> drawn = Drawn();
  ASSERT_GE(drawn.size(), 4U);
  EXPECT_THAT(std::vector(drawn.end() - 3, drawn.end()), ElementsAre("|/", "* main 2", "* main 1"));
  EXPECT_THAT(drawn, testing::Contains(testing::HasSubstr("| * old 3")));
  EXPECT_THAT(drawn, testing::Contains(testing::HasSubstr("* | main 3")));
}

TEST_F(HistoryGraphTest, SaysWhereABranchComesFromWhoseForkPointExpired) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "a", .snapshot = SnapshotId(2)}), IsOk());
  for (const int id : {1, 2}) ASSERT_THAT(fs_->Delete(root_.SnapshotFile(SnapshotId(id))), IsOk());
  EXPECT_THAT(Drawn(), ElementsAre("* main 3 (main)", "  * a 2 (a) made from snapshot 2 of main"));
}

}  // namespace
}  // namespace braid
