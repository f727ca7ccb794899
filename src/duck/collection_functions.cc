#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <duckdb/function/scalar_function.hpp>
#include <duckdb/planner/expression.hpp>
#include <fmt/format.h>

#include "duck/errors_internal.h"
#include "duck/rows_internal.h"
#include "duck/text_list_internal.h"
#include "duck/utf8_internal.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

void Split(Text text, Text separator, TextList& out) {
  if (text.empty()) return;
  if (separator.empty()) {
    for (std::size_t at = 0; at < text.size(); at += CodePointSize(text[at]))
      out.Add(text.substr(at, CodePointSize(text[at])));
    return;
  }
  std::size_t at = 0;
  for (std::size_t found = text.find(separator); found != Text::npos; found = text.find(separator, at)) {
    out.Add(text.substr(at, found - at));
    at = found + separator.size();
  }
  out.Add(text.substr(at));
}

/// STR_TO_MAP: an entry without separator has the value NULL; of equal keys the last one counts.
void StrToMap(Text text, Text between_entries, Text between_key_and_value, TextMap& out) {
  if (text.empty()) return;
  TextList parts;
  Split(text, between_entries, parts);
  std::vector<std::pair<Text, Text>> entries;  // a value without data pointer is NULL
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t found = parts[i].find(between_key_and_value);
    const Text key = parts[i].substr(0, found);
    const Text value = found == Text::npos ? Text() : parts[i].substr(found + between_key_and_value.size());
    bool known = false;
    for (auto& entry : entries) {
      if (entry.first != key) continue;
      entry.second = value;
      known = true;
    }
    if (!known) entries.emplace_back(key, value);
  }
  for (const auto& [key, value] : entries) {
    out.entries.Add(key);
    if (value.data() == nullptr) {
      out.entries.AddNull();
    } else {
      out.entries.Add(value);
    }
  }
}

bool SameKey(const duckdb::Value& a, const duckdb::Value& b) {
  return duckdb::Value::NotDistinctFrom(a, b);
}

/// Puts one map into a row of a vector; of equal keys the last one counts, at the place of the first.
void SetMap(duckdb::Vector& result, duckdb::idx_t row, const std::vector<duckdb::Value>& keys,
            const std::vector<duckdb::Value>& values) {
  std::vector<std::pair<duckdb::Value, duckdb::Value>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    bool known = false;
    for (auto& entry : entries) {
      if (!SameKey(entry.first, keys[i])) continue;
      entry.second = values[i];
      known = true;
    }
    if (!known) entries.emplace_back(keys[i], values[i]);
  }
  const duckdb::idx_t offset = duckdb::ListVector::GetListSize(result);
  duckdb::ListVector::Reserve(result, offset + entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    duckdb::MapVector::GetKeys(result).SetValue(offset + i, entries[i].first);
    duckdb::MapVector::GetValues(result).SetValue(offset + i, entries[i].second);
  }
  duckdb::ListVector::SetListSize(result, offset + entries.size());
  duckdb::ListVector::GetData(result)[row] = {offset, entries.size()};
}

/// flink_map(key, value, key, value, …): NULL is a key like any other.
void MakeMap(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    std::vector<duckdb::Value> keys;
    std::vector<duckdb::Value> values;
    for (duckdb::idx_t column = 0; column + 1 < arguments.ColumnCount(); column += 2) {
      keys.push_back(arguments.GetValue(column, row));
      values.push_back(arguments.GetValue(column + 1, row));
    }
    SetMap(result, row, keys, values);
  }
}

duckdb::unique_ptr<duckdb::FunctionData> BindMap(duckdb::ClientContext& /*context*/, duckdb::ScalarFunction& function,
                                                 duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  function.SetReturnType(LogicalType::MAP(arguments[0]->return_type, arguments[1]->return_type));
  return nullptr;
}

void MapFromArrays(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    const duckdb::Value keys = arguments.GetValue(0, row);
    const duckdb::Value values = arguments.GetValue(1, row);
    if (keys.IsNull() || values.IsNull()) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const auto& key_list = duckdb::ListValue::GetChildren(keys);
    const auto& value_list = duckdb::ListValue::GetChildren(values);
    if (key_list.size() != value_list.size()) {
      ThrowError(Error(ErrorCode::kInvalidArgument,
                       fmt::format("MAP_FROM_ARRAYS got {} keys and {} values", key_list.size(), value_list.size())));
    }
    SetMap(result, row, {key_list.begin(), key_list.end()}, {value_list.begin(), value_list.end()});
  }
}

using Values = std::vector<duckdb::Value>;

bool Holds(const Values& values, const duckdb::Value& wanted) {
  return std::any_of(values.begin(), values.end(),
                     [&](const duckdb::Value& value) { return duckdb::Value::NotDistinctFrom(value, wanted); });
}

void AddOnce(Values& to, const duckdb::Value& value) {
  if (!Holds(to, value)) to.push_back(value);
}

Values Distinct(const Values& a, const Values& /*b*/) {
  Values result;
  for (const duckdb::Value& value : a) AddOnce(result, value);
  return result;
}
Values Except(const Values& a, const Values& b) {
  Values result;
  for (const duckdb::Value& value : a) {
    if (!Holds(b, value)) AddOnce(result, value);
  }
  return result;
}
Values Intersect(const Values& a, const Values& b) {
  Values result;
  for (const duckdb::Value& value : a) {
    if (Holds(b, value)) AddOnce(result, value);
  }
  return result;
}
Values Union(const Values& a, const Values& b) {
  Values result = Distinct(a, {});
  for (const duckdb::Value& value : b) AddOnce(result, value);
  return result;
}

/// A function of one or two lists of one type.
template <Values (*Operation)(const Values&, const Values&)>
void CombineLists(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    std::array<Values, 2> lists;
    bool null = false;
    for (duckdb::idx_t i = 0; i < arguments.ColumnCount(); ++i) {
      const duckdb::Value list = arguments.GetValue(i, row);
      null = null || list.IsNull();
      if (!list.IsNull())
        lists[i].assign(duckdb::ListValue::GetChildren(list).begin(), duckdb::ListValue::GetChildren(list).end());
    }
    if (null) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    const Values values = Operation(lists[0], lists[1]);
    const duckdb::idx_t offset = duckdb::ListVector::GetListSize(result);
    duckdb::ListVector::Reserve(result, offset + values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      duckdb::ListVector::GetEntry(result).SetValue(offset + i, values[i]);
    duckdb::ListVector::SetListSize(result, offset + values.size());
    duckdb::ListVector::GetData(result)[row] = {offset, values.size()};
  }
}

duckdb::unique_ptr<duckdb::FunctionData> BindLists(duckdb::ClientContext& /*context*/, duckdb::ScalarFunction& function,
                                                   duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) function.arguments[i] = arguments[0]->return_type;
  function.SetReturnType(arguments[0]->return_type);
  return nullptr;
}

/// Joins the texts of a list, leaving NULLs out.
void JoinTexts(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    const duckdb::Value list = arguments.GetValue(0, row);
    const duckdb::Value separator = arguments.GetValue(1, row);
    if (list.IsNull() || separator.IsNull()) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    std::string joined;
    bool first = true;
    for (const duckdb::Value& value : duckdb::ListValue::GetChildren(list)) {
      if (value.IsNull()) continue;
      if (!first) joined += duckdb::StringValue::Get(separator);
      joined += duckdb::StringValue::Get(value);
      first = false;
    }
    duckdb::FlatVector::GetData<duckdb::string_t>(result)[row] = duckdb::StringVector::AddString(result, joined);
  }
}

duckdb::unique_ptr<duckdb::FunctionData> BindMapFromArrays(
    duckdb::ClientContext& /*context*/, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  for (std::size_t i = 0; i < 2; ++i) function.arguments[i] = arguments[i]->return_type;
  function.SetReturnType(LogicalType::MAP(duckdb::ListType::GetChildType(arguments[0]->return_type),
                                          duckdb::ListType::GetChildType(arguments[1]->return_type)));
  return nullptr;
}

}  // namespace

void RegisterCollectionFunctions(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  registrar.Add("flink_split", {text, text}, LogicalType::LIST(text), RowFunction<TextList, Text, Text>(Split));
  registrar.Add("flink_str_to_map", {text, text, text}, LogicalType::MAP(text, text),
                RowFunction<TextMap, Text, Text, Text>(StrToMap));
  registrar.Add("flink_fail_text", {text}, text, RowFunction<std::string, Text>([](Text message, std::string& /*out*/) {
                  ThrowError(Error(ErrorCode::kInvalidArgument, std::string(message)));
                }));
  registrar.Add("flink_array_join", {LogicalType::LIST(text), text}, text, JoinTexts);
  const LogicalType any_list = LogicalType::LIST(LogicalType::ANY);
  const auto lists = [&](const char* name, duckdb::vector<LogicalType> list_arguments, duckdb::scalar_function_t body) {
    registrar.Add(duckdb::ScalarFunction(name, std::move(list_arguments), any_list, std::move(body), BindLists));
  };
  lists("flink_array_distinct", {any_list}, CombineLists<Distinct>);
  lists("flink_array_except", {any_list, any_list}, CombineLists<Except>);
  lists("flink_array_intersect", {any_list, any_list}, CombineLists<Intersect>);
  lists("flink_array_union", {any_list, any_list}, CombineLists<Union>);
  const LogicalType any_map = LogicalType::MAP(text, text);  // BindMap says which
  duckdb::ScalarFunction map("flink_map", {LogicalType::ANY, LogicalType::ANY}, any_map, MakeMap, BindMap);
  map.varargs = LogicalType::ANY;
  map.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  registrar.Add(std::move(map));
  duckdb::ScalarFunction from_arrays("flink_map_from_arrays",
                                     {LogicalType::LIST(LogicalType::ANY), LogicalType::LIST(LogicalType::ANY)},
                                     any_map, MapFromArrays, BindMapFromArrays);
  registrar.Add(std::move(from_arrays));
}

}  // namespace braid
