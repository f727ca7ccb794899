// Consumers: reset_consumer, clear_consumers.

#include "meta/line_upkeep.h"
#include "meta/stores.h"
#include "sql/procedure.h"
#include "table/consumer_upkeep.h"

namespace braid {

namespace {

Result<StatementResult> Reset(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  const std::string id = *arguments.Text("consumer_id");
  if (const auto next = arguments.Int("next_snapshot_id")) {
    BRAID_TRY(ResetConsumer(table, id, SnapshotId(*next)));
  } else {
    BRAID_TRY(DeleteConsumer(table.file_system(), table.paths(), id));
  }
  return ProcedureSuccess();
}

Result<StatementResult> Clear(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY(ClearConsumers(table, {.including = arguments.Text("including_consumers").value_or(""),
                                   .excluding = arguments.Text("excluding_consumers").value_or("")}));
  return ProcedureSuccess();
}

}  // namespace

Procedure ResetConsumerProcedure() {
  return {"reset_consumer",
          {{"table", DataType::String()},
           {"consumer_id", DataType::String()},
           {"next_snapshot_id", DataType::BigInt(), true}},
          Reset};
}

Procedure ClearConsumersProcedure() {
  return {"clear_consumers",
          {{"table", DataType::String()},
           {"including_consumers", DataType::String(), true},
           {"excluding_consumers", DataType::String(), true}},
          Clear};
}

}  // namespace braid
