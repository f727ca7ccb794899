#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace braid {

// Tags, rollback, expiry and schema changes of one table on its branch (spec metadata.md §9, §10; branches come later).

/// Errors: kNotFound, kAlreadyExists, kInvalidArgument (an empty name, or one of digits alone).
Result<Tag> CreateTag(const Table& table, const std::string& name, std::optional<SnapshotId> snapshot,
                      std::optional<std::chrono::milliseconds> time_retained, const Clock& clock = SystemClock());
/// Deletes the tag and the files that only it could reach.
Status DeleteTag(const Table& table, const std::string& name);
Status RenameTag(const Table& table, const std::string& name, const std::string& new_name);

struct ExpireOptions {
  std::optional<std::int64_t> retain_max;
  std::optional<std::int64_t> retain_min;
  std::optional<std::int64_t> older_than_ms;   ///< epoch milliseconds
  std::optional<std::int64_t> max_deletes;
  bool dry_run = false;
};
struct ExpireResult {
  std::vector<SnapshotId> snapshots;   ///< expired, or that would be
  std::int64_t files = 0;              ///< deleted, or that would be
  std::int64_t bytes = 0;
};
/// Expires snapshots by the given options, else the table's. Deletes no file that a snapshot, tag, branch or consumer reaches.
Result<ExpireResult> ExpireSnapshots(const Table& table, const ExpireOptions& options, const Clock& clock = SystemClock());

/// Makes the snapshot, or the tag's, the latest; later snapshots and tags on them go.
Status RollbackToSnapshot(const Table& table, SnapshotId snapshot);
Status RollbackToTag(const Table& table, const std::string& tag);

}  // namespace braid
