#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "delta/operator_reading_internal.h"
#include "duck/type_mapping.h"
#include "sql/random_calls.h"

namespace braid {
namespace {

void CollectColumns(const Operator& node, ColumnSet& read, ColumnSet& made) {
  ForEachScalar(node, [&](const Scalar& value) { read.insert(value.columns.begin(), value.columns.end()); });
  for (const OutputColumn& column : node.columns) made.insert(column.id);
  if (const auto* unnest = std::get_if<op::Unnest>(&node.node)) {
    made.insert(unnest->element);
    if (unnest->ordinal) made.insert(*unnest->ordinal);
  }
  for (const OperatorPtr& input : InputsOf(node)) CollectColumns(*input, read, made);
}

struct InputReplacer {
  std::vector<OperatorPtr> inputs;

  void operator()(op::Scan&) const {}
  void operator()(op::DuckRows&) const {}
  void operator()(op::Values&) const {}
  void operator()(op::Join& join) const { Pair(join.left, join.right); }
  void operator()(op::SetOperation& operation) const { Pair(operation.left, operation.right); }
  void operator()(op::Subquery& subquery) const { Pair(subquery.input, subquery.query); }
  template <typename Node>
  void operator()(Node& node) const {
    if (!inputs.empty()) node.input = inputs[0];
  }

 private:
  void Pair(OperatorPtr& first, OperatorPtr& second) const {
    first = inputs[0];
    second = inputs[1];
  }
};

// ---- Canonical text ----

class CanonicalWriter {
 public:
  CanonicalWriter(const std::function<bool(ColumnId)>& is_used,
                  const std::function<std::string(const op::Scan&)>& describe_scan)
      : is_used_(is_used), describe_scan_(describe_scan) {}

  /// Inputs first, so that columns are numbered where they are made.
  void Write(const Operator& node) {
    text_ += '(';
    for (const OperatorPtr& input : InputsOf(node)) Write(*input);
    std::visit([&](const auto& inner) { WriteNode(node, inner); }, node.node);
    text_ += ')';
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string Number(ColumnId id) {
    return fmt::format("${}", numbers_.try_emplace(id, numbers_.size()).first->second);
  }

  /// The expression with columns by their canonical numbers. Text in quotes stays.
  std::string Text(const Scalar& value) {
    const std::string& sql = value.sql;
    std::string result;
    for (std::size_t i = 0; i < sql.size();) {
      std::size_t end = i + 1;
      if (sql[i] == '\'' || sql[i] == '"') {
        while (end < sql.size() && sql[end] != sql[i]) ++end;
        end = std::min(end + 1, sql.size());
        result.append(sql, i, end - i);
      } else if (IsWord(sql[i])) {
        while (end < sql.size() && IsWord(sql[end])) ++end;
        const std::string word = sql.substr(i, end - i);
        const auto column = std::find_if(value.columns.begin(), value.columns.end(),
                                         [&](ColumnId id) { return ColumnSql(id) == word; });
        result += column == value.columns.end() ? word : Number(*column);
      } else {
        result += sql[i];
      }
      i = end;
    }
    return result + ":" + value.type.ToString();
  }
  static bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  void Add(const Scalar& value) { text_ += Text(value) + ","; }
  void Add(const std::vector<Scalar>& values) {
    for (const Scalar& value : values) Add(value);
    text_ += ';';
  }
  void Add(const AggregateCall& call) {
    text_ += fmt::format("{}{}", AggregateFunctionName(call.function), call.distinct ? " distinct " : " ");
    Add(call.arguments);
    if (call.filter) Add(*call.filter);
    text_ += fmt::format("as {}:{},", Number(call.output.id), call.output.type.ToString());
  }
  void Add(const std::vector<SortKey>& keys) {
    for (const SortKey& key : keys) {
      Add(key.value);
      text_ += fmt::format("{}{},", key.descending, key.nulls_first);
    }
  }
  void Add(const WindowBound& bound) {
    text_ += fmt::format("{} ", static_cast<int>(bound.kind));
    if (bound.offset) Add(*bound.offset);
  }
  void Add(const std::vector<std::vector<std::size_t>>& positions) {
    for (const std::vector<std::size_t>& list : positions) text_ += fmt::format("{},", fmt::join(list, "+"));
    text_ += ';';
  }
  void AddColumns(const std::vector<OutputColumn>& columns) {
    for (const OutputColumn& column : columns) {
      if (is_used_(column.id)) text_ += Number(column.id) + ",";
    }
  }

  void WriteNode(const Operator& node, const op::Scan& scan) {
    text_ += "scan " + describe_scan_(scan);
    for (const OutputColumn& column : node.columns) {
      if (!is_used_(column.id)) continue;
      text_ += fmt::format("{} {}:{},", QuoteDuckIdentifier(column.name), Number(column.id), column.type.ToString());
    }
  }
  void WriteNode(const Operator& /*node*/, const op::DuckRows& rows) { text_ += "rows " + rows.from; }
  void WriteNode(const Operator& node, const op::Values& values) {
    text_ += "values ";
    for (const std::vector<Scalar>& row : values.rows) Add(row);
    AddColumns(node.columns);
  }
  void WriteNode(const Operator& /*node*/, const op::Filter& filter) {
    text_ += "filter ";
    Add(filter.condition);
  }
  void WriteNode(const Operator& node, const op::Project& project) {
    text_ += "project ";
    for (std::size_t i = 0; i < node.columns.size(); ++i) {
      if (!is_used_(node.columns[i].id)) continue;
      Add(project.values[i]);
      text_ += "as " + Number(node.columns[i].id) + ",";
    }
  }
  void WriteNode(const Operator& node, const op::Aggregate& aggregate) {
    text_ += "aggregate ";
    Add(aggregate.keys);
    for (std::size_t i = 0; i < aggregate.keys.size(); ++i) text_ += Number(node.columns[i].id) + ",";
    for (const AggregateCall& call : aggregate.calls) {
      if (is_used_(call.output.id)) Add(call);
    }
    Add(aggregate.sets);
    Add(aggregate.groupings);
    AddColumns(node.columns);
  }
  void WriteNode(const Operator& /*node*/, const op::Join& join) {
    text_ += fmt::format("join {} {} ", static_cast<int>(join.kind), join.lateral);
    if (join.condition) Add(*join.condition);
  }
  void WriteNode(const Operator& node, const op::SetOperation& operation) {
    text_ += fmt::format("set {} {} ", static_cast<int>(operation.operation), operation.all);
    AddColumns(node.columns);
  }
  void WriteNode(const Operator& node, const op::Distinct& /*distinct*/) {
    text_ += "distinct ";
    AddColumns(node.columns);
  }
  void WriteNode(const Operator& node, const op::Sort& sort) {
    text_ += "sort ";
    Add(sort.keys);
    AddColumns(node.columns);
  }
  void WriteNode(const Operator& /*node*/, const op::Limit& limit) {
    text_ += fmt::format("limit {} {}", limit.offset, limit.count ? std::to_string(*limit.count) : "all");
  }
  void WriteNode(const Operator& /*node*/, const op::Window& window) {
    text_ += "window ";
    for (const WindowCall& call : window.calls) {
      if (!is_used_(call.call.output.id)) continue;
      Add(call.call);
      Add(call.partition_by);
      Add(call.order_by);
      if (!call.frame) continue;
      text_ += call.frame->rows ? "rows " : "range ";
      Add(call.frame->start);
      Add(call.frame->end);
    }
  }
  void WriteNode(const Operator& node, const op::Subquery& subquery) {
    text_ += fmt::format("subquery {} {} {} {} {} ", static_cast<int>(subquery.kind),
                         static_cast<int>(subquery.comparison), subquery.all, subquery.negated, subquery.truth_only);
    Add(subquery.values);
    AddColumns(node.columns);
  }
  void WriteNode(const Operator& node, const op::Unnest& unnest) {
    text_ += fmt::format("unnest {} ", unnest.outer);
    Add(unnest.list);
    text_ += Number(unnest.element) + ",";
    if (unnest.ordinal) text_ += Number(*unnest.ordinal) + ",";
    Add(unnest.values);
    AddColumns(node.columns);
  }

  const std::function<bool(ColumnId)>& is_used_;
  const std::function<std::string(const op::Scan&)>& describe_scan_;
  std::unordered_map<ColumnId, std::size_t> numbers_;
  std::string text_;
};

}  // namespace

bool IsClosed(const Operator& node) {
  ColumnSet read;
  ColumnSet made;
  CollectColumns(node, read, made);
  return std::all_of(read.begin(), read.end(), [&](ColumnId id) { return made.contains(id); });
}

bool IsVolatile(const Operator& node) {
  bool found = false;
  ForEachScalar(node, [&](const Scalar& value) {
    found = found || IsRandom(value) || value.sql.find(kEpochTimeSql) != std::string::npos;
  });
  return found;
}

OperatorPtr WithInputs(const Operator& node, std::vector<OperatorPtr> inputs) {
  auto copy = std::make_shared<Operator>(node);
  std::visit(InputReplacer{std::move(inputs)}, copy->node);
  return copy;
}

ColumnId LastColumn(const Operator& root) {
  ColumnSet read;
  ColumnSet made;
  CollectColumns(root, read, made);
  ColumnId last(-1);
  for (const ColumnId id : made) last = std::max(last, id);
  return last;
}

std::string CanonicalText(const Operator& root, const std::function<bool(ColumnId)>& is_used,
                          const std::function<std::string(const op::Scan&)>& describe_scan) {
  CanonicalWriter writer(is_used, describe_scan);
  writer.Write(root);
  return writer.Take();
}

}  // namespace braid
