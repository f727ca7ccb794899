#include "format/orc_stripe_bytes.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/result.h>

#include "types/buffer_pool.h"

namespace braid {

OrcStripeBytes::Reach OrcStripeBytes::ReachOf(bool is_far) {
  if (is_far) return {.hole_bytes = std::int64_t{256} << 10, .range_bytes = std::int64_t{16} << 20};
  return {.hole_bytes = std::int64_t{4} << 10, .range_bytes = std::int64_t{256} << 10};
}

OrcStripeBytes::OrcStripeBytes(const InputFile& file, std::vector<OrcExtent> wanted, Reach reach) : file_(file) {
  std::ranges::sort(wanted, {}, &OrcExtent::offset);
  for (const OrcExtent& extent : wanted) Plan(extent, reach);
}

void OrcStripeBytes::Plan(OrcExtent wanted, Reach reach) {
  while (wanted.byte_count > 0) {
    const auto end = [this] { return ranges_.back().extent.offset + ranges_.back().extent.byte_count; };
    const auto room = [&] { return ranges_.back().extent.offset + reach.range_bytes - wanted.offset; };
    if (ranges_.empty() || wanted.offset - end() > reach.hole_bytes || room() <= 0) {
      ranges_.push_back({.extent = {.offset = wanted.offset, .byte_count = 0}});
    }
    Range& range = ranges_.back();
    const std::int64_t taken = std::min(wanted.byte_count, room());
    wanted.offset += taken;
    wanted.byte_count -= taken;
    range.extent.byte_count = wanted.offset - range.extent.offset;
    range.untaken_bytes += taken;
  }
}

Status OrcStripeBytes::Read(Range& range) const {
  auto buffer = arrow::AllocateBuffer(range.extent.byte_count, BufferPool());
  if (!buffer.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a part of a file");
  const std::span<std::uint8_t> target((*buffer)->mutable_data(), static_cast<std::size_t>(range.extent.byte_count));
  BRAID_TRY(file_.ReadAt(range.extent.offset, std::as_writable_bytes(target)));
  range.bytes = std::move(buffer).ValueUnsafe();
  return Ok();
}

Result<OrcStripeBytes::Piece> OrcStripeBytes::Take(std::int64_t offset, std::int64_t most) {
  const auto after = std::ranges::upper_bound(ranges_, offset, {}, [](const Range& r) { return r.extent.offset; });
  BRAID_CHECK(after != ranges_.begin());
  Range& range = *std::prev(after);
  if (range.bytes == nullptr) BRAID_TRY(Read(range));
  const std::int64_t from = offset - range.extent.offset;
  const std::int64_t count = std::min(most, range.extent.byte_count - from);
  BRAID_CHECK(count > 0 && count <= range.untaken_bytes);
  Piece piece{.range = range.bytes,
              .bytes = {reinterpret_cast<const char*>(range.bytes->data()) + from, static_cast<std::size_t>(count)}};
  range.untaken_bytes -= count;
  if (range.untaken_bytes == 0) range.bytes.reset();
  return piece;
}

}  // namespace braid
