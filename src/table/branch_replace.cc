// Replacing main (spec branches.md §8): what is checked before, and what is told afterwards. branch_switch.cc carries it out.

#include "table/branch_replace.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/storage_traits.h"
#include "meta/stores.h"
#include "table/branch_files_internal.h"
#include "table/branch_switch_internal.h"
#include "table/branches.h"
#include "table/line_move.h"
#include "table/lines.h"

namespace braid {

namespace {


Error Refused(std::string_view id, std::string message, std::string hint) {
  return Error(ErrorCode::kConflict, std::move(message)).Id(id).Hint(std::move(hint));
}

Result<Snapshot> HeadOf(const FileSystem& fs, const Line& line) {
  BRAID_TRY_ASSIGN(std::optional<Snapshot> head, ReadLatestSnapshot(fs, line.paths));
  if (head) return *std::move(head);
  return Error(ErrorCode::kNotFound, fmt::format("{} has no snapshot", line.paths.DisplayName())).Hint("write to it first");
}

Result<std::vector<Tag>> ReadTags(const FileSystem& fs, const TablePaths& line) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(fs, line));
  std::vector<Tag> tags;
  for (const std::string& name : names) {
    Result<Tag> tag = ReadTag(fs, line, name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return std::move(tag).error();
    tags.push_back(*std::move(tag));
  }
  return tags;
}

// Looks at everything that §8.4 refuses, before anything is written.
class ReplacePreflight {
 public:
  ReplacePreflight(const LockedTable& table, const TableLines& lines, const ReplaceMainRequest& request)
      : table_(table), fs_(table.fs()), lines_(lines), request_(request), old_(lines.main()) {}

  Result<ReplacePlan> Plan() {
    BRAID_TRY(FindBranchLine());
    if (old_.kind != LineKind::kRoot) {
      return Error(ErrorCode::kUnsupported, fmt::format("main of {} is the branch {}, and is not replaced from there by this version", name(), old_.name))
          .Hint("`braid branch materialize-main` moves it into the table's root first");
    }
    BRAID_TRY(MayMove(old_, LineMove::kReplace));
    BRAID_TRY(MayMove(*branch_, LineMove::kReplace));
    BRAID_TRY_ASSIGN(const Snapshot old_head, HeadOf(fs_, old_));
    BRAID_TRY_ASSIGN(const Snapshot new_head, HeadOf(fs_, *branch_));
    // Once it has begun, replacing ends forwards: what both lines go on from must be readable before.
    BRAID_TRY(CheckReadable(old_, old_head));
    BRAID_TRY(CheckReadable(*branch_, new_head));
    BRAID_TRY(FindFork());
    if (request_.expect_head && *request_.expect_head != old_head.id) {
      return Refused("main.moved", fmt::format("the head of main of {} is snapshot {}, not {}", name(), old_head.id, *request_.expect_head),
                     "look at what was committed, then give the new number");
    }
    ReplacePlan plan;
    plan.old_branch = old_.kind == LineKind::kRoot ? std::string(kMainBranch) : old_.name;
    plan.old_line_id = old_.id;
    plan.branch = branch_->name;
    plan.new_line_id = branch_->id;
    plan.fork = fork_;
    plan.old_head = RefOf(old_head);
    plan.new_head = RefOf(new_head);
    plan.keep_as = request_.keep_as;
    plan.consumers = request_.consumers;
    BRAID_TRY(ReadOptions(plan));
    if (!request_.keep_as.empty()) BRAID_TRY(CheckKeptName(plan));
    BRAID_TRY(CheckTags());
    BRAID_TRY(CheckConsumers());
    return plan;
  }

 private:
  const std::string& name() const { return table_.context().table_name; }

  Status FindBranchLine() {
    BRAID_TRY_ASSIGN(branch_, FindLine(lines_, request_.name, name()));
    if (branch_->is_main) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} is main of {} already", request_.name, name()))
          .Id("replace.self")
          .Hint("name the branch that is to become main");
    }
    if (branch_->damage) return *branch_->damage;
    return Ok();
  }

  Status CheckReadable(const Line& line, const Snapshot& head) const {
    for (const std::string* list : {&head.base_manifest_list, &head.delta_manifest_list}) {
      const auto read = ReadManifestList(fs_, line.paths, *list);
      if (!read) return read.error().Context(fmt::format("while looking at snapshot {} of {}", head.id, line.paths.DisplayName()));
    }
    return Ok();
  }

  // The last snapshot that both lines have.
  Status FindFork() {
    const ForkRecord* record = LowestForkBelow(lines_, *branch_, old_.id);
    if (record != nullptr && record->base) {
      Result<Snapshot> fork = ForkPointOf(fs_, *record, old_.paths);
      if (!fork && fork.error().code() != ErrorCode::kNotFound) return std::move(fork).error();
      if (fork) {
        fork_ = *std::move(fork);
        return CheckForkIsMains();
      }
    }
    return Refused("fork.unknown", fmt::format("the fork point of {} is not recorded and cannot be derived: it does not lead to main", branch_->name),
                   fmt::format("`braid branch adopt --name {} --fork-snapshot N` names it", branch_->name));
  }

  Status CheckForkIsMains() const {
    BRAID_TRY_ASSIGN(const UnderId found, LookUnderId(fs_, old_.paths, fork_));
    if (found != UnderId::kAnother) return Ok();  // it may have expired
    return Refused("merge.parent-rewound", fmt::format("main of {} was rolled back below snapshot {}, from which {} was made", name(), fork_.id, branch_->name),
                   "merge the branch, or adopt it at a snapshot that both have");
  }

  Status ReadOptions(ReplacePlan& plan) const {
    BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(fs_, branch_->paths));
    const Options options = schema ? schema->options : Options();
    BRAID_TRY_ASSIGN(const std::chrono::milliseconds grace, options.GetDuration("branch.replace.grace-time", std::chrono::hours(24)));
    BRAID_TRY_ASSIGN(const bool materialize, options.GetBool("branch.replace.materialize", true));
    plan.grace_ms = request_.grace_time.value_or(grace).count();
    plan.materialize = request_.materialize.value_or(materialize);
    BRAID_TRY_ASSIGN(plan.guard_tags, WritesGuardTags(fs_, branch_->paths));
    return Ok();
  }

  Status CheckKeptName(const ReplacePlan& plan) const {
    BRAID_TRY(CheckBranchName(request_.keep_as));
    if (!plan.materialize) {
      return Error(ErrorCode::kUnsupported, "--keep-as with --no-materialize is not done by this version")
          .Hint("the former main stays in the table's root; `materialize-main` keeps it as a branch later");
    }
    if (lines_.Find(request_.keep_as) == nullptr) return Ok();
    return Error(ErrorCode::kAlreadyExists, fmt::format("{} has a branch {} already", name(), request_.keep_as))
        .Id("branch.exists")
        .Hint("choose another name for --keep-as");
  }

  Status CheckTags() const {
    BRAID_TRY_ASSIGN(const std::vector<Tag> mains, ReadTags(fs_, old_.paths));
    std::vector<std::string> beyond;
    for (const Tag& tag : mains) {
      if (IsGuardTag(tag.name)) continue;
      if (tag.snapshot.id > fork_.id) {
        if (!tag.name.starts_with("savepoint-")) beyond.push_back(tag.name);
        continue;
      }
      const Result<Tag> other = ReadTag(fs_, branch_->paths, tag.name);
      if (!other && other.error().code() == ErrorCode::kNotFound) continue;
      if (!other) return other.error();
      if (RefOf(other->snapshot) == RefOf(tag.snapshot) || request_.branch_tags_win) continue;
      return Refused("merge.tag-clash", fmt::format("tag {} means snapshot {} on {} and {} on main", tag.name, other->snapshot.id, branch_->name, tag.snapshot.id),
                     "give --tags branch to keep the branch's");
    }
    if (beyond.empty() || request_.drop_tags || !request_.keep_as.empty()) return Ok();
    return Refused("merge.tag-clash", fmt::format("main has tags after the fork that the new main would not have: {}", Join(beyond, ", ")),
                   "give --keep-as NAME to keep them with the former main, or --drop-tags");
  }

  Status CheckConsumers() const {
    if (request_.consumers != ConsumerPolicy::kFail) return Ok();
    BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(fs_, old_.paths));
    for (const Consumer& consumer : consumers) {
      if (consumer.id.starts_with("braid-") || consumer.next_snapshot <= fork_.id.next()) continue;
      return Refused("consumers.ahead", fmt::format("consumer {} is at snapshot {}, beyond {}", consumer.id, consumer.next_snapshot, fork_.id),
                     "give --consumers rewind to let it read from the fork again, or --consumers drop");
    }
    return Ok();
  }

  const LockedTable& table_;
  FileSystem& fs_;
  const TableLines& lines_;
  const ReplaceMainRequest& request_;
  const Line& old_;
  const Line* branch_ = nullptr;
  Snapshot fork_;
};

// Whether a schema number means different columns on two lines.
Result<bool> SchemasDiffer(const FileSystem& fs, const TablePaths& first, const TablePaths& second) {
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(fs, first));
  for (const SchemaId id : ids) {
    BRAID_TRY_ASSIGN(const bool both, fs.Exists(second.SchemaFile(id)));
    if (!both) continue;
    BRAID_TRY_ASSIGN(const TableSchema one, ReadSchema(fs, first, id));
    BRAID_TRY_ASSIGN(const TableSchema other, ReadSchema(fs, second, id));
    if (one.fields != other.fields) return true;
  }
  return false;
}

Result<ReplacedMain> ResultOf(const LockedTable& table, const TableLines& lines, const ReplacePlan& plan) {
  ReplacedMain result;
  result.branch = plan.branch;
  result.fork = RefOf(plan.fork);
  result.old_head = plan.old_head;
  result.new_head = plan.new_head;
  result.left_out = std::max<std::int64_t>(plan.old_head.id.value() - plan.fork.id.value(), 0);
  result.materialized = plan.materialize;
  result.repairs = table.repairs();
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kBranch || !line.record || line.record->parent_line_id != plan.old_line_id) continue;
    if (line.name == plan.branch || !line.record->anchor || line.record->anchor->snapshot.id <= plan.fork.id) continue;
    result.notes.push_back(fmt::format("branch {} was made from snapshot {} of the former main, which the new one does not have; it stays as it is",
                                       line.name, line.record->anchor->snapshot.id));
  }
  if (plan.materialize) {
    BRAID_TRY_ASSIGN(const bool differ, SchemasDiffer(table.fs(), lines.main().paths, table.root().OnBranch(plan.branch)));
    if (differ) {
      result.notes.emplace_back("former and new main have different schemas under one number; readers of other engines should pause for this moment");
    }
  }
  return result;
}

// Carries out the plan; `result` says what it is about.
Result<ReplacedMain> Carry(const LockedTable& table, const ReplacePlan& plan, ReplacedMain result) {
  BRAID_TRY(EnsureTableRecord(table.fs(), table.root(), table.NowMs()));
  BRAID_TRY_ASSIGN(const SwitchOutcome outcome, SwitchMain(table, plan));
  result.kept_as = outcome.kept_as;
  result.drop_after_ms = outcome.drop_after_ms;
  result.notes.insert(result.notes.end(), outcome.notes.begin(), outcome.notes.end());
  return result;
}

// Main's folders are exchanged for the branch's, which needs a storage that can.
Status CheckCanMaterialize(const OperationContext& context, std::string_view instead) {
  if (CanRename(*context.file_system)) return Ok();
  return Error(ErrorCode::kUnsupported, fmt::format("the store of {} cannot put a branch's files in the place of main's in one step", context.table_name))
      .Hint(std::string(instead));
}

Result<ReplacedMain> Replace(const LockedTable& table, const ReplaceMainRequest& request) {
  BRAID_TRY_ASSIGN(TableLines lines, SettleForeignRenames(table));
  BRAID_TRY(DeriveOrigins(table.fs(), lines));
  BRAID_TRY_ASSIGN(const ReplacePlan plan, ReplacePreflight(table, lines, request).Plan());
  if (plan.materialize) {
    BRAID_TRY(CheckCanMaterialize(table.context(), "give --no-materialize: Braid then finds main on the branch; other engines do not"));
  }
  BRAID_TRY_ASSIGN(ReplacedMain result, ResultOf(table, lines, plan));
  if (request.dry_run) return result;
  return Carry(table, plan, std::move(result));
}

}  // namespace

Result<ReplacedMain> ReplaceMain(const OperationContext& context, const ReplaceMainRequest& request) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  return Replace(table, request);
}

Result<ReplacedMain> UndoReplaceMain(const OperationContext& context, bool dry_run) {
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root, Inference::kSkip));
  const Line* newest = nullptr;
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kBranch || !line.is_retired() || line.record->parent_line_id != lines.main().id) continue;
    if (newest == nullptr || line.record->retired->drop_after_ms > newest->record->retired->drop_after_ms) newest = &line;
  }
  if (newest == nullptr) {
    return Error(ErrorCode::kNotFound, fmt::format("no former main of {} is kept any more", context.table_name))
        .Hint("it is kept for branch.replace.grace-time; `braid branch list --all` shows it");
  }
  ReplaceMainRequest request{.name = newest->name, .keep_as = {}, .consumers = ConsumerPolicy::kRewind, .branch_tags_win = true, .drop_tags = true, .dry_run = dry_run};
  // Commits since the switch are somebody's work.
  BRAID_TRY_ASSIGN(const bool gained, HasCommitsSinceSwitch(table.fs(), lines.main().paths, newest->record->retired->operation));
  if (gained) request.keep_as = fmt::format("undone-{}", newest->record->retired->operation.substr(0, 8));
  return Replace(table, request);
}

Result<ReplacedMain> MaterializeMain(const OperationContext& context) {
  BRAID_TRY(CheckCanMaterialize(context, "main stays on its branch here"));
  BRAID_TRY_ASSIGN(const LockedTable table, LockedTable::Acquire(context));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.fs(), context.root));
  const Line& main = lines.main();
  if (main.kind == LineKind::kRoot) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("main of {} is in the table's root already", context.table_name)).Hint("there is nothing to do");
  }
  if (main.damage) return *main.damage;
  BRAID_TRY_ASSIGN(const Snapshot head, HeadOf(table.fs(), main));
  const Line& root = lines.lines.front();
  ReplacePlan plan;
  plan.old_branch = kMainBranch;
  plan.old_line_id = root.id;
  plan.branch = main.name;
  plan.new_line_id = main.id;
  plan.new_head = RefOf(head);
  plan.fork = main.record && main.record->base ? *main.record->base : head;
  plan.materialize = true;
  plan.switched = true;
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> old_head, ReadLatestSnapshot(table.fs(), root.paths));
  if (old_head) plan.old_head = RefOf(*old_head);
  BRAID_TRY_ASSIGN(const std::optional<TableSchema> schema, ReadLatestSchema(table.fs(), main.paths));
  BRAID_TRY_ASSIGN(const std::chrono::milliseconds grace,
                   (schema ? schema->options : Options()).GetDuration("branch.replace.grace-time", std::chrono::hours(24)));
  plan.grace_ms = grace.count();
  BRAID_TRY_ASSIGN(plan.guard_tags, WritesGuardTags(table.fs(), main.paths));
  BRAID_TRY_ASSIGN(ReplacedMain result, ResultOf(table, lines, plan));
  return Carry(table, plan, std::move(result));
}

Result<std::vector<std::string>> ExpireBranches(const OperationContext& context, bool expired_branches, bool dry_run) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(*context.file_system, context.root, Inference::kSkip));
  const std::int64_t now_ms = context.clock->NowMs();
  std::vector<std::string> dropped;
  for (const Line& line : lines.lines) {
    if (line.kind != LineKind::kBranch || line.is_main || !line.record) continue;
    const bool retired = line.is_retired() && line.record->retired->drop_after_ms <= now_ms;
    const bool expired = expired_branches && line.record->expires_ms && *line.record->expires_ms <= now_ms && !line.record->is_protected;
    if (!retired && !expired) continue;
    if (!dry_run) {
      const Result<DeletedBranch> deleted = DeleteBranch(context, {.name = line.name, .force = retired});
      // Somebody reads it, or branches were made from it: it goes another time.
      if (!deleted && deleted.error().code() == ErrorCode::kConflict) continue;
      if (!deleted) return deleted.error();
    }
    dropped.push_back(line.name);
  }
  return dropped;
}

}  // namespace braid
