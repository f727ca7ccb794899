#pragma once

#include <vector>

#include "base/result.h"
#include "meta/stores.h"

namespace braid {

/// Writes entries into one manifest of whatever size, without summing up their partitions, so that nothing needs to be
/// known of the table. Not synced. Errors: those of the file system.
Result<WrittenMetadata> WriteSingleManifest(FileSystem& fs, const TablePaths& paths, MetadataFileNames& names,
                                            const std::vector<ManifestEntry>& entries,
                                            const ManifestWriteOptions& options);

}  // namespace braid
