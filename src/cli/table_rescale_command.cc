// braid table rescale

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/rescale.h"

namespace braid {

namespace {

struct RescaleArguments : UpkeepArguments {
  PartitionArguments partitions;
  std::int32_t buckets = 0;  // 0: not given
};

void PrintResult(const RescaleArguments& arguments, const Rescaling& rescaling) {
  Json::Array list;
  std::vector<std::string> lines;
  for (const RescaledPartition& partition : rescaling.partitions) {
    Json json;
    json.Add("partition", partition.name);
    json.Add("buckets_before", std::int64_t{partition.bucket_count});
    json.Add("files_before", partition.file_count);
    list.push_back(std::move(json));
    lines.push_back(
        fmt::format("  {:>3} buckets, {:>5} files  {}", partition.bucket_count, partition.file_count, partition.name));
  }
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("buckets", std::int64_t{rescaling.bucket_count});
    json.Add("partitions", std::move(list));
    if (rescaling.snapshot) json.Add("snapshot_id", rescaling.snapshot->value());
    std::puts(PrintJson(json).c_str());
    return;
  }
  if (lines.empty()) {
    std::puts(fmt::format("nothing to do: {} has {} buckets already", arguments.table, rescaling.bucket_count).c_str());
  } else if (rescaling.snapshot) {
    std::puts(fmt::format("{} has {} buckets since its snapshot {}; before it had:", arguments.table,
                          rescaling.bucket_count, *rescaling.snapshot)
                  .c_str());
  } else {
    std::puts(
        fmt::format("would write into {} buckets what {} has in:", rescaling.bucket_count, arguments.table).c_str());
  }
  for (const std::string& line : lines) std::puts(line.c_str());
}

Status Run(const RescaleArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  RescaleRequest request{.dry_run = arguments.dry_run};
  BRAID_TRY_ASSIGN(request.partitions, PartitionFilterOf(arguments.partitions, table));
  if (arguments.buckets > 0) request.bucket_count = arguments.buckets;
  BRAID_TRY_ASSIGN(const Rescaling rescaling, RescaleTable(table, request, RandomUuid()));
  PrintResult(arguments, rescaling);
  return Ok();
}

}  // namespace

std::function<Status()> AddTableRescaleCommand(CLI::App& command) {
  auto arguments = std::make_shared<RescaleArguments>();
  AddUpkeepArguments(command, *arguments);
  command.add_option("--buckets", arguments->buckets, "how many; default: what the table's option 'bucket' says now")
      ->check(CLI::PositiveNumber);
  AddPartitions(command, arguments->partitions);
  AddDryRun(command, *arguments);
  command.footer(
      "Set the table's option 'bucket' first (ALTER TABLE … SET ('bucket' = '8')): writers follow it.\n\n"
      "example:\n  braid table rescale /warehouse default.orders --partition dt=2024-05-14 --dry-run");
  return [arguments] { return Run(*arguments); };
}

}  // namespace braid
