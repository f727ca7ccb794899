#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/snapshot_selector.h"
#include "table/table.h"

namespace braid {

struct RollbackResult {
  SnapshotId previous;  ///< the latest snapshot before
  SnapshotId current;   ///< the latest afterwards
  SnapshotId target;    ///< whose content the table has now
  /// Only of ending a line: what is no longer there.
  std::vector<SnapshotId> removed_snapshots = {};
  std::vector<std::string> removed_tags = {};
};

/// Gives the table's branch an older content by a new snapshot of kind OVERWRITE; all snapshots and tags stay, and jobs
/// go on. Columns stay those of today. Errors: those of SelectSnapshot and TableCommit::Commit.
Result<RollbackResult> RollbackAsLatest(const Table& table, const SnapshotSelector& target, const Clock& clock);

/// Ends the line at an older snapshot: later snapshots, changelogs and tags go, and their ids come again (spec
/// metadata.md §10.4, branches.md §11.1). Their files stay for RemoveOrphanFiles, since other lines may share them. The
/// rewind is recorded, so that positions beyond it are errors. Braid's writers wait for it at a seal, and then commit on
/// top of the target; no other engine may write to the branch meanwhile. `dry_run` only says what would go. Errors: those
/// of SelectSnapshot; kConflict if another engine committed meanwhile; kUnavailable if the table is locked for too long.
Result<RollbackResult> RollbackHard(const Table& table, const SnapshotSelector& target, bool dry_run,
                                    const Clock& clock);

}  // namespace braid
