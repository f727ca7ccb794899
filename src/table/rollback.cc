#include "table/rollback.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/uuid.h"
#include "meta/fork_record.h"
#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/commit_attempt.h"
#include "table/file_scan.h"
#include "table/line_holdings.h"
#include "table/line_move.h"
#include "table/operation.h"
#include "table/recoveries_internal.h"
#include "table/revivals.h"

namespace braid {

namespace {

// What is only in `from` is deleted, what is only in `to` added.
Result<SnapshotChanges> ChangesBetween(const Table& table, const std::optional<Snapshot>& from, const Snapshot& to) {
  SnapshotChanges changes;
  changes.kind = CommitKind::kOverwrite;
  changes.check_conflicts = true;
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
  std::vector<ManifestEntry> before;
  if (from) {
    BRAID_TRY_ASSIGN(before, scan->LiveFiles(*from));
  }
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> after, scan->LiveFiles(to));
  std::set<std::string> before_ids;
  std::set<std::string> after_ids;
  for (const ManifestEntry& entry : before) before_ids.insert(EntryIdentity(entry));
  for (const ManifestEntry& entry : after) after_ids.insert(EntryIdentity(entry));
  changes.base = before;
  for (ManifestEntry& entry : before) {
    if (after_ids.contains(EntryIdentity(entry))) continue;
    entry.kind = FileKind::kDelete;
    changes.delta.push_back(std::move(entry));
  }
  for (ManifestEntry& entry : after) {
    if (before_ids.contains(EntryIdentity(entry))) continue;
    entry.kind = FileKind::kAdd;
    changes.delta.push_back(std::move(entry));
  }
  return changes;
}

Result<std::vector<IndexManifestEntry>> IndexesOf(const Table& table, const std::optional<Snapshot>& snapshot) {
  if (!snapshot || !snapshot->index_manifest) return std::vector<IndexManifestEntry>();
  return ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest);
}

Status AddIndexChanges(const Table& table, const std::optional<Snapshot>& from, const Snapshot& to,
                       SnapshotChanges& changes) {
  BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> before, IndexesOf(table, from));
  BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> after, IndexesOf(table, to));
  const auto contains = [](const std::vector<IndexManifestEntry>& entries, const IndexManifestEntry& entry) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const IndexManifestEntry& other) { return other.file_name == entry.file_name; });
  };
  for (const IndexManifestEntry& entry : before) {
    if (contains(after, entry)) continue;
    changes.indexes.push_back(entry);
    changes.indexes.back().kind = FileKind::kDelete;
  }
  for (const IndexManifestEntry& entry : after) {
    if (contains(before, entry)) continue;
    changes.indexes.push_back(entry);
    changes.indexes.back().kind = FileKind::kAdd;
  }
  return Ok();
}

Result<SnapshotId> LatestOf(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> latest, FindLatestSnapshot(table.file_system(), table.paths()));
  if (latest) return *latest;
  return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot to roll back", table.name()));
}

// The files of an older content come back.
Status ExpectRevivals(const Table& table, const Clock& clock) {
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* line, LineAt(lines, table.paths()));
  return NoteRevivals(table.file_system(), locked.root(), line->id, clock.NowMs());
}

// What lies above the snapshot at which a line is to end.
struct Above {
  std::vector<SnapshotId> snapshots;  // descending
  std::vector<SnapshotId> changelogs;
  std::vector<std::string> tags;
};

Result<Above> FindAbove(const Table& table, SnapshotId target) {
  const FileSystem& fs = table.file_system();
  Above above;
  BRAID_TRY_ASSIGN(above.snapshots, ListSnapshots(fs, table.paths()));
  std::erase_if(above.snapshots, [&](SnapshotId id) { return id <= target; });
  std::reverse(above.snapshots.begin(), above.snapshots.end());
  BRAID_TRY_ASSIGN(above.changelogs, ListChangelogs(fs, table.paths()));
  std::erase_if(above.changelogs, [&](SnapshotId id) { return id <= target; });
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, table.paths()));
  for (const std::string& name : names) {
    const Result<Tag> tag = ReadTag(fs, table.paths(), name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return tag.error();
    if (tag->snapshot.id > target) above.tags.push_back(name);
  }
  return above;
}

// Makes a snapshot again that only a tag kept. Tags do not keep changelogs, so it may have lost its own.
Status RestoreSnapshot(const Table& table, Snapshot snapshot) {
  FileSystem& fs = table.file_system();
  if (snapshot.changelog_manifest_list) {
    BRAID_TRY_ASSIGN(const bool has_changelog,
                     fs.Exists(table.paths().ManifestFile(*snapshot.changelog_manifest_list)));
    if (!has_changelog) {
      snapshot.changelog_manifest_list.reset();
      snapshot.changelog_manifest_list_size.reset();
      snapshot.changelog_record_count.reset();
    }
  }
  return CreateSnapshot(fs, table.paths(), snapshot);
}

// Every step may be repeated. The target is there before anything goes, and the head goes first, so that a reader finds
// a whole snapshot at any moment.
Status EndLineAt(const Table& table, const Snapshot& target) {
  FileSystem& fs = table.file_system();
  const TablePaths& paths = table.paths();
  BRAID_TRY_ASSIGN(const Above above, FindAbove(table, target.id));
  BRAID_TRY_ASSIGN(const bool exists, fs.Exists(paths.SnapshotFile(target.id)));
  if (!exists) BRAID_TRY(RestoreSnapshot(table, target));
  BRAID_TRY(WriteLatestHint(fs, paths, target.id));
  for (const SnapshotId id : above.snapshots) BRAID_TRY(DeleteSnapshot(fs, paths, id));
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> left, ListSnapshots(fs, paths));
  if (!left.empty()) BRAID_TRY(WriteEarliestHint(fs, paths, left.front()));
  for (const SnapshotId id : above.changelogs) BRAID_TRY(DeleteChangelog(fs, paths, id));
  if (!above.changelogs.empty()) {
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> changelogs, ListChangelogs(fs, paths));
    BRAID_TRY(WriteLatestChangelogHint(fs, paths, changelogs.empty() ? -1 : changelogs.back().value()));
  }
  for (const std::string& name : above.tags) {
    if (!IsGuardTag(name)) {
      BRAID_TRY(DeleteTag(fs, paths, name));
      continue;
    }
    // Its branch still needs what it shares with this line: that is now what the target holds.
    BRAID_TRY(ReplaceTag(fs, paths, {.name = name, .snapshot = target, .create_time = {}, .time_retained = {}}));
  }
  return Ok();
}

// A tag may have come from a former main, where its id meant another snapshot than the line has under it now: readers
// that have that one must not find another in its place.
Status CheckIsOfLine(const Table& table, const Snapshot& target, const SnapshotSelector& selector) {
  const Result<Snapshot> present = ReadSnapshot(table.file_system(), table.paths(), target.id);
  if (!present && present.error().code() == ErrorCode::kNotFound) return Ok();
  if (!present) return present.error();
  if (RefOf(*present) == RefOf(target)) return Ok();
  return Error(ErrorCode::kConflict,
               fmt::format("tag {} holds a snapshot {} of a former line, which {} has not", selector.tag.value_or(""),
                           target.id, table.paths().DisplayName()))
      .Hint("roll back without --hard: a new snapshot then holds what the tag holds");
}

// Positions that were taken beyond the target are errors from now on.
Status RecordRewind(const LockedTable& locked, const Line& line, const LineRewind& rewind) {
  BRAID_TRY_ASSIGN(TableRecord record, EnsureTableRecord(locked.fs(), locked.root(), locked.NowMs()));
  std::vector<LineRewind>& rewinds = record.rewinds[line.id];
  const bool recorded = std::any_of(rewinds.begin(), rewinds.end(),
                                    [&](const LineRewind& other) { return other.operation == rewind.operation; });
  if (recorded) return Ok();
  rewinds.push_back(rewind);
  return WriteTableRecord(locked.fs(), locked.root(), record);
}

// Before anything was removed: the rewind did not happen, and a target that only a tag kept is no snapshot of the line.
Status TakeBack(const LockedTable& locked, const Line& line, const Snapshot& target, const std::string& operation) {
  BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(locked.fs(), line.paths));
  if (!ids.empty()) BRAID_TRY(WriteLatestHint(locked.fs(), line.paths, ids.back()));
  BRAID_TRY_ASSIGN(const bool has_next, locked.fs().Exists(line.paths.SnapshotFile(target.id.next())));
  if (!has_next) BRAID_TRY(DeleteSnapshot(locked.fs(), line.paths, target.id));
  BRAID_TRY_ASSIGN(std::optional<TableRecord> record, ReadTableRecord(locked.fs(), locked.root()));
  if (!record) return Ok();
  std::erase_if(record->rewinds[line.id], [&](const LineRewind& rewind) { return rewind.operation == operation; });
  return WriteTableRecord(locked.fs(), locked.root(), *record);
}

}  // namespace

Result<RollbackResult> RollbackAsLatest(const Table& table, const SnapshotSelector& selector, const Clock& clock) {
  BRAID_TRY_ASSIGN(const Snapshot target, SelectSnapshot(table, selector));
  BRAID_TRY_ASSIGN(const SnapshotId previous, LatestOf(table));
  BRAID_TRY(ExpectRevivals(table, clock));
  MetadataFileNames names;
  const CommitIdentity identity{.user = "braid-rollback-" + RandomUuid(),
                                .identifier = kBatchCommitIdentifier,
                                .watermark = target.watermark,
                                .properties = target.properties};
  const auto make = [&](const std::optional<Snapshot>& latest) -> Result<SnapshotChanges> {
    BRAID_TRY_ASSIGN(SnapshotChanges changes, ChangesBetween(table, latest, target));
    BRAID_TRY(AddIndexChanges(table, latest, target, changes));
    return changes;
  };
  BRAID_TRY_ASSIGN(const Snapshot made, CommitSnapshot(table, identity, make, names, clock));
  return RollbackResult{.previous = previous, .current = made.id, .target = target.id};
}

Result<RollbackResult> RollbackHard(const Table& table, const SnapshotSelector& selector, bool dry_run,
                                    const Clock& clock) {
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  BRAID_TRY(MayMove(table, LineMove::kRollback));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* line, LineAt(lines, table.paths()));
  BRAID_TRY_ASSIGN(const Snapshot target, SelectSnapshot(table, selector));
  BRAID_TRY(CheckIsOfLine(table, target, selector));
  BRAID_TRY_ASSIGN(const SnapshotId latest, LatestOf(table));
  BRAID_TRY_ASSIGN(Above above, FindAbove(table, target.id));
  std::erase_if(above.tags, [](const std::string& name) { return IsGuardTag(name); });
  RollbackResult result{.previous = latest,
                        .current = target.id,
                        .target = target.id,
                        .removed_snapshots = std::move(above.snapshots),
                        .removed_tags = std::move(above.tags)};
  if (dry_run) return result;
  BRAID_TRY_ASSIGN(const Snapshot head, ReadSnapshot(table.file_system(), table.paths(), latest));
  Json args;
  args.Add("lineId", line->id);
  args.Add("target", PrintSnapshot(target));
  args.Add("head", PrintSnapshot(head));
  BRAID_TRY_ASSIGN(const OperationJournal journal, locked.Begin("rollback", "ENDING", std::move(args)));
  const auto body = [&]() -> Status {
    BRAID_TRY(RecordRewind(
        locked, *line,
        {.to_snapshot = target.id, .head_before = RefOf(head), .rewound_ms = locked.NowMs(), .operation = journal.id}));
    return EndLineAt(table, target);
  };
  BRAID_TRY(RunJournalled(locked, journal, body));
  return result;
}

Result<Recovered> RecoverRollback(const LockedTable& locked, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("lineId"));
  BRAID_TRY_ASSIGN(const std::string target_text, journal.args.GetString("target"));
  BRAID_TRY_ASSIGN(const std::string head_text, journal.args.GetString("head"));
  BRAID_TRY_ASSIGN(const Snapshot target, ParseSnapshot(target_text));
  BRAID_TRY_ASSIGN(const Snapshot head, ParseSnapshot(head_text));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(locked.fs(), locked.root().root(), Inference::kSkip));
  const Line* line = lines.FindById(line_id);
  if (line == nullptr) return Recovered::kCompleted;
  BRAID_TRY_ASSIGN(const Table table, Table::Open(locked.context().file_system, locked.root().root(),
                                                  locked.context().table_name, line->paths.branch()));
  // Going on would take away what somebody committed since.
  BRAID_TRY_ASSIGN(const bool has_successor, locked.fs().Exists(line->paths.SnapshotFile(head.id.next())));
  if (has_successor) {
    BRAID_TRY(TakeBack(locked, *line, target, journal.id));
    return Recovered::kUndone;
  }
  BRAID_TRY(RecordRewind(locked, *line,
                         {.to_snapshot = target.id,
                          .head_before = RefOf(head),
                          .rewound_ms = journal.started_ms,
                          .operation = journal.id}));
  BRAID_TRY(EndLineAt(table, target));
  return Recovered::kCompleted;
}

}  // namespace braid
