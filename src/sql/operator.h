#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/strong_id.h"
#include "sql/query.h"
#include "syntax/expression.h"

namespace braid {

/// Number of a column of a query, unique within it: DuckDB knows the column as "c<number>" wherever it is visible, so
/// that neither the case of names nor equal names matter, and an inner query can name the columns of an outer one.
using ColumnId = StrongId<struct ColumnIdTag, std::int32_t>;

/// The column's name in DuckDB SQL.
std::string ColumnSql(ColumnId id);

/// A column that an operator yields.
struct OutputColumn {
  ColumnId id;
  std::string name;  ///< for people; the id identifies
  SqlType type = SqlType::Null();
};

/// An expression over columns: DuckDB SQL of DuckDB type ToDuckType(type), a primary expression.
struct Scalar {
  SqlType type = SqlType::Null();
  std::string sql;
  /// The value, if the expression is a literal.
  std::optional<Datum> literal = std::nullopt;
  bool is_json = false;  ///< as EmittedCall::is_json
  /// The columns that `sql` names, ascending, each once.
  std::vector<ColumnId> columns = {};
  /// Of those the ones whose value may be the result as it is, and which the expression does not look at.
  std::vector<ColumnId> handed_on = {};
};

using OperatorPtr = std::shared_ptr<const Operator>;

struct SortKey {
  Scalar value;
  bool descending = false;
  bool nulls_first = true;
};

/// What aggregates and OVER windows compute. Flink's AVG, STDDEV and VAR are expressions over these.
enum class AggregateFunction : std::uint8_t {
  kCount,  ///< of rows without an argument, else of its values
  kSum,    ///< in the result's type: integers wrap
  kMin,
  kMax,
  kFirstValue,
  kLastValue,    ///< of the values that are not NULL
  kSingleValue,  ///< an error for more than one row
  kCollect,      ///< MULTISET
  kArrayAgg,
  kListAgg,        ///< value, separator
  kJsonObjectAgg,  ///< key, '"key":value' as text
  kJsonArrayAgg,   ///< value as JSON text
  kApproxCountDistinct,
  kPercentile,  ///< value, fraction or ARRAY of fractions
  // With OVER only.
  kRowNumber,
  kRank,
  kDenseRank,
  kPercentRank,
  kCumeDist,
  kNtile,  ///< number of parts
  kLag,
  kLead,  ///< value, offset, default
};

/// The function's name as Flink prints it.
std::string_view AggregateFunctionName(AggregateFunction function);

struct AggregateCall {
  AggregateFunction function = AggregateFunction::kCount;
  std::vector<Scalar> arguments;
  bool distinct = false;
  std::optional<Scalar> filter;  ///< FILTER (WHERE …)
  OutputColumn output;
};

/// Whether two expressions over the same input are the same.
bool SameScalar(const Scalar& a, const Scalar& b);
/// Whether two calls over the same input compute the same; their output columns may differ.
bool SameCall(const AggregateCall& a, const AggregateCall& b);

struct WindowBound {
  syntax::FrameBoundKind kind = syntax::FrameBoundKind::kUnboundedPreceding;
  std::optional<Scalar> offset;  ///< of kPreceding and kFollowing; an interval's SQL is one of DuckDB
};

struct WindowCall {
  AggregateCall call;
  std::vector<Scalar> partition_by;
  std::vector<SortKey> order_by;
  struct Frame {
    bool rows = false;  ///< ROWS, else RANGE
    WindowBound start;
    WindowBound end;
  };
  std::optional<Frame> frame;
};

/// `left.x = right.y`, or IS NOT DISTINCT FROM.
struct JoinKey {
  Scalar left;
  Scalar right;
  bool null_safe = false;
};

// The operators. Unless said otherwise an operator yields the columns of its input, with the same ids, and then its
// own.
namespace op {

/// Reads a table. Columns: those of the relation, in its order.
struct Scan {
  ResolvedTable table;
};

/// Rows that DuckDB has. No query is analysed to it: it stands where another layer has put rows of its own in an
/// operator's place.
struct DuckRows {
  std::string from;  ///< what stands in FROM: a table's name, or a query in parentheses; columns by position
};

/// Literal rows, each with one value a column.
struct Values {
  std::vector<std::vector<Scalar>> rows;
};

/// The rows for which the condition is true.
struct Filter {
  OperatorPtr input;
  Scalar condition;
};

/// Computes one value a column, and yields nothing else. Without input: one row.
struct Project {
  OperatorPtr input;
  std::vector<Scalar> values;
};

/// One row a group. Columns: the keys, the calls, then the grouping numbers.
struct Aggregate {
  OperatorPtr input;
  std::vector<Scalar> keys;  ///< none: one group of all rows, even if there are none
  std::vector<AggregateCall> calls;
  /// GROUPING SETS as positions in `keys`; empty for a plain GROUP BY. No rows, no groups, unlike in DuckDB.
  std::vector<std::vector<std::size_t>> sets;
  /// GROUPING(…): positions in `keys`.
  std::vector<std::vector<std::size_t>> groupings;
};

/// Columns: those of the left, then those of the right input; nullable where that side may be padded.
struct Join {
  syntax::JoinKind kind = syntax::JoinKind::kInner;  ///< never kComma
  OperatorPtr left;
  OperatorPtr right;
  std::optional<Scalar> condition;  ///< whole; nullopt: true
  std::vector<JoinKey> keys;        ///< conjuncts of the condition that are equations between the sides
  bool lateral = false;             ///< the right input names columns of the left one
};

/// Columns are the operation's own, computed by position.
struct SetOperation {
  syntax::SetOperator operation = syntax::SetOperator::kUnion;
  bool all = false;
  OperatorPtr left;
  OperatorPtr right;
};

/// Each row once.
struct Distinct {
  OperatorPtr input;
};

/// Yields some of the input's columns, those in Operator::columns, in the order of the keys.
struct Sort {
  OperatorPtr input;
  std::vector<SortKey> keys;
};

struct Limit {
  OperatorPtr input;
  std::optional<std::int64_t> count;
  std::int64_t offset = 0;
};

/// OVER windows: one column a call.
struct Window {
  OperatorPtr input;
  std::vector<WindowCall> calls;
};

/// Adds one column computed by an inner query, which may name columns of the input or of queries around.
struct Subquery {
  enum class Kind : std::uint8_t {
    kScalar,  ///< its only value, NULL without rows; an error for more than one
    kExists,
    kCompare,  ///< `value` `comparison` ANY or ALL of its rows
    kArray,    ///< ARRAY(query)
  };
  OperatorPtr input;
  OperatorPtr query;
  Kind kind = Kind::kScalar;
  std::vector<Scalar> values = {};  // kCompare: as many as the query has columns
  syntax::BinaryOperator comparison = syntax::BinaryOperator::kEqual;
  bool all = false;
  bool negated = false;  ///< NOT IN
  /// Whether a comparison is FALSE or NULL does not matter.
  bool truth_only = false;
};

/// One row for each element of a DuckDB list, with the columns computed from it.
///
/// `element` holds the element; `ordinal`, if asked for, its number from 1. Serves UNNEST and windowing table
/// functions.
struct Unnest {
  OperatorPtr input;
  Scalar list;
  /// Keep rows whose list is NULL or empty, with NULL for the element.
  bool outer = false;
  /// Number of a column only visible in `values`.
  ColumnId element;
  std::optional<ColumnId> ordinal;
  /// The added columns, over `element`, `ordinal` and the input's columns.
  std::vector<Scalar> values;
};

}  // namespace op

/// A node of the operator tree: immutable, shared.
struct Operator {
  std::vector<OutputColumn> columns;
  std::variant<op::Scan, op::DuckRows, op::Values, op::Filter, op::Project, op::Aggregate, op::Join, op::SetOperation,
               op::Distinct, op::Sort, op::Limit, op::Window, op::Subquery, op::Unnest>
      node;
};

/// The operators that a node reads directly: inputs first, then inner queries.
std::vector<OperatorPtr> InputsOf(const Operator& node);

/// The operator without its inputs, in one line, as EXPLAIN prints it.
std::string DescribeOperator(const Operator& node);

}  // namespace braid
