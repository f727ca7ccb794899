#include "cli/command.h"

#include <cstdio>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "types/utf8.h"

namespace braid {

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

Status CheckCommandName(const std::vector<CommandEntry>& commands, std::string_view first_argument) {
  if (first_argument.starts_with('-')) return Ok();
  std::vector<std::string> names;
  for (const CommandEntry& entry : commands) {
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
