// braid branch merge, replace-main, materialize-main, expire: what changes main.

#include <cstdio>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/options.h"
#include "base/text.h"
#include "cli/branch_arguments.h"
#include "cli/branch_command.h"
#include "cli/upkeep_arguments.h"
#include "table/branch_merge.h"
#include "table/branch_replace.h"
#include "table/branches.h"
#include "types/local_time.h"

namespace braid {

namespace {

struct MergeArguments : BranchArguments {
  std::string target{kMainBranch};
  std::string tags = "fail";
  std::string strategy = "fast-forward";
  bool dry_run = false;
};

Json ReportJson(std::string_view table, const MergeReport& report) {
  Json json;
  json.Add("table", table);
  json.Add("state", MergeStateName(report.state));
  json.Add("source", report.source);
  json.Add("target", report.target);
  json.Add("base_snapshot_id", report.base.id.value());
  json.Add("source_snapshots", SnapshotsJson(report.source_snapshots));
  json.Add("target_snapshots", SnapshotsJson(report.target_snapshots));
  Json::Array published;
  for (const SnapshotId id : report.published) published.emplace_back(id.value());
  json.Add("published", std::move(published));
  return json;
}

std::string StateText(const MergeReport& report) {
  switch (report.state) {
    case MergeState::kNothingToMerge: return "nothing to merge";
    case MergeState::kFastForward: return "can be fast-forwarded";
    case MergeState::kTargetMovedPhysically: return fmt::format("{} was only compacted since; a merge commit would be needed", report.target);
    case MergeState::kDiverged: return "both have commits that the other lacks";
  }
  return "";
}

Status Merge(const MergeArguments& arguments) {
  if (arguments.strategy != "fast-forward") {
    return Error(ErrorCode::kUnsupported, fmt::format("merging with --strategy {} is not done by this version", arguments.strategy))
        .Hint("fast-forward is; `braid branch replace-main` gives main's commits up for the branch's");
  }
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const MergeReport report, FastForward(context, {.source = arguments.name, .target = arguments.target,
                                                                   .skip_clashing_tags = arguments.tags == "skip", .dry_run = arguments.dry_run}));
  PrintRepairs(report.repairs);
  if (arguments.json()) {
    std::puts(PrintJson(ReportJson(context.table_name, report)).c_str());
    return Ok();
  }
  if (arguments.dry_run) {
    std::puts(fmt::format("{} and {} of {} have snapshot {} in common: {}", report.source, report.target, context.table_name, report.base.id, StateText(report)).c_str());
    PrintSnapshots(report.source, report.source_snapshots);
    PrintSnapshots(report.target, report.target_snapshots);
    return Ok();
  }
  if (report.published.empty()) {
    std::puts(fmt::format("nothing to merge: {} has no commit since snapshot {} that {} lacks", report.source, report.base.id, report.target).c_str());
    return Ok();
  }
  std::puts(fmt::format("merged {} into {} of {}: snapshots {} to {}{}", report.source, report.target, context.table_name, report.published.front(),
                        report.published.back(), report.tags.empty() ? "" : ", tags " + Join(report.tags, ", "))
                .c_str());
  return Ok();
}

struct ReplaceArguments : BranchArguments {
  std::string keep_as;
  std::string grace_time;
  std::string consumers = "fail";
  std::string tags = "fail";
  std::int64_t expect_head = 0;  // 0: any
  bool materialize = false;
  bool no_materialize = false;
  bool drop_tags = false;
  bool undo = false;
  bool dry_run = false;
};

Result<ReplaceMainRequest> RequestOf(const ReplaceArguments& arguments) {
  ReplaceMainRequest request{.name = arguments.name, .keep_as = arguments.keep_as, .drop_tags = arguments.drop_tags, .dry_run = arguments.dry_run};
  if (!arguments.grace_time.empty()) {
    BRAID_TRY_ASSIGN(request.grace_time, ParseDuration(arguments.grace_time).Context("in --grace-time"));
  }
  if (arguments.materialize) request.materialize = true;
  if (arguments.no_materialize) request.materialize = false;
  request.consumers = arguments.consumers == "rewind" ? ConsumerPolicy::kRewind : arguments.consumers == "drop" ? ConsumerPolicy::kDrop : ConsumerPolicy::kFail;
  request.branch_tags_win = arguments.tags == "branch";
  if (arguments.expect_head > 0) request.expect_head = SnapshotId(arguments.expect_head);
  return request;
}

void PrintReplaced(const BranchArguments& arguments, const std::string& table, const ReplacedMain& replaced, bool dry_run) {
  PrintRepairs(replaced.repairs);
  if (arguments.json()) {
    Json json;
    json.Add("table", table);
    json.Add("branch", replaced.branch);
    json.Add("dry_run", dry_run);
    json.Add("fork_snapshot_id", replaced.fork.id.value());
    json.Add("former_head", replaced.old_head.id.value());
    json.Add("new_head", replaced.new_head.id.value());
    json.Add("left_out", replaced.left_out);
    json.Add("materialized", replaced.materialized);
    json.Add("kept_as", replaced.kept_as.empty() ? Json() : Json(replaced.kept_as));
    json.Add("drop_after_millis", replaced.drop_after_ms > 0 ? Json(replaced.drop_after_ms) : Json());
    json.Add("notes", Json::Array(replaced.notes.begin(), replaced.notes.end()));
    std::puts(PrintJson(json).c_str());
    return;
  }
  std::puts(fmt::format("{} {} of {}: both have snapshots up to {}, it goes on to {}", replaced.branch, dry_run ? "would become main" : "is now main", table,
                        replaced.fork.id, replaced.new_head.id)
                .c_str());
  if (replaced.left_out > 0) {
    std::puts(fmt::format("the former main had {} snapshots after the fork that are not part of it, up to {}", replaced.left_out, replaced.old_head.id).c_str());
  }
  if (!replaced.kept_as.empty() && replaced.drop_after_ms > 0) {
    std::puts(fmt::format("the former main is kept until {}; `braid branch replace-main --undo` brings it back", LocalTimeText(replaced.drop_after_ms)).c_str());
  } else if (!replaced.kept_as.empty()) {
    std::puts(fmt::format("the former main is branch {}", replaced.kept_as).c_str());
  }
  if (!replaced.materialized) std::puts("other engines see the former main until `braid branch materialize-main`");
  for (const std::string& note : replaced.notes) std::puts(("note: " + note).c_str());
}

Status Replace(const ReplaceArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  if (arguments.undo) {
    BRAID_TRY_ASSIGN(const ReplacedMain replaced, UndoReplaceMain(context, arguments.dry_run));
    PrintReplaced(arguments, context.table_name, replaced, arguments.dry_run);
    return Ok();
  }
  if (arguments.name.empty()) {
    return Error(ErrorCode::kInvalidArgument, "no branch is named").Hint("give the name of the branch that is to become main, or --undo");
  }
  BRAID_TRY_ASSIGN(const ReplaceMainRequest request, RequestOf(arguments));
  BRAID_TRY_ASSIGN(const ReplacedMain replaced, ReplaceMain(context, request));
  PrintReplaced(arguments, context.table_name, replaced, arguments.dry_run);
  return Ok();
}

Status Materialize(const BranchArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const ReplacedMain replaced, MaterializeMain(context));
  PrintReplaced(arguments, context.table_name, replaced, false);
  return Ok();
}

struct ExpireArguments : BranchArguments {
  bool dry_run = false;
};

Json ReclaimedJson(const std::vector<ReclaimedBranch>& reclaimed) {
  Json::Array branches;
  for (const ReclaimedBranch& branch : reclaimed) {
    Json json;
    json.Add("branch", branch.name);
    AddRemovedFiles(branch.files, json);
    json.Add("kept_reason", branch.kept_reason.empty() ? Json() : Json(branch.kept_reason));
    branches.push_back(std::move(json));
  }
  return branches;
}

void PrintReclaimed(const std::vector<ReclaimedBranch>& reclaimed, bool dry_run) {
  for (const ReclaimedBranch& branch : reclaimed) {
    std::puts((branch.kept_reason.empty()
                   ? fmt::format("{} {} of the deleted branch {}", dry_run ? "would delete" : "deleted", RemovedText(branch.files), branch.name)
                   : fmt::format("files of the deleted branch {} stay: {}", branch.name, branch.kept_reason))
                  .c_str());
    PrintPaths(branch.files.paths);
  }
}

Status Expire(const ExpireArguments& arguments) {
  BRAID_TRY_ASSIGN(const OperationContext context, ContextOf(arguments));
  BRAID_TRY_ASSIGN(const std::vector<std::string> dropped, ExpireBranches(context, true, arguments.dry_run));
  BRAID_TRY_ASSIGN(const std::vector<ReclaimedBranch> reclaimed, ReclaimDropped(context, arguments.dry_run));
  Json json;
  json.Add("table", context.table_name);
  json.Add("dry_run", arguments.dry_run);
  json.Add("branches", Json::Array(dropped.begin(), dropped.end()));
  json.Add("reclaimed", ReclaimedJson(reclaimed));
  const std::string what = arguments.dry_run ? "would drop" : "dropped";
  PrintOutcome(arguments, dropped.empty() ? fmt::format("no branch of {} has come to its end", context.table_name)
                                          : fmt::format("{} {} of {}", what, Join(dropped, ", "), context.table_name), json);
  if (!arguments.json()) PrintReclaimed(reclaimed, arguments.dry_run);
  return Ok();
}

}  // namespace

std::function<Status()> AddMergeBranchCommand(CLI::App& command) {
  auto arguments = std::make_shared<MergeArguments>();
  AddTableArguments(command, *arguments);
  command.add_option("NAME,--name,--source,--branch_name,--branch-name", arguments->name, "branch whose snapshots are taken over")->required();
  command.add_option("--target", arguments->target, "branch that takes them over");
  command.add_option("--strategy", arguments->strategy, "fast-forward")->check(CLI::IsMember({"fast-forward", "three-way", "discard-target"}));
  command.add_option("--tags", arguments->tags, "what to do about a tag that means another snapshot on the target: fail or skip")->check(CLI::IsMember({"fail", "skip"}));
  command.add_flag("--dry-run", arguments->dry_run, "only compare both sides");
  command.footer("example:\n  braid branch merge /warehouse sales.orders fix_0514 --dry-run");
  return [arguments] { return Merge(*arguments); };
}

std::function<Status()> AddReplaceMainCommand(CLI::App& command) {
  auto arguments = std::make_shared<ReplaceArguments>();
  AddTableArguments(command, *arguments);
  command.add_option("NAME,--name,--branch_name,--branch-name", arguments->name, "branch that becomes main");
  command.add_option("--keep-as", arguments->keep_as, "make the former main a branch of this name");
  command.add_option("--grace-time", arguments->grace_time, "how long the former main is kept otherwise, e.g. '1 d'");
  command.add_flag("--materialize", arguments->materialize, "end with main in the table's root, where other engines look (the default)");
  command.add_flag("--no-materialize", arguments->no_materialize, "leave it at the file MAIN-BRANCH; other engines go on seeing the former main");
  command.add_option("--consumers", arguments->consumers, "consumers that have read beyond the fork: fail, rewind or drop")->check(CLI::IsMember({"fail", "rewind", "drop"}));
  command.add_option("--tags", arguments->tags, "tags that mean different snapshots on both: fail, or branch to keep the branch's")->check(CLI::IsMember({"fail", "branch"}));
  command.add_flag("--drop-tags", arguments->drop_tags, "give up tags of main after the fork");
  command.add_option("--expect-head", arguments->expect_head, "refuse unless main's head is this snapshot")->check(CLI::PositiveNumber);
  command.add_flag("--undo", arguments->undo, "bring the former main back");
  command.add_flag("--dry-run", arguments->dry_run, "only say what would be done");
  command.footer("examples:\n  braid branch replace-main /warehouse sales.orders fix_0514 --dry-run\n"
                 "  braid replace-main-branch --warehouse /warehouse --database sales --table orders --name fix_0514");
  return [arguments] { return Replace(*arguments); };
}

std::function<Status()> AddMaterializeMainCommand(CLI::App& command) {
  auto arguments = std::make_shared<BranchArguments>();
  AddTableArguments(command, *arguments);
  command.footer("example:\n  braid branch materialize-main /warehouse sales.orders");
  return [arguments] { return Materialize(*arguments); };
}

std::function<Status()> AddExpireBranchesCommand(CLI::App& command) {
  auto arguments = std::make_shared<ExpireArguments>();
  AddTableArguments(command, *arguments);
  command.add_flag("--dry-run", arguments->dry_run, "only say what would be dropped");
  command.footer("example:\n  braid branch expire /warehouse sales.orders");
  return [arguments] { return Expire(*arguments); };
}

}  // namespace braid
