// Expiry of long-lived changelogs (spec metadata.md §9.4).

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/expire.h"
#include "table/expiry_run_internal.h"
#include "table/line_holdings.h"
#include "table/operation.h"

namespace braid {

namespace {

// The first changelog that stays; nullopt if there is none, or none to judge by.
Result<std::optional<SnapshotId>> ChooseEnd(const Table& table, const Retention& keep,
                                            const std::vector<SnapshotId>& ids) {
  const FileSystem& fs = table.file_system();
  if (keep.retain_max < keep.retain_min) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("at most {} changelogs are to be retained, but at least {}",
                                                          keep.retain_max, keep.retain_min))
        .Hint("set changelog.num-retained.max (retain_max) no lower than changelog.num-retained.min (retain_min)");
  }
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> latest, FindLatestSnapshot(fs, table.paths()));
  if (!latest || ids.empty()) return std::optional<SnapshotId>();
  std::int64_t end = latest->value() - keep.retain_min + 1;
  BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(fs, table.paths()));
  for (const Consumer& consumer : consumers) end = std::min(end, consumer.next_snapshot.value());
  end = std::min({end, ids.front().value() + keep.max_deletes, ids.back().value()});
  // Those below go whatever their age.
  const std::int64_t kept_by_number = latest->value() - keep.retain_max + 1;
  for (const SnapshotId id : ids) {
    if (id.value() < kept_by_number) continue;
    if (id.value() >= end) break;
    BRAID_TRY_ASSIGN(const Snapshot changelog, ReadChangelog(fs, table.paths(), id));
    if (changelog.time_millis >= keep.older_than_ms) {
      end = id.value();
      break;
    }
  }
  return std::optional(SnapshotId(end));
}

}  // namespace

Result<ExpireResult> ExpireChangelogs(const Table& table, const ExpireRequest& request, bool all, const Clock& clock) {
  const FileSystem& fs = table.file_system();
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  context.lock_timeout = request.lock_timeout;
  if (!request.dry_run) RecoverOnOpen(context);
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> any, ListChangelogs(fs, table.paths()));
  if (any.empty()) return ExpireResult{};
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.paths().root(), Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* line, LineAt(lines, table.paths()));
  if (line->is_retired()) return ExpireResult{};
  BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListChangelogs(fs, table.paths()));
  if (ids.empty()) return ExpireResult{};
  std::optional<SnapshotId> end = ids.back().next();
  if (!all) {
    BRAID_TRY_ASSIGN(end, ChooseEnd(table, request.changelogs, ids));
  }
  if (!end) return ExpireResult{};
  ExpiredRange range{.snapshots = {}, .end = *end, .are_changelogs = true, .keep_changelogs = false};
  for (const SnapshotId id : ids) {
    if (id >= *end) break;
    BRAID_TRY_ASSIGN(Snapshot changelog, ReadChangelog(fs, table.paths(), id));
    range.snapshots.push_back(std::move(changelog));
  }
  return RunExpiry({.locked = locked, .table = table, .lines = lines, .line = *line}, std::move(range), request);
}

}  // namespace braid
