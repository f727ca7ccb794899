// The first part of `braid demo`: tables, a batch job, lineage, and how to check a result.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/demo_chapters.h"

namespace braid {

namespace {

constexpr std::size_t kBatches = 3;  // pages that are loaded in batch
constexpr std::size_t kShownWords = 4;

std::string CreateCatalog(const char* name, const char* data_lineage) {
  return fmt::format(
      "CREATE CATALOG {} WITH (\n    'type' = 'paimon',\n    'warehouse' = 'warehouse',\n"
      "    'table-lineage' = 'true',\n    'data-lineage' = '{}'\n)",
      name, data_lineage);
}

Status MakeCatalog(DemoStage& stage) {
  stage.Chapter("A catalog that records lineage",
                "Two options ask for it, and are fixed once the catalog exists: every snapshot that a job\n"
                "commits then says which snapshots of which tables it was made from.");
  BRAID_TRY(stage.Sql(CreateCatalog("my_catalog", "true")));
  BRAID_TRY(stage.Sql("USE CATALOG my_catalog"));
  BRAID_TRY(stage.Sql("SELECT * FROM paimon.catalog_options"));
  stage.Say("Another catalog on the same warehouse cannot change its mind:");
  return stage.SqlRefused(CreateCatalog("other_catalog", "false"));
}

Status LoadWords(DemoStage& stage, const std::vector<std::string>& words) {
  std::string values;
  std::string shown;
  for (std::size_t i = 0; i < words.size(); ++i) {
    values += fmt::format("{}('{}')", i == 0 ? "" : ", ", words[i]);
    if (i + 1 == std::min(kShownWords, words.size())) shown = values;
  }
  return stage.Sql("INSERT INTO word_table VALUES " + values,
                   fmt::format("INSERT INTO word_table VALUES {}, ... {} words", shown, words.size()));
}

Status CountWords(DemoStage& stage, const DemoText& text) {
  stage.Chapter("Words and their counts",
                "word_table takes the words as they come; word_count_table keeps one row a word. Three pages\n"
                "of the text are loaded, and job1 counts anew after each: three snapshots of both tables.");
  BRAID_TRY(stage.Sql("CREATE TABLE word_table (\n    word STRING\n)"));
  BRAID_TRY(stage.Sql("CREATE TABLE word_count_table (\n    word STRING PRIMARY KEY NOT ENFORCED,\n    cnt BIGINT\n)"));
  BRAID_TRY(stage.Sql("SET 'execution.runtime-mode' = 'batch'"));
  for (std::size_t page = 0; page < kBatches; ++page) {
    BRAID_TRY(stage.Sql("SET 'pipeline.name' = 'ingest'"));
    BRAID_TRY(LoadWords(stage, WordsOf(text.pages[page])));
    BRAID_TRY(stage.Sql("SET 'pipeline.name' = 'job1'"));
    BRAID_TRY(stage.Sql("INSERT INTO word_count_table SELECT word, COUNT(*) FROM word_table GROUP BY word"));
  }
  return stage.Sql("SELECT word, cnt FROM word_count_table ORDER BY cnt DESC, word LIMIT 5");
}

Status ShowOrigins(DemoStage& stage, const DemoBarrier& last) {
  stage.Chapter("Where the counts come from",
                "Table lineage says which job reads and writes which table; data lineage says which snapshot\n"
                "of the words made which snapshot of the counts. Both are tables of the database paimon.");
  BRAID_TRY(stage.Sql("SELECT * FROM paimon.source_job_lineage"));
  BRAID_TRY(stage.Sql("SELECT * FROM paimon.sink_job_lineage"));
  BRAID_TRY(stage.Sql("SELECT job, barrier_id, `table`, snapshot_id FROM paimon.source_snapshot_lineage"));
  BRAID_TRY(stage.Sql("SELECT job, barrier_id, `table`, snapshot_id FROM paimon.sink_snapshot_lineage"));
  stage.Say("The proposal's question: which snapshots is each snapshot of the counts made from?");
  BRAID_TRY(
      stage.Sql("SELECT k.snapshot_id AS counts, s.`table`, s.snapshot_id\n"
                "    FROM paimon.source_snapshot_lineage s JOIN paimon.sink_snapshot_lineage k\n"
                "    ON s.job = k.job AND s.barrier_id = k.barrier_id\n"
                "    WHERE k.`table` = 'word_count_table' ORDER BY counts"));
  stage.Say("The same for people, on the command line:");
  BRAID_TRY(stage.Braid({"lineage", "graph", "warehouse"}));
  BRAID_TRY(stage.Braid(
      {"lineage", "up", "warehouse", "default.word_count_table", "--snapshot", std::to_string(last.counts)}));
  BRAID_TRY(
      stage.Braid({"lineage", "down", "warehouse", "default.word_table", "--snapshot", std::to_string(last.words)}));
  return Ok();
}

Status Debug(DemoStage& stage, const DemoText& text, const DemoBarrier& last) {
  stage.Chapter(
      "Is that snapshot right?",
      fmt::format("Snapshot {} of the counts was made from snapshot {} of the words. So it can be made again from\n"
                  "exactly that, in a table beside it, and compared.",
                  last.counts, last.words));
  BRAID_TRY(stage.Sql("SET 'pipeline.name' = 'debug_job'"));
  BRAID_TRY(stage.Sql("CREATE TABLE debug_word_count_table LIKE word_count_table"));
  BRAID_TRY(
      stage.Sql(fmt::format("INSERT INTO debug_word_count_table\n"
                            "    SELECT word, COUNT(*) FROM word_table {} GROUP BY word",
                            AtSnapshot(last.words))));
  BRAID_TRY(stage.Sql(
      Difference("debug_word_count_table", "debug_cnt", "word_count_table " + AtSnapshot(last.counts), "cnt")));
  stage.Say("No row differs. Now somebody puts a wrong row into the counts, and the comparison shows it:");
  BRAID_TRY(stage.Sql("SET 'pipeline.name' = 'mistake'"));
  BRAID_TRY(stage.Sql(fmt::format("INSERT INTO word_count_table VALUES ('{}', 0)", WordsOf(text.pages[0]).front())));
  return stage.Sql(Difference("debug_word_count_table", "debug_cnt", "word_count_table", "cnt"));
}

}  // namespace

Status TellBatchPart(DemoStage& stage, const DemoText& text) {
  stage.Part("Part one: in batch");
  BRAID_TRY(MakeCatalog(stage));
  BRAID_TRY(CountWords(stage, text));
  BRAID_TRY_ASSIGN(const std::vector<DemoBarrier> barriers, BarriersOfJob1());
  BRAID_TRY(ShowOrigins(stage, barriers.back()));
  return Debug(stage, text, barriers.back());
}

}  // namespace braid
