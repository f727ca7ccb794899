#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/batch.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

class Predicate;
using PredicatePtr = std::shared_ptr<const Predicate>;

/// Bounds of one column over some rows; any part may be unknown.
struct ColumnBounds {
  Datum min;  ///< NULL: unknown, or every row is NULL
  Datum max;
  std::optional<std::int64_t> null_count;
};

/// A condition on columns, for planning and reading. Immutable; any thread.
///
/// A comparison with NULL is neither true nor false, and a row passes only if the whole is true (SQL's three values; spec
/// data.md §10 and the golden case `filters` settle NaN and signed zeros).
class Predicate {
 public:
  enum class Op : std::uint8_t {
    kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual,
    kIsNull, kIsNotNull, kIn, kNotIn, kBetween, kNotBetween,
    kStartsWith, kEndsWith, kContains, kLike, kNotLike,
    kAnd, kOr, kTrue, kFalse,
  };

  /// A test of one column, by name, of the given type; literals fit the type. LIKE's pattern may hold '%' for any text, '_'
  /// for one character and '\\' before either or itself.
  static PredicatePtr Leaf(Op op, std::string column, DataType type, std::vector<Datum> literals = {});
  static PredicatePtr And(std::vector<PredicatePtr> children);
  static PredicatePtr Or(std::vector<PredicatePtr> children);
  static PredicatePtr Constant(bool value);

  Op op() const { return op_; }
  const std::string& column() const { return column_; }
  const DataType& type() const { return *type_; }
  const std::vector<Datum>& literals() const { return literals_; }
  const std::vector<PredicatePtr>& children() const { return children_; }

  /// Whether the row of these values passes; `fields` names the values.
  bool Test(std::span<const DataField> fields, std::span<const Datum> row) const;
  /// Positions of the rows that pass, ascending. Columns are found by name. Errors: kInvalidArgument if one is missing.
  Result<std::vector<std::int32_t>> Select(const Batch& batch) const;
  /// Whether some row within these bounds may pass: false only if none can. `bounds` goes with `fields`; a column that is
  /// not among the fields is unknown. Tests as Java does (spec data.md §12.7).
  bool MayMatch(std::span<const DataField> fields, std::span<const ColumnBounds> bounds, std::int64_t row_count) const;

  /// Names of the columns that it reads, each once.
  std::vector<std::string> Columns() const;
  /// The strongest condition that follows from this one and reads only the given columns; nullptr if none does.
  static PredicatePtr Project(const PredicatePtr& predicate, std::span<const std::string> columns);

  std::string ToString() const;

  Predicate(Op op, std::string column, std::optional<DataType> type, std::vector<Datum> literals,
            std::vector<PredicatePtr> children);  // use the functions above

 private:
  Op op_;
  std::string column_;
  std::optional<DataType> type_;
  std::vector<Datum> literals_;
  std::vector<PredicatePtr> children_;
};

/// Parses the filters of `braid read` ("k > 3 AND (s LIKE 'a%' OR s IS NULL)"): = <> != < <= > >=, [NOT] IN, [NOT]
/// BETWEEN, [NOT] LIKE, IS [NOT] NULL, AND, OR, NOT, parentheses; text, dates and times in single quotes, names bare or in
/// back quotes. Errors: kInvalidArgument with the position; an unknown column names the nearest.
Result<PredicatePtr> ParseFilter(std::string_view text, std::span<const DataField> fields);

}  // namespace braid
