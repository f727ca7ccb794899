#include "cli/demo_stage.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/child_process.h"
#include "cli/command.h"
#include "cli/lineage_command.h"
#include "connectors/connectors.h"
#include "sql/lineage_observer.h"

namespace braid {

namespace {

void PrintLine(const std::string& line) {
  fmt::print("{}\n", line);
}

// An argument as a shell takes it, quoted only where it must be.
std::string ShellWord(const std::string& word) {
  if (word.find_first_of(" \"'$`*?;&|<>()\\") == std::string::npos && !word.empty()) return word;
  if (word.find_first_of("\"$`\\") == std::string::npos) return '"' + word + '"';
  return '\'' + word + '\'';
}

ErrorCode CodeOfExit(int exit_code) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    if (ExitCode(static_cast<ErrorCode>(code)) == exit_code) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::kInternal;
}

// Runs a program to its end and calls `see` with each line.
template <typename See>
Status RunProcess(const std::string& program, const std::vector<std::string>& arguments, ChildRole role,
                  const See& see) {
  BRAID_TRY_ASSIGN(const auto child, ChildProcess::Start(program, arguments, role));
  while (std::optional<std::string> line = child->ReadLine()) see(*line);
  const int exit_code = child->Wait();
  BRAID_TRY(Interruption::Check());
  if (exit_code == 0) return Ok();
  return Error(CodeOfExit(exit_code), fmt::format("the command ended with exit code {}", exit_code));
}

}  // namespace

Result<std::unique_ptr<DemoStage>> DemoStage::Make(std::string program) {
  BRAID_TRY_ASSIGN(auto printer, MakeResultPrinter("tableau", stdout, true));
  return std::unique_ptr<DemoStage>(new DemoStage(std::move(program), std::move(printer)));
}

DemoStage::DemoStage(std::string program, std::unique_ptr<ResultPrinter> printer)
    : program_(std::move(program)),
      printer_(std::move(printer)),
      session_({.options = {}, .observer = MakeLineageObserver(), .connectors = StandardConnectors()}) {}

void DemoStage::Part(const std::string& title) {
  PrintLine(fmt::format("\n\n##### {} #####", title));
}

void DemoStage::Chapter(const std::string& title, const std::string& explanation) {
  PrintLine(fmt::format("\n=== {}. {} ===\n{}\n", ++chapter_, title, explanation));
}

void DemoStage::Say(const std::string& text) {
  PrintLine("\n" + text);
}

Status DemoStage::Sql(const std::string& statement, const std::string& shown) {
  PrintLine(fmt::format("> {};", shown.empty() ? statement : shown));
  BRAID_TRY(Interruption::Check());
  BRAID_TRY_ASSIGN(StatementResult result, session_.Execute(statement));
  return printer_->Print(result, session_);
}

Status DemoStage::SqlRefused(const std::string& statement) {
  PrintLine(fmt::format("> {};", statement));
  BRAID_TRY(Interruption::Check());
  const Result<StatementResult> result = session_.Execute(statement);
  if (result) return Error(ErrorCode::kInternal, "a statement of the story that must be refused was carried out");
  PrintLine("error: " + result.error().ToString());
  return Ok();
}

Result<std::string> DemoStage::Braid(const std::vector<std::string>& arguments) {
  std::string command = "$ braid";
  for (const std::string& argument : arguments) command += " " + ShellWord(argument);
  PrintLine(command);
  BRAID_TRY(Interruption::Check());
  std::string output;
  BRAID_TRY(RunProcess(program_, arguments, ChildRole::kWorks, [&](const std::string& line) {
    PrintLine(line);
    output += line + "\n";
  }));
  return output;
}

Status DemoStage::WaitForJobs(const std::vector<std::string>& jobs) {
  std::string command;
  for (const std::string& job : jobs)
    command += fmt::format("{}braid job wait {} --caught-up", command.empty() ? "$ " : " && ", job);
  PrintLine(command);
  for (const std::string& job : jobs) {
    BRAID_TRY(Interruption::Check());
    BRAID_TRY(RunProcess(program_, {"job", "wait", job, "--caught-up"}, ChildRole::kWaits, PrintLine));
  }
  return Ok();
}

Status DemoStage::Deliver(std::size_t number) {
  BRAID_TRY(Interruption::Check());
  const std::string name = fmt::format("page-{}.txt", number);
  PrintLine(fmt::format("$ mv pages/{} incoming/", name));
  std::error_code error;
  std::filesystem::rename("pages/" + name, "incoming/" + name, error);
  if (error) return Error(ErrorCode::kIo, fmt::format("cannot move {}: {}", name, error.message()));
  return Ok();
}

Result<std::vector<DemoBarrier>> BarriersOfJob1() {
  BRAID_TRY_ASSIGN(const auto lineage, OpenWarehouseLineage("warehouse"));
  BRAID_TRY_ASSIGN(const std::vector<SnapshotLink> links, SnapshotLinks(*lineage));
  std::vector<DemoBarrier> barriers;
  for (const SnapshotLink& link : links) {
    if (link.job != "job1") continue;
    barriers.push_back({.barrier = link.barrier,
                        .first_words = link.from_snapshot.value_or(link.to_snapshot),
                        .words = link.to_snapshot,
                        .first_counts = link.first_snapshot,
                        .counts = link.last_snapshot});
  }
  if (barriers.empty()) return Error(ErrorCode::kInternal, "job1 is not in the lineage");
  return barriers;
}

std::string WordsFrom(std::string_view lines) {
  return fmt::format(
      "SELECT word FROM {}\n"
      "    CROSS JOIN UNNEST(SPLIT(LOWER(REGEXP_REPLACE(line, '[^A-Za-z]+', ' ')), ' ')) AS t (word)\n"
      "    WHERE word <> ''",
      lines);
}

std::string Difference(std::string_view left, std::string_view left_name, std::string_view right,
                       std::string_view right_name) {
  return fmt::format(
      "SELECT COALESCE(l.word, r.word) AS word, l.cnt AS {}, r.cnt AS {}\n"
      "    FROM {} l\n"
      "    FULL OUTER JOIN {} r ON l.word = r.word\n"
      "    WHERE l.cnt IS DISTINCT FROM r.cnt",
      left_name, right_name, left, right);
}

std::string AtSnapshot(std::int64_t id) {
  return fmt::format("/*+ OPTIONS('scan.snapshot-id' = '{}') */", id);
}

}  // namespace braid
