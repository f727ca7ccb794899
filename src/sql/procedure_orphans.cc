// CALL sys.remove_orphan_files(…).

#include "base/text.h"
#include "sql/procedure.h"
#include "table/orphan_files.h"
#include "types/local_time.h"

namespace braid {

namespace {

// Every stored table of the database that 'db.*' names, or else the one named.
Result<std::vector<Table>> TablesOf(const ProcedureArguments& arguments, const StatementContext& context) {
  const std::string name = *arguments.Text("table");
  if (!name.ends_with(".*")) {
    BRAID_TRY_ASSIGN(Table table, OpenTableArgument(arguments, context));
    return std::vector<Table>{std::move(table)};
  }
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(context.session.current_catalog()));
  const std::string database = name.substr(0, name.size() - 2);
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, catalog->ListTables(database));
  std::vector<Table> tables;
  for (const std::string& table_name : names) {
    BRAID_TRY_ASSIGN(const Identifier identifier, Identifier::Parse(database + "." + table_name));
    BRAID_TRY_ASSIGN(Table table, catalog->OpenTable(identifier));
    tables.push_back(std::move(table));
  }
  return tables;
}

Result<StatementResult> Remove(const ProcedureArguments& arguments, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const std::vector<Table> tables, TablesOf(arguments, context));
  OrphanRequest request{.dry_run = arguments.Bool("dry_run").value_or(false)};
  if (const auto text = arguments.Text("older_than"); text && !Trim(*text).empty()) {
    BRAID_TRY_ASSIGN(request.older_than_ms, ParseLocalTime(*text).Context("in argument 'older_than'"));
  }
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  for (const Table& table : tables) {
    BRAID_TRY_ASSIGN(const OrphanResult result, RemoveOrphanFiles(table, request, context.session.clock()));
    files += static_cast<std::int64_t>(result.removed.size());
    bytes += result.bytes;
  }
  return TextResult("result", {std::to_string(files), std::to_string(bytes)});
}

}  // namespace

Procedure RemoveOrphanFilesProcedure() {
  // `parallelism` and `mode` choose how Flink distributes the work; here it is always done by this process.
  return {"remove_orphan_files",
          {{"table", DataType::String()},
           {"older_than", DataType::String(), true},
           {"dry_run", DataType::Boolean(), true},
           {"parallelism", DataType::Int(), true},
           {"mode", DataType::String(), true}},
          Remove};
}

}  // namespace braid
