#include <string>
#include <utility>

#include <fmt/format.h>

#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

/// A constructor of no elements has no type.
Error NoElements(std::string_view what) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("{} without elements has no type", what))
      .Hint("cast NULL to the type, or give an element");
}

Call MakeArray(Arguments& arguments, const CallContext& context) {
  if (arguments.empty()) return NoElements("ARRAY");
  BRAID_TRY_ASSIGN(const SqlType element, CastToCommonType("ARRAY", arguments, context));
  if (!element.is_value()) return WrongArguments("ARRAY", arguments, "values");
  return EmittedCall{DataType::Array(element.data()),
                     fmt::format("list_value({})", FillTemplate("{*}", arguments, context))};
}

Call MakeMap(Arguments& arguments, const CallContext& context) {
  if (arguments.empty()) return NoElements("MAP");
  if (arguments.size() % 2 != 0) return WrongArguments("MAP", arguments, "key, value, …");
  Arguments keys;
  Arguments values;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    keys.push_back(arguments[i]);
    values.push_back(arguments[i + 1]);
  }
  BRAID_TRY_ASSIGN(const SqlType key, CastToCommonType("MAP", keys, context));
  BRAID_TRY_ASSIGN(const SqlType value, CastToCommonType("MAP", values, context));
  if (!key.is_value() || !value.is_value()) return WrongArguments("MAP", arguments, "values");
  std::string sql;
  for (std::size_t i = 0; i < keys.size(); ++i)
    sql += fmt::format("{}{}, {}", i > 0 ? ", " : "", keys[i].sql, values[i].sql);
  return EmittedCall{DataType::Map(key.data(), value.data()), fmt::format("flink_map({})", sql)};
}

Call ItemOfArray(Arguments& arguments, const CallContext& /*context*/) {
  const DataType element = arguments[0].type.data().element().Nullable();
  const CallArgument& index = arguments[1];
  if (index.literal && !index.literal->is_null()) {
    if (index.literal->as_int() < 1) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("elements of an array are counted from 1, not {}", index.literal->as_int()));
    }
    return EmittedCall{element, fmt::format("list_extract({}, {})", arguments[0].sql, index.sql)};
  }
  // DuckDB would count negative positions from the end.
  return EmittedCall{element,
                     fmt::format("(CASE WHEN {1} >= 1 THEN list_extract({0}, {1}) END)", arguments[0].sql, index.sql)};
}

Call ItemOfMap(Arguments& arguments, const CallContext& context) {
  const DataType& map = arguments[0].type.data();
  const DataType key_type = map.kind() == TypeKind::kMap ? map.key() : map.element();
  const DataType value_type = map.kind() == TypeKind::kMap ? map.element() : DataType::Int();
  BRAID_TRY_ASSIGN(const CallArgument key, CastArgument(arguments[1], key_type, context));
  return EmittedCall{value_type.Nullable(), fmt::format("map_extract_value({}, {})", arguments[0].sql, key.sql)};
}

/// The only element of an array, or NULL of an empty one.
Call Element(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& array = arguments[0].type.data();
  const DataType type = array.element().WithNullability(array.nullable() || array.element().nullable());
  return EmittedCall{
      type,
      fmt::format("(CASE WHEN len({0}) > 1 THEN CAST(flink_fail_text('ELEMENT takes an array of one element') AS {1}) "
                  "ELSE list_extract({0}, 1) END)",
                  arguments[0].sql, DuckTypeOf(type))};
}

/// The second argument as an element of the first.
Status CastElement(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(arguments[1], CastArgument(arguments[1], arguments[0].type.data().element(), context));
  return Ok();
}

/// The array's type with elements that may be NULL if the new one may.
DataType WithElement(const CallArgument& array, const CallArgument& element) {
  const DataType& type = array.type.data();
  return DataType::Array(type.element().WithNullability(type.element().nullable() || element.type.nullable()))
      .WithNullability(type.nullable());
}

std::string UnlessNull(const CallArgument& array, std::string sql) {
  return array.type.nullable() ? fmt::format("(CASE WHEN {} IS NOT NULL THEN {} END)", array.sql, sql) : sql;
}

template <bool Front>
Call Insert(Arguments& arguments, const CallContext& context) {
  BRAID_TRY(CastElement(arguments, context));
  const std::string sql = Front ? fmt::format("list_prepend({1}, {0})", arguments[0].sql, arguments[1].sql)
                                : fmt::format("list_append({0}, {1})", arguments[0].sql, arguments[1].sql);
  return EmittedCall{WithElement(arguments[0], arguments[1]), UnlessNull(arguments[0], sql)};
}

Call Contains(Arguments& arguments, const CallContext& context) {
  BRAID_TRY(CastElement(arguments, context));
  const std::string& array = arguments[0].sql;
  const std::string& element = arguments[1].sql;
  std::string sql = fmt::format("list_contains({}, {})", array, element);
  const bool floating = IsKind(arguments[1].type, TypeKind::kFloat) || IsKind(arguments[1].type, TypeKind::kDouble);
  if (floating) sql = fmt::format("({} AND NOT isnan({}))", sql, element);
  if (arguments[1].type.nullable()) {
    sql = fmt::format(
        "(CASE WHEN {1} IS NULL THEN len(list_filter({0}, lambda braid_x: braid_x IS NULL)) > 0 ELSE {2} END)", array,
        element, sql);
  }
  return EmittedCall{DataType::Boolean().WithNullability(arguments[0].type.nullable()), UnlessNull(arguments[0], sql)};
}

Call Position(Arguments& arguments, const CallContext& context) {
  BRAID_TRY(CastElement(arguments, context));
  return EmittedCall{DataType::Int(), fmt::format("(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN "
                                                  "CAST(coalesce(list_position({0}, {1}), 0) AS INTEGER) END)",
                                                  arguments[0].sql, arguments[1].sql)};
}

Call Remove(Arguments& arguments, const CallContext& context) {
  BRAID_TRY(CastElement(arguments, context));
  return EmittedCall{arguments[0].type, fmt::format("list_filter({}, lambda braid_x: braid_x IS DISTINCT FROM {})",
                                                    arguments[0].sql, arguments[1].sql)};
}

Call ConcatArrays(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("ARRAY_CONCAT", arguments, context));
  std::string sql = arguments[0].sql;
  for (std::size_t i = 1; i < arguments.size(); ++i) sql = fmt::format("list_concat({}, {})", sql, arguments[i].sql);
  for (const CallArgument& array : arguments) sql = UnlessNull(array, sql);  // DuckDB takes NULL as an empty list
  return EmittedCall{type, sql};
}

/// Set operations keep the order of first appearance.
template <const char* const& Function>
Call SetOperation(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("a set operation on arrays", arguments, context));
  return EmittedCall{type, fmt::format("{}({})", Function, FillTemplate("{*}", arguments, context))};
}
constexpr const char* kExcept = "flink_array_except";
constexpr const char* kIntersect = "flink_array_intersect";
constexpr const char* kUnion = "flink_array_union";

template <const char* const& Function>
Call ElementOf(Arguments& arguments, const CallContext& /*context*/) {
  return EmittedCall{arguments[0].type.data().element(), fmt::format("{}({})", Function, arguments[0].sql)};
}
constexpr const char* kMax = "list_max";
constexpr const char* kMin = "list_min";

Result<bool> LiteralFlag(const Arguments& arguments, std::size_t index, bool otherwise) {
  if (index >= arguments.size()) return otherwise;
  if (!arguments[index].literal || arguments[index].literal->is_null()) {
    return Error(ErrorCode::kUnsupported, "ARRAY_SORT takes only TRUE or FALSE for its order");
  }
  return arguments[index].literal->as_bool();
}

Call Sort(Arguments& arguments, const CallContext& /*context*/) {
  BRAID_TRY_ASSIGN(const bool ascending, LiteralFlag(arguments, 1, true));
  BRAID_TRY_ASSIGN(const bool nulls_first, LiteralFlag(arguments, 2, ascending));
  return EmittedCall{arguments[0].type, fmt::format("list_sort({}, '{}', 'NULLS {}')", arguments[0].sql,
                                                    ascending ? "ASC" : "DESC", nulls_first ? "FIRST" : "LAST")};
}

Call Slice(Arguments& arguments, const CallContext& /*context*/) {
  const std::string end = arguments.size() > 2 ? arguments[2].sql : fmt::format("len({})", arguments[0].sql);
  return EmittedCall{arguments[0].type, fmt::format("list_slice({}, {}, {})", arguments[0].sql, arguments[1].sql, end)};
}

Call JoinElements(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const CallArgument texts, CastArgument(arguments[0], DataType::Array(DataType::String()), context));
  const std::string list =
      arguments.size() > 2
          ? fmt::format("list_transform({}, lambda braid_x: coalesce(braid_x, {}))", texts.sql, arguments[2].sql)
          : texts.sql;
  return EmittedCall{DataType::String(), fmt::format("flink_array_join({}, {})", list, arguments[1].sql)};
}

Call MapKeys(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& map = arguments[0].type.data();
  return EmittedCall{DataType::Array(map.kind() == TypeKind::kMap ? map.key() : map.element()),
                     fmt::format("map_keys({})", arguments[0].sql)};
}

Call MapValues(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& map = arguments[0].type.data();
  return EmittedCall{DataType::Array(map.kind() == TypeKind::kMap ? map.element() : DataType::Int().NotNull()),
                     fmt::format("map_values({})", arguments[0].sql)};
}

Call MapEntries(Arguments& arguments, const CallContext& /*context*/) {
  const DataType& map = arguments[0].type.data();
  if (map.kind() != TypeKind::kMap) return WrongArguments("MAP_ENTRIES", arguments, "map");
  const DataType entry = DataType::Row({DataField{FieldId(0), "key", map.key(), std::nullopt, std::nullopt},
                                        DataField{FieldId(1), "value", map.element(), std::nullopt, std::nullopt}});
  return EmittedCall{DataType::Array(entry), fmt::format("map_entries({})", arguments[0].sql)};
}

Call MapFromArrays(Arguments& arguments, const CallContext& /*context*/) {
  return EmittedCall{DataType::Map(arguments[0].type.data().element(), arguments[1].type.data().element()),
                     fmt::format("flink_map_from_arrays({}, {})", arguments[0].sql, arguments[1].sql)};
}

Call MapUnion(Arguments& arguments, const CallContext& context) {
  BRAID_TRY_ASSIGN(const SqlType type, CastToCommonType("MAP_UNION", arguments, context));
  std::string keys;
  std::string values;
  for (const CallArgument& map : arguments) {
    keys = keys.empty() ? fmt::format("map_keys({})", map.sql)
                        : fmt::format("list_concat({}, map_keys({}))", keys, map.sql);
    values = values.empty() ? fmt::format("map_values({})", map.sql)
                            : fmt::format("list_concat({}, map_values({}))", values, map.sql);
  }
  std::string sql = fmt::format("flink_map_from_arrays({}, {})", keys, values);
  for (const CallArgument& map : arguments) sql = UnlessNull(map, sql);
  return EmittedCall{type, sql};
}

constexpr FunctionEntry kEntries[] = {
    {"ARRAY", "~any*", {}, Nulls::kNever, {}, MakeArray},
    {"MAP", "~any*", {}, Nulls::kNever, {}, MakeMap},
    {"ITEM", "array bigint", {}, Nulls::kAlways, {}, ItemOfArray},
    {"ITEM", "map any", {}, Nulls::kAlways, {}, ItemOfMap},
    {"CARDINALITY", "array", "INT", Nulls::kFromArguments, "CAST(len({0}) AS INTEGER)"},
    {"CARDINALITY", "map", "INT", Nulls::kFromArguments, "CAST(cardinality({0}) AS INTEGER)"},
    {"ELEMENT", "array", {}, Nulls::kFromRule, {}, Element},
    {"ARRAY_APPEND", "array ~any", {}, Nulls::kFromRule, {}, Insert<false>},
    {"ARRAY_PREPEND", "array ~any", {}, Nulls::kFromRule, {}, Insert<true>},
    {"ARRAY_CONCAT", "array array*", {}, Nulls::kFromArguments, {}, ConcatArrays},
    {"ARRAY_CONTAINS", "array ~any", {}, Nulls::kFromRule, {}, Contains},
    {"ARRAY_DISTINCT", "array", "=0", Nulls::kFromArguments, "flink_array_distinct({0})"},
    {"ARRAY_EXCEPT", "array array", {}, Nulls::kFromArguments, {}, SetOperation<kExcept>},
    {"ARRAY_INTERSECT", "array array", {}, Nulls::kFromArguments, {}, SetOperation<kIntersect>},
    {"ARRAY_UNION", "array array", {}, Nulls::kFromArguments, {}, SetOperation<kUnion>},
    {"ARRAY_JOIN", "array text text?", {}, Nulls::kFromArguments, {}, JoinElements},
    {"ARRAY_MAX", "array", {}, Nulls::kAlways, {}, ElementOf<kMax>},
    {"ARRAY_MIN", "array", {}, Nulls::kAlways, {}, ElementOf<kMin>},
    {"ARRAY_POSITION", "array ~any", {}, Nulls::kFromArguments, {}, Position},
    {"ARRAY_REMOVE", "array ~any", {}, Nulls::kFromRule, {}, Remove},
    {"ARRAY_REVERSE", "array", "=0", Nulls::kFromArguments, "list_reverse({0})"},
    {"ARRAY_SLICE", "array int int?", {}, Nulls::kFromArguments, {}, Slice},
    {"ARRAY_SORT", "array bool? bool?", {}, Nulls::kFromArguments, {}, Sort},
    {"MAP_KEYS", "map", {}, Nulls::kFromArguments, {}, MapKeys},
    {"MAP_VALUES", "map", {}, Nulls::kFromArguments, {}, MapValues},
    {"MAP_ENTRIES", "map", {}, Nulls::kFromArguments, {}, MapEntries},
    {"MAP_FROM_ARRAYS", "array array", {}, Nulls::kFromArguments, {}, MapFromArrays},
    {"MAP_UNION", "map map*", {}, Nulls::kFromArguments, {}, MapUnion},
};

}  // namespace

std::span<const FunctionEntry> CollectionEntries() {
  return kEntries;
}

}  // namespace braid
