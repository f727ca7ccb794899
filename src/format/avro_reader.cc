#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "format/avro_codec.h"
#include "format/avro_container.h"
#include "format/avro_cursor.h"
#include "format/avro_decoder.h"
#include "format/avro_format.h"
#include "format/avro_schema.h"
#include "types/batch_bytes.h"
#include "types/long_rows.h"
#include "types/parked_values.h"

namespace braid {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::size_t kBlockHeadBytes = 20;  // two longs
constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 20;
constexpr std::size_t kKeptBytes = std::size_t{4} << 20;

/// A stretch of a file that moves forward, so that a file need not be in memory as a whole.
class FileWindow {
 public:
  explicit FileWindow(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}

  /// Makes so many bytes visible, or as many as the file has left.
  Status Fill(std::size_t byte_count) {
    if (bytes_.size() - start_ >= byte_count) return Ok();
    bytes_.erase(0, std::exchange(start_, 0));
    const std::int64_t left = file_->size_bytes() - next_;
    const auto wanted = static_cast<std::int64_t>(std::max(byte_count, kReadBytes) - bytes_.size());
    const auto count = static_cast<std::size_t>(std::min(left, wanted));
    const std::size_t old_size = bytes_.size();
    bytes_.resize(old_size + count);
    BRAID_TRY(file_->ReadAt(next_, std::as_writable_bytes(std::span(bytes_).subspan(old_size))));
    next_ += static_cast<std::int64_t>(count);
    return Ok();
  }
  /// Gives back what was needed for more bytes than there are now.
  void Shrink() {
    if (bytes_.capacity() <= kKeptBytes) return;
    std::string(bytes()).swap(bytes_);
    start_ = 0;
  }
  std::string_view bytes() const { return std::string_view(bytes_).substr(start_); }
  void Advance(std::size_t byte_count) { start_ += byte_count; }
  bool at_end() const { return start_ == bytes_.size() && next_ == file_->size_bytes(); }
  std::int64_t size_bytes() const { return file_->size_bytes(); }

 private:
  std::unique_ptr<InputFile> file_;
  std::string bytes_;
  std::size_t start_ = 0;
  std::int64_t next_ = 0;  // offset in the file behind bytes_
};

class AvroReader : public FileReader {
 public:
  AvroReader(std::string path, FileReadRequest request, std::unique_ptr<InputFile> file)
      : path_(std::move(path)), request_(std::move(request)), window_(std::move(file)) {}

  Status Open() { return ReadHeader().Context(fmt::format("while reading {}", path_)); }

  Result<std::optional<Batch>> Next() override { return ReadBatch().Context(fmt::format("while reading {}", path_)); }

  std::int64_t first_row_of_last_batch() const override { return first_row_; }

 private:
  /// One field of the file's records.
  struct Step {
    std::int32_t node = 0;
    AvroDecoder* column = nullptr;  // null: not wanted
  };

  Status ReadHeader() {
    // The header tells its size only by being read, so look at more of the file until it parses.
    std::size_t visible = kReadBytes;
    BRAID_TRY(window_.Fill(visible));
    Result<AvroHeader> header = ParseAvroHeader(window_.bytes());
    while (!header && header.error().code() == ErrorCode::kCorruption && visible < kMaxHeaderBytes &&
           static_cast<std::int64_t>(visible) < window_.size_bytes()) {
      visible *= 2;
      BRAID_TRY(window_.Fill(visible));
      header = ParseAvroHeader(window_.bytes());
    }
    BRAID_TRY_ASSIGN(const AvroHeader parsed, std::move(header));
    codec_ = parsed.codec;
    sync_ = parsed.sync;
    BRAID_TRY_ASSIGN(schema_, AvroSchema::Parse(parsed.schema_json));
    window_.Advance(parsed.size_bytes);
    return MakeColumns();
  }

  Status MakeColumns() {
    std::int32_t root = schema_.root();
    // Java up to 1.0 wrote ["null", record] (spec data.md §2.5).
    if (schema_.node(root).kind == AvroKind::kUnion && schema_.node(root).children.size() == 2) {
      root = schema_.node(root).children[1];
      in_union_ = true;
    }
    const AvroNode& record = schema_.node(root);
    if (record.kind != AvroKind::kRecord) return Error(ErrorCode::kCorruption, "its rows are no records");
    for (const std::int32_t child : record.children) steps_.push_back({.node = child});
    columns_.resize(request_.columns.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const DataField& field = request_.columns[i];
      const auto found = std::ranges::find(record.names, field.name);
      if (found == record.names.end()) continue;
      Step& step = steps_[static_cast<std::size_t>(found - record.names.begin())];
      BRAID_TRY_ASSIGN(columns_[i], AvroDecoder::Make(field.name, schema_, step.node, field.type));
      step.column = columns_[i].get();
    }
    return Ok();
  }

  Result<std::optional<Batch>> ReadBatch() {
    std::int64_t row_count = 0;
    std::size_t bytes = 0;
    constexpr auto kMaxBytes = static_cast<std::size_t>(kMaxBatchBytes);
    std::optional<MemoryShare> share;
    while (row_count < request_.batch_rows && bytes < kMaxBytes) {
      if (records_left_ == 0) {
        if (window_.at_end()) break;
        BRAID_TRY_ASSIGN(const std::int64_t block_bytes, NextBlockBytes());
        if (block_bytes >= kLongRowBytes) {
          if (row_count > 0) break;  // a long row is by itself
          // Compressed and decompressed, then that and its values.
          share.emplace(&LongRowMemory(), 2 * block_bytes);
        }
        BRAID_TRY(StartBlock());
        continue;
      }
      if (row_count > 0 && static_cast<std::int64_t>(records_.size()) >= kLongRowBytes && records_left_ == 1) break;
      // A block's bytes do not outlive it, but the decoders copy what they read.
      AvroCursor cursor(records_);
      const std::int64_t most = std::min(request_.batch_rows - row_count, records_left_);
      std::int64_t count = 0;
      for (; count < most && cursor.ok() && bytes + cursor.offset() < kMaxBytes; ++count) ReadRecord(cursor);
      if (!cursor.ok()) return Damaged(cursor.failure());
      bytes += cursor.offset();
      records_.remove_prefix(cursor.offset());
      records_left_ -= count;
      row_count += count;
      if (records_left_ == 0 && !records_.empty()) return Damaged("a block holds more than its rows");
      if (records_left_ == 0) EndBlock();
    }
    if (row_count == 0) return std::optional<Batch>();
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Result<std::shared_ptr<arrow::Array>> array =
          columns_[i] == nullptr ? MakeConstantColumn(Datum(), request_.columns[i].type, row_count)
                                 : columns_[i]->Finish();
      BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> finished,
                       std::move(array).Context(fmt::format("in column {}", request_.columns[i].name)));
      arrays.push_back(std::move(finished));
    }
    first_row_ = std::exchange(next_row_, next_row_ + row_count);
    Batch batch{.rows = arrow::RecordBatch::Make(ToArrowSchema(request_.columns), row_count, std::move(arrays)),
                .kinds = nullptr};
    return std::optional(ParkLongValues(batch).batch);
  }

  void ReadRecord(AvroCursor& cursor) {
    if (in_union_ && cursor.Long() != 1) return cursor.Fail("a row is null");
    for (const Step& step : steps_) {
      if (step.column != nullptr) {
        step.column->Read(cursor);
      } else {
        cursor.Skip(schema_, step.node);
      }
    }
  }

  /// From the block's beginning to the marker behind it, as the file claims; no more than the file has.
  Result<std::int64_t> NextBlockBytes() {
    BRAID_TRY(window_.Fill(kBlockHeadBytes));
    AvroCursor head(window_.bytes());
    head.Long();
    const std::int64_t byte_count = head.Long();
    if (!head.ok() || byte_count < 0 || byte_count > window_.size_bytes()) return Damaged("a block ends early");
    return static_cast<std::int64_t>(head.offset()) + byte_count;
  }

  Status StartBlock() {
    BRAID_TRY_ASSIGN(const std::int64_t block_bytes, NextBlockBytes());
    BRAID_TRY(window_.Fill(static_cast<std::size_t>(block_bytes) + kAvroSyncBytes));
    std::size_t offset = 0;
    BRAID_TRY_ASSIGN(const AvroBlock block, ParseAvroBlock(window_.bytes(), sync_, offset));
    BRAID_TRY_ASSIGN(records_, decompressor_.Decompress(codec_, block.bytes));
    records_left_ = block.record_count;
    if (records_left_ == 0 && !records_.empty()) return Damaged("a block holds more than its rows");
    // Every row takes bytes, since a table has a column. A file's own schema may say otherwise, and rows without bytes would
    // be as many as the block claims.
    if (static_cast<std::uint64_t>(records_left_) > records_.size()) return Damaged("a block holds fewer rows than it claims");
    // With codec "null" the records lie in the window, which stays as it is until the block ends.
    window_.Advance(offset);
    if (codec_ != AvroCodec::kNull) window_.Shrink();
    return Ok();
  }

  void EndBlock() {
    records_ = {};
    window_.Shrink();
    decompressor_.ReleaseLongBlock();
  }

  Error Damaged(std::string_view what) const {
    return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: {}", path_, what));
  }

  std::string path_;
  FileReadRequest request_;
  FileWindow window_;
  AvroCodec codec_ = AvroCodec::kNull;
  std::string sync_;
  AvroSchema schema_;
  bool in_union_ = false;
  std::vector<Step> steps_;
  std::vector<std::unique_ptr<AvroDecoder>> columns_;  // one a wanted column; null if the file lacks it
  AvroDecompressor decompressor_;
  // The open block.
  std::string_view records_;
  std::int64_t records_left_ = 0;
  std::int64_t next_row_ = 0;
  std::int64_t first_row_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileReader>> OpenAvroReader(const FileSystem& file_system, std::string_view path,
                                                   const FileReadRequest& request) {
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, file_system.Open(path));
  auto reader = std::make_unique<AvroReader>(std::string(path), request, std::move(file));
  BRAID_TRY(reader->Open());
  return reader;
}

}  // namespace braid
