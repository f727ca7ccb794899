#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/table.h"

namespace braid {

struct ManifestTotals {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t entries = 0;  ///< added and deleted files that they tell of
};

struct ManifestCompaction {
  ManifestTotals before;
  ManifestTotals after;                ///< as before if nothing was to be done; of a dry run absent: 0
  std::optional<SnapshotId> snapshot;  ///< that names the new manifests
  bool worthwhile = false;             ///< more than one is small, or some tell of deleted files
};

/// Writes the manifests of the newest snapshot anew (spec metadata.md §8.7): without files that were deleted, ordered
/// by partition, bucket and level so that plans pass over most, as large as `manifest.target-file-size` says. In a
/// snapshot of kind COMPACT in which no row changes; none where it is not worthwhile. Reads all entries into memory.
/// Errors: those of committing.
Result<ManifestCompaction> CompactManifests(const Table& table, bool dry_run, const std::string& commit_user,
                                            const Clock& clock = SystemClock());

}  // namespace braid
