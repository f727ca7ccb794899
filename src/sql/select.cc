// SELECT … FROM … WHERE … GROUP BY … HAVING … QUALIFY … ORDER BY.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/expression_children.h"
#include "sql/expressions.h"
#include "sql/groups.h"
#include "sql/queries.h"
#include "sql/scopes.h"

namespace braid {
namespace {

using syntax::Expression;

class SelectAnalyzer {
 public:
  SelectAnalyzer(Analysis& analysis, const syntax::Select& select, const std::vector<syntax::OrderItem>& order_by,
                 const Surroundings& around)
      : analysis_(analysis), select_(select), order_by_(order_by), around_(around) {}

  Result<OperatorPtr> Analyze() {
    BRAID_TRY(AnalyzeSource());
    if (HasGroups()) BRAID_TRY(StartGroups());
    site_.appended = &steps_;
    site_.clause = "SELECT clause";
    site_.allows_windows = true;
    BRAID_TRY(AnalyzeItems());
    if (select_.having) BRAID_TRY(AnalyzeHaving());
    if (select_.qualify) BRAID_TRY(AnalyzeQualify());
    BRAID_TRY(AnalyzeOrder());
    return Assemble();
  }

 private:
  Status AnalyzeSource() {
    source_ = MakeOperator({}, op::Project{.input = nullptr, .values = {}});
    if (select_.from) {
      BRAID_TRY_ASSIGN(FromClause from, AnalyzeFrom(analysis_, *select_.from, around_));
      source_ = std::move(from.source);
      scope_ = std::move(from.scope);
    }
    scope_.outer = around_.outer;
    site_ = ExpressionSite{.clause = "WHERE clause",
                           .scope = &scope_,
                           .common_tables = around_.common_tables,
                           .named_windows = &select_.windows};
    if (!select_.where) return Ok();
    std::vector<AppendedStep> steps;
    ExpressionSite where = site_;
    where.appended = &steps;
    BRAID_TRY_ASSIGN(Scalar condition, AnalyzeCondition(analysis_, where, *select_.where));
    source_ = MakePassing(op::Filter{.input = Append(source_, steps), .condition = std::move(condition)});
    return Ok();
  }

  bool HasGroups() const {
    if (select_.group_by || select_.having) return true;
    const auto aggregates = [](const syntax::ExpressionPtr& expression) {
      return expression && ContainsAggregate(*expression);
    };
    return std::any_of(select_.items.begin(), select_.items.end(),
                       [&](const syntax::SelectItem& item) { return aggregates(item.value); }) ||
           aggregates(select_.qualify) ||
           std::any_of(order_by_.begin(), order_by_.end(),
                       [&](const syntax::OrderItem& item) { return aggregates(item.value); });
  }

  Status StartGroups() {
    ExpressionSite inner = site_;
    inner.clause = "GROUP BY clause";
    inner.appended = &group_steps_;
    groups_.emplace(analysis_, inner);
    if (select_.group_by) BRAID_TRY(groups_->AddGroupBy(*select_.group_by, select_.group_distinct, source_));
    groups_->Seal();
    site_.group = &*groups_;
    site_.scope = &groups_->scope();
    return Ok();
  }

  Status AnalyzeItems() {
    for (const syntax::SelectItem& item : select_.items) {
      if (const auto* star = std::get_if<syntax::Star>(&item.value->node)) {
        BRAID_TRY(AddStar(*star, item.value->position));
        continue;
      }
      BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis_, site_, *item.value));
      if (value.type.kind() == SqlType::Kind::kNull && !analysis_.allows_untyped_nulls()) {
        return analysis_.ErrorAt(item.value->position, "Illegal use of 'NULL'")
            .Hint("give it a type: CAST(NULL AS INT)");
      }
      if (value.type.kind() == SqlType::Kind::kSymbol)
        return analysis_.ErrorAt(item.value->position, fmt::format("{} is no value", value.sql));
      std::string name = item.alias ? item.alias->name : NameOf(*item.value);
      if (item.alias) aliases_.emplace(name, value);
      AddOutput(std::move(name), std::move(value));
    }
    return Ok();
  }

  std::string NameOf(const Expression& expression) const {
    if (const auto* column = std::get_if<syntax::ColumnReference>(&expression.node)) return column->name.last();
    return fmt::format("EXPR${}", columns_.size());
  }

  Status AddStar(const syntax::Star& star, syntax::Position position) {
    BRAID_TRY_ASSIGN(const std::vector<ScopeColumn> columns, ExpandStar(analysis_, *site_.scope, star, position));
    for (const ScopeColumn& column : columns) {
      if (column.ungrouped) {
        return analysis_.ErrorAt(position, fmt::format("Expression '{}' is not being grouped", column.name))
            .Hint("'*' names columns that GROUP BY leaves out");
      }
      AddOutput(column.name, ColumnScalar(column.id, column.type));
    }
    return Ok();
  }

  /// Returns the position of the column.
  std::size_t AddOutput(std::string name, Scalar value) {
    columns_.push_back(OutputColumn{.id = analysis_.NextColumn(), .name = std::move(name), .type = value.type});
    values_.push_back(std::move(value));
    return columns_.size() - 1;
  }

  Status AnalyzeHaving() {
    ExpressionSite site = site_;
    site.clause = "HAVING clause";
    site.appended = &having_steps_;
    site.allows_windows = false;
    BRAID_TRY_ASSIGN(having_, AnalyzeCondition(analysis_, site, *select_.having));
    return Ok();
  }

  Status AnalyzeQualify() {
    ExpressionSite site = site_;
    site.clause = "QUALIFY clause";
    site.aliases = &aliases_;
    BRAID_TRY_ASSIGN(qualify_, AnalyzeCondition(analysis_, site, *select_.qualify));
    return Ok();
  }

  // ---- ORDER BY ----

  Status AnalyzeOrder() {
    visible_ = columns_.size();
    ExpressionSite site = site_;
    site.clause = "ORDER BY clause";
    site.aliases = &aliases_;
    for (const syntax::OrderItem& item : order_by_) {
      BRAID_TRY_ASSIGN(const std::size_t position, OrderColumn(site, item));
      BRAID_TRY_ASSIGN(SortKey key, MakeSortKey(analysis_, ColumnScalar(columns_[position]), item));
      keys_.push_back(std::move(key));
    }
    return Ok();
  }

  /// The column that an item orders by: a position, a value of the SELECT list, or one added for it.
  Result<std::size_t> OrderColumn(const ExpressionSite& site, const syntax::OrderItem& item) {
    if (const auto* number = std::get_if<syntax::NumberLiteral>(&item.value->node);
        number != nullptr && number->kind == syntax::NumberKind::kInteger) {
      const std::optional<std::int64_t> ordinal = ParseInt64(number->text);
      if (!ordinal || *ordinal < 1 || *ordinal > static_cast<std::int64_t>(visible_)) {
        return analysis_.ErrorAt(item.value->position,
                                 fmt::format("Ordinal out of range: the query has {} columns", visible_));
      }
      return static_cast<std::size_t>(*ordinal - 1);
    }
    BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis_, site, *item.value));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].sql == value.sql && values_[i].type == value.type) return i;
    }
    if (select_.quantifier == syntax::SetQuantifier::kDistinct) {
      return analysis_.ErrorAt(item.value->position, "Expression is not in the select clause")
          .Hint("SELECT DISTINCT can be ordered by its columns alone");
    }
    return AddOutput("EXPR", std::move(value));
  }

  OperatorPtr Assemble() {
    OperatorPtr root = source_;
    if (groups_) root = groups_->Build(Append(std::move(root), group_steps_));
    if (having_) root = MakePassing(op::Filter{.input = Append(std::move(root), having_steps_), .condition = *having_});
    root = Append(std::move(root), steps_);
    if (qualify_) root = MakePassing(op::Filter{.input = std::move(root), .condition = *qualify_});
    root = MakeOperator(columns_, op::Project{.input = std::move(root), .values = values_});
    if (select_.quantifier == syntax::SetQuantifier::kDistinct)
      root = MakePassing(op::Distinct{.input = std::move(root)});
    if (keys_.empty()) return root;
    std::vector<OutputColumn> visible(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(visible_));
    return MakeOperator(std::move(visible), op::Sort{.input = std::move(root), .keys = keys_});
  }

  Analysis& analysis_;
  const syntax::Select& select_;
  const std::vector<syntax::OrderItem>& order_by_;
  const Surroundings& around_;

  OperatorPtr source_;  // FROM and WHERE
  Scope scope_;
  ExpressionSite site_;
  std::optional<Groups> groups_;
  std::vector<AppendedStep> group_steps_;
  std::vector<AppendedStep> having_steps_;
  std::vector<AppendedStep> steps_;
  std::optional<Scalar> having_;
  std::optional<Scalar> qualify_;
  std::vector<OutputColumn> columns_;
  std::vector<Scalar> values_;
  std::size_t visible_ = 0;
  std::map<std::string, Scalar> aliases_;
  std::vector<SortKey> keys_;
};

}  // namespace

Result<OperatorPtr> AnalyzeSelect(Analysis& analysis, const syntax::Select& select,
                                  const std::vector<syntax::OrderItem>& order_by, const Surroundings& around) {
  return SelectAnalyzer(analysis, select, order_by, around).Analyze();
}

}  // namespace braid
