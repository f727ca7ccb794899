#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strong_id.h"
#include "io/file_system.h"
#include "meta/table_paths.h"

namespace braid {

/// Statistics of a whole table, as an analysis left them (spec metadata.md §12.3).
struct TableStatistics {
  SnapshotId snapshot_id;  ///< what they were computed from
  SchemaId schema_id;
  std::optional<std::int64_t> merged_record_count;
  std::optional<std::int64_t> merged_record_size;  ///< bytes
  std::string column_stats;                        ///< JSON object by column, indented as Java prints it

  friend bool operator==(const TableStatistics&, const TableStatistics&) = default;
};

/// What an analysis found in one column (§12.3); what it did not look for is absent.
struct AnalyzedColumn {
  std::string name;
  FieldId id;
  std::optional<std::int64_t> distinct_count{};
  std::optional<std::string> min{};  ///< as Java's serializers print it: dates as days, times as milliseconds
  std::optional<std::string> max{};
  std::optional<std::int64_t> null_count{};
  std::optional<std::int64_t> average_length{};
  std::optional<std::int64_t> greatest_length{};
};
/// The text of `column_stats`.
std::string ColumnStatsText(std::span<const AnalyzedColumn> columns);

/// Writes a statistics file, synced. Errors: kAlreadyExists; those of FileSystem.
Status WriteStatistics(FileSystem& fs, const TablePaths& paths, std::string_view name,
                       const TableStatistics& statistics);

/// Reads the statistics file that a snapshot names. Errors: kCorruption naming the file; those of FileSystem.
Result<TableStatistics> ReadStatistics(const FileSystem& fs, const TablePaths& paths, std::string_view name);

}  // namespace braid
