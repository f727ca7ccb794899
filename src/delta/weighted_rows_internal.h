#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "delta/operator_reading_internal.h"
#include "sql/operator.h"

namespace braid {

/// Makes columns that the query does not have.
class ColumnMaker {
 public:
  explicit ColumnMaker(ColumnId last) : first_(last.next()), next_(last.next()) {}

  OutputColumn Make(std::string name, SqlType type);
  /// A column for the weight of rows.
  OutputColumn MakeWeight();
  /// Other columns with the names and types of these.
  std::vector<OutputColumn> MakeLike(const std::vector<OutputColumn>& columns);
  bool IsMade(ColumnId id) const { return id >= first_; }

 private:
  ColumnId first_;
  ColumnId next_;
};

/// Rows with a weight: an operator that yields, among its columns, `weights`, whose product is the weight.
struct WeightedRows {
  OperatorPtr rows;
  std::vector<OutputColumn> weights;
};

/// A part of the change of a stream, and the temp tables that it is computed from: it is empty if they all are.
struct Change {
  WeightedRows rows;
  std::vector<std::string> inputs;
};

/// The rows that an operator yields, as they are known while a program is made. All parts yield `columns`.
struct DeltaStream {
  std::vector<OutputColumn> columns = {};
  /// The change of an epoch is the sum of these. None: the stream never changes.
  std::vector<Change> changes = {};
  /// The content at the start, for the bootstrap. Reads state tables of the operators below, once they are filled.
  WeightedRows initial = {};
  /// The content before and after an epoch, for its steps that come after those of the operator itself; nullopt if it
  /// is not at hand without keeping it.
  std::optional<WeightedRows> old_content = std::nullopt;
  std::optional<WeightedRows> new_content = std::nullopt;
  /// No change has a negative weight.
  bool append_only = false;
  /// There is one change at most; in it and in the initial content no row occurs twice.
  bool consolidated = false;
  /// Position in DeltaProgram::nodes.
  std::size_t node = 0;
};

/// The columns as expressions.
std::vector<Scalar> ColumnScalars(const std::vector<OutputColumn>& columns);

/// Rows of a table or query of DuckDB with these columns and then `w`.
WeightedRows ReadWeighted(ColumnMaker& maker, std::string from, const std::vector<OutputColumn>& columns);

/// The weights become one column; other columns than these are dropped.
WeightedRows Narrow(ColumnMaker& maker, const WeightedRows& rows, const std::vector<OutputColumn>& columns);

/// Computes columns from rows, keeping the weights.
WeightedRows ProjectRows(const WeightedRows& rows, std::vector<OutputColumn> columns, std::vector<Scalar> values);

/// The same rows with the opposite weight.
WeightedRows Negate(ColumnMaker& maker, const WeightedRows& rows, const std::vector<OutputColumn>& columns);

/// The sum of both; they yield the same columns.
WeightedRows Add(ColumnMaker& maker, const WeightedRows& a, const WeightedRows& b,
                 const std::vector<OutputColumn>& columns);

/// Inner join; weights multiply.
WeightedRows JoinRows(const WeightedRows& left, const WeightedRows& right, std::optional<Scalar> condition);

/// Each row as often as its weight says, without weight. Weights are positive.
OperatorPtr Expand(ColumnMaker& maker, const WeightedRows& rows, const std::vector<OutputColumn>& columns);

/// A Filter, Project with input, Unnest or Window over other rows, which keep their weights. Only for Window is that
/// another thing than what the operator does to each row of a Z-set.
WeightedRows Apply(const Operator& node, const WeightedRows& input, const std::function<bool(ColumnId)>& is_used);

/// Equality of all columns, in which NULL equals NULL; nullopt: none, so always true.
std::optional<Scalar> AllMatch(const std::vector<OutputColumn>& left, const std::vector<OutputColumn>& right);

}  // namespace braid
