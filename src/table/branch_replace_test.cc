#include "table/branch_replace.h"

#include <atomic>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "base/uuid.h"
#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "table/branch_list.h"
#include "table/branch_merge.h"
#include "table/branch_table_testing.h"
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

// Random creations, commits, tags, merges, replacements and deletions against what each line should hold.
TEST_F(BranchTableTest, LinesHoldWhatAModelSays) {
  const char* given = std::getenv("BRAID_TEST_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}();
  SCOPED_TRACE("BRAID_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  using RowSet = std::vector<std::string>;
  struct ModelLine {
    RowSet rows = {};
    std::map<std::string, RowSet> tags = {};
  };
  std::map<std::string, ModelLine> model = {{"main", {.rows = {"1", "2", "3"}}}};
  int next_row = 10;
  int next_name = 0;
  const auto any_line = [&] {
    auto it = model.begin();
    std::advance(it, pick(static_cast<int>(model.size())));
    return it->first;
  };
  for (int step = 0; step < 120; ++step) {
    const std::string line = any_line();
    SCOPED_TRACE("step " + std::to_string(step) + " on " + line);
    switch (pick(7)) {
      case 0:
      case 1: {
        const int row = next_row++;
        ASSERT_NO_FATAL_FAILURE(Add(line, row));
        model[line].rows.push_back(std::to_string(row));
        break;
      }
      case 2: {
        const std::string tag = "t" + std::to_string(next_name++);
        BRAID_ASSERT_OK_AND_ASSIGN(const TablePaths paths, ResolveLine(*fs_, kTestTableRoot, line));
        BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<SnapshotId> head, FindLatestSnapshot(*fs_, paths));
        ASSERT_NO_FATAL_FAILURE(TagSnapshot(line, tag, head->value()));
        model[line].tags[tag] = model[line].rows;
        break;
      }
      case 3: {
        if (model.size() > 6) break;
        const std::string name = "b" + std::to_string(next_name++);
        CreateBranchRequest request{.name = name, .from_branch = line};
        ModelLine made;
        if (!model[line].tags.empty() && pick(2) == 0) {
          const auto& [tag, rows] = *model[line].tags.begin();
          request.tag = tag;
          made.rows = rows;
          made.tags[tag] = rows;
        } else {
          request.latest = true;
          made.rows = model[line].rows;
        }
        ASSERT_THAT(CreateBranch(Context(), request), IsOk());
        model[name] = std::move(made);
        break;
      }
      case 4: {
        if (line == "main") break;
        ASSERT_THAT(DeleteBranch(Context(), {.name = line, .force = true}), IsOk());
        model.erase(line);
        break;
      }
      case 5: {
        if (line == "main") break;
        const auto merged = FastForward(Context(), {.source = line, .skip_clashing_tags = true});
        // Where it is refused nothing changes; where it is done, main has all that the branch has.
        if (merged && !merged->published.empty()) {
          model["main"].rows = model[line].rows;
          for (const std::string& tag : merged->tags) model["main"].tags[tag] = model[line].tags[tag];
        }
        break;
      }
      default: {
        if (line == "main" || pick(3) != 0) break;
        const std::string kept = "k" + std::to_string(next_name++);
        const auto replaced = ReplaceMain(Context(), {.name = line, .keep_as = kept, .branch_tags_win = true});
        if (!replaced) break;
        ModelLine former = std::move(model["main"]);
        ModelLine branch = std::move(model[line]);
        model.erase(line);
        BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> tags, ListTags(*fs_, root_));
        for (const std::string& tag : tags) {
          if (!IsGuardTag(tag) && !branch.tags.contains(tag)) branch.tags[tag] = former.tags.at(tag);
        }
        model["main"] = std::move(branch);
        model[kept] = std::move(former);
      }
    }
    for (auto& [name, held] : model) {
      std::sort(held.rows.begin(), held.rows.end());
      ASSERT_THAT(Rows(name), HasValue(held.rows)) << name;
      for (auto& [tag, rows] : held.tags) {
        std::sort(rows.begin(), rows.end());
        ASSERT_THAT(Rows(name, {{"scan.tag-name", tag}}), HasValue(rows)) << name << " tag " << tag;
      }
    }
  }
}

}  // namespace
}  // namespace braid
