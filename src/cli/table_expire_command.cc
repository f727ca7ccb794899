// braid table expire

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/expire.h"
#include "types/local_time.h"

namespace braid {

namespace {

struct ExpireArguments : UpkeepArguments {
  std::optional<std::int64_t> retain_max;
  std::optional<std::int64_t> retain_min;
  std::optional<std::int64_t> max_deletes;
  std::string older_than;
  bool changelogs = false;
  bool all = false;
};

void PrintResult(const ExpireArguments& arguments, const ExpireResult& result) {
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("what", arguments.changelogs ? "changelogs" : "snapshots");
    json.Add("expired", result.expired);
    if (result.expired > 0) {
      json.Add("first", result.first.value());
      json.Add("earliest_left", result.end.value());
    }
    AddRemovedFiles(result.files, json);
    std::puts(PrintJson(json).c_str());
    return;
  }
  const char* what = arguments.changelogs ? "changelog" : "snapshot";
  if (result.expired == 0) {
    std::puts(fmt::format("no {} of {} may expire", what, arguments.table).c_str());
    return;
  }
  const char* verb = arguments.dry_run ? "would expire" : "expired";
  std::puts(fmt::format("{} {} {}s of {}: {} to {}", verb, result.expired, what, arguments.table, result.first,
                        result.end.previous())
                .c_str());
  std::puts(fmt::format("{} {}", arguments.dry_run ? "would delete" : "deleted", RemovedText(result.files)).c_str());
  PrintPaths(result.files.paths);
}

Status Run(const ExpireArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(ExpireRequest request, ExpireRequest::FromOptions(table.options(), SystemClock().NowMs()));
  request.dry_run = arguments.dry_run;
  request.progress = TerminalProgress();
  Retention& retention = arguments.changelogs ? request.changelogs : request.snapshots;
  retention.retain_max = arguments.retain_max.value_or(retention.retain_max);
  retention.retain_min = arguments.retain_min.value_or(retention.retain_min);
  retention.max_deletes = arguments.max_deletes.value_or(retention.max_deletes);
  if (!arguments.older_than.empty()) {
    BRAID_TRY_ASSIGN(retention.older_than_ms, ParseLocalTime(arguments.older_than).Context("in --older-than"));
  }
  if (arguments.changelogs) {
    BRAID_TRY_ASSIGN(const ExpireResult result, ExpireChangelogs(table, request, arguments.all, SystemClock()));
    PrintResult(arguments, result);
    return Ok();
  }
  BRAID_TRY_ASSIGN(const ExpireResult result, ExpireSnapshots(table, request, SystemClock()));
  PrintResult(arguments, result);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableExpireCommand(CLI::App& command) {
  auto arguments = std::make_shared<ExpireArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option("--retain-max", arguments->retain_max,
                     "at most so many stay; default: the table's snapshot.num-retained.max");
  command.add_option("--retain-min", arguments->retain_min,
                     "so many stay in any case; default: snapshot.num-retained.min");
  command.add_option("--older-than", arguments->older_than,
                     "those before a local time may go, \"2024-05-14 10:15:30\"; default: snapshot.time-retained");
  command.add_option("--max-deletes", arguments->max_deletes, "at most so many go; default: snapshot.expire.limit")
      ->check(CLI::PositiveNumber);
  CLI::Option* changelogs =
      command.add_flag("--changelogs", arguments->changelogs, "expire long-lived changelogs instead");
  command.add_flag("--all", arguments->all, "with --changelogs: every one")->needs(changelogs);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table expire /warehouse default.orders --retain-max 20 --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
