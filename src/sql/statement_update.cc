// UPDATE: the rows that match, with other values.

#include <map>
#include <utility>

#include <fmt/format.h>

#include "sql/expressions.h"
#include "sql/row_change.h"

namespace braid {

namespace {

Result<RowChange> PlanUpdate(const syntax::Update& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(RowTarget target,
                   OpenRowTarget("UPDATE", statement.table, statement.hints, statement.alias, context));
  BRAID_TRY(CheckUpdatable(target, context));
  BRAID_TRY_ASSIGN(const auto scope, TargetScope::Make(target, TargetView::kRows, context));
  OperatorPtr rows = scope->from().source;
  std::vector<AppendedStep> steps;
  ExpressionSite site{.clause = "WHERE clause", .scope = &scope->from().scope, .appended = &steps};
  if (statement.where) {
    BRAID_TRY_ASSIGN(Scalar condition, AnalyzeCondition(scope->analysis(), site, *statement.where));
    rows = MakePassing(
        op::Filter{.input = Append(std::move(rows), std::exchange(steps, {})), .condition = std::move(condition)});
  }
  site.clause = "SET clause";
  BRAID_TRY_ASSIGN(const auto assigned, AnalyzeAssignments(statement.assignments, target, *scope, site));
  std::vector<Scalar> values = {ActionScalar(RowAction::kUpdate)};
  if (!target.has_key()) {
    for (Scalar& part : scope->Address()) values.push_back(std::move(part));
  }
  for (const DataField& field : target.fields()) {
    const auto found = assigned.find(field.name);
    values.push_back(found == assigned.end() ? scope->Column(field.name) : found->second);
  }
  AnalyzedQuery query = ChangeQuery(scope->analysis(), Append(std::move(rows), steps), std::move(values));
  RowChange change{.target = std::move(target), .query = std::move(query)};
  for (const auto& [column, value] : assigned) change.updated_columns.push_back(column);
  return change;
}

}  // namespace

Result<StatementResult> Run(const syntax::Update& statement, const StatementContext& context) {
  return RunRowChange([&] { return PlanUpdate(statement, context); }, context);
}

Result<std::string> ExplainChange(const syntax::Update& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const RowChange change, PlanUpdate(statement, context));
  BRAID_TRY_ASSIGN(const std::string way, WayOfChange(change.target));
  return ExplainRowChange(change.target, way, &change.query);
}

}  // namespace braid
