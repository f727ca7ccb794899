// Branches: create_branch, delete_branch, rename_branch, merge_branch, fast_forward, replace_main_branch,
// materialize_main, adopt_branch, protect_branch, expire_branches, pick_snapshots, release_base, set_maintenance.

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "sql/procedure.h"
#include "table/branch_base.h"
#include "table/branch_merge.h"
#include "table/branch_pick.h"
#include "table/branch_replace.h"
#include "table/branches.h"
#include "table/maintenance_mode.h"

namespace braid {

namespace {

Result<OperationContext> ContextOfArguments(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  OperationContext operation = ContextOf(table);
  operation.clock = &context.session.clock();
  return operation;
}

Datum NumberOrNull(const std::optional<ForkAnchor>& anchor) {
  return anchor ? Datum(anchor->snapshot.id.value()) : Datum();
}

Result<StatementResult> BranchResult(const ForkRecord& record) {
  return RowsResult({{"result", DataType::String()}, {"branch", DataType::String()}, {"fork_snapshot_id", DataType::BigInt()}},
                    {{"Success", record.name, NumberOrNull(record.anchor)}});
}

Result<StatementResult> Create(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  CreateBranchRequest request{.name = *arguments.Text("branch")};
  request.tag = arguments.Text("tag");
  if (request.tag && request.tag->empty()) request.tag.reset();
  if (const auto id = arguments.Int("snapshot")) request.snapshot = SnapshotId(*id);
  if (const auto parent = arguments.Text("from_branch")) request.from_branch = *parent;
  request.if_not_exists = arguments.Bool("ignoreIfExists").value_or(false);
  BRAID_TRY_ASSIGN(const CreatedBranch created, CreateBranch(operation, request));
  return BranchResult(created.record);
}

Result<StatementResult> Delete(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  for (const std::string& name : ParseList(*arguments.Text("branch"))) {
    BRAID_TRY_ASSIGN(const DeletedBranch deleted, DeleteBranch(operation, {.name = name,
                                                                           .force = arguments.Bool("force").value_or(false),
                                                                           .reclaim = arguments.Bool("reclaim")}));
    if (!deleted.unreclaimed_reason.empty()) {
      return Error(ErrorCode::kIo, fmt::format("branch {} is deleted, but its files are still there: {}", deleted.name,
                                               deleted.unreclaimed_reason))
          .Hint("CALL sys.expire_branches deletes them later");
    }
  }
  return ProcedureSuccess();
}

Result<StatementResult> Rename(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  BRAID_TRY(RenameBranch(operation, {.from = *arguments.Text("from_branch"), .to = *arguments.Text("to_branch")}));
  return ProcedureSuccess();
}

Result<StatementResult> Merge(const ProcedureArguments& arguments, const StatementContext& context) {
  const std::string strategy = ToLower(arguments.Text("strategy").value_or("fast-forward"));
  if (strategy != "fast-forward") {
    return Error(ErrorCode::kUnsupported, fmt::format("merging with strategy '{}' is not done by this version", strategy)).Hint("'fast-forward' is");
  }
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  const std::string target = arguments.Text("target").value_or(std::string(kMainBranch));
  BRAID_TRY_ASSIGN(const MergeReport report, FastForward(operation, {.source = *arguments.Text("branch"), .target = target}));
  return RowsResult({{"result", DataType::String()}, {"state", DataType::String()}, {"snapshots", DataType::BigInt()}},
                    {{"Success", std::string(MergeStateName(report.state)), static_cast<std::int64_t>(report.published.size())}});
}

Result<StatementResult> ReplacedResult(const ReplacedMain& replaced) {
  return RowsResult({{"result", DataType::String()}, {"branch", DataType::String()}, {"left_out", DataType::BigInt()}, {"kept_as", DataType::String()}},
                    {{"Success", replaced.branch, replaced.left_out, replaced.kept_as.empty() ? Datum() : Datum(replaced.kept_as)}});
}

Result<StatementResult> Replace(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  ReplaceMainRequest request{.name = *arguments.Text("branch")};
  request.keep_as = arguments.Text("keep_as").value_or("");
  request.materialize = arguments.Bool("materialize");
  BRAID_TRY_ASSIGN(const ReplacedMain replaced, ReplaceMain(operation, request));
  return ReplacedResult(replaced);
}

Result<StatementResult> Materialize(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  BRAID_TRY_ASSIGN(const ReplacedMain replaced, MaterializeMain(operation));
  return ReplacedResult(replaced);
}

Result<StatementResult> Adopt(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  std::optional<SnapshotId> fork;
  if (const auto id = arguments.Int("fork_snapshot")) fork = SnapshotId(*id);
  BRAID_TRY_ASSIGN(const ForkRecord record, AdoptBranch(operation, *arguments.Text("branch"), fork));
  return BranchResult(record);
}

Result<StatementResult> Protect(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  BRAID_TRY_ASSIGN(const ForkRecord record, ProtectBranch(operation, *arguments.Text("branch"), arguments.Bool("on").value_or(true)));
  return BranchResult(record);
}

Result<StatementResult> Expire(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  BRAID_TRY_ASSIGN(const std::vector<std::string> dropped, ExpireBranches(operation, true, false));
  BRAID_TRY(ReclaimDropped(operation, false));
  std::vector<DatumList> rows;
  for (const std::string& name : dropped) rows.push_back({name});
  return RowsResult({{"branch", DataType::String()}}, rows);
}

Result<StatementResult> Release(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  BRAID_TRY(ReleaseBase(operation, {.name = *arguments.Text("branch"), .assume_exclusive = arguments.Bool("assume_exclusive").value_or(false)}));
  return ProcedureSuccess();
}

Result<StatementResult> Pick(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  PickRequest request{.from = *arguments.Text("branch")};
  request.into = arguments.Text("into").value_or(std::string(kMainBranch));
  BRAID_TRY_ASSIGN(request.ranges, PickRequest::ParseRanges(*arguments.Text("snapshots")));
  BRAID_TRY_ASSIGN(const PickResult result, PickSnapshots(operation, request));
  std::vector<DatumList> rows;
  for (const PickedSnapshot& picked : result.snapshots)
    rows.push_back({picked.source.id.value(), picked.target ? Datum(picked.target->value()) : Datum()});
  return RowsResult({{"snapshot_id", DataType::BigInt()}, {"target_snapshot_id", DataType::BigInt()}}, rows);
}

Result<StatementResult> Maintain(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const OperationContext operation, ContextOfArguments(arguments, context));
  const std::string mode = ToLower(*arguments.Text("mode"));
  if (mode != "shared" && mode != "exclusive") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("maintenance mode '{}' does not exist", mode)).Hint("one of: shared, exclusive");
  }
  BRAID_TRY(SetMaintenance(operation, mode == "exclusive" ? MaintenanceMode::kExclusive : MaintenanceMode::kShared, false));
  return ProcedureSuccess();
}

Procedure OnBranch(const char* name, std::vector<ProcedureParameter> more, Result<StatementResult> (*run)(const ProcedureArguments&, const StatementContext&)) {
  std::vector<ProcedureParameter> parameters = {{"table", DataType::String()}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  return {name, std::move(parameters), run};
}

}  // namespace

std::vector<Procedure> BranchProcedures() {
  const DataType text = DataType::String();
  const DataType number = DataType::BigInt();
  const DataType truth = DataType::Boolean();
  return {
      OnBranch("create_branch",
               {{"branch", text}, {"tag", text, true}, {"ignoreIfExists", truth, true}, {"snapshot", number, true}, {"from_branch", text, true}},
               Create),
      OnBranch("delete_branch", {{"branch", text}, {"force", truth, true}, {"reclaim", truth, true}}, Delete),
      OnBranch("rename_branch", {{"from_branch", text}, {"to_branch", text}}, Rename),
      OnBranch("merge_branch", {{"branch", text}, {"target", text, true}, {"strategy", text, true}}, Merge),
      OnBranch("fast_forward", {{"branch", text}}, Merge),
      OnBranch("replace_main_branch", {{"branch", text}, {"keep_as", text, true}, {"materialize", truth, true}}, Replace),
      OnBranch("replace_branch", {{"branch", text}, {"keep_as", text, true}, {"materialize", truth, true}}, Replace),
      OnBranch("materialize_main", {}, Materialize),
      OnBranch("adopt_branch", {{"branch", text}, {"fork_snapshot", number, true}}, Adopt),
      OnBranch("protect_branch", {{"branch", text}, {"on", truth, true}}, Protect),
      OnBranch("expire_branches", {}, Expire),
      OnBranch("pick_snapshots", {{"branch", text}, {"snapshots", text}, {"into", text, true}}, Pick),
      OnBranch("release_base", {{"branch", text}, {"assume_exclusive", truth, true}}, Release),
      OnBranch("set_maintenance", {{"mode", text}}, Maintain),
  };
}

}  // namespace braid
