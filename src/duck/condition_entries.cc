#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

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

constexpr FunctionEntry kLogical[] = {
    {"AND", "bool bool*", {}, Nulls::kFromArguments, {}, Logical<true>},
    {"OR", "bool bool*", {}, Nulls::kFromArguments, {}, Logical<false>},
    {"NOT", "bool", "BOOLEAN", Nulls::kFromArguments, "(NOT {0})"},
    {"IS TRUE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS TRUE)"},
    {"IS NOT TRUE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NOT TRUE)"},
    {"IS FALSE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS FALSE)"},
    {"IS NOT FALSE", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NOT FALSE)"},
    {"IS UNKNOWN", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NULL)"},
    {"IS NOT UNKNOWN", "bool", "BOOLEAN", Nulls::kNever, "({0} IS NOT NULL)"},
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

std::span<const FunctionEntry> LogicalEntries() {
  return kLogical;
}
std::span<const FunctionEntry> ConditionEntries() {
  return kConditions;
}

}  // namespace braid
