#include "format/parquet_row_sizes.h"

#include <algorithm>
#include <memory>

#include <parquet/size_statistics.h>

#include "format/parquet_long_value.h"
#include "types/batch_bytes.h"
#include "types/long_rows.h"

namespace braid {
namespace {

constexpr std::int64_t kMostChunkBytes = std::int64_t{1} << 40;  // whatever a damaged footer says

/// What `measure` says of the wanted leaves, together.
template <typename Measure>
std::int64_t SumOf(const ParquetLeaves& leaves, const Measure& measure) {
  std::int64_t bytes = 0;
  for (const std::vector<int>& column : leaves) {
    for (const int leaf : column) bytes += measure(leaf);
  }
  return bytes;
}

std::int64_t DecodedBytes(const parquet::ColumnChunkMetaData& chunk) {
  const std::shared_ptr<parquet::SizeStatistics> sizes = chunk.size_statistics();
  const std::int64_t values = sizes == nullptr ? 0 : sizes->unencoded_byte_array_data_bytes.value_or(0);
  return std::clamp(std::max(chunk.total_uncompressed_size(), values), std::int64_t{0}, kMostChunkBytes);
}

std::int64_t DecodedBytes(const parquet::RowGroupMetaData& group, const ParquetLeaves& leaves) {
  return SumOf(leaves, [&group](int leaf) { return DecodedBytes(*group.ColumnChunk(leaf)); });
}

}  // namespace

std::int64_t BatchRowsOf(const parquet::RowGroupMetaData& group, const ParquetLeaves& leaves, std::int64_t most) {
  const std::int64_t bytes = DecodedBytes(group, leaves);
  if (bytes <= 0 || group.num_rows() <= 0) return most;
  const double fitting =
      static_cast<double>(group.num_rows()) * (static_cast<double>(kMaxBatchBytes) / static_cast<double>(bytes));
  return static_cast<std::int64_t>(std::clamp(fitting, 1.0, static_cast<double>(most)));
}

bool IsReadByPage(const parquet::RowGroupMetaData& group, const std::vector<int>& leaves, bool is_far) {
  return !is_far && group.num_rows() == 1 && leaves.size() == 1 &&
         IsLongValue(*group.ColumnChunk(leaves.front()), *group.schema()->Column(leaves.front()));
}

std::int64_t LongRowBytesOf(const parquet::RowGroupMetaData& group, const ParquetLeaves& leaves, bool is_far) {
  const std::int64_t rows = std::max<std::int64_t>(group.num_rows(), 1);
  if (DecodedBytes(group, leaves) / rows < kLongRowBytes) return 0;
  const auto bytes_of = [&](int leaf) {
    const auto chunk = group.ColumnChunk(leaf);
    const std::int64_t copies = IsReadByPage(group, {leaf}, is_far) ? 1 : 2;
    return std::clamp(chunk->total_compressed_size(), std::int64_t{0}, kMostChunkBytes) + copies * DecodedBytes(*chunk);
  };
  return SumOf(leaves, bytes_of) / rows;
}

}  // namespace braid
