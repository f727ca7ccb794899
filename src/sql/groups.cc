#include "sql/groups.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/aggregates.h"

namespace braid {
namespace {

using syntax::Expression;

bool IsGroupWindow(const Expression& expression) {
  const auto* call = std::get_if<syntax::FunctionCall>(&expression.node);
  if (call == nullptr || call->suffix.over) return false;
  const std::string name = ToUpper(call->name.last());
  return name == "TUMBLE" || name == "HOP" || name == "SESSION";
}

std::string NameOf(const Expression& expression) {
  const auto* column = std::get_if<syntax::ColumnReference>(&expression.node);
  return column == nullptr ? "EXPR" : column->name.last();
}

}  // namespace

std::size_t Groups::AddKey(Scalar value, std::string name) {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (SameScalar(keys_[i].value, value)) return i;
  }
  keys_.push_back(
      Key{.value = value,
          .output = OutputColumn{.id = analysis_.NextColumn(), .name = std::move(name), .type = value.type}});
  return keys_.size() - 1;
}

Result<std::size_t> Groups::AddWindow(const syntax::FunctionCall& call, const WindowShape& shape, OperatorPtr& source) {
  if (window_) return Error(ErrorCode::kInvalidArgument, "GROUP BY takes one group window");
  BRAID_TRY_ASSIGN(const Scalar time, AnalyzeExpression(analysis_, inner_, *call.arguments.front().value));
  BRAID_TRY_ASSIGN(source, AddWindows(analysis_, source, time, shape));
  window_ = call;
  const std::vector<OutputColumn>& columns = source->columns;
  window_start_ = AddKey(ColumnScalar(columns[columns.size() - 3]), "window_start");
  window_end_ = AddKey(ColumnScalar(columns[columns.size() - 2]), "window_end");
  window_time_ = AddKey(ColumnScalar(columns[columns.size() - 1]), "window_time");
  return *window_start_;
}

Result<std::size_t> Groups::AddKey(const Expression& expression, OperatorPtr& source) {
  if (!IsGroupWindow(expression)) {
    BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis_, inner_, expression));
    if (value.type.is_value() &&
        (value.type.data().kind() == TypeKind::kMap || value.type.data().kind() == TypeKind::kMultiset ||
         value.type.data().kind() == TypeKind::kVariant)) {
      return analysis_.ErrorAt(expression.position,
                               fmt::format("{} cannot be a group key: its values have no order", Describe(value.type)));
    }
    return AddKey(std::move(value), NameOf(expression));
  }
  const auto& call = std::get<syntax::FunctionCall>(expression.node);
  if (call.arguments.empty())
    return analysis_.ErrorAt(expression.position, "a group window needs a time and intervals");
  std::vector<Scalar> intervals;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    BRAID_TRY_ASSIGN(Scalar interval, AnalyzeExpression(analysis_, inner_, *call.arguments[i].value));
    intervals.push_back(std::move(interval));
  }
  const Result<WindowShape> shape = MakeWindowShape(call.name.last(), intervals);
  if (!shape) return analysis_.Place(expression.position, shape.error());
  Result<std::size_t> key = AddWindow(call, *shape, source);
  if (!key) return analysis_.Place(expression.position, key.error());
  return key;
}

Result<Groups::KeySet> Groups::Expand(const syntax::GroupingKeys& keys, OperatorPtr& source) {
  KeySet set;
  for (const syntax::ExpressionPtr& key : keys.keys) {
    const bool windows = IsGroupWindow(*key);
    BRAID_TRY_ASSIGN(const std::size_t index, AddKey(*key, source));
    set.push_back(index);
    if (windows) set.insert(set.end(), {*window_end_, *window_time_});
  }
  return set;
}

Result<std::vector<Groups::KeySet>> Groups::Expand(const syntax::GroupingElement& element, OperatorPtr& source) {
  const auto expand_all = [&](const std::vector<syntax::GroupingKeys>& parts) -> Result<std::vector<KeySet>> {
    std::vector<KeySet> sets;
    for (const syntax::GroupingKeys& part : parts) {
      BRAID_TRY_ASSIGN(KeySet set, Expand(part, source));
      sets.push_back(std::move(set));
    }
    return sets;
  };
  const auto join = [](KeySet a, const KeySet& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  std::vector<KeySet> result;
  if (const auto* keys = std::get_if<syntax::GroupingKeys>(&element.node)) {
    BRAID_TRY_ASSIGN(KeySet set, Expand(*keys, source));
    result.push_back(std::move(set));
  } else if (const auto* rollup = std::get_if<syntax::Rollup>(&element.node)) {
    BRAID_TRY_ASSIGN(const auto levels, expand_all(rollup->levels));
    result.emplace_back();
    for (const KeySet& level : levels) result.push_back(join(result.back(), level));
    std::reverse(result.begin(), result.end());
  } else if (const auto* cube = std::get_if<syntax::Cube>(&element.node)) {
    if (cube->dimensions.size() > 12)
      return analysis_.ErrorAt(element.position, "CUBE of more than 12 columns has too many groups");
    BRAID_TRY_ASSIGN(const auto dimensions, expand_all(cube->dimensions));
    result.emplace_back();
    for (const KeySet& dimension : dimensions) {
      const std::size_t count = result.size();
      for (std::size_t i = 0; i < count; ++i) result.push_back(join(result[i], dimension));
    }
  } else {
    for (const syntax::GroupingElement& part : std::get<syntax::GroupingSets>(element.node).sets) {
      BRAID_TRY_ASSIGN(std::vector<KeySet> sets, Expand(part, source));
      result.insert(result.end(), std::make_move_iterator(sets.begin()), std::make_move_iterator(sets.end()));
    }
  }
  return result;
}

Status Groups::AddGroupBy(const std::vector<syntax::GroupingElement>& elements, bool distinct, OperatorPtr& source) {
  std::vector<KeySet> product = {{}};
  bool plain = true;
  for (const syntax::GroupingElement& element : elements) {
    plain = plain && std::holds_alternative<syntax::GroupingKeys>(element.node);
    BRAID_TRY_ASSIGN(const std::vector<KeySet> sets, Expand(element, source));
    std::vector<KeySet> next;
    for (const KeySet& before : product) {
      for (const KeySet& set : sets) {
        next.push_back(before);
        next.back().insert(next.back().end(), set.begin(), set.end());
      }
    }
    product = std::move(next);
    if (product.size() > 4096) return analysis_.ErrorAt(element.position, "GROUP BY has more than 4096 grouping sets");
  }
  if (plain) return Ok();
  for (KeySet& set : product) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    if (distinct && std::find(sets_.begin(), sets_.end(), set) != sets_.end()) continue;
    sets_.push_back(std::move(set));
  }
  return Ok();
}

void Groups::Seal() {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const bool everywhere = std::all_of(sets_.begin(), sets_.end(), [i](const KeySet& set) {
      return std::find(set.begin(), set.end(), i) != set.end();
    });
    if (!everywhere) keys_[i].output.type = keys_[i].output.type.WithNullability(true);
  }
  scope_ = *inner_.scope;
  for (ScopeColumn& column : scope_.columns) {
    const auto key = std::find_if(keys_.begin(), keys_.end(),
                                  [&](const Key& candidate) { return candidate.value.sql == ColumnSql(column.id); });
    column.ungrouped = key == keys_.end();
    if (column.ungrouped) continue;
    column.id = key->output.id;
    column.type = key->output.type;
  }
}

std::optional<Scalar> Groups::FindWindowColumn(const Expression& expression) const {
  const auto* call = std::get_if<syntax::FunctionCall>(&expression.node);
  if (!window_ || call == nullptr || call->arguments != window_->arguments) return std::nullopt;
  const std::string window = ToUpper(window_->name.last());
  const std::string name = ToUpper(call->name.last());
  if (name == window + "_START") return ColumnScalar(keys_[*window_start_].output);
  if (name == window + "_END") return ColumnScalar(keys_[*window_end_].output);
  if (name == window + "_ROWTIME" || name == window + "_PROCTIME") return ColumnScalar(keys_[*window_time_].output);
  return std::nullopt;
}

Result<std::optional<Scalar>> Groups::FindKey(const Expression& expression) {
  if (std::optional<Scalar> column = FindWindowColumn(expression)) return column;
  const bool complex = std::any_of(keys_.begin(), keys_.end(), [](const Key& key) {
    return key.value.columns.size() != 1 || key.value.sql != ColumnSql(key.value.columns.front());
  });
  if (!complex || IsGroupWindow(expression)) return std::optional<Scalar>();
  // A try: what is no expression over the input is none over the keys as a whole.
  std::vector<AppendedStep> dropped;
  ExpressionSite site = inner_;
  site.appended = &dropped;
  const Result<Scalar> value = AnalyzeExpression(analysis_, site, expression);
  if (!value || !dropped.empty() || value->literal) return std::optional<Scalar>();
  for (const Key& key : keys_) {
    if (SameScalar(key.value, *value)) return std::optional(ColumnScalar(key.output));
  }
  return std::optional<Scalar>();
}

Result<Scalar> Groups::Aggregate(const Expression& expression) {
  ExpressionSite site = inner_;
  site.clause = "an aggregate";
  BRAID_TRY_ASSIGN(AggregateRequest request, AnalyzeAggregateRequest(analysis_, site, expression));
  request.never_empty = !keys_.empty();
  const CallSink add = [this](AggregateCall call) {
    for (const AggregateCall& known : calls_) {
      if (SameCall(known, call)) return ColumnScalar(known.output);
    }
    call.output.id = analysis_.NextColumn();
    calls_.push_back(std::move(call));
    return ColumnScalar(calls_.back().output);
  };
  return ResolveAggregate(analysis_, request, add);
}

Result<Scalar> Groups::Grouping(const syntax::FunctionCall& call, syntax::Position position) {
  const std::string name = ToUpper(call.name.last());
  if (name == "GROUP_ID") return LiteralScalar(0, DataType::BigInt());
  if (call.arguments.empty()) return analysis_.ErrorAt(position, fmt::format("{} takes one or more group keys", name));
  KeySet positions;
  for (const syntax::CallArgument& argument : call.arguments) {
    BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis_, inner_, *argument.value));
    const auto key = std::find_if(keys_.begin(), keys_.end(),
                                  [&](const Key& candidate) { return SameScalar(candidate.value, value); });
    if (key == keys_.end())
      return analysis_.ErrorAt(argument.value->position,
                               fmt::format("Argument to {} operator must be a grouped expression", name));
    positions.push_back(static_cast<std::size_t>(key - keys_.begin()));
  }
  groupings_.push_back(std::move(positions));
  grouping_columns_.push_back(
      OutputColumn{.id = analysis_.NextColumn(), .name = name, .type = DataType::BigInt().NotNull()});
  return ColumnScalar(grouping_columns_.back());
}

OperatorPtr Groups::Build(OperatorPtr input) const {
  op::Aggregate node{.input = std::move(input), .keys = {}, .calls = calls_, .sets = sets_, .groupings = groupings_};
  std::vector<OutputColumn> columns;
  for (const Key& key : keys_) {
    node.keys.push_back(key.value);
    columns.push_back(key.output);
  }
  for (const AggregateCall& call : calls_) columns.push_back(call.output);
  columns.insert(columns.end(), grouping_columns_.begin(), grouping_columns_.end());
  return MakeOperator(std::move(columns), std::move(node));
}

// ---- Calls ----

namespace {

Status AddArguments(Analysis& analysis, const ExpressionSite& site,
                    std::initializer_list<syntax::ExpressionPtr> expressions, AggregateRequest& request) {
  for (const syntax::ExpressionPtr& expression : expressions) {
    BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis, site, *expression));
    request.arguments.push_back(std::move(value));
  }
  return Ok();
}

Status AddFunctionArguments(Analysis& analysis, const ExpressionSite& site, const syntax::FunctionCall& call,
                            AggregateRequest& request) {
  request.name = ToUpper(call.name.last());
  request.distinct = call.quantifier == syntax::SetQuantifier::kDistinct;
  for (const syntax::CallArgument& argument : call.arguments) {
    if (std::holds_alternative<syntax::Star>(argument.value->node) && request.name == "COUNT" &&
        call.arguments.size() == 1) {
      request.star = true;
      continue;
    }
    BRAID_TRY(AddArguments(analysis, site, {argument.value}, request));
  }
  return Ok();
}

}  // namespace

Result<AggregateRequest> AnalyzeAggregateRequest(Analysis& analysis, const ExpressionSite& site,
                                                 const Expression& expression) {
  AggregateRequest request;
  const syntax::CallSuffix* suffix = nullptr;
  bool ordered = false;
  if (const auto* call = std::get_if<syntax::FunctionCall>(&expression.node)) {
    BRAID_TRY(AddFunctionArguments(analysis, site, *call, request));
    ordered = !call->order_by.empty();
    suffix = &call->suffix;
  } else if (const auto* object = std::get_if<syntax::JsonObjectAgg>(&expression.node)) {
    request.name = "JSON_OBJECTAGG";
    BRAID_TRY(AddArguments(analysis, site, {object->member.key, object->member.value}, request));
    request.json_nulls = object->nulls.value_or(syntax::JsonNulls::kNullOnNull) == syntax::JsonNulls::kNullOnNull;
    suffix = &object->suffix;
  } else {
    const auto& array = std::get<syntax::JsonArrayAgg>(expression.node);
    request.name = "JSON_ARRAYAGG";
    BRAID_TRY(AddArguments(analysis, site, {array.value}, request));
    request.json_nulls = array.nulls.value_or(syntax::JsonNulls::kAbsentOnNull) == syntax::JsonNulls::kNullOnNull;
    ordered = !array.order_by.empty();
    suffix = &array.suffix;
  }
  if (ordered || !suffix->within_group.empty()) {
    return analysis.ErrorAt(
        expression.position,
        fmt::format("Aggregate expression '{}' must not contain an ORDER BY or a WITHIN GROUP clause", request.name));
  }
  if (suffix->nulls == syntax::NullTreatment::kRespectNulls) {
    return analysis.ErrorAt(expression.position,
                            fmt::format("{} leaves NULL out; RESPECT NULLS is not supported", request.name),
                            ErrorCode::kUnsupported);
  }
  if (suffix->filter) {
    ExpressionSite filter = site;
    filter.clause = "FILTER clause";
    BRAID_TRY_ASSIGN(request.filter, AnalyzeCondition(analysis, filter, *suffix->filter));
  }
  return request;
}

}  // namespace braid
