// $files and $file_key_ranges.

#include <algorithm>
#include <array>

#include "base/text.h"
#include "catalog/system_table_internal.h"
#include "catalog/value_text.h"
#include "table/data_file_reader.h"
#include "table/file_scan.h"
#include "table/time_travel.h"

namespace braid {

namespace {

// The format by the file's name; a compression's suffix may stand behind it.
std::string FormatOf(const std::string& file_name) {
  constexpr auto kCompressions = std::to_array<std::string_view>({"gz", "bz2", "deflate", "snappy", "lz4", "zst"});
  const std::vector<std::string> parts = Split(file_name, '.');
  const bool is_compressed =
      parts.size() > 2 && std::find(kCompressions.begin(), kCompressions.end(), parts.back()) != kCompressions.end();
  return is_compressed ? parts[parts.size() - 2] : parts.back();
}

Datum SourceText(const DataFileMeta& file) {
  if (!file.file_source) return {};
  return *file.file_source == FileSource::kAppend ? "APPEND" : "COMPACT";
}

Datum ColumnList(const std::optional<std::vector<std::string>>& columns) {
  if (!columns) return {};
  return DatumList(columns->begin(), columns->end());
}

Datum StoredLocalTime(const std::optional<std::int64_t>& millis) {
  if (!millis) return {};
  return Timestamp{.millis = *millis, .nanos_of_milli = 0};
}

// The columns that both tables begin with.
Result<DatumList> KeyColumns(const Table& table, const ManifestEntry& entry, FileText& text) {
  const DataFileMeta& file = entry.file;
  BRAID_TRY_ASSIGN(std::string partition, PartitionRowText(entry.partition, table.layout().partition_fields));
  BRAID_TRY_ASSIGN(std::string path, DataFilePath(table, entry.partition, entry.bucket, file));
  BRAID_TRY_ASSIGN(Datum min_key, text.Key(file.min_key, file.schema_id));
  BRAID_TRY_ASSIGN(Datum max_key, text.Key(file.max_key, file.schema_id));
  return DatumList{
      std::move(partition),   std::int64_t{entry.bucket.value()},
      std::move(path),        FormatOf(file.file_name),
      file.schema_id.value(), std::int64_t{file.level},
      file.row_count,         file.file_size,
      std::move(min_key),     std::move(max_key),
  };
}

Result<DatumList> FileRow(const Table& table, const ManifestEntry& entry, FileText& text) {
  const DataFileMeta& file = entry.file;
  BRAID_TRY_ASSIGN(DatumList row, KeyColumns(table, entry, text));
  BRAID_TRY_ASSIGN(FileText::ValueStats stats, text.StatsOf(file));
  row.emplace_back(std::move(stats.null_counts));
  row.emplace_back(std::move(stats.min_values));
  row.emplace_back(std::move(stats.max_values));
  row.emplace_back(file.min_sequence_number);
  row.emplace_back(file.max_sequence_number);
  row.push_back(StoredLocalTime(file.creation_time_ms));
  row.push_back(OrNull(file.delete_row_count));
  row.push_back(SourceText(file));
  row.push_back(OrNull(file.first_row_id));
  row.push_back(ColumnList(file.write_cols));
  return row;
}

Result<DatumList> KeyRangeRow(const Table& table, const ManifestEntry& entry, FileText& text) {
  BRAID_TRY_ASSIGN(DatumList row, KeyColumns(table, entry, text));
  row.push_back(OrNull(entry.file.first_row_id));
  return row;
}

using RowOfFile = Result<DatumList> (*)(const Table& table, const ManifestEntry& entry, FileText& text);

// Level 0 is shown even where reads skip it.
Result<std::vector<DatumList>> RowsOfLiveFiles(const Table& table, RowOfFile row_of_file) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToRead(table));
  if (!snapshot) return std::vector<DatumList>();
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
  BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> entries, scan->LiveFiles(*snapshot));
  FileText text(table);
  std::vector<DatumList> rows;
  rows.reserve(entries.size());
  for (const ManifestEntry& entry : entries) {
    BRAID_TRY_ASSIGN(DatumList row,
                     row_of_file(table, entry, text).Context("while describing the file " + entry.file.file_name));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::vector<DatumList>> FileRows(const Table& table) {
  return RowsOfLiveFiles(table, FileRow);
}
Result<std::vector<DatumList>> KeyRangeRows(const Table& table) {
  return RowsOfLiveFiles(table, KeyRangeRow);
}

}  // namespace

SystemTableProviderPtr FilesTable() {
  return MakeMetadataTable("files",
                           MakeFields({{"partition", DataType::String()},
                                       {"bucket", DataType::Int().NotNull()},
                                       {"file_path", DataType::String().NotNull()},
                                       {"file_format", DataType::String().NotNull()},
                                       {"schema_id", DataType::BigInt().NotNull()},
                                       {"level", DataType::Int().NotNull()},
                                       {"record_count", DataType::BigInt().NotNull()},
                                       {"file_size_in_bytes", DataType::BigInt().NotNull()},
                                       {"min_key", DataType::String()},
                                       {"max_key", DataType::String()},
                                       {"null_value_counts", DataType::String().NotNull()},
                                       {"min_value_stats", DataType::String().NotNull()},
                                       {"max_value_stats", DataType::String().NotNull()},
                                       {"min_sequence_number", DataType::BigInt()},
                                       {"max_sequence_number", DataType::BigInt()},
                                       {"creation_time", DataType::Timestamp(3)},
                                       {"deleteRowCount", DataType::BigInt()},
                                       {"file_source", DataType::String()},
                                       {"first_row_id", DataType::BigInt()},
                                       {"write_cols", DataType::Array(DataType::String())}}),
                           FileRows);
}

SystemTableProviderPtr FileKeyRangesTable() {
  return MakeMetadataTable("file_key_ranges",
                           MakeFields({{"partition", DataType::String()},
                                       {"bucket", DataType::Int().NotNull()},
                                       {"file_path", DataType::String().NotNull()},
                                       {"file_format", DataType::String().NotNull()},
                                       {"schema_id", DataType::BigInt().NotNull()},
                                       {"level", DataType::Int().NotNull()},
                                       {"record_count", DataType::BigInt().NotNull()},
                                       {"file_size_in_bytes", DataType::BigInt().NotNull()},
                                       {"min_key", DataType::String()},
                                       {"max_key", DataType::String()},
                                       {"first_row_id", DataType::BigInt()}}),
                           KeyRangeRows);
}

}  // namespace braid
