#include <type_traits>

#include "base/text.h"
#include "syntax/parser_internal.h"
#include "syntax/printer_internal.h"

namespace braid::syntax {
namespace {

int PrecedenceOf(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd:
    case BinaryOperator::kSubtract: return kAdditivePrecedence;
    case BinaryOperator::kConcat:
    case BinaryOperator::kMultiply:
    case BinaryOperator::kDivide:
    case BinaryOperator::kModulo: return kMultiplicativePrecedence;
    default: return kComparisonPrecedence;
  }
}

int PrecedenceOf(const Expression& expression) {
  return std::visit(
      [](const auto& node) -> int {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Logical>) {
          return node.op == LogicalOperator::kAnd ? kAndPrecedence : kOrPrecedence;
        } else if constexpr (std::is_same_v<Node, UnaryOperation>) {
          return node.op == UnaryOperator::kNot ? kNotPrecedence : kSignPrecedence;
        } else if constexpr (std::is_same_v<Node, BinaryOperation>) {
          return PrecedenceOf(node.op);
        } else if constexpr (std::is_same_v<Node, QuantifiedComparison>) {
          return kComparisonPrecedence;
        } else if constexpr (std::is_same_v<Node, Test>) {
          return kTestPrecedence;
        } else if constexpr (std::is_same_v<Node, Between> || std::is_same_v<Node, In> || std::is_same_v<Node, Like>) {
          return kRangePrecedence;
        } else {
          return kPrimaryPrecedence;
        }
      },
      expression.node);
}

std::string_view TemporalWord(TemporalKind kind) {
  switch (kind) {
    case TemporalKind::kDate: return "DATE";
    case TemporalKind::kTime: return "TIME";
    case TemporalKind::kTimestamp: return "TIMESTAMP";
    case TemporalKind::kTimestampLtz: return "TIMESTAMP WITH LOCAL TIME ZONE";
  }
  return "";
}

std::string_view TestWord(TestKind kind) {
  switch (kind) {
    case TestKind::kNull: return "NULL";
    case TestKind::kTrue: return "TRUE";
    case TestKind::kFalse: return "FALSE";
    case TestKind::kUnknown: return "UNKNOWN";
    case TestKind::kJson: return "JSON";
    case TestKind::kJsonObject: return "JSON OBJECT";
    case TestKind::kJsonArray: return "JSON ARRAY";
    case TestKind::kJsonScalar: return "JSON SCALAR";
  }
  return "";
}

std::string_view CollectionWord(CollectionKind kind) {
  switch (kind) {
    case CollectionKind::kArray: return "ARRAY";
    case CollectionKind::kMultiset: return "MULTISET";
    case CollectionKind::kMap: return "MAP";
  }
  return "";
}

}  // namespace

void Printer::Print(const Expression& expression) {
  std::visit([this](const auto& node) { PrintNode(node); }, expression.node);
}

// Adds parentheses to what binds less tightly than its place needs.
void Printer::PrintOperand(const ExpressionPtr& operand, int lowest) {
  const bool in_parentheses = PrecedenceOf(*operand) < lowest;
  if (in_parentheses) Add("(");
  Print(*operand);
  if (in_parentheses) Add(")");
}

void Printer::PrintNode(const NullLiteral&) {
  Add("NULL");
}
void Printer::PrintNode(const BooleanLiteral& node) {
  Add(!node.value ? "UNKNOWN" : *node.value ? "TRUE" : "FALSE");
}
void Printer::PrintNode(const NumberLiteral& node) {
  Add(node.text);
}
void Printer::PrintNode(const StringLiteral& node) {
  AddString(node.value);
}
void Printer::PrintNode(const BinaryLiteral& node) {
  Add("X'" + ToHex(node.bytes) + "'");
}

void Printer::PrintNode(const TemporalLiteral& node) {
  Add(TemporalWord(node.kind));
  Add(" ");
  AddString(node.text);
}

void Printer::PrintNode(const IntervalLiteral& node) {
  Add(node.negative ? "INTERVAL -" : "INTERVAL ");
  AddString(node.text);
  Add(" ");
  Print(node.qualifier);
}

void Printer::PrintNode(const IntervalExpression& node) {
  Add("INTERVAL ");
  // A text, also behind a sign, would make it a literal.
  const bool is_text = std::holds_alternative<StringLiteral>(node.value->node);
  PrintOperand(node.value, is_text ? kPrimaryPrecedence + 1 : kSignPrecedence + 1);
  Add(" ");
  Print(node.qualifier);
}

void Printer::PrintNode(const TemporalDifference& node) {
  Add("(");
  PrintOperand(node.left, kAdditivePrecedence);
  Add(" - ");
  PrintOperand(node.right, kAdditivePrecedence + 1);
  Add(") ");
  Print(node.qualifier);
}

void Printer::PrintNode(const ColumnReference& node) {
  Print(node.name);
}

void Printer::PrintNode(const Star& node) {
  for (const Identifier& part : node.qualifier) {
    Add(part);
    Add(".");
  }
  Add("*");
}

void Printer::PrintNode(const Parameter&) {
  Add("?");
}
void Printer::PrintNode(const DefaultValue&) {
  Add("DEFAULT");
}
void Printer::PrintNode(const TimeUnitSymbol& node) {
  Add(TimeUnitName(node.unit));
}

void Printer::PrintNode(const Logical& node) {
  const bool is_and = node.op == LogicalOperator::kAnd;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (i > 0) Add(is_and ? " AND " : " OR ");
    PrintOperand(node.operands[i], (is_and ? kAndPrecedence : kOrPrecedence) + 1);
  }
}

void Printer::PrintNode(const UnaryOperation& node) {
  if (node.op == UnaryOperator::kNot) {
    Add("NOT ");
    PrintOperand(node.operand, kNotPrecedence);
    return;
  }
  Add(node.op == UnaryOperator::kMinus ? "-" : "+");
  // Two signs need a blank: `--` begins a comment.
  if (std::holds_alternative<UnaryOperation>(node.operand->node)) Add(" ");
  PrintOperand(node.operand, kSignPrecedence);
}

void Printer::PrintNode(const BinaryOperation& node) {
  const int precedence = PrecedenceOf(node.op);
  PrintOperand(node.left, precedence);
  Add(" ");
  Add(BinaryOperatorText(node.op));
  Add(" ");
  PrintOperand(node.right, precedence + 1);
}

void Printer::PrintNode(const Test& node) {
  PrintOperand(node.operand, kTestPrecedence);
  Add(node.negated ? " IS NOT " : " IS ");
  Add(TestWord(node.kind));
}

void Printer::PrintNode(const Between& node) {
  PrintOperand(node.value, kRangePrecedence);
  Add(node.negated ? " NOT BETWEEN " : " BETWEEN ");
  if (node.symmetric) Add("SYMMETRIC ");
  PrintOperand(node.low, kRangePrecedence + 1);
  Add(" AND ");
  PrintOperand(node.high, kRangePrecedence + 1);
}

void Printer::PrintNode(const In& node) {
  PrintOperand(node.value, kRangePrecedence);
  Add(node.negated ? " NOT IN (" : " IN (");
  if (node.query) {
    Print(*node.query);
  } else {
    AddExpressions(node.list);
  }
  Add(")");
}

void Printer::PrintNode(const Like& node) {
  PrintOperand(node.value, kRangePrecedence);
  Add(node.negated ? " NOT " : " ");
  Add(node.kind == LikeKind::kLike ? "LIKE " : "SIMILAR TO ");
  PrintOperand(node.pattern, kRangePrecedence + 1);
  if (!node.escape) return;
  Add(" ESCAPE ");
  PrintOperand(node.escape, kRangePrecedence + 1);
}

void Printer::PrintNode(const QuantifiedComparison& node) {
  PrintOperand(node.value, kComparisonPrecedence);
  Add(" ");
  Add(BinaryOperatorText(node.op));
  Add(node.all ? " ALL (" : " ANY (");
  if (node.query) {
    Print(*node.query);
  } else {
    AddExpressions(node.list);
  }
  Add(")");
}

void Printer::PrintNode(const Exists& node) {
  Add("EXISTS (");
  Print(*node.query);
  Add(")");
}

void Printer::PrintNode(const ScalarSubquery& node) {
  Add("(");
  Print(*node.query);
  Add(")");
}

void Printer::PrintNode(const Cast& node) {
  Add(node.is_try ? "TRY_CAST(" : "CAST(");
  Print(*node.operand);
  Add(" AS ");
  Print(node.type);
  Add(")");
}

void Printer::PrintNode(const Case& node) {
  Add("CASE");
  if (node.operand) {
    Add(" ");
    Print(*node.operand);
  }
  for (const CaseBranch& branch : node.branches) {
    Add(" WHEN ");
    Print(*branch.when);
    Add(" THEN ");
    Print(*branch.then);
  }
  if (node.otherwise) {
    Add(" ELSE ");
    Print(*node.otherwise);
  }
  Add(" END");
}

void Printer::PrintNode(const ElementAccess& node) {
  PrintOperand(node.operand, kPrimaryPrecedence);
  Add("[");
  Print(*node.index);
  Add("]");
}

void Printer::PrintNode(const FieldAccess& node) {
  // `a.b` would be one name, `1.b` a number.
  const bool needs_parentheses = std::holds_alternative<ColumnReference>(node.operand->node) ||
                                 std::holds_alternative<NumberLiteral>(node.operand->node);
  PrintOperand(node.operand, needs_parentheses ? kPrimaryPrecedence + 1 : kPrimaryPrecedence);
  Add(".");
  Add(node.field);
}

void Printer::PrintNode(const RowConstructor& node) {
  Add(node.has_keyword ? "ROW(" : "(");
  AddExpressions(node.elements);
  Add(")");
}

void Printer::PrintNode(const CollectionConstructor& node) {
  Add(CollectionWord(node.kind));
  Add("[");
  AddExpressions(node.elements);
  Add("]");
}

void Printer::PrintNode(const CollectionQuery& node) {
  Add(CollectionWord(node.kind));
  Add("(");
  Print(*node.query);
  Add(")");
}

}  // namespace braid::syntax
