#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// HASH index files of one partition, by bucket.
using PartitionHashIndex = std::map<std::int32_t, IndexManifestEntry>;

/// How a writer's new hashes of a partition stand beside those of the latest snapshot.
struct HashIndexMerge {
  /// A key of the writer's has another bucket by now, or none: its rows must be routed again.
  bool moved = false;
  /// Otherwise the partition's new index files: the writer's own where nobody else touched the bucket, else new ones
  /// with the hashes of both, or none where the latest has them all.
  std::vector<IndexManifestEntry> indexes{};
  /// Those of them that were made here.
  std::vector<IndexManifestEntry> made{};
};

/// `base`: what the writer went by; `added`: its new index files; `latest`: the index of the latest snapshot. Errors:
/// those of reading and writing index files.
Result<HashIndexMerge> MergeHashIndexes(const Table& table, const BinaryRow& partition, const HashIndexBase& base,
                                        const PartitionHashIndex& added, const PartitionHashIndex& latest,
                                        MetadataFileNames& names);

}  // namespace braid
