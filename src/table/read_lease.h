#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/strong_id.h"
#include "io/file_system.h"
#include "meta/table_paths.h"

namespace braid {

/// The oldest snapshot of a line that a live read lease names (`.braid/readers/`, spec branches.md §3.5); nullopt if
/// none does. Leases whose reader has been silent for longer than their time and 30 s are removed. Errors: kCorruption
/// for a lease that cannot be read, since it may name anything.
Result<std::optional<SnapshotId>> OldestLeasedSnapshot(FileSystem& fs, const TablePaths& paths,
                                                       std::string_view line_id, std::int64_t now_ms);

}  // namespace braid
