#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/table.h"

namespace braid {

struct MissingDataFiles {
  std::vector<std::string>
      paths;              ///< of data files that the newest snapshot names and that are not there, in its order
  std::int64_t rows = 0;  ///< that they held, as the snapshot tells
  std::optional<SnapshotId> snapshot;  ///< that names them no more; none if there were none
};

/// Looks for data files that were deleted behind the table's back, and takes them out of the table in a snapshot of
/// kind OVERWRITE, so that what is left can be read. Their rows are lost; older versions of keys that they held show
/// again. Older snapshots, tags and branches stay as they are. Errors: those of reading and committing.
Result<MissingDataFiles> RemoveMissingDataFiles(const Table& table, bool dry_run, const std::string& commit_user,
                                                const Clock& clock = SystemClock());

}  // namespace braid
