#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "table/read_lease.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// Keeps what a plan reads from expiring while its splits are read (spec branches.md §3.5): by a lease taken at once, or,
/// for a line's newest snapshot, when reading has lasted for `read.lease-after`. Reading goes on where no lease can be
/// written. Shared by the splits of a plan; any thread.
class SnapshotHold {
 public:
  /// Holds contents of the table's line, oldest first. If the oldest is not the line's newest snapshot, it takes the
  /// lease now; look again for what was resolved before. Errors: kNotFound if it is being removed; kInvalidArgument for
  /// the option.
  static Result<std::shared_ptr<SnapshotHold>> Make(const Table& table, const std::vector<Snapshot>& contents);

  /// Holds the line's newest snapshot, which was just found to be that.
  static Result<std::shared_ptr<SnapshotHold>> OfNewest(const Table& table, const Snapshot& snapshot);

  SnapshotHold(const Table& table, std::vector<SnapshotRef> contents, std::chrono::milliseconds lease_after);
  SnapshotHold(const SnapshotHold&) = delete;

  const std::vector<SnapshotRef>& contents() const { return contents_; }
  bool has_lease() const { return lease_ != nullptr; }
  /// Tells that reading goes on.
  void Touch();

 private:
  Status TakeLease();

  const Table table_;
  const std::vector<SnapshotRef> contents_;
  const std::chrono::steady_clock::time_point lease_from_;
  std::atomic<bool> decided_ = false;  // who sets it makes lease_
  std::unique_ptr<ReadLease> lease_;
};

/// A reader that keeps the hold, and touches it before each batch.
std::unique_ptr<BatchReader> MakeHoldingReader(std::shared_ptr<SnapshotHold> hold, std::unique_ptr<BatchReader> reader);

}  // namespace braid
