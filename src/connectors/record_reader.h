#pragma once

#include <cstdint>
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

/// The longest record. One that does not end within that, perhaps for a quote that is never closed, is an error.
inline constexpr std::int64_t kMaxRecordBytes = std::int64_t{256} << 20;

/// The rows of files, one after the other, block by block. Of a record from kLongRowBytes on the row is a batch of its
/// own, whose values are in the memory that the record was read into, or parked (ParkLongValues). `fs` outlives the
/// reader. Errors name the file and the record, and the line of a quote that is not closed.
std::unique_ptr<BatchReader> MakeRecordReader(const FileSystem& fs, std::vector<FilePart> files,
                                              std::shared_ptr<const RowFormat> format);

}  // namespace braid
