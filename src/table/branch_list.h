#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "table/lines.h"

namespace braid {

/// A branch as lists show it (spec branches.md §13).
struct BranchSummary {
  Line line;
  std::int64_t created_ms = 0;  ///< of the record; for branches of other engines when the folder last changed
  std::optional<std::string> parent;  ///< present name of the parent
  std::optional<SnapshotId> latest;   ///< nullopt if it has no snapshot

  /// `recorded` or `inferred`.
  std::string origin() const;
  const std::optional<std::string>& tag() const;
  /// Where it leaves its parent.
  std::optional<SnapshotId> fork_snapshot() const;
};

/// The branches of the table at `root`, by name. `with_retired`: also replaced mains within their grace time.
Result<std::vector<BranchSummary>> SummarizeBranches(const FileSystem& fs, const std::string& root, bool with_retired);

/// Main and the branches as a tree, each below the line that it was made from, a line each:
/// "main  snapshots 1 to 5", "├─ fix  from snapshot 3 (tag daily), 2 snapshots of its own, head 5".
Result<std::vector<std::string>> DrawBranches(const FileSystem& fs, const std::string& root);

}  // namespace braid
