#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "table/addressed_rows.h"
#include "table/commit.h"

namespace braid {

/// Which files of a data-evolution table are worth merging.
struct RowRangeCompaction {
  std::int64_t target_bytes = 0;  ///< of a new file, at most, as far as the old sizes tell
  std::int64_t min_files = 2;     ///< that are merged into one, at least
};

/// Merges files with columns of the same rows, and those of neighbouring rows, into one that has all columns but BLOBs;
/// `.blob` files stay. The rows keep their ids (spec data.md §8.1); the new file's sequence numbers are the least and the
/// greatest of the old ones, as Java has it. Committing it is kConflict if others have changed the rows meanwhile.
Result<std::vector<CommitMessage>> CompactRowRanges(const AddressedRows& rows, const RowRangeCompaction& compaction);

}  // namespace braid
