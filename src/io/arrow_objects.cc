#include <cerrno>
#include <chrono>
#include <utility>

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/util/io_util.h>
#include <fmt/format.h>

#include "io/arrow_objects_internal.h"
#include "io/store_remedies_internal.h"

namespace braid {

namespace {

struct Explanation {
  std::string_view word;  // in the text that Arrow makes of the store's answer
  ErrorCode code;
  std::string_view why;
  std::string_view hint;
};

constexpr Explanation kExplanations[] = {
    {"NO_SUCH_BUCKET", ErrorCode::kNotFound, "there is no such bucket", kMakeBucket},
    {"ACCESS_DENIED", ErrorCode::kPermissionDenied, "the store refuses access", kCheckKeys},
    {"INVALID_ACCESS_KEY_ID", ErrorCode::kPermissionDenied, "the store does not know the access key", kCheckKeys},
    {"SIGNATURE_DOES_NOT_MATCH", ErrorCode::kPermissionDenied, "the secret key does not fit the access key", kCheckKeys},
    {"HTTP status 403", ErrorCode::kPermissionDenied, "the store refuses access", kCheckKeys},
    {"NETWORK_CONNECTION", ErrorCode::kUnavailable, "no answer from the store", kCheckNetwork},
    {"SLOW_DOWN", ErrorCode::kUnavailable, "the store asks for fewer requests", kRepeatLater},
    {"SERVICE_UNAVAILABLE", ErrorCode::kUnavailable, "the store is not available", kRepeatLater},
    {"INTERNAL_FAILURE", ErrorCode::kUnavailable, "the store failed", kRepeatLater},
    {"HTTP status 429", ErrorCode::kUnavailable, "the store asks for fewer requests", kRepeatLater},
    {"HTTP status 501", ErrorCode::kUnsupported, "the store does not know this request", "use a store that speaks all of S3"},
    {"HTTP status 5", ErrorCode::kUnavailable, "the store failed", kRepeatLater},
    {"HTTP status 301", ErrorCode::kInvalidArgument, "the store does not hold this bucket", kGiveRegion},
    {"HTTP status 307", ErrorCode::kInvalidArgument, "the store does not hold this bucket", kGiveRegion},
};

}  // namespace

Error ArrowError(std::string_view action, std::string_view path, const arrow::Status& status) {
  const std::string where = fmt::format("cannot {} {}", action, path);
  const std::string said = status.message();
  for (const Explanation& known : kExplanations) {
    if (said.find(known.word) != std::string::npos) {
      return Error(known.code, fmt::format("{}: {}", where, known.why)).Hint(std::string(known.hint));
    }
  }
  if (arrow::internal::ErrnoFromStatus(status) == ENOENT) return Error(ErrorCode::kNotFound, where + ": it does not exist");
  return Error(ErrorCode::kIo, fmt::format("{}: {}", where, said));
}

Result<std::vector<FileInfo>> ArrowObjects::List(std::string_view directory) const {
  BRAID_TRY_ASSIGN(std::string folder, to_arrow_(directory));
  arrow::fs::FileSelector selector;
  selector.base_dir = std::move(folder);
  selector.allow_not_found = true;
  const arrow::Result<std::vector<arrow::fs::FileInfo>> found = files_->GetFileInfo(selector);
  if (!found.ok()) return ArrowError("list", directory, found.status());
  std::vector<FileInfo> children;
  children.reserve(found->size());
  for (const arrow::fs::FileInfo& info : *found) children.push_back({.name = info.base_name(), .is_directory = info.IsDirectory()});
  return children;
}

Result<bool> ArrowObjects::IsFolder(std::string_view path) const {
  BRAID_TRY_ASSIGN(std::string folder, to_arrow_(path));
  arrow::fs::FileSelector selector;
  selector.base_dir = std::move(folder);
  const arrow::Result<std::vector<arrow::fs::FileInfo>> found = files_->GetFileInfo(selector);
  if (found.ok()) return true;
  const Error error = ArrowError("look at", path, found.status());
  if (error.code() == ErrorCode::kNotFound) return false;
  return error;
}

Result<FileStatus> ArrowObjects::Stat(std::string_view path) const {
  BRAID_TRY_ASSIGN(const std::string name, to_arrow_(path));
  const arrow::Result<arrow::fs::FileInfo> info = files_->GetFileInfo(name);
  if (!info.ok()) return ArrowError("look at", path, info.status());
  if (info->type() == arrow::fs::FileType::NotFound) {
    return Error(ErrorCode::kNotFound, fmt::format("cannot find {}: it does not exist", path));
  }
  FileStatus status{.is_directory = info->IsDirectory()};
  if (!status.is_directory) status.size_bytes = info->size();
  if (info->mtime() != arrow::fs::kNoTime) {
    status.modified_ms = std::chrono::duration_cast<std::chrono::milliseconds>(info->mtime().time_since_epoch()).count();
  }
  // No store tells who a file is; what is never renamed is its name and the time that it was written.
  status.file_id = std::hash<std::string>()(fmt::format("{} {}", name, status.modified_ms));
  return status;
}

Status ArrowObjects::DeleteBelow(std::string_view directory) const {
  BRAID_TRY_ASSIGN(const std::string folder, to_arrow_(directory));
  const arrow::Status deleted = files_->DeleteDirContents(folder, /*missing_dir_ok=*/true);
  if (!deleted.ok()) return ArrowError("delete", directory, deleted);
  return Ok();
}

Result<std::shared_ptr<arrow::io::OutputStream>> ArrowObjects::OpenOutput(std::string_view path) const {
  BRAID_TRY_ASSIGN(const std::string name, to_arrow_(path));
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> stream = files_->OpenOutputStream(name);
  if (!stream.ok()) return ArrowError("write", path, stream.status());
  return *std::move(stream);
}

Result<std::shared_ptr<arrow::io::RandomAccessFile>> ArrowObjects::OpenInput(std::string_view path) const {
  BRAID_TRY_ASSIGN(const std::string name, to_arrow_(path));
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> file = files_->OpenInputFile(name);
  if (!file.ok()) return ArrowError("open", path, file.status());
  return *std::move(file);
}

}  // namespace braid
