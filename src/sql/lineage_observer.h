#pragma once

#include <memory>

#include "base/clock.h"
#include "sql/session.h"

namespace braid {

/// Records the session's jobs in the lineage of the catalog that they write to, and gives every catalog its system
/// database (spec lineage.md §2, §7). `clock` outlives the observer.
std::shared_ptr<JobObserver> MakeLineageObserver(const Clock& clock = SystemClock());

}  // namespace braid
