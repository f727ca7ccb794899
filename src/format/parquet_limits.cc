#include "format/parquet_limits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/little_endian.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

// Some writers leave page headers out of a chunk's size; the buffer of a stream is no page.
constexpr std::int64_t kSlackBytes = std::int64_t{1} << 20;
constexpr std::int64_t kTrailerBytes = 8;          // length of the footer, "PAR1"
constexpr std::int64_t kMostElements = 1'000'000;  // the library's own limit

}  // namespace

arrow::Status PagePool::Check(std::int64_t size) const {
  if (size <= limit_bytes_) return arrow::Status::OK();
  return arrow::Status::Invalid(fmt::format("a page of {} bytes is more than its column chunk has", size));
}

arrow::Status PagePool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(Check(size));
  return BufferPool()->Allocate(size, alignment, out);
}

arrow::Status PagePool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** pointer) {
  ARROW_RETURN_NOT_OK(Check(new_size));
  return BufferPool()->Reallocate(old_size, new_size, alignment, pointer);
}

void PagePool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  BufferPool()->Free(buffer, size, alignment);
}

int64_t PagePool::bytes_allocated() const {
  return BufferPool()->bytes_allocated();
}
int64_t PagePool::total_bytes_allocated() const {
  return BufferPool()->total_bytes_allocated();
}
int64_t PagePool::num_allocations() const {
  return BufferPool()->num_allocations();
}
std::string PagePool::backend_name() const {
  return BufferPool()->backend_name();
}

std::int64_t LargestPageBytes(const parquet::FileMetaData& metadata) {
  std::int64_t bytes = 0;
  for (int group = 0; group < metadata.num_row_groups(); ++group) {
    const std::unique_ptr<parquet::RowGroupMetaData> row_group = metadata.RowGroup(group);
    for (int leaf = 0; leaf < row_group->num_columns(); ++leaf) {
      const std::unique_ptr<parquet::ColumnChunkMetaData> chunk = row_group->ColumnChunk(leaf);
      bytes = std::max({bytes, chunk->total_uncompressed_size(), chunk->total_compressed_size()});
    }
  }
  return std::min(bytes, INT64_MAX - kSlackBytes) + kSlackBytes;
}

Result<std::int32_t> LongestFooterList(const InputFile& file) {
  std::int64_t footer_bytes = file.size_bytes();
  if (footer_bytes >= kTrailerBytes) {
    std::array<char, kTrailerBytes> trailer{};
    BRAID_TRY(file.ReadAt(file.size_bytes() - kTrailerBytes, std::as_writable_bytes(std::span(trailer))));
    const auto told = LittleEndianAt<std::uint32_t>(std::string_view(trailer.data(), trailer.size()), 0);
    footer_bytes = std::min<std::int64_t>(footer_bytes, told);
  }
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(footer_bytes, 1, kMostElements));
}

}  // namespace braid
