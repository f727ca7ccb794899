// Files named by writer and barrier: a commit that is repeated finds its file there and leaves it.

#include <utility>

#include <fmt/format.h>

#include "base/long_text.h"
#include "connectors/connector_internal.h"
#include "connectors/row_format.h"
#include "io/file_system.h"

namespace braid {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;

class FileSink : public ConnectorSink {
 public:
  FileSink(std::shared_ptr<const RowFormat> format, FileSinkTarget target)
      : format_(std::move(format)), target_(std::move(target)) {
    for (char& c : target_.writer) {
      if (c == '/') c = '-';
    }
  }
  ~FileSink() override {
    // Rows that were never prepared belong to nobody.
    if (file_ == nullptr) return;
    file_.reset();
    static_cast<void>(LocalFileSystem()->Delete(hidden_));
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Status Write(const Batch& batch) override {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (IsAdd(batch.kind(row))) continue;
      return Error(ErrorCode::kInvalidArgument, fmt::format("files in {} cannot take a row back ({})",
                                                            target_.directory, RowKindName(batch.kind(row))))
          .Hint("write into a Paimon table with a primary key");
    }
    BRAID_TRY(format_->Encode(batch, text_));
    if (text_.size() < kBufferBytes) return Ok();
    BRAID_TRY(Flush());
    if (text_.capacity() > kKeptBytes) Release(text_);  // what a long value took
    return Ok();
  }

  Result<Json> Prepare(std::int64_t barrier) override {
    if (file_ == nullptr && text_.empty()) return Json();
    BRAID_TRY(Flush());
    BRAID_TRY(file_->CloseSynced());
    file_.reset();
    Json prepared;
    prepared.Add("from", std::exchange(hidden_, {}));
    prepared.Add(
        "to", JoinPath(target_.directory, fmt::format("part-{}-{}.{}", target_.writer, barrier, format_->extension())));
    return prepared;
  }

  Status Commit(const Json& prepared) override {
    BRAID_TRY_ASSIGN(const std::string from, prepared.GetString("from"));
    BRAID_TRY_ASSIGN(const std::string to, prepared.GetString("to"));
    const std::shared_ptr<FileSystem> fs = LocalFileSystem();
    BRAID_TRY_ASSIGN(const bool waiting, fs->Exists(from));
    if (waiting) BRAID_TRY(fs->Rename(from, to));
    BRAID_TRY_ASSIGN(const bool there, fs->Exists(to));
    if (!there) return Error(ErrorCode::kConflict, fmt::format("{} is gone, and {} is not there", from, to));
    const std::vector<std::string> paths = {to};
    return fs->SyncFiles(paths);
  }

 private:
  Status Flush() {
    if (file_ == nullptr) {
      hidden_ =
          JoinPath(target_.directory, fmt::format(".part-{}.{}.inprogress", target_.writer, format_->extension()));
      // One of a process that died before it decided.
      BRAID_TRY(LocalFileSystem()->Delete(hidden_));
      BRAID_TRY_ASSIGN(file_, LocalFileSystem()->Create(hidden_));
    }
    BRAID_TRY(file_->Append(text_));
    text_.clear();
    return Ok();
  }

  std::shared_ptr<const RowFormat> format_;
  FileSinkTarget target_;
  std::string text_;
  std::string hidden_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace

std::unique_ptr<ConnectorSink> MakeFileSink(std::shared_ptr<const RowFormat> format, FileSinkTarget target) {
  return std::make_unique<FileSink>(std::move(format), std::move(target));
}

}  // namespace braid
