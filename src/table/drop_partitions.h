#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// Deletes all rows of exactly these partitions, or of the table (nullopt), by dropping their files, in one snapshot of
/// kind OVERWRITE with the committable's identity; its messages are empty.
Result<std::vector<Snapshot>> DropPartitions(const Table& table, const std::optional<std::set<BinaryRow>>& partitions,
                                             const std::string& commit_user, const Committable& committable,
                                             const Clock& clock = SystemClock());

}  // namespace braid
