#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/manifest.h"

namespace braid {

/// Puts the file indexes of a data file into `file`, or, if they are larger than that, into "<path>.index" beside it, which
/// `file` then names (spec data.md §12.2). Unsynced: the commit syncs it.
Status StoreFileIndex(FileSystem& file_system, std::string_view path, const std::string& index,
                      std::int64_t max_embedded_bytes, DataFileMeta& file);

}  // namespace braid
