#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/doomed_files.h"
#include "table/table.h"

namespace braid {

/// How many of a line's snapshots or changelogs stay (spec metadata.md §9.1).
struct Retention {
  std::int64_t retain_max = std::numeric_limits<std::int32_t>::max();  ///< beyond it the oldest go whatever their age
  std::int64_t retain_min = 1;                                         ///< these stay whatever their age
  std::int64_t older_than_ms = std::numeric_limits<std::int64_t>::min();  ///< committed before it: may go by age
  std::int64_t max_deletes = std::numeric_limits<std::int32_t>::max();    ///< at most so many at a time
};

struct ExpireRequest {
  Retention snapshots{};
  Retention changelogs{};
  /// What snapshots say of changes outlives them as long-lived changelogs (§9.4).
  bool keep_changelogs = false;
  bool consumers_hold_snapshots = true;  ///< else changelogs alone (`consumer.changelog-only`)
  bool dry_run = false;
  UpkeepProgress progress = {};
  std::chrono::milliseconds lock_timeout{60'000};  ///< how long to wait for others that maintain the table

  /// As the options `snapshot.num-retained.min` and the like say. Errors: kInvalidArgument.
  static Result<ExpireRequest> FromOptions(const Options& options, std::int64_t now_ms);
};

struct ExpireResult {
  std::int64_t expired = 0;  ///< snapshots or changelogs
  SnapshotId first{};        ///< of those; of no meaning without any
  SnapshotId end{};          ///< the first that stays
  RemovedFiles files = {};
};

/// Removes the oldest snapshots of the table's branch, as far as retention, consumers and readers let them go, with all
/// files that nothing on any line of the table reaches any more. First the snapshots go, then their files; a journal
/// lets whoever locks the table next finish what a crash left, so that no snapshot ever lacks files. Errors:
/// kInvalidArgument if retain_max < retain_min; kUnavailable if the table is locked for too long; kIo naming a
/// snapshot, tag or manifest that cannot be read while it may hold files: nothing is deleted then.
Result<ExpireResult> ExpireSnapshots(const Table& table, const ExpireRequest& request, const Clock& clock);

/// Removes long-lived changelogs likewise, below the newest; with `all` every one.
Result<ExpireResult> ExpireChangelogs(const Table& table, const ExpireRequest& request, bool all, const Clock& clock);

}  // namespace braid
