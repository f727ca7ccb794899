// CALL sys.drop_partition(…), sys.mark_partition_done(…).

#include "sql/procedure.h"
#include "table/commit.h"
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

// Each text is one partition, as Paimon's procedure takes them.
Result<StatementResult> Drop(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  std::vector<PartitionSpec> partitions;
  for (const std::string& text : arguments.Texts("partitions")) {
    BRAID_TRY_ASSIGN(PartitionSpec spec, ParsePartitionSpec(text));
    partitions.push_back(std::move(spec));
  }
  // Columns and values are checked, and that every text names something.
  BRAID_TRY(PartitionSpecsFilter(table, partitions));
  BRAID_TRY(DropPartitions(table, partitions, NewCommitUser()));
  return ProcedureSuccess();
}

}  // namespace

Procedure DropPartitionProcedure() {
  return {"drop_partition",
          {{"table", DataType::String()}, {.name = "partitions", .type = DataType::String(), .repeated = true}},
          Drop};
}

Procedure MarkPartitionDoneProcedure() {
  return {"mark_partition_done", {{"table", DataType::String()}, {"partitions", DataType::String()}}, MarkDone};
}

}  // namespace braid
