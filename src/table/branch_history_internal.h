#pragma once

#include "base/result.h"
#include "table/branch_switch_internal.h"
#include "table/operation.h"

namespace braid {

/// Gives the branch that becomes main the snapshots, changelogs, tags and consumers of the present main before the fork
/// (spec branches.md §8.1 step 3). Notes in the journal first what the branch has of its own. May be repeated.
Status CopyHistory(const LockedTable& table, const ReplacePlan& plan, OperationJournal& journal);

/// Takes from the branch what CopyHistory gave it, by what the journal says. May be repeated.
Status RemoveCopiedHistory(const LockedTable& table, const ReplacePlan& plan, OperationJournal& journal);

}  // namespace braid
