#include "sql/column_use.h"

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sql/operator_scalars.h"

namespace braid {
namespace {

/// Finds the columns that the result depends on. Operators are visited before what they read, and inner queries before
/// the rows that they are computed for, so that every use is known when a column's maker is met.
class UseMarker {
 public:
  ColumnSet Mark(const Operator& root) {
    MarkAll(root.columns);
    Visit(root);
    return std::move(used_);
  }

 private:
  void MarkColumns(const Scalar& value) { used_.insert(value.columns.begin(), value.columns.end()); }
  void MarkAll(const std::vector<OutputColumn>& columns) {
    for (const OutputColumn& column : columns) used_.insert(column.id);
  }
  void Visit(const Operator& node) {
    std::visit([&](const auto& inner) { VisitNode(node, inner); }, node.node);
  }

  void VisitNode(const Operator& /*node*/, const op::Scan& /*scan*/) {}
  void VisitNode(const Operator& /*node*/, const op::DuckRows& /*rows*/) {}
  void VisitNode(const Operator& /*node*/, const op::Values& values) {
    for (const std::vector<Scalar>& row : values.rows) {
      for (const Scalar& value : row) MarkColumns(value);
    }
  }
  void VisitNode(const Operator& /*node*/, const op::Filter& filter) {
    MarkColumns(filter.condition);
    Visit(*filter.input);
  }
  void VisitNode(const Operator& node, const op::Project& project) {
    for (std::size_t i = 0; i < node.columns.size(); ++i) {
      if (used_.contains(node.columns[i].id)) MarkColumns(project.values[i]);
    }
    if (project.input != nullptr) Visit(*project.input);
  }
  void VisitNode(const Operator& node, const op::Aggregate& aggregate) {
    for (const Scalar& key : aggregate.keys) MarkColumns(key);
    for (std::size_t i = 0; i < aggregate.keys.size(); ++i) used_.insert(node.columns[i].id);
    for (const AggregateCall& call : aggregate.calls) {
      if (used_.contains(call.output.id)) MarkCall(call);
    }
    Visit(*aggregate.input);
  }
  void VisitNode(const Operator& /*node*/, const op::Join& join) {
    if (join.condition) MarkColumns(*join.condition);
    Visit(*join.right);
    Visit(*join.left);
  }
  void VisitNode(const Operator& /*node*/, const op::SetOperation& operation) {
    for (const OperatorPtr& side : {operation.left, operation.right}) {
      MarkAll(side->columns);
      Visit(*side);
    }
  }
  void VisitNode(const Operator& /*node*/, const op::Distinct& distinct) {
    MarkAll(distinct.input->columns);
    Visit(*distinct.input);
  }
  void VisitNode(const Operator& /*node*/, const op::Sort& sort) {
    for (const SortKey& key : sort.keys) MarkColumns(key.value);
    Visit(*sort.input);
  }
  void VisitNode(const Operator& /*node*/, const op::Limit& limit) { Visit(*limit.input); }
  void VisitNode(const Operator& /*node*/, const op::Window& window) {
    for (const WindowCall& call : window.calls) {
      if (!used_.contains(call.call.output.id)) continue;
      MarkCall(call.call);
      for (const Scalar& key : call.partition_by) MarkColumns(key);
      for (const SortKey& key : call.order_by) MarkColumns(key.value);
    }
    Visit(*window.input);
  }
  void VisitNode(const Operator& node, const op::Subquery& subquery) {
    if (used_.contains(node.columns.back().id)) {
      for (const Scalar& value : subquery.values) MarkColumns(value);
      MarkAll(subquery.query->columns);
      Visit(*subquery.query);
    }
    Visit(*subquery.input);
  }
  void VisitNode(const Operator& /*node*/, const op::Unnest& unnest) {
    MarkColumns(unnest.list);
    for (const Scalar& value : unnest.values) MarkColumns(value);
    Visit(*unnest.input);
  }
  void MarkCall(const AggregateCall& call) {
    for (const Scalar& argument : call.arguments) MarkColumns(argument);
    if (call.filter) MarkColumns(*call.filter);
  }

  ColumnSet used_;
};

/// Follows columns from the result to the scans that they come from, as UseMarker does.
class LateMarker {
 public:
  explicit LateMarker(ValuesWait wait) : wait_(wait) {}

  ColumnSet Mark(const AnalyzedQuery& query) {
    for (const std::size_t position : query.looked_at) looked_at_.insert(query.root->columns[position].id);
    Visit(*query.root);
    std::erase_if(scanned_, [&](ColumnId column) {
      return looked_at_.contains(column) || (wait_ == ValuesWait::kInOperators && !waiting_.contains(column));
    });
    return std::move(scanned_);
  }

 private:
  void LookAt(const Scalar& value) { looked_at_.insert(value.columns.begin(), value.columns.end()); }
  void LookAt(const std::vector<OutputColumn>& columns) {
    for (const OutputColumn& column : columns) looked_at_.insert(column.id);
  }
  /// The value, or the column, is the column of the result.
  void HandOn(const Scalar& value, ColumnId result) {
    for (const ColumnId column : value.columns) {
      const bool as_it_is = std::ranges::find(value.handed_on, column) != value.handed_on.end();
      if (!as_it_is || looked_at_.contains(result)) looked_at_.insert(column);
      if (waiting_.contains(result)) waiting_.insert(column);
    }
  }
  void HandOn(ColumnId column, ColumnId result) {
    if (looked_at_.contains(result)) looked_at_.insert(column);
    if (waiting_.contains(result)) waiting_.insert(column);
  }
  /// Rows of these columns wait until all are there.
  void Wait(const std::vector<OutputColumn>& columns) {
    for (const OutputColumn& column : columns) waiting_.insert(column.id);
  }
  /// What a delta program has no state for.
  template <typename Node>
  static constexpr bool kTreatsRowsAlone =
      std::is_same_v<Node, op::Scan> || std::is_same_v<Node, op::Filter> || std::is_same_v<Node, op::Project> ||
      std::is_same_v<Node, op::SetOperation> || std::is_same_v<Node, op::Unnest>;

  // Operators before what they read, and what may name columns of other inputs before those.
  void Visit(const Operator& node) {
    const std::vector<OperatorPtr> inputs = InputsOf(node);
    std::visit(
        [&]<typename Node>(const Node& inner) {
          if (wait_ == ValuesWait::kInTables && !kTreatsRowsAlone<Node>) LookAtInputs(node);
          Mark(node, inner);
        },
        node.node);
    for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) Visit(**input);
  }

  void LookAtInputs(const Operator& node) {
    for (const OperatorPtr& input : InputsOf(node)) LookAt(input->columns);
  }
  void LookAtScalars(const Operator& node) {
    ForEachScalar(node, [this](const Scalar& value) { LookAt(value); });
  }

  template <typename Node>
  void Mark(const Operator& node, const Node& /*inner*/) {
    LookAtScalars(node);
  }
  void Mark(const Operator& node, const op::Scan& /*scan*/) {
    for (const OutputColumn& column : node.columns) scanned_.insert(column.id);
  }
  void Mark(const Operator& node, const op::Project& project) {
    for (std::size_t i = 0; i < node.columns.size(); ++i) HandOn(project.values[i], node.columns[i].id);
  }
  void Mark(const Operator& node, const op::Aggregate& /*aggregate*/) { LookAtInputs(node); }
  void Mark(const Operator& node, const op::Distinct& /*distinct*/) { LookAtInputs(node); }
  void Mark(const Operator& node, const op::SetOperation& operation) {
    if (!operation.all || operation.operation != syntax::SetOperator::kUnion) LookAtInputs(node);
    for (const OperatorPtr& side : {operation.left, operation.right}) {
      for (std::size_t i = 0; i < node.columns.size(); ++i) {
        // Values of another type are cast.
        if (side->columns[i].type.WithNullability(true) != node.columns[i].type.WithNullability(true))
          looked_at_.insert(side->columns[i].id);
        HandOn(side->columns[i].id, node.columns[i].id);
      }
    }
  }
  void Mark(const Operator& node, const op::Sort& /*sort*/) {
    LookAtScalars(node);
    if (!first_rows_.contains(&node)) Wait(node.columns);
  }
  void Mark(const Operator& /*node*/, const op::Limit& limit) {
    // Only the first rows wait, and most that come are dropped.
    first_rows_.insert(limit.input.get());
  }
  void Mark(const Operator& node, const op::Window& window) {
    LookAtScalars(node);
    Wait(window.input->columns);
  }
  void Mark(const Operator& node, const op::Subquery& subquery) {
    LookAtScalars(node);
    LookAt(subquery.query->columns);
  }

  ValuesWait wait_;
  ColumnSet scanned_;
  ColumnSet looked_at_;
  ColumnSet waiting_;
  std::set<const Operator*> first_rows_;  // of which a limit takes those alone
};

}  // namespace

ColumnSet UsedColumns(const Operator& root) {
  return UseMarker().Mark(root);
}

ColumnSet LateColumns(const AnalyzedQuery& query, ValuesWait wait) {
  return LateMarker(wait).Mark(query);
}

}  // namespace braid
