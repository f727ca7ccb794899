// braid table drop-partitions, braid table truncate

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/drop_partitions.h"
#include "table/partitions.h"

namespace braid {

namespace {

struct DropArguments : UpkeepArguments {
  PartitionArguments partitions;
};

void PrintResult(const UpkeepArguments& arguments, const HeldFiles& files, const std::vector<Snapshot>& snapshots) {
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("partitions", static_cast<std::int64_t>(files.partitions.size()));
    json.Add("files", files.file_count);
    json.Add("bytes", files.bytes);
    if (!snapshots.empty()) json.Add("snapshot_id", snapshots.back().id.value());
    std::puts(PrintJson(json).c_str());
    return;
  }
  if (files.file_count == 0) {
    std::puts(fmt::format("there is nothing to drop in {}", arguments.table).c_str());
    return;
  }
  const std::string what = files.partitions.empty() || files.partitions.front().empty()
                               ? fmt::format("{} data files ({})", files.file_count, ByteText(files.bytes))
                               : fmt::format("{} partitions with {} data files ({})", files.partitions.size(),
                                             files.file_count, ByteText(files.bytes));
  if (arguments.dry_run) {
    std::puts(fmt::format("would drop {} of {}", what, arguments.table).c_str());
  } else {
    std::puts(fmt::format("dropped {} of {}, in its snapshot {}; they stay as long as older snapshots name them", what,
                          arguments.table, snapshots.back().id)
                  .c_str());
  }
  for (const std::string& partition : files.partitions) {
    if (!partition.empty()) std::puts(("  " + partition).c_str());
  }
}

// `filter`: null for all rows.
Status Drop(const UpkeepArguments& arguments, const Table& table, const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(const HeldFiles files, FilesOfPartitions(table, filter));
  std::vector<Snapshot> snapshots;
  if (!arguments.dry_run && files.file_count > 0) {
    std::optional<std::set<BinaryRow>> rows;
    if (filter != nullptr) rows = files.rows;
    BRAID_TRY_ASSIGN(snapshots, DropPartitions(table, rows, RandomUuid(), {}));
  }
  PrintResult(arguments, files, snapshots);
  return Ok();
}

Status RunDrop(const DropArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const PredicatePtr filter, PartitionFilterOf(arguments.partitions, table));
  if (filter == nullptr) {
    return Error(ErrorCode::kInvalidArgument, "it is not said which partitions to drop")
        .Hint("give --partition or --where; `braid table truncate` deletes all rows");
  }
  return Drop(arguments, table, filter);
}

Status RunTruncate(const UpkeepArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  return Drop(arguments, table, nullptr);
}

}  // namespace

std::function<Status()> AddTableDropPartitionsCommand(CLI::App& command) {
  auto arguments = std::make_shared<DropArguments>();
  AddUpkeepArguments(command, *arguments);
  AddPartitions(command, arguments->partitions);
  AddDryRun(command, *arguments);
  command.footer(
      "example:\n  braid table drop-partitions /warehouse default.orders --where \"dt < '2024-05-14'\" --dry-run");
  return [arguments] { return RunDrop(*arguments); };
}

std::function<Status()> AddTableTruncateCommand(CLI::App& command) {
  auto arguments = std::make_shared<UpkeepArguments>();
  AddUpkeepArguments(command, *arguments);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table truncate /warehouse default.orders --dry-run");
  return [arguments] { return RunTruncate(*arguments); };
}

}  // namespace braid
