#include <utility>

#include <fmt/format.h>

#include "sql/expressions.h"
#include "sql/type_names.h"

namespace braid {
namespace {

using syntax::JsonBehaviorKind;

std::string_view BehaviorName(JsonBehaviorKind kind) {
  switch (kind) {
    case JsonBehaviorKind::kError: return "ERROR";
    case JsonBehaviorKind::kNull: return "NULL";
    case JsonBehaviorKind::kDefault: return "DEFAULT";
    case JsonBehaviorKind::kTrue: return "TRUE";
    case JsonBehaviorKind::kFalse: return "FALSE";
    case JsonBehaviorKind::kUnknown: return "UNKNOWN";
    case JsonBehaviorKind::kEmptyArray: return "EMPTY ARRAY";
    case JsonBehaviorKind::kEmptyObject: return "EMPTY OBJECT";
  }
  return "";
}

/// Builds the argument list of one JSON function.
class JsonArguments {
 public:
  JsonArguments(Analysis& analysis, const ExpressionSite& site) : analysis_(analysis), site_(site) {}

  Status Add(const syntax::ExpressionPtr& expression) {
    BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis_, site_, *expression));
    arguments_.push_back(std::move(value));
    return Ok();
  }
  void AddSymbol(std::string_view keyword) { arguments_.push_back(SymbolScalar(std::string(keyword))); }
  void AddBehavior(const std::optional<syntax::JsonBehavior>& behavior, JsonBehaviorKind unsaid) {
    AddSymbol(BehaviorName(behavior ? behavior->kind : unsaid));
  }
  /// The behaviour and its default, NULL if it has none.
  Status AddBehaviorWithDefault(const std::optional<syntax::JsonBehavior>& behavior) {
    AddBehavior(behavior, JsonBehaviorKind::kNull);
    if (behavior && behavior->value) return Add(behavior->value);
    arguments_.push_back(NullScalar());
    return Ok();
  }
  Status AddReturning(const std::optional<syntax::TypeName>& type) {
    if (!type) return AddSymbol("STRING"), Ok();
    Result<DataType> data = ToDataType(*type);
    if (!data) return analysis_.Place(type->position, data.error());
    AddSymbol(data->ToString());
    return Ok();
  }
  Result<Scalar> Resolve(std::string_view name) { return Call(analysis_, name, std::move(arguments_)); }

 private:
  Analysis& analysis_;
  const ExpressionSite& site_;
  std::vector<Scalar> arguments_;
};

std::string NullsName(const std::optional<syntax::JsonNulls>& nulls, syntax::JsonNulls unsaid) {
  return nulls.value_or(unsaid) == syntax::JsonNulls::kNullOnNull ? "NULL" : "ABSENT";
}

}  // namespace

Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonExists& node) {
  JsonArguments arguments(analysis, site);
  BRAID_TRY(arguments.Add(node.input));
  BRAID_TRY(arguments.Add(node.path));
  arguments.AddBehavior(node.on_error, JsonBehaviorKind::kFalse);
  return arguments.Resolve("JSON_EXISTS");
}

Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonValue& node) {
  JsonArguments arguments(analysis, site);
  BRAID_TRY(arguments.Add(node.input));
  BRAID_TRY(arguments.Add(node.path));
  BRAID_TRY(arguments.AddReturning(node.returning));
  BRAID_TRY(arguments.AddBehaviorWithDefault(node.on_empty));
  BRAID_TRY(arguments.AddBehaviorWithDefault(node.on_error));
  return arguments.Resolve("JSON_VALUE");
}

Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonQuery& node) {
  JsonArguments arguments(analysis, site);
  BRAID_TRY(arguments.Add(node.input));
  BRAID_TRY(arguments.Add(node.path));
  if (node.returning && node.returning->name != "STRING" && node.returning->name != "VARCHAR") {
    return analysis.ErrorAt(node.returning->position, "JSON_QUERY returns STRING alone", ErrorCode::kUnsupported);
  }
  constexpr std::array kWrappers = {"WITHOUT", "CONDITIONAL", "UNCONDITIONAL"};
  arguments.AddSymbol(kWrappers[static_cast<std::size_t>(node.wrapper.value_or(syntax::JsonWrapper::kWithout))]);
  arguments.AddBehavior(node.on_empty, JsonBehaviorKind::kNull);
  arguments.AddBehavior(node.on_error, JsonBehaviorKind::kNull);
  return arguments.Resolve("JSON_QUERY");
}

Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonObject& node) {
  JsonArguments arguments(analysis, site);
  arguments.AddSymbol(NullsName(node.nulls, syntax::JsonNulls::kNullOnNull));
  for (const syntax::JsonMember& member : node.members) {
    BRAID_TRY(arguments.Add(member.key));
    BRAID_TRY(arguments.Add(member.value));
  }
  return arguments.Resolve("JSON_OBJECT");
}

Result<Scalar> AnalyzeJson(Analysis& analysis, const ExpressionSite& site, const syntax::JsonArray& node) {
  JsonArguments arguments(analysis, site);
  arguments.AddSymbol(NullsName(node.nulls, syntax::JsonNulls::kAbsentOnNull));
  for (const syntax::ExpressionPtr& element : node.elements) BRAID_TRY(arguments.Add(element));
  return arguments.Resolve("JSON_ARRAY");
}

}  // namespace braid
