// CALL sys.compact(…).

#include <fmt/format.h>

#include "base/text.h"
#include "sql/procedure.h"
#include "table/partitions.h"
#include "table/write.h"
#include "types/predicate.h"

namespace braid {

namespace {

// Pairs "key=value,key=value" of an argument.
Result<Options> PairsOf(std::string_view text, std::string_view argument, std::string_view example) {
  Options pairs;
  for (const std::string& pair : Split(text, ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view key = Trim(std::string_view(pair).substr(0, equals));
    if (Trim(pair).empty()) continue;
    if (equals == std::string::npos || key.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("'{}' in '{}' is not of the form key=value", pair, argument))
          .Hint(std::string(example));
    }
    pairs.Set(std::string(key), std::string(Trim(std::string_view(pair).substr(equals + 1))));
  }
  return pairs;
}

// The partitions of "dt=d1,hh=1;dt=d2" as a condition; null for none.
Result<PredicatePtr> PartitionsOf(std::string_view text, const Table& table) {
  std::vector<PredicatePtr> partitions;
  for (const std::string& partition : Split(text, ';')) {
    if (Trim(partition).empty()) continue;
    BRAID_TRY_ASSIGN(const Options spec, PairsOf(partition, "partitions", "partitions => 'dt=d1,hh=1;dt=d2'"));
    BRAID_TRY_ASSIGN(PredicatePtr filter,
                     PartitionSpecFilter(table, PartitionSpec(spec.values().begin(), spec.values().end())));
    partitions.push_back(std::move(filter));
  }
  if (partitions.empty()) return PredicatePtr();
  return Predicate::Or(std::move(partitions));
}

Result<StatementResult> Compact(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Options options, PairsOf(arguments.Text("options").value_or(""), "options",
                                                  "options => 'target-file-size=256 mb,num-levels=4'"));
  context.session.NoteMisspelt(options, OptionOwner::kTable);
  BRAID_TRY_ASSIGN(const Table opened, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const Table table, opened.With(options));
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
  BRAID_TRY_ASSIGN(PredicatePtr partitions, PartitionsOf(arguments.Text("partitions").value_or(""), table));
  if (partitions != nullptr && filter != nullptr) {
    return Error(ErrorCode::kInvalidArgument, "'partitions' and 'where' cannot be given together")
        .Hint("say it all in 'where'");
  }
  if (partitions != nullptr) filter = std::move(partitions);
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
