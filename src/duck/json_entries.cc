#include <string>
#include <utility>

#include <fmt/format.h>

#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

std::string Symbol(const Arguments& arguments, std::size_t index, std::string_view otherwise) {
  return index < arguments.size() ? arguments[index].sql : std::string(otherwise);
}

std::string Fail(const Arguments& arguments, const std::string& duck_type) {
  return fmt::format("CAST(flink_json_fail({}, {}) AS {})", arguments[0].sql, arguments[1].sql, duck_type);
}

/// JSON_VALUE (json, path, 'type, 'empty, default, 'error, default).
Call JsonValue(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const DataType type, ParseDataType(Symbol(arguments, 2, "STRING")));
  std::string value = fmt::format("flink_json_value({}, {})", arguments[0].sql, arguments[1].sql);
  switch (type.kind()) {
    case TypeKind::kVarChar: break;
    case TypeKind::kInt:
    case TypeKind::kDouble:
    case TypeKind::kBoolean: {
      BRAID_TRY_ASSIGN(const CallArgument cast, CastArgument(CallArgument{DataType::String(), value}, type, context));
      value = cast.sql;
      break;
    }
    default:
      return Error(ErrorCode::kInvalidArgument, fmt::format("JSON_VALUE cannot return {}", type.ToString()))
          .Hint("it returns STRING, INT, DOUBLE or BOOLEAN");
  }
  const auto behaviour = [&](std::size_t index) -> Result<std::string> {
    const std::string kind = Symbol(arguments, index, "NULL");
    if (kind == "ERROR") return Fail(arguments, DuckTypeOf(type));
    if (kind == "NULL") return std::string("NULL");
    BRAID_TRY_ASSIGN(const CallArgument cast, CastArgument(arguments[index + 1], type, context));
    return cast.sql;
  };
  BRAID_TRY_ASSIGN(const std::string empty, behaviour(3));
  BRAID_TRY_ASSIGN(const std::string error, behaviour(5));
  if (empty == "NULL" && error == "NULL") return EmittedCall{type, value};
  return EmittedCall{
      type, fmt::format("(CASE flink_json_value_status({}, {}) WHEN 0 THEN {} WHEN 1 THEN {} WHEN 2 THEN {} END)",
                        arguments[0].sql, arguments[1].sql, value, empty, error)};
}

/// JSON_QUERY (json, path, 'wrapper, 'empty, 'error).
Call JsonQuery(Arguments& arguments, const CallContext& /*context*/) {
  const std::string wrapper = Symbol(arguments, 2, "WITHOUT");
  const std::string mode = wrapper == "WITHOUT" ? "'N'" : (wrapper == "CONDITIONAL" ? "'C'" : "'U'");
  const std::string call = fmt::format("{}, {}, {}", arguments[0].sql, arguments[1].sql, mode);
  const auto behaviour = [&](std::size_t index) -> std::string {
    const std::string kind = Symbol(arguments, index, "NULL");
    if (kind == "ERROR") return Fail(arguments, "VARCHAR");
    if (kind == "EMPTY ARRAY") return "'[]'";
    return kind == "EMPTY OBJECT" ? "'{}'" : "NULL";
  };
  const std::string empty = behaviour(3);
  const std::string error = behaviour(4);
  if (empty == "NULL" && error == "NULL")
    return EmittedCall{DataType::String(), fmt::format("flink_json_query({})", call)};
  return EmittedCall{
      DataType::String(),
      fmt::format(
          "(CASE flink_json_query_status({0}) WHEN 0 THEN flink_json_query({0}) WHEN 1 THEN {1} WHEN 2 THEN {2} END)",
          call, empty, error)};
}

/// JSON_EXISTS (json, path[, 'error]).
Call JsonExists(Arguments& arguments, const CallContext& /*context*/) {
  const std::string kind = Symbol(arguments, 2, "FALSE");
  const std::string error =
      kind == "ERROR" ? Fail(arguments, "BOOLEAN") : (kind == "UNKNOWN" ? "NULL" : (kind == "TRUE" ? "true" : "false"));
  return EmittedCall{
      DataType::Boolean(),
      fmt::format("(CASE flink_json_exists({}, {}) WHEN 0 THEN false WHEN 1 THEN true WHEN 2 THEN {} END)",
                  arguments[0].sql, arguments[1].sql, error)};
}

/// A value as JSON text.
Result<std::string> JsonOf(const CallArgument& value, const CallContext& context) {
  if (value.type.kind() == SqlType::Kind::kNull) return std::string("CAST(NULL AS VARCHAR)");
  if (value.is_json) return value.sql;
  if (!value.type.is_value() || IsKind(value.type, TypeKind::kDate) || IsKind(value.type, TypeKind::kTime)) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} cannot be put into JSON", value.type.ToString()))
        .Hint("cast it to STRING");
  }
  return fmt::format("flink_json({}, {}, {})", value.sql, QuoteDuckText(value.type.data().ToString()),
                     QuoteDuckText(context.zone));
}

Call JsonObject(Arguments& arguments, const CallContext& context) {
  if (arguments.size() % 2 == 0) return WrongArguments("JSON_OBJECT", arguments, "'nulls, key, value, …");
  std::string sql = QuoteDuckText(arguments[0].sql);
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    if (!IsText(arguments[i].type)) return WrongArguments("JSON_OBJECT", arguments, "'nulls, text, value, …");
    BRAID_TRY_ASSIGN(const std::string value, JsonOf(arguments[i + 1], context));
    sql += fmt::format(", {}, {}", arguments[i].sql, value);
  }
  return EmittedCall{DataType::String(), fmt::format("flink_json_object({})", sql), std::nullopt, true};
}

Call JsonArray(Arguments& arguments, const CallContext& context) {
  std::string sql = QuoteDuckText(arguments[0].sql);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    BRAID_TRY_ASSIGN(const std::string value, JsonOf(arguments[i], context));
    sql += ", " + value;
  }
  return EmittedCall{DataType::String(), fmt::format("flink_json_array({})", sql), std::nullopt, true};
}

Call JsonString(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(std::string sql, JsonOf(arguments[0], context));
  return EmittedCall{DataType::String(), std::move(sql)};
}

constexpr FunctionEntry kEntries[] = {
    {"JSON_VALUE", "text text symbol? symbol? ~any? symbol? ~any?", {}, Nulls::kAlways, {}, JsonValue},
    {"JSON_QUERY", "text text symbol? symbol? symbol?", {}, Nulls::kAlways, {}, JsonQuery},
    {"JSON_EXISTS", "text text symbol?", {}, Nulls::kAlways, {}, JsonExists},
    {"IS JSON VALUE", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_json({0}, 'VALUE')"},
    {"IS JSON OBJECT", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_json({0}, 'OBJECT')"},
    {"IS JSON ARRAY", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_json({0}, 'ARRAY')"},
    {"IS JSON SCALAR", "text", "BOOLEAN", Nulls::kFromArguments, "flink_is_json({0}, 'SCALAR')"},
    {"IS NOT JSON VALUE", "text", "BOOLEAN", Nulls::kFromArguments, "(NOT flink_is_json({0}, 'VALUE'))"},
    {"IS NOT JSON OBJECT", "text", "BOOLEAN", Nulls::kFromArguments, "(NOT flink_is_json({0}, 'OBJECT'))"},
    {"IS NOT JSON ARRAY", "text", "BOOLEAN", Nulls::kFromArguments, "(NOT flink_is_json({0}, 'ARRAY'))"},
    {"IS NOT JSON SCALAR", "text", "BOOLEAN", Nulls::kFromArguments, "(NOT flink_is_json({0}, 'SCALAR'))"},
    {"JSON_OBJECT", "symbol ~any*", {}, Nulls::kNever, {}, JsonObject},
    {"JSON_ARRAY", "symbol ~any*", {}, Nulls::kNever, {}, JsonArray},
    {"JSON_STRING", "any", {}, Nulls::kFromArguments, {}, JsonString},
    {"PARSE_JSON", "text", "VARIANT", Nulls::kFromArguments, "flink_parse_json({0})"},
    {"TRY_PARSE_JSON", "text", "VARIANT", Nulls::kAlways, "flink_try_parse_json({0})"},
    {"JSON_QUOTE", "text", "STRING", Nulls::kFromArguments, "flink_json_quote({0})"},
    {"JSON_UNQUOTE", "text", "STRING", Nulls::kFromArguments, "flink_json_unquote({0})"},
};

}  // namespace

std::span<const FunctionEntry> JsonEntries() {
  return kEntries;
}

}  // namespace braid
