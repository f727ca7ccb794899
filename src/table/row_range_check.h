#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/commit_attempt.h"
#include "table/table.h"

namespace braid {

/// Checks that each of these ranges of rows still has the very files that new columns of its rows were made by. Errors:
/// kConflict if others have written columns of them, compacted or removed them meanwhile.
Status CheckRowRanges(const Table& table, const std::optional<Snapshot>& latest,
                      const std::vector<RowRangeOfBucket>& ranges);

}  // namespace braid
