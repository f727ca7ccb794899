// braid table forget-missing

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/missing_data_files.h"
#include "table/missing_manifests.h"

namespace braid {

namespace {

struct ForgetArguments : UpkeepArguments {
  bool manifests = false;
};

Status RunManifests(const UpkeepArguments& arguments, const Table& table) {
  BRAID_TRY_ASSIGN(const MissingManifests missing, RemoveMissingManifests(table, arguments.dry_run, RandomUuid()));
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("added_files", missing.added_files);
    json.Add("deleted_files", missing.deleted_files);
    Json::Array names;
    for (const std::string& name : missing.names) names.emplace_back(name);
    json.Add("manifests", std::move(names));
    if (missing.snapshot) json.Add("snapshot_id", missing.snapshot->value());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (missing.names.empty()) {
    std::puts(fmt::format("no manifest of {} is missing", arguments.table).c_str());
    return Ok();
  }
  std::puts(fmt::format("{} manifests of {} are missing; they told of {} files that came and {} that went{}",
                        missing.names.size(), arguments.table, missing.added_files, missing.deleted_files,
                        missing.snapshot ? fmt::format(". Its snapshot {} goes without them", *missing.snapshot) : "")
                .c_str());
  PrintPaths(missing.names);
  return Ok();
}

Status Run(const ForgetArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  if (arguments.manifests) return RunManifests(arguments, table);
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
  auto arguments = std::make_shared<ForgetArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_flag("--manifests", arguments->manifests,
                   "manifests instead of data files; then forget the data files that are gone, too");
  AddDryRun(command, *arguments);
  command.footer(
      "`braid table check` tells what else is damaged; an older snapshot, tag or branch may still be whole.\n\n"
      "example:\n  braid table forget-missing /warehouse default.orders --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
