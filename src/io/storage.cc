#include "io/storage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/arrow_file_system_internal.h"
#include "io/s3_file_system.h"

namespace braid {

namespace {

constexpr std::string_view kS3Schemes[] = {"s3", "s3a", "s3n", "oss"};
constexpr std::string_view kReadableSchemes[] = {"gs", "abfs", "abfss", "hdfs"};

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

bool IsLocal(std::string_view address) {
  const std::size_t colon = address.find(':');
  return colon == std::string_view::npos || address.substr(colon, 3) != "://" ||
         EqualsIgnoreCase(address.substr(0, colon), "file");
}

Result<Storage> OpenStorage(std::string_view address, const Options& options) {
  std::string root(address);
  const std::size_t colon = root.find(':');
  if (EqualsIgnoreCase(root.substr(0, 5), "file:")) {
    root = root.substr(5);
    const std::size_t start = root.find_first_not_of('/');
    return Storage{.files = LocalFileSystem(), .root = WithoutTrailingSlash("/" + (start == std::string::npos ? "" : root.substr(start)))};
  }
  if (IsLocal(root)) {
    return Storage{.files = LocalFileSystem(), .root = WithoutTrailingSlash(std::move(root))};
  }
  const std::string scheme = ToLower(root.substr(0, colon));
  root = WithoutTrailingSlash(scheme + root.substr(colon));
  if (root.find('/', colon + 3) == colon + 3 || root.size() <= colon + 3) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' names no bucket", address))
        .Hint(fmt::format("give {}://bucket/path", scheme));
  }
  if (std::ranges::find(kS3Schemes, scheme) != std::end(kS3Schemes)) {
    BRAID_TRY_ASSIGN(S3Settings settings, ReadS3Settings(options, scheme));
    std::shared_ptr<FileSystem> files = MakeS3FileSystem(std::move(settings), root);
    return Storage{.files = std::move(files), .root = std::move(root)};
  }
  if (std::ranges::find(kReadableSchemes, scheme) != std::end(kReadableSchemes)) {
    BRAID_TRY_ASSIGN(std::shared_ptr<FileSystem> files, OpenArrowFileSystem(root, options));
    return Storage{.files = std::move(files), .root = std::move(root)};
  }
  return Error(ErrorCode::kUnsupported, fmt::format("storage of scheme '{}' is not supported", scheme))
      .Hint("give a local folder or s3://bucket/path; gs://, abfs:// and hdfs:// can be read");
}

}  // namespace braid
