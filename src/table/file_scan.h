#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/bucket_files.h"
#include "table/manifest_cache.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Which files a scan looks for.
struct ScanScope {
  /// Over the table's columns; may be null.
  PredicatePtr filter{};
  /// Files of this bucket alone.
  std::optional<BucketId> bucket{};
  /// Files of these partitions alone.
  std::optional<std::set<BinaryRow>> partitions{};
  /// Also files of bucket -2, whose rows nobody sees until they are compacted.
  bool postponed_buckets = false;
};

/// Finds the data files of a snapshot that a filter may need (spec metadata.md §4.6, data.md §12.7). Manifests are
/// pruned by their partition statistics and buckets, then entries by partition, bucket, key and value statistics before
/// they are kept, on all threads of the CPU pool. Thread-safe.
class FileScan {
 public:
  /// `cache` is borrowed until the scan is gone.
  static Result<std::unique_ptr<FileScan>> Make(const Table& table, ScanScope scope,
                                                ManifestCache& cache = ProcessManifestCache());
  static Result<std::unique_ptr<FileScan>> Make(const Table& table, const PredicatePtr& filter) {
    return Make(table, ScanScope{.filter = filter});
  }
  ~FileScan();

  /// The live files by bucket, without statistics: for reading them. Value statistics of key tables prune by Java's
  /// whole-bucket rule, so that no newer version of a row is hidden. Manifests that are wanted whole stay in the cache.
  Result<FilesByBucket> Files(const Snapshot& snapshot) const;
  /// The same files in the order of the manifests, with statistics: for writing their entries again, or showing them.
  Result<std::vector<ManifestEntry>> LiveFiles(const Snapshot& snapshot) const;
  /// The changes of this snapshot alone, as recorded, pruned by partition, bucket and key statistics.
  Result<std::vector<ManifestEntry>> DeltaFiles(const Snapshot& snapshot) const;
  /// The changelog files of this snapshot, pruned likewise; empty if it has none.
  Result<std::vector<ManifestEntry>> ChangelogFiles(const Snapshot& snapshot) const;

 private:
  struct State;
  explicit FileScan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Removes from `entries` the files whose deletion is among them: what is live (§4.6).
std::vector<ManifestEntry> MergeEntries(std::vector<ManifestEntry> entries);

/// The conjuncts of a filter; a filter without AND is its own.
std::vector<PredicatePtr> Conjuncts(const PredicatePtr& filter);
/// The conjunction of those conjuncts that read only these columns; nullptr if there are none.
PredicatePtr ConjunctsOn(const PredicatePtr& filter, std::span<const std::string> columns);

}  // namespace braid
