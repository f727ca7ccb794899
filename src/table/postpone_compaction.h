#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/commit.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Moves the rows that wait in bucket -2 of a snapshot into real buckets, in the order in which they were written: what to
/// commit, as a compaction (spec data.md §9.4). A partition keeps the number of buckets that it has; a new one gets
/// `postpone.default-bucket-num`, by default 1. `partition_filter` chooses partitions; may be null.
Result<std::vector<CommitMessage>> CompactPostponed(const Table& table, const Snapshot& snapshot, const PredicatePtr& partition_filter,
                                                    const std::string& commit_user);

}  // namespace braid
