#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "cli/argument_error.h"
#include "cli/command.h"
#include "io/storage.h"

namespace {

constexpr const char* kFooter = R"(examples:
  braid demo                                    the whole story on a text file, each step explained
  braid read /warehouse sales.orders            rows as JSON lines
  braid sql -e "SHOW DATABASES"                 Flink SQL

`braid COMMAND --help` explains a command. Exit codes are listed in docs/commands.md.)";

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away (`braid read … | head`) ends the program quietly.
  std::signal(SIGPIPE, SIG_DFL);
  // A file that grows beyond `ulimit -f` is an error of the write, which says so.
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app("braid: branches and lineage for Apache Paimon lakehouses", "braid");
  app.set_version_flag("--version", "braid " BRAID_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  bool verbose = false;
  app.add_flag("-v,--verbose", verbose, "log what happens to standard error");

  std::map<const CLI::App*, std::function<braid::Status()>> runners;
  for (const braid::CommandEntry& entry : braid::Commands()) {
    CLI::App* command = app.add_subcommand(entry.name, entry.summary);
    runners[command] = entry.add(*command);
  }
  if (argc == 1 || std::strcmp(argv[1], "help") == 0) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  // Actions are spelt with '-' or '_', as Paimon's are.
  if (argv[1][0] != '-') std::replace(argv[1], argv[1] + std::strlen(argv[1]), '_', '-');
  if (const braid::Status known = braid::CheckCommandName(argv[1]); !known) {
    braid::PrintError(known.error());
    return braid::ExitCode(known.error().code());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    braid::PrintError(braid::ArgumentError(app, error), braid::WantsJson(app));
    return braid::ExitCode(braid::ErrorCode::kInvalidArgument);
  }
  if (verbose) braid::SetLogLevel(braid::LogLevel::kDebug);
  const braid::Status status = runners.at(app.get_subcommands().front())();
  std::fflush(stdout);
  braid::CloseStorageLibraries();
  if (status) return 0;
  braid::PrintError(status.error(), braid::WantsJson(app));
  return braid::ExitCode(status.error().code());
}
