// Deleting a branch (spec branches.md §6.2). The commit point is the rename to `branch/.dropped-<op>`.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/branch_readers_internal.h"
#include "table/recoveries_internal.h"

namespace braid {

namespace {

Error InUse(const Line& branch, std::string_view user, std::string_view remedy) {
  return Error(ErrorCode::kConflict, fmt::format("branch {} of {} is used by {}", branch.name,
                                                 branch.paths.OnBranch(kMainBranch).DisplayName(), user))
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
    record.anchor = deleted.anchor;
    if (parent != nullptr && deleted.base) {
      BRAID_TRY_ASSIGN(const bool guards, WritesGuardTags(table.fs(), parent->paths));
      if (guards) BRAID_TRY(WriteGuardTag(table.fs(), parent->paths, ForkGuardTag(child->name), *deleted.base));
    }
    BRAID_TRY(WriteForkRecord(table.fs(), child->paths, record));
  }
  return Ok();
}

// Guard tags of a branch in the folders of all other lines.
Status DeleteGuards(const LockedTable& table, const TableLines& lines, std::string_view branch) {
  for (const Line& line : lines.lines) {
    if ((line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) || line.name == branch) continue;
    BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(table.fs(), line.paths));
    for (const std::string& tag : tags) {
      if (GuardedBranch(tag) == branch) BRAID_TRY(DeleteTagFile(table.fs(), line.paths, tag));
    }
  }
  return Ok();
}

// What follows the commit point; may be repeated.
Status FinishDeletion(const LockedTable& table, const std::string& name, const std::string& line_id) {
  FileSystem& fs = table.fs();
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, table.context().root, Inference::kSkip));
  BRAID_TRY(DeleteGuards(table, lines, name));
  BRAID_TRY_ASSIGN(const auto aliases, ListAliases(fs, table.root()));
  for (const auto& [alias_name, alias] : aliases) {
    // Neither may the name that was deleted mean another line again.
    if (alias.line_id == line_id || alias_name == name) BRAID_TRY(fs.Delete(table.root().AliasFile(alias_name)));
  }
  return Ok();
}

Status Carry(const LockedTable& table, const OperationJournal& journal, const TableLines& lines, const Line& branch) {
  if (branch.record) BRAID_TRY(Reparent(table, lines, branch));
  const std::string dropped = table.root().DroppedBranchDirectory(journal.id);
  BRAID_TRY(table.fs().Rename(branch.paths.BranchDirectory(), dropped));
  BRAID_TRY(table.fs().SyncFiles(std::vector{dropped}));
  return FinishDeletion(table, branch.name, branch.id);
}

}  // namespace

Result<DeletedBranch> DeleteBranch(const OperationContext& context, const DeleteBranchRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY(SettleForeignRenames(table));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root));
  BRAID_TRY_ASSIGN(const Line* branch, FindBranch(lines, request.name, context.table_name));
  BRAID_TRY(CheckUnused(table, lines, *branch, request.force));
  DeletedBranch deleted{.name = branch->name, .reparented = {}, .unreclaimed = {}, .repairs = table.repairs()};
  for (const Line* child : ChildrenOf(lines, *branch)) deleted.reparented.push_back(child->name);
  if (request.dry_run) return deleted;
  Json args;
  args.Add("name", branch->name);
  args.Add("branchId", branch->id);
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("delete", "PLANNED", std::move(args)));
  BRAID_TRY(RunJournalled(table, journal, [&] { return Carry(table, journal, lines, *branch); }));
  deleted.unreclaimed = table.root().DroppedBranchDirectory(journal.id);
  return deleted;
}

Result<Recovered> RecoverDeleteBranch(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string name, journal.args.GetString("name"));
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("branchId"));
  BRAID_TRY_ASSIGN(const bool dropped, table.fs().Exists(table.root().DroppedBranchDirectory(journal.id)));
  // Children that have another parent already are right either way.
  if (!dropped) return Recovered::kUndone;
  BRAID_TRY(table.fs().SyncFiles(std::vector{table.root().DroppedBranchDirectory(journal.id)}));
  BRAID_TRY(FinishDeletion(table, name, line_id));
  return Recovered::kCompleted;
}

}  // namespace braid
