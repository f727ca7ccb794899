#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// What there was to read of a table at one moment, planned when it is read so that the query's filter can prune it.
/// Immutable; any thread.
class PinnedScan {
 public:
  /// Errors: those of PlanBatch, of which many come with MakePlan alone.
  static Result<std::shared_ptr<const PinnedScan>> Make(const Table& table);
  /// The same rows, planned already, so that their number may be known.
  Result<std::shared_ptr<const PinnedScan>> Planned() const;

  /// The snapshot that is read; nullopt for a table without any.
  std::optional<SnapshotId> snapshot() const { return snapshot_; }

  /// What the splits are to be read with.
  const Table& table() const { return table_; }

  /// The splits; files that cannot match may be left out. Null: no filter.
  Result<std::shared_ptr<const Plan>> MakePlan(const PredicatePtr& filter) const;

  /// Number of rows, if the plan is made and its files say so.
  std::optional<std::int64_t> exact_row_count() const;
  /// Number of rows before versions of one key are merged.
  std::int64_t estimated_row_count() const;

 private:
  explicit PinnedScan(Table table) : table_(std::move(table)) {}
  static Result<std::shared_ptr<const PinnedScan>> MakeHere(const Table& table);

  Table table_;  // reads the pinned snapshot whatever is committed, if prunes_
  bool prunes_ = false;
  std::optional<SnapshotId> snapshot_;
  std::int64_t snapshot_rows_ = 0;
  std::shared_ptr<const Plan> plan_;  // of everything; null: not made yet, which needs prunes_
};

}  // namespace braid
