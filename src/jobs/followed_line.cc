#include "jobs/followed_line.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lineage/snapshot_lineage.h"
#include "meta/stores.h"
#include "table/lines.h"
#include "table/reader_line.h"
#include "table/seal.h"

namespace braid {

Json ToJson(const LinePoint& point) {
  Json json;
  json.Add("line", point.line);
  json.Add("snapshot", point.snapshot.value());
  json.Add("identity", point.identity);
  return json;
}

Result<LinePoint> ParseLinePoint(const Json& json) {
  BRAID_TRY_ASSIGN(std::string line, json.GetString("line"));
  BRAID_TRY_ASSIGN(const std::int64_t snapshot, json.GetInteger("snapshot"));
  BRAID_TRY_ASSIGN(std::string identity, json.GetString("identity"));
  return LinePoint{.line = std::move(line), .snapshot = SnapshotId(snapshot), .identity = std::move(identity)};
}

namespace {

Result<Table> LookForLine(const Table& table) {
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const TablePaths paths, ResolveLine(fs, table.paths().root(), table.line().name));
  BRAID_TRY_ASSIGN(const std::string id, ReadLineId(fs, paths));
  if (id != table.line().id) return MovedError(table);
  return paths.branch() == table.paths().branch() ? table : table.MovedTo(paths);
}

}  // namespace

Result<Table> FollowLine(const Table& table) {
  Result<Table> found = LookForLine(table);
  if (found) return found;
  BRAID_TRY(AwaitMain(table));
  return LookForLine(table);
}

bool HasMoved(const Table& table) {
  const Result<Table> followed = FollowLine(table);
  return !followed &&
         (followed.error().code() == ErrorCode::kConflict || followed.error().code() == ErrorCode::kNotFound);
}

Result<LinePoint> ContentHead(const Table& table) {
  const FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(fs, table.paths()));
  LinePoint point{.line = table.line().id, .snapshot = SnapshotId(0), .identity = {}};
  for (SnapshotId id = latest.value_or(SnapshotId(0)); id.value() > 0; id = id.previous()) {
    Result<Snapshot> snapshot = ReadSnapshot(fs, table.paths(), id);
    // Those before have expired: the oldest one that is left stands for them.
    if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) return point;
    if (!snapshot) return std::move(snapshot).error();
    point.snapshot = id;
    point.identity = IdentityOf(*snapshot);
    if (snapshot->commit_kind != CommitKind::kCompact && snapshot->commit_kind != CommitKind::kAnalyze) return point;
  }
  // Only compactions were ever there, which is as if nothing was.
  point.snapshot = SnapshotId(0);
  point.identity.clear();
  return point;
}

Result<bool> HoldsPoint(const Table& table, const LinePoint& point) {
  if (point.snapshot.value() < 1) return true;
  const FileSystem& fs = table.file_system();
  const Result<Snapshot> snapshot = ReadSnapshot(fs, table.paths(), point.snapshot);
  if (snapshot) return IdentityOf(*snapshot) == point.identity;
  if (snapshot.error().code() != ErrorCode::kNotFound) return snapshot.error();
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, table.paths()));
  for (const std::string& name : names) {
    const Result<Tag> tag = ReadTag(fs, table.paths(), name);
    if (tag && tag->snapshot.id == point.snapshot && IdentityOf(tag->snapshot) == point.identity) return true;
  }
  return false;
}

bool EndsLine(const Table& table, const Snapshot& snapshot) {
  const std::optional<Seal> seal = SealOf(snapshot);
  if (!seal || (!seal->line_id.empty() && seal->line_id != table.line().id)) return false;
  // In the root the line has arrived where the seal says that it goes.
  return seal->moved_to != kMainBranch || table.paths().branch() != kMainBranch;
}

}  // namespace braid
