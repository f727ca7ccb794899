#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace braid {

/// Sums over the live data files of a partition or bucket.
struct FileTotals {
  BinaryRow partition;
  BucketId bucket;  ///< 0 for totals of partitions
  std::int64_t record_count = 0;
  std::int64_t file_size = 0;  ///< bytes
  std::int64_t file_count = 0;
  /// Of the newest file, deleted files that the manifests still name included; local time as if it were UTC.
  std::int64_t last_creation_ms = 0;
};

/// Totals of the snapshot's partitions, or of their buckets, without empty ones; ordered by the partition's bytes.
/// Buckets of postponed rows count only for buckets, as in Java.
Result<std::vector<FileTotals>> TotalsByPartition(const Table& table, const Snapshot& snapshot);
Result<std::vector<FileTotals>> TotalsByBucket(const Table& table, const Snapshot& snapshot);

}  // namespace braid
