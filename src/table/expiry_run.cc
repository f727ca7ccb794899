// The steps of an expiry, once it is settled what goes: journal, snapshots or changelogs, files.

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/expiry_run_internal.h"
#include "table/read_lease.h"
#include "table/recoveries_internal.h"

namespace braid {

namespace {

constexpr const char* kPlanned = "PLANNED";
constexpr const char* kExpiring = "EXPIRING";

Json ArgsOf(const Line& line, const ExpiredRange& range, bool with_snapshots) {
  Json args;
  args.Add("lineId", line.id);
  args.Add("end", range.end.value());
  args.Add("areChangelogs", range.are_changelogs);
  args.Add("keepChangelogs", range.keep_changelogs);
  Json::Array ids;
  Json::Array snapshots;
  for (const Snapshot& snapshot : range.snapshots) {
    ids.emplace_back(snapshot.id.value());
    if (with_snapshots) snapshots.emplace_back(PrintSnapshot(snapshot));
  }
  args.Add("ids", std::move(ids));
  if (with_snapshots) args.Add("snapshots", std::move(snapshots));
  return args;
}

Result<ExpiredRange> RangeOf(const Json& args) {
  ExpiredRange range;
  BRAID_TRY_ASSIGN(const std::int64_t end, args.GetInteger("end"));
  range.end = SnapshotId(end);
  range.are_changelogs = args.IsTrue("areChangelogs");
  range.keep_changelogs = args.IsTrue("keepChangelogs");
  const Json* snapshots = args.Find("snapshots");
  if (snapshots == nullptr || !snapshots->is_array()) return Error(ErrorCode::kCorruption, "it lists no snapshots");
  for (const Json& text : snapshots->as_array()) {
    if (!text.is_string()) return Error(ErrorCode::kCorruption, "it lists what is no snapshot");
    BRAID_TRY_ASSIGN(Snapshot snapshot, ParseSnapshot(text.as_string()));
    range.snapshots.push_back(std::move(snapshot));
  }
  return range;
}

// From the oldest on, so that what remains of a line is always its newer part without a gap.
Status RemoveSnapshots(const Table& table, const ExpiredRange& range) {
  FileSystem& fs = table.file_system();
  const TablePaths& paths = table.paths();
  for (const Snapshot& snapshot : range.snapshots) {
    if (range.are_changelogs) {
      BRAID_TRY(DeleteChangelog(fs, paths, snapshot.id));
      continue;
    }
    if (range.keep_changelogs) BRAID_TRY(WriteChangelog(fs, paths, snapshot));
    BRAID_TRY(DeleteSnapshot(fs, paths, snapshot.id));
  }
  if (!range.are_changelogs) {
    if (range.keep_changelogs) BRAID_TRY(WriteLatestChangelogHint(fs, paths, range.snapshots.back().id.value()));
    return WriteEarliestHint(fs, paths, range.end);
  }
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> left, ListChangelogs(fs, paths));
  return left.empty() ? DeleteChangelogHints(fs, paths) : WriteEarliestChangelogHint(fs, paths, left.front());
}

// The range ends before the first snapshot that a reader claims. What readers claim below it only tags keep.
Status HeedLeases(const ExpiryPlace& place, ExpiredRange& range) {
  const SnapshotId first = range.snapshots.front().id;
  BRAID_TRY_ASSIGN(const std::vector<LeaseRecord> leases,
                   LiveLeases(place.table.file_system(), place.table.paths(), place.locked.NowMs()));
  for (const LeaseRecord& lease : leases) {
    if (lease.line_id != place.line.id) continue;
    for (const SnapshotId id : lease.snapshots) {
      if (id >= first) range.end = std::min(range.end, id);
    }
  }
  std::erase_if(range.snapshots, [&](const Snapshot& snapshot) { return snapshot.id >= range.end; });
  return Ok();
}

ExpireResult ResultOf(const ExpiredRange& range, RemovedFiles files) {
  return {.expired = static_cast<std::int64_t>(range.snapshots.size()),
          .first = range.snapshots.front().id,
          .end = range.end,
          .files = std::move(files)};
}

}  // namespace

Result<ExpireResult> RunExpiry(const ExpiryPlace& place, ExpiredRange range, const ExpireRequest& request) {
  ExpireResult result;
  if (range.snapshots.empty()) return result;
  if (request.dry_run) {
    BRAID_TRY(HeedLeases(place, range));
    if (range.snapshots.empty()) return result;
    BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOf(range, place.table, place.lines, place.line));
    return ResultOf(range, files.Preview());
  }
  // The ids are written down before the leases are read; a reader does it the other way round (spec branches.md §3.5).
  BRAID_TRY_ASSIGN(OperationJournal journal, place.locked.Begin("expire", kPlanned, ArgsOf(place.line, range, false)));
  const auto body = [&]() -> Status {
    BRAID_TRY(HeedLeases(place, range));
    if (range.snapshots.empty()) return Ok();
    BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOf(range, place.table, place.lines, place.line));
    journal.state = kExpiring;
    journal.args = ArgsOf(place.line, range, true);
    BRAID_TRY(place.locked.Save(journal));
    result = ResultOf(range, files.Count());  // holds also if a failure is put right by recovering
    BRAID_TRY(RemoveSnapshots(place.table, range));
    BRAID_TRY_ASSIGN(result.files, files.Delete(request.progress));
    return Ok();
  };
  BRAID_TRY(RunJournalled(place.locked, journal, body));
  return result;
}

Result<Recovered> RecoverExpire(const LockedTable& locked, const OperationJournal& journal) {
  if (journal.state == kPlanned) return Recovered::kUndone;
  BRAID_TRY_ASSIGN(const ExpiredRange range, RangeOf(journal.args).Context("while reading the journal of an expiry"));
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("lineId"));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(locked.fs(), locked.root().root(), Inference::kSkip));
  const Line* line = lines.FindById(line_id);
  // With its line the rest of the snapshots went; files that are left are orphans then.
  if (line == nullptr || range.snapshots.empty()) return Recovered::kCompleted;
  BRAID_TRY_ASSIGN(const Table table, Table::Open(locked.context().file_system, locked.root().root(),
                                                  locked.context().table_name, line->paths.branch()));
  BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOf(range, table, lines, *line));
  BRAID_TRY(RemoveSnapshots(table, range));
  BRAID_TRY(files.Delete({}));
  return Recovered::kCompleted;
}

}  // namespace braid
