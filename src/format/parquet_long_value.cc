#include "format/parquet_long_value.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <parquet/column_page.h>

#include "base/little_endian.h"
#include "types/long_rows.h"

namespace braid {
namespace {

constexpr std::int64_t kLengthBytes = 4;

arrow::Status Damaged() {
  return arrow::Status::Invalid("a page of one long value is damaged");
}

/// What a page holds: whether there is a value, and where the values begin.
struct PageContent {
  bool is_null = false;
  std::int64_t values_offset = 0;
};

PageContent ContentOf(std::int16_t definition_level, std::int16_t greatest, std::int64_t values_offset) {
  return {.is_null = definition_level < greatest, .values_offset = values_offset};
}

arrow::Result<PageContent> ContentOf(const parquet::DataPage& page, std::int16_t greatest) {
  std::int16_t level = greatest;
  parquet::LevelDecoder decoder;
  if (page.type() == parquet::PageType::DATA_PAGE) {
    if (greatest == 0) return ContentOf(level, greatest, 0);
    const auto& data = static_cast<const parquet::DataPageV1&>(page);
    const int bytes = decoder.SetData(data.definition_level_encoding(), greatest, 1, data.data(), data.size());
    if (decoder.Decode(1, &level) != 1) return Damaged();
    return ContentOf(level, greatest, bytes);
  }
  const auto& data = static_cast<const parquet::DataPageV2&>(page);
  const std::int32_t bytes = data.definition_levels_byte_length();
  // There are no repetition levels.
  if (bytes < 0 || bytes > data.size() || data.repetition_levels_byte_length() != 0) return Damaged();
  if (greatest == 0) return ContentOf(level, greatest, bytes);
  decoder.SetDataV2(bytes, greatest, 1, data.data());
  if (decoder.Decode(1, &level) != 1) return Damaged();
  return ContentOf(level, greatest, bytes);
}

/// A part of a page.
class PagePart : public arrow::Buffer {
 public:
  PagePart(std::shared_ptr<arrow::Buffer> page, std::int64_t start, std::int64_t size,
           std::shared_ptr<arrow::MemoryPool> pool)
      : Buffer(page->data() + start, size), pool_(std::move(pool)), page_(std::move(page)) {}

 private:
  std::shared_ptr<arrow::MemoryPool> pool_;  // goes after the page
  std::shared_ptr<arrow::Buffer> page_;
};

std::shared_ptr<arrow::DataType> TypeOf(const parquet::ColumnDescriptor& column) {
  return column.logical_type()->is_string() ? arrow::utf8() : arrow::binary();
}

}  // namespace

bool IsLongValue(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column) {
  if (column.physical_type() != parquet::Type::BYTE_ARRAY || column.max_repetition_level() > 0 ||
      column.schema_node()->parent()->parent() != nullptr) {
    return false;
  }
  if (!column.logical_type()->is_string() && !column.logical_type()->is_none()) return false;
  if (chunk.num_values() != 1 || chunk.has_dictionary_page() || chunk.total_uncompressed_size() < kLongRowBytes) {
    return false;
  }
  return std::ranges::all_of(chunk.encodings(), [](parquet::Encoding::type encoding) {
    return encoding == parquet::Encoding::PLAIN || encoding == parquet::Encoding::RLE;
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadLongValue(parquet::PageReader& pages,
                                                           const parquet::ColumnDescriptor& column,
                                                           std::shared_ptr<arrow::MemoryPool> pool) {
  const std::shared_ptr<parquet::Page> page = pages.NextPage();
  if (page == nullptr ||
      (page->type() != parquet::PageType::DATA_PAGE && page->type() != parquet::PageType::DATA_PAGE_V2)) {
    return Damaged();
  }
  const auto& data = static_cast<const parquet::DataPage&>(*page);
  if (data.num_values() != 1 || data.encoding() != parquet::Encoding::PLAIN) return Damaged();
  ARROW_ASSIGN_OR_RAISE(const PageContent content, ContentOf(data, column.max_definition_level()));
  if (content.is_null) return arrow::MakeArrayOfNull(TypeOf(column), 1);
  const std::int64_t start = content.values_offset + kLengthBytes;
  if (start > data.size()) return Damaged();
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), static_cast<std::size_t>(data.size()));
  const auto length = LittleEndianAt<std::int32_t>(bytes, static_cast<std::size_t>(content.values_offset));
  if (length < 0 || length > data.size() - start) return Damaged();
  auto value = std::make_shared<PagePart>(page->buffer(), start, length, std::move(pool));
  auto offsets = arrow::Buffer::FromVector(std::vector<std::int32_t>{0, length});
  return arrow::MakeArray(
      arrow::ArrayData::Make(TypeOf(column), 1, {nullptr, std::move(offsets), std::move(value)}, /*null_count=*/0));
}

}  // namespace braid
