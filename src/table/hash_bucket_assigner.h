#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/stores.h"
#include "table/table.h"

namespace braid {

/// Chooses buckets of keys in tables with dynamic buckets, by the hashes of the trimmed primary key (spec data.md §9.2): one
/// assigner, the only one that writes the table. One thread at a time.
class HashBucketAssigner {
 public:
  /// Reads the snapshot's HASH index entries; the hashes themselves are read when a partition is first written to. No snapshot:
  /// begins empty. Errors: kInvalidArgument for unusable options.
  static Result<HashBucketAssigner> Make(const Table& table, const std::optional<Snapshot>& snapshot);

  /// The bucket of a key. Errors: kInvalidArgument when the partition has as many full buckets as are possible.
  Result<BucketId> Assign(const BinaryRow& partition, std::int32_t key_hash);

  /// Writes a new index file for every bucket that gained keys since the last call.
  Result<std::vector<IndexManifestEntry>> WriteChangedIndexes(MetadataFileNames& names);

 private:
  struct Bucket {
    std::vector<std::int32_t> hashes;
    bool changed = false;
  };
  struct Partition {
    std::unordered_map<std::int32_t, std::int32_t> bucket_of_hash;
    std::map<std::int32_t, Bucket> buckets;
    std::int32_t filling = 0;  // buckets below it are full
  };

  HashBucketAssigner(Table table, std::int64_t target_rows, std::int64_t max_buckets)
      : table_(std::move(table)), target_rows_(target_rows), max_buckets_(max_buckets) {}
  Result<Partition*> Load(const BinaryRow& partition);
  Result<std::int32_t> BucketWithRoom(Partition& partition) const;

  Table table_;
  std::int64_t target_rows_;
  std::int64_t max_buckets_;  // -1: as many as possible
  std::map<std::string, std::vector<IndexManifestEntry>> stored_;  // by partition, not loaded yet
  std::map<BinaryRow, Partition> partitions_;
};

}  // namespace braid
