#pragma once

#include <vector>

#include "base/result.h"
#include "meta/stores.h"
#include "table/table.h"

namespace braid {

/// Bounds of manifest merging (spec metadata.md §8.7).
struct ManifestMergeOptions {
  std::int64_t target_file_bytes = std::int64_t{8} << 20;       ///< `manifest.target-file-size`
  std::int64_t full_threshold_bytes = std::int64_t{16} << 20;   ///< `manifest.full-compaction-threshold-size`
  std::int64_t min_count = 30;                                  ///< `manifest.merge-min-count`

  /// Errors: kInvalidArgument.
  static Result<ManifestMergeOptions> FromOptions(const Options& options);
};

struct MergedManifests {
  std::vector<ManifestFileMeta> manifests;        ///< what the next base list names, in order
  std::vector<std::string> written;               ///< names of those that were newly written
};

/// Puts small manifests together and drops what was added and deleted again, as Java does before each commit. The same files
/// are live before and after.
Result<MergedManifests> MergeManifests(const Table& table, const std::vector<ManifestFileMeta>& manifests, MetadataFileNames& names,
                                       const ManifestMergeOptions& merge, const ManifestWriteOptions& write);

}  // namespace braid
