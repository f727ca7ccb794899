#pragma once

#include <cstdint>

#include <arrow/type_fwd.h>

namespace braid {

/// What a batch is to take at most, of all readers and merges, unless it is of one row.
inline constexpr std::int64_t kMaxBatchBytes = std::int64_t{4} << 20;

/// Bytes of some rows.
struct RowBytes {
  std::int64_t used = 0;  ///< that the rows take
  std::int64_t held = 0;  ///< that stay in memory as long as the rows do: more if they are a slice of something larger
};
RowBytes BytesOf(const arrow::RecordBatch& rows);

/// How many rows from `start` on to work on at once: at most `max_rows`, and so few that they take about `max_bytes`, but
/// one at least. Precondition: start < rows.num_rows().
std::int64_t RowsWithin(const arrow::RecordBatch& rows, std::int64_t start, std::int64_t max_rows, std::int64_t max_bytes);

}  // namespace braid
