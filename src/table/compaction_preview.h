#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/table.h"
#include "types/binary_row.h"
#include "types/predicate.h"

namespace braid {

/// Files of one bucket that a compaction would read.
struct CompactionCandidate {
  BinaryRow partition;
  BucketId bucket;
  std::int64_t file_count = 0;
  std::int64_t bytes = 0;
};

/// What CompactTable with these arguments would read now, by bucket. Files that it would read for what they hold alone
/// (records that are over, deletion vectors) are not among them. Errors: kUnsupported for tables with data evolution.
Result<std::vector<CompactionCandidate>> PreviewCompaction(const Table& table, bool full,
                                                           const PredicatePtr& partition_filter,
                                                           const Clock& clock = SystemClock());

/// A condition that holds for those partitions, of the filter's (null: of all), whose newest file is older than that;
/// nullptr if there are none. Precondition: the table is partitioned.
Result<PredicatePtr> IdlePartitions(const Table& table, const PredicatePtr& partition_filter,
                                    std::chrono::milliseconds idle, const Clock& clock = SystemClock());

}  // namespace braid
