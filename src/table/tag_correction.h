#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "table/doomed_files.h"
#include "table/operation.h"

namespace braid {

struct CorrectTagRequest {
  std::string tag;     ///< of main
  std::string branch;  ///< has the corrected content
  std::optional<SnapshotId> snapshot = {};  ///< of the branch; nullopt: its latest
  bool backup = true;             ///< keep the former content for 7 days, as a tag of its own
  bool allow_unrelated = false;   ///< although the branch was not made from the tag's snapshot or an older one
  bool assume_exclusive = false;  ///< no other engine maintains the table, though its options do not say so
  bool dry_run = false;
};

struct CorrectedTag {
  std::string tag;
  SnapshotId place;             ///< the id that the tag keeps in main's order
  SnapshotRef content;          ///< the branch's snapshot that it shows now
  std::int64_t former_rows = 0;
  std::int64_t rows = 0;
  std::string backup;           ///< tag of the former content; empty: none was wanted
  RemovedFiles files = {};      ///< that nothing but the former content held, without a backup
  std::vector<std::string> repairs;
};

/// Makes a tag of main show what a branch made of it (spec branches.md §9): main's snapshots and other tags stay as they
/// are. Readers see the former content or the corrected one, whole. The tag keeps its place and retention, and holds its
/// files by itself: the branch may be deleted. Errors: kNotFound; kConflict if the branch has nothing to do with the tag, if
/// columns contradict each other, or if other engines, who take every tag for a state of main, could delete files that
/// are needed; kUnsupported if the branch has columns that main lacks.
Result<CorrectedTag> CorrectTag(const OperationContext& context, const CorrectTagRequest& request);

/// Whether a tag's content was corrected, and so is no state of its line.
bool IsCorrectedTag(const Snapshot& content);

}  // namespace braid
