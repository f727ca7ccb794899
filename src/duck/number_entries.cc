#include <string>

#include <fmt/format.h>

#include "duck/decimal_arithmetic.h"
#include "duck/function_entry_internal.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

bool IsDecimal(const SqlType& type) {
  return IsKind(type, TypeKind::kDecimal);
}

/// FLOOR and CEIL of a number keep its type, decimals lose their fraction digits.
template <bool Up>
Call FloorNumber(Arguments& arguments, const CallContext& /*context*/) {
  const CallArgument& value = arguments[0];
  const DataType& type = value.type.data();
  if (type.is_integer()) return EmittedCall{type, value.sql};
  if (IsDecimal(value.type)) {
    const DataType whole = DataType::Decimal(type.precision(), 0);
    return EmittedCall{whole,
                       fmt::format("flink_decimal_{}({}, {}, 0)", Up ? "ceil" : "floor", value.sql, type.precision())};
  }
  return EmittedCall{type, fmt::format("CAST(flink_{}(CAST({} AS DOUBLE)) AS {})", Up ? "ceil" : "floor", value.sql,
                                       DuckTypeOf(type))};
}

template <bool Cut>
Call Round(Arguments& arguments, const CallContext& /*context*/) {
  const CallArgument& value = arguments[0];
  const DataType& type = value.type.data();
  const std::string digits = arguments.size() > 1 ? arguments[1].sql : "0";
  if (!IsDecimal(value.type)) {
    return EmittedCall{type, fmt::format("flink_{}({}, {})", Cut ? "truncate" : "round", value.sql, digits)};
  }
  // Only a literal number of digits changes the type; else the value is rounded within its own.
  DecimalShape shape{type.precision(), type.scale()};
  const bool known = arguments.size() == 1 || (arguments[1].literal && !arguments[1].literal->is_null());
  if (known) shape = RoundedShape(shape, arguments.size() == 1 ? 0 : static_cast<int>(arguments[1].literal->as_int()));
  return EmittedCall{DataType::Decimal(shape.precision, shape.scale),
                     fmt::format("flink_decimal_{}({}, {}, {}, {})", Cut ? "truncate" : "round", value.sql, digits,
                                 shape.precision, shape.scale)};
}

Call Abs(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& type = arguments[0].type.data();
  return EmittedCall{type, fmt::format("{}({})", type.is_integer() ? "flink_abs" : "abs", arguments[0].sql)};
}

Call Sign(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& type = arguments[0].type.data();
  const bool floating = type.kind() == TypeKind::kFloat || type.kind() == TypeKind::kDouble;
  const std::string sign = floating ? fmt::format("flink_sign(CAST({} AS DOUBLE))", arguments[0].sql)
                                    : fmt::format("sign({})", arguments[0].sql);
  return EmittedCall{type, fmt::format("CAST({} AS {})", sign, DuckTypeOf(type))};
}

/// A seed makes Flink repeat one sequence in every parallel instance, which DuckDB's threads do not.
Call SeededRandom(Arguments& /*arguments*/, const CallContext& /*context*/) {
  return Error(ErrorCode::kUnsupported, "random numbers with a seed are not supported").Hint("leave the seed out");
}

constexpr FunctionEntry kEntries[] = {
    {"ABS", "numeric", {}, Nulls::kFromArguments, {}, Abs},
    {"SIGN", "numeric", {}, Nulls::kFromArguments, {}, Sign},
    {"CEIL", "numeric", {}, Nulls::kFromArguments, {}, FloorNumber<true>},
    {"CEILING", "numeric", {}, Nulls::kFromArguments, {}, FloorNumber<true>},
    {"FLOOR", "numeric", {}, Nulls::kFromArguments, {}, FloorNumber<false>},
    {"ROUND", "numeric int?", {}, Nulls::kFromArguments, {}, Round<false>},
    {"TRUNCATE", "numeric int?", {}, Nulls::kFromArguments, {}, Round<true>},
    {"POWER", "double double", "DOUBLE", Nulls::kFromArguments, "flink_power({0}, {1})"},
    {"SQRT", "double", "DOUBLE", Nulls::kFromArguments, "flink_sqrt({0})"},
    {"EXP", "double", "DOUBLE", Nulls::kFromArguments, "flink_exp({0})"},
    {"LN", "double", "DOUBLE", Nulls::kFromArguments, "flink_ln({0})"},
    {"LOG", "double", "DOUBLE", Nulls::kFromArguments, "flink_ln({0})"},
    {"LOG", "double double", "DOUBLE", Nulls::kFromArguments, "flink_log({0}, {1})"},
    {"LOG10", "double", "DOUBLE", Nulls::kFromArguments, "flink_log10({0})"},
    {"LOG2", "double", "DOUBLE", Nulls::kFromArguments, "flink_log2({0})"},
    {"SIN", "double", "DOUBLE", Nulls::kFromArguments, "flink_sin({0})"},
    {"COS", "double", "DOUBLE", Nulls::kFromArguments, "flink_cos({0})"},
    {"TAN", "double", "DOUBLE", Nulls::kFromArguments, "flink_tan({0})"},
    {"COT", "double", "DOUBLE", Nulls::kFromArguments, "flink_cot({0})"},
    {"ASIN", "double", "DOUBLE", Nulls::kFromArguments, "flink_asin({0})"},
    {"ACOS", "double", "DOUBLE", Nulls::kFromArguments, "flink_acos({0})"},
    {"ATAN", "double", "DOUBLE", Nulls::kFromArguments, "flink_atan({0})"},
    {"ATAN2", "double double", "DOUBLE", Nulls::kFromArguments, "atan2({0}, {1})"},
    {"SINH", "double", "DOUBLE", Nulls::kFromArguments, "flink_sinh({0})"},
    {"COSH", "double", "DOUBLE", Nulls::kFromArguments, "flink_cosh({0})"},
    {"TANH", "double", "DOUBLE", Nulls::kFromArguments, "flink_tanh({0})"},
    {"DEGREES", "double", "DOUBLE", Nulls::kFromArguments, "flink_degrees({0})"},
    {"RADIANS", "double", "DOUBLE", Nulls::kFromArguments, "flink_radians({0})"},
    {"PI", "", "DOUBLE", Nulls::kNever, "pi()"},
    {"E", "", "DOUBLE", Nulls::kNever, "CAST(2.718281828459045 AS DOUBLE)"},
    {"RAND", "", "DOUBLE", Nulls::kNever, "random()"},
    {"RAND", "int", {}, Nulls::kNever, {}, SeededRandom},
    {"RAND_INTEGER", "int int", {}, Nulls::kNever, {}, SeededRandom},
    {"RAND_INTEGER", "int", "INT", Nulls::kFromArguments, "CAST(floor(random() * {0}) AS INTEGER)"},
    {"MOD",
     "exact exact",
     {},
     Nulls::kFromArguments,
     {},
     [](Arguments& arguments, const CallContext& context) -> Call { return ResolveCall("%", arguments, context); }},
    {"BIN", "bigint", "STRING", Nulls::kFromArguments, "flink_bin({0})"},
    {"HEX", "bigint", "STRING", Nulls::kFromArguments, "flink_hex({0})"},
    {"HEX", "textbytes", "STRING", Nulls::kFromArguments, "flink_hex({0})"},
    {"UNHEX", "text", "BYTES", Nulls::kAlways, "flink_unhex({0})"},
    {"UUID", "", "CHAR(36)", Nulls::kNever, "CAST(uuid() AS VARCHAR)"},
};

}  // namespace

std::span<const FunctionEntry> NumberEntries() {
  return kEntries;
}

}  // namespace braid
