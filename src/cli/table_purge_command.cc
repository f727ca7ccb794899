// braid table purge

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/purge.h"

namespace braid {

namespace {

Json::Array Names(const std::vector<std::string>& names) {
  Json::Array list;
  for (const std::string& name : names) list.emplace_back(name);
  return list;
}

Status Run(const UpkeepArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const PurgedTable purged,
                   PurgeTable(table, {.dry_run = arguments.dry_run, .progress = TerminalProgress()}, RandomUuid()));
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("branches", Names(purged.branches));
    json.Add("tags", Names(purged.tags));
    json.Add("consumers", Names(purged.consumers));
    json.Add("snapshots", purged.snapshots);
    json.Add("live_files", purged.live_files);
    json.Add("live_bytes", purged.live_bytes);
    json.Add("orphan_files", purged.orphan_files);
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  std::puts(fmt::format("{} all that {} holds: {} branches, {} tags, {} consumers and {} snapshots, the newest with {} "
                        "data files ({})",
                        arguments.dry_run ? "would delete" : "deleted", arguments.table, purged.branches.size(),
                        purged.tags.size(), purged.consumers.size(), purged.snapshots, purged.live_files,
                        ByteText(purged.live_bytes))
                .c_str());
  return Ok();
}

}  // namespace

std::function<Status()> AddTablePurgeCommand(CLI::App& command) {
  auto arguments = std::make_shared<UpkeepArguments>();
  AddUpkeepArguments(command, *arguments);
  AddDryRun(command, *arguments);
  command.footer(
      "Nothing can bring it back, and no one may write meanwhile: files that nothing names go, however young. "
      "`braid table truncate` deletes the rows alone and keeps older snapshots.\n\n"
      "example:\n  braid table purge /warehouse default.orders --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
