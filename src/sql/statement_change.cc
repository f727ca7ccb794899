// Statements about all rows of a table.

#include <fmt/format.h>

#include "sql/statement_internal.h"
#include "syntax/source.h"
#include "table/analyze.h"
#include "table/commit.h"

namespace braid {

Result<StatementResult> Run(const syntax::TruncateTable& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(statement.table, context));
  BRAID_TRY(TruncateTable(table.table, NewCommitUser()));
  return Done();
}

Result<StatementResult> Run(const syntax::AnalyzeTable& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(statement.table, context));
  if (!statement.partition.empty()) {
    return syntax::ErrorAt(ErrorCode::kUnsupported, context.text, statement.table.position(),
                           "Paimon keeps statistics of whole tables, not of single partitions")
        .Hint("leave PARTITION out");
  }
  AnalyzeRequest request;
  if (statement.all_columns) request.columns.reset();
  for (const syntax::Identifier& column : statement.columns) {
    if (!FindField(table.table.schema().fields, column.name)) {
      return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, column.position,
                             fmt::format("{} has no column '{}'", table.table.name(), column.name));
    }
    request.columns->push_back(column.name);
  }
  BRAID_TRY(AnalyzeTable(table.table, request, NewCommitUser(), context.session.clock()));
  return Done();
}

}  // namespace braid
