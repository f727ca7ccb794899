#pragma once

// Which manifests and entries a FileScan wants.

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/manifest_scan.h"
#include "table/bucket_selector.h"
#include "table/data_file_index.h"
#include "table/file_scan.h"
#include "table/file_statistics.h"
#include "table/schema_cache.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// A scan's scope, taken apart into what partitions, buckets, keys and values are tested with. Immutable; any thread.
class ScanFilter {
 public:
  static Result<std::unique_ptr<const ScanFilter>> Make(const Table& table, ScanScope scope);

  /// By its partition statistics and the range of its buckets.
  Result<bool> MayMatch(const ManifestFileMeta& manifest) const;
  Result<bool> MatchesPartition(const BinaryRow& partition) const;

  /// Whether there is something to test in what entries begin with, apart from postponed buckets.
  bool tests_heads() const { return scope_.bucket || tests_partitions() || buckets_ != nullptr; }
  bool tests_keys() const { return key_filter_ != nullptr; }
  bool tests_values() const { return value_filter_ != nullptr; }
  bool tests_row_ids() const { return row_id_filter_ != nullptr; }

 private:
  friend class EntryTest;
  ScanFilter(const Table& table, ScanScope scope);

  bool tests_partitions() const { return partition_filter_ != nullptr || scope_.partitions.has_value(); }
  /// Whether so many rows with ids from `first` to `last` may hold one that is wanted.
  bool MayMatchRowIds(std::int64_t first, std::int64_t last, std::int64_t row_count) const;

  ScanScope scope_;
  std::vector<DataField> partition_fields_;
  std::vector<DataType> partition_types_;
  PredicatePtr partition_filter_;              // may be null
  std::vector<PredicatePtr> partition_tests_;  // of the scope's partitions, for bounds; empty if there are too many
  std::unique_ptr<BucketSelector> buckets_;    // may be null
  PredicatePtr key_filter_;                    // may be null
  std::vector<DataField> key_fields_;
  PredicatePtr value_filter_;  // null also where value statistics must not be used
  std::vector<DataField> value_filter_fields_;
  TableSchema schema_;
  bool reads_indexes_ = true;
  PredicatePtr row_id_filter_;  // may be null
  SchemaCache& schemas_;  // the table's, which outlives this
};

/// Tests entries for one thread, which remembers what it found out about partitions and schemas.
class EntryTest {
 public:
  /// The filter is borrowed.
  explicit EntryTest(const ScanFilter& filter)
      : filter_(filter),
        values_(filter.schemas_, filter.value_filter_fields_),
        indexes_(filter.schema_, filter.schemas_, filter.reads_indexes_ ? filter.value_filter_ : nullptr) {}

  /// Whether an entry that begins so is wanted. After an error, which `status` then has, none is.
  bool Wants(const ManifestEntryHead& head);
  /// The same for a bucket, but for MayHold.
  bool Wants(const BinaryRow& partition, BucketId bucket);
  /// Whether rows that the filter wants can be in this one of so many buckets.
  bool MayHold(BucketId bucket, std::int32_t total_buckets);
  const Status& status() const { return status_; }

  /// By key statistics.
  Result<bool> MayMatchKey(const DataFileMeta& file) const;
  /// By value statistics, then by the indexes that the entry holds.
  Result<bool> MayMatchValue(const DataFileMeta& file);
  /// By the range of the rows' ids, where the file has one.
  bool MayMatchRowIds(const DataFileMeta& file) const;

 private:
  using KnownPartition = std::pair<const std::string, bool>;

  bool WantsBucket(BucketId bucket) const;
  const KnownPartition* FindPartition(std::string_view stored);
  bool Fail(const Error& error);

  const ScanFilter& filter_;
  ValueBoundsReader values_;
  EmbeddedIndexTest indexes_;
  std::unordered_map<std::string, bool> partitions_;  // as stored, whether wanted
  const KnownPartition* last_partition_ = nullptr;    // asked for: entries of a partition mostly stand together
  std::int32_t total_buckets_ = -1;                   // that selected_ is for
  const std::set<std::int32_t>* selected_ = nullptr;
  Status status_ = Ok();
};

}  // namespace braid
