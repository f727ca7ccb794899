#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/doomed_files.h"
#include "table/table.h"

namespace braid {

struct PurgeRequest {
  bool dry_run = false;
  UpkeepProgress progress = {};
};

/// What is gone, or would be.
struct PurgedTable {
  std::vector<std::string> branches;
  std::vector<std::string> tags;
  std::vector<std::string> consumers;
  std::int64_t snapshots = 0;
  std::int64_t live_files = 0;    ///< data files of the newest snapshot
  std::int64_t live_bytes = 0;    ///< of those
  std::int64_t orphan_files = 0;  ///< that nothing named; of a dry run 0
};

/// Deletes all that a table holds at once, as Paimon's purge_files does: its branches, tags and consumers, all rows,
/// all long-lived changelogs, all snapshots but a new empty one, and every file that nothing names then, however young:
/// no one may write meanwhile. The schema stays. It goes step by step in this order; where one fails the earlier ones
/// are done. Errors: kInvalidArgument for a branch of a table; kPermissionDenied for a protected branch; kConflict if
/// somebody reads; those of the steps.
Result<PurgedTable> PurgeTable(const Table& table, const PurgeRequest& request, const std::string& commit_user,
                               const Clock& clock = SystemClock());

}  // namespace braid
