#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// Tells readers that partitions are complete, for each partition of the newest snapshot that the condition on partition
/// columns chooses (null: all), by the actions of `partition.mark-done-action`: success-file writes the file `_SUCCESS`
/// into its folder (spec metadata.md §12.2), where marking again keeps the time of the first; http-report tells a server
/// (ReportPartitionDone). No snapshot is made. Returns their folders, "dt=1/hh=2". Errors: kInvalidArgument for a table
/// without partitions; those of CheckDoneActions, and of the actions, when earlier partitions are marked already.
Result<std::vector<std::string>> MarkPartitionsDone(const Table& table, const PredicatePtr& partitions, bool dry_run,
                                                    const Clock& clock = SystemClock());

/// Whether Braid does what `partition.mark-done-action` asks for. Errors, naming the action: kUnsupported for
/// done-partition and custom; kInvalidArgument for what is none and for actions without the options that they need.
Status CheckDoneActions(const Table& table);

/// Marks partitions by their folders, "dt=1/hh=2", whether they have rows or not. Precondition: CheckDoneActions.
Status MarkFoldersDone(const Table& table, const std::vector<std::string>& partitions, const Clock& clock);

}  // namespace braid
