#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "io/file_system.h"
#include "table/lines.h"

namespace braid {

/// The folders outside the table's own in which any schema of any of these lines lets data files lie
/// (`data-file.external-paths`). Schemas that cannot be read are passed over.
Result<std::set<std::string>> ExternalDataPaths(const FileSystem& fs, const TableLines& lines);

}  // namespace braid
