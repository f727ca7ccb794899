// braid table compact, braid table compact-manifests

#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/uuid.h"
#include "cli/table_command.h"
#include "cli/upkeep_arguments.h"
#include "table/compaction_preview.h"
#include "table/manifest_compaction.h"
#include "table/partitions.h"
#include "table/write.h"

namespace braid {

namespace {

struct CompactArguments : UpkeepArguments {
  PartitionArguments partitions;
  std::string idle;
  bool minor = false;
};

Result<std::string> FolderOf(const Table& table, const CompactionCandidate& candidate) {
  BRAID_TRY_ASSIGN(const DatumList values, candidate.partition.ToDatums(PartitionTypes(table.layout())));
  return table.layout().BucketDirectory(values, candidate.bucket);
}

Status PrintPreview(const CompactArguments& arguments, const Table& table, const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(const std::vector<CompactionCandidate> candidates,
                   PreviewCompaction(table, !arguments.minor, filter));
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

Status RunCompact(const CompactArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenUpkeepTable(arguments));
  BRAID_TRY_ASSIGN(const std::optional<PredicatePtr> filter, FilterOf(arguments, table));
  if (arguments.dry_run && filter) return PrintPreview(arguments, table, *filter);
  std::vector<Snapshot> snapshots;
  if (filter) {
    BRAID_TRY_ASSIGN(snapshots, CompactTable(table, !arguments.minor, *filter, RandomUuid()));
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
  command.add_option("--idle", arguments->idle, "only partitions whose newest file is older than this, \"1 d\"");
  command.add_flag("--minor", arguments->minor,
                   "only what the table's options call due; default: everything, to the top level");
  AddDryRun(command, *arguments);
  command.footer("example:\n  braid table compact /warehouse default.orders --partition dt=2024-05-14 --dry-run");
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
