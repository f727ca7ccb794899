#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/result_printer.h"
#include "sql/session.h"

namespace braid {

/// Where the demo's story is told: every step is printed as a user would type it, done, and followed by what came of
/// it.
///
/// All of it happens in the current folder, whose warehouse is `warehouse`. SQL runs in one batch session of this
/// process, commands in processes of their own. Needs an Interruption: once the user has asked for an end, every step
/// is refused with kCancelled. One thread.
class DemoStage {
 public:
  /// `program`: that runs the commands. Errors: kInternal.
  static Result<std::unique_ptr<DemoStage>> Make(std::string program);

  /// Headings. Chapters are numbered through all parts.
  void Part(const std::string& title);
  void Chapter(const std::string& title, const std::string& explanation);
  void Say(const std::string& text);

  /// Runs a statement and prints its rows; `shown` is printed in its place, if it is long.
  Status Sql(const std::string& statement, const std::string& shown = {});
  /// A statement that must fail: the refusal is the point.
  Status SqlRefused(const std::string& statement);
  /// Runs `braid` with these arguments and prints what it prints, which is returned. Errors: of the code that it ends
  /// with.
  Result<std::string> Braid(const std::vector<std::string>& arguments);
  /// Waits until these jobs have read all that there is, each after the one before.
  Status WaitForJobs(const std::vector<std::string>& jobs);
  /// Moves pages/page-`number`.txt, and so all of it at once, into the folder that `ingest` follows.
  Status Deliver(std::size_t number);

  const std::string& program() const { return program_; }

 private:
  DemoStage(std::string program, std::unique_ptr<ResultPrinter> printer);

  std::string program_;
  std::unique_ptr<ResultPrinter> printer_;
  Session session_;
  int chapter_ = 0;
};

/// Snapshots of both tables that one barrier of `job1` connects.
struct DemoBarrier {
  std::int64_t barrier = 0;
  std::int64_t first_words = 0;   ///< snapshot of word_table, the first one read
  std::int64_t words = 0;         ///< the last one
  std::int64_t first_counts = 0;  ///< of word_count_table, the first one made
  std::int64_t counts = 0;        ///< the last one
};
/// In the order of the barriers. Errors: those of reading the lineage.
Result<std::vector<DemoBarrier>> BarriersOfJob1();

/// A query for the words of a table of lines.
std::string WordsFrom(std::string_view lines);
/// A query for the words that two tables count differently; `left`, `right`: tables with hints, `…_name`: columns.
std::string Difference(std::string_view left, std::string_view left_name, std::string_view right,
                       std::string_view right_name);
/// `OPTIONS('scan.snapshot-id' = '<id>')` as a hint.
std::string AtSnapshot(std::int64_t id);

}  // namespace braid
