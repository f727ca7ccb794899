#include "cli/argument_error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace braid {

namespace {

// Options that a command knows, as they are typed.
std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// The first argument that must be given and is not, as the usage names it.
std::optional<std::string> MissingArgument(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const std::string positional = option->get_name(true);
    return positional.empty() ? option->get_name() : positional;
  }
  return std::nullopt;
}

// Whether the option takes numbers from 1 on, not from 0 on.
bool TakesPositiveNumbers(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option != nullptr && option->get_type_name().find("POSITIVE") != std::string::npos;
}

// "--lines = x": a value that is no number, or none that fits.
std::string BadNumber(const std::string& assignment) {
  const std::size_t value = assignment.find_last_of(' ') + 1;
  const bool digits = assignment.find_first_not_of("+-0123456789", value) == std::string::npos;
  return assignment + (digits ? " is too large" : " is no number");
}

// The words that the parser says where ours would help more, without its own.
std::string InOurWords(const CLI::App& command, const std::string& said) {
  struct Wording {
    std::string_view theirs;  // between what it is about and the rest
    std::string_view ours;
    bool keeps_rest;
  };
  constexpr Wording kWordings[] = {
      {" required TEXT missing", " needs a value", false},
      {" required INT missing", " needs a value", false},
      {" required FLOAT missing", " needs a value", false},
      {" requires ", " needs ", true},
      {" excludes ", " cannot go with ", true},
      {" not in {", " is none of {", true},
  };
  if (constexpr std::string_view kNumber = "Could not convert: "; said.starts_with(kNumber)) {
    return BadNumber(said.substr(kNumber.size()));
  }
  if (const std::size_t range = said.find(" not in range 0.000000 to 1797"); range != std::string::npos) {
    const std::string name = said.substr(0, said.find(':'));
    std::string text = said.substr(0, range);
    if (const std::size_t value = text.find("Value "); value != std::string::npos) text.erase(value, 6);
    return text + (TakesPositiveNumbers(command, name) ? " is no number from 1 on" : " is no number from 0 on");
  }
  for (const Wording& wording : kWordings) {
    const std::size_t at = said.find(wording.theirs);
    if (at == std::string::npos) continue;
    std::string front = said.substr(0, at);
    if (front.ends_with(": 1")) front.resize(front.size() - 3);
    return front + std::string(wording.ours) + (wording.keeps_rest ? said.substr(at + wording.theirs.size()) : "");
  }
  return said;
}

}  // namespace

Error ArgumentError(const CLI::App& app, const CLI::ParseError& parsed) {
  const CLI::App* command = &app;
  std::string name = "braid";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  const auto error = [](std::string what, std::string hint) {
    return Error(ErrorCode::kInvalidArgument, std::move(what)).Hint(std::move(hint));
  };
  const std::string help = fmt::format("`{} --help` shows the arguments and an example", name);
  const std::vector<std::string> extra = command->remaining();
  const auto unknown =
      std::find_if(extra.begin(), extra.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (unknown != extra.end()) {
    const auto nearest = NearestName(*unknown, OptionsOf(*command));
    return error(fmt::format("{} has no option '{}'", name, *unknown),
                 nearest ? fmt::format("did you mean '{}'?", *nearest) : help);
  }
  const std::vector<const CLI::App*> parts =
      command->get_subcommands([](const CLI::App* part) { return !part->get_group().empty(); });
  if (!parts.empty() && (dynamic_cast<const CLI::RequiredError*>(&parsed) != nullptr || !extra.empty())) {
    std::vector<std::string> names;
    for (const CLI::App* part : parts) names.push_back(part->get_name());
    if (extra.empty())
      return error(fmt::format("{} needs to be told what to do", name), "it is one of " + Join(names, ", "));
    const auto nearest = NearestName(extra.front(), names);
    return error(fmt::format("{} has no command '{}'", name, extra.front()),
                 nearest ? fmt::format("did you mean '{}'?", *nearest) : "it is one of " + Join(names, ", "));
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&parsed) != nullptr && !extra.empty()) {
    return error(fmt::format("{} does not take '{}'", name, extra.front()), help);
  }
  if (dynamic_cast<const CLI::RequiredError*>(&parsed) != nullptr) {
    if (const auto missing = MissingArgument(*command)) return error(*missing + " is missing", help);
  }
  return error(InOurWords(*command, parsed.what()), help);
}

}  // namespace braid
