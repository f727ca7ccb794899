#include "format/parquet_long_page.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/result.h>
#include <parquet/column_page.h>
#include <parquet/exception.h>

#include "types/buffer_pool.h"
#include "types/long_rows.h"

namespace braid {
namespace {

constexpr std::int64_t kLengthBytes = 4;
constexpr std::int64_t kLeastRoomBytes = 64 * 1024;  // that a compressor is given for its output

/// A page's content, compressed while it comes where the codec can do that.
class PageBody {
 public:
  /// `codec` is null for none.
  explicit PageBody(arrow::util::Codec* codec) : codec_(codec) {
    if (codec == nullptr) return;
    arrow::Result<std::shared_ptr<arrow::util::Compressor>> compressor = codec->MakeCompressor();
    if (compressor.ok()) compressor_ = std::move(compressor).ValueUnsafe();
  }

  /// To be called once, first. `bytes`: of all that will be added.
  arrow::Status MakeRoomFor(std::int64_t bytes) {
    const std::int64_t room =
        compressor_ == nullptr ? bytes : codec_->MaxCompressedLen(bytes, nullptr) + kLeastRoomBytes;
    // What is not used of it is not touched.
    ARROW_ASSIGN_OR_RAISE(out_, arrow::AllocateResizableBuffer(room, BufferPool()));
    return arrow::Status::OK();
  }

  /// How often the content is in memory in the end: compressed, and before that where the codec works on whole pages.
  std::int64_t copies() const { return codec_ != nullptr && compressor_ == nullptr ? 2 : 1; }

  arrow::Status Add(const std::uint8_t* bytes, std::int64_t count) {
    if (compressor_ == nullptr) {
      std::memcpy(out_->mutable_data() + size_, bytes, static_cast<std::size_t>(count));
      size_ += count;
      return arrow::Status::OK();
    }
    while (count > 0) {
      ARROW_RETURN_NOT_OK(MakeRoom());
      ARROW_ASSIGN_OR_RAISE(const auto done,
                            compressor_->Compress(count, bytes, out_->size() - size_, out_->mutable_data() + size_));
      bytes += done.bytes_read;
      count -= done.bytes_read;
      size_ += done.bytes_written;
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Finish() {
    if (compressor_ != nullptr) {
      for (bool more = true; more;) {
        ARROW_RETURN_NOT_OK(MakeRoom());
        ARROW_ASSIGN_OR_RAISE(const auto end, compressor_->End(out_->size() - size_, out_->mutable_data() + size_));
        size_ += end.bytes_written;
        more = end.should_retry;
      }
      ARROW_RETURN_NOT_OK(out_->Resize(size_, /*shrink_to_fit=*/false));
      return std::shared_ptr<arrow::Buffer>(std::move(out_));
    }
    if (codec_ == nullptr) return std::shared_ptr<arrow::Buffer>(std::move(out_));
    const std::int64_t room = codec_->MaxCompressedLen(size_, out_->data());
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ResizableBuffer> compressed,
                          arrow::AllocateResizableBuffer(room, BufferPool()));
    ARROW_ASSIGN_OR_RAISE(const std::int64_t bytes,
                          codec_->Compress(size_, out_->data(), room, compressed->mutable_data()));
    ARROW_RETURN_NOT_OK(compressed->Resize(bytes, /*shrink_to_fit=*/false));
    return std::shared_ptr<arrow::Buffer>(std::move(compressed));
  }

 private:
  arrow::Status MakeRoom() {
    if (out_->size() - size_ >= kLeastRoomBytes) return arrow::Status::OK();
    return out_->Resize(out_->size() + out_->size() / 8 + kLeastRoomBytes, /*shrink_to_fit=*/false);
  }

  arrow::util::Codec* codec_;
  std::shared_ptr<arrow::util::Compressor> compressor_;  // null: the codec works on whole pages
  std::unique_ptr<arrow::ResizableBuffer> out_;
  std::int64_t size_ = 0;
};

void AddLittleEndian(std::uint32_t value, std::vector<std::uint8_t>& bytes) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

/// Levels as they stand in a page of version 1: their length, then runs.
void AddLevels(const std::vector<std::int16_t>& levels, std::int16_t greatest, std::vector<std::uint8_t>& bytes) {
  if (greatest == 0) return;
  const auto count = static_cast<int>(levels.size());
  std::vector<std::uint8_t> runs(
      static_cast<std::size_t>(parquet::LevelEncoder::MaxBufferSize(parquet::Encoding::RLE, greatest, count)));
  parquet::LevelEncoder encoder;
  encoder.Init(parquet::Encoding::RLE, greatest, count, runs.data(), static_cast<int>(runs.size()));
  encoder.Encode(count, levels.data());
  AddLittleEndian(static_cast<std::uint32_t>(encoder.len()), bytes);
  bytes.insert(bytes.end(), runs.begin(), runs.begin() + encoder.len());
}

}  // namespace

arrow::Result<std::int64_t> WriteLongPage(const ParquetLeaf& leaf, const parquet::ColumnDescriptor& column,
                                          const PageCodec& codec, parquet::PageWriter& pages) {
  const auto& values = static_cast<const arrow::BinaryArray&>(*leaf.values);
  std::vector<std::uint8_t> levels;
  AddLevels(leaf.repetition_levels, column.max_repetition_level(), levels);
  AddLevels(leaf.definition_levels, column.max_definition_level(), levels);
  std::int64_t bytes = static_cast<std::int64_t>(levels.size());
  for (std::int64_t i = 0; i < values.length(); ++i)
    bytes += values.IsNull(i) ? 0 : kLengthBytes + values.value_length(i);

  std::unique_ptr<arrow::util::Codec> compression;
  if (codec.type != arrow::Compression::UNCOMPRESSED) {
    ARROW_ASSIGN_OR_RAISE(compression, arrow::util::Codec::Create(codec.type, codec.level));
  }
  PageBody body(compression.get());
  const MemoryShare share(&LongRowMemory(), body.copies() * bytes);
  ARROW_RETURN_NOT_OK(body.MakeRoomFor(bytes));
  ARROW_RETURN_NOT_OK(body.Add(levels.data(), static_cast<std::int64_t>(levels.size())));
  std::vector<std::uint8_t> length;
  for (std::int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    const std::string_view value = values.GetView(i);
    length.clear();
    AddLittleEndian(static_cast<std::uint32_t>(value.size()), length);
    ARROW_RETURN_NOT_OK(body.Add(length.data(), kLengthBytes));
    ARROW_RETURN_NOT_OK(
        body.Add(reinterpret_cast<const std::uint8_t*>(value.data()), static_cast<std::int64_t>(value.size())));
  }
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> content, body.Finish());
  const std::int64_t written = pages.WriteDataPage(
      parquet::DataPageV1(content, static_cast<std::int32_t>(leaf.level_count), parquet::Encoding::PLAIN,
                          parquet::Encoding::RLE, parquet::Encoding::RLE, bytes, parquet::EncodedStatistics(),
                          /*first_row_index=*/0));
  pages.Close(/*has_dictionary=*/false, /*fallback=*/false);
  return written;
}

}  // namespace braid
