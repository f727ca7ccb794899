#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/optional_box.h"
#include "base/strong_id.h"
#include "types/binary_row.h"

namespace braid {

/// Bounds and null counts of some columns (spec metadata.md §4.5). NULL min and max: unknown or all NULL.
struct SimpleStats {
  BinaryRow min_values{};
  BinaryRow max_values{};
  std::vector<std::optional<std::int64_t>> null_counts{};

  friend bool operator==(const SimpleStats&, const SimpleStats&) = default;
};

enum class FileSource : std::int8_t { kAppend = 0, kCompact = 1 };

/// A data file as manifests describe it (spec metadata.md §4.3). An immutable value.
struct DataFileMeta {
  std::string file_name{};
  std::int64_t file_size = 0;  ///< bytes
  std::int64_t row_count = 0;  ///< physical rows, retractions included
  BinaryRow min_key{};           ///< of the trimmed primary key; the empty row in append tables
  BinaryRow max_key{};
  SimpleStats key_stats{};
  SimpleStats value_stats{};
  std::int64_t min_sequence_number = 0;
  std::int64_t max_sequence_number = 0;
  SchemaId schema_id{};  ///< the schema that the file was written with
  std::int32_t level = 0;
  std::vector<std::string> extra_files{};
  /// The writer's local wall-clock time, encoded as if it were UTC.
  std::optional<std::int64_t> creation_time_ms{};
  std::optional<std::int64_t> delete_row_count{};
  OptionalBox<std::string> embedded_index{};
  std::optional<FileSource> file_source{};
  OptionalBox<std::vector<std::string>> value_stats_cols{};
  OptionalBox<std::string> external_path{};
  std::optional<std::int64_t> first_row_id{};
  OptionalBox<std::vector<std::string>> write_cols{};
  /// The highest sequence number of each column written, in the order of `write_cols` or of the schema.
  OptionalBox<std::vector<std::int64_t>> write_cols_sequences{};

  friend bool operator==(const DataFileMeta&, const DataFileMeta&) = default;
};

enum class FileKind : std::int8_t { kAdd = 0, kDelete = 1 };

/// One file change in a manifest.
struct ManifestEntry {
  FileKind kind = FileKind::kAdd;
  BinaryRow partition{};
  BucketId bucket{};
  std::int32_t total_buckets = 0;  ///< in force when the file was written; -1 dynamic or unaware, -2 postponed
  DataFileMeta file{};

  friend bool operator==(const ManifestEntry&, const ManifestEntry&) = default;
};

/// What makes two entries denote the same file (spec metadata.md §4.4), as one byte string for hashing and ordering.
std::string EntryIdentity(const ManifestEntry& entry);
/// The same among the files of one bucket.
std::string FileIdentity(const DataFileMeta& file);

/// A manifest as manifest lists describe it (§4.2).
struct ManifestFileMeta {
  std::string file_name{};
  std::int64_t file_size = 0;
  std::int64_t num_added_files = 0;
  std::int64_t num_deleted_files = 0;
  SimpleStats partition_stats{};
  SchemaId schema_id{};
  std::optional<std::int32_t> min_bucket{};
  std::optional<std::int32_t> max_bucket{};
  std::optional<std::int32_t> min_level{};
  std::optional<std::int32_t> max_level{};
  std::optional<std::int64_t> min_row_id{};
  std::optional<std::int64_t> max_row_id{};

  friend bool operator==(const ManifestFileMeta&, const ManifestFileMeta&) = default;
};

/// Where a data file's deletion vector lies within an index file (§7.1).
struct DeletionVectorMeta {
  std::string data_file_name{};
  std::int32_t offset = 0;
  std::int32_t length = 0;
  std::optional<std::int64_t> cardinality{};

  friend bool operator==(const DeletionVectorMeta&, const DeletionVectorMeta&) = default;
};

struct GlobalIndexMeta {
  std::int64_t row_range_start = 0;
  std::int64_t row_range_end = 0;  ///< inclusive
  std::int32_t index_field_id = 0;
  std::optional<std::vector<std::int32_t>> extra_field_ids{};
  std::optional<std::string> index_meta{};
  std::optional<std::string> source_meta{};

  friend bool operator==(const GlobalIndexMeta&, const GlobalIndexMeta&) = default;
};

inline constexpr std::string_view kHashIndex = "HASH";
inline constexpr std::string_view kDeletionVectorsIndex = "DELETION_VECTORS";

/// One index file of a bucket (§7.1). Types that we do not know are carried over unchanged.
struct IndexManifestEntry {
  FileKind kind = FileKind::kAdd;
  BinaryRow partition{};
  BucketId bucket{};
  std::string index_type{};
  std::string file_name{};
  std::int64_t file_size = 0;
  std::int64_t row_count = 0;
  std::optional<std::vector<DeletionVectorMeta>> deletion_vectors{};
  std::optional<std::string> external_path{};
  std::optional<GlobalIndexMeta> global_index{};

  friend bool operator==(const IndexManifestEntry&, const IndexManifestEntry&) = default;
};

}  // namespace braid
