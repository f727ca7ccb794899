#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace braid {

/// The line that a writer commits to, looked at again in every attempt (spec branches.md §5.6): no commit lands on a line
/// that its name does not mean any more. One thread. An attempt is Find, reading the head, CheckHead, Create.
class WriterLine {
 public:
  explicit WriterLine(Table table) : table_(std::move(table)) {}

  /// Finds the line by its name and id, following a rename or a branch that became the root. Errors: kConflict if the name
  /// means another line; kNotFound if the branch is gone.
  Status Find();
  /// On the line's present place.
  const Table& table() const { return table_; }

  /// Errors: kConflict if the head seals the line; kUnavailable if the line is just moving: try again.
  Status CheckHead(const std::optional<Snapshot>& head) const;

  /// Creates the snapshot's file in the folder that Find found, whatever its path has become, and looks at the line once
  /// more; a file that landed on the wrong line is taken back. Errors: kConflict if the id is taken or the line moved
  /// (`moved()`); kCommitUnknown.
  Status Create(const Snapshot& snapshot, const std::optional<Snapshot>& head);
  bool moved() const { return moved_; }

 private:
  Status CreateFile(const Snapshot& snapshot);
  Result<bool> IsStillRight(const Snapshot& snapshot, const std::optional<Snapshot>& head) const;

  Table table_;
  std::unique_ptr<DirectoryHandle> folder_;  // null where the storage cannot hold folders open
  bool moved_ = false;
};

}  // namespace braid
