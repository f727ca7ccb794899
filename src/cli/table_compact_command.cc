// braid table compact, braid table compact-manifests

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/clustering_options.h"
#include "table/compaction_preview.h"
#include "table/manifest_compaction.h"
#include "table/partitions.h"
#include "table/sorted_compaction.h"
#include "table/write.h"

namespace braid {

namespace {

struct CompactArguments : UpkeepArguments {
  PartitionArguments partitions;
  std::string idle;
  bool minor = false;
  bool full = false;
  std::string order_by;        // columns, with commas
  std::string order_strategy;  // empty: not given
};

Result<std::string> FolderOf(const Table& table, const CompactionCandidate& candidate) {
  BRAID_TRY_ASSIGN(const DatumList values, candidate.partition.ToDatums(PartitionTypes(table.layout())));
  return table.layout().BucketDirectory(values, candidate.bucket);
}

// Without a word on it: everything, but where tables are sorted bit by bit.
Result<bool> CompactsFully(const CompactArguments& arguments, const Table& table) {
  if (arguments.minor || arguments.full) return arguments.full;
  BRAID_TRY_ASSIGN(const bool clusters, ClustersIncrementally(table));
  return !clusters;
}

Status PrintPreview(const CompactArguments& arguments, const Table& table, const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(const bool full, CompactsFully(arguments, table));
  BRAID_TRY_ASSIGN(const std::vector<CompactionCandidate> candidates, PreviewCompaction(table, full, filter));
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  Json::Array buckets;
  std::vector<std::string> lines;
  for (const CompactionCandidate& candidate : candidates) {
    BRAID_TRY_ASSIGN(const std::string folder, FolderOf(table, candidate));
    files += candidate.file_count;
    bytes += candidate.bytes;
    Json json;
    json.Add("bucket", folder);
    json.Add("files", candidate.file_count);
    json.Add("bytes", candidate.bytes);
    buckets.push_back(std::move(json));
    lines.push_back(fmt::format("  {:>10}  {:>5} files  {}", ByteText(candidate.bytes), candidate.file_count, folder));
  }
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", true);
    json.Add("files", files);
    json.Add("bytes", bytes);
    json.Add("buckets", std::move(buckets));
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (lines.empty()) {
    std::puts(fmt::format("nothing to compact in {}", arguments.table).c_str());
    return Ok();
  }
  std::puts(
      fmt::format("would read {} files ({}) in {} buckets of {}", files, ByteText(bytes), lines.size(), arguments.table)
          .c_str());
  for (const std::string& line : lines) std::puts(line.c_str());
  return Ok();
}

// nullopt: no partition is idle.
Result<std::optional<PredicatePtr>> FilterOf(const CompactArguments& arguments, const Table& table) {
  BRAID_TRY_ASSIGN(PredicatePtr filter, PartitionFilterOf(arguments.partitions, table));
  if (arguments.idle.empty()) return std::optional(std::move(filter));
  if (!table.schema().is_partitioned()) {
    return Error(ErrorCode::kInvalidArgument, arguments.table + " has no partitions").Hint("leave --idle out");
  }
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds idle, ParseDuration(arguments.idle).Context("in --idle"));
  BRAID_TRY_ASSIGN(PredicatePtr partitions, IdlePartitions(table, filter, idle));
  return partitions == nullptr ? std::nullopt : std::optional(std::move(partitions));
}

void PrintSorted(const CompactArguments& arguments, const SortedCompaction& compaction) {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  Json::Array partitions;
  std::vector<std::string> lines;
  for (const SortedPartition& partition : compaction.partitions) {
    files += partition.file_count;
    bytes += partition.bytes;
    Json json;
    json.Add("partition", partition.name);
    json.Add("rows", partition.row_count);
    json.Add("files", partition.file_count);
    json.Add("bytes", partition.bytes);
    partitions.push_back(std::move(json));
    if (partition.name.empty()) continue;
    lines.push_back(
        fmt::format("  {:>10}  {:>5} files  {}", ByteText(partition.bytes), partition.file_count, partition.name));
  }
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("files", files);
    json.Add("bytes", bytes);
    json.Add("partitions", std::move(partitions));
    if (compaction.snapshot) {
      json.Add("new_files", compaction.new_file_count);
      json.Add("snapshot_id", compaction.snapshot->value());
    }
    std::puts(PrintJson(json).c_str());
    return;
  }
  if (files == 0) {
    std::puts(fmt::format("nothing to sort in {}", arguments.table).c_str());
  } else if (compaction.snapshot) {
    std::puts(fmt::format("sorted {} by {}, in its snapshot {}: {} files instead of {}", arguments.table, arguments.order_by,
                          *compaction.snapshot, compaction.new_file_count, files)
                  .c_str());
  } else {
    std::puts(fmt::format("would sort {} files ({}) of {} by {}", files, ByteText(bytes), arguments.table, arguments.order_by).c_str());
  }
  for (const std::string& line : lines) std::puts(line.c_str());
}

Status RunSorted(const CompactArguments& arguments, const Table& table) {
  SortedCompactionRequest request{.columns = {}, .dry_run = arguments.dry_run, .progress = TerminalProgress()};
  request.columns = ParseList(arguments.order_by);
  if (!arguments.order_strategy.empty()) {
    BRAID_TRY_ASSIGN(request.strategy, ParseSortStrategy(arguments.order_strategy));
  }
  BRAID_TRY_ASSIGN(request.partitions, PartitionFilterOf(arguments.partitions, table));
  BRAID_TRY_ASSIGN(const SortedCompaction compaction, CompactSorted(table, request, RandomUuid()));
  PrintSorted(arguments, compaction);
  return Ok();
}

Status RunCompact(const CompactArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  if (!arguments.order_by.empty()) return RunSorted(arguments, table);
  BRAID_TRY_ASSIGN(const std::optional<PredicatePtr> filter, FilterOf(arguments, table));
  if (arguments.dry_run && filter) return PrintPreview(arguments, table, *filter);
  std::vector<Snapshot> snapshots;
  if (filter) {
    BRAID_TRY_ASSIGN(const bool full, CompactsFully(arguments, table));
    BRAID_TRY_ASSIGN(snapshots, CompactTable(table, full, *filter, RandomUuid()));
  }
  if (arguments.json()) {
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    if (!snapshots.empty()) json.Add("snapshot_id", snapshots.back().id.value());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  std::puts(snapshots.empty()
                ? fmt::format("nothing to compact in {}", arguments.table).c_str()
                : fmt::format("compacted {}, in its snapshot {}", arguments.table, snapshots.back().id).c_str());
  return Ok();
}

Status RunCompactManifests(const UpkeepArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const ManifestCompaction compaction, CompactManifests(table, arguments.dry_run, RandomUuid()));
  const auto text = [](const ManifestTotals& totals) {
    return fmt::format("{} manifests ({}, {} entries)", totals.files, ByteText(totals.bytes), totals.entries);
  };
  if (arguments.json()) {
    const auto json_of = [](const ManifestTotals& totals) {
      Json json;
      json.Add("files", totals.files);
      json.Add("bytes", totals.bytes);
      json.Add("entries", totals.entries);
      return json;
    };
    Json json;
    json.Add("table", arguments.table);
    json.Add("dry_run", arguments.dry_run);
    json.Add("worthwhile", compaction.worthwhile);
    json.Add("before", json_of(compaction.before));
    if (!arguments.dry_run) json.Add("after", json_of(compaction.after));
    if (compaction.snapshot) json.Add("snapshot_id", compaction.snapshot->value());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  if (!compaction.worthwhile) {
    std::puts(fmt::format("{} has {}: nothing to do", arguments.table, text(compaction.before)).c_str());
  } else if (arguments.dry_run) {
    std::puts(fmt::format("would write the {} of {} anew", text(compaction.before), arguments.table).c_str());
  } else {
    std::puts(fmt::format("{} has {} instead of {}, since its snapshot {}", arguments.table, text(compaction.after),
                          text(compaction.before), *compaction.snapshot)
                  .c_str());
  }
  return Ok();
}

}  // namespace

std::function<Status()> AddTableCompactCommand(CLI::App& command) {
  auto arguments = std::make_shared<CompactArguments>();
  AddUpkeepArguments(command, *arguments);
  AddPartitions(command, arguments->partitions);
  CLI::Option* idle =
      command.add_option("--idle", arguments->idle, "only partitions whose newest file is older than this, \"1 d\"");
  CLI::Option* minor = command.add_flag(
      "--minor", arguments->minor,
      "only what the table's options call due; default where 'clustering.incremental' is 'true'");
  CLI::Option* full =
      command.add_flag("--full", arguments->full, "everything, to the top level; default of other tables")->excludes(minor);
  CLI::Option* order = command
                           .add_option("--order-by", arguments->order_by,
                                       "append tables without buckets: sort all rows of each partition by these "
                                       "columns, a,b")
                           ->excludes(idle)
                           ->excludes(minor)
                           ->excludes(full);
  command
      .add_option("--order-strategy", arguments->order_strategy,
                  "order: by the first column, then the second; zorder, hilbert: by all of them alike, along a curve; "
                  "default: order")
      ->check(CLI::IsMember({"order", "zorder", "hilbert"}))
      ->needs(order);
  AddDryRun(command, *arguments);
  command.footer(
      "examples:\n  braid table compact /warehouse default.orders --partition dt=2024-05-14 --dry-run\n"
      "  braid table compact /warehouse default.log --order-by customer,day --order-strategy zorder");
  return [arguments] { return RunCompact(*arguments); };
}

std::function<Status()> AddTableCompactManifestsCommand(CLI::App& command) {
  auto arguments = std::make_shared<UpkeepArguments>();
  AddUpkeepArguments(command, *arguments);
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table compact-manifests /warehouse default.orders --dry-run");
  return [arguments] { return RunCompactManifests(*arguments); };
}

}  // namespace braid
