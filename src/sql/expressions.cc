#include "sql/expressions.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "sql/aggregates.h"
#include "sql/expression_children.h"
#include "sql/literals.h"
#include "sql/scopes.h"
#include "sql/type_names.h"
#include "syntax/printer.h"

namespace braid {
namespace {

using syntax::Expression;
using syntax::ExpressionPtr;
using syntax::Position;

/// One node's analysis.
class NodeAnalyzer {
 public:
  NodeAnalyzer(Analysis& analysis, const ExpressionSite& site, Position position)
      : analysis_(analysis), site_(site), position_(position) {}

  // ---- Literals ----
  Result<Scalar> operator()(const syntax::NullLiteral&) const { return NullScalar(); }
  Result<Scalar> operator()(const syntax::BooleanLiteral& node) const {
    return LiteralScalar(node.value ? Datum(*node.value) : Datum(), DataType::Boolean());
  }
  Result<Scalar> operator()(const syntax::NumberLiteral& node) const { return NumberScalar(node, false); }
  Result<Scalar> operator()(const syntax::StringLiteral& node) const { return StringScalar(node.value); }
  Result<Scalar> operator()(const syntax::BinaryLiteral& node) const { return BinaryScalar(node.bytes); }
  Result<Scalar> operator()(const syntax::TemporalLiteral& node) const { return TemporalScalar(analysis_, node); }
  Result<Scalar> operator()(const syntax::IntervalLiteral& node) const { return IntervalScalar(node); }
  Result<Scalar> operator()(const syntax::IntervalExpression& node) const {
    BRAID_TRY_ASSIGN(Scalar value, Analyze(node.value));
    if (!value.type.is_value() || !value.type.data().is_integer()) return Invalid("an interval needs a whole number");
    value.sql = fmt::format("(CAST({} AS BIGINT) * {})", value.sql, IntervalUnit(node.qualifier.start));
    value.type = IntervalType(node.qualifier.start, value.type.nullable());
    value.literal = std::nullopt;
    return value;
  }
  Result<Scalar> operator()(const syntax::TemporalDifference& node) const {
    BRAID_TRY_ASSIGN(Scalar left, Analyze(node.left));
    BRAID_TRY_ASSIGN(Scalar right, Analyze(node.right));
    return Call(
        analysis_, "MINUS",
        {SymbolScalar(std::string(syntax::TimeUnitName(node.qualifier.start))), std::move(left), std::move(right)});
  }

  // ---- Names ----
  Result<Scalar> operator()(const syntax::ColumnReference& node) const {
    if (site_.aliases != nullptr && node.name.parts.size() == 1) {
      const auto alias = site_.aliases->find(node.name.last());
      if (alias != site_.aliases->end()) return alias->second;
    }
    if (site_.scope == nullptr)
      return Invalid(fmt::format("Column '{}' cannot be used here: there are no columns", node.name.last()));
    BRAID_TRY_ASSIGN(const ResolvedColumn found, ResolveColumn(analysis_, *site_.scope, node.name));
    Scalar value = ColumnScalar(found.column->id, found.column->type);
    for (const syntax::Identifier& field : found.fields) {
      BRAID_TRY_ASSIGN(value, Field(std::move(value), field));
    }
    return value;
  }
  Result<Scalar> operator()(const syntax::Star&) const { return Invalid("'*' cannot be used here"); }
  Result<Scalar> operator()(const syntax::Parameter&) const { return Invalid("parameters ('?') have no value here"); }
  Result<Scalar> operator()(const syntax::DefaultValue&) const { return Invalid("DEFAULT cannot be used here"); }
  Result<Scalar> operator()(const syntax::TimeUnitSymbol& node) const {
    return SymbolScalar(std::string(syntax::TimeUnitName(node.unit)));
  }
  Result<Scalar> operator()(const syntax::Descriptor&) const {
    return Invalid("DESCRIPTOR is an argument of table functions alone");
  }
  Result<Scalar> operator()(const syntax::TableArgument&) const {
    return Invalid("TABLE is an argument of table functions alone");
  }

  // ---- Operators ----
  Result<Scalar> operator()(const syntax::Logical& node) const {
    BRAID_TRY_ASSIGN(std::vector<Scalar> operands, Analyze(node.operands));
    return Call(analysis_, node.op == syntax::LogicalOperator::kAnd ? "AND" : "OR", std::move(operands));
  }
  Result<Scalar> operator()(const syntax::UnaryOperation& node) const {
    if (node.op == syntax::UnaryOperator::kMinus) {
      if (const auto* number = std::get_if<syntax::NumberLiteral>(&node.operand->node))
        return NumberScalar(*number, true);
    }
    BRAID_TRY_ASSIGN(Scalar operand, Analyze(node.operand));
    if (node.op == syntax::UnaryOperator::kPlus) return operand;
    return Call(analysis_, node.op == syntax::UnaryOperator::kNot ? "NOT" : "NEGATE", {std::move(operand)});
  }
  Result<Scalar> operator()(const syntax::BinaryOperation& node) const {
    if (node.op == syntax::BinaryOperator::kOverlaps) return Overlaps(node);
    BRAID_TRY_ASSIGN(Scalar left, Analyze(node.left));
    BRAID_TRY_ASSIGN(Scalar right, Analyze(node.right));
    return Call(analysis_, syntax::BinaryOperatorText(node.op), {std::move(left), std::move(right)});
  }
  Result<Scalar> operator()(const syntax::Test& node) const {
    BRAID_TRY_ASSIGN(Scalar operand, Analyze(node.operand));
    return Call(analysis_, fmt::format("IS {}{}", node.negated ? "NOT " : "", TestName(node.kind)),
                {std::move(operand)});
  }
  Result<Scalar> operator()(const syntax::Between& node) const {
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze({node.value, node.low, node.high}));
    return Call(analysis_, fmt::format("{}BETWEEN{}", node.negated ? "NOT " : "", node.symmetric ? " SYMMETRIC" : ""),
                std::move(values));
  }
  Result<Scalar> operator()(const syntax::In& node) const {
    if (node.query) return AnalyzeInQuery(analysis_, site_, node, position_);
    std::vector<ExpressionPtr> all = {node.value};
    all.insert(all.end(), node.list.begin(), node.list.end());
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze(all));
    return Call(analysis_, node.negated ? "NOT IN" : "IN", std::move(values));
  }
  Result<Scalar> operator()(const syntax::Like& node) const {
    std::vector<ExpressionPtr> all = {node.value, node.pattern};
    if (node.escape) all.push_back(node.escape);
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze(all));
    return Call(
        analysis_,
        fmt::format("{}{}", node.negated ? "NOT " : "", node.kind == syntax::LikeKind::kLike ? "LIKE" : "SIMILAR TO"),
        std::move(values));
  }
  Result<Scalar> operator()(const syntax::QuantifiedComparison& node) const {
    return AnalyzeQuantified(analysis_, site_, node, position_);
  }
  Result<Scalar> operator()(const syntax::Exists& node) const {
    return AnalyzeExists(analysis_, site_, node, position_);
  }
  Result<Scalar> operator()(const syntax::ScalarSubquery& node) const {
    return AnalyzeScalarSubquery(analysis_, site_, node, position_);
  }
  Result<Scalar> operator()(const syntax::CollectionQuery& node) const {
    return AnalyzeCollectionQuery(analysis_, site_, node, position_);
  }

  Result<Scalar> operator()(const syntax::Cast& node) const {
    BRAID_TRY_ASSIGN(const Scalar value, Analyze(node.operand));
    Result<DataType> type = ToDataType(node.type);
    if (!type) return analysis_.Place(node.type.position, type.error());
    BRAID_TRY_ASSIGN(EmittedCall call, ResolveCast(ToArgument(value), *type, node.is_try, analysis_.calls()));
    return ToScalar(std::move(call), std::span(&value, 1));
  }
  Result<Scalar> operator()(const syntax::Case& node) const {
    std::vector<Scalar> arguments;
    std::optional<Scalar> operand;
    if (node.operand) {
      BRAID_TRY_ASSIGN(operand, Analyze(node.operand));
    }
    for (const syntax::CaseBranch& branch : node.branches) {
      BRAID_TRY_ASSIGN(Scalar when, Analyze(branch.when));
      if (operand) {
        BRAID_TRY_ASSIGN(when, Call(analysis_, "=", {*operand, std::move(when)}));
      }
      BRAID_TRY_ASSIGN(Scalar then, Analyze(branch.then));
      arguments.push_back(std::move(when));
      arguments.push_back(std::move(then));
    }
    Scalar otherwise = NullScalar();
    if (node.otherwise) {
      BRAID_TRY_ASSIGN(otherwise, Analyze(node.otherwise));
    }
    arguments.push_back(std::move(otherwise));
    return Call(analysis_, "CASE", std::move(arguments));
  }
  Result<Scalar> operator()(const syntax::ElementAccess& node) const {
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze({node.operand, node.index}));
    return Call(analysis_, "ITEM", std::move(values));
  }
  Result<Scalar> operator()(const syntax::FieldAccess& node) const {
    BRAID_TRY_ASSIGN(Scalar value, Analyze(node.operand));
    return Field(std::move(value), node.field);
  }

  // ---- Constructors ----
  Result<Scalar> operator()(const syntax::RowConstructor& node) const {
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze(node.elements));
    return Call(analysis_, "ROW", std::move(values));
  }
  Result<Scalar> operator()(const syntax::CollectionConstructor& node) const {
    if (node.kind == syntax::CollectionKind::kMultiset) {
      return analysis_.ErrorAt(position_, "MULTISET[…] is not supported", ErrorCode::kUnsupported)
          .Hint("COLLECT makes multisets");
    }
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze(node.elements));
    return Call(analysis_, node.kind == syntax::CollectionKind::kArray ? "ARRAY" : "MAP", std::move(values));
  }

  // ---- Calls ----
  Result<Scalar> operator()(const syntax::FunctionCall& node) const;
  Result<Scalar> operator()(const syntax::Trim& node) const {
    constexpr std::array kSides = {"BOTH", "LEADING", "TRAILING"};
    Result<Scalar> characters = node.characters ? Analyze(node.characters) : StringScalar(" ");
    if (!characters) return characters;
    BRAID_TRY_ASSIGN(Scalar value, Analyze(node.value));
    return Call(analysis_, "TRIM",
                {SymbolScalar(kSides[static_cast<std::size_t>(node.side)]), *std::move(characters), std::move(value)});
  }
  Result<Scalar> operator()(const syntax::JsonObjectAgg& node) const { return AggregateNode(node.suffix); }
  Result<Scalar> operator()(const syntax::JsonArrayAgg& node) const { return AggregateNode(node.suffix); }
  Result<Scalar> operator()(const syntax::JsonExists& node) const { return AnalyzeJson(analysis_, site_, node); }
  Result<Scalar> operator()(const syntax::JsonValue& node) const { return AnalyzeJson(analysis_, site_, node); }
  Result<Scalar> operator()(const syntax::JsonQuery& node) const { return AnalyzeJson(analysis_, site_, node); }
  Result<Scalar> operator()(const syntax::JsonObject& node) const { return AnalyzeJson(analysis_, site_, node); }
  Result<Scalar> operator()(const syntax::JsonArray& node) const { return AnalyzeJson(analysis_, site_, node); }

  /// The node that is being analysed, where the parts alone do not do.
  const Expression* whole = nullptr;

 private:
  Error Invalid(std::string_view message) const { return analysis_.ErrorAt(position_, message); }

  Result<Scalar> Analyze(const ExpressionPtr& expression) const {
    return AnalyzeExpression(analysis_, site_, *expression);
  }

  Result<std::vector<Scalar>> Analyze(const std::vector<ExpressionPtr>& expressions) const {
    std::vector<Scalar> values;
    values.reserve(expressions.size());
    for (const ExpressionPtr& expression : expressions) {
      BRAID_TRY_ASSIGN(Scalar value, Analyze(expression));
      values.push_back(std::move(value));
    }
    return values;
  }

  Result<Scalar> Field(Scalar value, const syntax::Identifier& field) const {
    Result<Scalar> result = Call(analysis_, "FIELD", {std::move(value), SymbolScalar(field.name)});
    if (!result) return analysis_.Place(field.position, result.error());
    return result;
  }

  /// (a, b) OVERLAPS (c, d).
  Result<Scalar> Overlaps(const syntax::BinaryOperation& node) const {
    std::vector<ExpressionPtr> all;
    for (const ExpressionPtr& side : {node.left, node.right}) {
      const auto* row = std::get_if<syntax::RowConstructor>(&side->node);
      if (row == nullptr || row->elements.size() != 2)
        return Invalid("OVERLAPS compares two pairs: (start, end) OVERLAPS (start, end)");
      all.insert(all.end(), row->elements.begin(), row->elements.end());
    }
    BRAID_TRY_ASSIGN(std::vector<Scalar> values, Analyze(all));
    return Call(analysis_, "OVERLAPS", std::move(values));
  }

  static std::string_view TestName(syntax::TestKind kind) {
    constexpr std::array kNames = {"NULL",       "TRUE",        "FALSE",      "UNKNOWN",
                                   "JSON VALUE", "JSON OBJECT", "JSON ARRAY", "JSON SCALAR"};
    return kNames[static_cast<std::size_t>(kind)];
  }

  Result<Scalar> AggregateNode(const syntax::CallSuffix& suffix) const {
    if (suffix.over) return AnalyzeWindowCall(analysis_, site_, *whole, *suffix.over);
    if (site_.group == nullptr) return Invalid(fmt::format("Aggregate expression is illegal in {}", site_.clause));
    return site_.group->Aggregate(*whole);
  }

  Analysis& analysis_;
  const ExpressionSite& site_;
  Position position_;
};

Result<Scalar> NodeAnalyzer::operator()(const syntax::FunctionCall& node) const {
  if (node.name.parts.size() > 1) {
    return analysis_
        .ErrorAt(position_, fmt::format("No match found for function {}", syntax::ToSql(node.name)),
                 ErrorCode::kNotFound)
        .Hint("functions have names without dots");
  }
  const std::string name = ToUpper(node.name.last());
  if (node.suffix.over) return AnalyzeWindowCall(analysis_, site_, *whole, *node.suffix.over);
  if (IsAggregateName(name)) return AggregateNode(node.suffix);
  if (IsWindowOnlyName(name)) return Invalid(fmt::format("{} needs an OVER clause", name));
  if (name == "GROUPING" || name == "GROUPING_ID" || name == "GROUP_ID") {
    if (site_.group == nullptr) return Invalid(fmt::format("{} operator may only occur in an aggregate query", name));
    return site_.group->Grouping(node, position_);
  }
  if (node.quantifier || node.suffix.filter || !node.suffix.within_group.empty() || !node.order_by.empty()) {
    return Invalid(fmt::format("{} is no aggregate: DISTINCT, FILTER and ORDER BY do not go with it", name));
  }
  BRAID_TRY_ASSIGN(std::optional<Scalar> of_session, SessionScalar(analysis_, name, node.arguments.size()));
  if (of_session) return *std::move(of_session);
  std::vector<Scalar> arguments;
  for (const syntax::CallArgument& argument : node.arguments) {
    if (argument.name)
      return analysis_.ErrorAt(argument.name->position, fmt::format("the arguments of {} have no names", name));
    BRAID_TRY_ASSIGN(Scalar value, Analyze(argument.value));
    arguments.push_back(std::move(value));
  }
  return Call(analysis_, name, std::move(arguments));
}

}  // namespace

Result<Scalar> AnalyzeExpression(Analysis& analysis, const ExpressionSite& site, const Expression& expression) {
  if (site.group != nullptr) {
    BRAID_TRY_ASSIGN(std::optional<Scalar> key, site.group->FindKey(expression));
    if (key) return *std::move(key);
  }
  NodeAnalyzer analyzer(analysis, site, expression.position);
  analyzer.whole = &expression;
  Result<Scalar> value = std::visit(analyzer, expression.node);
  if (!value) return analysis.Place(expression.position, value.error());
  return value;
}

namespace {

void AddConjuncts(const Expression& expression, std::vector<const syntax::In*>& conjuncts) {
  if (const auto* in = std::get_if<syntax::In>(&expression.node)) conjuncts.push_back(in);
  const auto* logical = std::get_if<syntax::Logical>(&expression.node);
  if (logical == nullptr || logical->op != syntax::LogicalOperator::kAnd) return;
  for (const ExpressionPtr& operand : logical->operands) AddConjuncts(*operand, conjuncts);
}

}  // namespace

Result<Scalar> AnalyzeCondition(Analysis& analysis, const ExpressionSite& site, const Expression& expression) {
  std::vector<const syntax::In*> conjuncts;
  AddConjuncts(expression, conjuncts);
  ExpressionSite inside = site;
  inside.conjuncts = &conjuncts;
  BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis, inside, expression));
  if (value.type.kind() == SqlType::Kind::kNull) {
    BRAID_TRY_ASSIGN(value, LiteralScalar(Datum(), DataType::Boolean()));
  }
  if (!value.type.is_value() || value.type.data().kind() != TypeKind::kBoolean) {
    return analysis.ErrorAt(expression.position,
                            fmt::format("{} must be a condition, but this is {}", site.clause, Describe(value.type)));
  }
  return value;
}

Result<SortKey> MakeSortKey(Analysis& analysis, Scalar value, const syntax::OrderItem& item) {
  if (value.type.is_value() && value.type.data().kind() == TypeKind::kVariant) {
    return analysis.ErrorAt(item.value->position, "values of type VARIANT have no order");
  }
  const bool nulls_first = item.nulls ? *item.nulls == syntax::NullOrder::kFirst : !item.descending;
  return SortKey{.value = std::move(value), .descending = item.descending, .nulls_first = nulls_first};
}

Result<SortKey> AnalyzeSortKey(Analysis& analysis, const ExpressionSite& site, const syntax::OrderItem& item) {
  BRAID_TRY_ASSIGN(Scalar value, AnalyzeExpression(analysis, site, *item.value));
  return MakeSortKey(analysis, std::move(value), item);
}

namespace {

struct StepAppender {
  OperatorPtr input;

  OperatorPtr operator()(const SubqueryStep& step) const {
    op::Subquery node = step.node;
    node.input = input;
    std::vector<OutputColumn> columns = input->columns;
    columns.push_back(step.column);
    return MakeOperator(std::move(columns), std::move(node));
  }
  OperatorPtr operator()(const WindowStep& step) const {
    std::vector<OutputColumn> columns = input->columns;
    for (const WindowCall& call : step.calls) columns.push_back(call.call.output);
    return MakeOperator(std::move(columns), op::Window{.input = input, .calls = step.calls});
  }
};

}  // namespace

OperatorPtr Append(OperatorPtr input, const std::vector<AppendedStep>& steps) {
  for (const AppendedStep& step : steps) input = std::visit(StepAppender{std::move(input)}, step);
  return input;
}

}  // namespace braid
