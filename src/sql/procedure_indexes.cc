// CALL sys.rewrite_file_index(…).

#include "sql/procedure.h"
#include "table/file_index_rewrite.h"
#include "table/partitions.h"

namespace braid {

namespace {

Result<StatementResult> Rewrite(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  IndexRewriteRequest request;
  BRAID_TRY_ASSIGN(request.partitions, PartitionSpecsFilter(table, arguments.Text("partitions").value_or("")));
  BRAID_TRY(RewriteFileIndexes(table, request, NewCommitUser(), context.session.clock()));
  return ProcedureSuccess();
}

}  // namespace

Procedure RewriteFileIndexProcedure() {
  return {"rewrite_file_index", {{"table", DataType::String()}, {"partitions", DataType::String(), true}}, Rewrite};
}

}  // namespace braid
