#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"
#include "table/operation.h"

namespace braid {

/// The end of a line for Braid's writers (spec branches.md §5.5): an empty COMPACT snapshot that Java reads as any other.
struct Seal {
  std::string operation;
  std::string reason;                  ///< "replace", "materialize", "rollback"
  std::optional<std::string> moved_to; ///< "main" where the line goes on as the table's root
  /// The line that it ends: a branch made from the sealed snapshot has a copy, which means nothing there. Empty: any line.
  std::string line_id = {};
};

/// The seal that a snapshot is; nullopt if it is none. Believed only of the commit user that seals have: other engines copy
/// properties into their own snapshots.
std::optional<Seal> SealOf(const Snapshot& snapshot);

/// Seals a line, whatever its head is by then; returns the seal. A line that this operation sealed stays as it is.
Result<Snapshot> SealLine(const LockedTable& table, const TablePaths& line, const Seal& seal);
/// Opens a line again that this operation sealed, unless something was committed after the seal.
Status UnsealLine(const LockedTable& table, const TablePaths& line, std::string_view operation);

/// Appends empty COMPACT snapshots until the line's head has this id or a later one.
Status RaiseHead(const LockedTable& table, const TablePaths& line, SnapshotId id, std::string_view operation);

}  // namespace braid
