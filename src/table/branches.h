#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "table/doomed_files.h"
#include "table/lines.h"
#include "table/operation.h"

namespace braid {

// Operations on branches (spec branches.md §6). Each takes the table lock, repairs what a crash left, keeps a journal
// and has one commit point: after a crash the branch is as before or as afterwards, and the next operation cleans up.
// Errors of all: kNotFound naming the nearest branch; kUnavailable if somebody holds the lock; kPermissionDenied for a
// protected branch; those of FileSystem.

/// Rules of branch names (§4). Errors: kInvalidArgument, saying the reason.
Status CheckBranchName(std::string_view name);

struct CreateBranchRequest {
  std::string name;
  std::string from_branch{kMainBranch};  ///< the parent
  // At most one of these; none: an empty branch, with schemas alone.
  std::optional<std::string> tag = {};
  std::optional<SnapshotId> snapshot = {};
  bool latest = false;
  std::optional<std::int64_t> timestamp_ms = {};  ///< the newest snapshot at or before it

  bool if_not_exists = false;
  bool is_protected = false;
  bool replace_alias = false;  ///< take a name that a rename left as an alias
  std::optional<std::chrono::milliseconds> time_retained = {};
};

struct CreatedBranch {
  ForkRecord record;
  bool existed = false;  ///< and was left as it is
  std::vector<std::string> repairs;
};

/// Makes a branch without copying data (§6.1). Errors: kAlreadyExists; kInvalidArgument for the name; kNotFound for a
/// tag or snapshot that the parent does not have, or that expired meanwhile; kConflict if the snapshot may be expiring
/// now.
Result<CreatedBranch> CreateBranch(const OperationContext& context, const CreateBranchRequest& request);

struct DeleteBranchRequest {
  std::string name;
  bool force = false;    ///< although it has children or readers
  bool dry_run = false;  ///< only check, and say which files would go
  /// Whether files that only the branch used go at once; nullopt: as the table's `branch.delete.reclaim` says.
  std::optional<bool> reclaim = {};
};
struct DeletedBranch {
  std::string name;
  std::vector<std::string> reparented;  ///< children that have the branch's parent now
  RemovedFiles files = {};              ///< that nothing but the branch reached
  /// Folder that holds the branch's metadata until its files are reclaimed, by ReclaimDropped; empty if that is done.
  std::string unreclaimed;
  /// Why it is not done; empty if it was not wanted.
  std::string unreclaimed_reason;
  std::vector<std::string> repairs;
};
/// Removes a branch, and then the files that nothing else reaches (§6.2). Errors: kConflict if something uses it;
/// kInvalidArgument for main. What cannot be reclaimed is no error: the branch is gone, `unreclaimed_reason` says why.
Result<DeletedBranch> DeleteBranch(const OperationContext& context, const DeleteBranchRequest& request);

struct ReclaimedBranch {
  std::string name;         ///< that it had; the folder's name if that is not known
  RemovedFiles files = {};
  std::string kept_reason;  ///< why it stays; empty if it is gone
};
/// Deletes what branches left behind that were deleted without reclaiming their files, or that somebody still read.
Result<std::vector<ReclaimedBranch>> ReclaimDropped(const OperationContext& context, bool dry_run);

struct RenameBranchRequest {
  std::string from;
  std::string to;
  bool update_options = false;  ///< change `scan.fallback-branch` and the like where they name it
};
/// Gives a branch another name (§6.3); the old one stays an alias for a week, so that writers find it.
Result<std::vector<std::string>> RenameBranch(const OperationContext& context, const RenameBranchRequest& request);

/// Writes down where a branch comes from that another engine made (§3.2). `fork_snapshot`: a snapshot that it has in
/// common with another line, where it cannot be derived. Errors: kConflict if they do not have it in common.
Result<ForkRecord> AdoptBranch(const OperationContext& context, const std::string& name,
                               std::optional<SnapshotId> fork_snapshot);

/// Protects a branch against everything but commits, tags and merges into it, or ends that.
Result<ForkRecord> ProtectBranch(const OperationContext& context, const std::string& name, bool is_protected);

}  // namespace braid
