#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "duck/decimal_arithmetic.h"
#include "duck/function_entry_internal.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

DecimalShape ShapeOf(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kTinyInt: return {3, 0};
    case TypeKind::kSmallInt: return {5, 0};
    case TypeKind::kInt: return {10, 0};
    case TypeKind::kBigInt: return {19, 0};
    default: return {type.precision(), type.scale()};
  }
}

bool IsDecimal(const SqlType& type) {
  return IsKind(type, TypeKind::kDecimal);
}

/// How one arithmetic operator is computed in each family of types.
struct Arithmetic {
  const char* name;
  const char* integer;                                // native function on two integers of one type
  const char* decimal;                                // native function (a, b, precision, scale)
  DecimalShape (*shape)(DecimalShape, DecimalShape);  // of a decimal result
  const char* floating;                               // template
};

constexpr Arithmetic kAdd = {"+", "flink_add", "flink_decimal_add", SumShape, "({0} + {1})"};
constexpr Arithmetic kSubtract = {"-", "flink_subtract", "flink_decimal_add", SumShape, "({0} - {1})"};
constexpr Arithmetic kMultiply = {"*", "flink_multiply", "flink_decimal_multiply", ProductShape, "({0} * {1})"};
constexpr Arithmetic kDivide = {"/", "flink_divide", "flink_decimal_divide", QuotientShape, "({0} / {1})"};
constexpr Arithmetic kRemainder = {"%", "flink_remainder", "flink_decimal_remainder", RemainderShape, nullptr};

/// An exact number as a decimal of DuckDB that holds all its values.
std::string AsDecimal(const CallArgument& value) {
  if (IsDecimal(value.type)) return value.sql;
  return fmt::format("CAST({} AS DECIMAL({}, 0))", value.sql, ShapeOf(value.type.data()).precision);
}

Call DecimalArithmetic(const Arithmetic& op, Arguments& arguments) {
  const DecimalShape a = ShapeOf(arguments[0].type.data());
  const DecimalShape b = ShapeOf(arguments[1].type.data());
  const DecimalShape shape = op.shape(a, b);
  const DataType type = DataType::Decimal(shape.precision, shape.scale);
  const std::string left = AsDecimal(arguments[0]);
  const std::string right = AsDecimal(arguments[1]);
  // DuckDB's own operators are exact and quicker where no digit can be lost.
  const bool sum = op.shape == SumShape;
  const int exact_digits = sum ? std::max(a.precision - a.scale, b.precision - b.scale) + std::max(a.scale, b.scale) + 1
                               : a.precision + b.precision;
  if (op.floating != nullptr && op.shape != QuotientShape && exact_digits <= 38) {
    return EmittedCall{type, fmt::format("CAST({} {} {} AS {})", left, op.name, right, DuckTypeOf(type))};
  }
  const std::string sign = std::string_view(op.name) == "-" ? "-" : "";
  return EmittedCall{type,
                     fmt::format("{}({}, {}{}, {}, {})", op.decimal, left, sign, right, shape.precision, shape.scale)};
}

Call Numbers(const Arithmetic& op, Arguments& arguments, const CallContext& context) {
  if (!IsNumeric(arguments[0].type) || !IsNumeric(arguments[1].type))
    return WrongArguments(op.name, arguments, "numeric, numeric");
  const DataType a = arguments[0].type.data();
  const DataType b = arguments[1].type.data();
  const bool exact =
      (a.is_integer() || a.kind() == TypeKind::kDecimal) && (b.is_integer() || b.kind() == TypeKind::kDecimal);
  if (exact && (a.kind() == TypeKind::kDecimal || b.kind() == TypeKind::kDecimal))
    return DecimalArithmetic(op, arguments);
  if (!exact && op.floating == nullptr) return WrongArguments(op.name, arguments, "exact numeric, exact numeric");
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType(op.name, arguments, context));
  if (exact) return EmittedCall{type, fmt::format("{}({}, {})", op.integer, arguments[0].sql, arguments[1].sql)};
  const bool exact_divisor = b.is_integer() || b.kind() == TypeKind::kDecimal;
  if (op.shape == QuotientShape && exact_divisor) {
    return EmittedCall{type, fmt::format("CAST(flink_divide_exact({}, {}) AS {})", arguments[0].sql, arguments[1].sql,
                                         DuckTypeOf(type.data()))};
  }
  return EmittedCall{type, FillTemplate(op.floating, arguments, context)};
}

/// A date, time or timestamp plus or minus an interval.
Call Shift(const CallArgument& time, const CallArgument& interval, bool minus) {
  if (!time.type.is_value())
    return WrongArguments(minus ? "-" : "+", std::vector{time, interval}, "datetime, interval");
  const DataType& type = time.type.data();
  const std::string amount = minus ? "(-" + interval.sql + ")" : interval.sql;
  const bool months = interval.type.kind() == SqlType::Kind::kMonths;
  switch (type.kind()) {
    case TypeKind::kDate:
      if (months) return EmittedCall{type, fmt::format("flink_add_months({}, {})", time.sql, amount)};
      return EmittedCall{type, fmt::format("({} + CAST({} // 86400000 AS INTEGER))", time.sql, amount)};
    case TypeKind::kTime:
      if (months) break;
      return EmittedCall{type, fmt::format("flink_add_millis({}, {})", time.sql, amount)};
    case TypeKind::kTimestamp: {
      const std::string function = months ? "flink_add_months" : "flink_add_millis";
      if (type.precision() <= 6) {
        const std::string sum = fmt::format("{}({}, {})", function, time.sql, amount);
        if (months || type.precision() >= 3) return EmittedCall{type, sum};
        return EmittedCall{type, fmt::format("flink_cut_timestamp({}, {})", sum, type.precision())};
      }
      // Shift in microseconds and put the nanoseconds of the microsecond back.
      return EmittedCall{type, fmt::format("make_timestamp_ns(epoch_us({0}(CAST({1} AS TIMESTAMP), {2})) * 1000 + "
                                           "((epoch_ns({1}) % 1000) + 1000) % 1000)",
                                           function, time.sql, amount)};
    }
    case TypeKind::kTimestampLtz:
      return EmittedCall{type, fmt::format("CAST({}(CAST({} AS TIMESTAMP), {}) AS TIMESTAMPTZ)",
                                           months ? "flink_add_months" : "flink_add_millis", time.sql, amount)};
    default: break;
  }
  return WrongArguments(minus ? "-" : "+", std::vector{time, interval}, "datetime, interval");
}

Call Sum(const Arithmetic& op, Arguments& arguments, const CallContext& context) {
  const SqlType& a = arguments[0].type;
  const SqlType& b = arguments[1].type;
  const bool minus = std::string_view(op.name) == "-";
  if (a.is_interval() && a.kind() == b.kind())
    return EmittedCall{a, fmt::format("({} {} {})", arguments[0].sql, op.name, arguments[1].sql)};
  if (b.is_interval() && a.is_value()) return Shift(arguments[0], arguments[1], minus);
  if (a.is_interval() && b.is_value() && !minus) return Shift(arguments[1], arguments[0], false);
  return Numbers(op, arguments, context);
}

Call Add(Arguments& arguments, const CallContext& context) {
  return Sum(kAdd, arguments, context);
}
Call Subtract(Arguments& arguments, const CallContext& context) {
  return Sum(kSubtract, arguments, context);
}
Call Multiply(Arguments& arguments, const CallContext& context) {
  for (const std::size_t interval : {0U, 1U}) {
    const CallArgument& factor = arguments[1 - interval];
    if (arguments[interval].type.is_interval() && IsNumeric(factor.type)) {
      return EmittedCall{arguments[interval].type,
                         fmt::format("CAST({} * {} AS BIGINT)", arguments[interval].sql, factor.sql)};
    }
  }
  return Numbers(kMultiply, arguments, context);
}
Call Divide(Arguments& arguments, const CallContext& context) {
  return Numbers(kDivide, arguments, context);
}
Call Remainder(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(EmittedCall call, Numbers(kRemainder, arguments, context));
  // MOD of integers has the type of its divisor.
  if (call.type.data().is_integer() && IsKind(arguments[1].type, call.type.data().kind())) return call;
  return call;
}

Call Negate(Arguments& arguments, const CallContext& /*context*/) {
  const CallArgument& value = arguments[0];
  if (value.type.is_interval()) return EmittedCall{value.type, fmt::format("(-{})", value.sql)};
  if (!IsNumeric(value.type)) return WrongArguments("-", arguments, "numeric");
  if (value.type.data().is_integer()) return EmittedCall{value.type, fmt::format("flink_negate({})", value.sql)};
  return EmittedCall{value.type, fmt::format("(-{})", value.sql)};
}

Call Concat(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& a = arguments[0].type.data();
  const DataType& b = arguments[1].type.data();
  if (a.is_text() != b.is_text()) return WrongArguments("||", arguments, "text, text");
  const std::int64_t length = std::min<std::int64_t>(std::int64_t{a.length()} + b.length(), DataType::kMaxLength);
  const auto sum = static_cast<std::int32_t>(length);
  DataType type = a.is_text() ? DataType::VarChar(sum) : DataType::VarBinary(sum);
  if (a.kind() == TypeKind::kChar && b.kind() == TypeKind::kChar) type = DataType::Char(sum);
  if (a.kind() == TypeKind::kBinary && b.kind() == TypeKind::kBinary) type = DataType::Binary(sum);
  return EmittedCall{type, fmt::format("({} || {})", arguments[0].sql, arguments[1].sql)};
}

constexpr FunctionEntry kEntries[] = {
    {"+", "any any", {}, Nulls::kFromArguments, {}, Add},
    {"-", "any any", {}, Nulls::kFromArguments, {}, Subtract},
    {"*", "any any", {}, Nulls::kFromArguments, {}, Multiply},
    {"/", "any any", {}, Nulls::kFromArguments, {}, Divide},
    {"%", "exact exact", {}, Nulls::kFromArguments, {}, Remainder},
    {"NEGATE", "any", {}, Nulls::kFromArguments, {}, Negate},
    {"||", "textbytes textbytes", {}, Nulls::kFromArguments, {}, Concat},
};

}  // namespace

std::span<const FunctionEntry> ArithmeticEntries() {
  return kEntries;
}

}  // namespace braid
