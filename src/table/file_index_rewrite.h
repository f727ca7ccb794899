#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/doomed_files.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

struct IndexRewriteRequest {
  PredicatePtr partitions = nullptr;  ///< on partition columns; null: all
  bool dry_run = false;
  UpkeepProgress progress = {};  ///< told the number of files
};

struct IndexRewrite {
  std::int64_t file_count = 0;         ///< data files that were looked at
  std::int64_t bytes = 0;              ///< of those
  std::int64_t changed_count = 0;      ///< that have other indexes now; of a dry run 0
  std::optional<SnapshotId> snapshot;  ///< that names them with their indexes; none if none has others
};

/// Makes the file indexes of data files that are there as the table's options ask for them now (spec data.md §12.1):
/// for options that were set or changed after the files were written. The files themselves stay; a snapshot of kind COMPACT
/// names them with other indexes, which lie beside them whatever `file-index.in-manifest-threshold` says. A file that is
/// to have no index at all keeps those that it has. Columns that a file holds in another type than the table are not
/// indexed. Begins again when others take files away meanwhile (`commit.max-retries`). Errors: kInvalidArgument for
/// options that are none; kUnsupported for tables with data evolution; those of reading and committing.
Result<IndexRewrite> RewriteFileIndexes(const Table& table, const IndexRewriteRequest& request,
                                        const std::string& commit_user, const Clock& clock = SystemClock());

}  // namespace braid
