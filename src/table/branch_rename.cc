// Renaming, adopting and protecting branches (spec branches.md §6.3, §3.2).

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/uuid.h"
#include "io/storage_traits.h"
#include "meta/schema_change.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/line_move.h"
#include "table/recoveries_internal.h"
#include "table/seal.h"

namespace braid {

namespace {

constexpr const char* kBranchOptions[] = {"scan.fallback-branch", "scan.primary-branch"};

// Lines whose options name the branch.
Result<std::vector<const Line*>> LinesNaming(const FileSystem& fs, const TableLines& lines, std::string_view branch) {
  std::vector<const Line*> naming;
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(fs, line.paths));
    if (!schema) continue;
    for (const char* key : kBranchOptions) {
      if (schema->options.Get(key, "") == branch) naming.push_back(&line);
    }
  }
  return naming;
}

Status UpdateOptions(const LockedTable& table, const TableLines& lines, const std::string& from,
                     const std::string& to) {
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(table.fs(), line.paths));
    if (!schema) continue;
    bool changed = false;
    for (const char* key : kBranchOptions) {
      if (schema->options.Get(key, "") != from) continue;
      schema->options.Set(key, to);
      changed = true;
    }
    if (!changed) continue;
    schema->id = schema->id.next();
    schema->time_millis = table.NowMs();
    BRAID_TRY(WriteSchema(table.fs(), line.paths, *schema));
  }
  return Ok();
}

using VisitGuard = std::function<Status(const Line& line, const Tag& guard, const std::string& renamed)>;

// Every guard tag of a branch, in all lines, with the name that it has for another branch.
Status VisitGuards(const FileSystem& fs, const TableLines& lines, const std::string& from, const std::string& to,
                   const VisitGuard& visit) {
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kRoot && line.kind != LineKind::kBranch) continue;
    BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, line.paths));
    for (const std::string& name : tags) {
      if (GuardedBranch(name) != from) continue;
      BRAID_TRY_ASSIGN(const Tag tag, ReadTag(fs, line.paths, name));
      BRAID_TRY(visit(line, tag,
                      name == ForkGuardTag(from) ? ForkGuardTag(to)
                                                 : LinkGuardTag(to, std::stoul(name.substr(name.rfind('-') + 1)))));
    }
  }
  return Ok();
}

// Guard tags named after the branch get the new name: the new one first, so that one is always there.
Status RenameGuards(const LockedTable& table, const TableLines& lines, const std::string& from, const std::string& to) {
  return VisitGuards(table.fs(), lines, from, to, [&](const Line& line, const Tag& guard, const std::string& renamed) -> Status {
    BRAID_TRY(WriteGuardTag(table.fs(), line.paths, renamed, guard.snapshot));
    return DeleteTagFile(table.fs(), line.paths, guard.name);
  });
}

// Those that hold what the record pins are there under the new name as well.
Status CopyGuards(const LockedTable& table, const TableLines& lines, const ForkRecord& record, const std::string& to) {
  const auto pins = [&](const Snapshot& snapshot) {
    const auto is_it = [&](const std::optional<Snapshot>& pinned) { return pinned && RefOf(*pinned) == RefOf(snapshot); };
    return is_it(record.base) || std::any_of(record.links.begin(), record.links.end(),
                                             [&](const ForkLink& link) { return is_it(link.base); });
  };
  return VisitGuards(table.fs(), lines, record.name, to, [&](const Line& line, const Tag& guard, const std::string& renamed) {
    return pins(guard.snapshot) ? WriteGuardTag(table.fs(), line.paths, renamed, guard.snapshot) : Ok();
  });
}

// What follows the rename of the folder; may be repeated.
Status FinishRename(const LockedTable& table, const std::string& from, const std::string& to, bool update_options) {
  const TablePaths paths = table.root().OnBranch(to);
  BRAID_TRY(table.fs().SyncFiles(std::vector{paths.BranchDirectory()}));
  BRAID_TRY_ASSIGN(std::optional<ForkRecord> record, ReadForkRecord(table.fs(), paths));
  if (record && record->retired) {
    // A former main that somebody gives a name is to be kept, and written to.
    BRAID_TRY(UnsealLine(table, paths, record->retired->operation));
  }
  if (record && (record->name != to || record->retired)) {
    record->name = to;
    record->retired.reset();
    BRAID_TRY(WriteForkRecord(table.fs(), paths, *record));
  }
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
  BRAID_TRY(RenameGuards(table, lines, from, to));
  if (update_options) BRAID_TRY(UpdateOptions(table, lines, from, to));
  return table.fs().Delete(table.root().AliasFile(to));
}

Status CarryRename(const LockedTable& table, const OperationJournal& journal, const RenameBranchRequest& request,
                   const Line& branch) {
  // A branch without a record takes its id from its name; the alias must name the one that it will have.
  std::string line_id = branch.id;
  if (branch.inferred) {
    BRAID_TRY_ASSIGN(line_id, InferredLineIdAs(table.fs(), branch.paths, request.to));
  }
  const BranchAlias alias{.line_id = line_id, .branch = request.to, .made_ms = table.NowMs(), .operation = journal.id};
  BRAID_TRY(WriteAlias(table.fs(), table.root(), request.from, alias));
  const Status renamed =
      table.fs().Rename(branch.paths.BranchDirectory(), table.root().OnBranch(request.to).BranchDirectory());
  if (!renamed && renamed.error().code() == ErrorCode::kAlreadyExists) {
    return Error(ErrorCode::kAlreadyExists,
                 fmt::format("{} has a branch {} already", table.context().table_name, request.to))
        .Id("branch.exists")
        .Hint("choose another name");
  }
  BRAID_TRY(renamed);
  return FinishRename(table, request.from, request.to, request.update_options);
}

}  // namespace

Result<TableLines> SettleForeignRenames(const LockedTable& table) {
  BRAID_TRY_ASSIGN(TableLines lines, ListLines(table.fs(), table.context().root, Inference::kSkip));
  for (Line& line : lines.lines) {
    if (line.kind != LineKind::kBranch || !line.record || line.record->name == line.name) continue;
    const Line* other = lines.Find(line.record->name);
    // Where another branch has that name by now, what is named after it may be its own.
    const bool keeps_names = other != nullptr && other->record;
    BRAID_TRY(keeps_names ? CopyGuards(table, lines, *line.record, line.name)
                          : RenameGuards(table, lines, line.record->name, line.name));
    line.record->name = line.name;
    BRAID_TRY(WriteForkRecord(table.fs(), line.paths, *line.record));
  }
  return lines;
}

Result<std::vector<std::string>> RenameBranch(const OperationContext& context, const RenameBranchRequest& request) {
  BRAID_TRY(CheckBranchName(request.to));
  if (!CanRename(*context.file_system)) {
    return Error(ErrorCode::kUnsupported, fmt::format("the store of {} cannot rename a branch safely: a commit during copying would be lost", context.table_name))
        .Hint("create a branch of the new name and merge, then delete the old one");
  }
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, SettleForeignRenames(table));
  BRAID_TRY_ASSIGN(const Line* branch, FindBranch(lines, request.from, context.table_name));
  BRAID_TRY(MayMove(*branch, LineMove::kRename));
  if (lines.Find(request.to) != nullptr) {
    return Error(ErrorCode::kAlreadyExists, fmt::format("{} has a branch {} already", context.table_name, request.to))
        .Id("branch.exists")
        .Hint("choose another name");
  }
  BRAID_TRY_ASSIGN(const std::vector<const Line*> naming, LinesNaming(table.fs(), lines, branch->name));
  if (!naming.empty() && !request.update_options) {
    return Error(ErrorCode::kConflict,
                 fmt::format("options of {} name the branch {}", naming.front()->paths.DisplayName(), branch->name))
        .Id("branch.in-use")
        .Hint("give --update-options to change them too");
  }
  Json args;
  args.Add("from", request.from);
  args.Add("to", request.to);
  args.Add("branchId", branch->id);
  args.Add("updateOptions", request.update_options);
  BRAID_TRY_ASSIGN(const OperationJournal journal, table.Begin("rename", "PLANNED", std::move(args)));
  BRAID_TRY(RunJournalled(table, journal, [&] { return CarryRename(table, journal, request, *branch); }));
  return table.repairs();
}

Result<Recovered> RecoverRenameBranch(const LockedTable& table, const OperationJournal& journal) {
  BRAID_TRY_ASSIGN(const std::string from, journal.args.GetString("from"));
  BRAID_TRY_ASSIGN(const std::string to, journal.args.GetString("to"));
  const Json* update_options = journal.args.Find("updateOptions");
  BRAID_TRY_ASSIGN(const std::string branch_id, journal.args.GetString("branchId"));
  const Result<std::string> there = ReadLineId(table.fs(), table.root().OnBranch(from));
  if (!there && there.error().code() != ErrorCode::kNotFound) return there.error();
  // Another engine may have made a branch of the former name meanwhile.
  if (there && *there == branch_id) {
    BRAID_TRY(table.fs().Delete(table.root().AliasFile(from)));
    return Recovered::kUndone;
  }
  BRAID_TRY(FinishRename(table, from, to, update_options != nullptr && *update_options == Json(true)));
  return Recovered::kCompleted;
}

Result<ForkRecord> AdoptBranch(const OperationContext& context, const std::string& name,
                               std::optional<SnapshotId> fork_snapshot) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  FileSystem& fs = table.fs();
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(fs, context.root));
  BRAID_TRY_ASSIGN(const Line* branch, FindBranch(lines, name, context.table_name));
  if (!branch->inferred) {
    return Error(ErrorCode::kAlreadyExists,
                 fmt::format("where branch {} of {} comes from is recorded already", name, context.table_name));
  }
  if (branch->damage) return *branch->damage;
  ForkRecord record = *branch->record;
  if (fork_snapshot) {
    const Line* parent = record.anchor ? lines.FindById(record.parent_line_id) : &lines.main();
    BRAID_TRY_ASSIGN(const Snapshot ours, ReadSnapshot(fs, branch->paths, *fork_snapshot));
    BRAID_TRY_ASSIGN(const bool common, HoldsSnapshot(fs, parent->paths, RefOf(ours)));
    if (!common) {
      return Error(ErrorCode::kConflict, fmt::format("snapshot {} of branch {} is not one of {}", *fork_snapshot, name,
                                                     parent->paths.DisplayName()))
          .Hint("`braid log` shows the snapshots of each");
    }
    record.anchor = AnchorAt(ours);
    record.base = ours;
    record.parent_line_id = parent->id;
    record.parent_name = parent->is_main ? std::string(kMainBranch) : parent->name;
  }
  if (!record.anchor && record.kind != ForkKind::kEmpty) {
    return Error(ErrorCode::kConflict, fmt::format("the fork point of {} is not recorded and cannot be derived: {}",
                                                   name, branch->unknown_reason))
        .Id("fork.unknown")
        .Hint("name a snapshot that both have with --fork-snapshot");
  }
  record.created_by = context.actor.empty() ? table.context().actor : context.actor;
  record.engine = EngineName();
  if (record.base) {
    const Line* parent = lines.FindById(record.parent_line_id);
    BRAID_TRY_ASSIGN(const bool guards, WritesGuardTags(fs, parent->paths));
    if (guards) {
      BRAID_TRY(WriteGuardTag(fs, parent->paths, ForkGuardTag(name), *record.base));
      BRAID_TRY(WriteGuardTag(fs, branch->paths, ForkGuardTag(name), *record.base));
    }
  }
  // The guard tags alone do no harm; the record makes them count.
  BRAID_TRY(EnsureTableRecord(fs, table.root(), table.NowMs()));
  BRAID_TRY(WriteForkRecord(fs, branch->paths, record));
  return record;
}

Result<ForkRecord> ProtectBranch(const OperationContext& context, const std::string& name, bool is_protected) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root, Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* branch, FindBranch(lines, name, context.table_name));
  if (branch->damage) return *branch->damage;
  if (branch->inferred) {
    return Error(ErrorCode::kConflict,
                 fmt::format("branch {} of {} was made by another engine and has no record to mark", name,
                             context.table_name))
        .Hint(fmt::format("`braid branch adopt --name {}` first", name));
  }
  ForkRecord record = *branch->record;
  record.is_protected = is_protected;
  BRAID_TRY(WriteForkRecord(table.fs(), branch->paths, record));
  return record;
}

}  // namespace braid
