#include "sql/queries.h"

#include <algorithm>
#include <list>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sql/expressions.h"
#include "sql/scopes.h"

namespace braid {
namespace {

using syntax::Position;

std::string Plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// ---- VALUES ----

Result<std::vector<std::vector<Scalar>>> AnalyzeRows(Analysis& analysis, const syntax::Values& values,
                                                     const ExpressionSite& site) {
  std::vector<std::vector<Scalar>> rows;
  for (const std::vector<syntax::ExpressionPtr>& row : values.rows) {
    if (row.size() != values.rows.front().size()) {
      return analysis.ErrorAt(
          row.front()->position,
          fmt::format("Values passed to VALUES operator must have compatible types: this row has {}, the first one {}",
                      Plural(row.size(), "value"), values.rows.front().size()));
    }
    std::vector<Scalar> scalars;
    for (const syntax::ExpressionPtr& element : row) {
      BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis, site, *element));
      scalars.push_back(std::move(value));
    }
    rows.push_back(std::move(scalars));
  }
  return rows;
}

/// Converts one column of the rows to the type that its values have in common.
Result<SqlType> AlignColumn(Analysis& analysis, const syntax::Values& values, std::vector<std::vector<Scalar>>& rows,
                            std::size_t column) {
  std::vector<SqlType> types;
  for (const auto& row : rows) types.push_back(row[column].type);
  const auto mismatch = [&](std::size_t row) {
    return analysis.ErrorAt(values.rows[row][column]->position,
                            fmt::format("Values passed to VALUES operator must have compatible types: {} and {}",
                                        Describe(types.front()), Describe(types[row])));
  };
  const std::optional<SqlType> common = CommonType(types);
  if (!common) {
    std::size_t fitting = 1;
    while (CommonType(std::span(types).first(fitting + 1))) ++fitting;
    return mismatch(fitting);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::optional<Scalar> converted = ConvertTo(analysis, rows[r][column], *common);
    if (!converted) return mismatch(r);
    rows[r][column] = *std::move(converted);
  }
  return *common;
}

Result<OperatorPtr> AnalyzeValues(Analysis& analysis, const syntax::Values& values, const Surroundings& around) {
  std::vector<AppendedStep> steps;
  Scope scope;
  scope.outer = around.outer;
  const ExpressionSite site{
      .clause = "VALUES", .scope = &scope, .common_tables = around.common_tables, .appended = &steps};
  BRAID_TRY_ASSIGN(std::vector<std::vector<Scalar>> rows, AnalyzeRows(analysis, values, site));
  if (!steps.empty())
    return analysis.ErrorAt(values.position, "inner queries cannot stand in VALUES", ErrorCode::kUnsupported)
        .Hint("use SELECT");
  std::vector<OutputColumn> columns;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    BRAID_TRY_ASSIGN(SqlType type, AlignColumn(analysis, values, rows, i));
    columns.push_back(
        OutputColumn{.id = analysis.NextColumn(), .name = fmt::format("EXPR${}", i), .type = std::move(type)});
  }
  return MakeOperator(std::move(columns), op::Values{.rows = std::move(rows)});
}

// ---- UNION, INTERSECT, EXCEPT ----

std::string_view OperationName(const syntax::SetOperation& operation) {
  switch (operation.op) {
    case syntax::SetOperator::kUnion: return operation.all ? "UNION ALL" : "UNION";
    case syntax::SetOperator::kIntersect: return operation.all ? "INTERSECT ALL" : "INTERSECT";
    case syntax::SetOperator::kExcept: return operation.all ? "EXCEPT ALL" : "EXCEPT";
  }
  return "";
}

Result<OperatorPtr> AnalyzeSetOperation(Analysis& analysis, const syntax::SetOperation& operation,
                                        const Surroundings& around) {
  BRAID_TRY_ASSIGN(OperatorPtr left, AnalyzeRelation(analysis, *operation.left, around));
  BRAID_TRY_ASSIGN(OperatorPtr right, AnalyzeRelation(analysis, *operation.right, around));
  const Position position = operation.right->position;
  if (left->columns.size() != right->columns.size()) {
    return analysis.ErrorAt(position, fmt::format("Column count mismatch in {}: {} and {}", OperationName(operation),
                                                  left->columns.size(), right->columns.size()));
  }
  std::vector<SqlType> types;
  std::vector<OutputColumn> columns;
  for (std::size_t i = 0; i < left->columns.size(); ++i) {
    const std::array both = {left->columns[i].type, right->columns[i].type};
    const std::optional<SqlType> common = CommonType(both);
    if (!common) {
      return analysis.ErrorAt(position, fmt::format("Type mismatch in column {} of {}: {} and {}", i + 1,
                                                    OperationName(operation), Describe(both[0]), Describe(both[1])));
    }
    types.push_back(*common);
    // Rows of EXCEPT come from the left, rows of INTERSECT from both.
    SqlType shown = *common;
    if (operation.op == syntax::SetOperator::kExcept) shown = shown.WithNullability(both[0].nullable());
    if (operation.op == syntax::SetOperator::kIntersect)
      shown = shown.WithNullability(both[0].nullable() && both[1].nullable());
    columns.push_back(OutputColumn{.id = analysis.NextColumn(), .name = left->columns[i].name, .type = shown});
  }
  OperatorPtr first = ConvertColumns(analysis, left, types);
  OperatorPtr second = ConvertColumns(analysis, right, types);
  if (first == nullptr || second == nullptr)
    return analysis.ErrorAt(position, fmt::format("Type mismatch in {}", OperationName(operation)));
  return MakeOperator(
      std::move(columns),
      op::SetOperation{
          .operation = operation.op, .all = operation.all, .left = std::move(first), .right = std::move(second)});
}

// ---- ORDER BY over a whole result, LIMIT ----

Result<OperatorPtr> SortResult(Analysis& analysis, OperatorPtr input, const std::vector<syntax::OrderItem>& order_by) {
  if (order_by.empty()) return input;
  const Scope scope = ScopeOf({}, input->columns);
  const ExpressionSite site{.clause = "ORDER BY clause", .scope = &scope};
  op::Sort sort{.input = input, .keys = {}};
  for (const syntax::OrderItem& item : order_by) {
    BRAID_TRY_ASSIGN(SortKey key, AnalyzeSortKey(analysis, site, item));
    if (key.value.literal && key.value.type.is_value() && key.value.type.data().is_integer() &&
        !key.value.literal->is_null()) {
      const std::int64_t ordinal = key.value.literal->as_int();
      if (ordinal < 1 || ordinal > static_cast<std::int64_t>(input->columns.size()))
        return analysis.ErrorAt(item.value->position, "Ordinal out of range");
      key.value = ColumnScalar(input->columns[static_cast<std::size_t>(ordinal - 1)]);
    }
    sort.keys.push_back(std::move(key));
  }
  return MakePassing(std::move(sort));
}

Result<std::int64_t> RowCount(Analysis& analysis, const syntax::Expression& expression, std::string_view clause) {
  const ExpressionSite constant{.clause = clause};
  BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis, constant, expression));
  const bool counts = value.literal && value.type.is_value() && value.type.data().is_integer() &&
                      !value.literal->is_null() && value.literal->as_int() >= 0;
  if (!counts) return analysis.ErrorAt(expression.position, fmt::format("{} takes a number of rows", clause));
  return value.literal->as_int();
}

Result<OperatorPtr> LimitResult(Analysis& analysis, OperatorPtr input, const syntax::Query& query) {
  if (!query.limit && !query.offset) return input;
  op::Limit limit{.input = std::move(input), .count = {}, .offset = 0};
  if (query.limit) {
    BRAID_TRY_ASSIGN(limit.count, RowCount(analysis, *query.limit, "LIMIT"));
  }
  if (query.offset) {
    BRAID_TRY_ASSIGN(limit.offset, RowCount(analysis, *query.offset, "OFFSET"));
  }
  return MakePassing(std::move(limit));
}

Result<OperatorPtr> AnalyzeBody(Analysis& analysis, const syntax::Query& query, const Surroundings& around) {
  if (const auto* select = std::get_if<syntax::Select>(&query.body))
    return AnalyzeSelect(analysis, *select, query.order_by, around);
  OperatorPtr body;
  if (const auto* values = std::get_if<syntax::Values>(&query.body)) {
    BRAID_TRY_ASSIGN(body, AnalyzeValues(analysis, *values, around));
  } else if (const auto* table = std::get_if<syntax::ExplicitTable>(&query.body)) {
    const syntax::TableExpression expression{.position = query.position,
                                             .node = syntax::NamedTable{.name = table->name}};
    BRAID_TRY_ASSIGN(FromClause from, AnalyzeFrom(analysis, expression, around));
    body = std::move(from.source);
  } else if (const auto* operation = std::get_if<syntax::SetOperation>(&query.body)) {
    BRAID_TRY_ASSIGN(body, AnalyzeSetOperation(analysis, *operation, around));
  } else {
    BRAID_TRY_ASSIGN(body, AnalyzeRelation(analysis, *std::get<syntax::NestedQuery>(query.body).query, around));
  }
  return SortResult(analysis, std::move(body), query.order_by);
}

/// Names as a result shows them: an equal one gets a number.
void MakeNamesUnique(std::vector<QueryColumn>& columns) {
  std::set<std::string> taken;
  for (QueryColumn& column : columns) {
    std::string name = column.name;
    for (int i = 0; taken.contains(name); ++i) name = fmt::format("{}{}", column.name, i);
    taken.insert(name);
    column.name = std::move(name);
  }
}

bool IsOrdered(const Operator& root) {
  if (const auto* limit = std::get_if<op::Limit>(&root.node)) return IsOrdered(*limit->input);
  return std::holds_alternative<op::Sort>(root.node);
}

}  // namespace

Result<OperatorPtr> AnalyzeRelation(Analysis& analysis, const syntax::Query& query, const Surroundings& around) {
  if (query.recursive)
    return analysis.ErrorAt(query.position, "WITH RECURSIVE is not supported", ErrorCode::kUnsupported);
  Surroundings inside = around;
  std::list<CommonTableScope> tables;  // a list: they point to each other
  for (const syntax::CommonTable& table : query.with) {
    tables.push_back(CommonTableScope{.table = &table, .before = inside.common_tables, .outer = around.outer});
    inside.common_tables = &tables.back();
  }
  BRAID_TRY_ASSIGN(OperatorPtr body, AnalyzeBody(analysis, query, inside));
  return LimitResult(analysis, std::move(body), query);
}

Status Rename(const Analysis& analysis, std::vector<OutputColumn>& columns, const std::vector<std::string>& names,
              Position position) {
  if (names.empty()) return Ok();
  if (names.size() != columns.size()) {
    std::string known;
    for (const OutputColumn& column : columns) known += fmt::format("{}'{}'", known.empty() ? "" : ", ", column.name);
    return analysis.ErrorAt(
        position,
        fmt::format(
            "List of column aliases must have same degree as table; table has {} ({}), whereas alias list has {}",
            Plural(columns.size(), "column"), known, Plural(names.size(), "column")));
  }
  for (std::size_t i = 0; i < names.size(); ++i) columns[i].name = names[i];
  return Ok();
}

Result<OperatorPtr> RenameColumns(const Analysis& analysis, const OperatorPtr& input,
                                  const std::vector<std::string>& names, Position position) {
  if (names.empty()) return input;
  auto renamed = std::make_shared<Operator>(*input);
  BRAID_TRY(Rename(analysis, renamed->columns, names, position));
  return OperatorPtr(std::move(renamed));
}

OperatorPtr ConvertColumns(Analysis& analysis, const OperatorPtr& input, const std::vector<SqlType>& types) {
  std::vector<Scalar> values;
  std::vector<OutputColumn> columns;
  bool changed = false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const OutputColumn& column = input->columns[i];
    std::optional<Scalar> value = ConvertTo(analysis, ColumnScalar(column), types[i]);
    if (!value) return nullptr;
    changed = changed || value->sql != ColumnSql(column.id);
    columns.push_back(OutputColumn{
        .id = analysis.NextColumn(), .name = column.name, .type = types[i].WithNullability(column.type.nullable())});
    values.push_back(*std::move(value));
  }
  if (!changed) return input;
  return MakeOperator(std::move(columns), op::Project{.input = input, .values = std::move(values)});
}

namespace {

Result<AnalyzedQuery> AnalyzeWhole(Analysis& analysis, const syntax::Query& query) {
  BRAID_TRY_ASSIGN(OperatorPtr root, AnalyzeRelation(analysis, query, Surroundings{}));
  AnalyzedQuery analyzed{.columns = {}, .ordered = IsOrdered(*root), .root = root};
  for (const OutputColumn& column : root->columns) {
    analyzed.columns.push_back(QueryColumn{.name = column.name, .type = column.type});
  }
  MakeNamesUnique(analyzed.columns);
  return analyzed;
}

}  // namespace

Result<AnalyzedQuery> AnalyzeQuery(const syntax::Query& query, std::string_view text, const NameResolver& names) {
  Analysis analysis(text, names);
  return AnalyzeWhole(analysis, query);
}

Result<AnalyzedQuery> AnalyzeInsertSource(const syntax::Query& query, std::string_view text,
                                          const NameResolver& names) {
  Analysis analysis(text, names);
  analysis.AllowUntypedNulls();
  return AnalyzeWhole(analysis, query);
}

Result<EmittedCall> AnalyzeConstant(const syntax::Expression& expression, std::string_view text,
                                    const NameResolver& names) {
  Analysis analysis(text, names);
  BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis, ExpressionSite{.clause = "a constant"}, expression));
  return ToArgument(value);
}

}  // namespace braid
