#include "table/line_roots.h"

#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"

namespace braid {

namespace {

// Visits one root, if it is there. `root` is told without its snapshot.
Status VisitOne(Result<Snapshot> snapshot, Root root, const std::function<Status(const Root&)>& visit,
                std::vector<UnreadableRoot>& unreadable) {
  if (snapshot) {
    root.snapshot = *std::move(snapshot);
    return visit(root);
  }
  if (snapshot.error().code() == ErrorCode::kNotFound) return Ok();
  unreadable.push_back({.holder = std::move(root.holder), .error = std::move(snapshot).error()});
  return Ok();
}

Result<Snapshot> SnapshotOf(Result<Tag> tag) {
  if (!tag) return std::move(tag).error();
  return std::move(tag->snapshot);
}

}  // namespace

SkippedTags GuardsOf(std::string branch) {
  return [branch = std::move(branch)](const Line&, const std::string& tag) { return GuardedBranch(tag) == branch; };
}

Result<std::vector<UnreadableRoot>> VisitRoots(const FileSystem& fs, const Line& line,
                                               const std::function<Status(const Root&)>& visit,
                                               const SkippedTags& skipped) {
  std::vector<UnreadableRoot> unreadable;
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> snapshots, ListSnapshots(fs, line.paths));
  for (const SnapshotId id : snapshots) {
    Root root{.snapshot = {}, .holder = fmt::format("snapshot {} of {}", id, line.name), .is_snapshot = true};
    BRAID_TRY(VisitOne(ReadSnapshot(fs, line.paths, id), std::move(root), visit, unreadable));
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, line.paths));
  for (const std::string& name : tags) {
    if (skipped && skipped(line, name)) continue;
    Root root{.snapshot = {}, .holder = fmt::format("tag '{}' of {}", name, line.name)};
    BRAID_TRY(VisitOne(SnapshotOf(ReadTag(fs, line.paths, name)), std::move(root), visit, unreadable));
  }
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> changelogs, ListChangelogs(fs, line.paths));
  for (const SnapshotId id : changelogs) {
    Root root{.snapshot = {}, .holder = fmt::format("changelog {} of {}", id, line.name), .is_changelog = true};
    BRAID_TRY(VisitOne(ReadChangelog(fs, line.paths, id), std::move(root), visit, unreadable));
  }
  if (!line.record) return unreadable;
  if (line.record->base)
    BRAID_TRY(visit({.snapshot = *line.record->base, .holder = fmt::format("fork point of {}", line.name)}));
  for (const ForkLink& link : line.record->links) {
    if (link.base) BRAID_TRY(visit({.snapshot = *link.base, .holder = fmt::format("merge base of {}", line.name)}));
  }
  return unreadable;
}

}  // namespace braid
