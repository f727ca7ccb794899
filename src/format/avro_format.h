#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "format/file_format.h"

namespace braid {

/// Avro data files as Java writes and reads them (spec data.md §2.5).
const FileFormat& AvroFormat();

// The format's parts, each in a source of its own.
Result<std::unique_ptr<FileReader>> OpenAvroReader(const FileSystem& file_system, std::string_view path,
                                                   const FileReadRequest& request);
Result<std::unique_ptr<FileWriter>> OpenAvroWriter(FileSystem& file_system, std::string_view path,
                                                   std::span<const DataField> fields, const Options& options);

/// The text of the schema that Java stores with rows of these columns.
/// Errors: kUnsupported for a type that Avro files of Paimon cannot hold, or a column that Avro cannot name.
Result<std::string> MakeAvroSchemaJson(std::span<const DataField> fields);

}  // namespace braid
