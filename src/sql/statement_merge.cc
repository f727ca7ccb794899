// MERGE INTO: joins the table with a source and does to each row what the first clause that applies says.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "sql/column_use.h"
#include "sql/row_change.h"
#include "sql/scopes.h"
#include "sql/sink_cast.h"
#include "syntax/source.h"

namespace braid {

namespace {

using syntax::JoinKind;
using syntax::MergeClause;
using syntax::MergeMatch;

// A value computed from columns, by SQL that names them.
Scalar Computed(DataType type, std::string sql, std::span<const Scalar> parts) {
  return Scalar{
      .type = std::move(type), .sql = std::move(sql), .literal = {}, .is_json = false, .columns = UnionColumns(parts)};
}

// Adds a column to rows, and gives it as a scalar.
Scalar AddColumn(Analysis& analysis, OperatorPtr& rows, Scalar value) {
  std::vector<OutputColumn> columns = rows->columns;
  std::vector<Scalar> values;
  for (const OutputColumn& column : columns) values.push_back(ColumnScalar(column));
  columns.push_back({.id = analysis.NextColumn(), .name = "merge", .type = value.type});
  values.push_back(std::move(value));
  const Scalar added = ColumnScalar(columns.back());
  rows = MakeOperator(std::move(columns), op::Project{.input = rows, .values = std::move(values)});
  return added;
}

// Adds a constant that is NULL where an outer join pads the rows.
Scalar AddMarker(Analysis& analysis, OperatorPtr& rows) {
  return AddColumn(analysis, rows, Computed(DataType::Boolean(), "true", {}));
}

bool Has(const syntax::Merge& merge, MergeMatch match) {
  return std::any_of(merge.clauses.begin(), merge.clauses.end(),
                     [&](const MergeClause& clause) { return clause.match == match; });
}

template <typename Action>
bool Does(const syntax::Merge& merge, std::optional<MergeMatch> match = std::nullopt) {
  return std::any_of(merge.clauses.begin(), merge.clauses.end(), [&](const MergeClause& clause) {
    return std::holds_alternative<Action>(clause.action) && (!match || clause.match == *match);
  });
}

class MergePlanner {
 public:
  MergePlanner(const syntax::Merge& merge, const RowTarget& target, TargetScope& scope)
      : merge_(merge), target_(target), scope_(scope), analysis_(scope.analysis()) {}

  Result<RowChange> Plan() {
    BRAID_TRY(Join());
    BRAID_TRY(AnalyzeClauses());
    rows_ = Append(std::move(rows_), steps_);
    const Scalar clause = Classify();
    RowChange change{.target = target_, .query = {}};
    change.deletes_rows = Does<syntax::MergeDelete>(merge_);
    std::vector<Scalar> values = {
        ByClause(clause, DataType::TinyInt(), [](const Clause& one) { return ActionScalar(one.action); })};
    const std::vector<Scalar> matches = CountMatches(values.front());
    if (!target_.has_key()) {
      for (Scalar& part : scope_.Address()) values.push_back(std::move(part));
    }
    change.counts_matches = !matches.empty();
    values.insert(values.end(), matches.begin(), matches.end());
    for (const DataField& field : target_.fields()) {
      values.push_back(
          ByClause(clause, field.type.Nullable(), [&](const Clause& one) { return one.values.at(field.name); }));
    }
    change.query = ChangeQuery(analysis_, std::move(rows_), std::move(values));
    change.updated_columns = {updated_columns_.begin(), updated_columns_.end()};
    return change;
  }

 private:
  // A clause with its expressions settled.
  struct Clause {
    MergeMatch match;
    std::optional<Scalar> condition;
    RowAction action;
    ColumnValues values;  // of all columns of the table
  };

  Status Join() {
    BRAID_TRY_ASSIGN(FromClause source, AnalyzeFrom(analysis_, *merge_.source, {}));
    source_scope_ = source.scope;
    both_scope_ = JoinScopes(scope_.from().scope, source_scope_);
    const ExpressionSite on{.clause = "ON clause", .scope = &both_scope_};
    BRAID_TRY_ASSIGN(Scalar condition, AnalyzeCondition(analysis_, on, *merge_.on));
    BRAID_TRY(FindEqualColumns(*merge_.on));
    OperatorPtr target = scope_.from().source;
    in_target_ = AddMarker(analysis_, target);
    in_source_ = AddMarker(analysis_, source.source);
    const bool inserts = Has(merge_, MergeMatch::kNotMatched);
    const bool keeps_target = Has(merge_, MergeMatch::kNotMatchedBySource);
    JoinKind kind = inserts ? JoinKind::kRight : JoinKind::kInner;
    if (keeps_target) kind = inserts ? JoinKind::kFull : JoinKind::kLeft;
    std::vector<OutputColumn> columns = target->columns;
    columns.insert(columns.end(), source.source->columns.begin(), source.source->columns.end());
    rows_ = MakeOperator(std::move(columns), op::Join{.kind = kind,
                                                      .left = std::move(target),
                                                      .right = std::move(source.source),
                                                      .condition = std::move(condition),
                                                      .keys = {},
                                                      .lateral = false});
    return Ok();
  }

  // Pairs of columns that ON says are equal, by their SQL.
  Status FindEqualColumns(const syntax::Expression& on) {
    if (const auto* chain = std::get_if<syntax::Logical>(&on.node)) {
      if (chain->op != syntax::LogicalOperator::kAnd) return Ok();
      for (const syntax::ExpressionPtr& operand : chain->operands) BRAID_TRY(FindEqualColumns(*operand));
      return Ok();
    }
    const auto* equation = std::get_if<syntax::BinaryOperation>(&on.node);
    if (equation == nullptr || equation->op != syntax::BinaryOperator::kEqual) return Ok();
    const ExpressionSite site{.clause = "ON clause", .scope = &both_scope_};
    BRAID_TRY_ASSIGN(const Scalar left, AnalyzeExpression(analysis_, site, *equation->left));
    BRAID_TRY_ASSIGN(const Scalar right, AnalyzeExpression(analysis_, site, *equation->right));
    equal_.emplace(left.sql, right.sql);
    equal_.emplace(right.sql, left.sql);
    return Ok();
  }

  Status AnalyzeClauses() {
    for (const MergeClause& clause : merge_.clauses) {
      ExpressionSite site{.clause = "WHEN clause", .scope = &both_scope_, .appended = &steps_};
      if (clause.match == MergeMatch::kNotMatched) site.scope = &source_scope_;
      if (clause.match == MergeMatch::kNotMatchedBySource) site.scope = &scope_.from().scope;
      Clause settled{.match = clause.match, .condition = {}, .action = RowAction::kInsert, .values = {}};
      if (clause.condition) {
        BRAID_TRY_ASSIGN(settled.condition, AnalyzeCondition(analysis_, site, *clause.condition));
      }
      BRAID_TRY(
          std::visit([&](const auto& action) { return AnalyzeAction(action, clause, site, settled); }, clause.action));
      clauses_.push_back(std::move(settled));
    }
    return Ok();
  }

  Status AnalyzeAction(const syntax::MergeDelete&, const MergeClause&, const ExpressionSite&, Clause& settled) {
    settled.action = RowAction::kDelete;
    KeepRest(settled);
    return Ok();
  }

  Status AnalyzeAction(const syntax::MergeUpdate& update, const MergeClause& clause, const ExpressionSite& site,
                       Clause& settled) {
    settled.action = RowAction::kUpdate;
    if (!update.assignments.empty()) {
      BRAID_TRY_ASSIGN(settled.values, AnalyzeAssignments(update.assignments, target_, scope_, site));
      NoteUpdated(settled);
      KeepRest(settled);
      return Ok();
    }
    if (clause.match != MergeMatch::kMatched)
      return analysis_.ErrorAt(clause.position, "UPDATE SET * takes a row of the source, and there is none");
    for (const DataField& field : target_.fields()) {
      BRAID_TRY_ASSIGN(Scalar value, SourceColumn(field, clause.position));
      if (IsKeyColumn(target_, field.name)) {
        BRAID_TRY(CheckKeyStays(field, value, clause.position));
        continue;
      }
      settled.values.emplace(field.name, std::move(value));
    }
    NoteUpdated(settled);
    KeepRest(settled);
    return Ok();
  }

  Status AnalyzeAction(const syntax::MergeInsert& insert, const MergeClause& clause, const ExpressionSite& site,
                       Clause& settled) {
    if (insert.values.empty()) {
      for (const DataField& field : target_.fields()) {
        BRAID_TRY_ASSIGN(Scalar value, SourceColumn(field, clause.position));
        settled.values.emplace(field.name, std::move(value));
      }
      return Ok();
    }
    BRAID_TRY_ASSIGN(const std::vector<const DataField*> columns, InsertedColumns(insert));
    if (columns.size() != insert.values.size()) {
      return analysis_.ErrorAt(insert.values.front()->position, fmt::format("INSERT gives {} values to {} columns",
                                                                            insert.values.size(), columns.size()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis_, site, *insert.values[i]));
      BRAID_TRY_ASSIGN(Scalar stored, scope_.Store(value, *columns[i], insert.values[i]->position));
      settled.values.emplace(columns[i]->name, std::move(stored));
    }
    for (const DataField& field : target_.fields()) {
      if (settled.values.contains(field.name)) continue;
      BRAID_TRY_ASSIGN(std::string missing, MissingValue(field));
      settled.values.emplace(field.name, Computed(field.type.Nullable(), std::move(missing), {}));
    }
    return Ok();
  }

  Result<std::vector<const DataField*>> InsertedColumns(const syntax::MergeInsert& insert) const {
    std::vector<const DataField*> columns;
    if (!insert.columns) {
      for (const DataField& field : target_.fields()) columns.push_back(&field);
      return columns;
    }
    for (const syntax::QualifiedName& name : *insert.columns) {
      BRAID_TRY_ASSIGN(const DataField* field, scope_.FindColumn(name));
      if (std::find(columns.begin(), columns.end(), field) != columns.end())
        return analysis_.ErrorAt(name.position(), fmt::format("column '{}' is given twice", field->name));
      columns.push_back(field);
    }
    return columns;
  }

  // The source's column of the same name, for SET * and INSERT *.
  Result<Scalar> SourceColumn(const DataField& field, syntax::Position position) const {
    const auto named = [&](const ScopeColumn& column) { return column.name == field.name && !column.merged; };
    const auto found = std::find_if(source_scope_.columns.begin(), source_scope_.columns.end(), named);
    if (found == source_scope_.columns.end()) {
      return analysis_
          .ErrorAt(position, fmt::format("'*' takes all columns of {} from the source, which has no '{}'",
                                         target_.stored.name.ToString(), field.name))
          .Hint("name columns and values");
    }
    return scope_.Store(ColumnScalar(found->id, found->type), field, position);
  }

  Status CheckKeyStays(const DataField& field, const Scalar& value, syntax::Position position) const {
    const auto [begin, end] = equal_.equal_range(scope_.Column(field.name).sql);
    if (std::any_of(begin, end, [&](const auto& pair) { return pair.second == value.sql; })) return Ok();
    return analysis_
        .ErrorAt(position,
                 fmt::format("UPDATE SET * would set '{}', which is part of the primary key of {}", field.name,
                             target_.stored.name.ToString()),
                 ErrorCode::kUnsupported)
        .Hint(fmt::format("say in ON that the source's '{}' equals it, or name the columns to set", field.name));
  }

  void NoteUpdated(const Clause& settled) {
    for (const auto& [column, value] : settled.values) updated_columns_.insert(column);
  }

  void KeepRest(Clause& settled) const {
    for (const DataField& field : target_.fields()) {
      if (!settled.values.contains(field.name)) settled.values.emplace(field.name, scope_.Column(field.name));
    }
  }

  // Gives each row the number of its clause, and drops those that have none.
  Scalar Classify() {
    std::string sql = "CASE";
    std::vector<Scalar> parts = {in_target_, in_source_};
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      const auto there = [](const Scalar& marker, bool yes) {
        return fmt::format("{} IS {}NULL", marker.sql, yes ? "NOT " : "");
      };
      sql += fmt::format(" WHEN {} AND {}", there(in_target_, clauses_[i].match != MergeMatch::kNotMatched),
                         there(in_source_, clauses_[i].match != MergeMatch::kNotMatchedBySource));
      if (const auto& condition = clauses_[i].condition) {
        sql += fmt::format(" AND {}", condition->sql);
        parts.push_back(*condition);
      }
      sql += fmt::format(" THEN {}", i);
    }
    const Scalar clause =
        AddColumn(analysis_, rows_, Computed(DataType::Int(), fmt::format("CAST({} END AS INTEGER)", sql), parts));
    rows_ =
        MakePassing(op::Filter{.input = std::move(rows_),
                               .condition = Computed(DataType::Boolean(), fmt::format("({} IS NOT NULL)", clause.sql),
                                                     std::span(&clause, 1))});
    return clause;
  }

  // What each clause gives, as one value.
  template <typename Give>
  Scalar ByClause(const Scalar& clause, const DataType& type, Give give) const {
    std::string sql = "CASE " + clause.sql;
    std::vector<Scalar> parts = {clause};
    ColumnSet looked_at(clause.columns.begin(), clause.columns.end());
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      Scalar value = give(clauses_[i]);
      sql += fmt::format(" WHEN {} THEN {}", i, value.sql);
      for (const ColumnId column : value.columns) {
        if (std::ranges::find(value.handed_on, column) == value.handed_on.end()) looked_at.insert(column);
      }
      parts.push_back(std::move(value));
    }
    Scalar result = Computed(type, fmt::format("({} END)", sql), parts);
    std::ranges::copy_if(result.columns, std::back_inserter(result.handed_on),
                         [&](ColumnId column) { return !looked_at.contains(column); });
    return result;
  }

  // Lets a row that several rows of the source delete go once. Gives the number of matches of rows that are updated, if
  // any can be.
  std::vector<Scalar> CountMatches(const Scalar& action) {
    const bool updates = Does<syntax::MergeUpdate>(merge_, MergeMatch::kMatched);
    const bool deletes = Does<syntax::MergeDelete>(merge_, MergeMatch::kMatched);
    if (!updates && !deletes) return {};
    const auto is = [&](RowAction wanted) {
      return Computed(DataType::Boolean(), fmt::format("({} = {})", action.sql, static_cast<int>(wanted)),
                      std::span(&action, 1));
    };
    const auto call = [&](AggregateFunction function, std::optional<Scalar> filter) {
      return WindowCall{
          .call = {.function = function,
                   .arguments = {},
                   .distinct = false,
                   .filter = std::move(filter),
                   .output = {.id = analysis_.NextColumn(), .name = "matches", .type = DataType::BigInt()}},
          .partition_by = RowIdentity(),
          .order_by = {},
          .frame = {}};
    };
    std::vector<WindowCall> calls = {call(AggregateFunction::kRowNumber, std::nullopt),
                                     call(AggregateFunction::kCount, std::nullopt),
                                     call(AggregateFunction::kCount, is(RowAction::kUpdate))};
    std::vector<OutputColumn> columns = rows_->columns;
    std::vector<Scalar> numbers;
    for (const WindowCall& one : calls) {
      columns.push_back(one.call.output);
      numbers.push_back(ColumnScalar(one.call.output));
    }
    rows_ = MakeOperator(std::move(columns), op::Window{.input = std::move(rows_), .calls = std::move(calls)});
    if (deletes) {
      const std::array parts = {in_target_, in_source_, numbers[0], action};
      rows_ =
          MakePassing(op::Filter{.input = std::move(rows_),
                                 .condition = Computed(DataType::Boolean(),
                                                       fmt::format("({} IS NULL OR {} IS NULL OR {} = 1 OR {} <> {})",
                                                                   in_target_.sql, in_source_.sql, numbers[0].sql,
                                                                   action.sql, static_cast<int>(RowAction::kDelete)),
                                                       parts)});
    }
    if (!updates) return {};
    const std::array parts = {in_target_, in_source_, numbers[1], numbers[2]};
    return {Computed(DataType::BigInt(),
                     fmt::format("(CASE WHEN {} IS NULL OR {} IS NULL OR {} = 0 THEN CAST(1 AS BIGINT) ELSE {} END)",
                                 in_target_.sql, in_source_.sql, numbers[2].sql, numbers[1].sql),
                     parts)};
  }

  // The columns that tell rows of the table apart.
  std::vector<Scalar> RowIdentity() const {
    if (!target_.has_key()) return scope_.Address();
    std::vector<Scalar> key;
    for (const std::string& name : target_.stored.table.schema().primary_keys) key.push_back(scope_.Column(name));
    return key;
  }

  const syntax::Merge& merge_;
  const RowTarget& target_;
  TargetScope& scope_;
  Analysis& analysis_;
  Scope source_scope_;
  Scope both_scope_;
  Scalar in_target_;  // NULL where the table has no such row
  Scalar in_source_;
  std::multimap<std::string, std::string> equal_;
  std::vector<AppendedStep> steps_;
  std::vector<Clause> clauses_;
  std::set<std::string> updated_columns_;
  OperatorPtr rows_;
};

Result<RowChange> PlanMerge(const syntax::Merge& merge, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const RowTarget target, OpenRowTarget("MERGE", merge.table, merge.hints, merge.alias, context));
  if (Does<syntax::MergeDelete>(merge)) BRAID_TRY(CheckDeletable(target, context));
  if (Does<syntax::MergeUpdate>(merge)) BRAID_TRY(CheckUpdatable(target, context));
  BRAID_TRY_ASSIGN(const auto scope, TargetScope::Make(target, TargetView::kRows, context));
  return MergePlanner(merge, target, *scope).Plan();
}

}  // namespace

Result<StatementResult> Run(const syntax::Merge& statement, const StatementContext& context) {
  return RunRowChange([&] { return PlanMerge(statement, context); }, context);
}

Result<std::string> ExplainChange(const syntax::Merge& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const RowChange change, PlanMerge(statement, context));
  BRAID_TRY_ASSIGN(const std::string way, WayOfChange(change.target));
  return ExplainRowChange(change.target, way, &change.query);
}

}  // namespace braid
