#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace braid {

// Makes, moves and renames tags of a table's branch (spec metadata.md §10.2). tag_removal.h takes them away. Each takes
// the table's lock, so that no line is replaced meanwhile and no tag lands on one that its name does not mean any more.
// Errors of all: kConflict if that happened since the handle was opened; kUnavailable if the table is locked for too long.

/// How long operations on tags wait for others that work on the table.
inline constexpr std::chrono::milliseconds kTagLockTimeout{60'000};

struct NewTag {
  std::string name;
  Snapshot snapshot;
  /// How long it is kept; nullopt: as `tag.default-time-retained` says, if it says so.
  std::optional<std::chrono::milliseconds> time_retained = std::nullopt;
  bool ignore_if_exists = false;  ///< an existing tag stays as it is
  std::chrono::milliseconds lock_timeout = kTagLockTimeout;
};

/// Returns the tag that is there afterwards. Errors: kAlreadyExists; kInvalidArgument for a name that is none, a guard
/// tag's, or an automatic tag's for a snapshot that has one; kNotFound if the snapshot's files went away meanwhile.
Result<Tag> CreateTag(const Table& table, const NewTag& tag, const Clock& clock);

/// Points an existing tag at the snapshot, in one step for readers. As in Paimon its retention is `time_retained`, none
/// without. What only the old snapshot used stays for RemoveOrphanFiles. Errors: kNotFound if there is no such tag, and
/// as CreateTag.
Result<Tag> MoveTag(const Table& table, const NewTag& tag, const Clock& clock);

/// Errors: kNotFound, kAlreadyExists; kInvalidArgument for guard tags and names that are none.
Status RenameTag(const Table& table, const std::string& from, const std::string& to);

}  // namespace braid
