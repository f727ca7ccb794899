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

/// MERGE INTO t [AS a] USING source ON … [WHEN MATCHED …] [WHEN NOT MATCHED …].
struct Merge {
  QualifiedName table;
  std::vector<Hint> hints = {};
  std::optional<Identifier> alias = std::nullopt;
  TableExpressionPtr source;
  ExpressionPtr on;
  std::vector<Assignment> update = {};  ///< WHEN MATCHED THEN UPDATE SET; empty without it
  std::optional<std::vector<QualifiedName>> insert_columns = std::nullopt;
  std::vector<ExpressionPtr> insert_values = {};  ///< WHEN NOT MATCHED THEN INSERT VALUES; empty without it
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
