#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "meta/snapshot.h"
#include "table/operation.h"

namespace braid {

struct PickRequest {
  std::string from;         ///< the line whose snapshots are replayed
  std::string into{kMainBranch};
  std::vector<std::pair<SnapshotId, SnapshotId>> ranges = {};  ///< first and last, both with
  bool dry_run = false;

  /// "5..8,10". Errors: kInvalidArgument.
  static Result<std::vector<std::pair<SnapshotId, SnapshotId>>> ParseRanges(const std::string& text);
};

struct PickedSnapshot {
  enum class Outcome : std::uint8_t {
    kPicked,   ///< or would be
    kThere,    ///< picked into the line before, or a snapshot of it
    kNothing,  ///< it changed no rows: a compaction, statistics
  };
  Snapshot source;
  Outcome outcome = Outcome::kPicked;
  std::optional<SnapshotId> target = std::nullopt;  ///< the snapshot that it became
};

struct PickResult {
  std::vector<PickedSnapshot> snapshots;  ///< in order
  std::vector<std::string> repairs;
};

/// Writes what single snapshots of one line wrote into another, one commit each (spec branches.md §7.9): the rows of an
/// APPEND snapshot with their kinds, as its writer wrote them, so that the target's merge engine treats them as it would
/// have treated that writer. Repeating it, also after a crash, picks only what is not there yet. Errors: kNotFound for a
/// line or a snapshot that has expired; kConflict if both lines have other columns; kUnsupported for snapshots that
/// overwrote or deleted.
Result<PickResult> PickSnapshots(const OperationContext& context, const PickRequest& request);

}  // namespace braid
