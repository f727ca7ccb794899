// CALL sys.remove_unexisting_files(…), sys.remove_unexisting_manifests(…).

#include "sql/procedure.h"
#include "table/missing_data_files.h"
#include "table/missing_manifests.h"

namespace braid {

namespace {

Result<StatementResult> Remove(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  const bool dry_run = arguments.Bool("dry_run").value_or(false);
  BRAID_TRY_ASSIGN(const MissingDataFiles missing,
                   RemoveMissingDataFiles(table, dry_run, NewCommitUser(), context.session.clock()));
  return TextResult("result", missing.paths);
}

Result<StatementResult> RemoveManifests(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context, "tableId"));
  BRAID_TRY(RemoveMissingManifests(table, /*dry_run=*/false, NewCommitUser(), context.session.clock()));
  return ProcedureSuccess();
}

}  // namespace

Procedure RemoveUnexistingManifestsProcedure() {
  return {"remove_unexisting_manifests", {{"tableId", DataType::String()}}, RemoveManifests};
}

Procedure RemoveUnexistingFilesProcedure() {
  // `parallelism` is Flink's; here it is always done by this process.
  return {
      "remove_unexisting_files",
      {{"table", DataType::String()}, {"dry_run", DataType::Boolean(), true}, {"parallelism", DataType::Int(), true}},
      Remove};
}

}  // namespace braid
