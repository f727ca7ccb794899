// Expiry: expire_snapshots, expire_changelogs, expire_partitions.

#include "base/text.h"
#include "sql/procedure.h"
#include "table/expire.h"
#include "table/partition_expiry.h"
#include "types/local_time.h"

namespace braid {

namespace {

// What the table's options say, with the arguments over it.
Status Override(const ProcedureArguments& arguments, Retention& retention) {
  retention.retain_max = arguments.Int("retain_max").value_or(retention.retain_max);
  retention.retain_min = arguments.Int("retain_min").value_or(retention.retain_min);
  retention.max_deletes = arguments.Int("max_deletes").value_or(retention.max_deletes);
  if (const auto text = arguments.Text("older_than"); text && !Trim(*text).empty()) {
    BRAID_TRY_ASSIGN(retention.older_than_ms, ParseLocalTime(*text).Context("in argument 'older_than'"));
  }
  return Ok();
}

Result<StatementResult> Snapshots(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const Options more, OptionsArgument(arguments, "options"));
  const Clock& clock = context.session.clock();
  BRAID_TRY_ASSIGN(ExpireRequest request, ExpireRequest::FromOptions(table.options().With(more), clock.NowMs()));
  BRAID_TRY(Override(arguments, request.snapshots));
  BRAID_TRY_ASSIGN(const ExpireResult result, ExpireSnapshots(table, request, clock));
  return TextResult("result", {std::to_string(result.expired)});
}

Result<StatementResult> Changelogs(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  const Clock& clock = context.session.clock();
  BRAID_TRY_ASSIGN(ExpireRequest request, ExpireRequest::FromOptions(table.options(), clock.NowMs()));
  BRAID_TRY(Override(arguments, request.changelogs));
  const bool all = arguments.Bool("delete_all").value_or(false);
  BRAID_TRY_ASSIGN(const ExpireResult result, ExpireChangelogs(table, request, all, clock));
  return TextResult("result", {all ? "Delete all separated changelogs success." : std::to_string(result.expired)});
}

// The options that the arguments stand for, over those of the argument `options`.
Result<Options> PartitionOptions(const ProcedureArguments& arguments) {
  BRAID_TRY_ASSIGN(Options options, OptionsArgument(arguments, "options"));
  for (const auto& [name, key] : {std::pair("expiration_time", "partition.expiration-time"),
                                  std::pair("timestamp_formatter", "partition.timestamp-formatter"),
                                  std::pair("timestamp_pattern", "partition.timestamp-pattern"),
                                  std::pair("expire_strategy", "partition.expiration-strategy")}) {
    if (const auto text = arguments.Text(name); text && !Trim(*text).empty()) options.Set(key, *text);
  }
  if (const auto count = arguments.Int("max_expires")) options.Set("partition.expiration-max-num", std::to_string(*count));
  return options;
}

Result<StatementResult> Partitions(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const Options more, PartitionOptions(arguments));
  BRAID_TRY_ASSIGN(const auto expiry, PartitionExpiry::FromOptions(table.options().With(more)));
  if (!expiry) {
    return Error(ErrorCode::kInvalidArgument, "partitions of " + table.name() + " do not expire")
        .Hint("set its option partition.expiration-time, or give the argument expiration_time => '30 d'");
  }
  BRAID_TRY_ASSIGN(const ExpiredPartitions expired, ExpirePartitions(table, *expiry, context.session.clock()));
  std::vector<std::string> rows;
  for (const auto& partition : expired.partitions) {
    std::vector<std::string> texts;
    for (const auto& [column, value] : partition) texts.push_back(column + "=" + value);
    rows.push_back(Join(texts, ", "));
  }
  if (rows.empty()) rows.emplace_back("No expired partitions.");
  return TextResult("expired_partitions", rows);
}

std::vector<ProcedureParameter> ExpiryParameters(ProcedureParameter last) {
  return {{"table", DataType::String()},          {"retain_max", DataType::Int(), true},
          {"retain_min", DataType::Int(), true},  {"older_than", DataType::String(), true},
          {"max_deletes", DataType::Int(), true}, last};
}

}  // namespace

Procedure ExpireSnapshotsProcedure() {
  return {"expire_snapshots", ExpiryParameters({"options", DataType::String(), true}), Snapshots};
}

Procedure ExpirePartitionsProcedure() {
  const DataType text = DataType::String();
  return {"expire_partitions",
          {{"table", text},
           {"expiration_time", text, true},
           {"timestamp_formatter", text, true},
           {"timestamp_pattern", text, true},
           {"expire_strategy", text, true},
           {"max_expires", DataType::Int(), true},
           {"options", text, true}},
          Partitions};
}

Procedure ExpireChangelogsProcedure() {
  return {"expire_changelogs", ExpiryParameters({"delete_all", DataType::Boolean(), true}), Changelogs};
}

}  // namespace braid
