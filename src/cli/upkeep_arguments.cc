#include "cli/upkeep_arguments.h"

#include <cstdio>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "table/partitions.h"
#include "types/local_time.h"

namespace braid {

void AddUpkeepArguments(CLI::App& command, UpkeepArguments& arguments) {
  command.add_option("WAREHOUSE", arguments.warehouse, "folder of the warehouse")->required();
  command.add_option("TABLE", arguments.table, "DB.TABLE or DB.TABLE$branch_b (quote the $)")->required();
  command.add_option("--output", arguments.output, "table or json")->check(CLI::IsMember({"table", "json"}));
}

void AddDryRun(CLI::App& command, UpkeepArguments& arguments) {
  command.add_flag("--dry-run", arguments.dry_run, "only say what would be done");
}

Result<Table> OpenUpkeepTable(const UpkeepArguments& arguments) {
  BRAID_TRY_ASSIGN(const auto catalog,
                   MakeFileSystemCatalog("paimon", Options(Options::Map{{"warehouse", arguments.warehouse}})));
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(arguments.table));
  return catalog->OpenTable(identifier);
}

void AddPartitions(CLI::App& command, PartitionArguments& arguments) {
  CLI::Option* partitions = command.add_option("--partition", arguments.partitions,
                                               "values of partition columns, dt=2024-05-14,hh=10; repeatable");
  command.add_option("--where", arguments.where, "a condition on partition columns, \"dt < '2024-05-14'\"")->excludes(partitions);
}

Result<PredicatePtr> PartitionFilterOf(const PartitionArguments& arguments, const Table& table) {
  if (!arguments.where.empty()) return ParseFilter(arguments.where, table.schema().PartitionFields());
  std::vector<PartitionSpec> specs;
  for (const std::string& text : arguments.partitions) {
    BRAID_TRY_ASSIGN(PartitionSpec spec, ParsePartitionSpec(text));
    specs.push_back(std::move(spec));
  }
  return PartitionSpecsFilter(table, specs);
}

void AddSelector(CLI::App& command, SelectorArguments& arguments) {
  command.add_option("--snapshot", arguments.snapshot, "a snapshot's number")->check(CLI::PositiveNumber);
  command.add_option("--tag", arguments.tag, "what a tag names");
  command.add_option("--timestamp", arguments.timestamp,
                     "the newest snapshot at or before a local time, \"2024-05-14 10:15:30\"");
  command.add_option("--watermark", arguments.watermark, "the first snapshot with this watermark or a later one");
}

Result<SnapshotSelector> SelectorOf(const SelectorArguments& arguments) {
  SnapshotSelector selector;
  if (arguments.snapshot > 0) selector.id = SnapshotId(arguments.snapshot);
  if (!arguments.tag.empty()) selector.tag = arguments.tag;
  if (!arguments.timestamp.empty()) {
    BRAID_TRY_ASSIGN(selector.timestamp_ms, ParseLocalTime(arguments.timestamp).Context("in --timestamp"));
  }
  selector.watermark = arguments.watermark;
  return selector;
}

UpkeepProgress TerminalProgress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [](std::string_view step, std::int64_t done, std::int64_t total) {
    const bool finished = total > 0 && done >= total;
    const std::string line =
        total > 0 ? fmt::format("\r{}: {} of {}", step, done, total) : fmt::format("\r{}: {}", step, done);
    std::fputs(finished ? "\r\x1b[K" : line.c_str(), stderr);
    std::fflush(stderr);
  };
}

std::string ByteText(std::int64_t bytes) {
  constexpr std::int64_t kKilo = 1000;
  if (bytes < kKilo) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (value < static_cast<double>(kKilo)) break;
    value /= static_cast<double>(kKilo);
    unit = next;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

void AddRemovedFiles(const RemovedFiles& files, Json& json) {
  json.Add("data_files", files.data_files);
  json.Add("data_bytes", files.data_bytes);
  json.Add("metadata_files", files.metadata_files);
  json.Add("failures", files.failures);
  if (files.paths.empty()) return;
  Json::Array paths;
  for (const std::string& path : files.paths) paths.emplace_back(path);
  json.Add("paths", std::move(paths));
}

std::string RemovedText(const RemovedFiles& files) {
  std::string text = fmt::format("{} data files ({}) and {} metadata files", files.data_files,
                                 ByteText(files.data_bytes), files.metadata_files);
  if (files.failures > 0) text += fmt::format("; {} could not be deleted, `braid table clean` will", files.failures);
  return text;
}

void PrintPaths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) std::puts(("  " + path).c_str());
}

}  // namespace braid
