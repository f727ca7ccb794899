#include "table/blob_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "format/blob_format.h"

namespace braid {

namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{0x7FFFFFFF} - kBlobRecordExtraBytes;  // as of values in `.blob` files

// "s3" of "s3://bucket/path"; empty for absolute paths of the machine's own files; nullopt for what is no address.
std::optional<std::string> SchemeOf(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (uri.starts_with('/')) return "";
  if (colon == std::string_view::npos || uri.find('/') < colon || uri.substr(colon + 1, 1) != "/") return std::nullopt;
  const std::string scheme = ToLower(uri.substr(0, colon));
  return scheme == "file" ? "" : scheme;
}

}  // namespace

bool IsInStorageOf(const Table& table, std::string_view uri) {
  const std::optional<std::string> scheme = SchemeOf(uri);
  return scheme && scheme == SchemeOf(table.paths().root());
}

Status BlobSource::Open(const std::string& uri) {
  if (file_ != nullptr && uri == uri_) return Ok();
  file_ = nullptr;
  const bool local = SchemeOf(uri) == "";
  if (!IsInStorageOf(table_, uri) && !(reads_local_ && local)) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("a BLOB value of {} lies in '{}', which is in another storage than the table", table_.name(), uri))
        .Hint("with 'blob-as-descriptor' = 'true' it is read as its descriptor");
  }
  const std::shared_ptr<FileSystem> files = IsInStorageOf(table_, uri) ? table_.shared_file_system() : LocalFileSystem();
  BRAID_TRY_ASSIGN(file_, files->Open(uri));
  uri_ = uri;
  return Ok();
}

Result<std::int64_t> BlobSource::SizeOf(const BlobDescriptor& descriptor) {
  BRAID_TRY(Open(descriptor.uri));
  const std::int64_t rest = file_->size_bytes() - descriptor.offset;
  const std::int64_t length = descriptor.length == -1 ? rest : descriptor.length;
  if (rest < 0 || length > rest) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("a BLOB value of {} is said to be {} bytes from {} on in {}, which has {}", table_.name(),
                             length, descriptor.offset, descriptor.uri, file_->size_bytes()));
  }
  if (length > kMaxBytes) {
    return Error(ErrorCode::kUnsupported, fmt::format("a BLOB value in {} has more than 2 GiB", descriptor.uri));
  }
  return length;
}

Result<std::string> BlobSource::Read(const BlobDescriptor& descriptor) {
  BRAID_TRY_ASSIGN(const std::int64_t length, SizeOf(descriptor));
  std::string bytes(static_cast<std::size_t>(length), '\0');
  BRAID_TRY(file_->ReadAt(descriptor.offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

}  // namespace braid
