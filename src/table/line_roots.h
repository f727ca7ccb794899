#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"
#include "table/lines.h"
#include "table/reachability.h"

namespace braid {

/// A snapshot, tag or changelog file that is there but cannot be read.
struct UnreadableRoot {
  std::string holder;  ///< as of Root
  Error error;
};

/// Tags of a line that are about to go and hold nothing any more; may be empty.
using SkippedTags = std::function<bool(const Line& line, const std::string& tag)>;
/// Those that protect a branch.
SkippedTags GuardsOf(std::string branch);

/// Calls `visit` for everything that holds files on a line (spec branches.md §10.2): its snapshots, tags and long-lived
/// changelogs, and what its fork record pins. What goes while this reads is passed over; what cannot be read is
/// returned. Tags that are `skipped` are left out. Errors: those of listing folders and of `visit`.
Result<std::vector<UnreadableRoot>> VisitRoots(const FileSystem& fs, const Line& line,
                                               const std::function<Status(const Root&)>& visit,
                                               const SkippedTags& skipped = {});

}  // namespace braid
