#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "format/file_format.h"

namespace braid {

/// Parquet as Java writes and reads it (spec data.md §2.3).
const FileFormat& ParquetFormat();

// The format's parts, each in a source of its own.
Result<std::unique_ptr<FileReader>> OpenParquetReader(const FileSystem& file_system, std::string_view path,
                                                      const FileReadRequest& request);
Result<std::vector<RowGroup>> ReadParquetRowGroups(const FileSystem& file_system, std::string_view path,
                                                   const DataField& column);
Result<std::unique_ptr<FileWriter>> OpenParquetWriter(FileSystem& file_system, std::string_view path,
                                                      std::span<const DataField> fields, const Options& options);

}  // namespace braid
