#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "table/doomed_files.h"
#include "table/operation.h"

namespace braid {

struct ReleaseBaseRequest {
  std::string name;
  bool assume_exclusive = false;  ///< no other engine maintains the table, though its options do not say so
  bool dry_run = false;
};

struct ReleasedBase {
  std::string name;
  RemovedFiles files = {};  ///< that nothing but the bases held
  std::vector<std::string> repairs;
};

/// Gives up what a branch pins for merges alone: its fork point and the bases of its merges, with the guard tags (spec
/// branches.md §10.4). Its snapshots and tags stay. Merging it, or putting it in main's place, is refused from then on.
/// Errors: kNotFound; kConflict if the branch pins nothing, or if it still shares files that the maintenance of other
/// engines would delete without the guard tags; kPermissionDenied for a protected branch.
Result<ReleasedBase> ReleaseBase(const OperationContext& context, const ReleaseBaseRequest& request);

}  // namespace braid
