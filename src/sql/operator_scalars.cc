#include "sql/operator_scalars.h"

#include <variant>
#include <vector>

namespace braid {
namespace {

using ScalarVisit = std::function<void(const Scalar&)>;

void VisitCall(const AggregateCall& call, const ScalarVisit& visit) {
  for (const Scalar& argument : call.arguments) visit(argument);
  if (call.filter) visit(*call.filter);
}

void VisitWindow(const WindowCall& call, const ScalarVisit& visit) {
  VisitCall(call.call, visit);
  for (const Scalar& key : call.partition_by) visit(key);
  for (const SortKey& key : call.order_by) visit(key.value);
  if (!call.frame) return;
  if (call.frame->start.offset) visit(*call.frame->start.offset);
  if (call.frame->end.offset) visit(*call.frame->end.offset);
}

struct ScalarsOfNode {
  const ScalarVisit& visit;

  void operator()(const op::Scan&) const {}
  void operator()(const op::DuckRows&) const {}
  void operator()(const op::Values& values) const {
    for (const std::vector<Scalar>& row : values.rows) VisitAll(row);
  }
  void operator()(const op::Filter& filter) const { visit(filter.condition); }
  void operator()(const op::Project& project) const { VisitAll(project.values); }
  void operator()(const op::Aggregate& aggregate) const {
    VisitAll(aggregate.keys);
    for (const AggregateCall& call : aggregate.calls) VisitCall(call, visit);
  }
  void operator()(const op::Join& join) const {
    if (join.condition) visit(*join.condition);
  }
  void operator()(const op::SetOperation&) const {}
  void operator()(const op::Distinct&) const {}
  void operator()(const op::Sort& sort) const {
    for (const SortKey& key : sort.keys) visit(key.value);
  }
  void operator()(const op::Limit&) const {}
  void operator()(const op::Window& window) const {
    for (const WindowCall& call : window.calls) VisitWindow(call, visit);
  }
  void operator()(const op::Subquery& subquery) const { VisitAll(subquery.values); }
  void operator()(const op::Unnest& unnest) const {
    visit(unnest.list);
    VisitAll(unnest.values);
  }

 private:
  void VisitAll(const std::vector<Scalar>& values) const {
    for (const Scalar& value : values) visit(value);
  }
};

}  // namespace

void ForEachScalar(const Operator& node, const std::function<void(const Scalar&)>& visit) {
  std::visit(ScalarsOfNode{visit}, node.node);
}

}  // namespace braid
