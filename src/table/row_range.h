#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"

namespace braid {

/// Data files of a data-evolution table that hold columns of the same rows (spec data.md §1.6). The normal ones hold all
/// rows of the range, some columns each; a `.blob` file holds one BLOB column of some of the rows.
struct RowRange {
  std::int64_t first_row_id = 0;
  std::int64_t row_count = 0;
  std::vector<const DataFileMeta*> files{};  ///< the newest first; at least one; borrowed
  std::vector<const DataFileMeta*> blobs{};  ///< by first row id, of those the newest first; borrowed

  std::int64_t end_row_id() const { return first_row_id + row_count; }
};

/// Whether the file holds a BLOB column alone.
bool IsBlobFile(const DataFileMeta& file);

/// Groups files by the rows that they hold, in the order of the rows. The result borrows from `files`. Errors:
/// kCorruption for a file without row ids, normal files whose rows overlap in part, and `.blob` files without a file of
/// their rows.
Result<std::vector<RowRange>> GroupByRowRange(std::span<const DataFileMeta* const> files);

}  // namespace braid
