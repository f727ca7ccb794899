#include "cli/sql_command.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/reading.h"
#include "cli/shell.h"
#include "connectors/connectors.h"
#include "jobs/local_jobs.h"
#include "jobs/supervisor.h"
#include "sql/lineage_observer.h"
#include "syntax/printer.h"

namespace braid {

namespace {

// A folder of the user by the XDG rules: $variable/braid, else ~/fallback/braid; empty without a home.
std::string UserFolder(const char* variable, const char* fallback) {
  if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/')
    return std::string(folder) + "/braid";
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : fmt::format("{}/{}/braid", home, fallback);
}

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    if (std::filesystem::is_regular_file(path) && std::filesystem::is_empty(path)) return std::string();
    return Error(ErrorCode::kNotFound, fmt::format("cannot read {}", path))
        .Hint("give the path of a file of SQL statements");
  }
  return text.str();
}

Status RunFile(Shell& shell, const std::string& path) {
  BRAID_TRY_ASSIGN(const std::string text, ReadFile(path));
  return shell.RunScript(text, path);
}

// The user's init file, -i, and what --warehouse and --catalog stand for.
Status RunInit(Session& session, const SqlArguments& arguments) {
  BRAID_TRY_ASSIGN(const auto silent, MakeResultPrinter("tableau", stderr, false));
  Shell shell(session, *silent, false);
  const std::string config = UserFolder("XDG_CONFIG_HOME", ".config");
  const std::string user_file = config + "/init.sql";
  if (!arguments.no_init && !config.empty() && std::filesystem::exists(user_file)) BRAID_TRY(RunFile(shell, user_file));
  if (!arguments.init.empty()) BRAID_TRY(RunFile(shell, arguments.init));
  const std::string catalog = syntax::QuoteIdentifier(arguments.catalog.empty() ? "paimon" : arguments.catalog);
  std::string text;
  if (!arguments.warehouse.empty()) {
    text = fmt::format("CREATE CATALOG {} WITH ('type' = 'paimon', 'warehouse' = {});", catalog,
                       syntax::QuoteString(arguments.warehouse));
  }
  if (!arguments.warehouse.empty() || !arguments.catalog.empty()) text += fmt::format("USE CATALOG {};", catalog);
  return shell.RunScript(text, "");
}

// Where the terminal's history is kept; empty if nowhere.
std::string HistoryFile(const SqlArguments& arguments) {
  const std::string folder =
      arguments.state_directory.empty() ? UserFolder("XDG_STATE_HOME", ".local/state") : arguments.state_directory;
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  return folder.empty() || error ? "" : folder + "/sql_history";
}

// The jobs of this machine; null without a folder to keep them in.
std::shared_ptr<JobService> JobsOf(const SqlArguments& arguments) {
  Result<std::string> directory = StateDirectory(arguments.state_directory);
  Result<std::string> program = ThisProgram();
  if (!directory || !program) return nullptr;
  return std::make_shared<LocalJobs>(
      LocalJobsSettings{.state_directory = *std::move(directory), .program = *std::move(program)});
}

}  // namespace

Status RunSql(const SqlArguments& arguments) {
  BRAID_TRY_ASSIGN(Options options, ParseKeyValues(arguments.options, OptionOwner::kSession));
  BRAID_TRY(CheckSessionOptions(options).Context("in -D"));
  const bool has_text = !arguments.scripts.empty() || !arguments.statements.empty();
  const bool terminal = !has_text && isatty(STDIN_FILENO) != 0;
  BRAID_TRY_ASSIGN(const auto printer,
                   MakeResultPrinter(arguments.output, stdout, terminal || isatty(STDOUT_FILENO) != 0));
  SessionSettings settings;
  settings.options = std::move(options);
  settings.observer = MakeLineageObserver();
  settings.connectors = StandardConnectors();
  settings.jobs = JobsOf(arguments);
  Session session(std::move(settings));
  BRAID_TRY(RunInit(session, arguments));
  Shell shell(session, *printer, arguments.keep_going);
  for (const std::string& script : arguments.scripts) BRAID_TRY(RunFile(shell, script));
  for (const std::string& statements : arguments.statements) BRAID_TRY(shell.RunScript(statements, ""));
  if (terminal) return shell.RunTerminal(HistoryFile(arguments));
  if (!has_text) BRAID_TRY(shell.RunPipe());
  return shell.Summary();
}

void AddSqlOptions(CLI::App& command, SqlArguments& arguments) {
  command.add_option("-f,--file", arguments.scripts, "run the statements of a file; repeatable, before those of -e")
      ->allow_extra_args(false);
  command.add_option("-e,--execute", arguments.statements, "run these statements; repeatable")->allow_extra_args(false);
  command.add_option("-i,--init", arguments.init, "run the statements of this file first");
  command.add_flag("--no-init", arguments.no_init, "leave out init.sql of the user's config folder (~/.config/braid)");
  command.add_option("-D", arguments.options, "KEY=VALUE, as SET; repeatable")->allow_extra_args(false);
  command.add_flag("--keep-going", arguments.keep_going, "go on after a statement that fails");
  command.add_option("--state-dir", arguments.state_directory, "folder of jobs and of the shell's history");
  command.add_option("--warehouse", arguments.warehouse,
                     "make a catalog of this warehouse, named by --catalog or 'paimon', and use it");
  command.add_option("--catalog", arguments.catalog, "use this catalog, as init.sql or --warehouse makes it");
}

std::function<Status()> AddSqlCommand(CLI::App& command) {
  auto arguments = std::make_shared<SqlArguments>();
  AddSqlOptions(command, *arguments);
  command.add_option("--output", arguments->output, "tableau, jsonl, csv or statements (one JSON line a statement)")
      ->capture_default_str();
  command.footer(
      "Without -f and -e: a conversation at a terminal, or the statements of standard input as they arrive.\n"
      "example:\n  braid sql --warehouse /warehouse -e \"SELECT name, COUNT(*) FROM sales.orders GROUP BY name\"");
  return [arguments] { return RunSql(*arguments); };
}

}  // namespace braid
