#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "connectors/row_format.h"
#include "io/file_system.h"

namespace braid {

/// A file, or its first bytes.
struct FilePart {
  std::string path;
  std::int64_t size_bytes = 0;
};

/// The rows of files, one after the other, block by block. `fs` outlives the reader. Errors name the file and the line.
std::unique_ptr<BatchReader> MakeRecordReader(const FileSystem& fs, std::vector<FilePart> files,
                                              std::shared_ptr<const RowFormat> format);

}  // namespace braid
