// Queries within expressions.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sql/expressions.h"
#include "sql/queries.h"

namespace braid {
namespace {

using syntax::Position;

Result<OperatorPtr> AnalyzeInner(Analysis& analysis, const ExpressionSite& site, const syntax::Query& query,
                                 Position position) {
  if (site.appended == nullptr)
    return analysis.ErrorAt(position, fmt::format("an inner query cannot stand in {}", site.clause),
                            ErrorCode::kUnsupported);
  return AnalyzeRelation(analysis, query, Surroundings{.outer = site.scope, .common_tables = site.common_tables});
}

Result<OperatorPtr> AnalyzeOneColumn(Analysis& analysis, const ExpressionSite& site, const syntax::Query& query,
                                     Position position) {
  BRAID_TRY_ASSIGN(OperatorPtr inner, AnalyzeInner(analysis, site, query, position));
  if (inner->columns.size() != 1)
    return analysis.ErrorAt(position,
                            fmt::format("the inner query has {} columns, but one is needed", inner->columns.size()));
  return inner;
}

Scalar Add(Analysis& analysis, const ExpressionSite& site, op::Subquery node, SqlType type) {
  SubqueryStep step{.node = std::move(node),
                    .column = OutputColumn{.id = analysis.NextColumn(), .name = "EXPR", .type = std::move(type)}};
  const Scalar value = ColumnScalar(step.column);
  site.appended->emplace_back(std::move(step));
  return value;
}

/// Compares values with the rows of a query of as many columns.
Result<Scalar> Compare(Analysis& analysis, const ExpressionSite& site, op::Subquery node,
                       const syntax::ExpressionPtr& value, const syntax::Query& query, Position position) {
  BRAID_TRY_ASSIGN(OperatorPtr inner, AnalyzeInner(analysis, site, query, position));
  std::vector<Scalar> values;
  const auto* row = std::get_if<syntax::RowConstructor>(&value->node);
  if (row != nullptr && row->elements.size() == inner->columns.size()) {
    for (const syntax::ExpressionPtr& element : row->elements) {
      BRAID_TRY_ASSIGN(Scalar part, AnalyzeExpression(analysis, site, *element));
      values.push_back(std::move(part));
    }
  } else {
    BRAID_TRY_ASSIGN(Scalar single, AnalyzeExpression(analysis, site, *value));
    values.push_back(std::move(single));
  }
  if (values.size() != inner->columns.size()) {
    return analysis.ErrorAt(position, fmt::format("{} is compared with an inner query of {} columns",
                                                  values.size() == 1 ? "one value" : "a row", inner->columns.size()));
  }
  std::vector<SqlType> types;
  bool nullable = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::array both = {values[i].type, inner->columns[i].type};
    nullable = nullable || both[0].nullable() || both[1].nullable();
    const std::optional<SqlType> common = CommonType(both);
    std::optional<Scalar> converted = common ? ConvertTo(analysis, values[i], *common) : std::nullopt;
    if (!converted)
      return analysis.ErrorAt(position,
                              fmt::format("{} cannot be compared with {}", Describe(both[0]), Describe(both[1])));
    values[i] = *std::move(converted);
    types.push_back(*common);
  }
  node.query = ConvertColumns(analysis, inner, types);
  if (node.query == nullptr)
    return analysis.ErrorAt(position, "the inner query's columns cannot be compared with the values");
  node.kind = op::Subquery::Kind::kCompare;
  node.values = std::move(values);
  return Add(analysis, site, std::move(node), DataType::Boolean().WithNullability(nullable));
}

}  // namespace

Result<Scalar> AnalyzeScalarSubquery(Analysis& analysis, const ExpressionSite& site, const syntax::ScalarSubquery& node,
                                     Position position) {
  BRAID_TRY_ASSIGN(OperatorPtr inner, AnalyzeOneColumn(analysis, site, *node.query, position));
  const SqlType type = inner->columns.front().type.WithNullability(true);
  return Add(analysis, site, op::Subquery{.input = {}, .query = std::move(inner), .kind = op::Subquery::Kind::kScalar},
             type);
}

Result<Scalar> AnalyzeExists(Analysis& analysis, const ExpressionSite& site, const syntax::Exists& node,
                             Position position) {
  BRAID_TRY_ASSIGN(OperatorPtr inner, AnalyzeInner(analysis, site, *node.query, position));
  return Add(analysis, site, op::Subquery{.input = {}, .query = std::move(inner), .kind = op::Subquery::Kind::kExists},
             DataType::Boolean().NotNull());
}

Result<Scalar> AnalyzeInQuery(Analysis& analysis, const ExpressionSite& site, const syntax::In& node,
                              Position position) {
  const bool is_conjunct = site.conjuncts != nullptr &&
                           std::find(site.conjuncts->begin(), site.conjuncts->end(), &node) != site.conjuncts->end();
  return Compare(
      analysis, site,
      op::Subquery{.input = {}, .query = {}, .negated = node.negated, .truth_only = is_conjunct && !node.negated},
      node.value, *node.query, position);
}

Result<Scalar> AnalyzeQuantified(Analysis& analysis, const ExpressionSite& site,
                                 const syntax::QuantifiedComparison& node, Position position) {
  if (node.query) {
    return Compare(analysis, site, op::Subquery{.input = {}, .query = {}, .comparison = node.op, .all = node.all},
                   node.value, *node.query, position);
  }
  BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis, site, *node.value));
  std::vector<Scalar> comparisons;
  for (const syntax::ExpressionPtr& element : node.list) {
    BRAID_TRY_ASSIGN(const Scalar other, AnalyzeExpression(analysis, site, *element));
    BRAID_TRY_ASSIGN(Scalar comparison, Call(analysis, syntax::BinaryOperatorText(node.op), {value, other}));
    comparisons.push_back(std::move(comparison));
  }
  if (comparisons.size() == 1) return comparisons.front();
  return Call(analysis, node.all ? "AND" : "OR", std::move(comparisons));
}

Result<Scalar> AnalyzeCollectionQuery(Analysis& analysis, const ExpressionSite& site,
                                      const syntax::CollectionQuery& node, Position position) {
  if (node.kind != syntax::CollectionKind::kArray) {
    return analysis.ErrorAt(position, "MULTISET(query) and MAP(query) are not supported", ErrorCode::kUnsupported);
  }
  BRAID_TRY_ASSIGN(OperatorPtr inner, AnalyzeOneColumn(analysis, site, *node.query, position));
  const SqlType& element = inner->columns.front().type;
  if (!element.is_value()) return analysis.ErrorAt(position, fmt::format("an ARRAY cannot hold {}", Describe(element)));
  const SqlType type = DataType::Array(element.data()).NotNull();
  return Add(analysis, site, op::Subquery{.input = {}, .query = std::move(inner), .kind = op::Subquery::Kind::kArray},
             type);
}

}  // namespace braid
