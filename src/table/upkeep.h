#pragma once

#include <cstdint>

#include "base/clock.h"
#include "table/table.h"

namespace braid {

/// What a table asks for after every commit, in Java's order (spec metadata.md §8.10): automatic tags, tags whose time
/// is over, partitions whose time is over, consumers that have been silent (`consumer.expiration-time`), snapshots, changelogs. Nothing for
/// `write-only` tables. The commit stands whatever happens here, so failures are logged as warnings. `is_batch`: the
/// commit was of a batch job; others with `snapshot.expire.execution-mode` = async do not wait, their upkeep is done by
/// a thread that the process waits for when it ends.
void MaintainAfterCommit(const Table& table, bool is_batch, const Clock& clock);

}  // namespace braid
