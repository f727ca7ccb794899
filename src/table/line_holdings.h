#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "table/lines.h"
#include "table/reachability.h"
#include "table/table.h"

namespace braid {

/// What must keep the files of one line although snapshots of it go (spec branches.md §10.3).
struct LineHoldings {
  /// Contents that were states of this line: its tags, and what other lines keep of the history that they share with
  /// it. Ascending by id, one for each snapshot. A file lives on a line from one id to another, so a file that the
  /// snapshot s deleted is needed by one of these exactly if it is alive in the newest of them below s.
  std::vector<Root> true_states;
  /// Every other content that may hold files of this line; each has to be looked at.
  std::vector<Root> pinned;
  /// Long-lived changelogs, of all lines, that have no changelog files and so hold what their snapshots added.
  std::vector<Root> changelogs;
  /// Snapshots that other lines hold as well, whose changelog therefore stays: id and identity.
  std::set<std::pair<SnapshotId, std::string>> shared_snapshots;
};

/// Which part of a line's history an operation is about.
struct HoldingsRequest {
  SnapshotId first;  ///< of the snapshots that go
  SnapshotId end;    ///< the first that stays: states from it on are not asked for
  /// What is known of the line's own snapshots, by id: other lines' states are told by them.
  std::map<SnapshotId, std::string> identities;
  /// Tags of this line that are being removed, and below which id its changelogs are.
  std::set<std::string> without_tags;
  SnapshotId first_changelog;
};

/// Reads fork records, tags, and the snapshots in shared segments; no manifest. Lines without a record are read whole.
/// Errors: kIo naming a root that cannot be read: nothing may be deleted then.
Result<LineHoldings> CollectHoldings(const FileSystem& fs, const TableLines& lines, const Line& line,
                                     const HoldingsRequest& request);

/// The line whose metadata lies at these paths. Errors: kNotFound.
Result<const Line*> LineAt(const TableLines& lines, const TablePaths& paths);

}  // namespace braid
