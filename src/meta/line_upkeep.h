#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "io/file_system.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"

namespace braid {

// What upkeep does to a line's metadata files beside reading and adding them (meta/stores.h). Safe from every thread.
// Errors: those of FileSystem. Removing succeeds if the file is absent, and never touches what the file names.

Status DeleteSnapshot(FileSystem& fs, const TablePaths& paths, SnapshotId id);

/// Writes a long-lived changelog over one that is there.
Status WriteChangelog(FileSystem& fs, const TablePaths& paths, const Snapshot& changelog);
Status DeleteChangelog(FileSystem& fs, const TablePaths& paths, SnapshotId id);
/// Hints of `changelog/`; −1 says that the latest is not known.
Status WriteLatestChangelogHint(FileSystem& fs, const TablePaths& paths, std::int64_t id);
Status WriteEarliestChangelogHint(FileSystem& fs, const TablePaths& paths, SnapshotId id);
Status DeleteChangelogHints(FileSystem& fs, const TablePaths& paths);

/// Errors: kNotFound if there is no tag `from`, kAlreadyExists if there is one `to`.
Status RenameTag(FileSystem& fs, const TablePaths& paths, std::string_view from, std::string_view to);
Status DeleteTag(FileSystem& fs, const TablePaths& paths, std::string_view name);

Result<std::vector<std::string>> ListConsumerIds(const FileSystem& fs, const TablePaths& paths);  ///< sorted

}  // namespace braid
