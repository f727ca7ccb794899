// braid table check, why and repair

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/table_check.h"

namespace braid {

namespace {

struct CheckArguments : UpkeepArguments {
  std::string path;
};

Json::Array TextArray(const std::vector<std::string>& texts) {
  Json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

// "a, b, c and 4 more"
std::string Shortened(const std::vector<std::string>& texts) {
  constexpr std::size_t kShown = 5;
  if (texts.size() <= kShown) return Join(texts, ", ");
  return fmt::format("{} and {} more", Join(std::vector<std::string>(texts.begin(), texts.begin() + kShown), ", "),
                     texts.size() - kShown);
}

void PrintCheck(const CheckArguments& arguments, const CheckResult& result) {
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("lines", result.lines);
    json.Add("roots", result.roots);
    json.Add("data_files", result.data_files);
    json.Add("metadata_files", result.metadata_files);
    Json::Array damages;
    for (const Damage& damage : result.damages) {
      Json entry;
      entry.Add("path", damage.path);
      entry.Add("problem", damage.problem);
      entry.Add("affects", TextArray(damage.affects));
      damages.push_back(std::move(entry));
    }
    json.Add("damages", std::move(damages));
    json.Add("without_changelog", TextArray(result.without_changelog));
    json.Add("readable", TextArray(result.readable));
    std::puts(PrintJson(json).c_str());
    return;
  }
  std::puts(fmt::format("{}: {} lines, {} snapshots, tags and fork points, {} data files, {} metadata files",
                        arguments.table, result.lines, result.roots, result.data_files, result.metadata_files)
                .c_str());
  for (const Damage& damage : result.damages) {
    std::puts(
        fmt::format("damaged: {} {}\n  needed by {}", damage.path, damage.problem, Shortened(damage.affects)).c_str());
  }
  for (const std::string& holder : result.without_changelog) {
    std::puts(fmt::format("the changelog of {} is gone: it had expired before the table was rolled back to that snapshot",
                          holder)
                  .c_str());
  }
  if (result.damages.empty()) {
    std::puts(result.without_changelog.empty() ? "everything is there" : "everything else is there");
  } else {
    std::puts(fmt::format("still whole: {}", result.readable.empty() ? "nothing" : Shortened(result.readable)).c_str());
  }
}

Status RunCheck(const CheckArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const CheckResult result, CheckTable(table, TerminalProgress()));
  PrintCheck(arguments, result);
  if (result.damages.empty()) return Ok();
  return Error(ErrorCode::kCorruption,
               fmt::format("{} has {} damaged or missing files", arguments.table, result.damages.size()))
      .Hint("what is still whole can be read by snapshot or tag");
}

Status RunWhy(const CheckArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> holders, WhoNeeds(table, arguments.path));
  if (arguments.json()) {
    Json json;
    json.Add("path", arguments.path);
    json.Add("needed_by", TextArray(holders));
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (holders.empty()) std::puts(fmt::format("nothing in {} needs {}", arguments.table, arguments.path).c_str());
  for (const std::string& holder : holders) std::puts(holder.c_str());
  return Ok();
}

Status RunRepair(const CheckArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> done, RepairTable(table, arguments.dry_run));
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("repairs", TextArray(done));
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (done.empty()) std::puts(fmt::format("nothing to repair in {}", arguments.table).c_str());
  for (const std::string& what : done)
    std::puts(((arguments.dry_run ? "would repair: " : "repaired: ") + what).c_str());
  return Ok();
}

}  // namespace

std::function<Status()> AddTableCheckCommand(CLI::App& command) {
  auto arguments = std::make_shared<CheckArguments>();
  AddUpkeepArguments(command, *arguments);
  command.footer("example:\n  braid table check /warehouse default.orders\nEnds with 7 if something is damaged.");
  return [arguments] { return RunCheck(*arguments); };
}

std::function<Status()> AddTableWhyCommand(CLI::App& command) {
  auto arguments = std::make_shared<CheckArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option("FILE", arguments->path, "path or name of a data or metadata file")->required();
  command.footer(
      "example:\n  braid table why /warehouse default.orders manifest-0c5b3c8e-7f0a-4b8e-9a50-1f0e8d0f7d7d-0");
  return [arguments] { return RunWhy(*arguments); };
}

std::function<Status()> AddTableRepairCommand(CLI::App& command) {
  auto arguments = std::make_shared<CheckArguments>();
  AddUpkeepArguments(command, *arguments);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table repair /warehouse default.orders");
  return [arguments] { return RunRepair(*arguments); };
}

}  // namespace braid
