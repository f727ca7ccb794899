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

Result<TableStatistics> ReadStatistics(const FileSystem& fs, const TablePaths& paths, std::string_view name) {
  const std::string path = JoinPath(paths.StatisticsDirectory(), name);
  BRAID_TRY_ASSIGN(const std::string text, fs.ReadAll(path));
  return ParseStatistics(text).Context("while reading " + path);
}

}  // namespace braid
