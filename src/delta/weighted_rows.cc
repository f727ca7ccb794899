#include <utility>

#include <fmt/format.h>

#include "delta/weighted_rows_internal.h"
#include "sql/analysis.h"

namespace braid {
namespace {

std::vector<OutputColumn> Joined(std::vector<OutputColumn> first, const std::vector<OutputColumn>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Scalar BigIntScalar(std::string sql, std::vector<ColumnId> columns) {
  return Scalar{.type = DataType::BigInt().NotNull(), .sql = std::move(sql), .columns = std::move(columns)};
}

Scalar Product(const std::vector<OutputColumn>& weights) {
  if (weights.size() == 1) return ColumnScalar(weights.front());
  std::string sql;
  std::vector<ColumnId> columns;
  for (const OutputColumn& weight : weights) {
    sql += (sql.empty() ? "" : " * ") + ColumnSql(weight.id);
    columns.push_back(weight.id);
  }
  return BigIntScalar(weights.empty() ? "CAST(1 AS BIGINT)" : fmt::format("({})", sql), std::move(columns));
}

struct Applier {
  const Operator& node;
  const WeightedRows& input;
  const std::function<bool(ColumnId)>& is_used;

  WeightedRows operator()(const op::Filter& filter) const {
    return {.rows = MakeOperator(input.rows->columns, op::Filter{.input = input.rows, .condition = filter.condition}),
            .weights = input.weights};
  }
  WeightedRows operator()(const op::Project& project) const {
    std::vector<OutputColumn> columns;
    std::vector<Scalar> values;
    for (std::size_t i = 0; i < node.columns.size(); ++i) {
      if (!is_used(node.columns[i].id)) continue;
      columns.push_back(node.columns[i]);
      values.push_back(project.values[i]);
    }
    return ProjectRows(input, std::move(columns), std::move(values));
  }
  WeightedRows operator()(const op::Unnest& unnest) const {
    const auto added = node.columns.end() - static_cast<std::ptrdiff_t>(unnest.values.size());
    op::Unnest copy = unnest;
    copy.input = input.rows;
    return {.rows = MakeOperator(Joined(input.rows->columns, {added, node.columns.end()}), std::move(copy)),
            .weights = input.weights};
  }
  WeightedRows operator()(const op::Window& window) const {
    std::vector<OutputColumn> columns = input.rows->columns;
    for (const WindowCall& call : window.calls) columns.push_back(call.call.output);
    return {.rows = MakeOperator(std::move(columns), op::Window{.input = input.rows, .calls = window.calls}),
            .weights = input.weights};
  }
  template <typename Node>
  WeightedRows operator()(const Node& /*node*/) const {
    return input;
  }
};

}  // namespace

OutputColumn ColumnMaker::Make(std::string name, SqlType type) {
  OutputColumn column{.id = next_, .name = std::move(name), .type = std::move(type)};
  next_ = next_.next();
  return column;
}

OutputColumn ColumnMaker::MakeWeight() {
  return Make("w", DataType::BigInt().NotNull());
}

std::vector<OutputColumn> ColumnMaker::MakeLike(const std::vector<OutputColumn>& columns) {
  std::vector<OutputColumn> made;
  for (const OutputColumn& column : columns) made.push_back(Make(column.name, column.type));
  return made;
}

std::vector<Scalar> ColumnScalars(const std::vector<OutputColumn>& columns) {
  std::vector<Scalar> scalars;
  for (const OutputColumn& column : columns) scalars.push_back(ColumnScalar(column));
  return scalars;
}

WeightedRows ReadWeighted(ColumnMaker& maker, std::string from, const std::vector<OutputColumn>& columns) {
  const OutputColumn weight = maker.MakeWeight();
  return {.rows = MakeOperator(Joined(columns, {weight}), op::DuckRows{.from = std::move(from)}), .weights = {weight}};
}

WeightedRows Narrow(ColumnMaker& maker, const WeightedRows& rows, const std::vector<OutputColumn>& columns) {
  const OutputColumn weight = maker.MakeWeight();
  std::vector<Scalar> values = ColumnScalars(columns);
  values.push_back(Product(rows.weights));
  return {.rows = MakeOperator(Joined(columns, {weight}), op::Project{.input = rows.rows, .values = std::move(values)}),
          .weights = {weight}};
}

WeightedRows ProjectRows(const WeightedRows& rows, std::vector<OutputColumn> columns, std::vector<Scalar> values) {
  for (const OutputColumn& weight : rows.weights) {
    columns.push_back(weight);
    values.push_back(ColumnScalar(weight));
  }
  return {.rows = MakeOperator(std::move(columns), op::Project{.input = rows.rows, .values = std::move(values)}),
          .weights = rows.weights};
}

WeightedRows Negate(ColumnMaker& maker, const WeightedRows& rows, const std::vector<OutputColumn>& columns) {
  WeightedRows narrow = Narrow(maker, rows, columns);
  const OutputColumn weight = maker.MakeWeight();
  std::vector<Scalar> values = ColumnScalars(columns);
  values.push_back(
      BigIntScalar(fmt::format("(- {})", ColumnSql(narrow.weights.front().id)), {narrow.weights.front().id}));
  return {
      .rows = MakeOperator(Joined(columns, {weight}), op::Project{.input = narrow.rows, .values = std::move(values)}),
      .weights = {weight}};
}

WeightedRows Add(ColumnMaker& maker, const WeightedRows& a, const WeightedRows& b,
                 const std::vector<OutputColumn>& columns) {
  const WeightedRows left = Narrow(maker, a, columns);
  const WeightedRows right = Narrow(maker, b, columns);
  return {.rows = MakeOperator(
              left.rows->columns,
              op::SetOperation{
                  .operation = syntax::SetOperator::kUnion, .all = true, .left = left.rows, .right = right.rows}),
          .weights = left.weights};
}

WeightedRows JoinRows(const WeightedRows& left, const WeightedRows& right, std::optional<Scalar> condition) {
  return {
      .rows = MakeOperator(Joined(left.rows->columns, right.rows->columns), op::Join{.kind = syntax::JoinKind::kInner,
                                                                                     .left = left.rows,
                                                                                     .right = right.rows,
                                                                                     .condition = std::move(condition),
                                                                                     .keys = {},
                                                                                     .lateral = false}),
      .weights = Joined(left.weights, right.weights)};
}

OperatorPtr Expand(ColumnMaker& maker, const WeightedRows& rows, const std::vector<OutputColumn>& columns) {
  const WeightedRows narrow = Narrow(maker, rows, columns);
  const OutputColumn& weight = narrow.weights.front();
  op::Unnest unnest{.input = narrow.rows,
                    .list = Scalar{.type = DataType::Array(DataType::BigInt()),
                                   .sql = fmt::format("range({})", ColumnSql(weight.id)),
                                   .columns = {weight.id}},
                    .outer = false,
                    .element = maker.Make("copy", DataType::BigInt()).id,
                    .ordinal = {},
                    .values = {}};
  const OperatorPtr copies = MakeOperator(narrow.rows->columns, std::move(unnest));
  return MakeOperator(columns, op::Project{.input = copies, .values = ColumnScalars(columns)});
}

WeightedRows Apply(const Operator& node, const WeightedRows& input, const std::function<bool(ColumnId)>& is_used) {
  return std::visit(Applier{node, input, is_used}, node.node);
}

std::optional<Scalar> AllMatch(const std::vector<OutputColumn>& left, const std::vector<OutputColumn>& right) {
  if (left.empty()) return std::nullopt;
  Scalar condition{.type = DataType::Boolean().NotNull(), .sql = {}};
  for (std::size_t i = 0; i < left.size(); ++i) {
    condition.sql += fmt::format("{}{} IS NOT DISTINCT FROM {}", i == 0 ? "" : " AND ", ColumnSql(left[i].id),
                                 ColumnSql(right[i].id));
    condition.columns.push_back(left[i].id);
    condition.columns.push_back(right[i].id);
  }
  return condition;
}

}  // namespace braid
