// CALL sys.compact(…).

#include <fmt/format.h>

#include "base/text.h"
#include "sql/procedure.h"
#include "table/write.h"
#include "types/predicate.h"

namespace braid {

namespace {

Result<StatementResult> Compact(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  for (const char* name : {"order_strategy", "order_by", "partition_idle_time"}) {
    if (!arguments.Text(name).value_or("").empty()) {
      return Error(ErrorCode::kUnsupported, fmt::format("compact does not take '{}' yet", name)).Hint("leave it out");
    }
  }
  const std::string strategy = ToLower(arguments.Text("compact_strategy").value_or("full"));
  if (strategy != "full" && strategy != "minor") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no strategy of compaction", strategy))
        .Hint("it is 'full' or 'minor'");
  }
  PredicatePtr filter;
  if (const auto where = arguments.Text("where"); where && !where->empty()) {
    BRAID_TRY_ASSIGN(filter, ParseFilter(*where, table.schema().PartitionFields()));
  }
  if (!arguments.Text("partitions").value_or("").empty()) {
    return Error(ErrorCode::kUnsupported, "compact does not take 'partitions' yet")
        .Hint("`where` => 'dt = ''d1''' chooses partitions");
  }
  BRAID_TRY(CompactTable(table, strategy == "full", filter, NewCommitUser(), context.session.clock()));
  return ProcedureSuccess();
}

}  // namespace

Procedure CompactProcedure() {
  return {"compact",
          {{"table", DataType::String()},
           {"partitions", DataType::String(), true},
           {"order_strategy", DataType::String(), true},
           {"order_by", DataType::String(), true},
           {"options", DataType::String(), true},
           {"where", DataType::String(), true},
           {"partition_idle_time", DataType::String(), true},
           {"compact_strategy", DataType::String(), true}},
          Compact};
}

}  // namespace braid
