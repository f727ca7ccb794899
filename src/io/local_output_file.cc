#include <cerrno>
#include <utility>

#include <unistd.h>

#include "io/file_error_internal.h"
#include "io/local_file_internal.h"

namespace braid {
namespace {

// Writers of Parquet append many small pieces; one system call each would cost more than the copying.
constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

class LocalOutputFile : public OutputFile {
 public:
  LocalOutputFile(FileDescriptor descriptor, std::string path, DurableDirectories& durable)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), durable_(durable) {}

  Status Append(std::string_view bytes) override {
    position_ += static_cast<std::int64_t>(bytes.size());
    if (buffer_.size() + bytes.size() > kBufferBytes) {
      BRAID_TRY(Flush());
      if (bytes.size() >= kBufferBytes) return WriteFully(descriptor_.number(), bytes, path_);
    }
    buffer_.append(bytes);
    return Ok();
  }

  std::int64_t position() const override { return position_; }

  Status CloseSynced() override {
    BRAID_TRY(Flush());
    BRAID_TRY(SyncDescriptor(descriptor_.number(), path_));
    BRAID_TRY(descriptor_.Close(path_));
    return durable_.Sync(DirectoryName(path_));
  }

  Status Close() override {
    BRAID_TRY(Flush());
    return descriptor_.Close(path_);
  }

 private:
  Status Flush() {
    BRAID_TRY(WriteFully(descriptor_.number(), buffer_, path_));
    buffer_.clear();
    return Ok();
  }

  FileDescriptor descriptor_;
  const std::string path_;
  DurableDirectories& durable_;  // of the file system, which lives as long as the process
  std::string buffer_;
  std::int64_t position_ = 0;
};

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (is_open()) close(number_);
}

int FileDescriptor::Release() {
  return std::exchange(number_, -1);
}

Status FileDescriptor::Close(std::string_view path) {
  // Linux frees the descriptor even if close reports EINTR, so it is never closed twice.
  if (is_open() && close(Release()) != 0 && errno != EINTR) return FileError("write", path, errno);
  return Ok();
}

Status WriteFully(int descriptor, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok();
}

std::unique_ptr<OutputFile> MakeLocalOutputFile(FileDescriptor descriptor, std::string path,
                                                DurableDirectories& durable) {
  return std::make_unique<LocalOutputFile>(std::move(descriptor), std::move(path), durable);
}

}  // namespace braid
