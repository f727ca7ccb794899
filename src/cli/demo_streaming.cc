// The second part of `braid demo`: jobs that go on by themselves, and what each of their checkpoints was made from.

#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/demo_chapters.h"

namespace braid {

namespace {

// The script that starts both jobs.
std::string JobsScript() {
  return fmt::format(
      "CREATE TEMPORARY TABLE lines (line STRING) WITH (\n"
      "    'connector' = 'filesystem', 'path' = 'incoming', 'format' = 'raw',\n"
      "    'source.monitor-interval' = '100 ms');\n"
      "SET 'execution.runtime-mode' = 'streaming';\n"
      "SET 'execution.checkpointing.interval' = '100 ms';\n\n"
      "SET 'pipeline.name' = 'ingest';\n"
      "INSERT INTO word_table\n    {};\n\n"
      "SET 'pipeline.name' = 'job1';\n"
      "INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word;\n",
      WordsFrom("lines"));
}

Status StartJobs(DemoStage& stage) {
  stage.Chapter("The same query, as a job that goes on",
                "ingest follows the folder `incoming` and puts the words of every new file into word_table;\n"
                "job1 keeps the counts up to date, by what each checkpoint changes. A script starts them:");
  std::ofstream file("jobs.sql");
  if (!(file << JobsScript() << std::flush)) return Error(ErrorCode::kIo, "cannot write jobs.sql");
  fmt::print("$ cat jobs.sql\n{}", JobsScript());
  BRAID_TRY(stage.Braid({"sql", "--no-init", "--warehouse", "warehouse", "-f", "jobs.sql"}));
  stage.Say(
      "That shell has ended. Each job is a process of its own, with another that starts it again if it\n"
      "dies. Neither needs a terminal:");
  BRAID_TRY(stage.Braid({"job", "list"}));
  BRAID_TRY(stage.WaitForJobs({"ingest", "job1"}));
  stage.Say("job1 began with all the words that were there, so the wrong row of chapter 4 is right again:");
  return stage.Sql(Difference("debug_word_count_table", "debug_cnt", "word_count_table", "cnt"));
}

Status DeliverPages(DemoStage& stage) {
  stage.Chapter("Files arrive",
                "Two more pages are put into the folder. `job wait` returns when the jobs have read all there is.");
  for (const std::size_t page : {4U, 5U}) {
    BRAID_TRY(stage.Deliver(page));
    BRAID_TRY(stage.WaitForJobs({"ingest", "job1"}));
  }
  BRAID_TRY(stage.Sql("SELECT word, cnt FROM word_count_table ORDER BY cnt DESC, word LIMIT 5"));
  stage.Say(
      "Every checkpoint (barrier) says which snapshot of the words made which snapshot of the counts.\n"
      "The first three are those of the batch job; barriers only grow:");
  BRAID_TRY(
      stage.Sql("SELECT k.barrier_id, s.snapshot_id AS words, k.snapshot_id AS counts\n"
                "    FROM paimon.source_snapshot_lineage s JOIN paimon.sink_snapshot_lineage k\n"
                "    ON s.job = k.job AND s.barrier_id = k.barrier_id\n"
                "    WHERE k.job = 'job1' ORDER BY k.barrier_id"));
  BRAID_TRY_ASSIGN(const std::vector<DemoBarrier> barriers, BarriersOfJob1());
  BRAID_TRY(stage.Braid({"lineage", "up", "warehouse", "default.word_count_table", "--snapshot",
                         std::to_string(barriers.back().counts)}));
  BRAID_TRY(stage.Braid({"job", "show", "job1"}));
  return Ok();
}

Status DebugCheckpoint(DemoStage& stage) {
  BRAID_TRY_ASSIGN(const std::vector<DemoBarrier> barriers, BarriersOfJob1());
  const DemoBarrier& last = barriers.back();
  stage.Chapter(
      "Is that checkpoint right?",
      fmt::format(
          "As in chapter 4, while the jobs are at work: snapshot {} of the counts is to be what the query gives\n"
          "on snapshot {} of the words.",
          last.counts, last.words));
  BRAID_TRY(stage.Sql("SET 'pipeline.name' = 'debug_job'"));
  BRAID_TRY(stage.Sql("CREATE TABLE debug_checkpoint LIKE word_count_table"));
  BRAID_TRY(
      stage.Sql(fmt::format("INSERT INTO debug_checkpoint\n"
                            "    SELECT word, COUNT(*) FROM word_table {} GROUP BY word",
                            AtSnapshot(last.words))));
  BRAID_TRY(
      stage.Sql(Difference("debug_checkpoint", "debug_cnt", "word_count_table " + AtSnapshot(last.counts), "cnt")));
  stage.Say("No row differs.");
  return Ok();
}

}  // namespace

Status TellStreamingPart(DemoStage& stage) {
  stage.Part("Part two: while data arrive");
  BRAID_TRY(StartJobs(stage));
  BRAID_TRY(DeliverPages(stage));
  return DebugCheckpoint(stage);
}

}  // namespace braid
