// SHOW …

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/text.h"
#include "duck/function_table.h"
#include "sql/statement_internal.h"
#include "sql/table_columns.h"
#include "syntax/printer.h"
#include "types/cast.h"

namespace braid {

namespace {

constexpr std::array kAggregateFunctions = {
    "APPROX_COUNT_DISTINCT",
    "ARRAY_AGG",
    "AVG",
    "COLLECT",
    "COUNT",
    "CUME_DIST",
    "DENSE_RANK",
    "FIRST_VALUE",
    "JSON_ARRAYAGG",
    "JSON_OBJECTAGG",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "LISTAGG",
    "MAX",
    "MIN",
    "NTILE",
    "PERCENT_RANK",
    "RANK",
    "ROW_NUMBER",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "SUM",
    "VAR_POP",
    "VAR_SAMP",
};

Result<StatementResult> Names(const char* column, std::vector<std::string> names, const syntax::Show& statement) {
  BRAID_TRY_ASSIGN(names, MatchPattern(std::move(names), statement));
  return TextResult(column, names);
}

// The database that SHOW TABLES and the like are about.
Result<FullName> DatabaseOf(const syntax::Show& statement, const SessionState& session) {
  if (statement.name) return session.QualifyDatabase(*statement.name);
  return FullName{session.current_catalog(), session.current_database(), ""};
}

std::vector<std::string> ViewsIn(const FullName& database, SessionState& session) {
  std::vector<std::string> names;
  for (const auto& [name, view] : session.views()) {
    if (name.catalog == database.catalog && name.database == database.database) names.push_back(name.table);
  }
  return names;
}

Result<StatementResult> ShowTables(const syntax::Show& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName database, DatabaseOf(statement, context.session));
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(database.catalog));
  BRAID_TRY_ASSIGN(std::vector<std::string> names, catalog->ListTables(database.database));
  for (std::string& view : ViewsIn(database, context.session)) names.push_back(std::move(view));
  for (const auto& [name, table] : context.session.temporary_tables()) {
    if (name.catalog == database.catalog && name.database == database.database) names.push_back(name.table);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return Names("table name", std::move(names), statement);
}

Result<StatementResult> ShowDatabases(const syntax::Show& statement, const StatementContext& context) {
  const std::string name = statement.name ? statement.name->last() : context.session.current_catalog();
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(name));
  BRAID_TRY_ASSIGN(std::vector<std::string> names, catalog->ListDatabases());
  return Names("database name", std::move(names), statement);
}

Result<StatementResult> ShowCatalogs(const syntax::Show& statement, const StatementContext& context) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : context.session.catalogs()) names.push_back(name);
  return Names("catalog name", std::move(names), statement);
}

Result<StatementResult> ShowFunctions(const syntax::Show& statement) {
  std::vector<std::string> names = ScalarFunctionNames();
  names.insert(names.end(), kAggregateFunctions.begin(), kAggregateFunctions.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return Names("function name", std::move(names), statement);
}

// Whether a partition "dt=d1/hr=2" has the values that PARTITION (…) asks for.
bool HasValues(const std::string& partition, const std::map<std::string, std::string>& wanted) {
  std::size_t matched = 0;
  for (const std::string& part : Split(partition, '/')) {
    const std::size_t equals = part.find('=');
    const auto value = wanted.find(part.substr(0, equals));
    if (value == wanted.end()) continue;
    if (value->second != part.substr(equals + 1)) return false;
    ++matched;
  }
  return matched == wanted.size();
}

Result<StatementResult> ShowPartitions(const syntax::Show& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(*statement.name, context));
  const TableSchema& schema = table.table.schema();
  if (!schema.is_partitioned()) {
    return PlaceError(Error(ErrorCode::kInvalidArgument, fmt::format("{} is not partitioned", table.name.ToString())),
                      context.text, statement.name->position());
  }
  std::map<std::string, std::string> wanted;
  for (const syntax::PartitionKey& key : statement.partition) {
    const DataField* field = schema.FindColumn(key.name.name);
    if (field == nullptr || !key.value) {
      return PlaceError(
          Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no partition column with a value", key.name.name)),
          context.text, key.name.position);
    }
    BRAID_TRY_ASSIGN(const Datum value,
                     context.session.EvaluateConstant(*key.value, context.text, field->type.Nullable()));
    wanted[key.name.name] =
        value.is_null() ? table.table.layout().default_partition_name : FormatDatum(value, field->type);
  }
  Identifier partitions = table.identifier;
  partitions.system_table = "partitions";
  BRAID_TRY_ASSIGN(const Relation relation, table.catalog->Open(partitions));
  ReadRequest request{.projection = std::vector<std::string>{"partition"}, .filter = nullptr};
  BRAID_TRY_ASSIGN(const auto rows,
                   ReadVirtualTable(*std::get<std::shared_ptr<const VirtualTable>>(relation), request));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*rows));
  std::vector<std::string> names;
  for (const Batch& batch : batches) {
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      std::string name = DatumAt(*batch.rows->column(0), row, DataType::String()).as_string();
      if (HasValues(name, wanted)) names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  return TextResult("partition name", names);
}

}  // namespace

Result<StatementResult> Run(const syntax::Show& statement, const StatementContext& context) {
  SessionState& session = context.session;
  switch (statement.kind) {
    case syntax::ShowKind::kCatalogs: return ShowCatalogs(statement, context);
    case syntax::ShowKind::kCurrentCatalog: return TextResult("current catalog name", {session.current_catalog()});
    case syntax::ShowKind::kDatabases: return ShowDatabases(statement, context);
    case syntax::ShowKind::kCurrentDatabase: return TextResult("current database name", {session.current_database()});
    case syntax::ShowKind::kTables: return ShowTables(statement, context);
    case syntax::ShowKind::kViews: {
      BRAID_TRY_ASSIGN(const FullName database, DatabaseOf(statement, session));
      return Names("view name", ViewsIn(database, session), statement);
    }
    case syntax::ShowKind::kColumns: {
      BRAID_TRY_ASSIGN(const FullName name, session.Qualify(*statement.name));
      return DescribeTable(name, &statement, context);
    }
    case syntax::ShowKind::kPartitions: return ShowPartitions(statement, context);
    case syntax::ShowKind::kFunctions: return ShowFunctions(statement);
    case syntax::ShowKind::kUserFunctions: return Names("function name", {}, statement);
    case syntax::ShowKind::kProcedures: return Names("procedure name", ProcedureNames(), statement);
    case syntax::ShowKind::kModules: return TextResult("module name", {"core"});
    case syntax::ShowKind::kFullModules:
      return RowsResult({{"module name", DataType::String()}, {"used", DataType::Boolean()}}, {{"core", true}});
    case syntax::ShowKind::kJobs: return ShowJobs(context);
    case syntax::ShowKind::kJars: return TextResult("jars", {});
    case syntax::ShowKind::kCreateTable:
    case syntax::ShowKind::kCreateView:
    case syntax::ShowKind::kCreateCatalog: return ShowCreate(statement, context);
  }
  return Error(ErrorCode::kInternal, "SHOW of an unknown kind");
}

}  // namespace braid
