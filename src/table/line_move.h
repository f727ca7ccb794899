#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/lines.h"
#include "table/table.h"

namespace braid {

/// What moves a line's name, head or tags (spec branches.md §5.7). Every such operation asks MayMove first; there is no
/// other way past protection and seals.
enum class LineMove : std::uint8_t { kCommit, kTag, kMergeInto, kDelete, kRename, kReplace, kRollback };

/// Errors: kPermissionDenied if the line is protected against it.
Status MayMove(const Line& line, LineMove move);

/// For a writer, which asks in every attempt: whether it may build on this head of its handle's line. Errors: kConflict
/// if the head seals the line; kUnavailable if the line is just becoming main's: try again.
Status MayMove(const Table& table, LineMove move, const std::optional<Snapshot>& head);

/// For an operation that holds the table's lock, so that no line is replaced or renamed before it ends: whether the
/// handle's line is still what its name means, where the handle has it, unsealed, and not protected. Errors: kConflict if
/// it moved since the handle was opened; as the others.
Status MayMove(const Table& table, LineMove move);

}  // namespace braid
