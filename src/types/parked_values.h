#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <arrow/type_fwd.h>

#include "types/batch.h"
#include "types/long_rows.h"

namespace braid {

/// A batch of long rows that is no smaller than this can have its values parked.
inline constexpr std::int64_t kParkedBytes = std::int64_t{16} << 20;

struct ParkedBatch {
  Batch batch;
  std::int64_t parked_bytes = 0;  ///< of its values that are not in memory; 0: the batch is the one given
};

/// How many bytes there are for `ParkLongValues` to park, or parked already; mostly 0.
std::int64_t LongValueBytes(const Batch& batch);

/// The same rows, where the bytes of columns of BYTES and STRING (not nested ones) with at least kParkedBytes lie in a
/// file without a name in $TMPDIR, or /tmp, and are mapped for reading: not memory of the process, but page cache,
/// which the system can write out. So long rows can wait, for other runs of a merge or for their flush, however many
/// they are. The file goes with the last reference. A column stays in memory if its rows are short on average, or if
/// there is no room for such a file. Any thread.
ParkedBatch ParkLongValues(const Batch& batch);

/// A column of BYTES or STRING with its bytes in such a file, however few they are; itself if they are in one. Null if
/// there is no room for it. Any thread.
std::shared_ptr<arrow::Array> ParkColumn(const std::shared_ptr<arrow::Array>& column);

/// A column of one row of STRING or BYTES, as `type` says, with its bytes in such a file. Null if there is no room for
/// it. Any thread.
std::shared_ptr<arrow::Array> ParkValue(std::string_view bytes, std::shared_ptr<arrow::DataType> type);

/// To be called when parked values have been used and are not for now: their pages no longer count as resident in this
/// process. Reading them again brings them back. Does nothing with other columns.
void ReleasePages(const arrow::Array& column);
/// Likewise of all columns.
void ReleasePages(const arrow::RecordBatch& rows);

}  // namespace braid
