#include "sql/expression_children.h"

#include "sql/aggregates.h"

namespace braid {
namespace {

using syntax::Expression;
using syntax::ExpressionPtr;

class ChildVisitor {
 public:
  explicit ChildVisitor(const std::function<void(const Expression&)>& visit) : visit_(visit) {}

  template <typename Leaf>
  void operator()(const Leaf&) const {}

  void operator()(const syntax::IntervalExpression& node) const { Visit(node.value); }
  void operator()(const syntax::TemporalDifference& node) const { Visit(node.left), Visit(node.right); }
  void operator()(const syntax::Logical& node) const { Visit(node.operands); }
  void operator()(const syntax::UnaryOperation& node) const { Visit(node.operand); }
  void operator()(const syntax::BinaryOperation& node) const { Visit(node.left), Visit(node.right); }
  void operator()(const syntax::Test& node) const { Visit(node.operand); }
  void operator()(const syntax::Between& node) const { Visit(node.value), Visit(node.low), Visit(node.high); }
  void operator()(const syntax::In& node) const { Visit(node.value), Visit(node.list); }
  void operator()(const syntax::Like& node) const { Visit(node.value), Visit(node.pattern), Visit(node.escape); }
  void operator()(const syntax::QuantifiedComparison& node) const { Visit(node.value), Visit(node.list); }
  void operator()(const syntax::Cast& node) const { Visit(node.operand); }
  void operator()(const syntax::Case& node) const {
    Visit(node.operand);
    for (const syntax::CaseBranch& branch : node.branches) Visit(branch.when), Visit(branch.then);
    Visit(node.otherwise);
  }
  void operator()(const syntax::ElementAccess& node) const { Visit(node.operand), Visit(node.index); }
  void operator()(const syntax::FieldAccess& node) const { Visit(node.operand); }
  void operator()(const syntax::RowConstructor& node) const { Visit(node.elements); }
  void operator()(const syntax::CollectionConstructor& node) const { Visit(node.elements); }
  void operator()(const syntax::FunctionCall& node) const {
    for (const syntax::CallArgument& argument : node.arguments) Visit(argument.value);
    Visit(node.order_by);
    Visit(node.suffix);
  }
  void operator()(const syntax::Trim& node) const { Visit(node.characters), Visit(node.value); }
  void operator()(const syntax::JsonExists& node) const {
    Visit(node.input), Visit(node.path);
    Visit(node.on_error);
  }
  void operator()(const syntax::JsonValue& node) const {
    Visit(node.input), Visit(node.path);
    Visit(node.on_empty), Visit(node.on_error);
  }
  void operator()(const syntax::JsonQuery& node) const {
    Visit(node.input), Visit(node.path);
    Visit(node.on_empty), Visit(node.on_error);
  }
  void operator()(const syntax::JsonObject& node) const {
    for (const syntax::JsonMember& member : node.members) Visit(member.key), Visit(member.value);
  }
  void operator()(const syntax::JsonArray& node) const { Visit(node.elements); }
  void operator()(const syntax::JsonObjectAgg& node) const {
    Visit(node.member.key), Visit(node.member.value);
    Visit(node.suffix);
  }
  void operator()(const syntax::JsonArrayAgg& node) const {
    Visit(node.value);
    Visit(node.suffix);
  }

 private:
  void Visit(const ExpressionPtr& child) const {
    if (child) visit_(*child);
  }
  void Visit(const std::vector<ExpressionPtr>& children) const {
    for (const ExpressionPtr& child : children) Visit(child);
  }
  void Visit(const std::vector<syntax::OrderItem>& items) const {
    for (const syntax::OrderItem& item : items) Visit(item.value);
  }
  void Visit(const std::optional<syntax::JsonBehavior>& behavior) const {
    if (behavior) Visit(behavior->value);
  }
  void Visit(const syntax::CallSuffix& suffix) const {
    Visit(suffix.within_group);
    Visit(suffix.filter);
    if (!suffix.over) return;
    Visit(suffix.over->partition_by);
    Visit(suffix.over->order_by);
    if (!suffix.over->frame) return;
    Visit(suffix.over->frame->start.offset);
    Visit(suffix.over->frame->end.offset);
  }

  const std::function<void(const Expression&)>& visit_;
};

}  // namespace

void ForEachChild(const Expression& expression, const std::function<void(const Expression&)>& visit) {
  std::visit(ChildVisitor(visit), expression.node);
}

bool IsAggregateCall(const Expression& expression) {
  if (const auto* call = std::get_if<syntax::FunctionCall>(&expression.node)) {
    return !call->suffix.over && call->name.parts.size() == 1 && IsAggregateName(call->name.last());
  }
  if (const auto* call = std::get_if<syntax::JsonObjectAgg>(&expression.node)) return !call->suffix.over;
  if (const auto* call = std::get_if<syntax::JsonArrayAgg>(&expression.node)) return !call->suffix.over;
  return false;
}

bool ContainsAggregate(const Expression& expression) {
  if (IsAggregateCall(expression)) return true;
  bool found = false;
  ForEachChild(expression, [&found](const Expression& child) { found = found || ContainsAggregate(child); });
  return found;
}

}  // namespace braid
