#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <duckdb/function/scalar_function.hpp>
#include <fmt/format.h>

#include "duck/errors_internal.h"
#include "duck/json_text.h"
#include "duck/rows_internal.h"
#include "types/variant_json.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

/// Parses a path again only when it changes from one row to the next.
class PathCache {
 public:
  /// Null for text that is no path.
  const JsonPath* Get(Text text) {
    if (!parsed_ || text != text_) {
      text_ = text;
      parsed_ = JsonPath::Parse(text);
    }
    if (*parsed_) return &parsed_->value();
    if (parsed_->error().code() != ErrorCode::kInvalidArgument) ThrowError(parsed_->error());
    return nullptr;
  }

 private:
  std::string text_;
  std::optional<Result<JsonPath>> parsed_;
};

/// How a JSON function ends; the numbers go into emitted SQL.
enum class Outcome : std::int32_t { kValue = 0, kEmpty = 1, kError = 2 };

struct Found {
  Outcome outcome = Outcome::kError;
  JsonNode root;
  std::vector<const JsonNode*> nodes;
  bool definite = true;
};

Found FindNodes(PathCache& cache, Text json, Text path_text) {
  Found found;
  const JsonPath* path = cache.Get(path_text);
  std::optional<JsonNode> root = path != nullptr ? ParseJsonNode(json) : std::nullopt;
  if (!root) return found;
  found.root = *std::move(root);
  found.definite = path->is_definite();
  std::optional<std::vector<const JsonNode*>> nodes = path->Find(found.root);
  if (!nodes) {
    found.outcome = path->is_strict() ? Outcome::kError : Outcome::kEmpty;
    return found;
  }
  found.nodes = *std::move(nodes);
  found.outcome = Outcome::kValue;
  return found;
}

Outcome Value(PathCache& cache, Text json, Text path, std::string& out) {
  const Found found = FindNodes(cache, json, path);
  if (found.outcome != Outcome::kValue) return found.outcome;
  if (!found.definite || !found.nodes[0]->is_scalar())
    return cache.Get(path)->is_strict() ? Outcome::kError : Outcome::kEmpty;
  const JsonNode& node = *found.nodes[0];
  if (node.kind == JsonNode::Kind::kNull) return Outcome::kEmpty;
  if (node.kind == JsonNode::Kind::kString) {
    out = node.text;
  } else {
    AppendJsonNode(node, out);
  }
  return Outcome::kValue;
}

/// `wrapper`: N none, C around what is no array or object, U always.
Outcome Query(PathCache& cache, Text json, Text path, Text wrapper, std::string& out) {
  const Found found = FindNodes(cache, json, path);
  if (found.outcome != Outcome::kValue) return found.outcome;
  if (found.definite && found.nodes[0]->kind == JsonNode::Kind::kNull) return Outcome::kEmpty;
  const bool container = !found.definite || !found.nodes[0]->is_scalar();
  const bool wraps = wrapper == "U" || (wrapper == "C" && !container);
  if (!container && !wraps) return cache.Get(path)->is_strict() ? Outcome::kError : Outcome::kEmpty;
  if (wraps) out += '[';
  if (!found.definite) out += '[';
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonNode(*found.nodes[i], out);
  }
  if (!found.definite) out += ']';
  if (wraps) out += ']';
  return Outcome::kValue;
}

/// 0: no, 1: yes, 2: error.
std::int32_t Exists(PathCache& cache, Text json, Text path) {
  const Found found = FindNodes(cache, json, path);
  if (found.outcome == Outcome::kError) return 2;
  if (found.outcome == Outcome::kEmpty) return 0;
  return found.definite && found.nodes[0]->kind == JsonNode::Kind::kNull ? 0 : 1;
}

bool IsJson(Text text, Text kind) {
  const std::optional<JsonNode> node = ParseJsonNode(text);
  if (!node) return false;
  if (kind == "OBJECT") return node->kind == JsonNode::Kind::kObject;
  if (kind == "ARRAY") return node->kind == JsonNode::Kind::kArray;
  return kind == "SCALAR" ? node->is_scalar() : true;
}

template <typename Result, typename... Arguments, typename Body>
duckdb::scalar_function_t WithPaths(Body body) {
  return [body](duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
    PathCache cache;
    ForRows<Result, Arguments...>(
        arguments, result, [&](auto&&... values) { return body(cache, std::forward<decltype(values)>(values)...); });
  };
}

void RegisterPaths(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  const LogicalType status = LogicalType::INTEGER;
  registrar.Add("flink_json_value", {text, text}, text,
                WithPaths<std::string, Text, Text>([](PathCache& cache, Text json, Text path, std::string& out) {
                  return Value(cache, json, path, out) == Outcome::kValue;
                }));
  registrar.Add("flink_json_value_status", {text, text}, status,
                WithPaths<std::int32_t, Text, Text>([](PathCache& cache, Text json, Text path, std::int32_t& out) {
                  std::string unused;
                  out = static_cast<std::int32_t>(Value(cache, json, path, unused));
                }));
  registrar.Add("flink_json_query", {text, text, text}, text,
                WithPaths<std::string, Text, Text, Text>(
                    [](PathCache& cache, Text json, Text path, Text wrapper, std::string& out) {
                      return Query(cache, json, path, wrapper, out) == Outcome::kValue;
                    }));
  registrar.Add("flink_json_query_status", {text, text, text}, status,
                WithPaths<std::int32_t, Text, Text, Text>(
                    [](PathCache& cache, Text json, Text path, Text wrapper, std::int32_t& out) {
                      std::string unused;
                      out = static_cast<std::int32_t>(Query(cache, json, path, wrapper, unused));
                    }));
  registrar.Add("flink_json_exists", {text, text}, status,
                WithPaths<std::int32_t, Text, Text>([](PathCache& cache, Text json, Text path, std::int32_t& out) {
                  out = Exists(cache, json, path);
                }));
  registrar.Add("flink_json_fail", {text, text}, text,
                RowFunction<std::string, Text, Text>([](Text json, Text path, std::string& /*out*/) {
                  ThrowError(Error(ErrorCode::kInvalidArgument, fmt::format("the path '{}' finds no usable value in {}",
                                                                            path, json.substr(0, 200))));
                }));
  registrar.Add("flink_is_json", {text, text}, LogicalType::BOOLEAN,
                RowFunction<bool, Text, Text>([](Text json, Text kind, bool& out) { out = IsJson(json, kind); }));
  registrar.Add("flink_json_quote", {text}, text,
                RowFunction<std::string, Text>([](Text value, std::string& out) { AppendJacksonText(value, out); }));
  registrar.Add("flink_json_unquote", {text}, text, RowFunction<std::string, Text>([](Text value, std::string& out) {
                  const std::optional<JsonNode> node = ParseJsonNode(value);
                  out = node && node->kind == JsonNode::Kind::kString ? node->text : value;
                }));
}

/// Texts of one row of a call with any number of arguments.
class RowReader {
 public:
  explicit RowReader(duckdb::DataChunk& arguments) : formats_(arguments.ColumnCount()) {
    for (std::size_t i = 0; i < formats_.size(); ++i) arguments.data[i].ToUnifiedFormat(arguments.size(), formats_[i]);
  }
  std::size_t size() const { return formats_.size(); }
  std::optional<Text> At(std::size_t column, duckdb::idx_t row) const {
    const duckdb::idx_t index = formats_[column].sel->get_index(row);
    if (!formats_[column].validity.RowIsValid(index)) return std::nullopt;
    return ArgumentOf<Text>::Read(duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(formats_[column])[index]);
  }

 private:
  std::vector<duckdb::UnifiedVectorFormat> formats_;
};

/// flink_json_object(nulls, key, json, key, json, …): members by name; `nulls` is NULL or ABSENT.
void MakeObject(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  const RowReader reader(arguments);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    std::vector<std::pair<Text, Text>> members;
    for (std::size_t i = 1; i + 1 < reader.size(); i += 2) {
      const std::optional<Text> key = reader.At(i, row);
      const std::optional<Text> value = reader.At(i + 1, row);
      if (!key) ThrowError(Error(ErrorCode::kInvalidArgument, "a key of JSON_OBJECT is NULL"));
      if (value || reader.At(0, row) == "NULL") members.emplace_back(*key, value.value_or("null"));
    }
    std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string object = "{";
    for (const auto& [key, value] : members) {
      if (object.size() > 1) object += ',';
      AppendJacksonText(key, object);
      object += ':';
      object += value;
    }
    duckdb::FlatVector::GetData<duckdb::string_t>(result)[row] = duckdb::StringVector::AddString(result, object + '}');
  }
}

/// flink_json_array(nulls, json, json, …).
void MakeArray(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  const RowReader reader(arguments);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    std::string array = "[";
    for (std::size_t i = 1; i < reader.size(); ++i) {
      const std::optional<Text> value = reader.At(i, row);
      if (!value && reader.At(0, row) != "NULL") continue;
      if (array.size() > 1) array += ',';
      array += value.value_or("null");
    }
    duckdb::FlatVector::GetData<duckdb::string_t>(result)[row] = duckdb::StringVector::AddString(result, array + ']');
  }
}

void RegisterConstructors(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  for (const bool object : {true, false}) {
    duckdb::ScalarFunction function(object ? "flink_json_object" : "flink_json_array", {text}, text,
                                    object ? MakeObject : MakeArray);
    function.varargs = text;
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    registrar.Add(std::move(function));
  }
}

}  // namespace

void RegisterJsonFunctions(FunctionRegistrar& registrar) {
  RegisterPaths(registrar);
  RegisterConstructors(registrar);
}

}  // namespace braid
