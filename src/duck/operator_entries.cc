#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/decimal_arithmetic.h"
#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

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

// ---- Comparisons ----

bool IsFloating(const SqlType& type) {
  return IsKind(type, TypeKind::kFloat) || IsKind(type, TypeKind::kDouble);
}

/// Casts text beside another type to that type, and numbers to their common one where DuckDB would choose otherwise.
Status AlignForComparison(std::string_view op, CallArgument& a, CallArgument& b, const CallContext& context) {
  if (a.type.kind() == SqlType::Kind::kNull || b.type.kind() == SqlType::Kind::kNull) {
    CallArgument& null = a.type.kind() == SqlType::Kind::kNull ? a : b;
    const CallArgument& other = a.type.kind() == SqlType::Kind::kNull ? b : a;
    if (other.type.is_value()) {
      BRAID_TRY_ASSIGN(null, CastArgument(null, other.type.data(), context));
    } else {
      null.sql = "CAST(NULL AS BIGINT)";
    }
    return Ok();
  }
  if (a.type.is_interval() && a.type.kind() == b.type.kind()) return Ok();
  if (!a.type.is_value() || !b.type.is_value()) return WrongArguments(op, std::vector{a, b}, "two values of one kind");
  if (IsText(a.type) != IsText(b.type)) {
    CallArgument& text = IsText(a.type) ? a : b;
    const DataType other = (IsText(a.type) ? b : a).type.data();
    if (other.is_nested() || other.is_bytes() || (other.is_numeric() && (op == "=" || op == "<>"))) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("{} and {} cannot be compared by {}", a.type.ToString(), b.type.ToString(), op))
          .Hint("cast one of them");
    }
    BRAID_TRY_ASSIGN(text, CastArgument(text, other.is_timestamp() ? other : other.Nullable(), context));
    return Ok();
  }
  const SqlType types[] = {a.type, b.type};
  const std::optional<SqlType> common = CommonType(types);
  if (!common) return WrongArguments(op, std::vector{a, b}, "two values of one kind");
  if (IsText(a.type) || a.type.data().is_bytes()) return Ok();  // compared by their bytes, whatever their lengths
  for (CallArgument* value : {&a, &b}) {
    BRAID_TRY_ASSIGN(*value, CastArgument(*value, common->data(), context));
  }
  return Ok();
}

bool MayBeNan(const CallArgument& value) {
  return IsFloating(value.type) && !value.literal;
}

/// NaN equals itself but is neither less nor greater than anything, while DuckDB puts it above all numbers.
std::string CompareSql(std::string_view op, const CallArgument& a, const CallArgument& b) {
  const std::string sql = fmt::format("{} {} {}", a.sql, op, b.sql);
  const bool upward = op == ">" || op == ">=";
  const bool downward = op == "<" || op == "<=";
  std::string guard;
  if (upward && MayBeNan(a)) guard = fmt::format(" AND NOT isnan({})", a.sql);
  if (downward && MayBeNan(b)) guard = fmt::format(" AND NOT isnan({})", b.sql);
  return fmt::format("({}{})", sql, guard);
}

Call CompareRows(std::string_view op, const CallArgument& a, const CallArgument& b, const CallContext& context) {
  if (op != "=" && op != "<>") return WrongArguments(op, std::vector{a, b}, "two values of one atomic type");
  std::string sql;
  bool nullable = AnyNullable(std::vector{a, b});
  for (std::size_t i = 0; i < a.type.data().fields().size(); ++i) {
    const auto field = [i](const CallArgument& row) {
      const DataField& declared = row.type.data().fields()[i];
      return CallArgument{declared.type, fmt::format("struct_extract({}, {})", row.sql, QuoteDuckText(declared.name))};
    };
    BRAID_TRY_ASSIGN(const EmittedCall equal, Compare("=", field(a), field(b), context));
    sql += (i > 0 ? " AND " : "") + equal.sql;
    nullable = nullable || equal.type.nullable();
  }
  return EmittedCall{DataType::Boolean().WithNullability(nullable),
                     fmt::format("({}({}))", op == "=" ? "" : "NOT ", sql)};
}

template <const char* const& Op>
Call CompareTwo(Arguments& arguments, const CallContext& context) {
  return Compare(Op, arguments[0], arguments[1], context);
}

constexpr const char* kEqual = "=";
constexpr const char* kNotEqual = "<>";
constexpr const char* kLess = "<";
constexpr const char* kLessOrEqual = "<=";
constexpr const char* kGreater = ">";
constexpr const char* kGreaterOrEqual = ">=";

template <bool Not>
Call IsDistinct(Arguments& arguments, const CallContext& context) {
  BRAID_TRY(AlignForComparison("IS DISTINCT FROM", arguments[0], arguments[1], context));
  return EmittedCall{DataType::Boolean(),
                     fmt::format("({} IS {}DISTINCT FROM {})", arguments[0].sql, Not ? "NOT " : "", arguments[1].sql)};
}

template <bool Symmetric, bool Not>
Call Between(Arguments& arguments, const CallContext& context) {
  const auto within = [&](const CallArgument& low, const CallArgument& high) -> Call {
    BRAID_TRY_ASSIGN(const EmittedCall above, Compare(">=", arguments[0], low, context));
    BRAID_TRY_ASSIGN(const EmittedCall below, Compare("<=", arguments[0], high, context));
    return EmittedCall{DataType::Boolean(), fmt::format("({} AND {})", above.sql, below.sql)};
  };
  BRAID_TRY_ASSIGN(EmittedCall call, within(arguments[1], arguments[2]));
  if (Symmetric) {
    BRAID_TRY_ASSIGN(const EmittedCall other, within(arguments[2], arguments[1]));
    call.sql = fmt::format("({} OR {})", call.sql, other.sql);
  }
  if (Not) call.sql = fmt::format("(NOT {})", call.sql);
  return call;
}

template <bool Not>
Call In(Arguments& arguments, const CallContext& context) {
  std::string list;
  const SqlType type = arguments[0].type;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    CallArgument value = arguments[0];
    CallArgument element = arguments[i];
    BRAID_TRY(AlignForComparison("IN", value, element, context));
    if (value.sql != arguments[0].sql) {
      // An element makes the value's type wider: compare one by one.
      list.clear();
      break;
    }
    list += (i > 1 ? ", " : "") + element.sql;
  }
  if (!list.empty())
    return EmittedCall{DataType::Boolean(), fmt::format("({} {}IN ({}))", arguments[0].sql, Not ? "NOT " : "", list)};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    CallArgument value = arguments[0];
    CallArgument element = arguments[i];
    BRAID_TRY(AlignForComparison("IN", value, element, context));
    list += (i > 1 ? " OR " : "") + CompareSql("=", value, element);
  }
  return EmittedCall{DataType::Boolean(), fmt::format("({}({}))", Not ? "NOT " : "", list)};
}

/// LIKE with ESCAPE: Flink refuses an escape before anything but a wildcard or itself.
template <bool Not>
Call Like(Arguments& arguments, const CallContext& /*context*/) {
  const std::string_view negation = Not ? "NOT " : "";
  if (arguments.size() == 2)
    return EmittedCall{DataType::Boolean(),
                       fmt::format("({} {}LIKE {})", arguments[0].sql, negation, arguments[1].sql)};
  if (arguments[1].literal && arguments[2].literal && !arguments[1].literal->is_null() &&
      !arguments[2].literal->is_null()) {
    const std::string& pattern = arguments[1].literal->as_string();
    const std::string& escape = arguments[2].literal->as_string();
    if (escape.size() != 1)
      return Error(ErrorCode::kInvalidArgument, fmt::format("ESCAPE takes one character, not '{}'", escape));
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != escape[0]) continue;
      const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
      if (next != '%' && next != '_' && next != escape[0]) {
        return Error(
            ErrorCode::kInvalidArgument,
            fmt::format("in the pattern '{}' the escape at position {} stands before no wildcard", pattern, i + 1));
      }
      ++i;
    }
  }
  return EmittedCall{DataType::Boolean(), fmt::format("({} {}LIKE {} ESCAPE {})", arguments[0].sql, negation,
                                                      arguments[1].sql, arguments[2].sql)};
}

/// The ends of a period given by two times or by a time and an interval.
Call PeriodEnd(const CallArgument& start, const CallArgument& end, const CallContext& context) {
  if (!end.type.is_interval()) return EmittedCall{end.type, end.sql};
  Arguments sum = {start, end};
  return Add(sum, context);
}

/// Periods that share a point; the ends of one may be in either order.
Call Overlaps(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const EmittedCall a_end, PeriodEnd(arguments[0], arguments[1], context));
  BRAID_TRY_ASSIGN(const EmittedCall b_end, PeriodEnd(arguments[2], arguments[3], context));
  return EmittedCall{DataType::Boolean(),
                     fmt::format("(greatest({0}, {1}) >= least({2}, {3}) AND greatest({2}, {3}) >= least({0}, {1}))",
                                 arguments[0].sql, a_end.sql, arguments[2].sql, b_end.sql)};
}

// ---- Conditions ----

/// Whether computing the SQL may fail for some rows.
bool MayFail(std::string_view sql) {
  constexpr std::array<std::string_view, 7> kFailing = {
      "flink_divide", "flink_remainder", "flink_decimal_divide", "flink_decimal_remainder",
      "flink_cast_",  "flink_json_fail", "flink_fail_text"};
  return std::any_of(kFailing.begin(), kFailing.end(),
                     [sql](std::string_view name) { return sql.find(name) != std::string_view::npos; });
}

/// AND and OR. DuckDB computes both sides for every row, Flink the right one only where the left does not decide; that
/// matters where the right one may fail, as in `b <> 0 AND a / b > 1`.
template <bool And>
Call Logical(Arguments& arguments, const CallContext& /*context*/) {
  std::string sql = arguments[0].sql;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string both = fmt::format("({} {} {})", sql, And ? "AND" : "OR", arguments[i].sql);
    sql = MayFail(arguments[i].sql)
              ? fmt::format("(CASE WHEN {0} IS {1} THEN {1} ELSE {2} END)", sql, And ? "false" : "true", both)
              : both;
  }
  return EmittedCall{DataType::Boolean(), sql};
}

/// CASE (condition, result, …, otherwise).
Call Case(Arguments& arguments, const CallContext& context) {
  if (arguments.size() < 3 || arguments.size() % 2 == 0)
    return WrongArguments("CASE", arguments, "condition, result, …, otherwise");
  Arguments results;
  for (std::size_t i = 1; i < arguments.size(); i += 2) results.push_back(arguments[i]);
  results.push_back(arguments.back());
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("CASE", results, context));
  std::string sql = "CASE";
  for (std::size_t i = 0; i + 1 < results.size(); ++i) {
    const CallArgument& condition = arguments[2 * i];
    const bool null = condition.type.kind() == SqlType::Kind::kNull;
    if (!null && !IsKind(condition.type, TypeKind::kBoolean))
      return WrongArguments("WHEN", std::span(&condition, 1), "boolean");
    sql += fmt::format(" WHEN {} THEN {}", null ? "false" : condition.sql, results[i].sql);
  }
  return EmittedCall{type, fmt::format("({} ELSE {} END)", sql, results.back().sql)};
}

Call Coalesce(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("COALESCE", arguments, context));
  const bool nullable =
      std::all_of(arguments.begin(), arguments.end(), [](const CallArgument& value) { return value.type.nullable(); });
  // Casts above keep what each argument may be.
  return EmittedCall{type.WithNullability(nullable),
                     fmt::format("coalesce({})", FillTemplate("{*}", arguments, context))};
}

Call IfNull(Arguments& arguments, const CallContext& context) {
  const bool nullable = arguments[0].type.nullable() && arguments[1].type.nullable();
  if (!arguments[0].type.nullable()) return EmittedCall{arguments[0].type, arguments[0].sql, arguments[0].literal};
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("IFNULL", arguments, context));
  return EmittedCall{type.WithNullability(nullable),
                     fmt::format("coalesce({}, {})", arguments[0].sql, arguments[1].sql)};
}

Call If(Arguments& arguments, const CallContext& context) {
  Arguments results = {arguments[1], arguments[2]};
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("IF", results, context));
  return EmittedCall{
      type.WithNullability(AnyNullable(arguments)),
      fmt::format("(CASE WHEN {} THEN {} ELSE {} END)", arguments[0].sql, results[0].sql, results[1].sql)};
}

Call NullIf(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const EmittedCall equal, Compare("=", arguments[0], arguments[1], context));
  return EmittedCall{arguments[0].type,
                     fmt::format("(CASE WHEN {} THEN NULL ELSE {} END)", equal.sql, arguments[0].sql)};
}

template <bool Greatest>
Call Extreme(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType(Greatest ? "GREATEST" : "LEAST", arguments, context));
  std::string sql = fmt::format("{}({})", Greatest ? "greatest" : "least", FillTemplate("{*}", arguments, context));
  std::string nulls;
  for (const CallArgument& value : arguments) {
    if (value.type.nullable()) nulls += fmt::format("{}{} IS NULL", nulls.empty() ? "" : " OR ", value.sql);
  }
  if (!nulls.empty()) sql = fmt::format("(CASE WHEN {} THEN NULL ELSE {} END)", nulls, sql);
  return EmittedCall{type, std::move(sql)};
}

Call TypeOf(Arguments& arguments, const CallContext& /*context*/) {
  std::string text = arguments[0].type.ToString();
  return EmittedCall{DataType::String(), QuoteDuckText(text)};
}

Call Row(Arguments& arguments, const CallContext& /*context*/) {
  std::vector<DataField> fields;
  std::string sql;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].type.is_value()) return WrongArguments("ROW", arguments, "values");
    const std::string name = "EXPR$" + std::to_string(i);
    fields.push_back(
        DataField{FieldId(static_cast<std::int32_t>(i)), name, arguments[i].type.data(), std::nullopt, std::nullopt});
    sql += fmt::format("{}{} := {}", i > 0 ? ", " : "", QuoteDuckIdentifier(name), arguments[i].sql);
  }
  return EmittedCall{DataType::Row(std::move(fields)), fmt::format("struct_pack({})", sql)};
}

Call Field(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& row = arguments[0].type.data();
  const auto found = FindField(row.fields(), arguments[1].sql);
  if (!found) {
    std::vector<std::string> names;
    for (const DataField& field : row.fields()) names.push_back(field.name);
    Error error(ErrorCode::kInvalidArgument, fmt::format("{} has no field {}", row.ToString(), arguments[1].sql));
    if (const auto nearest = NearestName(arguments[1].sql, names))
      return std::move(error).Hint(fmt::format("did you mean {}?", *nearest));
    return error;
  }
  const DataField& field = row.fields()[*found];
  return EmittedCall{field.type.WithNullability(row.nullable() || field.type.nullable()),
                     fmt::format("struct_extract({}, {})", arguments[0].sql, QuoteDuckText(field.name))};
}

constexpr FunctionEntry kOperators[] = {
    {"+", "any any", {}, Nulls::kFromArguments, {}, Add},
    {"-", "any any", {}, Nulls::kFromArguments, {}, Subtract},
    {"*", "any any", {}, Nulls::kFromArguments, {}, Multiply},
    {"/", "any any", {}, Nulls::kFromArguments, {}, Divide},
    {"%", "exact exact", {}, Nulls::kFromArguments, {}, Remainder},
    {"NEGATE", "any", {}, Nulls::kFromArguments, {}, Negate},
    {"||", "textbytes textbytes", {}, Nulls::kFromArguments, {}, Concat},
    {"=", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kEqual>},
    {"<>", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kNotEqual>},
    {"<", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kLess>},
    {"<=", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kLessOrEqual>},
    {">", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kGreater>},
    {">=", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kGreaterOrEqual>},
    {"IS DISTINCT FROM", "~any ~any", {}, Nulls::kNever, {}, IsDistinct<false>},
    {"IS NOT DISTINCT FROM", "~any ~any", {}, Nulls::kNever, {}, IsDistinct<true>},
    {"AND", "bool bool*", {}, Nulls::kFromArguments, {}, Logical<true>},
    {"OR", "bool bool*", {}, Nulls::kFromArguments, {}, Logical<false>},
    {"NOT", "bool", "BOOLEAN", Nulls::kFromArguments, "(NOT {0})"},
    {"IS TRUE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS TRUE)"},
    {"IS NOT TRUE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NOT TRUE)"},
    {"IS FALSE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS FALSE)"},
    {"IS NOT FALSE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NOT FALSE)"},
    {"IS UNKNOWN", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NULL)"},
    {"IS NOT UNKNOWN", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NOT NULL)"},
    {"IS NULL", "~any", "BOOLEAN", Nulls::kNever, "({0} IS NULL)"},
    {"IS NOT NULL", "~any", "BOOLEAN", Nulls::kNever, "({0} IS NOT NULL)"},
    {"LIKE", "text text text?", {}, Nulls::kFromArguments, {}, Like<false>},
    {"NOT LIKE", "text text text?", {}, Nulls::kFromArguments, {}, Like<true>},
    {"SIMILAR TO", "text text", "BOOLEAN", Nulls::kFromArguments, "flink_similar({0}, {1}, '')"},
    {"SIMILAR TO", "text text text", "BOOLEAN", Nulls::kFromArguments, "flink_similar({0}, {1}, {2})"},
    {"NOT SIMILAR TO", "text text", "BOOLEAN", Nulls::kFromArguments, "(NOT flink_similar({0}, {1}, ''))"},
    {"NOT SIMILAR TO", "text text text", "BOOLEAN", Nulls::kFromArguments, "(NOT flink_similar({0}, {1}, {2}))"},
    {"BETWEEN", "~any ~any ~any", {}, Nulls::kFromArguments, {}, Between<false, false>},
    {"NOT BETWEEN", "~any ~any ~any", {}, Nulls::kFromArguments, {}, Between<false, true>},
    {"BETWEEN SYMMETRIC", "~any ~any ~any", {}, Nulls::kFromArguments, {}, Between<true, false>},
    {"NOT BETWEEN SYMMETRIC", "~any ~any ~any", {}, Nulls::kFromArguments, {}, Between<true, true>},
    {"IN", "~any ~any*", {}, Nulls::kFromArguments, {}, In<false>},
    {"NOT IN", "~any ~any*", {}, Nulls::kFromArguments, {}, In<true>},
    {"OVERLAPS", "temporal any temporal any", {}, Nulls::kFromArguments, {}, Overlaps},
    {"CASE", "~any*", {}, Nulls::kFromRule, {}, Case},
    {"ROW", "any*", {}, Nulls::kNever, {}, Row},
    {"FIELD", "row symbol", {}, Nulls::kFromRule, {}, Field},
};

constexpr FunctionEntry kConditions[] = {
    {"COALESCE", "~any*", {}, Nulls::kFromRule, {}, Coalesce},
    {"IFNULL", "any any", {}, Nulls::kFromRule, {}, IfNull},
    {"IF", "bool any any", {}, Nulls::kFromRule, {}, If},
    {"NULLIF", "any any", {}, Nulls::kAlways, {}, NullIf},
    {"GREATEST", "any*", {}, Nulls::kFromArguments, {}, Extreme<true>},
    {"LEAST", "any*", {}, Nulls::kFromArguments, {}, Extreme<false>},
    {"TYPEOF", "~any", {}, Nulls::kAlways, {}, TypeOf},
};

}  // namespace

Result<EmittedCall> Compare(std::string_view op, CallArgument a, CallArgument b, const CallContext& context) {
  BRAID_TRY(AlignForComparison(op, a, b, context));
  const bool nullable = AnyNullable(std::vector{a, b});
  if (a.type.is_value() && b.type.is_value() && a.type.data().kind() == TypeKind::kRow)
    return CompareRows(op, a, b, context);
  if (a.type.is_value() && a.type.data().is_nested() && op != "=" && op != "<>") {
    return WrongArguments(op, std::vector{a, b}, "two values of one atomic type");
  }
  return EmittedCall{DataType::Boolean().WithNullability(nullable), CompareSql(op, a, b)};
}

std::span<const FunctionEntry> OperatorEntries() {
  return kOperators;
}
std::span<const FunctionEntry> ConditionEntries() {
  return kConditions;
}

}  // namespace braid
