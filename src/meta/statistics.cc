#include "meta/statistics.h"

#include <utility>

#include "base/json.h"
#include "meta/json_layout_internal.h"

namespace braid {

namespace {

Result<TableStatistics> ParseStatistics(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  TableStatistics statistics;
  BRAID_TRY_ASSIGN(const std::int64_t snapshot, json.GetInteger("snapshotId"));
  BRAID_TRY_ASSIGN(const std::int64_t schema, json.GetInteger("schemaId"));
  statistics.snapshot_id = SnapshotId(snapshot);
  statistics.schema_id = SchemaId(schema);
  BRAID_TRY_ASSIGN(statistics.merged_record_count, json.FindInteger("mergedRecordCount"));
  BRAID_TRY_ASSIGN(statistics.merged_record_size, json.FindInteger("mergedRecordSize"));
  const Json* columns = json.Find("colStats");
  statistics.column_stats = columns == nullptr ? "{ }" : PrintLikeJava(*columns);
  return statistics;
}

}  // namespace

std::string ColumnStatsText(std::span<const AnalyzedColumn> columns) {
  Json::Object all;
  for (const AnalyzedColumn& column : columns) {
    Json json;
    json.Add("colId", std::int64_t{column.id.value()});
    const auto add = [&json](const char* key, const auto& value) {
      if (value) json.Add(key, *value);
    };
    add("distinctCount", column.distinct_count);
    add("min", column.min);
    add("max", column.max);
    add("nullCount", column.null_count);
    add("avgLen", column.average_length);
    add("maxLen", column.greatest_length);
    all.emplace_back(column.name, std::move(json));
  }
  return PrintLikeJava(Json(std::move(all)));
}

Status WriteStatistics(FileSystem& fs, const TablePaths& paths, std::string_view name,
                       const TableStatistics& statistics) {
  BRAID_TRY_ASSIGN(Json columns, ParseJson(statistics.column_stats));
  Json json;
  json.Add("snapshotId", statistics.snapshot_id.value());
  json.Add("schemaId", statistics.schema_id.value());
  if (statistics.merged_record_count) json.Add("mergedRecordCount", *statistics.merged_record_count);
  if (statistics.merged_record_size) json.Add("mergedRecordSize", *statistics.merged_record_size);
  json.Add("colStats", std::move(columns));
  return fs.CreateAtomically(JoinPath(paths.StatisticsDirectory(), name), PrintLikeJava(json));
}

Result<TableStatistics> ReadStatistics(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  const std::string path = JoinPath(paths.StatisticsDirectory(), name);
  BRAID_TRY_ASSIGN(const std::string text, fs.ReadAll(path));
  return ParseStatistics(text).Context("while reading " + path);
}

}  // namespace braid
