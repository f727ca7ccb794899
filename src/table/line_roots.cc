#include "table/line_roots.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "io/request_pool.h"
#include "meta/stores.h"

namespace braid {

namespace {

constexpr std::size_t kReadAtOnce = 256;

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

// Visits each of `ids` in order, many being read at once from a far store; `read` reads one, `describe` tells it
// without its snapshot.
template <typename Id, typename Read, typename Describe>
Status VisitEach(const FileSystem& fs, std::span<const Id> ids, const Read& read, const Describe& describe,
                 const std::function<Status(const Root&)>& visit, std::vector<UnreadableRoot>& unreadable) {
  while (!ids.empty()) {
    const std::span<const Id> now = ids.first(std::min(kReadAtOnce, ids.size()));
    std::vector<std::optional<Result<Snapshot>>> snapshots(now.size());
    BRAID_TRY(CallForEach(fs, std::ssize(now), [&](std::int64_t i) -> Status {
      const auto position = static_cast<std::size_t>(i);
      snapshots[position].emplace(read(now[position]));
      return Ok();
    }));
    for (std::size_t i = 0; i < now.size(); ++i) {
      BRAID_TRY(VisitOne(*std::move(snapshots[i]), describe(now[i]), visit, unreadable));
    }
    ids = ids.subspan(now.size());
  }
  return Ok();
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
  BRAID_TRY(VisitEach(
      fs, std::span(snapshots), [&](SnapshotId id) { return ReadSnapshot(fs, line.paths, id); },
      [&](SnapshotId id) {
        return Root{.snapshot = {}, .holder = fmt::format("snapshot {} of {}", id, line.name), .is_snapshot = true};
      },
      visit, unreadable));
  BRAID_TRY_ASSIGN(std::vector<std::string> tags, ListTags(fs, line.paths));
  std::erase_if(tags, [&](const std::string& name) { return skipped && skipped(line, name); });
  BRAID_TRY(VisitEach(
      fs, std::span<const std::string>(tags),
      [&](const std::string& name) { return SnapshotOf(ReadTag(fs, line.paths, name)); },
      [&](const std::string& name) {
        return Root{.snapshot = {}, .holder = fmt::format("tag '{}' of {}", name, line.name)};
      },
      visit, unreadable));
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> changelogs, ListChangelogs(fs, line.paths));
  BRAID_TRY(VisitEach(
      fs, std::span(changelogs), [&](SnapshotId id) { return ReadChangelog(fs, line.paths, id); },
      [&](SnapshotId id) {
        return Root{.snapshot = {}, .holder = fmt::format("changelog {} of {}", id, line.name), .is_changelog = true};
      },
      visit, unreadable));
  if (!line.record) return unreadable;
  if (line.record->base)
    BRAID_TRY(visit({.snapshot = *line.record->base, .holder = fmt::format("fork point of {}", line.name)}));
  for (const ForkLink& link : line.record->links) {
    if (link.base) BRAID_TRY(visit({.snapshot = *link.base, .holder = fmt::format("merge base of {}", line.name)}));
  }
  return unreadable;
}

}  // namespace braid
