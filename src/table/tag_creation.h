#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/table.h"
#include "table/tag_change.h"

namespace braid {

/// Makes the tags that `tag.automatic-creation` asks for (spec metadata.md §10.3) on all snapshots since the newest
/// automatic tag, and deletes those beyond `tag.num-retained-max`. Returns the tags made; none in the modes none and
/// batch. Errors: kInvalidArgument for options that make no sense; those of CreateTag and DeleteTags: kUnavailable if the
/// table is locked for longer than `lock_timeout`.
Result<std::vector<std::string>> CreateAutomaticTags(const Table& table, const Clock& clock,
                                                     std::chrono::milliseconds lock_timeout = kTagLockTimeout);

/// In mode batch: tags the latest snapshot as `tag.batch.customized-name` or "batch-write-<day>", in the place of an
/// older tag of that name, and deletes the oldest tags beyond `tag.num-retained-max`.
Status CreateBatchTag(const Table& table, const Clock& clock,
                      std::chrono::milliseconds lock_timeout = kTagLockTimeout);

}  // namespace braid
