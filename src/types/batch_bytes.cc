#include "types/batch_bytes.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/util/byte_size.h>

namespace braid {

RowBytes BytesOf(const arrow::RecordBatch& rows) {
  const std::int64_t held = arrow::util::TotalBufferSize(rows);
  const arrow::Result<std::int64_t> used = arrow::util::ReferencedBufferSize(rows);
  return {.used = used.ok() ? *used : held, .held = held};
}

std::int64_t RowsWithin(const arrow::RecordBatch& rows, std::int64_t start, std::int64_t max_rows, std::int64_t max_bytes) {
  std::int64_t count = std::min(max_rows, rows.num_rows() - start);
  while (count > 1 && BytesOf(*rows.Slice(start, count)).used > max_bytes) count = (count + 1) / 2;
  return count;
}

}  // namespace braid
