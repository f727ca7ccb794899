#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/stores.h"
#include "table/table.h"

namespace braid {

/// The key hashes of a bucket, as its HASH index file lists them (spec metadata.md §7.4): in no order, each once.
/// Errors: kCorruption for a file of another shape, or of another number of hashes than the entry says.
Result<std::vector<std::int32_t>> ReadHashIndex(const Table& table, const IndexManifestEntry& entry);

/// Writes a bucket's hashes into a new file; returns its entry.
Result<IndexManifestEntry> WriteHashIndex(const Table& table, const BinaryRow& partition, BucketId bucket,
                                          const std::vector<std::int32_t>& hashes, MetadataFileNames& names);

}  // namespace braid
