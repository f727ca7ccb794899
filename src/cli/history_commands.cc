// `braid log` and `braid files`: what a table has been and what it is made of.

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/command.h"
#include "cli/reading.h"
#include "io/request_pool.h"
#include "lineage/snapshot_lineage.h"
#include "meta/stores.h"
#include "table/data_file_reader.h"
#include "table/history_graph.h"
#include "table/scan.h"
#include "types/local_time.h"

namespace braid {

namespace {

constexpr std::size_t kSnapshotsAtOnce = 256;

struct HistoryArguments {
  std::string warehouse;
  std::string table;
  std::vector<std::string> options;
  std::int64_t limit = 0;  // 0: all
  bool graph = false;
  std::string output = "table";
};

void AddHistoryArguments(CLI::App& command, HistoryArguments& arguments) {
  command.add_option("WAREHOUSE", arguments.warehouse, "folder of the warehouse")->required();
  command.add_option("TABLE", arguments.table, "DB.TABLE or DB.TABLE$branch_b (quote the $)")->required();
  command.add_option("--output", arguments.output, "table or json")->check(CLI::IsMember({"table", "json"}));
}

Result<Table> OpenTableOf(const HistoryArguments& arguments, const Options& options = {}) {
  BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(arguments.table));
  BRAID_TRY_ASSIGN(const OpenedWarehouse warehouse, OpenWarehouse(arguments.warehouse, identifier.database));
  return warehouse.catalog->OpenTable(identifier, options);
}

// Where a snapshot came from, in a few words.
std::string OriginOf(const Snapshot& snapshot) {
  const std::optional<SnapshotLineage> lineage = DecodeLineage(snapshot);
  if (!lineage) return snapshot.commit_user;
  std::vector<std::string> sources;
  for (const LineageSource& source : lineage->sources) sources.push_back(fmt::format("{}@{}", source.table, source.to));
  return fmt::format("job {}, barrier {}{}{}", lineage->job, lineage->barrier, sources.empty() ? "" : " from ", Join(sources, ", "));
}

Json SnapshotJson(const Snapshot& snapshot, const std::vector<std::string>& tags) {
  Json json;
  json.Add("snapshot_id", snapshot.id.value());
  json.Add("kind", CommitKindName(snapshot));
  json.Add("time_millis", snapshot.time_millis);
  json.Add("commit_user", snapshot.commit_user);
  json.Add("delta_record_count", snapshot.delta_record_count);
  json.Add("total_record_count", snapshot.total_record_count);
  json.Add("tags", Json::Array(tags.begin(), tags.end()));
  json.Add("origin", OriginOf(snapshot));
  return json;
}

void PrintHistoryJson(const std::vector<HistoryRow>& rows) {
  for (const HistoryRow& row : rows) {
    if (!row.snapshot) continue;
    Json json = SnapshotJson(*row.snapshot, row.tags);
    json.Add("line", row.line);
    json.Add("heads", Json::Array(row.heads.begin(), row.heads.end()));
    std::puts(PrintJson(json).c_str());
  }
}

void PrintHistory(const std::vector<HistoryRow>& rows) {
  const auto label = [](const HistoryRow& row) { return fmt::format("{}{} {}", row.graph, row.line, row.snapshot->id); };
  std::size_t width = 0;
  for (const HistoryRow& row : rows) {
    if (row.snapshot) width = std::max(width, label(row).size());
  }
  for (const HistoryRow& row : rows) {
    if (!row.snapshot) {
      std::puts(row.graph.c_str());
      continue;
    }
    std::string line = fmt::format("{:<{}}  {:<9} {}  {:+} rows  {}", label(row), width, CommitKindName(*row.snapshot),
                                   LocalTimeText(row.snapshot->time_millis), row.snapshot->delta_record_count, OriginOf(*row.snapshot));
    if (!row.heads.empty()) line += fmt::format("  head of {}", Join(row.heads, ", "));
    if (!row.tags.empty()) line += "  tags: " + Join(row.tags, ", ");
    if (!row.note.empty()) line += "  " + row.note;
    std::puts(line.c_str());
  }
}

Status LogOfAllLines(const HistoryArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<HistoryRow> rows,
                   DrawHistory(table.file_system(), table.paths().root(), static_cast<std::size_t>(arguments.limit)));
  if (arguments.output == "json") {
    PrintHistoryJson(rows);
  } else if (rows.empty()) {
    std::puts(fmt::format("{} has no snapshot yet", arguments.table).c_str());
  } else {
    PrintHistory(rows);
  }
  return Ok();
}

using TagNames = std::map<std::int64_t, std::vector<std::string>>;  // by the id of the snapshot

Result<TagNames> TagsBySnapshot(const Table& table) {
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, table.paths()));
  std::vector<std::int64_t> ids(names.size());
  BRAID_TRY(CallForEach(fs, std::ssize(names), [&](std::int64_t i) -> Status {
    const auto at = static_cast<std::size_t>(i);
    BRAID_TRY_ASSIGN(const Tag tag, ReadTag(fs, table.paths(), names[at]));
    ids[at] = tag.snapshot.id.value();
    return Ok();
  }));
  TagNames tags;
  for (std::size_t i = 0; i < names.size(); ++i) tags[ids[i]].push_back(names[i]);
  return tags;
}

void PrintLogLine(const HistoryArguments& arguments, const Snapshot& snapshot, const std::vector<std::string>& tags) {
  if (arguments.output == "json") {
    std::puts(PrintJson(SnapshotJson(snapshot, tags)).c_str());
    return;
  }
  std::puts(fmt::format("snapshot {:<5} {:<9} {}  {:+} rows, {} in all  {}{}", snapshot.id, CommitKindName(snapshot),
                        LocalTimeText(snapshot.time_millis), snapshot.delta_record_count, snapshot.total_record_count,
                        OriginOf(snapshot), tags.empty() ? "" : "  tags: " + Join(tags, ", "))
                .c_str());
}

Status Log(const HistoryArguments& arguments) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableOf(arguments));
  const FileSystem& fs = table.file_system();
  TagNames tags;
  std::vector<SnapshotId> ids;
  const std::array<std::function<Status()>, 2> reads = {
      [&]() -> Status {
        BRAID_TRY_ASSIGN(tags, TagsBySnapshot(table));
        return Ok();
      },
      [&]() -> Status {
        BRAID_TRY_ASSIGN(ids, ListSnapshots(fs, table.paths()));
        return Ok();
      }};
  BRAID_TRY(CallTogether(fs, reads));
  if (ids.empty() && arguments.output == "table") std::puts(fmt::format("{} has no snapshot yet", arguments.table).c_str());
  std::reverse(ids.begin(), ids.end());
  if (arguments.limit != 0 && std::ssize(ids) > arguments.limit) ids.resize(static_cast<std::size_t>(arguments.limit));
  for (std::size_t start = 0; start < ids.size(); start += kSnapshotsAtOnce) {
    const auto some = std::span(ids).subspan(start, std::min(kSnapshotsAtOnce, ids.size() - start));
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> snapshots, ReadSnapshots(fs, table.paths(), some));
    for (const Snapshot& snapshot : snapshots) PrintLogLine(arguments, snapshot, tags[snapshot.id.value()]);
  }
  return Ok();
}

Status Files(const HistoryArguments& arguments) {
  BRAID_TRY_ASSIGN(const Options options, ParseKeyValues(arguments.options, OptionOwner::kTable));
  BRAID_TRY_ASSIGN(const Table table, OpenTableOf(arguments, options));
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table, {}));
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  for (const DataSplit& split : plan.splits) {
    for (const DataFileMeta& file : split.files) {
      BRAID_TRY_ASSIGN(const std::string path, DataFilePath(table, split.partition, split.bucket, file));
      ++files;
      bytes += file.file_size;
      if (arguments.output == "json") {
        Json json;
        json.Add("path", path);
        json.Add("level", static_cast<std::int64_t>(file.level));
        json.Add("rows", file.row_count);
        json.Add("bytes", file.file_size);
        json.Add("schema_id", file.schema_id.value());
        std::puts(PrintJson(json).c_str());
      } else {
        std::puts(fmt::format("level {}  {:>10} rows  {:>12} bytes  {}", file.level, file.row_count, file.file_size, path.substr(table.paths().root().size() + 1)).c_str());
      }
    }
  }
  if (arguments.output == "table") {
    const std::string snapshot = plan.snapshot ? fmt::format("snapshot {}", *plan.snapshot) : std::string("no snapshot");
    std::puts(fmt::format("{} files, {} bytes in {}, {}", files, bytes, table.paths().root(), snapshot).c_str());
  }
  return Ok();
}

}  // namespace

std::function<Status()> AddLogCommand(CLI::App& command) {
  auto arguments = std::make_shared<HistoryArguments>();
  AddHistoryArguments(command, *arguments);
  command.add_option("-n,--limit", arguments->limit, "newest snapshots to show; 0: all")->check(CLI::NonNegativeNumber);
  command.add_flag("--graph", arguments->graph, "draw the history of main and all branches");
  command.footer("examples:\n  braid log /warehouse default.word_count_table\n  braid log /warehouse sales.orders --graph");
  return [arguments] { return arguments->graph ? LogOfAllLines(*arguments) : Log(*arguments); };
}

std::function<Status()> AddFilesCommand(CLI::App& command) {
  auto arguments = std::make_shared<HistoryArguments>();
  AddHistoryArguments(command, *arguments);
  command.add_option("--option", arguments->options, "table option KEY=VALUE, e.g. scan.snapshot-id=3; repeatable")->allow_extra_args(false);
  command.footer("example:\n  braid files /warehouse default.word_count_table");
  return [arguments] { return Files(*arguments); };
}

}  // namespace braid
