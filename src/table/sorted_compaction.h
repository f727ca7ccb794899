#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/doomed_files.h"
#include "table/sort_strategy.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

struct SortedCompactionRequest {
  std::vector<std::string> columns;
  SortStrategy strategy = SortStrategy::kOrder;
  PredicatePtr partitions = nullptr;  ///< on partition columns; null: all
  bool dry_run = false;
  std::string spill_directory = {};  ///< local; empty: a temporary folder of the process
  UpkeepProgress progress = {};      ///< told the number of rows
};

struct SortedPartition {
  std::string name;             ///< "dt=1/hh=2"; empty if the table is not partitioned
  std::int64_t row_count = 0;   ///< in files before, deleted ones too
  std::int64_t file_count = 0;  ///< before
  std::int64_t bytes = 0;       ///< before
};

struct SortedCompaction {
  std::vector<SortedPartition> partitions;
  std::int64_t new_file_count = 0;
  std::optional<SnapshotId> snapshot;  ///< absent if there are no files, and of a dry run
};

/// Writes the partitions of an append table without buckets anew, their rows sorted, in one snapshot of kind OVERWRITE,
/// so that files hold narrow ranges of the columns and reads pass over most of them. Rows keep their ids. One partition
/// is sorted at a time, in `write-buffer-size` of memory and in local files of `write-buffer-spill.max-disk-size` at
/// most. Rows that others add meanwhile stay as they are; where they take files or rows away, it begins again
/// (`commit.max-retries`).
/// Errors: kInvalidArgument for columns that are not there; kUnsupported for other tables and for columns without an
/// order; kUnavailable where the local files do not suffice; those of committing.
Result<SortedCompaction> CompactSorted(const Table& table, const SortedCompactionRequest& request,
                                       const std::string& commit_user, const Clock& clock = SystemClock());

}  // namespace braid
