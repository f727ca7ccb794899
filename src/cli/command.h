#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace braid {

/// Adds one command to the program's parser. Returns what runs it once the arguments are parsed; only the command that the
/// user named is run. What the parser writes into is shared with the returned function.
using AddCommand = std::function<Status()> (*)(CLI::App& command);

/// A command's place in `braid --help`.
struct CommandEntry {
  const char* name;
  const char* summary;
  AddCommand add;  ///< null: another program runs it
};

/// What adds the commands that run SQL; null in the program without DuckDB, whose help names them all the same.
struct SqlCommands {
  AddCommand demo = nullptr;
  AddCommand sql = nullptr;
  AddCommand job = nullptr;
};

/// All commands, in the order of the help. A new command is one file, one line there and one in docs/commands.md; one that
/// runs SQL is named in cli/programs.h, too.
std::vector<CommandEntry> Commands(const SqlCommands& with);

/// Parses the arguments, runs the command that they name, prints its error if it fails; the program's exit code.
int RunProgram(const std::vector<CommandEntry>& commands, const char* version, int argc, char** argv);

std::function<Status()> AddBranchCommand(CLI::App& command);
std::function<Status()> AddDemoCommand(CLI::App& command);
std::function<Status()> AddDiffCommand(CLI::App& command);
std::function<Status()> AddFilesCommand(CLI::App& command);
std::function<Status()> AddJobCommand(CLI::App& command);
std::function<Status()> AddLineageCommand(CLI::App& command);
std::function<Status()> AddLogCommand(CLI::App& command);
std::function<Status()> AddReadCommand(CLI::App& command);
std::function<Status()> AddSqlCommand(CLI::App& command);
std::function<Status()> AddStreamCommand(CLI::App& command);
std::function<Status()> AddTableCommand(CLI::App& command);
std::function<Status()> AddTagCommand(CLI::App& command);

/// Subcommands and what runs each.
using Subcommands = std::vector<std::pair<CLI::App*, std::function<Status()>>>;
/// Makes a command need one of its subcommands; returns what runs the one that the user named.
std::function<Status()> RunSubcommand(CLI::App& command, Subcommands subcommands);
/// Adds subcommands to a command, and then as RunSubcommand.
std::function<Status()> AddSubcommands(CLI::App& command, const std::vector<CommandEntry>& entries);

/// Errors: kInvalidArgument, with the nearest command, if the program's first argument is no option and no command.
Status CheckCommandName(const std::vector<CommandEntry>& commands, std::string_view first_argument);

/// The exit code of a failed command (docs/commands.md): 2 for wrong arguments, 3 not found, 4 exists already, 5 conflict,
/// 6 commit unknown, 7 corruption, 8 storage, 9 unavailable, 10 unsupported, 11 permission, 12 cancelled, 70 a bug.
int ExitCode(ErrorCode code);

/// Whether the command that was parsed was given `--output json`.
bool WantsJson(const CLI::App& app);

/// The error as one line of JSON: {"error":{"code":…,"id":…,"message":…,"context":[…],"hint":…}}; what is not known is
/// left out.
std::string ErrorJson(const Error& error);

/// Prints to standard error "error: …" with context and remedy, or its JSON.
void PrintError(const Error& error, bool as_json = false);

}  // namespace braid
