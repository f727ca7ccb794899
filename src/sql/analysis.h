#pragma once

// What the analysers of this folder share.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/operator.h"
#include "sql/query.h"
#include "syntax/source.h"

namespace braid {

/// A column that expressions can name.
struct ScopeColumn {
  std::string name;
  ColumnId id;
  SqlType type = SqlType::Null();
  /// Position in Scope::relations; nullopt: the common column of USING.
  std::optional<std::size_t> relation;
  /// A common column of USING stands for it: only a qualified name finds it, and `*` leaves it out.
  bool merged = false;
  /// Visible, but not constant within a group.
  bool ungrouped = false;
};

struct ScopeRelation {
  /// The names that a qualifier may have, the last part first: `t`, `db`, `catalog`; an alias alone.
  std::vector<std::string> path;
};

/// The names that an expression sees.
struct Scope {
  std::vector<ScopeRelation> relations;
  std::vector<ScopeColumn> columns;
  const Scope* outer = nullptr;  ///< of the query around; outlives this
};

/// A common table that FROM sees.
struct CommonTableScope {
  const syntax::CommonTable* table = nullptr;
  const CommonTableScope* before = nullptr;  ///< tables defined before it
  const Scope* outer = nullptr;              ///< of the query around the one that defines it
};

/// What a query sees of the queries around it.
struct Surroundings {
  const Scope* outer = nullptr;
  const CommonTableScope* common_tables = nullptr;
};

/// State of one analysis: fresh column numbers, errors with carets.
class Analysis {
 public:
  Analysis(std::string_view text, const NameResolver& names)
      : text_(text), names_(names), calls_{.zone = names.time_zone()} {}

  ColumnId NextColumn() { return *next_column_ = next_column_->next(); }
  const NameResolver& names() const { return names_; }
  const CallContext& calls() const { return calls_; }

  Error ErrorAt(syntax::Position position, std::string_view message,
                ErrorCode code = ErrorCode::kInvalidArgument) const;
  /// The error, showing the place, unless it does so already.
  Error Place(syntax::Position position, const Error& error) const;

  /// SELECT lists may hold a NULL without a type: the query's user gives it one.
  void AllowUntypedNulls() { allows_untyped_nulls_ = true; }
  bool allows_untyped_nulls() const { return allows_untyped_nulls_; }

  /// For a view's query: its text is not at hand, so errors show no place.
  Result<Analysis> ForView() const;

 private:
  std::optional<std::string_view> text_;  // borrowed from the caller of AnalyzeQuery
  const NameResolver& names_;
  CallContext calls_;
  int view_depth_ = 0;
  bool allows_untyped_nulls_ = false;
  std::shared_ptr<ColumnId> next_column_ = std::make_shared<ColumnId>(-1);
};

/// A reference to a column.
Scalar ColumnScalar(const OutputColumn& column);
Scalar ColumnScalar(ColumnId id, const SqlType& type);
CallArgument ToArgument(const Scalar& value);
/// A keyword argument of ResolveCall.
Scalar SymbolScalar(std::string keyword);
/// The scalar of an emitted call whose arguments were these.
Scalar ToScalar(EmittedCall call, std::span<const Scalar> arguments);
/// ResolveCall over scalars.
Result<Scalar> Call(const Analysis& analysis, std::string_view name, std::vector<Scalar> arguments);
/// A literal. The type is made NOT NULL unless the value is NULL.
Result<Scalar> LiteralScalar(const Datum& value, const DataType& type);
Scalar NullScalar();
/// Implicit conversion, or nullopt.
std::optional<Scalar> ConvertTo(const Analysis& analysis, const Scalar& value, const SqlType& type);
/// The columns that either reads.
std::vector<ColumnId> UnionColumns(std::span<const Scalar> values);

/// Makes a node.
template <typename Node>
OperatorPtr MakeOperator(std::vector<OutputColumn> columns, Node node) {
  return std::make_shared<const Operator>(Operator{.columns = std::move(columns), .node = std::move(node)});
}
/// A node that yields what its input does.
template <typename Node>
OperatorPtr MakePassing(Node node) {
  std::vector<OutputColumn> columns = node.input->columns;
  return MakeOperator(std::move(columns), std::move(node));
}

/// A type for humans, as Flink's errors have it: "INT NOT NULL" without NOT NULL.
std::string Describe(const SqlType& type);

}  // namespace braid
