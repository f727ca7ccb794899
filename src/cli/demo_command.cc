// `braid demo`: the story that Braid is for, on real text, each step explained as it runs.

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/command.h"
#include "cli/lineage_command.h"
#include "cli/result_printer.h"
#include "sql/lineage_observer.h"
#include "sql/session.h"

namespace braid {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatches = 3;
constexpr std::size_t kShownWords = 4;
constexpr std::size_t kMaxWords = 30'000;  // enough to be real, little enough to be quick

constexpr const char* kCount = "SELECT word, COUNT(*) FROM word_table GROUP BY word";

struct DemoArguments {
  std::vector<std::string> texts;
  std::string directory;
  bool keep = false;
};

// The documents of the checkout that this program was built in: README.md and what lies beside and below it.
std::vector<std::string> DocumentsOfTheCheckout() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  std::vector<std::string> documents;
  for (int up = 0; up < 5 && !folder.empty() && documents.empty(); ++up, folder = folder.parent_path()) {
    if (!fs::exists(folder / "README.md", error) || !fs::exists(folder / "ARCHITECTURE.md", error)) continue;
    for (const fs::path& place : {folder, folder / "docs"}) {
      for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
        if (entry.path().extension() == ".md") documents.push_back(entry.path().string());
      }
    }
  }
  std::sort(documents.begin(), documents.end());
  return documents;
}

// Runs of letters, in lower case.
Result<std::vector<std::string>> WordsOf(const std::vector<std::string>& paths) {
  std::vector<std::string> words;
  for (const std::string& path : paths) {
    std::ifstream file(path);
    if (!file) return Error(ErrorCode::kNotFound, "cannot read " + path).Hint("give text files with --text");
    std::string word;
    for (auto at = std::istreambuf_iterator<char>(file); at != std::istreambuf_iterator<char>(); ++at) {
      if (std::isalpha(static_cast<unsigned char>(*at)) != 0) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
      } else if (!word.empty()) {
        words.push_back(std::exchange(word, {}));
      }
    }
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (words.size() < kBatches) return Error(ErrorCode::kInvalidArgument, "the text has too few words for the story").Hint("give longer files with --text");
  words.resize(std::min(words.size(), kMaxWords));
  return words;
}

class Story {
 public:
  Story(std::string warehouse, ResultPrinter& printer) : warehouse_(std::move(warehouse)), printer_(printer), session_({.options = {}, .observer = MakeLineageObserver()}) {}

  Status Tell(const std::vector<std::string>& words) {
    BRAID_TRY(MakeCatalog());
    BRAID_TRY(CountWords(words));
    BRAID_TRY(ShowOrigins());
    return Debug();
  }

 private:
  void Chapter(const std::string& title, const std::string& explanation) {
    std::puts(fmt::format("\n=== {}. {} ===\n{}\n", ++chapter_, title, explanation).c_str());
  }

  static void Say(const std::string& text) { std::puts(fmt::format("\n{}", text).c_str()); }

  Status Run(const std::string& statement, const std::string& shown = {}) {
    std::puts(fmt::format("> {};", shown.empty() ? statement : shown).c_str());
    std::fflush(stdout);
    BRAID_TRY_ASSIGN(StatementResult result, session_.Execute(statement));
    return printer_.Print(result, session_);
  }

  // A statement that must fail: the refusal is the point.
  Status RunRefused(const std::string& statement) {
    std::puts(fmt::format("> {};", statement).c_str());
    const Result<StatementResult> result = session_.Execute(statement);
    if (result) return Error(ErrorCode::kInternal, "a statement of the story that must be refused was carried out");
    std::puts(("error: " + result.error().ToString()).c_str());
    return Ok();
  }

  std::string CreateCatalog(const char* name, const char* data_lineage) const {
    return fmt::format("CREATE CATALOG {} WITH (\n    'type' = 'paimon',\n    'warehouse' = '{}',\n    'table-lineage' = 'true',\n    'data-lineage' = '{}'\n)", name, warehouse_, data_lineage);
  }

  Status MakeCatalog() {
    Chapter("A catalog that records lineage",
            "Two options ask for it, and are fixed once the catalog exists: every snapshot that a job commits then says\n"
            "which snapshots of which tables it was made from.");
    BRAID_TRY(Run(CreateCatalog("my_catalog", "true")));
    BRAID_TRY(Run("USE CATALOG my_catalog"));
    BRAID_TRY(Run("SELECT * FROM paimon.catalog_options"));
    Say("Another catalog on the same warehouse cannot change its mind:");
    return RunRefused(CreateCatalog("other_catalog", "false"));
  }

  Status CountWords(const std::vector<std::string>& words) {
    Chapter("Words and their counts",
            "word_table takes the words as they come; word_count_table keeps one row a word. The text arrives in three\n"
            "batches, and job1 counts anew after each: three snapshots of the words, three of the counts.");
    BRAID_TRY(Run("CREATE TABLE word_table (\n    word STRING\n)"));
    BRAID_TRY(Run("CREATE TABLE word_count_table (\n    word STRING PRIMARY KEY NOT ENFORCED,\n    cnt BIGINT\n)"));
    BRAID_TRY(Run("SET 'execution.runtime-mode' = 'batch'"));
    for (std::size_t batch = 0; batch < kBatches; ++batch) {
      const std::size_t begin = words.size() * batch / kBatches;
      const std::size_t end = words.size() * (batch + 1) / kBatches;
      BRAID_TRY(Run("SET 'pipeline.name' = 'ingest'"));
      BRAID_TRY(LoadWords({words.begin() + static_cast<std::ptrdiff_t>(begin), words.begin() + static_cast<std::ptrdiff_t>(end)}));
      BRAID_TRY(Run("SET 'pipeline.name' = 'job1'"));
      BRAID_TRY(Run(fmt::format("INSERT INTO word_count_table {}", kCount)));
    }
    return Run("SELECT word, cnt FROM word_count_table ORDER BY cnt DESC, word LIMIT 5");
  }

  Status LoadWords(const std::vector<std::string>& words) {
    std::string values;
    std::string shown;
    for (std::size_t i = 0; i < words.size(); ++i) {
      values += fmt::format("{}('{}')", i == 0 ? "" : ", ", words[i]);
      if (i + 1 == kShownWords) shown = values;
    }
    if (shown.empty()) shown = values;
    return Run("INSERT INTO word_table VALUES " + values, fmt::format("INSERT INTO word_table VALUES {}, ... {} words", shown, words.size()));
  }

  Status ShowOrigins() {
    Chapter("Where the counts come from",
            "Table lineage says which job reads and writes which table; data lineage says which snapshot of the words made\n"
            "which snapshot of the counts. Both are tables of the database paimon.");
    BRAID_TRY(Run("SELECT * FROM paimon.source_job_lineage"));
    BRAID_TRY(Run("SELECT * FROM paimon.sink_job_lineage"));
    BRAID_TRY(Run("SELECT job, barrier_id, `database`, `table`, snapshot_id FROM paimon.source_snapshot_lineage"));
    BRAID_TRY(Run("SELECT job, barrier_id, `database`, `table`, snapshot_id FROM paimon.sink_snapshot_lineage"));
    Say("The proposal's question: which snapshots of which tables is each snapshot of the counts made from?");
    BRAID_TRY(Run("SELECT k.snapshot_id AS counts, s.`table`, s.snapshot_id\n"
                  "    FROM paimon.source_snapshot_lineage s JOIN paimon.sink_snapshot_lineage k\n"
                  "    ON s.job = k.job AND s.barrier_id = k.barrier_id\n"
                  "    WHERE k.`table` = 'word_count_table' ORDER BY counts"));
    Say("The same for people, on the command line:");
    std::puts(fmt::format("$ braid lineage graph {}", warehouse_).c_str());
    BRAID_TRY(ShowLineageGraph(warehouse_));
    BRAID_TRY(FindLastRun());
    std::puts(fmt::format("$ braid lineage up {} default.word_count_table --snapshot {}", warehouse_, counts_snapshot_).c_str());
    BRAID_TRY(ShowLineage(warehouse_, "default.word_count_table", counts_snapshot_, Direction::kUp));
    std::puts(fmt::format("$ braid lineage down {} default.word_table --snapshot {}", warehouse_, words_snapshot_).c_str());
    return ShowLineage(warehouse_, "default.word_table", words_snapshot_, Direction::kDown);
  }

  // The snapshots that job1's newest run read and made.
  Status FindLastRun() {
    BRAID_TRY_ASSIGN(const auto lineage, OpenWarehouseLineage(warehouse_));
    BRAID_TRY_ASSIGN(const std::vector<SnapshotLink> links, SnapshotLinks(*lineage));
    for (const SnapshotLink& link : links) {
      if (link.job != "job1") continue;
      words_snapshot_ = link.to_snapshot;
      counts_snapshot_ = link.first_snapshot;
    }
    if (words_snapshot_ == 0) return Error(ErrorCode::kInternal, "job1 is not in the lineage");
    return Ok();
  }

  std::string Comparison(const std::string& hint) const {
    return fmt::format("SELECT d.word AS debug_word, d.cnt AS debug_cnt, w.word, w.cnt\n"
                       "    FROM debug_word_count_table d\n"
                       "    FULL OUTER JOIN word_count_table{} w ON d.word = w.word\n"
                       "    WHERE d.cnt IS DISTINCT FROM w.cnt", hint);
  }

  Status Debug() {
    Chapter("Is that snapshot right?",
            fmt::format("Lineage says that snapshot {} of the counts was made from snapshot {} of the words. So it can be recomputed from\n"
                        "exactly that, beside the running pipeline, and compared.", counts_snapshot_, words_snapshot_));
    BRAID_TRY(Run("SET 'pipeline.name' = 'debug_job'"));
    BRAID_TRY(Run("CREATE TABLE debug_word_count_table LIKE word_count_table"));
    BRAID_TRY(Run(fmt::format("INSERT INTO debug_word_count_table\n    SELECT word, COUNT(*) FROM word_table /*+ OPTIONS('scan.snapshot-id' = '{}') */ GROUP BY word", words_snapshot_)));
    BRAID_TRY(Run(Comparison(fmt::format(" /*+ OPTIONS('scan.snapshot-id' = '{}') */", counts_snapshot_))));
    Say("No row differs. Now somebody puts a wrong row into the counts, and the comparison shows exactly that:");
    BRAID_TRY(Run("SET 'pipeline.name' = 'mistake'"));
    BRAID_TRY(Run("INSERT INTO word_count_table VALUES ('the', 1)"));
    return Run(Comparison(""));
  }

  std::string warehouse_;
  ResultPrinter& printer_;
  Session session_;
  int chapter_ = 0;
  std::int64_t words_snapshot_ = 0;
  std::int64_t counts_snapshot_ = 0;
};

void Close(const std::string& warehouse, bool kept, std::chrono::steady_clock::duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  std::puts(fmt::format("\n=== What lies where ===\n"
                        "{}/default.db/word_table         the words, a Paimon table that Flink and Spark read too\n"
                        "{}/default.db/word_count_table   the counts; snapshot files carry the lineage as properties\n"
                        "{}/.braid/lineage.db             an index of the lineage, made anew by `braid lineage rebuild`\n",
                        warehouse, warehouse, warehouse).c_str());
  if (kept) {
    std::puts(fmt::format("Look further:\n  braid log {0} default.word_count_table\n  braid files {0} default.word_count_table\n  braid sql --warehouse {0}\n", warehouse).c_str());
  } else {
    std::puts("The folder is removed now; `braid demo --keep` keeps it, to look further with `braid log`, `braid files`, `braid sql`.\n");
  }
  std::puts(fmt::format("The story took {:.1f} s.", seconds).c_str());
}

Status Demo(const DemoArguments& arguments) {
  const std::vector<std::string> texts = arguments.texts.empty() ? DocumentsOfTheCheckout() : arguments.texts;
  if (texts.empty()) return Error(ErrorCode::kNotFound, "the documents of the checkout are not near this program").Hint("give text files with --text");
  BRAID_TRY_ASSIGN(const std::vector<std::string> words, WordsOf(texts));
  const bool own = arguments.directory.empty();
  const fs::path folder = own ? fs::temp_directory_path() / ("braid-demo-" + RandomUuid().substr(0, 8)) : fs::absolute(arguments.directory);
  const std::string warehouse = (folder / "warehouse").string();
  if (fs::exists(warehouse)) {
    return Error(ErrorCode::kAlreadyExists, warehouse + " exists already").Hint("give another folder with --dir, or remove it");
  }
  BRAID_TRY_ASSIGN(const auto printer, MakeResultPrinter("tableau", stdout, true));
  std::puts(fmt::format("{} words of {} text files, in the warehouse {}", words.size(), texts.size(), warehouse).c_str());
  const auto start = std::chrono::steady_clock::now();
  const Status told = Story(warehouse, *printer).Tell(words);
  const bool kept = !own || arguments.keep || !told;
  if (told) Close(warehouse, kept, std::chrono::steady_clock::now() - start);
  std::error_code error;  // a temporary folder that stays is the system's to clean
  if (!kept) fs::remove_all(folder, error);
  return told;
}

}  // namespace

std::function<Status()> AddDemoCommand(CLI::App& command) {
  auto arguments = std::make_shared<DemoArguments>();
  command.add_option("--text", arguments->texts, "text files to count the words of; default: the documents of the checkout");
  command.add_option("--dir", arguments->directory, "folder to work in, which is kept; default: a temporary one");
  command.add_flag("--keep", arguments->keep, "keep the temporary folder");
  command.footer("example:\n  braid demo --text README.md --dir /tmp/story");
  return [arguments] { return Demo(*arguments); };
}

}  // namespace braid
