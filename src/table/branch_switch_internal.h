#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "meta/table_paths.h"
#include "table/branch_replace.h"
#include "table/operation.h"

namespace braid {

/// A replacement of main that was found to be possible; what its journal holds.
struct ReplacePlan {
  std::string old_branch;  ///< where the present main lies: "main" for the root
  std::string old_line_id;
  std::string branch;  ///< becomes main
  std::string new_line_id;
  Snapshot fork;          ///< the last snapshot that both have
  SnapshotRef old_head = {};
  SnapshotRef new_head = {};
  std::string keep_as;  ///< empty: hidden
  std::int64_t grace_ms = 0;
  bool materialize = true;
  bool guard_tags = true;
  bool switched = false;  ///< MAIN-BRANCH names the branch already
  ConsumerPolicy consumers = ConsumerPolicy::kFail;
};

struct SwitchOutcome {
  std::string kept_as;
  std::int64_t drop_after_ms = 0;
  std::vector<std::string> notes;
};

/// Carries a replacement out, with a journal (spec branches.md §8.1, §8.3).
Result<SwitchOutcome> SwitchMain(const LockedTable& table, const ReplacePlan& plan);

/// Whether somebody committed to the main that this replacement made.
Result<bool> HasCommitsSinceSwitch(const FileSystem& fs, const TablePaths& main, std::string_view operation);

}  // namespace braid
