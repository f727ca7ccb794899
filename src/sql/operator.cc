#include "sql/operator.h"

#include <algorithm>

#include <fmt/format.h>

namespace braid {

std::string ColumnSql(ColumnId id) {
  return fmt::format("c{}", id);
}

std::string_view AggregateFunctionName(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kCount: return "COUNT";
    case AggregateFunction::kSum: return "SUM";
    case AggregateFunction::kMin: return "MIN";
    case AggregateFunction::kMax: return "MAX";
    case AggregateFunction::kFirstValue: return "FIRST_VALUE";
    case AggregateFunction::kLastValue: return "LAST_VALUE";
    case AggregateFunction::kSingleValue: return "SINGLE_VALUE";
    case AggregateFunction::kCollect: return "COLLECT";
    case AggregateFunction::kArrayAgg: return "ARRAY_AGG";
    case AggregateFunction::kListAgg: return "LISTAGG";
    case AggregateFunction::kJsonObjectAgg: return "JSON_OBJECTAGG";
    case AggregateFunction::kJsonArrayAgg: return "JSON_ARRAYAGG";
    case AggregateFunction::kApproxCountDistinct: return "APPROX_COUNT_DISTINCT";
    case AggregateFunction::kPercentile: return "PERCENTILE";
    case AggregateFunction::kRowNumber: return "ROW_NUMBER";
    case AggregateFunction::kRank: return "RANK";
    case AggregateFunction::kDenseRank: return "DENSE_RANK";
    case AggregateFunction::kPercentRank: return "PERCENT_RANK";
    case AggregateFunction::kCumeDist: return "CUME_DIST";
    case AggregateFunction::kNtile: return "NTILE";
    case AggregateFunction::kLag: return "LAG";
    case AggregateFunction::kLead: return "LEAD";
  }
  return "";
}

bool SameScalar(const Scalar& a, const Scalar& b) {
  return a.sql == b.sql && a.type == b.type;
}

bool SameCall(const AggregateCall& a, const AggregateCall& b) {
  if (a.filter.has_value() != b.filter.has_value() || (a.filter && !SameScalar(*a.filter, *b.filter))) return false;
  return a.function == b.function && a.distinct == b.distinct && a.output.type == b.output.type &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(), SameScalar);
}

namespace {

struct InputCollector {
  std::vector<OperatorPtr> operator()(const op::Scan&) const { return {}; }
  std::vector<OperatorPtr> operator()(const op::DuckRows&) const { return {}; }
  std::vector<OperatorPtr> operator()(const op::Values&) const { return {}; }
  std::vector<OperatorPtr> operator()(const op::Join& join) const { return {join.left, join.right}; }
  std::vector<OperatorPtr> operator()(const op::SetOperation& operation) const {
    return {operation.left, operation.right};
  }
  std::vector<OperatorPtr> operator()(const op::Subquery& subquery) const { return {subquery.input, subquery.query}; }
  template <typename Node>
  std::vector<OperatorPtr> operator()(const Node& node) const {
    if (node.input == nullptr) return {};
    return {node.input};
  }
};

}  // namespace

std::vector<OperatorPtr> InputsOf(const Operator& node) {
  return std::visit(InputCollector{}, node.node);
}

}  // namespace braid
