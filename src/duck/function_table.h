#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

/// The type of a Flink SQL expression: a column type, one of Flink's two intervals, the bare NULL, or a keyword
/// argument.
class SqlType {
 public:
  enum class Kind {
    kValue,   ///< data() says which
    kNull,    ///< NULL without a type
    kMonths,  ///< INTERVAL YEAR TO MONTH; in DuckDB a BIGINT of months
    kMillis,  ///< INTERVAL DAY TO SECOND(3); in DuckDB a BIGINT of milliseconds
    kSymbol,  ///< a keyword or type that a call takes, such as the unit of EXTRACT; CallArgument::sql is the keyword
  };

  SqlType(DataType type) : kind_(Kind::kValue), data_(std::move(type)) {}  // NOLINT(google-explicit-constructor)
  static SqlType Null() { return SqlType(Kind::kNull, true); }
  static SqlType Months(bool nullable = true) { return SqlType(Kind::kMonths, nullable); }
  static SqlType Millis(bool nullable = true) { return SqlType(Kind::kMillis, nullable); }
  static SqlType Symbol() { return SqlType(Kind::kSymbol, false); }

  Kind kind() const { return kind_; }
  bool is_value() const { return kind_ == Kind::kValue; }
  bool is_interval() const { return kind_ == Kind::kMonths || kind_ == Kind::kMillis; }
  bool nullable() const { return data_.nullable(); }
  SqlType WithNullability(bool nullable) const;
  /// Of kValue.
  const DataType& data() const { return data_; }
  /// As Flink's TYPEOF prints it: "INT NOT NULL", "INTERVAL MONTH", "NULL".
  std::string ToString() const;
  friend bool operator==(const SqlType&, const SqlType&) = default;

 private:
  SqlType(Kind kind, bool nullable) : kind_(kind), data_(DataType::BigInt().WithNullability(nullable)) {}
  Kind kind_;
  DataType data_;
};

/// An expression: its Flink type and the DuckDB SQL that computes it, a primary expression of exactly the DuckDB type
/// ToDuckType(type) (of BIGINT for intervals). Results of one call are arguments of the next.
struct EmittedCall {
  SqlType type;
  std::string sql;
  /// The value, if the expression is a literal.
  std::optional<Datum> literal = std::nullopt;
  /// The text is JSON that JSON_OBJECT and JSON_ARRAY take in as it is, being the result of one of them.
  bool is_json = false;
};
using CallArgument = EmittedCall;

/// What calls depend on beside their arguments.
struct CallContext {
  /// table.local-time-zone, e.g. "UTC", "Asia/Shanghai".
  std::string zone = "UTC";
};

/// Resolves a call of a Flink scalar function, operator or constructor: checks the arguments, converts them where Flink
/// does so implicitly, derives the result's type with its nullability, and emits the DuckDB SQL.
///
/// `name` in any case. Operators and special forms have these names; `'X` stands for a symbol argument
/// (SqlType::Symbol(), the keyword in capitals in `sql`):
///   + - * / % (two arguments), NEGATE, ||, = <> < <= > >=, IS DISTINCT FROM, IS NOT DISTINCT FROM, AND, OR, NOT, IS
///   [NOT] TRUE | FALSE | UNKNOWN | NULL, [NOT] LIKE and [NOT] SIMILAR TO (two arguments, or three with ESCAPE), [NOT]
///   BETWEEN [SYMMETRIC] (three), [NOT] IN (value, element, …); CASE (condition, result, …, otherwise: NULL if there is
///   no ELSE; a simple CASE compares by "=" first); ARRAY and MAP (elements), ROW (values; fields are EXPR$0, …), ITEM
///   (x[i]), FIELD (row, 'name as written); EXTRACT ('unit, x), FLOOR and CEIL (x[, 'unit]), TIMESTAMPADD ('unit, n,
///   x), TIMESTAMPDIFF ('unit, a, b), MINUS ('unit, a, b) for (a - b) unit, OVERLAPS (four), TRIM
///   ('BOTH|LEADING|TRAILING, what, text), POSITION (what, text), OVERLAY (text, new, from[, length]); JSON_VALUE
///   (json, path, 'RETURNING type's SQL name, 'empty, default, 'error, default) where a behaviour is NULL, ERROR or
///   DEFAULT and a default that is not asked for is NULL; JSON_QUERY (json, path, 'WITHOUT|CONDITIONAL|UNCONDITIONAL,
///   'empty, 'error) with NULL, ERROR, EMPTY ARRAY or EMPTY OBJECT; JSON_EXISTS (json, path[,
///   'TRUE|FALSE|UNKNOWN|ERROR]); IS [NOT] JSON VALUE | OBJECT | ARRAY | SCALAR; JSON_OBJECT ('NULL|ABSENT, key, value,
///   …) and JSON_ARRAY ('NULL|ABSENT, value, …).
/// Functions of the current time are not here: the SQL layer replaces them by literals, so that a statement sees one
/// time.
///
/// Errors: kInvalidArgument naming the function, the arguments' types and what it takes; kNotFound for an unknown name,
/// with the nearest known one as hint; kUnsupported for what Flink has and Braid lacks.
Result<EmittedCall> ResolveCall(std::string_view name, std::vector<CallArgument> arguments, const CallContext& context);

/// CAST and TRY_CAST. A cast that Flink refuses is kInvalidArgument.
Result<EmittedCall> ResolveCast(const CallArgument& value, const DataType& target, bool try_cast,
                                const CallContext& context);

/// Converts a value to the type where Flink does so without being asked: the same family, wider; any NULL. nullopt if
/// it does not.
std::optional<EmittedCall> ImplicitCast(const CallArgument& value, const DataType& target, const CallContext& context);

/// The type that values of these types have in common (CASE, COALESCE, UNION, IN), or nullopt. Nullable if one of them
/// is.
std::optional<SqlType> CommonType(std::span<const SqlType> types);

/// A literal of a type, as DuckDB SQL of DuckDB type ToDuckType(type). Errors: kUnsupported for VARIANT.
Result<std::string> EmitLiteral(const Datum& value, const DataType& type);

/// Whether there is a scalar function of that name, in any case.
bool HasScalarFunction(std::string_view name);
/// Names of all scalar functions, upper case, ascending, without operators and special forms (SHOW FUNCTIONS).
std::vector<std::string> ScalarFunctionNames();

}  // namespace braid
