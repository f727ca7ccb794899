// Jobs whose sources or sinks get another main while they run (spec branches.md §8.2, §11.2).

#include <fstream>

#include <fmt/format.h>

#include "jobs/runner_testing.h"
#include "table/operation.h"
#include "table/seal.h"

namespace braid {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ReplacedMainTest : public RunnerTest {
 protected:
  ReplacedMainTest() {
    // With lineage, as the story of a correction has it.
    const std::string folder = (base_ / "traced").string();
    EXPECT_THAT(Run("CREATE CATALOG traced WITH ('type' = 'paimon', 'warehouse' = '" + folder +
                    "', 'table-lineage' = 'true', 'data-lineage' = 'true')"),
                IsOk());
    EXPECT_THAT(Run("USE CATALOG traced"), IsOk());
    MakeWords();
  }

  void Do(const std::string& statement) { ASSERT_THAT(Run(statement), IsOk()) << statement; }
  void Branch(const std::string& table, const std::string& name = "fix") {
    const auto rows = Rows(fmt::format("SELECT MAX(snapshot_id) FROM {}$snapshots", table));
    ASSERT_EQ(rows.size(), 1U);
    Do(fmt::format("CALL sys.create_branch(`table` => 'default.{}', branch => '{}', snapshot => {})", table, name,
                   rows[0]));
  }
  void ReplaceMain(const std::string& table, const std::string& name = "fix") {
    Do(fmt::format("CALL sys.replace_main_branch(`table` => 'default.{}', branch => '{}', keep_as => '{}_old')", table,
                   name, table));
  }

  // Runs the job until the present process cannot go on, then as many further ones as it asks for.
  Result<int> CatchUpAcross(std::unique_ptr<EpochRunner>& runner, WhenReplaced when = WhenReplaced::kVerify) {
    for (int processes = 0;; ++processes) {
      const Result<int> done = CatchUp(*runner);
      if (done) return processes;
      if (!runner->HasMoved() || processes == 3) return done.error();
      runner.reset();
      BRAID_TRY_ASSIGN(runner, Open(kCount, "1", StateRoad::kContinue, when));
    }
  }

  std::unique_ptr<EpochRunner> Started() {
    auto runner = Open(kCount);
    EXPECT_THAT(runner, IsOk());
    EXPECT_THAT(CatchUp(**runner), IsOk());
    return *std::move(runner);
  }

  // The job has counted 'teh'; the main that takes the place of the one with it has 'the' instead.
  void ReplaceMisspeltWords(EpochRunner& runner) {
    Branch("words");
    Do("INSERT INTO words VALUES ('teh')");
    ASSERT_THAT(CatchUp(runner), HasValue(1));
    Do("INSERT INTO `words$branch_fix` VALUES ('the')");
    ReplaceMain("words");
  }

  // The same query on the branches of both tables, up to their heads: what `braid job run` does beside main.
  void CountOnBranches() {
    const JobFolder folder(base_.string() + "/job-fix");
    ASSERT_THAT(folder.Create(), IsOk());
    auto runner = OpenIn(folder, "job1@fix",
                         "INSERT INTO `counts$branch_fix` SELECT word, COUNT(*) FROM `words$branch_fix` GROUP BY word",
                         "7", StateRoad::kLineage);
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
  }
};

// Snapshot 2 of words is wrong ('teh'); the branch has 'the' and one word more.
TEST_F(ReplacedMainTest, GoesOnWhenBothTablesAreReplacedByBranchesThatAgree) {
  auto runner = Started();
  Branch("words");
  Branch("counts");
  Do("INSERT INTO words VALUES ('teh')");
  ASSERT_THAT(CatchUp(*runner), HasValue(1));
  Do("INSERT INTO `words$branch_fix` VALUES ('the')");
  Do("INSERT INTO `words$branch_fix` VALUES ('a')");
  CountOnBranches();
  ASSERT_THAT(Rows("SELECT * FROM `counts$branch_fix`"), UnorderedElementsAre("a|3", "b|1", "the|1"));
  ReplaceMain("words");
  ReplaceMain("counts");
  const auto head = Rows("SELECT MAX(snapshot_id) FROM counts$snapshots");
  EXPECT_THAT(CatchUpAcross(runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|3", "b|1", "the|1"));
  EXPECT_EQ(Rows("SELECT MAX(snapshot_id) FROM counts$snapshots"), head) << "nothing was to be written";
  Do("INSERT INTO words VALUES ('the'), ('end')");
  EXPECT_THAT(CatchUp(*runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|3", "b|1", "the|2", "end|1"));
  // The new run says that it read the new snapshot alone, after those of the branch's job.
  EXPECT_EQ(runner->generation(), 2);
}

TEST_F(ReplacedMainTest, WaitsForTheSecondTableToBeReplaced) {
  auto runner = Started();
  Branch("words");
  Branch("counts");
  Do("INSERT INTO words VALUES ('teh')");
  ASSERT_THAT(CatchUp(*runner), HasValue(1));
  Do("INSERT INTO `words$branch_fix` VALUES ('the')");
  CountOnBranches();
  ReplaceMain("words");
  const auto failed = CatchUpAcross(runner);
  ASSERT_THAT(failed, IsError(ErrorCode::kConflict));
  EXPECT_TRUE(runner->AwaitsTables());
  EXPECT_FALSE(runner->HasMoved());
  EXPECT_THAT(failed.error().message(),
              AllOf(HasSubstr("traced.default.words was replaced by another line of snapshots"),
                    HasSubstr("differ in 2 rows (missing word=the, cnt=1)")));
  EXPECT_THAT(failed.error().hint(),
              AllOf(HasSubstr("--rebuild-state"), HasSubstr("--undo"), testing::Not(HasSubstr("--as-is"))))
      << "the job's position is not on the new main";
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "teh|1")) << "the sink is as it was";
  ReplaceMain("counts");
  EXPECT_TRUE(runner->HasMoved());
  EXPECT_THAT(CatchUpAcross(runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "the|1"));
}

TEST_F(ReplacedMainTest, AsksToBePlannedAgainIfMainIsReplacedWhileTheJobIsOpened) {
  Started().reset();
  Branch("counts");
  BRAID_ASSERT_OK_AND_ASSIGN(JobPlan plan, session().PlanJob(kCount));
  plan.name = "job1";
  ReplaceMain("counts");
  JobRecord record;
  record.id = "1";
  record.name = "job1";
  record.road = StateRoad::kContinue;
  EXPECT_THAT(EpochRunner::Open({.folder = folder_,
                                 .record = record,
                                 .plan = std::move(plan),
                                 .threads = 2,
                                 .memory_limit_bytes = std::int64_t{256} << 20}),
              IsError(ErrorCode::kUnavailable));
}

TEST_F(ReplacedMainTest, GoesOnWhereItHasReadNoFurtherThanTheFork) {
  auto runner = Started();
  Branch("words");
  Do("INSERT INTO `words$branch_fix` VALUES ('b')");
  ReplaceMain("words");
  EXPECT_THAT(CatchUpAcross(runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|2"));
  EXPECT_EQ(runner->generation(), 1) << "the same run";
  EXPECT_EQ(runner->barrier(), 2);
}

TEST_F(ReplacedMainTest, GoesOnWhenTheSinksBranchHoldsWhatItHadWritten) {
  auto runner = Started();
  Branch("counts");
  ReplaceMain("counts");
  Do("INSERT INTO words VALUES ('c')");
  EXPECT_THAT(CatchUpAcross(runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "c|1"));
  EXPECT_EQ(runner->generation(), 1);
}

TEST_F(ReplacedMainTest, ARebuildWritesTheDifferenceToTheNewMain) {
  auto runner = Started();
  ASSERT_NO_FATAL_FAILURE(ReplaceMisspeltWords(*runner));
  ASSERT_THAT(CatchUpAcross(runner), IsError(ErrorCode::kConflict));
  runner.reset();
  auto rebuilt = Open(kCount, "2", StateRoad::kRebuild);
  ASSERT_THAT(rebuilt, IsOk());
  EXPECT_THAT(CatchUp(**rebuilt), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "the|1"));
  // Only what differs was written.
  EXPECT_THAT(Rows("SELECT delta_record_count FROM counts$snapshots ORDER BY snapshot_id DESC LIMIT 1"),
              ElementsAre("2"));
  Do("INSERT INTO words VALUES ('the')");
  EXPECT_THAT(CatchUp(**rebuilt), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "the|2"));
}

TEST_F(ReplacedMainTest, TheOptionRebuildDoesSoByItself) {
  auto runner = Started();
  ASSERT_NO_FATAL_FAILURE(ReplaceMisspeltWords(*runner));
  EXPECT_THAT(CatchUpAcross(runner, WhenReplaced::kRebuild), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "the|1"));
}

TEST_F(ReplacedMainTest, UndoingTheReplacementFindsTheStateAsItWas) {
  auto runner = Started();
  ASSERT_NO_FATAL_FAILURE(ReplaceMisspeltWords(*runner));
  ASSERT_THAT(CatchUpAcross(runner), IsError(ErrorCode::kConflict));
  Do("CALL sys.replace_main_branch(`table` => 'default.words', branch => 'words_old')");
  EXPECT_THAT(CatchUpAcross(runner), HasValue(1));
  Do("INSERT INTO words VALUES ('a')");
  EXPECT_THAT(CatchUp(*runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|3", "b|1", "teh|1"));
}

TEST_F(ReplacedMainTest, LineageOfTheFormerMainComesBackWithIt) {
  auto runner = Started();
  Branch("counts");
  Do("INSERT INTO words VALUES ('teh')");
  ASSERT_THAT(CatchUp(*runner), HasValue(1));
  const std::string barriers = "SELECT barrier_id FROM paimon.sink_snapshot_lineage WHERE job = 'job1' ORDER BY 1";
  EXPECT_THAT(Rows(barriers), ElementsAre("1", "2"));
  ReplaceMain("counts");
  EXPECT_THAT(Rows(barriers), ElementsAre("1")) << "the new main has no other";
  Do("CALL sys.replace_main_branch(`table` => 'default.counts', branch => 'counts_old')");
  EXPECT_THAT(Rows(barriers), ElementsAre("1", "2"));
}

TEST_F(ReplacedMainTest, ASinkThatWasCorrectedByHandIsLeftToTheUser) {
  auto runner = Started();
  Branch("counts");
  Do("INSERT INTO `counts$branch_fix` VALUES ('a', 20)");
  ReplaceMain("counts");
  const auto failed = CatchUpAcross(runner);
  ASSERT_THAT(failed, HasMessage("differ in 2 rows"));
  EXPECT_THAT(failed.error().hint(), AllOf(HasSubstr("--rebuild-state"), HasSubstr("--as-is"), HasSubstr("--undo")));
  runner.reset();
  auto as_is = Open(kCount, "2", StateRoad::kAsIs);
  ASSERT_THAT(as_is, IsOk());
  Do("INSERT INTO words VALUES ('b')");
  EXPECT_THAT(CatchUp(**as_is), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|20", "b|2"));
}

TEST_F(ReplacedMainTest, AJobOnABranchGoesOnWhenItBecomesMain) {
  Branch("words");
  Do("INSERT INTO counts VALUES ('zero', 0)");
  Branch("counts");
  Do("INSERT INTO `words$branch_fix` VALUES ('x')");
  const std::string statement =
      "INSERT INTO `counts$branch_fix` SELECT word, COUNT(*) FROM `words$branch_fix` GROUP BY word";
  auto runner = Open(statement);
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM counts"), ElementsAre("zero|0")) << "main is not touched";
  ReplaceMain("words");
  ReplaceMain("counts");
  Do("INSERT INTO words VALUES ('y')");
  EXPECT_THAT(CatchUp(**runner), IsOk()) << "the branch's name is another name of main";
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "x|1", "y|1", "zero|0"));
}

TEST_F(ReplacedMainTest, TheOptionBranchNamesABranchToo) {
  Branch("words");
  Do("INSERT INTO `words$branch_fix` VALUES ('x')");
  auto runner =
      Open("INSERT INTO counts SELECT word, COUNT(*) FROM words /*+ OPTIONS('branch' = 'fix') */ GROUP BY word");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "x|1"));
}

TEST_F(ReplacedMainTest, ASessionOnABranchReadsAndWritesIt) {
  Branch("words");
  Do("SET 'braid.branch' = 'fix'");
  Do("INSERT INTO words VALUES ('x')");
  EXPECT_THAT(Rows("SELECT * FROM words"), UnorderedElementsAre("a", "b", "a", "x"));
  EXPECT_THAT(Run("INSERT INTO counts VALUES ('y', 1)"), HasMessage("has no branch 'fix'"));
  EXPECT_THAT(Rows("SELECT * FROM counts"), IsEmpty()) << "what has no such branch is read on main";
  Do("RESET 'braid.branch'");
  EXPECT_THAT(Rows("SELECT * FROM words"), UnorderedElementsAre("a", "b", "a"));
}

TEST_F(ReplacedMainTest, GoesOnWithTheColumnsOfTheNewMain) {
  auto runner = Started();
  Branch("words");
  Do("ALTER TABLE `words$branch_fix` ADD (origin STRING FIRST)");
  Do("INSERT INTO `words$branch_fix` VALUES ('book', 'b')");
  ReplaceMain("words");
  EXPECT_THAT(CatchUpAcross(runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|2"));
}

TEST_F(ReplacedMainTest, WhatComesFromFilesGoesToTheNewMain) {
  const std::filesystem::path files = base_ / "files";
  std::filesystem::create_directories(files);
  Do(
      fmt::format("CREATE TEMPORARY TABLE incoming (line STRING) WITH ('connector' = 'filesystem', 'path' = '{}', "
                  "'format' = 'raw', 'source.monitor-interval' = '1 s')",
                  files.string()));
  const std::string statement = "INSERT INTO words SELECT line FROM incoming";
  auto runner = Open(statement);
  ASSERT_THAT(runner, IsOk());
  std::ofstream(files / "1.txt") << "one\n";
  ASSERT_THAT(CatchUp(**runner), IsOk());
  Branch("words");
  std::ofstream(files / "2.txt") << "teh\n";
  ASSERT_THAT(CatchUp(**runner), IsOk());
  Do("INSERT INTO `words$branch_fix` VALUES ('the')");
  ReplaceMain("words");
  EXPECT_THAT(CatchUp(**runner), IsError(ErrorCode::kConflict));
  ASSERT_TRUE((*runner)->HasMoved());
  runner->reset();
  runner = Open(statement);
  ASSERT_THAT(runner, IsOk());
  std::ofstream(files / "3.txt") << "three\n";
  EXPECT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM words"), UnorderedElementsAre("a", "b", "a", "one", "the", "three"));
}

// While main is being replaced, the former one is sealed: what comes next has the seal's number on another line.
TEST_F(ReplacedMainTest, DoesNotReadPastTheSealOfALine) {
  auto runner = Started();
  const auto words = Table::Open(LocalFileSystem(), (base_ / "traced/default.db/words").string(), "default.words");
  ASSERT_THAT(words, IsOk());
  {
    const auto locked = LockedTable::Acquire(ContextOf(*words));
    ASSERT_THAT(locked, IsOk());
    ASSERT_THAT(SealLine(*locked, words->paths(), {.operation = "op", .reason = "replace", .moved_to = {}}), IsOk());
    EXPECT_THAT(CatchUp(*runner), HasValue(0));
    const auto progress = runner->Progress();
    ASSERT_THAT(progress, IsOk());
    EXPECT_THAT(progress->front().position, HasSubstr(R"("next":2)"));
    EXPECT_EQ(progress->front().lag, 0);
    ASSERT_THAT(UnsealLine(*locked, words->paths(), "op"), IsOk());
  }
  Do("INSERT INTO words VALUES ('c')");
  EXPECT_THAT(CatchUp(*runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "c|1"));
}

TEST_F(ReplacedMainTest, ALostStateIsMadeAnewFromTheSinksLineage) {
  {
    auto runner = Started();
    Do("INSERT INTO words VALUES ('c')");
    ASSERT_THAT(CatchUp(*runner), HasValue(1));
  }
  Do("INSERT INTO words VALUES ('d')");
  ASSERT_THAT(folder_.RemoveState(), IsOk());
  auto runner = Open(kCount, "2", StateRoad::kLineage);
  ASSERT_THAT(runner, IsOk());
  EXPECT_THAT((*runner)->Run(), HasValue(EpochRunner::Outcome::kRan))
      << "at snapshot 2 of words, which changes nothing";
  EXPECT_THAT(Rows("SELECT MAX(snapshot_id) FROM counts$snapshots"), ElementsAre("2"));
  EXPECT_THAT(CatchUp(**runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "c|1", "d|1"));
  // What others wrote meanwhile is found, not overwritten.
  runner->reset();
  Do("INSERT INTO counts VALUES ('e', 5)");
  runner = Open(kCount, "3", StateRoad::kLineage);
  ASSERT_THAT(runner, IsOk());
  EXPECT_THAT(CatchUp(**runner), HasMessage("differ in 1 rows (too many word=e, cnt=5)"));
  runner->reset();
  runner = Open(kCount, "4");
  ASSERT_THAT(runner, IsOk()) << "the state that the check has left";
  EXPECT_THAT(CatchUp(**runner), HasValue(0));
}

}  // namespace
}  // namespace braid
