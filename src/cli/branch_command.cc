// braid branch …: branches of a table; and the same as actions of their own, as the branch proposal names them.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/options.h"
#include "base/option_lists.h"
#include "base/text.h"
#include "cli/branch_arguments.h"
#include "cli/branch_command.h"
#include "cli/command.h"
#include "cli/upkeep_arguments.h"
#include "meta/stores.h"
#include "table/branch_base.h"
#include "table/branch_list.h"
#include "types/local_time.h"

namespace braid {

namespace {

template <typename T>
Json OrNull(const std::optional<T>& value) {
  if (!value) return {};
  return Json(*value);
}
Json OrNull(const std::optional<SnapshotId>& id) {
  if (!id) return {};
  return Json(id->value());
}

struct CreateArguments : BranchArguments {
  std::string tag;
  std::string snapshot;
  std::string timestamp;
  std::string from_branch{kMainBranch};
  std::string time_retained;
  bool if_not_exists = false;
  bool protect = false;
  bool replace_alias = false;
};

Result<CreateBranchRequest> RequestOf(const CreateArguments& arguments) {
  CreateBranchRequest request{.name = arguments.name, .from_branch = arguments.from_branch, .if_not_exists = arguments.if_not_exists,
                              .is_protected = arguments.protect, .replace_alias = arguments.replace_alias};
  if (!arguments.tag.empty()) request.tag = arguments.tag;
  request.latest = arguments.snapshot == "latest";
  if (!arguments.snapshot.empty() && !request.latest) {
    const std::optional<std::int64_t> id = ParseInt64(arguments.snapshot);
    if (!id || *id < 1) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no snapshot", arguments.snapshot)).Hint("give its number, or 'latest'");
    }
    request.snapshot = SnapshotId(*id);
  }
  if (!arguments.timestamp.empty()) {
    BRAID_TRY_ASSIGN(request.timestamp_ms, ParseLocalTime(arguments.timestamp).Context("in --timestamp"));
  }
  if (!arguments.time_retained.empty()) {
    BRAID_TRY_ASSIGN(request.time_retained, ParseDuration(arguments.time_retained).Context("in --time-retained"));
  }
  return request;
}

std::string OriginText(const ForkRecord& record) {
  if (!record.anchor) return " without snapshots";
  std::string text = fmt::format(" at snapshot {}", record.anchor->snapshot.id);
  std::vector<std::string> of;
  if (record.tag) of.push_back(fmt::format("tag {}", *record.tag));
  if (record.parent_name != kMainBranch) of.push_back(fmt::format("branch {}", record.parent_name));
  return of.empty() ? text : fmt::format("{} ({})", text, Join(of, ", "));
}

Json BranchJson(std::string_view table, const ForkRecord& record) {
  Json json;
  json.Add("table", table);
  json.Add("branch", record.name);
  json.Add("branch_id", record.branch_id);
  json.Add("kind", ForkKindName(record.kind));
  json.Add("parent", record.parent_line_id.empty() ? Json() : Json(record.parent_name));
  json.Add("fork_snapshot_id", record.anchor ? Json(record.anchor->snapshot.id.value()) : Json());
  json.Add("tag", OrNull(record.tag));
  return json;
}

Status Create(const CreateArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const CreateBranchRequest request, RequestOf(arguments));
  BRAID_TRY_ASSIGN(const CreatedBranch created, CreateBranch(context, request));
  PrintRepairs(created.repairs);
  Json json = BranchJson(context.table_name, created.record);
  json.Add("existed", created.existed);
  PrintOutcome(arguments, fmt::format("{} branch {} of {}{}", created.existed ? "left existing" : "created", created.record.name,
                                      context.table_name, OriginText(created.record)), json);
  return Ok();
}

struct DeleteArguments : BranchArguments {
  bool force = false;
  bool dry_run = false;
  bool no_reclaim = false;
};

Json DeletedJson(const DeleteArguments& arguments, const std::string& table, const DeletedBranch& deleted) {
  Json json;
  json.Add("table", table);
  json.Add("branch", deleted.name);
  json.Add("dry_run", arguments.dry_run);
  json.Add("reparented", Json::Array(deleted.reparented.begin(), deleted.reparented.end()));
  AddRemovedFiles(deleted.files, json);
  json.Add("unreclaimed", deleted.unreclaimed.empty() ? Json() : Json(deleted.unreclaimed));
  return json;
}

std::string DeletedText(const DeleteArguments& arguments, const std::string& table, const DeletedBranch& deleted) {
  std::string line =
      fmt::format("{} branch {} of {}", arguments.dry_run ? "would delete" : "deleted", deleted.name, table);
  if (!deleted.reparented.empty())
    line += fmt::format("; {} now {} its parent", Join(deleted.reparented, ", "), deleted.reparented.size() == 1 ? "has" : "have");
  const bool files_stay = !deleted.unreclaimed.empty() || (arguments.dry_run && arguments.no_reclaim);
  return line + (files_stay ? "; its files stay until `braid branch expire`" : ", with " + RemovedText(deleted.files));
}

Status Delete(const DeleteArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  std::vector<std::string> done;
  for (const std::string& name : ParseList(arguments.name)) {
    DeleteBranchRequest request{.name = name, .force = arguments.force, .dry_run = arguments.dry_run};
    if (arguments.no_reclaim) request.reclaim = false;
    Result<DeletedBranch> deleted = DeleteBranch(context, request);
    if (!deleted && !done.empty()) return std::move(deleted).error().Context(fmt::format("after deleting {}", Join(done, ", ")));
    if (!deleted) return std::move(deleted).error();
    PrintRepairs(deleted->repairs);
    PrintOutcome(arguments, DeletedText(arguments, context.table_name, *deleted),
                 DeletedJson(arguments, context.table_name, *deleted));
    if (!arguments.json()) PrintPaths(deleted->files.paths);
    if (!deleted->unreclaimed_reason.empty()) {
      return Error(ErrorCode::kIo, fmt::format("branch {} is deleted, but its files are still there: {}", deleted->name,
                                               deleted->unreclaimed_reason))
          .Hint("`braid branch expire` deletes them later");
    }
    done.push_back(deleted->name);
  }
  return Ok();
}

struct RenameArguments : BranchArguments {
  std::string to;
  bool update_options = false;
};

Status Rename(const RenameArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> repairs,
                   RenameBranch(context, {.from = arguments.name, .to = arguments.to, .update_options = arguments.update_options}));
  PrintRepairs(repairs);
  Json json;
  json.Add("table", context.table_name);
  json.Add("branch", arguments.to);
  json.Add("former_name", arguments.name);
  PrintOutcome(arguments, fmt::format("renamed branch {} of {} to {}; the old name means it for 7 days", arguments.name, context.table_name, arguments.to), json);
  return Ok();
}

struct AdoptArguments : BranchArguments {
  std::int64_t fork_snapshot = 0;  // 0: derive it
};

Status Adopt(const AdoptArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  const std::optional<SnapshotId> fork = arguments.fork_snapshot > 0 ? std::optional(SnapshotId(arguments.fork_snapshot)) : std::nullopt;
  BRAID_TRY_ASSIGN(const ForkRecord record, AdoptBranch(context, arguments.name, fork));
  PrintOutcome(arguments, fmt::format("adopted branch {} of {}{}", record.name, context.table_name, OriginText(record)),
               BranchJson(context.table_name, record));
  return Ok();
}

struct ProtectArguments : BranchArguments {
  bool off = false;
};

Status Protect(const ProtectArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const ForkRecord record, ProtectBranch(context, arguments.name, !arguments.off));
  Json json = BranchJson(context.table_name, record);
  json.Add("protected", record.is_protected);
  PrintOutcome(arguments, fmt::format("branch {} of {} is {} protected", record.name, context.table_name, arguments.off ? "no longer" : "now"), json);
  return Ok();
}

Json SummaryJson(const BranchSummary& branch) {
  Json json;
  json.Add("branch", branch.line.name);
  json.Add("branch_id", branch.line.id);
  json.Add("create_time_millis", branch.created_ms);
  json.Add("parent", OrNull(branch.parent));
  json.Add("fork_snapshot_id", OrNull(branch.fork_snapshot()));
  json.Add("tag", OrNull(branch.tag()));
  json.Add("latest_snapshot_id", OrNull(branch.latest));
  json.Add("origin", branch.origin());
  json.Add("is_main", branch.line.is_main);
  json.Add("protected", branch.line.record && branch.line.record->is_protected);
  json.Add("retired", branch.line.is_retired());
  json.Add("damage", branch.line.damage ? Json(branch.line.damage->message()) : Json());
  return json;
}

std::string FlagsOf(const BranchSummary& branch) {
  std::vector<std::string> flags;
  if (branch.line.is_main) flags.emplace_back("main");
  if (branch.line.record && branch.line.record->is_protected) flags.emplace_back("protected");
  if (branch.origin() == "inferred") flags.emplace_back("inferred");
  if (branch.line.is_retired()) flags.emplace_back("retired");
  if (branch.line.damage) flags.emplace_back("damaged: " + branch.line.damage->message());
  return Join(flags, ", ");
}

void PrintColumns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
    std::puts(std::string(line.substr(0, line.find_last_not_of(' ') + 1)).c_str());
  }
}

struct ListArguments : BranchArguments {
  bool all = false;
};

Status List(const ListArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<BranchSummary> branches, SummarizeBranches(*context.file_system, context.root, arguments.all));
  if (arguments.json()) {
    for (const BranchSummary& branch : branches) std::puts(PrintJson(SummaryJson(branch)).c_str());
    return Ok();
  }
  if (branches.empty()) {
    std::puts(fmt::format("{} has no branch but main", context.table_name).c_str());
    return Ok();
  }
  std::vector<std::vector<std::string>> rows = {{"branch", "created", "from", "snapshot", "tag", "head", ""}};
  for (const BranchSummary& branch : branches) {
    const auto number = [](const std::optional<SnapshotId>& id) { return id ? std::to_string(id->value()) : std::string("-"); };
    rows.push_back({branch.line.name, LocalTimeText(branch.created_ms), branch.parent.value_or("-"), number(branch.fork_snapshot()),
                    branch.tag().value_or("-"), number(branch.latest), FlagsOf(branch)});
  }
  PrintColumns(rows);
  return Ok();
}

Status Show(const BranchArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  const FileSystem& fs = *context.file_system;
  BRAID_TRY_ASSIGN(const std::vector<BranchSummary> branches, SummarizeBranches(fs, context.root, true));
  const auto found = std::find_if(branches.begin(), branches.end(), [&](const BranchSummary& branch) { return branch.line.name == arguments.name; });
  if (found == branches.end()) {
    std::vector<std::string> names;
    for (const BranchSummary& branch : branches) names.push_back(branch.line.name);
    Error error(ErrorCode::kNotFound, fmt::format("{} has no branch '{}'", context.table_name, arguments.name));
    if (const auto nearest = NearestName(arguments.name, names)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
    return std::move(error).Hint(names.empty() ? "it has no branch but main" : "it has the branches " + Join(names, ", "));
  }
  const BranchSummary& branch = *found;
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> snapshots, ListSnapshots(fs, branch.line.paths));
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, branch.line.paths));
  if (arguments.json()) {
    Json json = SummaryJson(branch);
    Json::Array tag_list(tags.begin(), tags.end());
    json.Add("tags", std::move(tag_list));
    json.Add("record", branch.line.record ? ForkRecordToJson(*branch.line.record) : Json());
    std::puts(PrintJson(json).c_str());
    return Ok();
  }
  std::vector<std::string> own_tags;
  std::copy_if(tags.begin(), tags.end(), std::back_inserter(own_tags), [](const std::string& tag) { return !IsGuardTag(tag); });
  std::vector<std::vector<std::string>> rows = {
      {"branch", fmt::format("{} of {}", branch.line.name, context.table_name)},
      {"line", branch.line.id},
      {"created", fmt::format("{}{}", LocalTimeText(branch.created_ms), branch.line.record && !branch.line.record->created_by.empty() ? " by " + branch.line.record->created_by : "")},
  };
  if (const auto fork = branch.fork_snapshot()) {
    rows.push_back({"from", fmt::format("snapshot {} of {}{}", *fork, branch.parent.value_or("a line that is gone"), branch.tag() ? ", tag " + *branch.tag() : "")});
  } else {
    rows.push_back({"from", branch.line.unknown_reason.empty() ? "nothing: made empty" : "unknown: " + branch.line.unknown_reason});
  }
  rows.push_back({"snapshots", snapshots.empty() ? "none" : fmt::format("{} to {}", snapshots.front(), snapshots.back())});
  rows.push_back({"tags", own_tags.empty() ? "none" : Join(own_tags, ", ")});
  if (branch.line.record) {
    for (const ForkLink& link : branch.line.record->links) {
      rows.push_back({"merged", fmt::format("{} snapshot {} at {}", link.direction == "to" ? "out, up to" : "in, from", link.source.id, LocalTimeText(link.created_ms))});
    }
  }
  if (const std::string flags = FlagsOf(branch); !flags.empty()) rows.push_back({"is", flags});
  PrintColumns(rows);
  return Ok();
}

Status Graph(const BranchArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> lines, DrawBranches(*context.file_system, context.root));
  for (const std::string& line : lines) std::puts(line.c_str());
  return Ok();
}

std::function<Status()> AddListCommand(CLI::App& command) {
  auto arguments = std::make_shared<ListArguments>();
  AddTableArguments(command, *arguments);
  command.add_flag("--all", arguments->all, "also replaced mains that are still kept");
  command.footer("example:\n  braid branch list /warehouse sales.orders");
  return [arguments] { return List(*arguments); };
}

std::function<Status()> AddShowCommand(CLI::App& command) {
  auto arguments = std::make_shared<BranchArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.footer("example:\n  braid branch show /warehouse sales.orders fix_0514");
  return [arguments] { return Show(*arguments); };
}

std::function<Status()> AddGraphCommand(CLI::App& command) {
  auto arguments = std::make_shared<BranchArguments>();
  AddTableArguments(command, *arguments);
  command.footer("example:\n  braid branch graph /warehouse sales.orders");
  return [arguments] { return Graph(*arguments); };
}

std::function<Status()> AddAdoptCommand(CLI::App& command) {
  auto arguments = std::make_shared<AdoptArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.add_option("--fork-snapshot", arguments->fork_snapshot, "a snapshot that branch and parent have in common, where it cannot be derived")->check(CLI::PositiveNumber);
  command.footer("example:\n  braid branch adopt /warehouse sales.orders made_by_java --fork-snapshot 3");
  return [arguments] { return Adopt(*arguments); };
}

std::function<Status()> AddProtectCommand(CLI::App& command) {
  auto arguments = std::make_shared<ProtectArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.add_flag("--off", arguments->off, "end the protection");
  command.footer("example:\n  braid branch protect /warehouse sales.orders release");
  return [arguments] { return Protect(*arguments); };
}

struct ReleaseArguments : BranchArguments {
  bool assume_exclusive = false;
  bool dry_run = false;
};

Status Release(const ReleaseArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const ReleasedBase released,
                   ReleaseBase(context, {.name = arguments.name, .assume_exclusive = arguments.assume_exclusive, .dry_run = arguments.dry_run}));
  PrintRepairs(released.repairs);
  Json json;
  json.Add("table", context.table_name);
  json.Add("branch", released.name);
  json.Add("dry_run", arguments.dry_run);
  AddRemovedFiles(released.files, json);
  PrintOutcome(arguments, fmt::format("{} what branch {} of {} kept for merges, with {}", arguments.dry_run ? "would give up" : "gave up", released.name,
                                      context.table_name, RemovedText(released.files)), json);
  if (!arguments.json()) PrintPaths(released.files.paths);
  return Ok();
}

std::function<Status()> AddReleaseBaseCommand(CLI::App& command) {
  auto arguments = std::make_shared<ReleaseArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.add_flag("--assume-exclusive", arguments->assume_exclusive, "no other engine expires snapshots or tags of the table");
  command.add_flag("--dry-run", arguments->dry_run, "only list the files that would go");
  command.footer("example:\n  braid branch release-base /warehouse sales.orders experiment --dry-run");
  return [arguments] { return Release(*arguments); };
}

// An action's own name, which the proposals use, kept out of `braid --help`.
template <AddCommand add>
std::function<Status()> AddHidden(CLI::App& command) {
  command.group("");
  return add(command);
}

}  // namespace

const std::vector<CommandEntry>& BranchActions() {
  static const std::vector<CommandEntry> kActions = {
      {"list-branches", "branch list", AddHidden<AddListCommand>},
      {"show-branch", "branch show", AddHidden<AddShowCommand>},
      {"adopt-branch", "branch adopt", AddHidden<AddAdoptCommand>},
      {"protect-branch", "branch protect", AddHidden<AddProtectCommand>},
      {"expire-branches", "branch expire", AddHidden<AddExpireBranchesCommand>},
      {"materialize-main", "branch materialize-main", AddHidden<AddMaterializeMainCommand>},
      {"replace-main", "branch replace-main", AddHidden<AddReplaceMainCommand>},
      {"release-base", "branch release-base", AddHidden<AddReleaseBaseCommand>},
      {"diff-branch", "branch diff", AddHidden<AddDiffBranchCommand>},
      {"pick", "branch pick", AddHidden<AddPickCommand>},
      {"replace-tag", "tag replace --from-branch", AddHidden<AddReplaceTagCommand>},
  };
  return kActions;
}

std::function<Status()> AddCreateBranchCommand(CLI::App& command) {
  auto arguments = std::make_shared<CreateArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.add_option("--tag,--tag_name,--tag-name", arguments->tag, "make it from this tag; without tag, snapshot and time it is empty");
  command.add_option("--snapshot", arguments->snapshot, "make it from this snapshot, or from the latest");
  command.add_option("--timestamp", arguments->timestamp, "make it from the newest snapshot at or before this local time");
  command.add_option("--from-branch,--from_branch", arguments->from_branch, "the branch that has the tag or snapshot");
  command.add_option("--time-retained", arguments->time_retained, "how long it is meant to live, e.g. '7 d'");
  command.add_flag("--if-not-exists,--ignore_if_exists,--ignore-if-exists", arguments->if_not_exists, "succeed if there is one, and leave it as it is");
  command.add_flag("--protect", arguments->protect, "protect it against deletion and the like");
  command.add_flag("--replace-alias", arguments->replace_alias, "take a name that still means a renamed branch");
  command.footer("examples:\n  braid branch create /warehouse sales.orders fix_0514 --tag 2024-05-14\n"
                 "  braid create-branch --warehouse /warehouse --database sales --table orders --name fix_0514 --tag 2024-05-14");
  return [arguments] { return Create(*arguments); };
}

std::function<Status()> AddDeleteBranchCommand(CLI::App& command) {
  auto arguments = std::make_shared<DeleteArguments>();
  AddTableArguments(command, *arguments);
  AddBranchName(command, *arguments);
  command.add_flag("--force", arguments->force, "although it has readers, or branches made from it: they get its parent");
  command.add_flag("--no-reclaim", arguments->no_reclaim, "leave the files that only it used until `braid branch expire`");
  command.add_flag("--dry-run", arguments->dry_run, "only say what would be done, and list the files that would go");
  command.footer("example:\n  braid branch delete /warehouse sales.orders fix_0514,fix_0515 --dry-run");
  return [arguments] { return Delete(*arguments); };
}

std::function<Status()> AddRenameBranchCommand(CLI::App& command) {
  auto arguments = std::make_shared<RenameArguments>();
  AddTableArguments(command, *arguments);
  command.add_option("NAME,--name,--from_branch,--from-branch", arguments->name, "present name")->required();
  command.add_option("TO,--to,--to_branch,--to-branch", arguments->to, "new name")->required();
  command.add_flag("--update-options", arguments->update_options, "change table options that name it");
  command.footer("example:\n  braid branch rename /warehouse sales.orders fix_0514 fix_may");
  return [arguments] { return Rename(*arguments); };
}

std::function<Status()> AddBranchCommand(CLI::App& command) {
  static const std::vector<CommandEntry> kSubcommands = {
      {"create", "make a branch from a tag, a snapshot, a time, or nothing", AddCreateBranchCommand},
      {"list", "list the branches of a table", AddListCommand},
      {"show", "tell where a branch comes from and what it holds", AddShowCommand},
      {"graph", "draw main and the branches as a tree", AddGraphCommand},
      {"delete", "delete branches", AddDeleteBranchCommand},
      {"rename", "give a branch another name", AddRenameBranchCommand},
      {"diff", "compare a branch with main or another branch: commits, columns, rows", AddDiffBranchCommand},
      {"merge", "take a branch's snapshots over into main or another branch", AddMergeBranchCommand},
      {"pick", "take single snapshots of a branch over", AddPickCommand},
      {"replace-main", "put a branch in main's place", AddReplaceMainCommand},
      {"materialize-main", "move a main that is a branch into the table's root", AddMaterializeMainCommand},
      {"expire", "drop former mains and branches whose time is over", AddExpireBranchesCommand},
      {"adopt", "write down where a branch of another engine comes from", AddAdoptCommand},
      {"protect", "protect a branch, or end that", AddProtectCommand},
      {"release-base", "give up what a branch keeps for merges alone", AddReleaseBaseCommand},
  };
  return AddSubcommands(command, kSubcommands);
}

}  // namespace braid
