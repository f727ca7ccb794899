// FROM: tables, joins, UNNEST.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sql/expressions.h"
#include "sql/queries.h"
#include "sql/scan_options.h"
#include "sql/scopes.h"

namespace braid {
namespace {

using syntax::JoinKind;
using syntax::Position;
using syntax::TableExpression;

OperatorPtr UnitRow() {
  return MakeOperator({}, op::Project{.input = nullptr, .values = {}});
}

std::vector<std::string> NamesOf(const std::vector<syntax::Identifier>& identifiers) {
  std::vector<std::string> names;
  for (const syntax::Identifier& identifier : identifiers) names.push_back(identifier.name);
  return names;
}

/// Names one table expression by its alias.
Result<FromClause> WithAlias(const Analysis& analysis, FromClause from,
                             const std::optional<syntax::TableAlias>& alias) {
  if (!alias) return from;
  BRAID_TRY_ASSIGN(from.source, RenameColumns(analysis, from.source, NamesOf(alias->columns), alias->name.position));
  return FromClause{.source = from.source, .scope = ScopeOf({alias->name.name}, from.source->columns)};
}

class FromAnalyzer {
 public:
  FromAnalyzer(Analysis& analysis, const Surroundings& around) : analysis_(analysis), around_(around) {}

  /// `left`: the tables before this one in the same FROM, for LATERAL and UNNEST; nullptr if it is the first.
  Result<FromClause> Analyze(const TableExpression& table, const FromClause* left) {
    Result<FromClause> from = std::visit([&](const auto& node) { return AnalyzeNode(node, table, left); }, table.node);
    if (!from) return from;
    from->scope.outer = around_.outer;
    return from;
  }

 private:
  Surroundings Inside(const FromClause* left, bool lateral) const {
    Surroundings inside = around_;
    if (lateral && left != nullptr) inside.outer = &left->scope;
    return inside;
  }

  // ---- One table ----

  Result<FromClause> AnalyzeNode(const syntax::NamedTable& node, const TableExpression& table,
                                 const FromClause* /*left*/) {
    if (node.name.parts.size() == 1 && node.hints.empty() && !node.as_of) {
      for (const CommonTableScope* common = around_.common_tables; common != nullptr; common = common->before) {
        if (common->table->name.name == node.name.last()) {
          BRAID_TRY_ASSIGN(FromClause from, AnalyzeCommon(*common));
          return WithAlias(analysis_, std::move(from), table.alias);
        }
      }
    }
    BRAID_TRY_ASSIGN(const Options options, ScanOptions(analysis_, node));
    Result<ResolvedTable> resolved = analysis_.names().ResolveTable(node.name, options);
    if (!resolved) return analysis_.Place(node.name.position(), resolved.error());
    std::vector<std::string> path = {resolved->catalog, resolved->identifier.database, node.name.last()};
    OperatorPtr source;
    if (resolved->view) {
      if (!options.empty() && resolved->options.empty())
        return analysis_.ErrorAt(node.name.position(),
                                 fmt::format("{} is a view, and views take no options", node.name.last()));
      BRAID_TRY_ASSIGN(source, AnalyzeView(*resolved, node.name.position()));
    } else {
      source = ScanOf(*std::move(resolved));
    }
    Scope scope = ScopeOf(std::move(path), source->columns);
    return WithAlias(analysis_, FromClause{.source = std::move(source), .scope = std::move(scope)}, table.alias);
  }

  OperatorPtr ScanOf(ResolvedTable table) {
    std::vector<OutputColumn> columns;
    for (const DataField& field : FieldsOf(*table.relation)) {
      columns.push_back(OutputColumn{.id = analysis_.NextColumn(), .name = field.name, .type = field.type});
    }
    return MakeOperator(std::move(columns), op::Scan{.table = std::move(table)});
  }

  Result<OperatorPtr> AnalyzeView(const ResolvedTable& view, Position position) {
    const auto inside = [&]() -> Result<OperatorPtr> {
      BRAID_TRY_ASSIGN(Analysis inner, analysis_.ForView());
      BRAID_TRY_ASSIGN(OperatorPtr source, AnalyzeRelation(inner, **view.view, Surroundings{}));
      return RenameColumns(inner, source, view.view_columns, position);
    };
    Result<OperatorPtr> source = inside();
    if (!source) return std::move(source).error().Context(fmt::format("in the view {}", view.identifier.ToString()));
    return source;
  }

  Result<FromClause> AnalyzeCommon(const CommonTableScope& common) {
    BRAID_TRY_ASSIGN(OperatorPtr source,
                     AnalyzeRelation(analysis_, *common.table->query,
                                     Surroundings{.outer = common.outer, .common_tables = common.before}));
    BRAID_TRY_ASSIGN(source,
                     RenameColumns(analysis_, source, NamesOf(common.table->columns), common.table->name.position));
    Scope scope = ScopeOf({common.table->name.name}, source->columns);
    return FromClause{.source = std::move(source), .scope = std::move(scope)};
  }

  Result<FromClause> AnalyzeNode(const syntax::DerivedTable& node, const TableExpression& table,
                                 const FromClause* left) {
    BRAID_TRY_ASSIGN(OperatorPtr source, AnalyzeRelation(analysis_, *node.query, Inside(left, node.lateral)));
    Scope scope = ScopeOf({}, source->columns);
    return WithAlias(analysis_, FromClause{.source = std::move(source), .scope = std::move(scope)}, table.alias);
  }

  Result<FromClause> AnalyzeNode(const syntax::TableFunction& node, const TableExpression& table,
                                 const FromClause* left) {
    const auto* call = std::get_if<syntax::FunctionCall>(&node.call->node);
    if (call == nullptr) return analysis_.ErrorAt(table.position, "a table function is expected here");
    BRAID_TRY_ASSIGN(FromClause from,
                     AnalyzeWindowTable(analysis_, *call, node.call->position, Inside(left, node.lateral)));
    return WithAlias(analysis_, std::move(from), table.alias);
  }

  Result<FromClause> AnalyzeNode(const syntax::Unnest& /*node*/, const TableExpression& table,
                                 const FromClause* /*left*/) {
    return AnalyzeUnnest(FromClause{.source = UnitRow(), .scope = {}}, table, false);
  }

  // ---- UNNEST ----

  /// Adds the elements of an array, map or multiset to the rows that it comes from.
  Result<FromClause> AnalyzeUnnest(FromClause left, const TableExpression& table, bool outer) {
    const auto& node = std::get<syntax::Unnest>(table.node);
    if (node.values.size() != 1)
      return analysis_.ErrorAt(table.position, "UNNEST takes one value", ErrorCode::kUnsupported);
    left.scope.outer = around_.outer;
    std::vector<AppendedStep> steps;
    const ExpressionSite site{
        .clause = "UNNEST", .scope = &left.scope, .common_tables = around_.common_tables, .appended = &steps};
    BRAID_TRY_ASSIGN(const Scalar value, AnalyzeExpression(analysis_, site, *node.values.front()));
    const OperatorPtr input = Append(left.source, steps);
    op::Unnest unnest{
        .input = input, .list = value, .outer = outer, .element = analysis_.NextColumn(), .ordinal = {}, .values = {}};
    Result<std::vector<OutputColumn>> added = ElementColumns(value, unnest);
    if (!added) return analysis_.Place(node.values.front()->position, added.error());
    if (node.with_ordinality) {
      unnest.ordinal = analysis_.NextColumn();
      const SqlType type = DataType::Int().WithNullability(outer);
      unnest.values.push_back(Scalar{.type = type,
                                     .sql = ColumnSql(*unnest.ordinal),
                                     .literal = {},
                                     .is_json = false,
                                     .columns = {*unnest.ordinal}});
      added->push_back(OutputColumn{.id = analysis_.NextColumn(), .name = "ORDINALITY", .type = type});
    }
    std::vector<std::string> path;
    if (table.alias) {
      path.push_back(table.alias->name.name);
      BRAID_TRY(Rename(analysis_, *added, NamesOf(table.alias->columns), table.alias->name.position));
    }
    std::vector<OutputColumn> columns = input->columns;
    columns.insert(columns.end(), added->begin(), added->end());
    Scope scope = JoinScopes(left.scope, ScopeOf(std::move(path), *added));
    return FromClause{.source = MakeOperator(std::move(columns), std::move(unnest)), .scope = std::move(scope)};
  }

  /// What one element gives: the fields of a row, key and value of a map, or itself.
  Result<std::vector<OutputColumn>> ElementColumns(const Scalar& value, op::Unnest& unnest) {
    const auto wrong = [&] {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("UNNEST takes an ARRAY, MAP or MULTISET, not {}", Describe(value.type)));
    };
    if (!value.type.is_value()) return wrong();
    const DataType type = value.type.data();
    std::vector<OutputColumn> columns;
    const std::string element = ColumnSql(unnest.element);
    const auto add = [&](std::string name, const DataType& field, std::string sql) {
      const SqlType shown = field.WithNullability(field.nullable() || unnest.outer);
      unnest.values.push_back(
          Scalar{.type = shown, .sql = std::move(sql), .literal = {}, .is_json = false, .columns = {unnest.element}});
      columns.push_back(OutputColumn{.id = analysis_.NextColumn(), .name = std::move(name), .type = shown});
    };
    switch (type.kind()) {
      case TypeKind::kMap:
        unnest.list.sql = fmt::format("map_entries({})", value.sql);
        add("KEY", type.key(), fmt::format("struct_extract({}, 'key')", element));
        add("VALUE", type.element(), fmt::format("struct_extract({}, 'value')", element));
        return columns;
      case TypeKind::kMultiset:
        unnest.list.sql = fmt::format(
            "flatten(list_transform(map_entries({}), lambda e: list_resize([e.key], e.value, e.key)))", value.sql);
        break;
      case TypeKind::kArray:
      case TypeKind::kVector: break;
      default: return wrong();
    }
    if (type.element().kind() != TypeKind::kRow) {
      add("EXPR$0", type.element(), element);
      return columns;
    }
    for (const DataField& field : type.element().fields()) {
      BRAID_TRY_ASSIGN(const EmittedCall call, ResolveCall("FIELD",
                                                           {CallArgument{.type = type.element(), .sql = element},
                                                            ToArgument(SymbolScalar(field.name))},
                                                           analysis_.calls()));
      add(field.name, call.type.data(), call.sql);
    }
    return columns;
  }

  // ---- Joins ----

  Result<FromClause> AnalyzeNode(const syntax::Join& node, const TableExpression& table,
                                 const FromClause* left_of_join) {
    BRAID_TRY_ASSIGN(FromClause left, Analyze(*node.left, left_of_join));
    if (std::holds_alternative<syntax::Unnest>(node.right->node))
      return AnalyzeUnnestJoin(node, std::move(left), table.position);
    BRAID_TRY_ASSIGN(FromClause right, Analyze(*node.right, &left));
    const bool padded_left = node.kind == JoinKind::kRight || node.kind == JoinKind::kFull;
    const bool padded_right = node.kind == JoinKind::kLeft || node.kind == JoinKind::kFull;
    const bool lateral = IsLateral(*node.right);
    if (lateral && padded_left)
      return analysis_.ErrorAt(table.position, "LATERAL cannot stand at the right of a RIGHT or FULL join",
                               ErrorCode::kUnsupported);
    Scope scope = JoinScopes(left.scope, right.scope);
    scope.outer = around_.outer;
    op::Join join{.kind = node.kind == JoinKind::kComma ? JoinKind::kCross : node.kind,
                  .left = left.source,
                  .right = right.source,
                  .condition = {},
                  .keys = {},
                  .lateral = lateral};
    std::vector<AppendedStep> steps;
    std::optional<Scalar> filter;
    if (node.on) {
      BRAID_TRY(AnalyzeOn(node, scope, join, steps, filter));
    }
    std::vector<std::string> common = CommonNames(node, left.scope, right.scope);
    std::vector<MergedColumn> merged;
    for (const std::string& name : common) {
      BRAID_TRY_ASSIGN(MergedColumn column, MergeColumn(name, left.scope, right.scope, node, table.position, join));
      merged.push_back(std::move(column));
    }
    if (!merged.empty()) {
      BRAID_TRY(AndConditions(join, merged));
    }
    std::vector<OutputColumn> columns = Padded(left.source->columns, padded_left);
    for (OutputColumn& column : Padded(right.source->columns, padded_right)) columns.push_back(std::move(column));
    for (ScopeColumn& column : scope.columns) {
      const auto found = std::find_if(columns.begin(), columns.end(),
                                      [&](const OutputColumn& output) { return output.id == column.id; });
      if (found != columns.end()) column.type = found->type;
    }
    OperatorPtr source = MakeOperator(std::move(columns), std::move(join));
    if (filter)
      source = MakePassing(op::Filter{.input = Append(std::move(source), steps), .condition = *std::move(filter)});
    FromClause from{.source = std::move(source), .scope = std::move(scope)};
    if (!merged.empty()) {
      BRAID_TRY(ShowMerged(node.kind, merged, from));
    }
    return from;
  }

  static bool IsLateral(const TableExpression& table) {
    if (const auto* derived = std::get_if<syntax::DerivedTable>(&table.node)) return derived->lateral;
    if (const auto* function = std::get_if<syntax::TableFunction>(&table.node)) return function->lateral;
    return false;
  }

  static std::vector<OutputColumn> Padded(std::vector<OutputColumn> columns, bool padded) {
    for (OutputColumn& column : columns) column.type = column.type.WithNullability(column.type.nullable() || padded);
    return columns;
  }

  Result<FromClause> AnalyzeUnnestJoin(const syntax::Join& node, FromClause left, Position position) {
    if (node.kind == JoinKind::kRight || node.kind == JoinKind::kFull || node.natural || !node.using_columns.empty()) {
      return analysis_.ErrorAt(position, "UNNEST can be joined by CROSS JOIN, INNER JOIN or LEFT JOIN",
                               ErrorCode::kUnsupported);
    }
    const bool outer = node.kind == JoinKind::kLeft;
    BRAID_TRY_ASSIGN(FromClause from, AnalyzeUnnest(std::move(left), *node.right, outer));
    from.scope.outer = around_.outer;
    if (!node.on) return from;
    const auto* constant = std::get_if<syntax::BooleanLiteral>(&node.on->node);
    if (constant != nullptr && constant->value == true) return from;
    if (outer)
      return analysis_.ErrorAt(node.on->position, "LEFT JOIN UNNEST takes ON TRUE alone", ErrorCode::kUnsupported);
    const ExpressionSite site{.clause = "ON clause", .scope = &from.scope, .common_tables = around_.common_tables};
    BRAID_TRY_ASSIGN(Scalar condition, AnalyzeCondition(analysis_, site, *node.on));
    from.source = MakePassing(op::Filter{.input = from.source, .condition = std::move(condition)});
    return from;
  }

  static bool ReadsOnly(const Scalar& value, const std::vector<OutputColumn>& columns) {
    return std::all_of(value.columns.begin(), value.columns.end(), [&](ColumnId id) {
      return std::any_of(columns.begin(), columns.end(), [id](const OutputColumn& column) { return column.id == id; });
    });
  }

  /// ON: the condition, its equations, or, with inner queries, a filter over the joined rows.
  Status AnalyzeOn(const syntax::Join& node, const Scope& scope, op::Join& join, std::vector<AppendedStep>& steps,
                   std::optional<Scalar>& filter) {
    const bool inner = node.kind == JoinKind::kInner || node.kind == JoinKind::kCross;
    const ExpressionSite site{.clause = "ON clause",
                              .scope = &scope,
                              .common_tables = around_.common_tables,
                              .appended = inner ? &steps : nullptr};
    BRAID_TRY_ASSIGN(Scalar condition, AnalyzeCondition(analysis_, site, *node.on));
    if (!steps.empty()) {
      join.kind = JoinKind::kCross;
      filter = std::move(condition);
      return Ok();
    }
    join.condition = std::move(condition);
    if (const auto* conjunction = std::get_if<syntax::Logical>(&node.on->node);
        conjunction != nullptr && conjunction->op == syntax::LogicalOperator::kAnd) {
      for (const syntax::ExpressionPtr& part : conjunction->operands) BRAID_TRY(AddKey(*part, site, join));
      return Ok();
    }
    return AddKey(*node.on, site, join);
  }

  Status AddKey(const syntax::Expression& expression, const ExpressionSite& site, op::Join& join) {
    const auto* equation = std::get_if<syntax::BinaryOperation>(&expression.node);
    if (equation == nullptr) return Ok();
    const bool null_safe = equation->op == syntax::BinaryOperator::kIsNotDistinctFrom;
    if (equation->op != syntax::BinaryOperator::kEqual && !null_safe) return Ok();
    BRAID_TRY_ASSIGN(Scalar left, AnalyzeExpression(analysis_, site, *equation->left));
    BRAID_TRY_ASSIGN(Scalar right, AnalyzeExpression(analysis_, site, *equation->right));
    if (IsText(left) != IsText(right)) {
      return analysis_
          .ErrorAt(expression.position,
                   fmt::format("{} and {} cannot be compared in a join", Describe(left.type), Describe(right.type)))
          .Hint("cast one of them");
    }
    if (left.columns.empty() || right.columns.empty()) return Ok();
    if (ReadsOnly(left, join.right->columns) && ReadsOnly(right, join.left->columns)) std::swap(left, right);
    if (ReadsOnly(left, join.left->columns) && ReadsOnly(right, join.right->columns)) {
      join.keys.push_back(JoinKey{.left = std::move(left), .right = std::move(right), .null_safe = null_safe});
    }
    return Ok();
  }

  static bool IsText(const Scalar& value) { return value.type.is_value() && value.type.data().is_text(); }

  // ---- USING and NATURAL ----

  struct MergedColumn {
    std::string name;
    Scalar left;
    Scalar right;
    Scalar equal;
  };

  static std::vector<std::string> CommonNames(const syntax::Join& node, const Scope& left, const Scope& right) {
    std::vector<std::string> names;
    for (const syntax::Identifier& column : node.using_columns) names.push_back(column.name);
    if (!node.natural) return names;
    for (const ScopeColumn& column : left.columns) {
      const bool both =
          !column.merged && std::any_of(right.columns.begin(), right.columns.end(), [&](const ScopeColumn& other) {
            return !other.merged && other.name == column.name;
          });
      if (both) names.push_back(column.name);
    }
    return names;
  }

  Result<MergedColumn> MergeColumn(const std::string& name, const Scope& left, const Scope& right,
                                   const syntax::Join& node, Position position, op::Join& join) {
    for (const syntax::Identifier& column : node.using_columns) {
      if (column.name == name) position = column.position;
    }
    const syntax::QualifiedName plain{.parts = {syntax::Identifier{.position = position, .name = name}}};
    Scope own_left = left;
    Scope own_right = right;
    own_left.outer = own_right.outer = nullptr;
    BRAID_TRY_ASSIGN(const ResolvedColumn a, ResolveColumn(analysis_, own_left, plain));
    BRAID_TRY_ASSIGN(const ResolvedColumn b, ResolveColumn(analysis_, own_right, plain));
    MergedColumn merged{.name = name,
                        .left = ColumnScalar(a.column->id, a.column->type),
                        .right = ColumnScalar(b.column->id, b.column->type),
                        .equal = {}};
    Result<Scalar> equal = Call(analysis_, "=", {merged.left, merged.right});
    if (!equal) return analysis_.Place(position, equal.error());
    merged.equal = *std::move(equal);
    join.keys.push_back(JoinKey{.left = merged.left, .right = merged.right, .null_safe = false});
    return merged;
  }

  Status AndConditions(op::Join& join, const std::vector<MergedColumn>& merged) {
    std::vector<Scalar> all;
    for (const MergedColumn& column : merged) all.push_back(column.equal);
    if (join.kind == JoinKind::kCross) join.kind = JoinKind::kInner;
    if (all.size() == 1) {
      join.condition = all.front();
      return Ok();
    }
    BRAID_TRY_ASSIGN(join.condition, Call(analysis_, "AND", std::move(all)));
    return Ok();
  }

  /// Puts the common columns before all others, in place of the two that each stands for.
  Status ShowMerged(JoinKind kind, const std::vector<MergedColumn>& merged, FromClause& from) {
    std::vector<ScopeColumn> shown;
    std::vector<OutputColumn> columns = from.source->columns;
    std::vector<Scalar> values;
    for (const OutputColumn& column : columns) values.push_back(ColumnScalar(column));
    for (const MergedColumn& column : merged) {
      const auto of_join = [&](const Scalar& side) {
        return *std::find_if(columns.begin(), columns.end(),
                             [&](const OutputColumn& output) { return output.id == side.columns.front(); });
      };
      OutputColumn common = of_join(kind == JoinKind::kRight ? column.right : column.left);
      if (kind == JoinKind::kFull) {
        BRAID_TRY_ASSIGN(Scalar value, Call(analysis_, "COALESCE",
                                            {ColumnScalar(of_join(column.left)), ColumnScalar(of_join(column.right))}));
        common = OutputColumn{.id = analysis_.NextColumn(), .name = column.name, .type = value.type};
        columns.push_back(common);
        values.push_back(std::move(value));
      }
      for (ScopeColumn& old : from.scope.columns) old.merged = old.merged || old.name == column.name;
      shown.push_back(ScopeColumn{.name = column.name,
                                  .id = common.id,
                                  .type = common.type,
                                  .relation = std::nullopt,
                                  .merged = false,
                                  .ungrouped = false});
    }
    if (columns.size() > from.source->columns.size()) {
      from.source = MakeOperator(std::move(columns), op::Project{.input = from.source, .values = std::move(values)});
    }
    from.scope.columns.insert(from.scope.columns.begin(), shown.begin(), shown.end());
    return Ok();
  }

  Analysis& analysis_;
  const Surroundings& around_;
};

}  // namespace

Result<FromClause> AnalyzeFrom(Analysis& analysis, const TableExpression& table, const Surroundings& around) {
  return FromAnalyzer(analysis, around).Analyze(table, nullptr);
}

}  // namespace braid
