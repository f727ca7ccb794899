#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "table/doomed_files.h"
#include "table/table.h"

namespace braid {

/// Something that is missing or broken.
struct Damage {
  std::string path;
  std::string problem;               ///< "is missing", "has 12 bytes, not 34", or what reading said
  std::vector<std::string> affects;  ///< what needs it: "snapshot 4 of main", "tag 'x' of branch b", …
};

struct CheckResult {
  std::int64_t lines = 0;
  std::int64_t roots = 0;  ///< snapshots, tags, changelogs, fork points
  std::int64_t data_files = 0;
  std::int64_t metadata_files = 0;
  std::vector<Damage> damages;
  /// Snapshots without their changelog, by holder, which is no damage: expiry took it, and then the table was rolled back
  /// to a tag of that snapshot. Reading its rows works, streaming its changes does not.
  std::vector<std::string> without_changelog;
  /// What can still be read whole; all roots, if there is no damage.
  std::vector<std::string> readable;
};

/// Walks everything that any line of the table reaches: schemas, snapshots, tags, changelogs, manifests, index files,
/// statistics, and whether each data file is there in its full length. Changes nothing.
/// Errors: those of listing folders; damage is none.
Result<CheckResult> CheckTable(const Table& table, const UpkeepProgress& progress);

/// Everything, on any line, that reaches a file of the table; empty if nothing does. `path` may be its name alone.
Result<std::vector<std::string>> WhoNeeds(const Table& table, std::string_view path);

/// Mends what can be mended without knowing more: finishes operations that a crash left, rewrites hints that are wrong.
/// Returns what it did, a sentence each.
Result<std::vector<std::string>> RepairTable(const Table& table, bool dry_run);

}  // namespace braid
