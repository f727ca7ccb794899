#include "table/line_roots.h"

#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"

namespace braid {

namespace {

// Visits one root, if it is there.
Status VisitOne(Result<Snapshot> snapshot, std::string holder, bool is_changelog,
                const std::function<Status(const Root&)>& visit, std::vector<UnreadableRoot>& unreadable) {
  if (snapshot)
    return visit({.snapshot = *std::move(snapshot), .holder = std::move(holder), .is_changelog = is_changelog});
  if (snapshot.error().code() == ErrorCode::kNotFound) return Ok();
  unreadable.push_back({.holder = std::move(holder), .error = std::move(snapshot).error()});
  return Ok();
}

Result<Snapshot> SnapshotOf(Result<Tag> tag) {
  if (!tag) return std::move(tag).error();
  return std::move(tag->snapshot);
}

}  // namespace

Result<std::vector<UnreadableRoot>> VisitRoots(const FileSystem& fs, const Line& line,
                                               const std::function<Status(const Root&)>& visit) {
  std::vector<UnreadableRoot> unreadable;
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> snapshots, ListSnapshots(fs, line.paths));
  for (const SnapshotId id : snapshots) {
    BRAID_TRY(VisitOne(ReadSnapshot(fs, line.paths, id), fmt::format("snapshot {} of {}", id, line.name), false, visit,
                       unreadable));
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, line.paths));
  for (const std::string& name : tags) {
    BRAID_TRY(VisitOne(SnapshotOf(ReadTag(fs, line.paths, name)), fmt::format("tag '{}' of {}", name, line.name), false,
                       visit, unreadable));
  }
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> changelogs, ListChangelogs(fs, line.paths));
  for (const SnapshotId id : changelogs) {
    BRAID_TRY(VisitOne(ReadChangelog(fs, line.paths, id), fmt::format("changelog {} of {}", id, line.name), true, visit,
                       unreadable));
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
