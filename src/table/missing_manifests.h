#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/table.h"

namespace braid {

struct MissingManifests {
  std::vector<std::string> names;      ///< of manifests that the newest snapshot's lists name and that are not there
  std::int64_t added_files = 0;        ///< that they told of, as the lists say; some may be deleted since
  std::int64_t deleted_files = 0;      ///< likewise
  std::optional<SnapshotId> snapshot;  ///< whose lists name them no more; none if there were none
};

/// Looks for manifests that were deleted behind the table's back, and goes on without them in a snapshot of kind
/// OVERWRITE, so that the rest of the table can be read. Rows of files that only they told of are lost; files that only
/// they said to be deleted are back, with their rows or, if they are gone, for RemoveMissingDataFiles to forget. Older
/// snapshots, tags and branches stay as they are. Errors: kNotFound for a missing manifest list, which says what there
/// is; those of reading and committing.
Result<MissingManifests> RemoveMissingManifests(const Table& table, bool dry_run, const std::string& commit_user,
                                                const Clock& clock = SystemClock());

}  // namespace braid
