#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Tells readers that partitions are complete: writes the file `_SUCCESS` into the folder of each partition of the
/// newest snapshot that the condition on partition columns chooses (null: all), as `partition.mark-done-action` =
/// success-file says (spec metadata.md §12.2); marking again keeps the time of the first. No snapshot is made. Returns
/// their folders, "dt=1/hh=2". Errors: kInvalidArgument for a table without partitions; kUnsupported for actions that
/// need a catalog of their own; those of writing, when earlier ones are marked already.
Result<std::vector<std::string>> MarkPartitionsDone(const Table& table, const PredicatePtr& partitions, bool dry_run,
                                                    const Clock& clock = SystemClock());

/// Whether Braid does what `partition.mark-done-action` asks for. Errors: kUnsupported, naming the action.
Status CheckDoneActions(const Table& table);

/// Marks partitions by their folders, "dt=1/hh=2", whether they have rows or not. Errors: those of writing.
Status MarkFoldersDone(const Table& table, const std::vector<std::string>& partitions, const Clock& clock);

}  // namespace braid
