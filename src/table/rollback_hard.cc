// Ending a line at an older snapshot (spec branches.md §11.1). The commit point is the exchange of its folder of snapshots:
// a writer that stalled before creates its file in the folder that goes.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/fork_record.h"
#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/line_holdings.h"
#include "table/line_move.h"
#include "table/operation.h"
#include "table/recoveries_internal.h"
#include "table/rollback.h"
#include "table/seal.h"

namespace braid {

namespace {

constexpr const char* kPlanned = "PLANNED";
constexpr const char* kStaged = "STAGED";
constexpr const char* kEnding = "ENDING";  // where folders cannot be exchanged

// What lies above the snapshot at which a line is to end.
struct Above {
  std::vector<SnapshotId> snapshots;  // descending
  std::vector<SnapshotId> changelogs;
  std::vector<std::string> tags;

  bool empty() const { return snapshots.empty() && changelogs.empty() && tags.empty(); }
};

Result<Above> FindAbove(const FileSystem& fs, const TablePaths& line, SnapshotId target) {
  Above above;
  BRAID_TRY_ASSIGN(above.snapshots, ListSnapshots(fs, line));
  std::erase_if(above.snapshots, [&](SnapshotId id) { return id <= target; });
  std::reverse(above.snapshots.begin(), above.snapshots.end());
  BRAID_TRY_ASSIGN(above.changelogs, ListChangelogs(fs, line));
  std::erase_if(above.changelogs, [&](SnapshotId id) { return id <= target; });
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, line));
  for (const std::string& name : names) {
    const Result<Tag> tag = ReadTag(fs, line, name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return tag.error();
    if (tag->snapshot.id > target) above.tags.push_back(name);
  }
  return above;
}

// Readers that have the line's own snapshot must not find another in its place.
Status CheckIsOfLine(const Table& table, const Snapshot& target, const SnapshotSelector& selector) {
  BRAID_TRY_ASSIGN(const UnderId found, LookUnderId(table.file_system(), table.paths(), target));
  if (found != UnderId::kAnother) return Ok();
  return Error(ErrorCode::kConflict,
               fmt::format("tag {} holds a snapshot {} of a former line, which {} has not", selector.tag.value_or(""),
                           target.id, table.paths().DisplayName()))
      .Hint("roll back without --hard: a new snapshot then holds what the tag holds");
}

// The steps; each may be repeated.
class LineEnd {
 public:
  LineEnd(const LockedTable& table, const Line& line, Snapshot target, OperationJournal& journal)
      : table_(table), fs_(table.fs()), line_(line), paths_(line.paths), target_(std::move(target)), journal_(journal) {}

  Status Run() {
    BRAID_TRY_ASSIGN(const Snapshot seal,
                     SealLine(table_, paths_,
                              {.operation = journal_.id, .reason = "rollback", .moved_to = {}, .line_id = line_.id}));
    BRAID_TRY_ASSIGN(const Snapshot head, ReadSnapshot(fs_, paths_, seal.id.previous()));
    BRAID_TRY(RecordRewind(head));
    BRAID_TRY(Stage());
    BRAID_TRY(CheckNothingFollowed(seal));
    const Status exchanged = fs_.Exchange(StagedSnapshots(), paths_.SnapshotDirectory());
    if (!exchanged && exchanged.error().code() == ErrorCode::kUnsupported) {
      BRAID_TRY(Reach(kEnding));
      return Finish();
    }
    BRAID_TRY(exchanged);
    return Finish();
  }

  // Whether the line ends where it is to end, or will.
  Result<bool> IsCommitted() const {
    if (journal_.state == kEnding) return true;
    if (journal_.state != kStaged) return false;
    BRAID_TRY_ASSIGN(const std::int64_t staged, journal_.args.GetInteger("staged"));
    BRAID_TRY_ASSIGN(const FileStatus present, fs_.Stat(paths_.SnapshotDirectory()));
    return static_cast<std::int64_t>(present.file_id) == staged;
  }

  // From the commit point on.
  Status Finish() {
    if (journal_.state == kEnding) {
      BRAID_TRY(RemoveSnapshots());
    } else {
      BRAID_TRY(fs_.SyncFiles(std::vector{paths_.SnapshotDirectory()}));
    }
    BRAID_TRY_ASSIGN(const Above above, FindAbove(fs_, paths_, target_.id));
    for (const SnapshotId id : above.changelogs) BRAID_TRY(DeleteChangelog(fs_, paths_, id));
    if (!above.changelogs.empty()) {
      BRAID_TRY_ASSIGN(const std::vector<SnapshotId> left, ListChangelogs(fs_, paths_));
      BRAID_TRY(WriteLatestChangelogHint(fs_, paths_, left.empty() ? -1 : left.back().value()));
    }
    for (const std::string& name : above.tags) {
      // The branch of a guard tag still needs what it shares with this line: that is now what the target holds.
      BRAID_TRY(IsGuardTag(name) ? ReplaceTag(fs_, paths_, {.name = name, .snapshot = target_, .create_time = {}, .time_retained = {}})
                                 : DeleteTag(fs_, paths_, name));
    }
    return fs_.DeleteTree(Staged().BranchDirectory());
  }

  // Before the commit point: the line goes on as it was.
  Status Undo() {
    BRAID_TRY(UnsealLine(table_, paths_, journal_.id));
    BRAID_TRY(fs_.DeleteTree(Staged().BranchDirectory()));
    BRAID_TRY_ASSIGN(std::optional<TableRecord> record, ReadTableRecord(fs_, table_.root()));
    if (!record) return Ok();
    std::erase_if(record->rewinds[line_.id], [&](const LineRewind& rewind) { return rewind.operation == journal_.id; });
    return WriteTableRecord(fs_, table_.root(), *record);
  }

 private:
  TablePaths Staged() const {
    return TablePaths::OfLineAt(table_.root().root(), journal_.id, table_.root().StagingDirectory(journal_.id));
  }
  std::string StagedSnapshots() const { return Staged().SnapshotDirectory(); }

  Status Reach(const char* state) {
    journal_.state = state;
    return table_.Save(journal_);
  }

  // Positions that were taken beyond the target are errors from now on.
  Status RecordRewind(const Snapshot& head) {
    BRAID_TRY_ASSIGN(TableRecord record, EnsureTableRecord(fs_, table_.root(), table_.NowMs()));
    record.rewinds[line_.id].push_back({.to_snapshot = target_.id,
                                        .head_before = RefOf(head),
                                        .rewound_ms = table_.NowMs(),
                                        .operation = journal_.id});
    return WriteTableRecord(fs_, table_.root(), record);
  }

  Status Stage() {
    const TablePaths staged = Staged();
    BRAID_TRY(fs_.CreateDirectories(StagedSnapshots()));
    BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(fs_, paths_));
    std::erase_if(ids, [&](SnapshotId id) { return id >= target_.id; });
    std::vector<std::string> files;
    for (const SnapshotId id : ids) {
      BRAID_TRY(StageCopy(fs_, paths_.SnapshotFile(id), staged.SnapshotFile(id)));
      files.push_back(staged.SnapshotFile(id));
    }
    BRAID_TRY(StageTarget(staged));
    files.push_back(staged.SnapshotFile(target_.id));
    BRAID_TRY(WriteEarliestHint(fs_, staged, ids.empty() ? target_.id : ids.front()));
    BRAID_TRY(WriteLatestHint(fs_, staged, target_.id));
    BRAID_TRY(fs_.SyncFiles(files));
    BRAID_TRY_ASSIGN(const FileStatus status, fs_.Stat(StagedSnapshots()));
    journal_.args.Add("staged", static_cast<std::int64_t>(status.file_id));
    return Reach(kStaged);
  }

  // One that only a tag kept may have lost its changelog, which tags do not keep.
  Status StageTarget(const TablePaths& line) const {
    BRAID_TRY_ASSIGN(const bool exists, fs_.Exists(paths_.SnapshotFile(target_.id)));
    if (exists) return StageCopy(fs_, paths_.SnapshotFile(target_.id), line.SnapshotFile(target_.id));
    Snapshot snapshot = target_;
    if (snapshot.changelog_manifest_list) {
      BRAID_TRY_ASSIGN(const bool has_changelog, fs_.Exists(paths_.ManifestFile(*snapshot.changelog_manifest_list)));
      if (!has_changelog) {
        snapshot.changelog_manifest_list.reset();
        snapshot.changelog_manifest_list_size.reset();
        snapshot.changelog_record_count.reset();
      }
    }
    return fs_.Replace(line.SnapshotFile(target_.id), PrintSnapshot(snapshot));
  }

  // Going on would take away what another engine, which knows no seal, has committed since.
  Status CheckNothingFollowed(const Snapshot& seal) const {
    BRAID_TRY_ASSIGN(const bool followed, fs_.Exists(paths_.SnapshotFile(seal.id.next())));
    if (!followed) return Ok();
    return Error(ErrorCode::kConflict, fmt::format("another engine committed to {} while it was rolled back", paths_.DisplayName()))
        .Hint("nothing was changed; stop its writers, then run it again");
  }

  // The target is there before anything goes, and the head goes first, so that a reader finds a whole snapshot at any
  // moment.
  Status RemoveSnapshots() {
    BRAID_TRY(StageTarget(paths_));
    BRAID_TRY(WriteLatestHint(fs_, paths_, target_.id));
    BRAID_TRY_ASSIGN(const Above above, FindAbove(fs_, paths_, target_.id));
    for (const SnapshotId id : above.snapshots) BRAID_TRY(DeleteSnapshot(fs_, paths_, id));
    BRAID_TRY_ASSIGN(const std::vector<SnapshotId> left, ListSnapshots(fs_, paths_));
    return left.empty() ? Ok() : WriteEarliestHint(fs_, paths_, left.front());
  }

  const LockedTable& table_;
  FileSystem& fs_;
  const Line& line_;
  const TablePaths& paths_;
  const Snapshot target_;
  OperationJournal& journal_;
};

}  // namespace

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
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> latest, FindLatestSnapshot(table.file_system(), table.paths()));
  if (!latest) return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot to roll back", table.name()));
  BRAID_TRY_ASSIGN(Above above, FindAbove(table.file_system(), line->paths, target.id));
  RollbackResult result{.previous = *latest, .current = target.id, .target = target.id};
  if (above.empty()) return result;
  std::erase_if(above.tags, [](const std::string& name) { return IsGuardTag(name); });
  result.removed_snapshots = std::move(above.snapshots);
  result.removed_tags = std::move(above.tags);
  if (dry_run) return result;
  Json args;
  args.Add("lineId", line->id);
  args.Add("target", PrintSnapshot(target));
  BRAID_TRY_ASSIGN(OperationJournal journal, locked.Begin("rollback", kPlanned, std::move(args)));
  LineEnd end(locked, *line, target, journal);
  BRAID_TRY(RunJournalled(locked, journal, [&] { return end.Run(); }));
  return result;
}

Result<Recovered> RecoverRollback(const LockedTable& locked, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("lineId"));
  BRAID_TRY_ASSIGN(const std::string target_text, journal.args.GetString("target"));
  BRAID_TRY_ASSIGN(const Snapshot target, ParseSnapshot(target_text));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(locked.fs(), locked.root().root(), Inference::kSkip));
  const Line* line = lines.FindById(line_id);
  if (line == nullptr) return Recovered::kCompleted;
  OperationJournal present = journal;
  LineEnd end(locked, *line, target, present);
  BRAID_TRY_ASSIGN(const bool committed, end.IsCommitted());
  BRAID_TRY(committed ? end.Finish() : end.Undo());
  return committed ? Recovered::kCompleted : Recovered::kUndone;
}

}  // namespace braid
