#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "table/operation.h"

namespace braid {

/// What becomes of main's consumers that have read beyond the fork (spec branches.md §11.3).
enum class ConsumerPolicy : std::uint8_t {
  kFail,    ///< the operation is refused
  kRewind,  ///< they read from the fork again
  kDrop,    ///< they are not carried over
};

struct ReplaceMainRequest {
  std::string name;     ///< the branch that becomes main
  std::string keep_as = {};  ///< name of the branch that the present main becomes; empty: it is kept hidden for the grace time
  std::optional<std::chrono::milliseconds> grace_time = {};  ///< nullopt: `branch.replace.grace-time`
  /// Whether main ends in the table's root, where other engines look for it; nullopt: `branch.replace.materialize`.
  std::optional<bool> materialize = {};
  ConsumerPolicy consumers = ConsumerPolicy::kFail;
  bool branch_tags_win = false;  ///< where both have a tag of one name for different snapshots
  bool drop_tags = false;        ///< give up tags of main beyond the fork
  std::optional<SnapshotId> expect_head = {};  ///< refuse unless main's head is this one
  bool dry_run = false;
};

struct ReplacedMain {
  std::string branch;
  SnapshotRef fork;        ///< the last snapshot that both have
  SnapshotRef old_head;    ///< of the former main
  SnapshotRef new_head;    ///< of the branch when it became main
  std::int64_t left_out = 0;  ///< snapshots of the former main after the fork, which the new one does not have
  bool materialized = false;
  std::string kept_as;        ///< branch that holds the former main; empty in the pointer state
  std::int64_t drop_after_ms = 0;  ///< when the former main may go; 0: it is kept
  std::vector<std::string> notes;  ///< what the user should know
  std::vector<std::string> repairs;
};

/// Puts a branch in main's place (spec branches.md §8): readers see the former main or the new one, whole; no commit of
/// Braid is lost or lands on the former main. The commit point is the writing of MAIN-BRANCH; a crash before it leaves
/// main as it was, after it the next operation completes. Errors: kInvalidArgument, kNotFound, kConflict for what §8.4
/// refuses; kPermissionDenied for protected lines; kConflict if another engine went on writing to a sealed line.
Result<ReplacedMain> ReplaceMain(const OperationContext& context, const ReplaceMainRequest& request);

/// Puts the former main back that the last replacement keeps; commits made since stay as a branch `undone-<op>`.
/// Errors: kNotFound if none is kept.
Result<ReplacedMain> UndoReplaceMain(const OperationContext& context, bool dry_run);

/// Moves a main that MAIN-BRANCH names into the table's root (§8.3). Errors: kInvalidArgument if it is there already.
Result<ReplacedMain> MaterializeMain(const OperationContext& context);

/// Drops former mains whose grace time is over, and with `expired_branches` branches whose life time is. Returns their
/// names.
Result<std::vector<std::string>> ExpireBranches(const OperationContext& context, bool expired_branches, bool dry_run);

}  // namespace braid
