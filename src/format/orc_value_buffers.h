#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "base/result.h"
#include "format/orc_column_reader.h"
#include "types/buffer_pool.h"

namespace braid {

/// A buffer of values that can grow.
using OrcValueBuffer = std::shared_ptr<arrow::ResizableBuffer>;

inline Status ResizeOrcBuffer(arrow::ResizableBuffer& buffer, std::int64_t byte_count) {
  if (buffer.Resize(byte_count, /*shrink_to_fit=*/false).ok()) return Ok();
  return Error(ErrorCode::kUnavailable, "out of memory for a column");
}

inline Result<OrcValueBuffer> MakeOrcBuffer(std::int64_t byte_count) {
  auto buffer = arrow::AllocateResizableBuffer(byte_count, BufferPool());
  if (!buffer.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
  return OrcValueBuffer(std::move(buffer).ValueUnsafe());
}

/// Reads `count` values, of which a file may not have as many: `read(to, n)` reads the next `n` and returns a Status.
/// There is never room for more than about twice what was read, a first step aside.
template <typename Value, typename Read>
Result<OrcValueBuffer> ReadOrcValues(std::int64_t count, Read read) {
  constexpr std::int64_t kFirstBytes = std::int64_t{256} << 10;
  constexpr std::int64_t kValueBytes = sizeof(Value);
  BRAID_TRY_ASSIGN(OrcValueBuffer buffer, MakeOrcBuffer(0));
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t step = std::min(count - done, std::max(done, kFirstBytes / kValueBytes));
    BRAID_TRY(ResizeOrcBuffer(*buffer, (done + step) * kValueBytes));
    BRAID_TRY(read(buffer->mutable_data_as<Value>() + done, step));
    done += step;
  }
  return buffer;
}

/// Puts values that lie one after the other to the rows that have one, with zeros between them.
template <typename Value>
Status SpreadOrcValues(arrow::ResizableBuffer& buffer, const OrcPresence& rows) {
  if (rows.bits == nullptr) return Ok();
  BRAID_TRY(ResizeOrcBuffer(buffer, rows.row_count * static_cast<std::int64_t>(sizeof(Value))));
  auto* values = buffer.mutable_data_as<Value>();
  std::int64_t left = rows.value_count;
  // From the end, so that no value is overwritten before it is moved; the rest is in place once as many rows are left.
  // Without branches, which nobody could predict.
  for (std::int64_t row = rows.row_count; row-- > left;) {
    const bool has_value = rows.Has(row);
    left -= has_value ? 1 : 0;
    const Value value = values[left];
    values[row] = has_value ? value : Value{};
  }
  return Ok();
}

/// Likewise of bits.
Result<std::shared_ptr<arrow::Buffer>> SpreadOrcBits(std::shared_ptr<arrow::Buffer> bits, const OrcPresence& rows);

/// Reads `count` bits. Errors: as `failure` makes them, if there are fewer.
template <typename Failure>
Result<OrcValueBuffer> ReadOrcBits(OrcBooleanReader& reader, std::int64_t count, Failure failure) {
  std::int64_t left = count;
  return ReadOrcValues<std::uint8_t>((count + 7) / 8, [&](std::uint8_t* to, std::int64_t byte_count) -> Status {
    const std::int64_t step = std::min(left, byte_count * 8);
    if (!reader.Read(to, 0, step)) return failure();
    left -= step;
    return Ok();
  });
}

/// The array of these rows.
inline std::shared_ptr<arrow::ArrayData> MakeOrcArray(std::shared_ptr<arrow::DataType> type, const OrcPresence& rows,
                                                      std::shared_ptr<arrow::Buffer> values) {
  return arrow::ArrayData::Make(std::move(type), rows.row_count, {rows.bits, std::move(values)}, rows.null_count());
}

/// Reads the values of these rows, of a fixed width, with `read` as for ReadOrcValues.
template <typename Value, typename Read>
Result<std::shared_ptr<arrow::ArrayData>> ReadOrcFixedColumn(std::shared_ptr<arrow::DataType> type,
                                                             const OrcPresence& rows, Read read) {
  BRAID_TRY_ASSIGN(const OrcValueBuffer values, ReadOrcValues<Value>(rows.value_count, std::move(read)));
  BRAID_TRY(SpreadOrcValues<Value>(*values, rows));
  return MakeOrcArray(std::move(type), rows, values);
}

}  // namespace braid
