#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "delta/rewrite_internal.h"
#include "sql/analysis.h"

namespace braid {
namespace {

std::vector<OutputColumn> Concatenated(std::vector<OutputColumn> first, const std::vector<OutputColumn>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Scalar Expression(SqlType type, std::string sql, std::vector<ColumnId> columns) {
  return Scalar{.type = std::move(type), .sql = std::move(sql), .columns = std::move(columns)};
}

AggregateCall Call(AggregateFunction function, std::vector<Scalar> arguments, OutputColumn output) {
  return AggregateCall{.function = function,
                       .arguments = std::move(arguments),
                       .distinct = false,
                       .filter = {},
                       .output = std::move(output)};
}

OperatorPtr Aggregated(OperatorPtr input, std::vector<Scalar> keys, std::vector<AggregateCall> calls,
                       std::vector<OutputColumn> columns) {
  return MakeOperator(
      std::move(columns),
      op::Aggregate{
          .input = std::move(input), .keys = std::move(keys), .calls = std::move(calls), .sets = {}, .groupings = {}});
}

OperatorPtr Joined(syntax::JoinKind kind, const OperatorPtr& left, const OperatorPtr& right,
                   std::optional<Scalar> condition) {
  return MakeOperator(
      Concatenated(left->columns, right->columns),
      op::Join{
          .kind = kind, .left = left, .right = right, .condition = std::move(condition), .keys = {}, .lateral = false});
}

/// All columns of the operator, and more.
OperatorPtr Extended(const OperatorPtr& input, const std::vector<OutputColumn>& columns, std::vector<Scalar> values) {
  std::vector<Scalar> all = ColumnScalars(input->columns);
  all.insert(all.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
  return MakeOperator(Concatenated(input->columns, columns), op::Project{.input = input, .values = std::move(all)});
}

// ---- Grouping sets ----

bool Contains(const std::vector<std::size_t>& set, std::size_t key) {
  return std::find(set.begin(), set.end(), key) != set.end();
}

/// GROUPING(…) of one set: one bit a key, the first one the highest, set where the key is no part of the set.
std::int64_t GroupingValue(const std::vector<std::size_t>& keys, const std::vector<std::size_t>& set) {
  std::int64_t value = 0;
  for (const std::size_t key : keys) value = value * 2 + (Contains(set, key) ? 0 : 1);
  return value;
}

OperatorPtr ExpandSets(ColumnMaker& maker, const Operator& node, const op::Aggregate& aggregate) {
  const std::size_t set_count = aggregate.sets.size();
  const OutputColumn element = maker.Make("element", DataType::BigInt().NotNull());
  const OutputColumn set = maker.Make("set", DataType::BigInt().NotNull());
  const OperatorPtr copies = MakeOperator(
      Concatenated(aggregate.input->columns, {set}),
      op::Unnest{.input = aggregate.input,
                 .list = Expression(DataType::Array(DataType::BigInt()), fmt::format("range({})", set_count), {}),
                 .outer = false,
                 .element = element.id,
                 .ordinal = {},
                 .values = {ColumnScalar(element)}});
  std::vector<OutputColumn> keys;
  std::vector<Scalar> values;
  for (std::size_t i = 0; i < aggregate.keys.size(); ++i) {
    std::string sets;
    for (std::size_t s = 0; s < set_count; ++s) {
      if (Contains(aggregate.sets[s], i)) sets += fmt::format("{}{}", sets.empty() ? "" : ", ", s);
    }
    std::vector<ColumnId> reads = aggregate.keys[i].columns;
    reads.push_back(set.id);
    const std::string& key = aggregate.keys[i].sql;
    keys.push_back(maker.Make(node.columns[i].name, node.columns[i].type));
    // A key of no set is NULL everywhere, but of its own type.
    values.push_back(
        Expression(node.columns[i].type,
                   fmt::format("CASE WHEN {} THEN {} END",
                               sets.empty() ? "false" : fmt::format("{} IN ({})", ColumnSql(set.id), sets), key),
                   std::move(reads)));
  }
  const OperatorPtr keyed = Extended(copies, keys, std::move(values));
  std::vector<Scalar> group_keys = ColumnScalars(keys);
  group_keys.push_back(ColumnScalar(set));
  const std::size_t key_count = aggregate.keys.size();
  std::vector<OutputColumn> columns(node.columns.begin(),
                                    node.columns.begin() + static_cast<std::ptrdiff_t>(key_count));
  const OutputColumn group_set = maker.Make("set", DataType::BigInt().NotNull());
  columns.push_back(group_set);
  for (const AggregateCall& call : aggregate.calls) columns.push_back(call.output);
  const OperatorPtr grouped = Aggregated(keyed, std::move(group_keys), aggregate.calls, std::move(columns));
  std::vector<Scalar> results;
  for (const OutputColumn& column : node.columns) results.push_back(ColumnScalar(column));
  for (std::size_t i = 0; i < aggregate.groupings.size(); ++i) {
    std::string cases;
    for (std::size_t s = 0; s < set_count; ++s)
      cases += fmt::format(" WHEN {} THEN {}", s, GroupingValue(aggregate.groupings[i], aggregate.sets[s]));
    results[key_count + aggregate.calls.size() + i] =
        Expression(DataType::BigInt().NotNull(),
                   fmt::format("CAST(CASE {}{} END AS BIGINT)", ColumnSql(group_set.id), cases), {group_set.id});
  }
  return MakeOperator(node.columns, op::Project{.input = grouped, .values = std::move(results)});
}

// ---- Inner queries ----

OperatorPtr RewriteExists(ColumnMaker& maker, const Operator& node, const op::Subquery& subquery) {
  const OutputColumn count = maker.Make("count", DataType::BigInt().NotNull());
  const OperatorPtr counted = Aggregated(subquery.query, {}, {Call(AggregateFunction::kCount, {}, count)}, {count});
  const OperatorPtr mark = MakeOperator(
      {node.columns.back()},
      op::Project{
          .input = counted,
          .values = {Expression(node.columns.back().type, fmt::format("({} > 0)", ColumnSql(count.id)), {count.id})}});
  return Joined(syntax::JoinKind::kCross, subquery.input, mark, std::nullopt);
}

OperatorPtr RewriteScalar(const Operator& node, const op::Subquery& subquery) {
  const OutputColumn& value = node.columns.back();
  const Scalar argument = ColumnScalar(subquery.query->columns.front());
  const OperatorPtr single =
      Aggregated(subquery.query, {}, {Call(AggregateFunction::kSingleValue, {argument}, value)}, {value});
  return Joined(syntax::JoinKind::kCross, subquery.input, single, std::nullopt);
}

/// Whether rows of the query are missing, and whether one of its values is NULL: what IN needs beside a match.
struct QueryFacts {
  OperatorPtr rows;  ///< one row
  OutputColumn is_empty;
  OutputColumn has_null;
};

QueryFacts FactsOf(ColumnMaker& maker, const OperatorPtr& query) {
  const OutputColumn count = maker.Make("count", DataType::BigInt().NotNull());
  const OutputColumn values = maker.Make("values", DataType::BigInt().NotNull());
  const OperatorPtr counted =
      Aggregated(query, {},
                 {Call(AggregateFunction::kCount, {}, count),
                  Call(AggregateFunction::kCount, {ColumnScalar(query->columns.front())}, values)},
                 {count, values});
  QueryFacts facts{.rows = {},
                   .is_empty = maker.Make("is_empty", DataType::Boolean().NotNull()),
                   .has_null = maker.Make("has_null", DataType::Boolean().NotNull())};
  const std::string count_sql = ColumnSql(count.id);
  facts.rows = MakeOperator(
      {facts.is_empty, facts.has_null},
      op::Project{.input = counted,
                  .values = {Expression(facts.is_empty.type, fmt::format("({} = 0)", count_sql), {count.id}),
                             Expression(facts.has_null.type, fmt::format("({} <> {})", count_sql, ColumnSql(values.id)),
                                        {count.id, values.id})}});
  return facts;
}

/// `x IN (query)`; nullptr if it has no rule.
OperatorPtr RewriteIn(ColumnMaker& maker, const Operator& node, const op::Subquery& subquery) {
  bool nullable = false;
  const std::vector<OutputColumn> elements = maker.MakeLike(subquery.query->columns);
  Scalar equal{.type = DataType::Boolean(), .sql = {}};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Scalar& value = subquery.values[i];
    nullable = nullable || elements[i].type.nullable() || value.type.nullable();
    equal.sql += fmt::format("{}{} = {}", i == 0 ? "" : " AND ", value.sql, ColumnSql(elements[i].id));
    equal.columns.insert(equal.columns.end(), value.columns.begin(), value.columns.end());
    equal.columns.push_back(elements[i].id);
  }
  const OperatorPtr distinct = Aggregated(subquery.query, ColumnScalars(subquery.query->columns), {}, elements);
  const OutputColumn& mark = node.columns.back();
  const auto with_mark = [&](const OperatorPtr& joined, std::string sql, std::vector<ColumnId> reads) {
    std::vector<Scalar> values = ColumnScalars(node.columns);
    values.back() = Expression(mark.type, std::move(sql), std::move(reads));
    return MakeOperator(node.columns, op::Project{.input = joined, .values = std::move(values)});
  };
  if (subquery.truth_only && !subquery.negated) {
    return with_mark(Joined(syntax::JoinKind::kInner, subquery.input, distinct, std::move(equal)), "true", {});
  }
  const OutputColumn match = maker.Make("match", DataType::Boolean());
  const OperatorPtr marked = Extended(distinct, {match}, {Expression(match.type, "true", {})});
  const OperatorPtr joined = Joined(syntax::JoinKind::kLeft, subquery.input, marked, std::move(equal));
  const std::string match_sql = ColumnSql(match.id);
  if (!nullable)
    return with_mark(joined, fmt::format("({} IS {}NULL)", match_sql, subquery.negated ? "" : "NOT "), {match.id});
  if (elements.size() != 1) return nullptr;
  const Scalar& value = subquery.values.front();
  const QueryFacts facts = FactsOf(maker, subquery.query);
  std::vector<ColumnId> reads = value.columns;
  reads.insert(reads.end(), {match.id, facts.is_empty.id, facts.has_null.id});
  return with_mark(
      Joined(syntax::JoinKind::kCross, joined, facts.rows, std::nullopt),
      fmt::format("({}CASE WHEN {} THEN true WHEN {} THEN false WHEN {} IS NULL OR {} THEN NULL ELSE false END)",
                  subquery.negated ? "NOT " : "", match_sql, ColumnSql(facts.is_empty.id), value.sql,
                  ColumnSql(facts.has_null.id)),
      std::move(reads));
}

OperatorPtr RewriteSubquery(ColumnMaker& maker, const OperatorPtr& node, const op::Subquery& subquery) {
  if (!IsClosed(*subquery.query)) return node;
  switch (subquery.kind) {
    case op::Subquery::Kind::kExists: return RewriteExists(maker, *node, subquery);
    case op::Subquery::Kind::kScalar: return RewriteScalar(*node, subquery);
    case op::Subquery::Kind::kCompare:
      if (subquery.comparison == syntax::BinaryOperator::kEqual && !subquery.all) {
        const OperatorPtr joined = RewriteIn(maker, *node, subquery);
        if (joined != nullptr) return joined;
      }
      return node;
    case op::Subquery::Kind::kArray: return node;
  }
  return node;
}

/// Without the calls that nothing reads: what they read need not be there either.
OperatorPtr UsedWindow(const OperatorPtr& node, const op::Window& window,
                       const std::function<bool(ColumnId)>& is_used) {
  std::vector<WindowCall> calls;
  std::vector<OutputColumn> columns = window.input->columns;
  for (const WindowCall& call : window.calls) {
    if (!is_used(call.call.output.id)) continue;
    calls.push_back(call);
    columns.push_back(call.call.output);
  }
  if (calls.empty()) return window.input;
  if (calls.size() == window.calls.size()) return node;
  return MakeOperator(std::move(columns), op::Window{.input = window.input, .calls = std::move(calls)});
}

}  // namespace

OperatorPtr Rewrite(ColumnMaker& maker, const OperatorPtr& node, const std::function<bool(ColumnId)>& is_used) {
  if (const auto* distinct = std::get_if<op::Distinct>(&node->node))
    return Aggregated(distinct->input, ColumnScalars(node->columns), {}, node->columns);
  if (const auto* operation = std::get_if<op::SetOperation>(&node->node);
      operation != nullptr && operation->operation == syntax::SetOperator::kUnion && !operation->all) {
    op::SetOperation all = *operation;
    all.all = true;
    // Columns of its own: all are keys, also those that nothing above reads.
    const std::vector<OutputColumn> columns = maker.MakeLike(node->columns);
    return Aggregated(MakeOperator(columns, std::move(all)), ColumnScalars(columns), {}, node->columns);
  }
  if (const auto* aggregate = std::get_if<op::Aggregate>(&node->node); aggregate != nullptr && !aggregate->sets.empty())
    return ExpandSets(maker, *node, *aggregate);
  if (const auto* sort = std::get_if<op::Sort>(&node->node))
    return MakeOperator(node->columns, op::Project{.input = sort->input, .values = ColumnScalars(node->columns)});
  if (const auto* window = std::get_if<op::Window>(&node->node)) return UsedWindow(node, *window, is_used);
  if (const auto* subquery = std::get_if<op::Subquery>(&node->node)) {
    if (!is_used(node->columns.back().id)) return subquery->input;
    return RewriteSubquery(maker, node, *subquery);
  }
  return node;
}

}  // namespace braid
