#include <optional>
#include <string>

#include <fmt/format.h>

#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

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
  if (IsKind(a.type, TypeKind::kVariant) || IsKind(b.type, TypeKind::kVariant)) {
    return Error(ErrorCode::kInvalidArgument, "values of type VARIANT cannot be compared").Hint("compare their JSON: JSON_STRING(…)");
  }
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
  return ResolveCall("+", {start, end}, context);
}

/// Periods that share a point; the ends of one may be in either order.
Call Overlaps(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const EmittedCall a_end, PeriodEnd(arguments[0], arguments[1], context));
  BRAID_TRY_ASSIGN(const EmittedCall b_end, PeriodEnd(arguments[2], arguments[3], context));
  return EmittedCall{DataType::Boolean(),
                     fmt::format("(greatest({0}, {1}) >= least({2}, {3}) AND greatest({2}, {3}) >= least({0}, {1}))",
                                 arguments[0].sql, a_end.sql, arguments[2].sql, b_end.sql)};
}

constexpr FunctionEntry kEntries[] = {
    {"=", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kEqual>},
    {"<>", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kNotEqual>},
    {"<", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kLess>},
    {"<=", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kLessOrEqual>},
    {">", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kGreater>},
    {">=", "~any ~any", {}, Nulls::kFromRule, {}, CompareTwo<kGreaterOrEqual>},
    {"IS DISTINCT FROM", "~any ~any", {}, Nulls::kNever, {}, IsDistinct<false>},
    {"IS NOT DISTINCT FROM", "~any ~any", {}, Nulls::kNever, {}, IsDistinct<true>},
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

std::span<const FunctionEntry> ComparisonEntries() {
  return kEntries;
}

}  // namespace braid
