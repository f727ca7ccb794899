// braid table rollback

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/rollback.h"

namespace braid {

namespace {

struct RollbackArguments : UpkeepArguments {
  SelectorArguments selector;
  bool hard = false;
};

void PrintResult(const RollbackArguments& arguments, const RollbackResult& result) {
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("previous_snapshot_id", result.previous.value());
    json.Add("current_snapshot_id", result.current.value());
    json.Add("target_snapshot_id", result.target.value());
    json.Add("removed_snapshots", static_cast<std::int64_t>(result.removed_snapshots.size()));
    Json::Array tags;
    for (const std::string& tag : result.removed_tags) tags.emplace_back(tag);
    json.Add("removed_tags", std::move(tags));
    std::puts(PrintJson(json).c_str());
    return;
  }
  if (!arguments.hard) {
    std::puts(fmt::format("{} {} the content of snapshot {}{}", arguments.table,
                          arguments.dry_run ? "would get" : "has", result.target,
                          arguments.dry_run ? std::string() : fmt::format(", as its snapshot {}", result.current))
                  .c_str());
    return;
  }
  std::puts(fmt::format("{} {} at snapshot {}; it was at {}", arguments.table, arguments.dry_run ? "would end" : "ends",
                        result.target, result.previous)
                .c_str());
  std::puts(
      fmt::format("{} {} snapshots{}", arguments.dry_run ? "would remove" : "removed", result.removed_snapshots.size(),
                  result.removed_tags.empty() ? std::string() : " and the tags " + Join(result.removed_tags, ", "))
          .c_str());
  if (!arguments.dry_run && !result.removed_snapshots.empty()) {
    std::puts("their files stay until `braid table clean` finds that nothing names them");
  }
}

Status Run(const RollbackArguments& arguments) {
  BRAID_TRY_ASSIGN(const SnapshotSelector selector, SelectorOf(arguments.selector));
  if (!selector.id && !selector.tag && !selector.timestamp_ms && !selector.watermark) {
    return Error(ErrorCode::kInvalidArgument, "it is not said what to roll back to")
        .Hint("give --snapshot, --tag, --timestamp or --watermark");
  }
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  if (arguments.hard) {
    BRAID_TRY_ASSIGN(const RollbackResult result, RollbackHard(table, selector, arguments.dry_run, SystemClock()));
    PrintResult(arguments, result);
    return Ok();
  }
  if (arguments.dry_run) {
    BRAID_TRY_ASSIGN(const Snapshot target, SelectSnapshot(table, selector));
    BRAID_TRY_ASSIGN(const Snapshot latest, SelectSnapshot(table, {}));
    PrintResult(arguments, {.previous = latest.id, .current = latest.id.next(), .target = target.id});
    return Ok();
  }
  BRAID_TRY_ASSIGN(const RollbackResult result, RollbackAsLatest(table, selector, SystemClock()));
  PrintResult(arguments, result);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableRollbackCommand(CLI::App& command) {
  auto arguments = std::make_shared<RollbackArguments>();
  AddUpkeepArguments(command, *arguments);
  AddSelector(command, arguments->selector);
  command.add_flag("--hard", arguments->hard,
                   "end the table there: later snapshots and tags go, as Paimon's rollback_to does");
  AddDryRun(command, *arguments);
  command.footer(
      "examples:\n  braid table rollback /warehouse default.orders --snapshot 4\n  braid table rollback /warehouse "
      "default.orders --tag monday --hard --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
