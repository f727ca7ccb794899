#include "connectors/record_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "types/batch_bytes.h"

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
    if (decoder_->row_count() == 0) return std::optional<Batch>();
    record_bytes_ = 0;
    BRAID_TRY_ASSIGN(Batch batch, decoder_->Finish());
    return std::optional(std::move(batch));
  }

 private:
  const FilePart& current() const { return files_[next_file_ - 1]; }
  bool IsFull() const { return decoder_->row_count() >= kRowsPerBatch || record_bytes_ >= kMaxBatchBytes; }

  Status OpenNext() {
    BRAID_TRY_ASSIGN(file_, fs_.Open(files_[next_file_].path));
    ++next_file_;
    if (file_->size_bytes() < current().size_bytes) {
      return Error(ErrorCode::kConflict, fmt::format("{} became shorter while it was read", current().path))
          .Hint("files must appear whole: write them elsewhere and rename them into the folder");
    }
    text_.clear();
    begin_ = 0;
    offset_ = 0;
    line_ = 0;
    return Ok();
  }

  // Decodes what the buffer holds, then reads a block.
  Status DecodeRecords() {
    while (!IsFull()) {
      const bool at_end = offset_ == current().size_bytes;
      std::size_t end = format_->RecordEnd(text_, begin_);
      if (end == std::string_view::npos) {
        if (!at_end) {
          BRAID_TRY(ReadBlock());
          continue;
        }
        if (begin_ == text_.size()) {
          file_ = nullptr;
          return Ok();
        }
        end = text_.size();  // the last line needs no line feed
      }
      ++line_;
      Status added = decoder_->Add(std::string_view(text_).substr(begin_, end - begin_));
      if (!added)
        return std::move(added).error().Context(fmt::format("while reading record {} of {}", line_, current().path));
      record_bytes_ += static_cast<std::int64_t>(end - begin_);
      begin_ = end;
    }
    return Ok();
  }

  Status ReadBlock() {
    if (begin_ > static_cast<std::size_t>(kMaxBatchBytes)) {
      text_ = text_.substr(begin_);  // lets go of what a long record took
    } else {
      text_.erase(0, begin_);
    }
    begin_ = 0;
    const std::int64_t count = std::min(kBlockBytes, current().size_bytes - offset_);
    const std::size_t before = text_.size();
    text_.resize(before + static_cast<std::size_t>(count));
    BRAID_TRY(file_->ReadAt(offset_, std::as_writable_bytes(std::span(text_).subspan(before))));
    offset_ += count;
    return Ok();
  }

  const FileSystem& fs_;
  std::vector<FilePart> files_;
  std::shared_ptr<const RowFormat> format_;
  std::unique_ptr<RecordDecoder> decoder_;
  std::size_t next_file_ = 0;
  std::unique_ptr<InputFile> file_;  // null: between files
  std::string text_;
  std::size_t begin_ = 0;    // of the next record in text_
  std::int64_t offset_ = 0;  // of the next block in the file
  std::int64_t line_ = 0;    // records read of the file
  std::int64_t record_bytes_ = 0;  // of the rows that the decoder has
};

}  // namespace

std::unique_ptr<BatchReader> MakeRecordReader(const FileSystem& fs, std::vector<FilePart> files,
                                              std::shared_ptr<const RowFormat> format) {
  return std::make_unique<RecordReader>(fs, std::move(files), std::move(format));
}

}  // namespace braid
