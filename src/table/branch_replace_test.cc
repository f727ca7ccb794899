#include "table/branch_replace.h"

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "base/uuid.h"
#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "table/branch_list.h"
#include "table/branch_table_testing.h"
#include "table/rollback.h"
#include "table/seal.h"

namespace braid {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::IsEmpty;

// Branch `fix` has row 20 where main has row 3.
class BranchReplaceTest : public BranchTableTest {
 protected:
  void SetUp() override {
    BranchTableTest::SetUp();
    ASSERT_NO_FATAL_FAILURE(Fork());
  }
  void Fork() {
    ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "first", 1));
    ASSERT_THAT(CreateBranch(Context(), {.name = "fix", .snapshot = SnapshotId(2)}), IsOk());
    ASSERT_NO_FATAL_FAILURE(Add("fix", 20));
  }
};

TEST_F(BranchReplaceTest, PutsTheBranchInMainsPlaceWithItsHistory) {
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain replaced, ReplaceMain(Context(), {.name = "fix"}));
  EXPECT_EQ(replaced.fork.id, SnapshotId(2));
  EXPECT_EQ(replaced.left_out, 1);
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "1"}}), HasValue(ElementsAre("1")));
  EXPECT_THAT(Rows("main", {{"scan.tag-name", "first"}}), HasValue(ElementsAre("1")));
  EXPECT_THAT(Rows("fix"), HasValue(ElementsAre("1", "2", "20"))) << "its name is another one of main";
  EXPECT_EQ(ReadMainBranch(*fs_, root_).value(), "main") << "main is in the root again";
  BRAID_ASSERT_OK_AND_ASSIGN(const auto branches, SummarizeBranches(*fs_, kTestTableRoot, false));
  EXPECT_THAT(branches, IsEmpty());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto all, SummarizeBranches(*fs_, kTestTableRoot, true));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(Rows(all[0].line.name), HasValue(ElementsAre("1", "2", "3")));
  ASSERT_NO_FATAL_FAILURE(Add("main", 21));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21")));
}

TEST_F(BranchReplaceTest, IdsOfMainNeverGoDown) {
  for (int row = 4; row <= 8; ++row) ASSERT_NO_FATAL_FAILURE(Add("main", row));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(*fs_, root_));
  EXPECT_GT(ids.back(), SnapshotId(9)) << "main was sealed at 9";
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], SnapshotId(static_cast<std::int64_t>(i) + 1)) << "without a gap";
  EXPECT_EQ(*FindLatestSnapshot(*fs_, root_), ids.back());
  EXPECT_EQ(*FindEarliestSnapshot(*fs_, root_), SnapshotId(1));
}

// Main was replaced by a branch of 3, and is now to be by one of 2, which was made from the former main.
TEST_F(BranchReplaceTest, GoesBackToTheLowestForkOnTheWayToMain) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "high", .latest = true}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("high", 30));
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "third", 3));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "high", .keep_as = "old"}), IsOk());
  EXPECT_THAT(Rows("main", {{"scan.tag-name", "third"}}), HasValue(ElementsAre("1", "2", "3"))) << "the branch has it, too";
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain replaced, ReplaceMain(Context(), {.name = "fix", .keep_as = "older"}));
  EXPECT_EQ(replaced.fork.id, SnapshotId(2));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "3"}}), HasValue(ElementsAre("1", "2", "20")));
  EXPECT_THAT(ReadTag(*fs_, root_, "third"), IsError(ErrorCode::kNotFound)) << "main does not have its snapshot any more";
  EXPECT_THAT(Rows("older", {{"scan.tag-name", "third"}}), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(Rows("older"), HasValue(ElementsAre("1", "2", "3", "30")));
}

TEST_F(BranchReplaceTest, ABranchIsMadeOfWhatItsTagHoldsWhateverMainHasUnderThatId) {
  // As an earlier version left it: main has the snapshot 3 of `fix`, and a tag of its former snapshot 3.
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot former, ReadSnapshot(*fs_, root_, SnapshotId(3)));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  ASSERT_THAT(WriteTag(*fs_, root_, {.name = "foreign", .snapshot = former, .create_time = {}, .time_retained = {}}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "again", .tag = "foreign"}), IsOk());
  EXPECT_THAT(Rows("again"), HasValue(ElementsAre("1", "2", "3")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  EXPECT_THAT(RollbackHard(main, {.tag = "foreign"}, false, SystemClock()), HasMessage("of a former line"));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
}

TEST_F(BranchReplaceTest, WritersOfMainStopAndThoseOfTheBranchGoOn) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main_writer, Open("main"));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch_writer, Open("fix"));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  EXPECT_THAT(Insert(main_writer, {{4}}), IsError(ErrorCode::kConflict));
  ASSERT_THAT(Insert(branch_writer, {{21}}), IsOk());
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21")));
}

TEST_F(BranchReplaceTest, AReaderThatOpenedMainBeforeReadsTheFormerOneWhole) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table before, Open("main"));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table branch, Open("fix"));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  EXPECT_THAT(RowsOf(before), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(RowsOf(branch), HasValue(ElementsAre("1", "2", "20")));
}

TEST_F(BranchReplaceTest, AHandleOfTheFormerMainTravelsOnItsOwnLine) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table before, Open("main"));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table third, before.With(Options(Options::Map{{"scan.snapshot-id", "3"}})));
  EXPECT_THAT(RowsOf(third), HasValue(ElementsAre("1", "2", "3")));
}

TEST_F(BranchReplaceTest, AHandleOfAMainThatMovesIntoTheRootPlansThereWithAFilter) {
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix", .materialize = false}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table main, Open("main"));
  ASSERT_THAT(MaterializeMain(Context()), IsOk());
  const ReadRequest request{.projection = {}, .filter = Predicate::Leaf(Predicate::Op::kEqual, "k", DataType::Int(), {20})};
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(main, request));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadPlan(main, plan, request));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> rows, ReadAllBatches(*reader));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].row_count(), 1);
}

TEST_F(BranchReplaceTest, AStreamGoesOnOnlyWhereTheHistoryIsCommon) {
  const Options from_first(Options::Map{{"scan.snapshot-id", "2"}, {"scan.mode", "from-snapshot"}});
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(fs_, kTestTableRoot, "d.t", "main", from_first));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto at_fork, StreamScan::Open(table, {}));
  EXPECT_EQ((**at_fork->Next()).snapshot, SnapshotId(2));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto beyond, StreamScan::Open(table, {}));
  for (int id = 2; id <= 3; ++id) EXPECT_EQ((**beyond->Next()).snapshot, SnapshotId(id));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Plan> next, at_fork->Next());
  EXPECT_EQ(next->snapshot, SnapshotId(3));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadPlan(table, *next, {}));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> rows, ReadAllBatches(*reader));
  ASSERT_EQ(rows.size(), 1U);
  std::string text;
  AppendRowJson(rows[0], 0, table.schema().fields, text);
  EXPECT_EQ(text, "{\"k\":20}") << "of the new main";
  EXPECT_THAT(beyond->Next(), HasMessage("not on the present line"));
}

TEST_F(BranchReplaceTest, ABranchMadeFromASealedSnapshotIsNotSealed) {
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "next", .latest = true}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("next", 21));
  EXPECT_THAT(Rows("next"), HasValue(ElementsAre("1", "2", "20", "21")));
}

TEST_F(BranchReplaceTest, KeepsTheFormerMainUnderAName) {
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("main", "third", 3));
  EXPECT_THAT(ReplaceMain(Context(), {.name = "fix"}), HasMessage("tags after the fork that the new main would not have: third"));
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix", .keep_as = "old"}), IsOk());
  EXPECT_THAT(Rows("old"), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(Rows("old", {{"scan.tag-name", "third"}}), HasValue(ElementsAre("1", "2", "3")));
  BRAID_ASSERT_OK_AND_ASSIGN(const TableLines lines, ListLines(*fs_, kTestTableRoot));
  EXPECT_EQ(lines.Find("old")->record->anchor->snapshot.id, SnapshotId(2));
  EXPECT_EQ(lines.Find("old")->id, kRootLineId);
  EXPECT_THAT(ReadTag(*fs_, root_, "braid-fork-old"), IsOk());
  ASSERT_THAT(ReplaceMain(Context(), {.name = "old", .keep_as = "newer"}), IsOk());
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  EXPECT_THAT(Rows("newer"), HasValue(ElementsAre("1", "2", "20")));
}

TEST_F(BranchReplaceTest, UndoBringsTheFormerMainBackAndKeepsWhatCameSince) {
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  ASSERT_THAT(UndoReplaceMain(Context(), false), IsOk());
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  ASSERT_THAT(UndoReplaceMain(Context(), false), IsOk()) << "and back again";
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
  ASSERT_NO_FATAL_FAILURE(Add("main", 21));
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain undone, UndoReplaceMain(Context(), false));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  ASSERT_TRUE(undone.kept_as.starts_with("undone-")) << undone.kept_as;
  EXPECT_THAT(Rows(undone.kept_as), HasValue(ElementsAre("1", "2", "20", "21")));
  ASSERT_NO_FATAL_FAILURE(Add("main", 4));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3", "4")));
}

TEST_F(BranchReplaceTest, ThePointerAloneServesBraidUntilMainIsMaterialized) {
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain replaced, ReplaceMain(Context(), {.name = "fix", .materialize = false}));
  EXPECT_FALSE(replaced.materialized);
  EXPECT_EQ(ReadMainBranch(*fs_, root_).value(), "fix");
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "1"}}), HasValue(ElementsAre("1")));
  ASSERT_NO_FATAL_FAILURE(Add("main", 21));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table writer, Open("main"));
  ASSERT_THAT(MaterializeMain(Context()), IsOk());
  EXPECT_EQ(ReadMainBranch(*fs_, root_).value(), "main");
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21")));
  ASSERT_THAT(Insert(writer, {{22}}), IsOk()) << "main is the same line as before";
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20", "21", "22")));
  EXPECT_THAT(MaterializeMain(Context()), IsError(ErrorCode::kInvalidArgument));
}

TEST_F(BranchReplaceTest, RefusesWhatWouldLoseSomething) {
  ASSERT_THAT(CreateBranch(Context(), {.name = "empty"}), IsOk());
  ASSERT_THAT(CreateBranch(Context(), {.name = "held", .latest = true, .is_protected = true}), IsOk());
  ASSERT_THAT(WriteConsumer(*fs_, root_, {"job", SnapshotId(4)}), IsOk());
  ASSERT_NO_FATAL_FAILURE(TagSnapshot("fix", "clash", 3));
  struct Case {
    std::string what;
    ReplaceMainRequest request;
    ErrorCode code;
  };
  const std::vector<Case> cases = {
      {"main itself", {.name = "main"}, ErrorCode::kInvalidArgument},
      {"unknown", {.name = "fxi"}, ErrorCode::kNotFound},
      {"no snapshot", {.name = "empty"}, ErrorCode::kNotFound},
      {"protected", {.name = "held"}, ErrorCode::kPermissionDenied},
      {"consumer beyond the fork", {.name = "fix"}, ErrorCode::kConflict},
      {"another head", {.name = "fix", .consumers = ConsumerPolicy::kDrop, .expect_head = SnapshotId(2)}, ErrorCode::kConflict},
      {"name taken", {.name = "fix", .keep_as = "empty", .consumers = ConsumerPolicy::kDrop}, ErrorCode::kAlreadyExists},
  };
  const std::vector<std::string> before = fs_->AllFiles();
  for (const Case& c : cases) {
    EXPECT_THAT(ReplaceMain(Context(), c.request), IsError(c.code)) << c.what;
    EXPECT_EQ(fs_->AllFiles(), before) << c.what;
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain dry, ReplaceMain(Context(), {.name = "fix", .consumers = ConsumerPolicy::kRewind, .dry_run = true}));
  EXPECT_EQ(fs_->AllFiles(), before);
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix", .consumers = ConsumerPolicy::kRewind}), IsOk());
  EXPECT_EQ((*ReadConsumer(*fs_, root_, "job"))->next_snapshot, SnapshotId(3));
}

TEST_F(BranchReplaceTest, KeepsWhatAnotherEngineCommitsToASealedLine) {
  // Java does not know seals: its commit lands on the former main between the seal and the exchange.
  bool committed = false;
  for (std::int64_t nth = 1; !committed; ++nth) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_NO_FATAL_FAILURE(Fork());
    const auto stopping = std::make_shared<FaultInjectingFileSystem>(fs_);
    stopping->FailAt(nth, FaultInjectingFileSystem::Fault::kStop);
    ASSERT_FALSE(ReplaceMain(Context(stopping), {.name = "fix"})) << "never reached the switch";
    const Result<std::string> pointer = fs_->ReadAll(root_.MainBranchFile());
    if (!pointer) continue;
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(*fs_, root_));
    BRAID_ASSERT_OK_AND_ASSIGN(Snapshot late, ReadSnapshot(*fs_, root_, *head));
    ASSERT_TRUE(SealOf(late));
    late.id = head->next();
    late.commit_user = "java";
    late.properties.clear();
    ASSERT_THAT(CreateSnapshot(*fs_, root_, late), IsOk());
    committed = true;
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable repaired, LockedTable::Acquire(Context()));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto visible, SummarizeBranches(*fs_, kTestTableRoot, false));
  ASSERT_EQ(visible.size(), 1U) << "the former main is kept in sight";
  EXPECT_EQ(ReadSnapshot(*fs_, visible[0].line.paths, *visible[0].latest)->commit_user, "java");
}

TEST_F(BranchReplaceTest, IsAllOrNothingWhereverItFails) {
  const std::vector<std::string> old_rows = {"1", "2", "3"};
  const std::vector<std::string> new_rows = {"1", "2", "20"};
  SweepFailures(
      [&](const OperationContext&) {
        Fork();
        return Ok();
      },
      [](const OperationContext& context) -> Status {
        BRAID_TRY(ReplaceMain(context, {.name = "fix"}));
        return Ok();
      },
      [&] {
        EXPECT_THAT(Rows("main"), HasValue(AnyOf(old_rows, new_rows)));
        EXPECT_THAT(Rows("fix"), HasValue(new_rows));
        EXPECT_THAT(Rows("main", {{"scan.tag-name", "first"}}), HasValue(ElementsAre("1")));
      },
      [&] { return *Rows("main") == new_rows; });
}

TEST_F(BranchReplaceTest, AnAbortedReplacementLeavesTheBranchAsItWas) {
  // What was copied into the branch must go: another engine's expiry there would delete files that main still needs.
  for (std::int64_t nth = 1;; ++nth) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_NO_FATAL_FAILURE(Fork());
    const std::vector<std::string> before = FilesWith("/branch-fix/");
    const auto faulty = std::make_shared<FaultInjectingFileSystem>(fs_);
    faulty->FailAt(nth, FaultInjectingFileSystem::Fault::kFail);
    const auto replaced = ReplaceMain(Context(faulty), {.name = "fix"});
    if (!faulty->struck() || replaced || fs_->Exists(root_.MainBranchFile()).value()) break;
    BRAID_ASSERT_OK_AND_ASSIGN(const LockedTable repaired, LockedTable::Acquire(Context()));
    if (*Rows("main") == std::vector<std::string>{"1", "2", "20"}) break;  // past the commit point
    std::vector<std::string> after = FilesWith("/branch-fix/");
    std::erase_if(after, [](const std::string& file) { return file.ends_with("/EARLIEST"); });
    std::vector<std::string> expected = before;
    std::erase_if(expected, [](const std::string& file) { return file.ends_with("/EARLIEST"); });
    EXPECT_EQ(after, expected) << "call " << nth;
  }
}

TEST_F(BranchReplaceTest, BothMainsAreWhereOtherEnginesLookWhereverItStops) {
  // Their cleaning counts the files of the root and of branches alone.
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE("call " + std::to_string(nth));
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    ASSERT_NO_FATAL_FAILURE(Fork());
    std::set<std::string> wanted;
    for (const TablePaths& line : {root_, root_.OnBranch("fix")}) {
      wanted.insert(SnapshotIdentity(*ReadSnapshot(*fs_, line, SnapshotId(3))));
    }
    const auto stopping = std::make_shared<FaultInjectingFileSystem>(fs_);
    stopping->FailAt(nth, FaultInjectingFileSystem::Fault::kStop);
    const auto replaced = ReplaceMain(Context(stopping), {.name = "fix"});
    std::set<std::string> found;
    for (const std::string& file : FilesWith("/snapshot/snapshot-")) {
      if (file.find("/.") != std::string::npos) continue;
      found.insert(SnapshotIdentity(*ParseSnapshot(*fs_->ReadAll(file))));
    }
    for (const std::string& identity : wanted) EXPECT_TRUE(found.contains(identity));
    if (replaced) break;
  }
  EXPECT_THAT(FilesWith("braid-replace-"), IsEmpty()) << "nothing holds expiry back any more";
}

TEST_F(BranchReplaceTest, LeavesOutHistoryThatAnotherEngineTookWithTheOtherLine) {
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix"}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot first, ReadSnapshot(*fs_, root_, SnapshotId(1)));
  for (const std::string& list : {first.base_manifest_list, first.delta_manifest_list}) {
    ASSERT_THAT(fs_->Delete(root_.ManifestFile(list)), IsOk());
  }
  ASSERT_THAT(DeleteSnapshot(*fs_, root_, SnapshotId(1)), IsOk());
  ASSERT_THAT(UndoReplaceMain(Context(), false), IsOk());
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "3")));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(*fs_, root_));
  EXPECT_EQ(ids.front(), SnapshotId(2)) << "what is there can be read";
  EXPECT_THAT(Rows("main", {{"scan.snapshot-id", "2"}}), HasValue(ElementsAre("1", "2")));
}

TEST_F(BranchReplaceTest, AFormerMainThatGetsANameIsKeptAndWrittenTo) {
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain replaced, ReplaceMain(Context(), {.name = "fix"}));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table hidden, Open(replaced.kept_as));
  EXPECT_THAT(Insert(hidden, {{4}}), HasMessage("takes no commits"));
  ASSERT_THAT(RenameBranch(Context(), {.from = replaced.kept_as, .to = "former"}), IsOk());
  ASSERT_NO_FATAL_FAILURE(Add("former", 4));
  EXPECT_THAT(Rows("former"), HasValue(ElementsAre("1", "2", "3", "4")));
  EXPECT_THAT(UndoReplaceMain(Context(), false), IsError(ErrorCode::kNotFound));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto branches, SummarizeBranches(*fs_, kTestTableRoot, false));
  EXPECT_EQ(branches.size(), 1U) << "in sight";
}

TEST_F(BranchReplaceTest, KeepsWhatAnotherEngineCommitsToTheRootWhileMainIsABranch) {
  ASSERT_THAT(ReplaceMain(Context(), {.name = "fix", .materialize = false}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(*fs_, root_));
  BRAID_ASSERT_OK_AND_ASSIGN(Snapshot late, ReadSnapshot(*fs_, root_, *head));
  late.id = head->next();
  late.commit_user = "java";
  ASSERT_THAT(CreateSnapshot(*fs_, root_, late), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain moved, MaterializeMain(Context()));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
  ASSERT_TRUE(moved.kept_as.starts_with("late-")) << moved.kept_as;
  EXPECT_EQ(moved.drop_after_ms, 0) << "kept until somebody deletes it";
  BRAID_ASSERT_OK_AND_ASSIGN(const TableLines lines, ListLines(*fs_, kTestTableRoot));
  const Line* kept = lines.Find(moved.kept_as);
  ASSERT_NE(kept, nullptr);
  EXPECT_FALSE(kept->is_retired());
  EXPECT_EQ(ReadSnapshot(*fs_, kept->paths, late.id)->commit_user, "java");
  EXPECT_THAT(ReadTag(*fs_, root_, ForkGuardTag(moved.kept_as)), IsOk());
}

TEST_F(BranchReplaceTest, DropsTheFormerMainWhenItsTimeIsOver) {
  ManualClock clock(SystemClock().NowMs());
  OperationContext context = Context();
  context.clock = &clock;
  ASSERT_THAT(ReplaceMain(context, {.name = "fix", .grace_time = std::chrono::hours(1)}), IsOk());
  EXPECT_THAT(ExpireBranches(context, true, false), HasValue(IsEmpty()));
  clock.Advance(3'600'000);
  EXPECT_THAT(ExpireBranches(context, true, true), HasValue(testing::SizeIs(1)));
  EXPECT_THAT(ExpireBranches(context, true, false), HasValue(testing::SizeIs(1)));
  EXPECT_THAT(UndoReplaceMain(context, false), IsError(ErrorCode::kNotFound));
  EXPECT_THAT(Rows("main"), HasValue(ElementsAre("1", "2", "20")));
}

// Readers and writers on the local file system while main is replaced back and forth.
TEST(BranchReplaceRaceTest, EveryReadIsWholeAndNoCommitIsLostOrDoubled) {
  const std::string folder = (std::filesystem::temp_directory_path() / ("braid-replace-" + RandomUuid())).string();
  const std::string root = folder + "/d.db/t";
  const auto fs = LocalFileSystem();
  ASSERT_THAT(CreateTestTable(fs, TestDefinition({{"k", DataType::Int()}}), root), IsOk());
  const auto open = [&](std::string_view branch) { return Table::Open(fs, root, "d.t", branch); };
  for (const int row : {1, 2}) ASSERT_THAT(Insert(*open("main"), {{row}}), IsOk());
  OperationContext context;
  context.file_system = fs;
  context.root = root;
  context.table_name = "d.t";
  ASSERT_THAT(CreateBranch(context, {.name = "fix", .latest = true}), IsOk());
  ASSERT_THAT(Insert(*open("main"), {{3}}), IsOk());
  ASSERT_THAT(Insert(*open("fix"), {{1000}}), IsOk());

  std::atomic<bool> stop = false;
  std::atomic<int> reads = 0;
  std::vector<int> written;  // by the writer of the branch
  std::vector<std::jthread> threads;
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      while (!stop) {
        const auto table = open("main");
        ASSERT_THAT(table, IsOk());
        const auto rows = SortedRows(*table);
        ASSERT_THAT(rows, IsOk());
        const auto has = [&](const std::string& row) { return std::find(rows->begin(), rows->end(), "{\"k\":" + row + "}") != rows->end(); };
        ASSERT_TRUE(has("1") && has("2"));
        ASSERT_NE(has("3"), has("1000")) << "a mix of both mains";
        ++reads;
      }
    });
  }
  threads.emplace_back([&] {
    const auto table = open("fix");
    ASSERT_THAT(table, IsOk());
    for (int row = 2000; !stop && row < 2200; ++row) {
      const auto snapshots = Insert(*table, {{row}});
      ASSERT_THAT(snapshots, IsOk());
      written.push_back(row);
    }
  });
  while (reads < 5) std::this_thread::yield();
  BRAID_ASSERT_OK_AND_ASSIGN(const ReplacedMain replaced, ReplaceMain(context, {.name = "fix"}));
  const int at_switch = reads;
  while (reads < at_switch + 10) std::this_thread::yield();
  stop = true;
  threads.clear();
  BRAID_ASSERT_OK_AND_ASSIGN(const auto rows, SortedRows(*open("main")));
  std::vector<std::string> expected = {"{\"k\":1}", "{\"k\":2}", "{\"k\":1000}"};
  for (const int row : written) expected.push_back("{\"k\":" + std::to_string(row) + "}");
  EXPECT_THAT(rows, testing::UnorderedElementsAreArray(expected));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace braid
