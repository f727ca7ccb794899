// CALL sys.mark_partition_done(…).

#include "sql/procedure.h"
#include "table/partition_done.h"
#include "table/partitions.h"

namespace braid {

namespace {

Result<StatementResult> MarkDone(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const PredicatePtr partitions,
                   PartitionSpecsFilter(table, arguments.Text("partitions").value_or("")));
  if (partitions == nullptr) {
    return Error(ErrorCode::kInvalidArgument, "it is not said which partitions are done")
        .Hint("partitions => 'dt=d1,hh=1;dt=d2'");
  }
  BRAID_TRY(MarkPartitionsDone(table, partitions, /*dry_run=*/false, context.session.clock()));
  return ProcedureSuccess();
}

}  // namespace

Procedure MarkPartitionDoneProcedure() {
  return {"mark_partition_done", {{"table", DataType::String()}, {"partitions", DataType::String()}}, MarkDone};
}

}  // namespace braid
