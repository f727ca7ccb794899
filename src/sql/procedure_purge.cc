// CALL sys.purge_files(…).

#include "sql/procedure.h"
#include "table/purge.h"

namespace braid {

namespace {

Result<StatementResult> Purge(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY(PurgeTable(table, {}, NewCommitUser(), context.session.clock()));
  return ProcedureSuccess();
}

}  // namespace

Procedure PurgeFilesProcedure() {
  return {"purge_files", {{"table", DataType::String()}}, Purge};
}

}  // namespace braid
