#include "format/arrow_io.h"

#include <algorithm>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>
#include <fmt/format.h>

#include "types/buffer_pool.h"

namespace braid {
namespace {

/// Carries one of our errors through Arrow's status.
class ErrorDetail : public arrow::StatusDetail {
 public:
  static constexpr const char* kTypeId = "braid::ErrorDetail";

  explicit ErrorDetail(Error error) : error_(std::move(error)) {}
  const char* type_id() const override { return kTypeId; }
  std::string ToString() const override { return error_.message(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

arrow::Status ToArrowStatus(Status status) {
  if (status) return arrow::Status::OK();
  std::string message = status.error().message();
  return {arrow::StatusCode::IOError, std::move(message), std::make_shared<ErrorDetail>(std::move(status).error())};
}

class ArrowInput : public arrow::io::RandomAccessFile {
 public:
  explicit ArrowInput(std::unique_ptr<InputFile> file) : file_(std::move(file)) { set_mode(arrow::io::FileMode::READ); }

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Result<int64_t> GetSize() override { return file_->size_bytes(); }
  arrow::Status Seek(int64_t position) override {
    if (position < 0) return arrow::Status::Invalid("a position before the start of the file");
    position_ = position;
    return arrow::Status::OK();
  }

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t byte_count, void* out) override {
    if (position < 0 || byte_count < 0) return arrow::Status::Invalid("a range before the start of the file");
    const int64_t available = std::clamp<int64_t>(file_->size_bytes() - position, 0, byte_count);
    if (available > 0) {
      const std::span<std::byte> target(static_cast<std::byte*>(out), static_cast<std::size_t>(available));
      ARROW_RETURN_NOT_OK(ToArrowStatus(file_->ReadAt(position, target)));
    }
    return available;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t byte_count) override {
    // The byte count comes from the file, so a damaged one must not decide how much memory is taken.
    const int64_t available =
        std::clamp<int64_t>(file_->size_bytes() - std::max<int64_t>(position, 0), 0, std::max<int64_t>(byte_count, 0));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> buffer,
                          arrow::AllocateResizableBuffer(available, BufferPool()));
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position, available, buffer->mutable_data()));
    ARROW_RETURN_NOT_OK(buffer->Resize(read));
    return buffer;
  }
  arrow::Result<int64_t> Read(int64_t byte_count, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t read, ReadAt(position_, byte_count, out));
    position_ += read;
    return read;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t byte_count) override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, ReadAt(position_, byte_count));
    position_ += buffer->size();
    return buffer;
  }

 private:
  std::unique_ptr<InputFile> file_;
  int64_t position_ = 0;
  bool closed_ = false;
};

class ArrowOutput : public arrow::io::OutputStream {
 public:
  explicit ArrowOutput(OutputFile& file) : file_(file) { set_mode(arrow::io::FileMode::WRITE); }

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return file_.position(); }
  arrow::Status Write(const void* data, int64_t byte_count) override {
    return ToArrowStatus(file_.Append({static_cast<const char*>(data), static_cast<std::size_t>(byte_count)}));
  }

 private:
  OutputFile& file_;  // the caller's, outlives the stream
  bool closed_ = false;
};

/// Arrow's text without the places in its sources that some builds append.
std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::shared_ptr<arrow::io::RandomAccessFile> MakeArrowInput(std::unique_ptr<InputFile> file) {
  return std::make_shared<ArrowInput>(std::move(file));
}

std::shared_ptr<arrow::io::OutputStream> MakeArrowOutput(OutputFile& file) {
  return std::make_shared<ArrowOutput>(file);
}

Error ArrowError(const arrow::Status& status, ArrowTask task, std::string_view path) {
  if (status.detail() != nullptr && status.detail()->type_id() == ErrorDetail::kTypeId) {
    return static_cast<const ErrorDetail&>(*status.detail()).error();
  }
  const std::string text = FirstLine(status.message());
  if (status.IsOutOfMemory()) {
    return Error(ErrorCode::kUnavailable, fmt::format("out of memory at {}: {}", path, text));
  }
  if (task == ArrowTask::kWriting) {
    return Error(ErrorCode::kInternal, fmt::format("cannot write {}: {}", path, text));
  }
  if (status.IsNotImplemented()) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} uses a feature that cannot be read: {}", path, text));
  }
  return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: {}", path, text));
}

}  // namespace braid
