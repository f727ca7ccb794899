#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "table/doomed_files.h"
#include "table/table.h"

namespace braid {

struct TagRemovalOptions {
  bool dry_run = false;
  UpkeepProgress progress = {};
  std::chrono::milliseconds lock_timeout{60'000};  ///< how long to wait for others that maintain the table
};

struct TagRemoval {
  std::vector<std::string> tags;  ///< that are gone
  RemovedFiles files = {};        ///< that nothing but those tags held
};

/// Deletes tags of the table's branch, with the files that nothing else on any line holds. Names without a tag are
/// passed over. Errors: kInvalidArgument for guard tags; kConflict if somebody reads what only the tag keeps; kUnavailable if the table is locked for too long; kIo if
/// something that may hold files cannot be read (no tag is deleted then).
Result<TagRemoval> DeleteTags(const Table& table, const std::vector<std::string>& names,
                              const TagRemovalOptions& options, const Clock& clock);

/// Deletes the tags whose retention is over, and with `older_than_ms` (epoch milliseconds) also those made before it: a
/// tag without a retention was made when its file was last written. Those that somebody reads go another time.
Result<TagRemoval> ExpireTags(const Table& table, std::optional<std::int64_t> older_than_ms,
                              const TagRemovalOptions& options, const Clock& clock);

}  // namespace braid
