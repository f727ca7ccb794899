#include "jobs/epoch_runner.h"

#include <fstream>

#include <fmt/format.h>

#include "io/memory_file_system.h"
#include "jobs/file_journal.h"
#include "jobs/runner_testing.h"
#include "jobs/state_file.h"
#include "lineage/snapshot_lineage.h"
#include "meta/stores.h"

namespace braid {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class EpochRunnerTest : public RunnerTest {};

TEST_F(EpochRunnerTest, CountsFollowTheWords) {
  MakeWords();
  auto runner = Open(kCount);
  ASSERT_THAT(runner, IsOk());
  EXPECT_THAT(CatchUp(**runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1"));
  ASSERT_THAT(Run("INSERT INTO words VALUES ('b'), ('c')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO words VALUES ('c')"), IsOk());
  EXPECT_THAT(CatchUp(**runner), HasValue(1)) << "both snapshots in one epoch";
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|2", "c|2"));
  EXPECT_EQ((*runner)->barrier(), 2);
  EXPECT_THAT(CatchUp(**runner), HasValue(0));
}

TEST_F(EpochRunnerTest, AJobThatIsOpenedAgainGoesOn) {
  MakeWords();
  {
    auto runner = Open(kCount);
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
  }
  ASSERT_THAT(Run("INSERT INTO words VALUES ('a')"), IsOk());
  auto runner = Open(kCount);
  ASSERT_THAT(runner, IsOk());
  EXPECT_THAT(CatchUp(**runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|3", "b|1"));
}

TEST_F(EpochRunnerTest, KeyTablesWithoutAChangelogAreComparedSnapshotBySnapshot) {
  ASSERT_THAT(
      Run("CREATE TABLE prices (id INT PRIMARY KEY NOT ENFORCED, shop STRING, price INT) WITH ('bucket' = '2')"),
      IsOk());
  ASSERT_THAT(Run("CREATE TABLE totals (shop STRING PRIMARY KEY NOT ENFORCED, total INT) WITH ('bucket' = '1')"),
              IsOk());
  ASSERT_THAT(Run("INSERT INTO prices VALUES (1, 'x', 10), (2, 'x', 20), (3, 'y', 5)"), IsOk());
  auto runner = Open("INSERT INTO totals SELECT shop, SUM(price) FROM prices GROUP BY shop");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM totals"), UnorderedElementsAre("x|30", "y|5"));
  ASSERT_THAT(Run("INSERT INTO prices VALUES (2, 'x', 25), (3, 'x', 1)"), IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM totals"), UnorderedElementsAre("x|36"));
  ASSERT_THAT(Run("INSERT OVERWRITE prices VALUES (9, 'z', 7)"), IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM totals"), UnorderedElementsAre("z|7"));
}

TEST_F(EpochRunnerTest, GoesOnWhereASourceIsSorted) {
  MakeWords();
  auto runner = Open(kCount);
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  ASSERT_THAT(Run("CALL sys.compact('words', order_strategy => 'order', order_by => 'word')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO words VALUES ('b')"), IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|2"));
}

TEST_F(EpochRunnerTest, AnAppendTableTakesRowsButNoDeletion) {
  MakeWords();
  ASSERT_THAT(Run("CREATE TABLE copies (word STRING)"), IsOk());
  {
    auto runner = Open("INSERT INTO copies SELECT word FROM words WHERE word <> 'b'");
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
    EXPECT_THAT(Rows("SELECT * FROM copies"), ElementsAre("a", "a"));
  }
  ASSERT_THAT(folder_.RemoveState(), IsOk());
  ASSERT_THAT(Run("CREATE TABLE numbers (n BIGINT)"), IsOk());
  auto runner = Open("INSERT INTO numbers SELECT COUNT(*) FROM words", "2");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  ASSERT_THAT(Run("INSERT INTO words VALUES ('c')"), IsOk());
  const auto refused = CatchUp(**runner);
  ASSERT_THAT(refused, IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(refused.error().message(), HasSubstr("n=3"));
}

TEST_F(EpochRunnerTest, SeveralRowsOfOneKeyAreRefused) {
  MakeWords();
  ASSERT_THAT(Run("CREATE TABLE lengths (len INT PRIMARY KEY NOT ENFORCED, cnt BIGINT) WITH ('bucket' = '1')"), IsOk());
  auto runner = Open("INSERT INTO lengths SELECT CHAR_LENGTH(word), COUNT(*) FROM words GROUP BY word");
  ASSERT_THAT(runner, IsOk());
  EXPECT_THAT(CatchUp(**runner), HasMessage("several rows of one primary key"));
}

TEST_F(EpochRunnerTest, FilesOfAFolderAreFollowed) {
  const std::filesystem::path files = base_ / "files";
  std::filesystem::create_directories(files);
  std::ofstream(files / "1.txt") << "one\ntwo\n";
  ASSERT_THAT(Run("CREATE TABLE lines (line STRING)"), IsOk());
  ASSERT_THAT(Run(fmt::format("CREATE TEMPORARY TABLE incoming (line STRING) WITH ('connector' = 'filesystem', 'path' "
                              "= '{}', 'format' = 'raw')",
                              files.string())),
              IsOk());
  auto runner = Open("INSERT INTO lines SELECT UPPER(line) FROM incoming");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM lines"), UnorderedElementsAre("ONE", "TWO"));
  std::ofstream(files / "2.txt") << "three\n";
  EXPECT_THAT((*runner)->Run(), HasValue(EpochRunner::Outcome::kRan));
  EXPECT_THAT((*runner)->Run(), HasValue(EpochRunner::Outcome::kEnded))
      << "without 'source.monitor-interval' the files are bounded";
  EXPECT_THAT(Rows("SELECT * FROM lines"), UnorderedElementsAre("ONE", "TWO", "THREE"));
}

// They wait outside of DuckDB, which has references to them.
TEST_F(EpochRunnerTest, LongValuesPassThrough) {
  ASSERT_THAT(Run("CREATE TABLE texts (k INT PRIMARY KEY NOT ENFORCED, t STRING, kind STRING) WITH ('bucket' = '1')"),
              IsOk());
  ASSERT_THAT(Run("CREATE TABLE copies (k INT PRIMARY KEY NOT ENFORCED, t STRING, kind STRING) WITH ('bucket' = '1')"),
              IsOk());
  ASSERT_THAT(Run("INSERT INTO texts SELECT k, REPEAT(CHR(64 + k), 3000000), 'old' FROM (VALUES (1), (2), (3)) AS v(k)"),
              IsOk());
  auto runner = Open("INSERT INTO copies SELECT k, t, UPPER(kind) FROM texts WHERE kind <> 'hidden'");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  const std::string shown = "SELECT k, CHAR_LENGTH(t), LEFT(t, 1), RIGHT(t, 1), kind FROM copies";
  EXPECT_THAT(Rows(shown), UnorderedElementsAre("1|3000000|A|A|OLD", "2|3000000|B|B|OLD", "3|3000000|C|C|OLD"));
  // Of the first row another column changes, of the second the text, the third goes.
  ASSERT_THAT(Run("UPDATE texts SET kind = 'new' WHERE k = 1"), IsOk());
  ASSERT_THAT(Run("UPDATE texts SET t = REPEAT('x', 2000000) WHERE k = 2"), IsOk());
  ASSERT_THAT(Run("UPDATE texts SET kind = 'hidden' WHERE k = 3"), IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows(shown), UnorderedElementsAre("1|3000000|A|A|NEW", "2|2000000|x|x|OLD"));
}

TEST_F(EpochRunnerTest, AStatementSetWritesAllItsSinksUnderOneBarrier) {
  MakeWords();
  ASSERT_THAT(Run("CREATE TABLE copies (word STRING)"), IsOk());
  auto runner = Open(
      "EXECUTE STATEMENT SET BEGIN INSERT INTO counts SELECT word, COUNT(*) FROM words GROUP BY word; INSERT INTO "
      "copies SELECT word FROM words; END");
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  ASSERT_THAT(Run("INSERT INTO words VALUES ('c')"), IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|1", "c|1"));
  EXPECT_THAT(Rows("SELECT * FROM copies"), UnorderedElementsAre("a", "a", "b", "c"));
  EXPECT_THAT(Rows("SELECT commit_identifier FROM counts$snapshots"), ElementsAre("1", "2"));
  EXPECT_THAT(Rows("SELECT commit_identifier FROM copies$snapshots"), ElementsAre("1", "2"));
}

TEST_F(EpochRunnerTest, SourcesArePinnedByConsumers) {
  MakeWords();
  auto runner = Open(kCount);
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM words$consumers"), ElementsAre("braid-job1-0|2"));
  ASSERT_THAT((*runner)->End(JobState::kFinished, ""), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM words$consumers"), ElementsAre());
}

TEST_F(EpochRunnerTest, AReplacedSourceStopsTheJobAndARebuildMendsTheSink) {
  MakeWords();
  {
    auto runner = Open(kCount);
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
    // Another line of snapshots under the same ids.
    ASSERT_THAT(Run("DROP TABLE words"), IsOk());
    ASSERT_THAT(Run("CREATE TABLE words (word STRING)"), IsOk());
    ASSERT_THAT(Run("INSERT INTO words VALUES ('a')"), IsOk());
    ASSERT_THAT(Run("INSERT INTO words VALUES ('z')"), IsOk());
    EXPECT_THAT(CatchUp(**runner), IsError(ErrorCode::kConflict));
  }
  auto runner = Open(kCount, "2", StateRoad::kRebuild);
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|1", "z|1"));
}

TEST_F(EpochRunnerTest, ASnapshotThatExpiredBeforeItWasReadIsNamed) {
  MakeWords();
  auto runner = Open(kCount);
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), IsOk());
  ASSERT_THAT(Run("INSERT INTO words VALUES ('c')"), IsOk());
  ASSERT_THAT(Run("INSERT INTO words VALUES ('d')"), IsOk());
  for (const char* name : {"snapshot-1", "snapshot-2", "EARLIEST"})
    std::filesystem::remove(std::filesystem::path(warehouse()) / "default.db/words/snapshot" / name);
  const auto failed = CatchUp(**runner);
  ASSERT_THAT(failed, IsError(ErrorCode::kNotFound));
  EXPECT_THAT(failed.error().message(),
              HasSubstr("snapshot 2 of c.default.words, the next to read, has expired; the earliest one is 3"));
}

TEST_F(EpochRunnerTest, ASavepointIsRestoredUnlessItsSinkHasMovedOn) {
  MakeWords();
  std::string savepoint;
  {
    auto runner = Open(kCount);
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
    auto made = (*runner)->Savepoint(folder_.SavepointDirectory());
    ASSERT_THAT(made, IsOk());
    savepoint = *made;
    EXPECT_THAT(savepoint, HasSubstr("savepoint-job1-g1-1"));
    EXPECT_THAT(Rows("SELECT tag_name FROM counts$tags"), ElementsAre("savepoint-job1-g1-1"));
    EXPECT_THAT(Rows("SELECT tag_name FROM words$tags"), ElementsAre("savepoint-job1-g1-1"));
  }
  ASSERT_THAT(Run("INSERT INTO words VALUES ('b')"), IsOk());
  const auto plan = session().PlanJob(kCount);
  ASSERT_THAT(plan, IsOk());
  ASSERT_THAT(RestoreSavepoint(folder_, savepoint, *plan), IsOk());
  {
    auto runner = Open(kCount, "2");
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
    EXPECT_EQ((*runner)->barrier(), 2);
    EXPECT_THAT(Rows("SELECT * FROM counts"), UnorderedElementsAre("a|2", "b|2"));
  }
  const auto moved = RestoreSavepoint(folder_, savepoint, *plan);
  ASSERT_THAT(moved, IsError(ErrorCode::kConflict));
  EXPECT_THAT(moved.error().message(), HasSubstr("snapshot 2 by job1_g2_"));
  EXPECT_THAT(RestoreSavepoint(folder_, savepoint + "x", *plan), IsError(ErrorCode::kNotFound));
}

// 30 sources of some 340 bytes each are more than the 8 KiB that a snapshot may carry.
// By the sink's own file system: another one finds nothing there and says that it is deleted.
TEST_F(EpochRunnerTest, FilesOfAnEpochThatWasNotDecidedGoWhereverTheSinkLies) {
  MakeWords();
  BRAID_ASSERT_OK_AND_ASSIGN(JobPlan plan, session().PlanJob(kCount));
  const auto bucket = std::make_shared<MemoryFileSystem>();
  const TablePaths paths("s3://bucket/wh/c.db/counts", std::string(kMainBranch));
  ASSERT_THAT(WriteSchema(*bucket, paths, std::get<Table>(plan.inserts[0].table).schema()), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(plan.inserts[0].table, Table::Open(bucket, paths.root(), "c.counts"));

  const std::string left = paths.root() + "/bucket-0/data-1-0.parquet";
  const std::string decided = paths.root() + "/bucket-0/data-0-0.parquet";
  {
    FileJournal journal;
    for (const auto& [barrier, file] : {std::pair(0, decided), std::pair(1, left)}) {
      journal.Begin(folder_.JournalFile(barrier));
      BRAID_ASSERT_OK_AND_ASSIGN(const auto output,
                                 MakeJournalledFileSystem(bucket, paths.root(), journal)->Create(file));
      ASSERT_THAT(output->CloseSynced(), IsOk());
    }
  }
  JobRecord record;
  record.id = "1";
  record.name = plan.name = "job1";
  auto runner = EpochRunner::Open({.folder = folder_, .record = record, .plan = std::move(plan), .threads = 1});
  ASSERT_THAT(runner, IsOk());
  EXPECT_THAT(bucket->AllFiles(), Not(Contains(left)));
  EXPECT_THAT(bucket->AllFiles(), Contains(decided));
  EXPECT_THAT(folder_.Journals(), HasValue(IsEmpty()));
}

TEST_F(EpochRunnerTest, ManySourcesLieInASideFileOfTheSink) {
  ASSERT_THAT(Run("CREATE CATALOG l WITH ('type' = 'paimon', 'table-lineage' = 'true', 'warehouse' = '" +
                  base_.string() + "/l')"),
              IsOk());
  ASSERT_THAT(Run("USE CATALOG l"), IsOk());
  ASSERT_THAT(Run("CREATE TABLE all_words (word STRING)"), IsOk());
  std::string query;
  for (int i = 0; i < 30; ++i) {
    const std::string name = fmt::format("{}_{}", std::string(150, 'w'), i);
    ASSERT_THAT(Run(fmt::format("CREATE TABLE {} (word STRING)", name)), IsOk());
    ASSERT_THAT(Run(fmt::format("INSERT INTO {} VALUES ('a')", name)), IsOk());
    query += fmt::format("{}SELECT word FROM {}", i > 0 ? " UNION ALL " : "", name);
  }
  auto runner = Open("INSERT INTO all_words " + query);
  ASSERT_THAT(runner, IsOk());
  ASSERT_THAT(CatchUp(**runner), HasValue(1));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM all_words"), ElementsAre("30"));

  const TablePaths paths(base_.string() + "/l/default.db/all_words", "main");
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*LocalFileSystem(), paths, SnapshotId(1)));
  const std::optional<SnapshotLineage> lineage = DecodeLineage(snapshot);
  ASSERT_TRUE(lineage);
  EXPECT_NE(lineage->sources_ref, "");
  BRAID_ASSERT_OK_AND_ASSIGN(const SnapshotLineage whole, LoadSources(*LocalFileSystem(), paths.root(), *lineage));
  EXPECT_THAT(whole.sources, testing::SizeIs(30));
}

TEST_F(EpochRunnerTest, ADamagedStateFileIsNamed) {
  MakeWords();
  std::ofstream(folder_.StateFile())
      << "this is no database, though it is long enough to be looked at as one by its header";
  const auto opened = Open(kCount);
  ASSERT_THAT(opened, IsError(ErrorCode::kCorruption));
  EXPECT_THAT(opened.error().hint(), HasSubstr("--rebuild-state"));
}

TEST_F(EpochRunnerTest, AStateOfAnotherVersionIsRefusedAndSetAsideByARebuild) {
  MakeWords();
  {
    auto runner = Open(kCount);
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
  }
  {
    const auto state = StateFile::Open(
        {.path = folder_.StateFile(), .temporary_directory = folder_.TemporaryDirectory(), .threads = 1});
    ASSERT_THAT(state, IsOk());
    ASSERT_THAT((*state)->connection().Execute("UPDATE main._job SET value = '2' WHERE key = 'formatVersion'"), IsOk());
  }
  const auto refused = Open(kCount);
  ASSERT_THAT(refused, IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(refused.error().message(), HasSubstr("has format version 2; this program knows 1"));
  auto rebuilt = Open(kCount, "2", StateRoad::kRebuild);
  ASSERT_THAT(rebuilt, IsOk());
  EXPECT_THAT(CatchUp(**rebuilt), HasValue(1));
  EXPECT_THAT(Rows("SELECT * FROM counts$snapshots"), testing::SizeIs(1)) << "the sink had everything already";
  EXPECT_TRUE(std::filesystem::exists(folder_.StateFile() + ".damaged"));
}

TEST_F(EpochRunnerTest, AnotherQueryDoesNotTakeTheState) {
  MakeWords();
  {
    auto runner = Open(kCount);
    ASSERT_THAT(runner, IsOk());
    ASSERT_THAT(CatchUp(**runner), IsOk());
  }
  EXPECT_THAT(Open("INSERT INTO counts SELECT word, COUNT(*) FROM words WHERE word <> 'a' GROUP BY word"),
              IsError(ErrorCode::kConflict));
}

TEST_F(EpochRunnerTest, WhatAJobCannotReadIsNamed) {
  MakeWords();
  EXPECT_THAT(Open("INSERT INTO words SELECT CAST(snapshot_id AS STRING) FROM words$snapshots"),
              IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(Open("INSERT INTO words SELECT word FROM counts /*+ OPTIONS('scan.mode' = 'latest') */"),
              IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
