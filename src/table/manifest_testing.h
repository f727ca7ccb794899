#pragma once

// Manifests of files that do not exist, for tests of planning and of conflicts; include only from tests.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "meta/stores.h"
#include "table/table_testing.h"

namespace braid {

inline SimpleStats StatsOf(const std::vector<DataType>& types, DatumList min, DatumList max, std::int64_t nulls = 0) {
  return {.min_values = BinaryRow::Make(types, min),
          .max_values = BinaryRow::Make(types, max),
          .null_counts = std::vector<std::optional<std::int64_t>>(types.size(), nulls)};
}

/// A table without data files: only what manifests say of them.
class ManifestsOnly {
 public:
  explicit ManifestsOnly(const TableDefinition& definition) : table_(Open(fs_, definition)) {
    for (const DataField& field : table_.schema().PartitionFields()) partition_types_.push_back(field.type);
  }

  const Table& table() const { return table_; }
  MemoryFileSystem& fs() const { return *fs_; }

  /// The snapshot whose manifests hold these entries, one manifest a list; the last one is the delta.
  Snapshot Write(const std::vector<std::vector<ManifestEntry>>& manifests, std::int64_t target_file_size = 8 << 20) {
    std::vector<std::vector<ManifestFileMeta>> lists(2);
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      const ManifestWriteOptions write{.target_file_size = target_file_size};
      auto written = WriteManifests(*fs_, table_.paths(), names_, manifests[i], partition_types_, write);
      EXPECT_THAT(written, IsOk());
      std::vector<ManifestFileMeta>& list = lists[i + 1 == manifests.size() ? 1 : 0];
      list.insert(list.end(), written->begin(), written->end());
    }
    Snapshot snapshot;
    snapshot.id = SnapshotId(1);
    snapshot.base_manifest_list = WriteManifestList(*fs_, table_.paths(), names_, lists[0], {})->name;
    snapshot.delta_manifest_list = WriteManifestList(*fs_, table_.paths(), names_, lists[1], {})->name;
    return snapshot;
  }

  BinaryRow Partition(const DatumList& values) const { return BinaryRow::Make(partition_types_, values); }

  /// Manifests that were read since the last call.
  std::size_t ReadsOfManifests() const {
    const std::vector<std::string> reads = fs_->TakeReads();
    return static_cast<std::size_t>(std::count_if(reads.begin(), reads.end(), [](const std::string& path) {
      return BaseName(path).starts_with("manifest-") && !BaseName(path).starts_with("manifest-list-");
    }));
  }

 private:
  static Table Open(const std::shared_ptr<MemoryFileSystem>& fs, const TableDefinition& definition) {
    Result<Table> table = CreateTestTable(fs, definition);
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  Table table_;
  std::vector<DataType> partition_types_;
  MetadataFileNames names_;
};

inline ManifestEntry FileOf(const ManifestsOnly& manifests, std::string name, const DatumList& partition,
                            std::int32_t bucket, std::int32_t total_buckets = 4) {
  ManifestEntry entry{
      .partition = manifests.Partition(partition), .bucket = BucketId(bucket), .total_buckets = total_buckets};
  entry.file.file_name = std::move(name);
  entry.file.file_size = 1000;
  entry.file.row_count = 10;
  entry.file.value_stats_cols = std::vector<std::string>();
  return entry;
}

}  // namespace braid
