// Releasing the base of a branch. The commit point is writing the fork record without it.

#include "table/branch_base.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/line_move.h"
#include "table/line_roots.h"
#include "table/maintenance_mode.h"
#include "table/recoveries_internal.h"
#include "table/removed_roots.h"
#include "table/table.h"

namespace braid {

namespace {

std::vector<Snapshot> PinnedBy(const ForkRecord& record) {
  std::vector<Snapshot> pinned;
  if (record.base) pinned.push_back(*record.base);
  for (const ForkLink& link : record.links) {
    if (link.base) pinned.push_back(*link.base);
  }
  return pinned;
}

ForkRecord WithoutPins(ForkRecord record) {
  record.base.reset();
  for (ForkLink& link : record.links) link.base.reset();
  return record;
}

Result<Table> OpenMain(const OperationContext& context) {
  return Table::Open(context.file_system, context.root, context.table_name);
}

// The lines as they are once the branch pins nothing.
TableLines WithoutPins(TableLines lines, const std::string& branch) {
  for (Line& line : lines.lines) {
    if (line.kind == LineKind::kBranch && line.name == branch && line.record) line.record = WithoutPins(*line.record);
  }
  return lines;
}

// Whether the branch's own snapshots or tags reach a file that is alive in what it pins.
Result<bool> SharesFiles(const Table& main, const Line& branch, const std::vector<Snapshot>& pinned) {
  TableLines nothing;
  BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfContents(pinned, {}, main, nothing));
  std::vector<Snapshot> own;
  Line without = branch;
  without.record = WithoutPins(*branch.record);
  BRAID_TRY(VisitRoots(
      main.file_system(), without,
      [&](const Root& root) {
        own.push_back(root.snapshot);
        return Ok();
      },
      GuardsOf(branch.name)));
  std::vector<const Snapshot*> roots;
  for (const Snapshot& snapshot : own) roots.push_back(&snapshot);
  RootReader reader(main.file_system(), main.paths(), files.watched());
  BRAID_TRY(reader.Load(roots));
  bool shares = false;
  for (const Snapshot* root : roots) reader.VisitLive(*root, [&](std::uint32_t) { shares = true; });
  return shares;
}

Status CheckGuardsMayGo(const Table& main, const Line& branch, const std::vector<Snapshot>& pinned, bool assume_exclusive) {
  if (assume_exclusive || IsMaintainedExclusively(main.options())) return Ok();
  BRAID_TRY_ASSIGN(const bool shares, SharesFiles(main, branch, pinned));
  if (!shares) return Ok();
  return Error(ErrorCode::kConflict,
               fmt::format("branch {} of {} still reads files that it shares with its parent, and without its guard tags "
                           "other engines could delete them",
                           branch.name, main.name()))
      .Hint("`braid table set-maintenance --mode exclusive` keeps other engines from it; --assume-exclusive says that there "
            "are none");
}

// What follows the commit point; may be repeated.
Status Finish(const LockedTable& table, const std::string& name, const std::vector<Snapshot>& pinned, RemovedFiles& removed) {
  FileSystem& fs = table.fs();
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.context().root, Inference::kSkip));
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, line.paths));
    for (const std::string& tag : tags) {
      if (GuardedBranch(tag) == name) BRAID_TRY(DeleteTagFile(fs, line.paths, tag));
    }
  }
  BRAID_TRY_ASSIGN(const Table main, OpenMain(table.context()));
  BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfContents(pinned, {}, main, lines));
  removed = files.Count();
  BRAID_TRY_ASSIGN(removed, files.Delete({}));
  return Ok();
}

Result<std::vector<Snapshot>> PinnedOf(const Json& args) {
  const Json* contents = args.Find("pinned");
  if (contents == nullptr || !contents->is_array()) return Error(ErrorCode::kCorruption, "it lacks 'pinned'");
  std::vector<Snapshot> pinned;
  for (const Json& content : contents->as_array()) {
    BRAID_TRY_ASSIGN(Snapshot snapshot, SnapshotFromJson(content));
    pinned.push_back(std::move(snapshot));
  }
  return pinned;
}

}  // namespace

Result<ReleasedBase> ReleaseBase(const OperationContext& context, const ReleaseBaseRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root, Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* branch, FindBranch(lines, request.name, context.table_name));
  BRAID_TRY(MayMove(*branch, LineMove::kReplace));
  if (branch->damage) return *branch->damage;
  const std::vector<Snapshot> pinned = branch->record ? PinnedBy(*branch->record) : std::vector<Snapshot>();
  if (pinned.empty()) {
    return Error(ErrorCode::kConflict, fmt::format("branch {} of {} pins nothing", branch->name, context.table_name))
        .Hint("there is nothing to do");
  }
  BRAID_TRY_ASSIGN(const Table main, OpenMain(context));
  BRAID_TRY(CheckGuardsMayGo(main, *branch, pinned, request.assume_exclusive));
  ReleasedBase released{.name = branch->name, .files = {}, .repairs = table.repairs()};
  if (request.dry_run) {
    const TableLines left = WithoutPins(lines, branch->name);
    BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfContents(pinned, GuardsOf(branch->name), main, left));
    released.files = files.Preview();
    return released;
  }
  Json args;
  args.Add("name", branch->name);
  Json::Array contents;
  for (const Snapshot& content : pinned) contents.push_back(SnapshotToJson(content));
  args.Add("pinned", std::move(contents));
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("release", "PLANNED", std::move(args)));
  const auto body = [&]() -> Status {
    BRAID_TRY(WriteForkRecord(table.fs(), branch->paths, WithoutPins(*branch->record)));
    return Finish(table, branch->name, pinned, released.files);
  };
  BRAID_TRY(RunJournalled(table, journal, body));
  return released;
}

Result<Recovered> RecoverReleaseBase(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string name, journal.args.GetString("name"));
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> pinned, PinnedOf(journal.args));
  BRAID_TRY_ASSIGN(const std::optional<ForkRecord> record, ReadForkRecord(table.fs(), table.root().OnBranch(name)));
  if (!record) return Recovered::kCompleted;
  if (!PinnedBy(*record).empty()) return Recovered::kUndone;
  RemovedFiles removed;
  BRAID_TRY(Finish(table, name, pinned, removed));
  return Recovered::kCompleted;
}

}  // namespace braid
