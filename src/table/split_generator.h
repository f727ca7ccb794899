#pragma once

#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// Groups files into the splits of a batch read (spec data.md §10.5). Buckets keep the order of their first file.
Result<std::vector<DataSplit>> GenerateBatchSplits(const Table& table, std::vector<ManifestEntry> files);

/// Groups changes into splits of a streaming or incremental read: one a bucket, files in plan order; unaware buckets are
/// packed as in batch.
Result<std::vector<DataSplit>> GenerateChangeSplits(const Table& table, std::vector<ManifestEntry> files);

}  // namespace braid
