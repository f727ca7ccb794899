#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/binary_row.h"
#include "types/predicate.h"

namespace braid {

using LiveFilesOfBuckets = std::map<std::pair<BinaryRow, BucketId>, std::vector<DataFileMeta>>;

/// The snapshot's files of the partitions that the filter, which may be null, lets through. Errors: those of FileScan.
Result<LiveFilesOfBuckets> ReadLiveFiles(const Table& table, const Snapshot& snapshot, const PredicatePtr& partition_filter);

}  // namespace braid
