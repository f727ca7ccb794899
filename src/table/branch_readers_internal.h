#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/table_paths.h"

namespace braid {

/// Owners of the live read leases that name the line (spec branches.md §3.5).
Result<std::vector<std::string>> LiveReadersOf(const FileSystem& fs, const TablePaths& root, std::string_view line_id,
                                               std::int64_t now_ms);

}  // namespace braid
