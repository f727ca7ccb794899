// The operator tree as text.

#include <fmt/format.h>

#include "sql/aggregate_sql.h"
#include "sql/operator.h"

namespace braid {
namespace {

std::string List(const std::vector<Scalar>& values) {
  std::string text;
  for (const Scalar& value : values) text += (text.empty() ? "" : ", ") + value.sql;
  return text;
}

std::string CallText(const AggregateCall& call) {
  return fmt::format("{}({}{}){} AS {}", AggregateFunctionName(call.function), call.distinct ? "DISTINCT " : "",
                     call.arguments.empty() && call.function == AggregateFunction::kCount ? "*" : List(call.arguments),
                     call.filter ? fmt::format(" FILTER ({})", call.filter->sql) : "", ColumnSql(call.output.id));
}

std::string Columns(const std::vector<OutputColumn>& columns) {
  std::string text;
  for (const OutputColumn& column : columns)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ColumnSql(column.id), column.name);
  return text;
}

struct Headline {
  const Operator& node;

  std::string operator()(const op::Scan& scan) const {
    std::string options;
    for (const auto& [key, value] : scan.table.options.values())
      options += fmt::format("{}'{}'='{}'", options.empty() ? "" : ", ", key, value);
    return fmt::format("Scan(table=[{}.{}], columns=[{}]{})", scan.table.catalog, scan.table.identifier.ToString(),
                       Columns(node.columns), options.empty() ? "" : fmt::format(", options=[{}]", options));
  }
  std::string operator()(const op::DuckRows&) const {
    return fmt::format("DuckRows(columns=[{}])", Columns(node.columns));
  }
  std::string operator()(const op::Values& values) const {
    return fmt::format("Values(rows=[{}], columns=[{}])", values.rows.size(), Columns(node.columns));
  }
  std::string operator()(const op::Filter& filter) const {
    return fmt::format("Filter(condition=[{}])", filter.condition.sql);
  }
  std::string operator()(const op::Project& project) const {
    std::string text;
    for (std::size_t i = 0; i < project.values.size(); ++i) {
      text += fmt::format("{}{} AS {} {}", text.empty() ? "" : ", ", project.values[i].sql,
                          ColumnSql(node.columns[i].id), node.columns[i].name);
    }
    return fmt::format("Project(select=[{}])", text);
  }
  std::string operator()(const op::Aggregate& aggregate) const {
    std::string keys;
    for (std::size_t i = 0; i < aggregate.keys.size(); ++i) {
      keys += fmt::format("{}{} AS {}", keys.empty() ? "" : ", ", aggregate.keys[i].sql, ColumnSql(node.columns[i].id));
    }
    std::string calls;
    for (const AggregateCall& call : aggregate.calls) calls += (calls.empty() ? "" : ", ") + CallText(call);
    return fmt::format("Aggregate(groupBy=[{}], select=[{}]{})", keys, calls,
                       aggregate.sets.empty() ? "" : fmt::format(", groupingSets=[{}]", aggregate.sets.size()));
  }
  std::string operator()(const op::Join& join) const {
    constexpr std::array kNames = {"Inner", "Left", "Right", "Full", "Cross", "Cross"};
    return fmt::format("Join(type=[{}{}], on=[{}])", kNames[static_cast<std::size_t>(join.kind)],
                       join.lateral ? ", lateral" : "", join.condition ? join.condition->sql : "true");
  }
  std::string operator()(const op::SetOperation& operation) const {
    constexpr std::array kNames = {"Union", "Intersect", "Except"};
    return fmt::format("{}(all=[{}], columns=[{}])", kNames[static_cast<std::size_t>(operation.operation)],
                       operation.all, Columns(node.columns));
  }
  std::string operator()(const op::Distinct&) const { return "Distinct"; }
  std::string operator()(const op::Sort& sort) const {
    return fmt::format("Sort(orderBy=[{}])", SortKeysSql(sort.keys));
  }
  std::string operator()(const op::Limit& limit) const {
    return fmt::format("Limit(offset=[{}], fetch=[{}])", limit.offset,
                       limit.count ? std::to_string(*limit.count) : "all");
  }
  std::string operator()(const op::Window& window) const {
    std::string calls;
    for (const WindowCall& call : window.calls)
      calls += (calls.empty() ? "" : ", ") + CallText(call.call) + OverSql(call);
    return fmt::format("Window(select=[{}])", calls);
  }
  std::string operator()(const op::Subquery& subquery) const {
    constexpr std::array kNames = {"Scalar", "Exists", "Compare", "Array"};
    return fmt::format("Subquery(kind=[{}], column=[{}])", kNames[static_cast<std::size_t>(subquery.kind)],
                       ColumnSql(node.columns.back().id));
  }
  std::string operator()(const op::Unnest& unnest) const {
    return fmt::format("Unnest(list=[{}], outer=[{}], select=[{}])", unnest.list.sql, unnest.outer,
                       List(unnest.values));
  }
};

}  // namespace

std::string DescribeOperator(const Operator& node) {
  return std::visit(Headline{node}, node.node);
}

namespace {

void Print(const Operator& node, const std::string& first, const std::string& rest, std::string& text) {
  text += first + DescribeOperator(node) + '\n';
  const std::vector<OperatorPtr> inputs = InputsOf(node);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool last = i + 1 == inputs.size();
    Print(*inputs[i], rest + (last ? "+- " : ":- "), rest + (last ? "   " : ":  "), text);
  }
}

}  // namespace

std::string ExplainQuery(const AnalyzedQuery& query) {
  std::string text = "== Operator Tree ==\n";
  Print(*query.root, "", "", text);
  return text;
}

}  // namespace braid
