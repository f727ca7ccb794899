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
#include "table/bucket_assigners.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// Chooses buckets of keys in tables with dynamic buckets, by the hashes of the trimmed primary key (spec data.md
/// §9.2): as all assigners of the table at once, or as one of several that write at the same time. What others commit
/// after the snapshot it began from is none of its business: the commit sees to that (placed_keys.h). One thread at a
/// time.
class HashBucketAssigner {
 public:
  /// Reads the snapshot's HASH index entries; the hashes themselves are read when a partition is first written to. No
  /// snapshot: begins empty. `share`: which of several assigners it is. Errors: kInvalidArgument for unusable options.
  static Result<HashBucketAssigner> Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                         const std::optional<AssignerShare>& share = std::nullopt);

  /// The bucket of a key. Errors: kInvalidArgument when the partition has as many full buckets as are possible, and for
  /// a new key that another assigner is to find a bucket for.
  Result<BucketId> Assign(const BinaryRow& partition, std::int32_t key_hash);

  /// Writes a new index file for every bucket that gained keys since the last call.
  Result<std::vector<IndexManifestEntry>> WriteChangedIndexes(MetadataFileNames& names);

  /// The index files that keys of the partition were given buckets by since the last WriteChangedIndexes; nullopt if
  /// none were.
  std::optional<HashIndexBase> BaseOf(const BinaryRow& partition) const;

 private:
  struct Bucket {
    std::int64_t size = 0;                       // hashes, with the new ones
    std::vector<std::int32_t> added;             // since the last index file
    std::optional<IndexManifestEntry> stored{};  // that file
  };
  struct Partition {
    std::int32_t hash = 0;
    std::unordered_map<std::int32_t, std::int32_t> bucket_of_hash;
    std::map<std::int32_t, Bucket> buckets;
    std::map<std::int32_t, std::int32_t> filling;  // by set of buckets: those before it are full
    HashIndexBase base;                            // as it was before the last index files
  };

  HashBucketAssigner(Table table, BucketAssigners assigners, std::optional<AssignerShare> share)
      : table_(std::move(table)), assigners_(assigners), share_(share) {}
  Result<Partition*> Load(const BinaryRow& partition);
  Result<std::int32_t> BucketWithRoom(Partition& partition, std::int32_t channel) const;

  Table table_;
  BucketAssigners assigners_;
  std::optional<AssignerShare> share_;
  std::int64_t target_rows_ = 0;
  std::int64_t max_buckets_ = -1;                                  // -1: as many as possible
  std::map<std::string, std::vector<IndexManifestEntry>> stored_;  // by partition, not loaded yet
  std::map<BinaryRow, Partition> partitions_;
};

}  // namespace braid
