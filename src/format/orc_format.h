#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "format/file_format.h"

namespace braid {

/// ORC as Java writes and reads it (spec data.md §2.4).
///
/// Timestamps with local time zone are instants in UTC, as `orc.timestamp-ltz.legacy.type` has them where the zone is
/// UTC.
const FileFormat& OrcFormat();

// The format's two halves, each in a source of its own.
Result<std::unique_ptr<FileReader>> OpenOrcReader(const FileSystem& file_system, std::string_view path,
                                                  const FileReadRequest& request);
Result<std::unique_ptr<FileWriter>> OpenOrcWriter(FileSystem& file_system, std::string_view path,
                                                  std::span<const DataField> fields, const Options& options);

}  // namespace braid
