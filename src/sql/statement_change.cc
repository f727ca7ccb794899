// Statements about all rows of a table.

#include "sql/statement_internal.h"
#include "syntax/source.h"
#include "table/commit.h"

namespace braid {

namespace {}  // namespace

Result<StatementResult> Run(const syntax::TruncateTable& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(statement.table, context));
  BRAID_TRY(TruncateTable(table.table, NewCommitUser()));
  return Done();
}

Result<StatementResult> Run(const syntax::AnalyzeTable& statement, const StatementContext& context) {
  return syntax::ErrorAt(ErrorCode::kUnsupported, context.text, statement.table.position(),
                         "ANALYZE TABLE is not supported yet")
      .Hint("the statistics of data files are used without it");
}

}  // namespace braid
