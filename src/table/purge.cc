#include "table/purge.h"

#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/branches.h"
#include "table/commit.h"
#include "table/consumer_upkeep.h"
#include "table/drop_partitions.h"
#include "table/expire.h"
#include "table/orphan_files.h"
#include "table/tag_removal.h"

namespace braid {

namespace {

Result<PurgedTable> Describe(const Table& table) {
  const FileSystem& fs = table.file_system();
  PurgedTable purged;
  BRAID_TRY_ASSIGN(purged.branches, ListBranches(fs, table.paths()));
  BRAID_TRY_ASSIGN(purged.tags, ListTags(fs, table.paths()));
  BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(fs, table.paths()));
  for (const Consumer& consumer : consumers) purged.consumers.push_back(consumer.id);
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> snapshots, ListSnapshots(fs, table.paths()));
  purged.snapshots = std::ssize(snapshots);
  BRAID_TRY_ASSIGN(const HeldFiles held, FilesOfPartitions(table, nullptr));
  purged.live_files = held.file_count;
  purged.live_bytes = held.bytes;
  return purged;
}

Status DropBranches(const Table& table, const std::vector<std::string>& names, const Clock& clock) {
  OperationContext operation = ContextOf(table);
  operation.clock = &clock;
  for (const std::string& name : names)
    BRAID_TRY(DeleteBranch(operation, {.name = name, .force = true, .reclaim = true}));
  return Ok();
}

Status ExpireHistory(const Table& table, const UpkeepProgress& progress, const Clock& clock) {
  ExpireRequest request{.progress = progress};
  request.snapshots.retain_max = 1;
  request.snapshots.retain_min = 1;
  BRAID_TRY(ExpireChangelogs(table, request, /*all=*/true, clock));
  BRAID_TRY(ExpireSnapshots(table, request, clock));
  return Ok();
}

}  // namespace

Result<PurgedTable> PurgeTable(const Table& table, const PurgeRequest& request, const std::string& commit_user,
                               const Clock& clock) {
  if (table.line().name != kMainBranch) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} is a branch", table.name()))
        .Hint("the whole table is purged, with its branches");
  }
  BRAID_TRY_ASSIGN(PurgedTable purged, Describe(table));
  if (request.dry_run) return purged;
  BRAID_TRY(DropBranches(table, purged.branches, clock));
  // Guards of branches went with them.
  BRAID_TRY_ASSIGN(purged.tags, ListTags(table.file_system(), table.paths()));
  BRAID_TRY(DeleteTags(table, purged.tags, {.progress = request.progress}, clock));
  BRAID_TRY(ClearConsumers(table, {}));
  BRAID_TRY(TruncateTable(table, commit_user));
  BRAID_TRY(ExpireHistory(table, request.progress, clock));
  BRAID_TRY_ASSIGN(const OrphanResult orphans,
                   RemoveOrphanFiles(table, {.older_than_ms = clock.NowMs(), .progress = request.progress}, clock));
  purged.orphan_files = std::ssize(orphans.removed);
  return purged;
}

}  // namespace braid
