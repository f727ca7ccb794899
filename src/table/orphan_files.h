#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/doomed_files.h"
#include "table/table.h"

namespace braid {

/// How long a file may be unreachable before it is an orphan: writers name their files only when they commit.
inline constexpr std::int64_t kOrphanAgeMs = 86'400'000;

struct OrphanRequest {
  std::optional<std::int64_t> older_than_ms = std::nullopt;  ///< last written before it (epoch ms); nullopt: a day ago
  bool dry_run = false;
  UpkeepProgress progress = {};
};

struct OrphanFile {
  std::string path;
  std::int64_t size_bytes = 0;
  std::string reason;  ///< "nothing names it", "a write that was not finished"
};

struct OrphanResult {
  std::vector<OrphanFile> removed;  ///< or that would be, of a dry run
  std::int64_t bytes = 0;
  /// Files that nothing names, but that a branch which cannot be read may use.
  std::vector<OrphanFile> held = {};
  std::vector<std::string> damaged_branches = {};
  std::int64_t failures = 0;
};

/// Deletes files of the table that nothing on any line reaches (spec metadata.md §9.5, branches.md §10.5). Errors:
/// kInvalidArgument for a time in the future; kIo, naming it, if something of the root line cannot be read: nothing is
/// deleted then; kUnavailable if the table is locked for too long.
Result<OrphanResult> RemoveOrphanFiles(const Table& table, const OrphanRequest& request, const Clock& clock);

}  // namespace braid
