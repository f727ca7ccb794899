#pragma once

// Arrow's file systems behind Braid's words: folders, listings, large uploads.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/filesystem/filesystem.h>

#include "io/file_system.h"

namespace braid {

/// Errors of Arrow about a path, in Braid's codes. `store` is named where the store itself is at fault.
Error ArrowError(std::string_view action, std::string_view path, const arrow::Status& status);

/// Calls with the path as Arrow wants it.
class ArrowObjects {
 public:
  ArrowObjects(std::shared_ptr<arrow::fs::FileSystem> files, std::function<Result<std::string>(std::string_view)> to_arrow)
      : files_(std::move(files)), to_arrow_(std::move(to_arrow)) {}

  /// Empty if there is no such folder.
  Result<std::vector<FileInfo>> List(std::string_view directory) const;
  /// Whether something is below the name, or a mark says that it is a folder.
  Result<bool> IsFolder(std::string_view path) const;
  Result<FileStatus> Stat(std::string_view path) const;
  /// Deletes all below a folder; succeeds if there is none.
  Status DeleteBelow(std::string_view directory) const;
  Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutput(std::string_view path) const;
  Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInput(std::string_view path) const;

 private:
  std::shared_ptr<arrow::fs::FileSystem> files_;
  std::function<Result<std::string>(std::string_view)> to_arrow_;
};

}  // namespace braid
