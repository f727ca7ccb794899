#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/log.h"
#include "cli/argument_error.h"
#include "cli/branch_command.h"
#include "cli/command.h"
#include "io/storage.h"

namespace braid {

namespace {

constexpr const char* kFooter = R"(examples:
  braid demo                                    the whole story on a text file, each step explained
  braid read /warehouse sales.orders            rows as JSON lines
  braid sql -e "SHOW DATABASES"                 Flink SQL

`braid COMMAND --help` explains a command. Exit codes are listed in docs/commands.md.)";

}  // namespace

std::vector<CommandEntry> Commands(const SqlCommands& with) {
  std::vector<CommandEntry> all = {
      {"demo", "tell the whole story on real text, each step explained", with.demo},
      {"sql", "run Flink SQL on tables: statements, scripts, or a conversation", with.sql},
      {"job", "streaming jobs: list, show, run, wait, stop, savepoint, restart, logs", with.job},
      {"read", "print a table's rows as JSON lines", AddReadCommand},
      {"log", "list a table's snapshots, newest first, and what made them", AddLogCommand},
      {"diff", "compare two snapshots, tags or branches of a table: commits, columns, rows", AddDiffCommand},
      {"files", "list the data files of a snapshot", AddFilesCommand},
      {"tag", "name snapshots, so that they stay", AddTagCommand},
      {"table", "take care of a table: compact, expire, roll back, clean, check, repair", AddTableCommand},
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
}

int RunProgram(const std::vector<CommandEntry>& commands, const char* version, int argc, char** argv) {
  // A reader that goes away (`braid read … | head`) ends the program quietly.
  std::signal(SIGPIPE, SIG_DFL);
  // A file that grows beyond `ulimit -f` is an error of the write, which says so.
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app("braid: branches and lineage for Apache Paimon lakehouses", "braid");
  app.set_version_flag("--version", version);
  app.footer(kFooter);
  app.require_subcommand(1);
  bool verbose = false;
  app.add_flag("-v,--verbose", verbose, "log what happens to standard error");

  std::map<const CLI::App*, std::function<Status()>> runners;
  for (const CommandEntry& entry : commands) {
    CLI::App* command = app.add_subcommand(entry.name, entry.summary);
    if (entry.add != nullptr) runners[command] = entry.add(*command);
  }
  if (argc == 1 || std::strcmp(argv[1], "help") == 0) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  // Actions are spelt with '-' or '_', as Paimon's are.
  if (argv[1][0] != '-') std::replace(argv[1], argv[1] + std::strlen(argv[1]), '_', '-');
  if (const Status known = CheckCommandName(commands, argv[1]); !known) {
    PrintError(known.error());
    return ExitCode(known.error().code());
  }
  const auto named = std::find_if(commands.begin(), commands.end(),
                                  [&](const CommandEntry& entry) { return std::strcmp(entry.name, argv[1]) == 0; });
  if (named != commands.end() && named->add == nullptr) {
    PrintError(Error(ErrorCode::kUnsupported, fmt::format("this program does not run '{}'", argv[1]))
                   .Hint("run `braid`, which goes over to the program that does"));
    return ExitCode(ErrorCode::kUnsupported);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    PrintError(ArgumentError(app, error), WantsJson(app));
    return ExitCode(ErrorCode::kInvalidArgument);
  }
  if (verbose) SetLogLevel(LogLevel::kDebug);
  const Status status = runners.at(app.get_subcommands().front())();
  std::fflush(stdout);
  CloseStorageLibraries();
  if (status) return 0;
  PrintError(status.error(), WantsJson(app));
  return ExitCode(status.error().code());
}

}  // namespace braid
