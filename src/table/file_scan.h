#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Finds the data files of a snapshot that a filter may need (spec metadata.md §4.6, data.md §12.7). Thread-safe.
class FileScan {
 public:
  /// `filter` is over the table's columns and may be null.
  static Result<std::unique_ptr<FileScan>> Make(const Table& table, const PredicatePtr& filter);
  ~FileScan();

  /// The live files, pruned by partition, bucket, key and value statistics; value statistics in key tables by Java's
  /// whole-bucket rule, so that no newer version of a row is hidden.
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
