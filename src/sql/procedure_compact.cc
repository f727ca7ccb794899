// CALL sys.compact(…), sys.compact_database(…), sys.compact_manifest(…), sys.rescale(…).

#include <regex>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "sql/procedure.h"
#include "table/clustering_options.h"
#include "table/compaction_preview.h"
#include "table/manifest_compaction.h"
#include "table/partitions.h"
#include "table/rescale.h"
#include "table/sorted_compaction.h"
#include "table/write.h"
#include "types/predicate.h"

namespace braid {

namespace {

// What both procedures of data files are asked to do.
struct Compaction {
  std::optional<bool> full;                       // nullopt: everything, but where tables are sorted bit by bit
  std::optional<std::chrono::milliseconds> idle;  // partitions that were last written longer ago

  static Result<Compaction> Of(const ProcedureArguments& arguments) {
    Compaction compaction;
    const std::string strategy = ToLower(Trim(arguments.Text("compact_strategy").value_or("")));
    if (!strategy.empty() && strategy != "full" && strategy != "minor") {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no strategy of compaction", strategy))
          .Hint("it is 'full' or 'minor'");
    }
    if (!strategy.empty()) compaction.full = strategy == "full";
    if (const auto text = arguments.Text("partition_idle_time"); text && !Trim(*text).empty()) {
      BRAID_TRY_ASSIGN(compaction.idle, ParseDuration(*text).Context("in argument 'partition_idle_time'"));
    }
    return compaction;
  }

  Status Run(const Table& table, PredicatePtr filter, const StatementContext& context) const {
    const Clock& clock = context.session.clock();
    if (idle && table.schema().is_partitioned()) {
      BRAID_TRY_ASSIGN(filter, IdlePartitions(table, filter, *idle, clock));
      if (filter == nullptr) return Ok();
    }
    BRAID_TRY_ASSIGN(const bool clusters, ClustersIncrementally(table));
    BRAID_TRY(CompactTable(table, full.value_or(!clusters), filter, NewCommitUser(), clock));
    return Ok();
  }
};

// nullopt: rows keep their order.
Result<std::optional<SortedCompactionRequest>> SortingOf(const ProcedureArguments& arguments,
                                                         const Compaction& compaction) {
  const std::string strategy = arguments.Text("order_strategy").value_or("");
  const std::string columns = arguments.Text("order_by").value_or("");
  if (Trim(strategy).empty() && Trim(columns).empty()) return std::optional<SortedCompactionRequest>();
  if (Trim(strategy).empty() || Trim(columns).empty()) {
    return Error(ErrorCode::kInvalidArgument, "'order_strategy' and 'order_by' are given together or not at all")
        .Hint("order_strategy => 'zorder', order_by => 'a,b'");
  }
  if (compaction.idle || compaction.full == false) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("a compaction that sorts takes no '{}'",
                             compaction.idle ? "partition_idle_time" : "compact_strategy' => 'minor"))
        .Hint("choose partitions by 'where' or 'partitions'");
  }
  SortedCompactionRequest request;
  BRAID_TRY_ASSIGN(request.strategy, ParseSortStrategy(strategy));
  request.columns = ParseList(columns);
  return std::optional(std::move(request));
}

Result<StatementResult> Compact(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Options options, OptionsArgument(arguments, "options"));
  context.session.NoteMisspelt(options, OptionOwner::kTable);
  BRAID_TRY_ASSIGN(const Table opened, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const Table table, opened.With(options));
  BRAID_TRY_ASSIGN(const Compaction compaction, Compaction::Of(arguments));
  PredicatePtr filter;
  if (const auto where = arguments.Text("where"); where && !where->empty()) {
    BRAID_TRY_ASSIGN(filter, ParseFilter(*where, table.schema().PartitionFields()));
  }
  BRAID_TRY_ASSIGN(PredicatePtr partitions, PartitionSpecsFilter(table, arguments.Text("partitions").value_or("")));
  if (partitions != nullptr && filter != nullptr) {
    return Error(ErrorCode::kInvalidArgument, "'partitions' and 'where' cannot be given together")
        .Hint("say it all in 'where'");
  }
  if (partitions != nullptr) filter = std::move(partitions);
  BRAID_TRY_ASSIGN(std::optional<SortedCompactionRequest> sorted, SortingOf(arguments, compaction));
  if (sorted) {
    sorted->partitions = std::move(filter);
    BRAID_TRY(CompactSorted(table, *sorted, NewCommitUser(), context.session.clock()));
  } else {
    BRAID_TRY(compaction.Run(table, filter, context));
  }
  return ProcedureSuccess();
}

// A regular expression that whole names must match.
class NamePattern {
 public:
  static Result<NamePattern> Of(const ProcedureArguments& arguments, const char* name, const char* otherwise) {
    const std::string text = arguments.Text(name).value_or("");
    try {
      return NamePattern(std::regex(text.empty() ? otherwise : text));
    } catch (const std::regex_error&) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' in '{}' is no regular expression", text, name));
    }
  }
  bool Matches(const std::string& name) const { return std::regex_match(name, pattern_); }

 private:
  explicit NamePattern(std::regex pattern) : pattern_(std::move(pattern)) {}
  std::regex pattern_;
};

Result<StatementResult> CompactDatabases(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Options options, OptionsArgument(arguments, "table_options"));
  context.session.NoteMisspelt(options, OptionOwner::kTable);
  BRAID_TRY_ASSIGN(const Compaction compaction, Compaction::Of(arguments));
  BRAID_TRY_ASSIGN(const NamePattern databases, NamePattern::Of(arguments, "including_databases", ".*"));
  BRAID_TRY_ASSIGN(const NamePattern tables, NamePattern::Of(arguments, "including_tables", ".*"));
  BRAID_TRY_ASSIGN(const NamePattern excluded, NamePattern::Of(arguments, "excluding_tables", ""));
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(context.session.current_catalog()));
  BRAID_TRY_ASSIGN(const std::vector<std::string> database_names, catalog->ListDatabases());
  for (const std::string& database : database_names) {
    if (!databases.Matches(database)) continue;
    BRAID_TRY_ASSIGN(const std::vector<std::string> table_names, catalog->ListTables(database));
    for (const std::string& name : table_names) {
      const std::string full_name = database + "." + name;
      if (!tables.Matches(full_name) || excluded.Matches(full_name)) continue;
      BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::FromParts(database, name));
      BRAID_TRY_ASSIGN(const Table stored, catalog->OpenTable(identifier));
      BRAID_TRY_ASSIGN(const Table table, stored.With(options));
      BRAID_TRY(compaction.Run(table, nullptr, context).Context("while compacting " + full_name));
    }
  }
  return ProcedureSuccess();
}

Result<StatementResult> CompactMetadata(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Options options, OptionsArgument(arguments, "options"));
  context.session.NoteMisspelt(options, OptionOwner::kTable);
  BRAID_TRY_ASSIGN(const Table opened, OpenTableArgument(arguments, context));
  BRAID_TRY_ASSIGN(const Table table, opened.With(options));
  BRAID_TRY(CompactManifests(table, /*dry_run=*/false, NewCommitUser(), context.session.clock()));
  return ProcedureSuccess();
}

Result<StatementResult> Rescale(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const Table table, OpenTableArgument(arguments, context));
  RescaleRequest request;
  if (const auto count = arguments.Int("bucket_num")) request.bucket_count = static_cast<std::int32_t>(*count);
  BRAID_TRY_ASSIGN(request.partitions, PartitionSpecsFilter(table, arguments.Text("partition").value_or("")));
  BRAID_TRY(RescaleTable(table, request, NewCommitUser(), context.session.clock()));
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

Procedure CompactDatabaseProcedure() {
  const DataType text = DataType::String();
  // `mode` chooses how Flink distributes the work; here it is always done by this process.
  return {"compact_database",
          {{"including_databases", text, true},
           {"mode", text, true},
           {"including_tables", text, true},
           {"excluding_tables", text, true},
           {"table_options", text, true},
           {"partition_idle_time", text, true},
           {"compact_strategy", text, true}},
          CompactDatabases};
}

Procedure RescaleProcedure() {
  // The last two are Flink's; here it is always done by this process.
  return {"rescale",
          {{"table", DataType::String()},
           {"bucket_num", DataType::Int(), true},
           {"partition", DataType::String(), true},
           {"scan_parallelism", DataType::Int(), true},
           {"sink_parallelism", DataType::Int(), true}},
          Rescale};
}

Procedure CompactManifestProcedure() {
  return {"compact_manifest", {{"table", DataType::String()}, {"options", DataType::String(), true}}, CompactMetadata};
}

}  // namespace braid
