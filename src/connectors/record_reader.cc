#include "connectors/record_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <fmt/format.h>

#include "types/batch_bytes.h"
#include "types/buffer_pool.h"
#include "types/long_rows.h"

namespace braid {

namespace {

constexpr std::int64_t kBlockBytes = std::int64_t{4} << 20;
constexpr std::int64_t kRowsPerBatch = 65536;

class RecordReader : public BatchReader {
 public:
  RecordReader(const FileSystem& fs, std::vector<FilePart> files, std::shared_ptr<const RowFormat> format)
      : fs_(fs), files_(std::move(files)), format_(std::move(format)), decoder_(format_->MakeDecoder()) {}

  Result<std::optional<Batch>> Next() override {
    while (!IsFull()) {
      if (file_ == nullptr) {
        if (next_file_ == files_.size()) break;
        BRAID_TRY(OpenNext());
      }
      BRAID_TRY(DecodeRecords());
    }
    if (decoder_->row_count() == 0) return std::exchange(long_row_, std::nullopt);
    record_bytes_ = 0;
    BRAID_TRY_ASSIGN(Batch batch, decoder_->Finish());
    return std::optional(std::move(batch));
  }

 private:
  const FilePart& current() const { return files_[next_file_ - 1]; }
  bool IsFull() const {
    return long_row_ || decoder_->row_count() >= kRowsPerBatch || record_bytes_ >= kMaxBatchBytes;
  }
  std::span<char> text() const {
    return {reinterpret_cast<char*>(text_->mutable_data()), static_cast<std::size_t>(text_->size())};
  }
  /// What is there of the next record, and what follows it.
  std::span<char> rest() const { return text().subspan(begin_); }

  Status OpenNext() {
    BRAID_TRY_ASSIGN(file_, fs_.Open(files_[next_file_].path));
    ++next_file_;
    if (file_->size_bytes() < current().size_bytes) {
      return Error(ErrorCode::kConflict, fmt::format("{} became shorter while it was read", current().path))
          .Hint("files must appear whole: write them elsewhere and rename them into the folder");
    }
    BRAID_TRY(StartText({}));
    offset_ = 0;
    records_ = 0;
    lines_ = 0;
    search_ = {};
    return Ok();
  }

  // Decodes what the buffer holds, then reads a block.
  Status DecodeRecords() {
    while (!IsFull()) {
      const bool at_end = offset_ == current().size_bytes;
      std::size_t size = format_->RecordEnd({rest().data(), rest().size()}, search_);
      if (size == std::string_view::npos) {
        if (!at_end) {
          if (static_cast<std::int64_t>(rest().size()) > kMaxRecordBytes) return TooLong();
          BRAID_TRY(ReadBlock());
          continue;
        }
        if (rest().empty()) {
          file_ = nullptr;
          return Ok();
        }
        size = rest().size();  // the last line needs no line feed
      }
      Status added = Decode(size);
      if (!added) return Located(std::move(added).error(), at_end && search_.place == RecordSearch::Place::kQuotes);
      lines_ += search_.line_feeds;
      search_ = {};
    }
    return Ok();
  }

  Status Decode(std::size_t size) {
    ++records_;
    if (static_cast<std::int64_t>(size) < kLongRowBytes) {
      begin_ += size;
      record_bytes_ += static_cast<std::int64_t>(size);
      return decoder_->Add(text().subspan(begin_ - size, size));
    }
    // The row keeps the buffer.
    const std::shared_ptr<arrow::Buffer> record =
        arrow::SliceMutableBuffer(text_, static_cast<std::int64_t>(begin_), static_cast<std::int64_t>(size));
    BRAID_TRY(StartText(rest().subspan(size)));
    BRAID_TRY_ASSIGN(long_row_, decoder_->DecodeLong(record));
    return Ok();
  }

  Status ReadBlock() {
    if (begin_ > 0) {
      const std::size_t left = rest().size();
      std::memmove(text().data(), rest().data(), left);
      begin_ = 0;
      BRAID_TRY(Resize(left));
    }
    const std::int64_t count = std::min(kBlockBytes, current().size_bytes - offset_);
    const std::size_t before = text().size();
    BRAID_TRY(Resize(before + static_cast<std::size_t>(count)));
    BRAID_TRY(file_->ReadAt(offset_, std::as_writable_bytes(text().subspan(before))));
    offset_ += count;
    return Ok();
  }

  /// A new buffer, with the bytes.
  Status StartText(std::span<const char> bytes) {
    auto buffer = arrow::AllocateResizableBuffer(static_cast<std::int64_t>(bytes.size()), BufferPool());
    if (!buffer.ok()) return NoMemory();
    if (!bytes.empty()) std::memcpy((*buffer)->mutable_data(), bytes.data(), bytes.size());
    text_ = std::move(buffer).ValueUnsafe();
    begin_ = 0;
    return Ok();
  }

  Status Resize(std::size_t size) {
    return text_->Resize(static_cast<std::int64_t>(size), /*shrink_to_fit=*/false).ok() ? Ok() : Status(NoMemory());
  }
  static Error NoMemory() { return {ErrorCode::kUnavailable, "too little memory for the records of a file"}; }

  Error Located(Error error, bool in_quotes) const {
    error = std::move(error).Context(fmt::format("while reading record {} of {}", records_, current().path));
    if (in_quotes) error = std::move(error).Hint(fmt::format("the quote in line {} is not closed", QuoteLine()));
    return error;
  }

  Error TooLong() {
    Error error(ErrorCode::kInvalidArgument,
                fmt::format("a record takes more than {} MiB, which is the most", kMaxRecordBytes >> 20));
    ++records_;
    return Located(std::move(error), search_.place == RecordSearch::Place::kQuotes);
  }

  std::int64_t QuoteLine() const { return lines_ + search_.lines_before_quote + 1; }

  const FileSystem& fs_;
  std::vector<FilePart> files_;
  std::shared_ptr<const RowFormat> format_;
  std::unique_ptr<RecordDecoder> decoder_;
  std::size_t next_file_ = 0;
  std::unique_ptr<InputFile> file_;  // null: between files
  std::shared_ptr<arrow::ResizableBuffer> text_;
  std::size_t begin_ = 0;  // of the next record in text_
  RecordSearch search_;    // for its end
  std::int64_t offset_ = 0;        // of the next block in the file
  std::int64_t records_ = 0;       // read of the file
  std::int64_t lines_ = 0;         // that they took
  std::int64_t record_bytes_ = 0;  // of the rows that the decoder has
  std::optional<Batch> long_row_;  // behind those
};

}  // namespace

std::unique_ptr<BatchReader> MakeRecordReader(const FileSystem& fs, std::vector<FilePart> files,
                                              std::shared_ptr<const RowFormat> format) {
  return std::make_unique<RecordReader>(fs, std::move(files), std::move(format));
}

}  // namespace braid
