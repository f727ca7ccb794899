#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "syntax/expression.h"

namespace braid::syntax {

struct TableExpression;
using TableExpressionPtr = Child<TableExpression>;

/// An argument of a hint: 'k' = 'v', a text, a name or a number.
struct HintArgument {
  std::optional<std::string> key = std::nullopt;
  std::string value;
  bool quoted = true;  ///< written as 'text', both key and value
  friend bool operator==(const HintArgument&, const HintArgument&) = default;
};

/// One hint of `/*+ OPTIONS('k' = 'v'), BROADCAST(t) */`.
struct Hint {
  Identifier name;
  std::vector<HintArgument> arguments;
  friend bool operator==(const Hint&, const Hint&) = default;
};

// ---- FROM ----

/// A table, view, system table or common table expression.
struct NamedTable {
  QualifiedName name;
  std::vector<Hint> hints = {};
  ExpressionPtr as_of = {};  ///< FOR SYSTEM_TIME AS OF …
  friend bool operator==(const NamedTable&, const NamedTable&) = default;
};

/// [LATERAL] (query).
struct DerivedTable {
  QueryPtr query;
  bool lateral = false;
  friend bool operator==(const DerivedTable&, const DerivedTable&) = default;
};

/// [LATERAL] TABLE(f(…)), or f(…) alone.
struct TableFunction {
  ExpressionPtr call;  ///< a FunctionCall
  bool lateral = false;
  friend bool operator==(const TableFunction&, const TableFunction&) = default;
};

struct Unnest {
  std::vector<ExpressionPtr> values;
  bool with_ordinality = false;
  friend bool operator==(const Unnest&, const Unnest&) = default;
};

enum class JoinKind : std::uint8_t { kInner, kLeft, kRight, kFull, kCross, kComma };

struct Join {
  JoinKind kind;
  bool natural = false;
  TableExpressionPtr left;
  TableExpressionPtr right;
  ExpressionPtr on = {};                       ///< ON …
  std::vector<Identifier> using_columns = {};  ///< USING (…)
  friend bool operator==(const Join&, const Join&) = default;
};

/// AS t(a, b).
struct TableAlias {
  Identifier name;
  std::vector<Identifier> columns = {};
  friend bool operator==(const TableAlias&, const TableAlias&) = default;
};

struct TableExpression {
  Position position;  ///< of its first token; of the join's keyword for joins
  std::variant<NamedTable, DerivedTable, TableFunction, Unnest, Join> node;
  std::optional<TableAlias> alias = std::nullopt;  ///< never of a Join

  friend bool operator==(const TableExpression&, const TableExpression&) = default;
};

// ---- SELECT ----

struct SelectItem {
  ExpressionPtr value;
  std::optional<Identifier> alias = std::nullopt;
  friend bool operator==(const SelectItem&, const SelectItem&) = default;
};

/// A group by these expressions; none for the grand total `()`.
struct GroupingKeys {
  std::vector<ExpressionPtr> keys;
  friend bool operator==(const GroupingKeys&, const GroupingKeys&) = default;
};

struct Rollup {
  std::vector<GroupingKeys> levels;
  friend bool operator==(const Rollup&, const Rollup&) = default;
};

struct Cube {
  std::vector<GroupingKeys> dimensions;
  friend bool operator==(const Cube&, const Cube&) = default;
};

struct GroupingElement;

struct GroupingSets {
  std::vector<GroupingElement> sets;
  friend bool operator==(const GroupingSets&, const GroupingSets&);
};

/// One element of GROUP BY.
struct GroupingElement {
  Position position;
  std::variant<GroupingKeys, Rollup, Cube, GroupingSets> node;
  friend bool operator==(const GroupingElement&, const GroupingElement&) = default;
};

inline bool operator==(const GroupingSets& a, const GroupingSets& b) {
  return a.sets == b.sets;
}

struct NamedWindow {
  Identifier name;
  WindowSpecification specification;
  friend bool operator==(const NamedWindow&, const NamedWindow&) = default;
};

struct Select {
  Position position;
  std::vector<Hint> hints = {};
  std::optional<SetQuantifier> quantifier = std::nullopt;
  std::vector<SelectItem> items = {};
  TableExpressionPtr from = {};  ///< absent for SELECT 1
  ExpressionPtr where = {};
  /// Absent without GROUP BY; `GROUP BY ()` is one element of no keys.
  std::optional<std::vector<GroupingElement>> group_by = std::nullopt;
  bool group_distinct = false;  ///< GROUP BY DISTINCT
  ExpressionPtr having = {};
  std::vector<NamedWindow> windows = {};
  ExpressionPtr qualify = {};
  friend bool operator==(const Select&, const Select&) = default;
};

/// VALUES (1, 'a'), (2, 'b'). A row without parentheses has one element.
struct Values {
  Position position;
  std::vector<std::vector<ExpressionPtr>> rows;
  friend bool operator==(const Values&, const Values&) = default;
};

/// TABLE t as a query: all of its rows.
struct ExplicitTable {
  QualifiedName name;
  friend bool operator==(const ExplicitTable&, const ExplicitTable&) = default;
};

enum class SetOperator : std::uint8_t { kUnion, kIntersect, kExcept };

/// left UNION [ALL] right; MINUS is read as EXCEPT. A chain leans to the left, INTERSECT binds tighter.
struct SetOperation {
  SetOperator op;
  bool all = false;
  QueryPtr left;
  QueryPtr right;
  friend bool operator==(const SetOperation&, const SetOperation&) = default;
};

/// A query in parentheses that has clauses of its own outside of them: (SELECT … LIMIT 1) LIMIT 2.
struct NestedQuery {
  QueryPtr query;
  friend bool operator==(const NestedQuery&, const NestedQuery&) = default;
};

struct CommonTable {
  Identifier name;
  std::vector<Identifier> columns = {};
  QueryPtr query;
  friend bool operator==(const CommonTable&, const CommonTable&) = default;
};

/// A whole query: WITH, body, ORDER BY, OFFSET, LIMIT.
struct Query {
  Position position;
  bool recursive = false;  ///< WITH RECURSIVE
  std::vector<CommonTable> with = {};
  std::variant<Select, Values, ExplicitTable, SetOperation, NestedQuery> body;
  std::vector<OrderItem> order_by = {};
  ExpressionPtr offset = {};
  ExpressionPtr limit = {};  ///< LIMIT n or FETCH FIRST n ROWS ONLY; LIMIT ALL is none

  friend bool operator==(const Query&, const Query&) = default;
};

}  // namespace braid::syntax
