#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Deletes the rows of an append table for which `filter` is true (null: all rows) by deletion vectors (spec data.md §8.3), in
/// one snapshot of kind OVERWRITE; none if no row matches. Tries again when others commit meanwhile, as often as
/// `commit.max-retries` says.
/// Errors: kUnsupported for a key table or one without `deletion-vectors.enabled`; kConflict if others were always first.
Result<std::vector<Snapshot>> DeleteRows(const Table& table, const PredicatePtr& filter, const std::string& commit_user,
                                         const Clock& clock = SystemClock());

}  // namespace braid
