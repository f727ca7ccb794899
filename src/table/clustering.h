#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "mergetree/compaction_picker.h"
#include "meta/snapshot.h"
#include "table/commit.h"
#include "table/table.h"
#include "types/binary_row.h"
#include "types/predicate.h"

namespace braid {

/// Files of one bucket whose rows are to be sorted together, and the level of the result.
struct ClusteringUnit {
  BinaryRow partition;
  BucketId bucket;
  CompactUnit files;
};

/// What incremental clustering (spec data.md §8.4) would sort in this snapshot. The files of a level above 0 are one run, each
/// file of level 0 another; universal compaction chooses among a bucket's runs, or `full` takes them all, unless they are one
/// run on the top level that was sorted by the same columns. If `filter` chooses partitions, others that had no new file
/// for `clustering.history-partition.idle-to-full-sort` are sorted whole: the oldest, up to the limit.
/// Precondition: ClustersIncrementally. Errors: kInvalidArgument for options that are none.
Result<std::vector<ClusteringUnit>> PlanClustering(const Table& table, const Snapshot& snapshot, bool full,
                                                   const PredicatePtr& filter, const Clock& clock);

/// Sorts what PlanClustering chooses, and says how to commit that: as a compaction. If it fails, nothing is left of it.
/// Errors: those of FileSorter.
Result<std::vector<CommitMessage>> ClusterFiles(const Table& table, const Snapshot& snapshot, bool full,
                                                const PredicatePtr& filter, const std::string& commit_user,
                                                const Clock& clock);

}  // namespace braid
