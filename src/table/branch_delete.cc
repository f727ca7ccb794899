// Deleting a branch (spec branches.md §6.2). The commit point is the rename to `branch/.dropped-<op>`, or where folders cannot
// be renamed the creation of the mark DROPPED in the branch's own; from there its files are reclaimed, and the folder goes
// last.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "io/storage_traits.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/branch_folder.h"
#include "table/line_move.h"
#include "table/read_lease.h"
#include "table/recoveries_internal.h"
#include "table/removed_roots.h"
#include "table/table.h"

namespace braid {

namespace {

Error InUse(const Line& branch, std::string_view user, std::string_view remedy) {
  return Error(ErrorCode::kConflict, fmt::format("branch {} of {} is used by {}", branch.name,
                                                 branch.paths.OnBranch(kMainBranch).DisplayName(), user))
      .Id("branch.in-use")
      .Hint(std::string(remedy));
}

std::vector<const Line*> ChildrenOf(const TableLines& lines, const Line& parent) {
  std::vector<const Line*> children;
  for (const Line& line : lines.lines) {
    if (line.kind == LineKind::kBranch && line.record && line.record->parent_line_id == parent.id)
      children.push_back(&line);
  }
  return children;
}

// A line whose options read the branch: fallback reads would lose their other half.
Status CheckNotAFallback(const FileSystem& fs, const TableLines& lines, const Line& branch) {
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(fs, line.paths));
    if (!schema) continue;
    for (const char* key : {"scan.fallback-branch", "scan.primary-branch"}) {
      if (schema->options.Get(key, "") != branch.name) continue;
      return InUse(branch, fmt::format("the option {} of {}", key, line.paths.DisplayName()),
                   "remove that option first: ALTER TABLE … RESET");
    }
  }
  return Ok();
}

Status CheckUnused(const LockedTable& table, const TableLines& lines, const Line& branch, bool force) {
  BRAID_TRY(MayMove(branch, LineMove::kDelete));
  BRAID_TRY(CheckNotAFallback(table.fs(), lines, branch));
  if (force) return Ok();
  if (const auto children = ChildrenOf(lines, branch); !children.empty()) {
    std::vector<std::string> names;
    for (const Line* child : children) names.push_back(child->name);
    return InUse(branch, fmt::format("branches made from it: {}", Join(names, ", ")),
                 "delete them first, or give --force: they then have its parent");
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> readers,
                   LiveReadersOf(table.fs(), table.root(), branch.id, table.NowMs()));
  if (readers.empty()) return Ok();
  return InUse(branch, "readers: " + Join(readers, ", "), "wait for them, or give --force");
}

// The deleted branch's children get its parent; their base stays readable (§6.2, step 2). Idempotent.
Status Reparent(const LockedTable& table, const TableLines& lines, const Line& branch) {
  const ForkRecord& deleted = *branch.record;
  const Line* parent = lines.FindById(deleted.parent_line_id);
  for (const Line* child : ChildrenOf(lines, branch)) {
    if (child->inferred) continue;  // nothing is written down that would have to change
    ForkRecord record = *child->record;
    record.parent_line_id = deleted.parent_line_id;
    record.parent_name = deleted.parent_name;
    // What the child has in common with its new parent ends where the first of both forks is.
    std::optional<Snapshot> base = record.base;
    if (!record.anchor || !deleted.anchor || deleted.anchor->snapshot.id < record.anchor->snapshot.id) {
      record.anchor = deleted.anchor;
      base = deleted.base;
    }
    if (parent != nullptr && base) {
      BRAID_TRY_ASSIGN(const bool guards, WritesGuardTags(table.fs(), parent->paths));
      if (guards) BRAID_TRY(WriteGuardTag(table.fs(), parent->paths, ForkGuardTag(child->name), *base));
    }
    BRAID_TRY(WriteForkRecord(table.fs(), child->paths, record));
  }
  return Ok();
}

// A guard tag of a branch in the folder of another line.
struct GuardTag {
  const Line* line;
  std::string name;
};

Result<std::vector<GuardTag>> FindGuards(const FileSystem& fs, const TableLines& lines, std::string_view branch) {
  std::vector<GuardTag> guards;
  for (const Line& line : lines.lines) {
    if ((line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) || line.name == branch) continue;
    BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, line.paths));
    for (const std::string& tag : tags) {
      if (GuardedBranch(tag) == branch) guards.push_back({.line = &line, .name = tag});
    }
  }
  return guards;
}

// What other lines hold for the branch's sake alone.
Result<std::vector<Snapshot>> GuardedContents(const FileSystem& fs, const TableLines& lines, std::string_view branch) {
  BRAID_TRY_ASSIGN(const std::vector<GuardTag> guards, FindGuards(fs, lines, branch));
  std::vector<Snapshot> contents;
  for (const GuardTag& guard : guards) {
    Result<Tag> tag = ReadTag(fs, guard.line->paths, guard.name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return std::move(tag).error();
    contents.push_back(std::move(tag->snapshot));
  }
  return contents;
}

// Takes away what names the branch elsewhere; may be repeated.
Status RemoveTraces(const LockedTable& table, const std::string& name, const std::string& line_id) {
  FileSystem& fs = table.fs();
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.context().root, Inference::kSkip));
  BRAID_TRY_ASSIGN(const std::vector<GuardTag> guards, FindGuards(fs, lines, name));
  for (const GuardTag& guard : guards) BRAID_TRY(DeleteTagFile(fs, guard.line->paths, guard.name));
  BRAID_TRY_ASSIGN(const auto aliases, ListAliases(fs, table.root()));
  for (const auto& [alias_name, alias] : aliases) {
    // Neither may the name that was deleted mean another line again.
    if (alias.line_id == line_id || alias_name == name) BRAID_TRY(fs.Delete(table.root().AliasFile(alias_name)));
  }
  return Ok();
}

Result<Table> OpenMain(const OperationContext& context) {
  return Table::Open(context.file_system, context.root, context.table_name);
}

Status RefuseIfRead(const LockedTable& table, std::string_view line_id) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> readers,
                   LiveReadersOf(table.fs(), table.root(), line_id, table.NowMs()));
  if (readers.empty()) return Ok();
  return Error(ErrorCode::kConflict, fmt::format("it is read by {}", Join(readers, ", "))).Id("branch.in-use");
}

// Deletes the files that only a dropped line reached, then its folder; may be repeated. `told` hears before anything
// goes how much that is.
Status Reclaim(const LockedTable& table, const std::string& directory, std::string_view line_id,
               std::span<const Snapshot> guards, RemovedFiles& told) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
  const auto dropped = std::find_if(lines.lines.begin(), lines.lines.end(), [&](const Line& line) {
    return line.kind == LineKind::kDropped && line.paths.BranchDirectory() == directory;
  });
  if (dropped == lines.lines.end()) return Ok();
  BRAID_TRY(RefuseIfRead(table, line_id));
  BRAID_TRY_ASSIGN(const Table main, OpenMain(table.context()));
  BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfLine(*dropped, guards, {}, main, lines));
  told = files.Count();
  BRAID_TRY_ASSIGN(const RemovedFiles removed, files.Delete({}));
  if (removed.failures > 0) return Error(ErrorCode::kIo, fmt::format("{} files could not be deleted", removed.failures));
  BRAID_TRY(CanRename(table.fs()) ? table.fs().DeleteTree(directory)
                                   : DeleteMarkedFolder(table.fs(), directory, DroppedMark(dropped->paths)));
  return table.fs().SyncFiles(std::vector{table.root().BranchesDirectory()});
}

Json ArgsOf(const Line& branch, bool reclaim, const std::vector<Snapshot>& guards) {
  Json args;
  args.Add("name", branch.name);
  args.Add("branchId", branch.id);
  args.Add("reclaim", reclaim);
  Json::Array contents;
  for (const Snapshot& guard : guards) contents.push_back(SnapshotToJson(guard));
  args.Add("guards", std::move(contents));
  return args;
}

Result<std::vector<Snapshot>> GuardedContents(const Json& args) {
  std::vector<Snapshot> guards;
  const Json* contents = args.Find("guards");
  if (contents == nullptr || !contents->is_array()) return guards;
  for (const Json& content : contents->as_array()) {
    BRAID_TRY_ASSIGN(Snapshot guard, SnapshotFromJson(content));
    guards.push_back(std::move(guard));
  }
  return guards;
}

// Where a deleted branch's files wait.
std::string DroppedFolder(const LockedTable& table, const OperationJournal& journal, std::string_view name) {
  return CanRename(table.fs()) ? table.root().DroppedBranchDirectory(journal.id)
                                : table.root().OnBranch(name).BranchDirectory();
}

// Up to and with the commit point, and what must follow it.
Status Drop(const LockedTable& table, const OperationJournal& journal, const TableLines& lines, const Line& branch) {
  if (branch.record) BRAID_TRY(Reparent(table, lines, branch));
  if (CanRename(table.fs())) {
    const std::string dropped = DroppedFolder(table, journal, branch.name);
    BRAID_TRY(table.fs().Rename(branch.paths.BranchDirectory(), dropped));
    BRAID_TRY(table.fs().SyncFiles(std::vector{dropped}));
  } else {
    BRAID_TRY(table.fs().CreateAtomically(DroppedMark(branch.paths), journal.id));
  }
  return RemoveTraces(table, branch.name, branch.id);
}

Result<bool> WantsReclaim(const DeleteBranchRequest& request, const Table& main) {
  if (request.reclaim) return *request.reclaim;
  return main.options().GetBool("branch.delete.reclaim", true);
}

}  // namespace

Result<DeletedBranch> DeleteBranch(const OperationContext& context, const DeleteBranchRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(TableLines lines, SettleForeignRenames(table));
  BRAID_TRY(DeriveOrigins(table.fs(), lines));
  BRAID_TRY_ASSIGN(const Line* branch, FindBranch(lines, request.name, context.table_name));
  BRAID_TRY(CheckUnused(table, lines, *branch, request.force));
  DeletedBranch deleted{.name = branch->name,
                        .reparented = {},
                        .unreclaimed = {},
                        .unreclaimed_reason = {},
                        .repairs = table.repairs()};
  for (const Line* child : ChildrenOf(lines, *branch)) deleted.reparented.push_back(child->name);
  BRAID_TRY_ASSIGN(const Table main, OpenMain(context));
  BRAID_TRY_ASSIGN(const bool reclaim, WantsReclaim(request, main));
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> guards, GuardedContents(table.fs(), lines, branch->name));
  if (request.dry_run) {
    if (!reclaim) return deleted;
    BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfLine(*branch, guards, GuardsOf(branch->name), main, lines));
    deleted.files = files.Preview();
    return deleted;
  }
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("delete", "PLANNED", ArgsOf(*branch, reclaim, guards)));
  const std::string dropped = DroppedFolder(table, journal, branch->name);
  const auto body = [&]() -> Status {
    BRAID_TRY(Drop(table, journal, lines, *branch));
    if (!reclaim) return Ok();
    Status reclaimed = Reclaim(table, dropped, branch->id, guards, deleted.files);
    if (!reclaimed) deleted.unreclaimed_reason = reclaimed.error().ToString();
    return reclaimed;
  };
  BRAID_TRY(RunJournalled(table, journal, body));
  BRAID_TRY_ASSIGN(const bool left, table.fs().Exists(dropped));
  if (left) {
    deleted.unreclaimed = dropped;
    deleted.files = {};
  } else {
    deleted.unreclaimed_reason.clear();
  }
  return deleted;
}

Result<Recovered> RecoverDeleteBranch(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string name, journal.args.GetString("name"));
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("branchId"));
  BRAID_TRY_ASSIGN(const std::vector<Snapshot> guards, GuardedContents(journal.args));
  const std::string directory = DroppedFolder(table, journal, name);
  BRAID_TRY_ASSIGN(const bool dropped,
                   table.fs().Exists(CanRename(table.fs()) ? directory : DroppedMark(table.root().OnBranch(name))));
  if (!dropped) {
    // Children that have another parent already are right either way.
    BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
    return lines.FindById(line_id) != nullptr ? Recovered::kUndone : Recovered::kCompleted;
  }
  BRAID_TRY(table.fs().SyncFiles(std::vector{directory}));
  BRAID_TRY(RemoveTraces(table, name, line_id));
  if (!journal.args.IsTrue("reclaim")) return Recovered::kCompleted;
  RemovedFiles files;
  const Status reclaimed = Reclaim(table, directory, line_id, guards, files);
  // The branch is gone either way. What hinders this must not hinder every other operation: ReclaimDropped tries again.
  if (!reclaimed) {
    Log(LogLevel::kWarning, "files of a deleted branch not reclaimed",
        fmt::format("table={} branch={} folder={} error={}", table.context().table_name, name, directory,
                    reclaimed.error().message()));
  }
  return Recovered::kCompleted;
}

Result<std::vector<ReclaimedBranch>> ReclaimDropped(const OperationContext& context, bool dry_run) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root, Inference::kSkip));
  std::vector<ReclaimedBranch> reclaimed;
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kDropped) continue;
    ReclaimedBranch branch{.name = line.record ? line.record->name : line.name, .files = {}, .kept_reason = {}};
    const auto reclaim = [&]() -> Status {
      if (!dry_run) return Reclaim(table, line.paths.BranchDirectory(), line.id, {}, branch.files);
      BRAID_TRY(RefuseIfRead(table, line.id));
      BRAID_TRY_ASSIGN(const Table main, OpenMain(context));
      BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOfLine(line, {}, {}, main, lines));
      branch.files = files.Preview();
      return Ok();
    };
    if (const Status done = reclaim(); !done) branch.kept_reason = done.error().ToString();
    reclaimed.push_back(std::move(branch));
  }
  return reclaimed;
}

}  // namespace braid
