#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "table/operation.h"

namespace braid {

struct MergeBranchRequest {
  std::string source;              ///< its snapshots are taken over; the branch stays
  std::string target = "main";
  bool skip_clashing_tags = false; ///< leave tags out that the target has for other snapshots
  bool dry_run = false;
};

/// How two lines stand to each other since what they have in common.
enum class MergeState : std::uint8_t { kNothingToMerge, kFastForward, kTargetMovedPhysically, kDiverged };
std::string_view MergeStateName(MergeState state);

struct MergeReport {
  MergeState state = MergeState::kNothingToMerge;
  std::string source;
  std::string target;
  SnapshotRef base;  ///< what both have
  std::vector<Snapshot> source_snapshots;  ///< since the base, oldest first
  std::vector<Snapshot> target_snapshots;
  std::vector<SnapshotId> published;  ///< on the target by this merge, in order
  std::vector<std::string> tags;      ///< that came along
  std::vector<std::string> repairs;
};

/// Compares two lines. Errors: kConflict if no common snapshot can be told.
Result<MergeReport> CompareBranches(const OperationContext& context, const std::string& source, const std::string& target);

/// Gives the target the source's snapshots where the target has gained nothing since (spec branches.md §7.3): each is
/// published under its own id, in order, so that streaming readers see every step. Errors: kConflict if both have moved
/// (CompareBranches says how), if schemas or tags contradict each other, or if another writer committed meanwhile (what
/// was published stays, the rest is left); kUnsupported where a merge commit would be needed.
Result<MergeReport> FastForward(const OperationContext& context, const MergeBranchRequest& request);

}  // namespace braid
