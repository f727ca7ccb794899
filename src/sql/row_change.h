#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sql/row_target.h"

namespace braid {

/// What becomes of a row. The numbers stand in the rows of RowChange::query.
enum class RowAction : std::int8_t { kInsert = 0, kUpdate = 1, kDelete = 2 };

/// DELETE, UPDATE or MERGE with everything settled but reading and writing.
struct RowChange {
  RowTarget target;
  /// Rows: the action (TINYINT); of an append table the row's file (INT) and position (BIGINT), NULL for kInsert; the
  /// number of matches (BIGINT) if `counts_matches`; if `writes_rows`, the table's columns in their types: as they are
  /// to be, of kDelete as they were.
  AnalyzedQuery query;
  bool counts_matches = false;
  bool writes_rows = true;
  bool deletes_rows = false;  ///< there may be kDelete
  /// Columns in which rows of kUpdate may differ from what they were.
  std::vector<std::string> updated_columns = {};
};

/// The action as a column of such a query.
Scalar ActionScalar(RowAction action);
/// Such a query: one row for each row of `source`.
AnalyzedQuery ChangeQuery(Analysis& analysis, OperatorPtr source, std::vector<Scalar> values);

/// Plans a change and commits it as a job in one snapshot, beside those of compactions. Changes of append tables are
/// planned and made anew when others have changed the same files meanwhile, as often as `commit.max-retries` says.
/// Errors: those of planning, reading, writing and committing; kInvalidArgument for a row that has more than one match.
Result<StatementResult> RunRowChange(const std::function<Result<RowChange>()>& plan, const StatementContext& context);

/// Takes out partitions, or all rows (nullopt), by dropping their files, as a job.
Result<StatementResult> RunDrop(const RowTarget& target, const std::optional<std::set<BinaryRow>>& partitions,
                                const StatementContext& context);

/// What a change does to the table, for EXPLAIN: "rows of kind -D", "deletion vectors", "files written
/// anew", "files of the changed columns".
Result<std::string> WayOfChange(const RowTarget& target);
/// As EXPLAIN prints it; `query`: may be null.
std::string ExplainRowChange(const RowTarget& target, std::string_view way, const AnalyzedQuery* query);

}  // namespace braid
