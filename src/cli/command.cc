#include "cli/command.h"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/branch_command.h"
#include "types/utf8.h"

namespace braid {

const std::vector<CommandEntry>& Commands() {
  static const std::vector<CommandEntry> commands = [] {
    std::vector<CommandEntry> all = {
      {"demo", "tell the whole story on real text, each step explained", AddDemoCommand},
      {"sql", "run Flink SQL on tables: statements, scripts, or a conversation", AddSqlCommand},
      {"job", "streaming jobs: list, show, run, wait, stop, savepoint, restart, logs", AddJobCommand},
      {"read", "print a table's rows as JSON lines", AddReadCommand},
      {"log", "list a table's snapshots, newest first, and what made them", AddLogCommand},
      {"diff", "compare two snapshots, tags or branches of a table: commits, columns, rows", AddDiffCommand},
      {"files", "list the data files of a snapshot", AddFilesCommand},
      {"tag", "name snapshots, so that they stay", AddTagCommand},
      {"table", "take care of a table: expire, roll back, clean, check, repair", AddTableCommand},
      {"branch", "make, list, merge and delete branches, and put one in main's place", AddBranchCommand},
      {"create-branch", "branch create, as the branch proposal names it", AddCreateBranchCommand},
      {"delete-branch", "branch delete", AddDeleteBranchCommand},
      {"rename-branch", "branch rename", AddRenameBranchCommand},
      {"merge-branch", "branch merge", AddMergeBranchCommand},
      {"fast-forward", "branch merge", AddMergeBranchCommand},
      {"replace-main-branch", "branch replace-main", AddReplaceMainCommand},
      {"lineage", "show what tables and snapshots were made from", AddLineageCommand},
      {"stream", "print a table's changes as JSON lines, snapshot by snapshot", AddStreamCommand},
    };
    all.insert(all.end(), BranchActions().begin(), BranchActions().end());
    return all;
  }();
  return commands;
}

std::function<Status()> RunSubcommand(CLI::App& command, Subcommands subcommands) {
  command.require_subcommand(1);
  return [subcommands = std::move(subcommands)]() -> Status {
    for (const auto& [subcommand, run] : subcommands) {
      if (subcommand->parsed()) return run();
    }
    return Ok();
  };
}

std::function<Status()> AddSubcommands(CLI::App& command, const std::vector<CommandEntry>& entries) {
  Subcommands subcommands;
  for (const CommandEntry& entry : entries) {
    CLI::App* subcommand = command.add_subcommand(entry.name, entry.summary);
    subcommands.emplace_back(subcommand, entry.add(*subcommand));
  }
  return RunSubcommand(command, std::move(subcommands));
}

Status CheckCommandName(std::string_view first_argument) {
  if (first_argument.starts_with('-')) return Ok();
  std::vector<std::string> names;
  for (const CommandEntry& entry : Commands()) {
    if (first_argument == entry.name) return Ok();
    names.emplace_back(entry.name);
  }
  Error error(ErrorCode::kInvalidArgument, fmt::format("there is no command '{}'", first_argument));
  if (const auto nearest = NearestName(first_argument, names)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint("the commands are " + Join(names, ", "));
}

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return 2;
    case ErrorCode::kNotFound: return 3;
    case ErrorCode::kAlreadyExists: return 4;
    case ErrorCode::kConflict: return 5;
    case ErrorCode::kCommitUnknown: return 6;
    case ErrorCode::kCorruption: return 7;
    case ErrorCode::kIo: return 8;
    case ErrorCode::kUnavailable: return 9;
    case ErrorCode::kUnsupported: return 10;
    case ErrorCode::kPermissionDenied: return 11;
    case ErrorCode::kCancelled: return 12;
    case ErrorCode::kInternal: return 70;
  }
  return 70;
}

bool WantsJson(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  const CLI::Option* output = command->get_option_no_throw("--output");
  return output != nullptr && output->count() > 0 && output->results().back() == "json";
}

std::string ErrorJson(const Error& error) {
  Json what;
  what.Add("code", ErrorCodeName(error.code()));
  if (!error.id().empty()) what.Add("id", error.id());
  what.Add("message", RepairUtf8(error.message()));
  if (!error.context().empty()) {
    Json::Array context;
    for (const std::string& line : error.context()) context.emplace_back(RepairUtf8(line));
    what.Add("context", std::move(context));
  }
  if (!error.hint().empty()) what.Add("hint", RepairUtf8(error.hint()));
  Json json;
  json.Add("error", std::move(what));
  return PrintJson(json);
}

void PrintError(const Error& error, bool as_json) {
  if (as_json) {
    std::fputs((ErrorJson(error) + "\n").c_str(), stderr);
    return;
  }
  std::string text = "error: " + error.ToString() + "\n";
  if (error.code() == ErrorCode::kInternal) text += "  this is a bug of Braid; please report it with the statement and the output of `braid --version`\n";
  std::fputs(text.c_str(), stderr);
}

}  // namespace braid
