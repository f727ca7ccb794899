// Statements that change rows of a table other than by adding some.

#include <fmt/format.h>

#include "sql/statement_internal.h"
#include "syntax/source.h"
#include "table/commit.h"

namespace braid {

namespace {

Error NotYet(std::string_view what, const syntax::QualifiedName& table, std::string_view text, std::string hint) {
  return syntax::ErrorAt(ErrorCode::kUnsupported, text, table.position(), fmt::format("{} is not supported yet", what))
      .Hint(std::move(hint));
}

}  // namespace

Result<StatementResult> Run(const syntax::TruncateTable& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const StoredTable table, OpenStored(statement.table, context));
  BRAID_TRY(TruncateTable(table.table, NewCommitUser()));
  return Done();
}

Result<StatementResult> Run(const syntax::Update& statement, const StatementContext& context) {
  return NotYet("UPDATE", statement.table, context.text,
                "INSERT the changed rows into a table with a primary key, which replaces the old ones");
}

Result<StatementResult> Run(const syntax::Delete& statement, const StatementContext& context) {
  return NotYet("DELETE", statement.table, context.text,
                "INSERT OVERWRITE the table with the rows that stay, or drop whole partitions");
}

Result<StatementResult> Run(const syntax::Merge& statement, const StatementContext& context) {
  return NotYet("MERGE", statement.table, context.text, "INSERT the joined rows into a table with a primary key");
}

Result<StatementResult> Run(const syntax::AnalyzeTable& statement, const StatementContext& context) {
  return NotYet("ANALYZE TABLE", statement.table, context.text, "the statistics of data files are used without it");
}

}  // namespace braid
