#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"

namespace {

constexpr const char* kFooter = R"(examples:
  braid demo                                    the whole story on a text file, each step explained
  braid read /warehouse sales.orders            rows as JSON lines
  braid sql -e "SHOW DATABASES"                 Flink SQL

`braid COMMAND --help` explains a command. Exit codes are listed in docs/commands.md.)";

// Options that a command knows, as they are typed.
std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// The words that the parser says where ours would help more, without its own.
std::string InOurWords(const std::string& said) {
  struct Wording {
    std::string_view theirs;  // between what it is about and the rest
    std::string_view ours;
    bool keeps_rest;
  };
  constexpr Wording kWordings[] = {
      {" is required", " is missing", false},
      {" required TEXT missing", " needs a value", false},
      {" required INT missing", " needs a value", false},
      {" not in range 0.000000 to 1797", " is no number from 0 on", false},
      {" not in {", " is none of {", true},
  };
  std::string text = said;
  if (constexpr std::string_view kNumber = "Could not convert: "; text.starts_with(kNumber)) {
    return text.substr(kNumber.size()) + " is no number";
  }
  for (const Wording& wording : kWordings) {
    const std::size_t at = text.find(wording.theirs);
    if (at == std::string::npos) continue;
    std::string front = text.substr(0, at);
    if (front.ends_with(": 1")) front.resize(front.size() - 3);
    return front + std::string(wording.ours) + (wording.keeps_rest ? text.substr(at + wording.theirs.size()) : "");
  }
  return text;
}

// What is wrong with the arguments, and what helps.
braid::Error ArgumentError(const CLI::App& app, const CLI::ParseError& parsed) {
  const CLI::App* command = &app;
  std::string name = "braid";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  const auto error = [](std::string what, std::string hint) {
    return braid::Error(braid::ErrorCode::kInvalidArgument, std::move(what)).Hint(std::move(hint));
  };
  const std::string help = fmt::format("`{} --help` shows the arguments and an example", name);
  const std::vector<std::string> extra = command->remaining();
  const auto unknown = std::find_if(extra.begin(), extra.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (unknown != extra.end()) {
    const auto nearest = braid::NearestName(*unknown, OptionsOf(*command));
    return error(fmt::format("{} has no option '{}'", name, *unknown), nearest ? fmt::format("did you mean '{}'?", *nearest) : help);
  }
  const std::vector<const CLI::App*> parts = command->get_subcommands([](const CLI::App*) { return true; });
  if (!parts.empty() && (dynamic_cast<const CLI::RequiredError*>(&parsed) != nullptr || !extra.empty())) {
    std::vector<std::string> names;
    for (const CLI::App* part : parts) names.push_back(part->get_name());
    if (extra.empty()) return error(fmt::format("{} needs to be told what to do", name), "it is one of " + braid::Join(names, ", "));
    const auto nearest = braid::NearestName(extra.front(), names);
    return error(fmt::format("{} has no command '{}'", name, extra.front()),
                 nearest ? fmt::format("did you mean '{}'?", *nearest) : "it is one of " + braid::Join(names, ", "));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&parsed) != nullptr && !extra.empty()) {
    return error(fmt::format("{} does not take '{}'", name, extra.front()), help);
  }
  return error(InOurWords(parsed.what()), help);
}

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
  if (argc == 1) {
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
    braid::PrintError(ArgumentError(app, error));
    return braid::ExitCode(braid::ErrorCode::kInvalidArgument);
  }
  if (verbose) braid::SetLogLevel(braid::LogLevel::kDebug);
  const braid::Status status = runners.at(app.get_subcommands().front())();
  std::fflush(stdout);
  if (status) return 0;
  braid::PrintError(status.error());
  return braid::ExitCode(status.error().code());
}
