// DELETE: of whole partitions by dropping their files, else of rows.

#include <algorithm>
#include <utility>
#include <variant>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "sql/expressions.h"
#include "sql/random_calls.h"
#include "sql/row_change.h"

namespace braid {

namespace {

// Rows that go because their partitions go.
struct DroppedPartitions {
  std::optional<std::set<BinaryRow>> partitions;  // nullopt: all rows
};
using DeletePlan = std::variant<RowChange, DroppedPartitions>;

struct Condition {
  std::vector<AppendedStep> steps;
  Scalar value;

  OperatorPtr Filter(OperatorPtr rows) const {
    return MakePassing(op::Filter{.input = Append(std::move(rows), steps), .condition = value});
  }
};

Result<Condition> AnalyzeWhere(const syntax::Expression& where, TargetScope& scope) {
  Condition condition;
  const ExpressionSite site{.clause = "WHERE clause", .scope = &scope.from().scope, .appended = &condition.steps};
  BRAID_TRY_ASSIGN(condition.value, AnalyzeCondition(scope.analysis(), site, where));
  return condition;
}

bool NamesPartitionsAlone(const Condition& condition, const TargetScope& scope, const RowTarget& target) {
  if (!condition.steps.empty() || condition.value.columns.empty() || IsRandom(condition.value)) return false;
  std::vector<ColumnId> keys;
  for (const std::string& key : target.stored.table.schema().partition_keys)
    keys.push_back(scope.Column(key).columns.front());
  return std::all_of(condition.value.columns.begin(), condition.value.columns.end(),
                     [&](ColumnId id) { return std::find(keys.begin(), keys.end(), id) != keys.end(); });
}

Result<std::set<BinaryRow>> MatchingPartitions(const syntax::Expression& where, const RowTarget& target,
                                               const StatementContext& context) {
  BRAID_TRY_ASSIGN(const auto scope, TargetScope::Make(target, TargetView::kPartitions, context));
  BRAID_TRY_ASSIGN(const Condition condition, AnalyzeWhere(where, *scope));
  const AnalyzedQuery query =
      ChangeQuery(scope->analysis(), condition.Filter(scope->from().source), {scope->PartitionNumber()});
  BRAID_TRY_ASSIGN(DuckEngine * engine, context.session.Engine());
  BRAID_TRY_ASSIGN(const DuckProgram program, EmitDuckSql(query, *engine));
  BRAID_TRY_ASSIGN(DuckConnection * connection, context.session.Connection());
  const DataType wanted[] = {DataType::Int()};
  BRAID_TRY_ASSIGN(const auto rows, connection->Query(program.sql, wanted));
  std::set<BinaryRow> matching;
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
    if (!batch) return matching;
    for (std::int64_t row = 0; row < batch->row_count(); ++row) {
      const std::int64_t number = DatumAt(*batch->rows->column(0), row, wanted[0]).as_int();
      matching.insert(scope->partitions()[static_cast<std::size_t>(number)]);
    }
  }
}

Result<RowTarget> OpenTarget(const syntax::Delete& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(RowTarget target,
                   OpenRowTarget("DELETE", statement.table, statement.hints, statement.alias, context));
  BRAID_TRY(CheckDeletable(target, context));
  return target;
}

// Plans it on the newest snapshot. Rows of key tables are written even if whole partitions go where the table's
// changelog is to show them (`delete.force-produce-changelog`).
Result<DeletePlan> PlanDelete(const syntax::Delete& statement, RowTarget target, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const bool writes_changelog,
                   target.stored.table.options().GetBool("delete.force-produce-changelog", false));
  const bool may_drop = !(target.has_key() && writes_changelog);
  if (!statement.where && may_drop) return DroppedPartitions{};
  BRAID_TRY_ASSIGN(const auto scope, TargetScope::Make(target, TargetView::kRows, context));
  OperatorPtr rows = scope->from().source;
  if (statement.where) {
    BRAID_TRY_ASSIGN(const Condition condition, AnalyzeWhere(*statement.where, *scope));
    if (may_drop && NamesPartitionsAlone(condition, *scope, target)) {
      BRAID_TRY_ASSIGN(auto partitions, MatchingPartitions(*statement.where, target, context));
      return DroppedPartitions{std::move(partitions)};
    }
    rows = condition.Filter(std::move(rows));
  }
  std::vector<Scalar> values = {ActionScalar(RowAction::kDelete)};
  if (target.has_key()) {
    for (const DataField& field : target.fields()) values.push_back(scope->Column(field.name));
  } else {
    for (Scalar& part : scope->Address()) values.push_back(std::move(part));
  }
  AnalyzedQuery query = ChangeQuery(scope->analysis(), std::move(rows), std::move(values));
  const bool writes_rows = target.has_key();
  return RowChange{.target = std::move(target),
                   .query = std::move(query),
                   .counts_matches = false,
                   .writes_rows = writes_rows,
                   .deletes_rows = true};
}

}  // namespace

Result<StatementResult> Run(const syntax::Delete& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const RowTarget target, OpenTarget(statement, context));
  BRAID_TRY_ASSIGN(DeletePlan first, PlanDelete(statement, target, context));
  if (const auto* dropped = std::get_if<DroppedPartitions>(&first))
    return RunDrop(target, dropped->partitions, context);
  std::optional<RowChange> planned = std::get<RowChange>(std::move(first));
  return RunRowChange(
      [&]() -> Result<RowChange> {
        if (planned) return *std::exchange(planned, std::nullopt);
        BRAID_TRY_ASSIGN(RowTarget again, OpenTarget(statement, context));
        BRAID_TRY_ASSIGN(DeletePlan plan, PlanDelete(statement, std::move(again), context));
        return std::get<RowChange>(std::move(plan));
      },
      context);
}

Result<std::string> ExplainChange(const syntax::Delete& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const RowTarget target, OpenTarget(statement, context));
  BRAID_TRY_ASSIGN(const DeletePlan plan, PlanDelete(statement, target, context));
  if (const auto* dropped = std::get_if<DroppedPartitions>(&plan)) {
    const std::string way =
        dropped->partitions ? fmt::format("dropping {} partitions", dropped->partitions->size()) : "dropping all files";
    return ExplainRowChange(target, way, nullptr);
  }
  BRAID_TRY_ASSIGN(const std::string way, WayOfChange(target));
  return ExplainRowChange(target, way, &std::get<RowChange>(plan).query);
}

}  // namespace braid
