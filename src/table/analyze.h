#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/statistics.h"
#include "table/table.h"

namespace braid {

struct AnalyzeRequest {
  /// Columns to describe; nullopt: all. None: the rows alone are counted.
  std::optional<std::vector<std::string>> columns = std::vector<std::string>();
  bool dry_run = false;  ///< commits nothing
};

struct AnalyzedTable {
  TableStatistics statistics;
  std::vector<AnalyzedColumn> columns;
  std::optional<SnapshotId> snapshot;  ///< that names them from now on
};

/// Computes statistics of the newest snapshot and commits them in a snapshot of kind ANALYZE (spec metadata.md §12.3):
/// rows as readers see them and bytes of the data files; of columns, NULLs and distinct values (see DistinctCount),
/// least and greatest value of numbers, dates and times, and lengths of texts (characters) and byte strings. Columns of
/// nested types and VARIANT have NULLs alone. Reads on all threads of the CPU pool. nullopt for a table without
/// snapshots. Errors: kInvalidArgument for an unknown column; those of reading and committing.
Result<std::optional<AnalyzedTable>> AnalyzeTable(const Table& table, const AnalyzeRequest& request,
                                                  const std::string& commit_user, const Clock& clock = SystemClock());

}  // namespace braid
