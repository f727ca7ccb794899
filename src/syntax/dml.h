#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "syntax/ddl.h"
#include "syntax/query.h"

namespace braid::syntax {

struct Insert {
  QualifiedName table;
  bool overwrite = false;
  std::vector<Hint> hints = {};
  PartitionSpec partition = {};  ///< PARTITION (k = 'v', k2)
  std::optional<std::vector<QualifiedName>> columns = std::nullopt;
  QueryPtr query;
  friend bool operator==(const Insert&, const Insert&) = default;
};

struct Assignment {
  QualifiedName column;
  ExpressionPtr value;
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

struct Update {
  QualifiedName table;
  std::vector<Hint> hints = {};
  std::optional<Identifier> alias = std::nullopt;
  std::vector<Assignment> assignments;
  ExpressionPtr where = {};
  friend bool operator==(const Update&, const Update&) = default;
};

struct Delete {
  QualifiedName table;
  std::vector<Hint> hints = {};
  std::optional<Identifier> alias = std::nullopt;
  ExpressionPtr where = {};
  friend bool operator==(const Delete&, const Delete&) = default;
};

/// UPDATE SET a = x, …; without assignments UPDATE SET *.
struct MergeUpdate {
  std::vector<Assignment> assignments = {};
  friend bool operator==(const MergeUpdate&, const MergeUpdate&) = default;
};

struct MergeDelete {
  friend bool operator==(const MergeDelete&, const MergeDelete&) = default;
};

/// INSERT [(a, …)] VALUES (x, …); without values INSERT *.
struct MergeInsert {
  std::optional<std::vector<QualifiedName>> columns = std::nullopt;
  std::vector<ExpressionPtr> values = {};
  friend bool operator==(const MergeInsert&, const MergeInsert&) = default;
};

enum class MergeMatch : std::uint8_t { kMatched, kNotMatched, kNotMatchedBySource };

/// WHEN [NOT] MATCHED [BY TARGET | BY SOURCE] [AND condition] THEN action. Only a row of the source that nothing
/// matches is inserted; rows of the table are updated or deleted.
struct MergeClause {
  Position position;
  MergeMatch match;
  ExpressionPtr condition = {};
  std::variant<MergeUpdate, MergeDelete, MergeInsert> action;
  friend bool operator==(const MergeClause&, const MergeClause&) = default;
};

/// MERGE INTO t [AS a] USING source ON … WHEN ….
struct Merge {
  QualifiedName table;
  std::vector<Hint> hints = {};
  std::optional<Identifier> alias = std::nullopt;
  TableExpressionPtr source;
  ExpressionPtr on;
  std::vector<MergeClause> clauses = {};  ///< at least one; the first that applies to a row counts
  friend bool operator==(const Merge&, const Merge&) = default;
};

struct TruncateTable {
  QualifiedName table;
  friend bool operator==(const TruncateTable&, const TruncateTable&) = default;
};

/// ANALYZE TABLE t [PARTITION (…)] COMPUTE STATISTICS [FOR COLUMNS a, b | FOR ALL COLUMNS].
struct AnalyzeTable {
  QualifiedName table;
  PartitionSpec partition = {};
  std::vector<Identifier> columns = {};
  bool all_columns = false;
  friend bool operator==(const AnalyzeTable&, const AnalyzeTable&) = default;
};

/// EXECUTE STATEMENT SET BEGIN …; END, or STATEMENT SET BEGIN …; END, or BEGIN STATEMENT SET; …; END given as one text.
struct StatementSet {
  std::vector<StatementPtr> statements;  ///< Insert alone
  friend bool operator==(const StatementSet&, const StatementSet&) = default;
};

/// BEGIN STATEMENT SET as a statement of its own, as a shell reads it.
struct BeginStatementSet {
  friend bool operator==(const BeginStatementSet&, const BeginStatementSet&) = default;
};

/// END as a statement of its own.
struct EndStatementSet {
  friend bool operator==(const EndStatementSet&, const EndStatementSet&) = default;
};

/// EXECUTE INSERT … or EXECUTE SELECT …: the statement itself.
struct Execute {
  StatementPtr statement;
  friend bool operator==(const Execute&, const Execute&) = default;
};

enum class ExplainDetail : std::uint8_t { kEstimatedCost, kChangelogMode, kJsonExecutionPlan, kPlanAdvice };

/// EXPLAIN [PLAN FOR | details] statement.
struct Explain {
  std::vector<ExplainDetail> details = {};
  StatementPtr statement;
  friend bool operator==(const Explain&, const Explain&) = default;
};

/// CALL catalog.sys.procedure(argument, name => argument).
struct Call {
  QualifiedName procedure;
  std::vector<CallArgument> arguments;
  friend bool operator==(const Call&, const Call&) = default;
};

}  // namespace braid::syntax
