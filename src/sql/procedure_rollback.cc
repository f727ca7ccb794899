// Going back: rollback_to, rollback_to_timestamp, rollback_to_watermark, rollback_to_as_latest.

#include "base/text.h"
#include "sql/procedure.h"
#include "table/rollback.h"

namespace braid {

namespace {

Result<SnapshotSelector> SelectorOf(const ProcedureArguments& arguments) {
  SnapshotSelector selector;
  if (const auto tag = arguments.Text("tag"); tag && !Trim(*tag).empty()) selector.tag = *tag;
  if (const auto id = arguments.Int("snapshot_id")) selector.id = SnapshotId(*id);
  selector.timestamp_ms = arguments.Int("timestamp");
  selector.watermark = arguments.Int("watermark");
  if (selector.tag || selector.id || selector.timestamp_ms || selector.watermark) return selector;
  return Error(ErrorCode::kInvalidArgument, "it is not said what to roll back to").Hint("give 'tag' or 'snapshot_id'");
}

Result<StatementResult> ResultRow(const RollbackResult& result) {
  return RowsResult({{"previous_snapshot_id", DataType::BigInt()}, {"current_snapshot_id", DataType::BigInt()}},
                    {{result.previous.value(), result.current.value()}});
}

Result<StatementResult> Hard(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const SnapshotSelector selector, SelectorOf(arguments));
  BRAID_TRY_ASSIGN(const RollbackResult result, RollbackHard(table, selector, false, context.session.clock()));
  return ResultRow(result);
}

Result<StatementResult> AsLatest(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const SnapshotSelector selector, SelectorOf(arguments));
  BRAID_TRY_ASSIGN(const RollbackResult result, RollbackAsLatest(table, selector, context.session.clock()));
  return ResultRow(result);
}

// Snapshots are numbers, tags are texts, so `rollback_to('db.t', 4)` is clear although the tag comes first.
std::vector<ProcedureParameter> TagOrSnapshot() {
  return {{"table", DataType::String()},
          {"tag", DataType::String(), true, "snapshot_id"},
          {"snapshot_id", DataType::BigInt(), true}};
}

}  // namespace

Procedure RollbackToProcedure() {
  return {"rollback_to", TagOrSnapshot(), Hard};
}

Procedure RollbackToAsLatestProcedure() {
  return {"rollback_to_as_latest", TagOrSnapshot(), AsLatest};
}

Procedure RollbackToTimestampProcedure() {
  return {"rollback_to_timestamp", {{"table", DataType::String()}, {"timestamp", DataType::BigInt()}}, Hard};
}

Procedure RollbackToWatermarkProcedure() {
  return {"rollback_to_watermark", {{"table", DataType::String()}, {"watermark", DataType::BigInt()}}, Hard};
}

}  // namespace braid
