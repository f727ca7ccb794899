// braid table mark-done

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/partition_done.h"

namespace braid {

namespace {

struct MarkArguments : UpkeepArguments {
  PartitionArguments partitions;
};

Status Run(const MarkArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const PredicatePtr filter, PartitionFilterOf(arguments.partitions, table));
  if (filter == nullptr && table.schema().is_partitioned()) {
    return Error(ErrorCode::kInvalidArgument, "it is not said which partitions are done")
        .Hint("give --partition or --where");
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> partitions, MarkPartitionsDone(table, filter, arguments.dry_run));
  if (arguments.json()) {
    Json::Array list;
    for (const std::string& partition : partitions) list.emplace_back(partition);
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("partitions", std::move(list));
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (partitions.empty()) std::puts(fmt::format("no partition of {} is such", arguments.table).c_str());
  if (!partitions.empty()) {
    std::puts(fmt::format("{} {} partitions of {} as done:", arguments.dry_run ? "would mark" : "marked",
                          partitions.size(), arguments.table)
                  .c_str());
  }
  PrintPaths(partitions);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableMarkDoneCommand(CLI::App& command) {
  auto arguments = std::make_shared<MarkArguments>();
  AddUpkeepArguments(command, *arguments);
  AddPartitions(command, arguments->partitions);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table mark-done /warehouse default.orders --partition dt=2024-05-14");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
