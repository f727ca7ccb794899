#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "meta/snapshot.h"
#include "table/table.h"

namespace braid {

/// A snapshot on a line, named so that no other is meant (spec branches.md §11.2).
struct LinePoint {
  std::string line;      ///< lineId
  SnapshotId snapshot;   ///< 0: before the first
  std::string identity;  ///< IdentityOf; empty: before the first, or unknown

  friend bool operator==(const LinePoint&, const LinePoint&) = default;
};
Json ToJson(const LinePoint& point);
/// Errors: kCorruption.
Result<LinePoint> ParseLinePoint(const Json& json);

/// The table on its line's present place: a line that was renamed, or became the root, is followed; where main is being
/// replaced this waits until it has been. Errors: kConflict if its name means another line than when it was opened;
/// kNotFound if the branch is gone.
Result<Table> FollowLine(const Table& table);
/// Whether FollowLine fails because the name means another line, or none. What cannot be read has not moved.
bool HasMoved(const Table& table);

/// The newest snapshot that changed what the line holds: compactions, statistics and seals do not.
Result<LinePoint> ContentHead(const Table& table);
/// Whether the table's line has this very snapshot, as a snapshot or as a tag.
Result<bool> HoldsPoint(const Table& table, const LinePoint& point);
/// Whether the snapshot, the table's newest, says that nothing will come behind it on this line.
bool EndsLine(const Table& table, const Snapshot& snapshot);

}  // namespace braid
