// The third part of `braid demo`: a bad file, found by lineage, corrected on branches that take main's place.

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/demo_chapters.h"
#include "cli/demo_reader.h"

namespace braid {

namespace {

constexpr const char* kWords = "default.word_table";
constexpr const char* kCounts = "default.word_count_table";

// Of the first line that `braid stream` printed.
Result<std::int64_t> FirstSnapshot(const std::string& lines) {
  if (lines.empty()) return Error(ErrorCode::kInternal, "the bad file is in no snapshot");
  BRAID_TRY_ASSIGN(const Json line, ParseJson(std::string_view(lines).substr(0, lines.find('\n'))));
  return line.GetInteger("snapshot");
}

class Correction {
 public:
  Correction(DemoStage& stage, const DemoText& text) : stage_(stage), text_(text) {}

  Status Tell() {
    BRAID_TRY(BadFile());
    BRAID_TRY(FindIt());
    BRAID_TRY(CorrectBranches());
    BRAID_TRY(Compare());
    BRAID_TRY(ReplaceMain());
    BRAID_TRY(LookBack());
    return GoOn();
  }

 private:
  // `table`: with hints.
  Status ShowWord(const std::string& table) {
    return stage_.Sql(fmt::format("SELECT word, cnt FROM {}\n    WHERE word IN ('{}', '{}') ORDER BY word", table,
                                  text_.word, text_.misspelling));
  }

  Status BadFile() {
    stage_.Chapter(
        "A bad file",
        fmt::format("Page 6 comes from a scanner that reads \"{}\" as \"{}\". Nobody notices, and page 7 follows.",
                    text_.word, text_.misspelling));
    for (const std::size_t page : {6U, 7U}) {
      BRAID_TRY(stage_.Deliver(page));
      BRAID_TRY(stage_.WaitForJobs({"ingest", "job1"}));
    }
    stage_.Say(fmt::format("Then somebody sees \"{}\" among the words:", text_.misspelling));
    return ShowWord("word_count_table");
  }

  Status FindIt() {
    stage_.Chapter("Where does it come from?",
                   "The changes of the counts say in which snapshot the word first came; lineage says what that\n"
                   "snapshot was made from; and the log of the words says which job brought that, and when.");
    const std::string is_bad = fmt::format("word = '{}'", text_.misspelling);
    BRAID_TRY_ASSIGN(const std::string changes,
                     stage_.Braid({"stream", "warehouse", kCounts, "--from", "1", "--filter", is_bad}));
    BRAID_TRY_ASSIGN(bad_counts_, FirstSnapshot(changes));
    BRAID_TRY(stage_.Braid({"lineage", "up", "warehouse", kCounts, "--snapshot", std::to_string(bad_counts_)}));
    BRAID_TRY_ASSIGN(const std::vector<DemoBarrier> barriers, BarriersOfJob1());
    for (const DemoBarrier& barrier : barriers) {
      if (barrier.first_counts > bad_counts_ || bad_counts_ > barrier.counts) continue;
      first_bad_words_ = barrier.first_words;
      bad_words_ = barrier.words;
    }
    BRAID_TRY(stage_.Braid({"log", "warehouse", kWords, "-n", "2"}));
    stage_.Say(fmt::format("All that was made from snapshot {} of the words has the error too:", bad_words_));
    BRAID_TRY(stage_.Braid({"lineage", "down", "warehouse", kWords, "--snapshot", std::to_string(bad_words_)}));
    return Ok();
  }

  Status CorrectBranches() {
    stage_.Chapter("Correct it beside main",
                   "Both tables get a tag on their last good snapshot, and a branch that starts there. A branch\n"
                   "copies no data, and nothing that is done on it shows on main.");
    BRAID_TRY(stage_.Braid(
        {"tag", "create", "warehouse", kWords, "before_page_6", "--snapshot", std::to_string(first_bad_words_ - 1)}));
    BRAID_TRY(stage_.Braid(
        {"tag", "create", "warehouse", kCounts, "before_page_6", "--snapshot", std::to_string(bad_counts_ - 1)}));
    for (const char* table : {kWords, kCounts}) {
      BRAID_TRY(stage_.Braid({"branch", "create", "warehouse", table, "fix", "--tag", "before_page_6"}));
    }
    stage_.Say("The right page 6 goes into the branch, and then what main got after the wrong one:");
    BRAID_TRY(stage_.Sql("SET 'pipeline.name' = 'correction'"));
    BRAID_TRY(
        stage_.Sql("CREATE TEMPORARY TABLE corrected (line STRING) WITH (\n"
                   "    'connector' = 'filesystem', 'path' = 'corrected', 'format' = 'raw')"));
    BRAID_TRY(stage_.Sql("INSERT INTO `word_table$branch_fix`\n    " + WordsFrom("corrected")));
    BRAID_TRY_ASSIGN(const std::vector<DemoBarrier> barriers, BarriersOfJob1());
    BRAID_TRY(
        stage_.Sql(fmt::format("INSERT INTO `word_table$branch_fix`\n"
                               "    SELECT word FROM word_table /*+ OPTIONS('incremental-between' = '{},{}') */",
                               bad_words_, barriers.back().words)));
    stage_.Say("Then job1 runs once more, on the branches. It begins with what they hold and takes in what is new:");
    BRAID_TRY(stage_.Braid({"job", "run", "--from-job", "job1", "--branch", "fix"}));
    BRAID_TRY(stage_.WaitForJobs({"job1@fix"}));
    BRAID_TRY(stage_.Braid({"job", "stop", "job1@fix"}));
    return Ok();
  }

  Status Compare() {
    stage_.Chapter("Compare", "Main and branch differ in exactly the words that the scanner mistook.");
    return stage_.Sql(Difference("word_count_table", "main_cnt", "`word_count_table$branch_fix`", "fix_cnt"));
  }

  Status ReplaceMain() {
    stage_.Chapter("Put the branches in main's place",
                   "Both jobs stay at work, and a second process reads both tables of main over and over.");
    BRAID_TRY_ASSIGN(const auto reader, DemoReader::Start(stage_.program(), "fix"));
    BRAID_TRY(reader->WaitForReads());
    BRAID_TRY(stage_.Braid(
        {"branch", "replace-main", "warehouse", kWords, "fix", "--keep-as", "with_error", "--consumers", "rewind"}));
    BRAID_TRY(reader->WaitForReads());
    BRAID_TRY(stage_.Braid({"branch", "replace-main", "warehouse", kCounts, "fix", "--keep-as", "with_error"}));
    BRAID_TRY(reader->WaitForReads());
    BRAID_TRY_ASSIGN(const DemoReads reads, reader->Finish());
    stage_.Say(
        fmt::format("The reader read {} times: {} reads saw all rows of the former main, {} all rows of the new one.\n"
                    "None saw a mixture, and none failed.",
                    reads.of_former + reads.of_new, reads.of_former, reads.of_new));
    stage_.Say(
        "The jobs notice by themselves. job1 makes its state anew from the new main, finds that the\n"
        "counts are what its query gives, and goes on:");
    BRAID_TRY(stage_.WaitForJobs({"ingest", "job1"}));
    BRAID_TRY(stage_.Braid({"job", "list"}));
    return ShowWord("word_count_table");
  }

  Status LookBack() {
    stage_.Chapter("The past is still there",
                   "Tags and snapshots before the error are main's as they were, and the former main is a branch.");
    BRAID_TRY(stage_.Braid({"branch", "list", "warehouse", kCounts}));
    BRAID_TRY(ShowWord("`word_count_table$branch_with_error`"));
    return ShowWord("word_count_table /*+ OPTIONS('scan.tag-name' = 'before_page_6') */");
  }

  Status GoOn() {
    stage_.Chapter("And the jobs go on", "Another page comes, and the counts of the new main rise.");
    BRAID_TRY(stage_.Sql("SELECT COUNT(*) AS words, SUM(cnt) AS total FROM word_count_table"));
    BRAID_TRY(stage_.Deliver(8));
    BRAID_TRY(stage_.WaitForJobs({"ingest", "job1"}));
    BRAID_TRY(stage_.Sql("SELECT COUNT(*) AS words, SUM(cnt) AS total FROM word_count_table"));
    BRAID_TRY(stage_.Braid({"job", "list"}));
    stage_.Say("The counts are what the query gives on the words; no row differs:");
    return stage_.Sql(Difference("(SELECT word, COUNT(*) AS cnt FROM word_table GROUP BY word)", "computed",
                                 "word_count_table", "cnt"));
  }

  DemoStage& stage_;
  const DemoText& text_;
  std::int64_t first_bad_words_ = 0;  // the snapshot of word_table that brought page 6
  std::int64_t bad_words_ = 0;        // the last one, should there be several
  std::int64_t bad_counts_ = 0;       // the first of word_count_table that was made from it
};

}  // namespace

Status TellCorrectionPart(DemoStage& stage, const DemoText& text) {
  stage.Part("Part three: wrong data");
  return Correction(stage, text).Tell();
}

}  // namespace braid
