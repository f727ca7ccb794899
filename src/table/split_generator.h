#pragma once

#include <vector>

#include "base/result.h"
#include "table/bucket_files.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// Groups files into the splits of a batch read (spec data.md §10.5). The splits share the files.
Result<std::vector<DataSplit>> GenerateBatchSplits(const Table& table, FilesByBucket files);

/// Groups changes into splits of a streaming or incremental read: one a bucket, files in plan order; unaware buckets
/// are packed as in batch.
Result<std::vector<DataSplit>> GenerateChangeSplits(const Table& table, FilesByBucket files);

}  // namespace braid
