// braid table forget-missing

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/missing_data_files.h"

namespace braid {

namespace {

Status Run(const UpkeepArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const MissingDataFiles missing, RemoveMissingDataFiles(table, arguments.dry_run, RandomUuid()));
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("rows", missing.rows);
    Json::Array paths;
    for (const std::string& path : missing.paths) paths.emplace_back(path);
    json.Add("paths", std::move(paths));
    if (missing.snapshot) json.Add("snapshot_id", missing.snapshot->value());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (missing.paths.empty()) {
    std::puts(fmt::format("no data file of {} is missing", arguments.table).c_str());
  } else if (missing.snapshot) {
    std::puts(
        fmt::format("{} data files of {} are missing; with them {} rows are lost. Its snapshot {} goes without them",
                    missing.paths.size(), arguments.table, missing.rows, *missing.snapshot)
            .c_str());
  } else {
    std::puts(fmt::format("{} data files of {} are missing; they held {} rows", missing.paths.size(), arguments.table,
                          missing.rows)
                  .c_str());
  }
  PrintPaths(missing.paths);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableForgetMissingCommand(CLI::App& command) {
  auto arguments = std::make_shared<UpkeepArguments>();
  AddUpkeepArguments(command, *arguments);
  AddDryRun(command, *arguments);
  command.footer(
      "`braid table check` tells what else is damaged; an older snapshot, tag or branch may still be whole.\n\n"
      "example:\n  braid table forget-missing /warehouse default.orders --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
