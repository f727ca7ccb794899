// From operators to DuckDB SQL.

#include "sql/emit.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "meta/stores.h"
#include "sql/aggregate_sql.h"
#include "sql/column_use.h"
#include "sql/operator.h"
#include "sql/sources.h"

namespace braid {
namespace {

class Emitter {
 public:
  /// `engine`: where scans are registered; nullptr if there are none. `late`: columns of scans.
  Emitter(DuckEngine* engine, ColumnSet used, ColumnSet late)
      : engine_(engine), used_(std::move(used)), late_(std::move(late)) {}

  /// A SELECT of the used columns, in their order.
  Result<std::string> Emit(const Operator& node) {
    return std::visit([&](const auto& inner) { return EmitNode(node, inner); }, node.node);
  }
  DuckProgram Finish(std::string sql) && {
    program_.sql = std::move(sql);
    return std::move(program_);
  }

 private:
  bool Used(const OutputColumn& column) const { return used_.contains(column.id); }

  static std::string OrOne(std::string list) { return list.empty() ? "1" : list; }

  std::string UsedColumns(const std::vector<OutputColumn>& columns) const {
    std::string list;
    for (const OutputColumn& column : columns) {
      if (Used(column)) Add(list, ColumnSql(column.id));
    }
    return list;
  }

  static void Add(std::string& list, const std::string& part) { list += (list.empty() ? "" : ", ") + part; }
  static void AddNamed(std::string& list, const std::string& sql, ColumnId id) {
    const std::string name = ColumnSql(id);
    Add(list, sql == name ? name : fmt::format("{} AS {}", sql, name));
  }

  Result<std::string> EmitNode(const Operator& node, const op::Scan& scan);
  Result<std::string> EmitNode(const Operator& node, const op::DuckRows& rows);
  Result<std::string> EmitNode(const Operator& node, const op::Values& values);
  Result<std::string> EmitNode(const Operator& node, const op::Filter& filter);
  Result<std::string> EmitNode(const Operator& node, const op::Project& project);
  Result<std::string> EmitNode(const Operator& node, const op::Aggregate& aggregate);
  Result<std::string> EmitNode(const Operator& node, const op::Join& join);
  Result<std::string> EmitNode(const Operator& node, const op::SetOperation& operation);
  Result<std::string> EmitNode(const Operator& node, const op::Distinct& distinct);
  Result<std::string> EmitNode(const Operator& node, const op::Sort& sort);
  Result<std::string> EmitNode(const Operator& node, const op::Limit& limit);
  Result<std::string> EmitNode(const Operator& node, const op::Window& window);
  Result<std::string> EmitNode(const Operator& node, const op::Subquery& subquery);
  Result<std::string> EmitNode(const Operator& node, const op::Unnest& unnest);

  Result<std::string> GroupBy(const Operator& node, const op::Aggregate& aggregate) const;
  Status EmitOperands(const Operator& node, const op::SetOperation& like, std::string& sql);
  Result<std::string> SubqueryValue(const op::Subquery& subquery);
  static Result<std::string> CompareRows(const op::Subquery& subquery, const std::string& query);
  Result<std::shared_ptr<const ScanSource>> SourceOf(const op::Scan& scan, std::vector<DataField> fields, bool counts);
  Result<std::shared_ptr<const PinnedScan>> Pin(const Table& table);

  DuckEngine* engine_;
  ColumnSet used_;
  ColumnSet late_;  // of scans
  std::shared_ptr<LateValues> late_values_;  // made with the first scan that has some
  DuckProgram program_;
  /// One for all references to the same rows of a table: a query sees one state of it.
  std::map<std::string, std::shared_ptr<const PinnedScan>> scans_;
};

// ---- Sources ----

Result<std::shared_ptr<const PinnedScan>> Emitter::Pin(const Table& table) {
  std::string key = fmt::format("{}\n{}", table.paths().root(), table.paths().branch());
  for (const auto& [name, value] : table.dynamic_options().values()) key += fmt::format("\n{}={}", name, value);
  std::shared_ptr<const PinnedScan>& scan = scans_[key];
  if (scan == nullptr) {
    BRAID_TRY_ASSIGN(scan, PinnedScan::Make(table));
  }
  return scan;
}

/// The snapshot before the changes that `incremental-between` reads.
Result<std::optional<SnapshotId>> ChangesAfter(const Table& table) {
  const std::optional<std::string> between = table.options().Find("incremental-between");
  if (!between) return std::optional<SnapshotId>();
  const std::string start = ParseList(*between).front();
  if (const auto id = ParseInt64(start)) return std::optional(SnapshotId(*id));
  BRAID_TRY_ASSIGN(const Tag tag, ReadTag(table.file_system(), table.paths(), start));
  return std::optional(tag.snapshot.id);
}

Result<std::shared_ptr<const ScanSource>> Emitter::SourceOf(const op::Scan& scan, std::vector<DataField> fields,
                                                            bool counts) {
  const std::string name = scan.table.identifier.ToString();
  if (const auto* virtual_table = std::get_if<std::shared_ptr<const VirtualTable>>(&*scan.table.relation)) {
    return MakeVirtualSource(name, *virtual_table, std::move(fields));
  }
  const Table& table = std::get<Table>(*scan.table.relation);
  Result<std::shared_ptr<const PinnedScan>> pinned = Pin(table);
  if (pinned && counts) pinned = (*pinned)->Planned();
  if (!pinned) return std::move(pinned).error().Context(fmt::format("while planning a scan of {}", name));
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> changes_after, ChangesAfter(table));
  program_.sources.push_back(QuerySource{.catalog = scan.table.catalog,
                                         .identifier = scan.table.identifier,
                                         .table = table,
                                         .snapshot = (*pinned)->snapshot(),
                                         .changes_after = changes_after});
  return MakeTableSource(name, *std::move(pinned), std::move(fields));
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Scan& scan) {
  if (engine_ == nullptr) return Error(ErrorCode::kInternal, "a scan is left in operators over rows of DuckDB");
  const std::vector<DataField>& all = FieldsOf(*scan.table.relation);
  std::vector<DataField> fields;
  LateFields late;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!Used(node.columns[i])) continue;
    if (late_.contains(node.columns[i].id)) late.positions.push_back(fields.size());
    fields.push_back(all[i]);
  }
  if (!late.positions.empty()) {
    if (late_values_ == nullptr) late_values_ = engine_->MakeLateValues();
    late.values = late_values_;
  }
  const std::string columns = UsedColumns(node.columns);
  if (fields.empty()) {
    // Rows are only counted: any column that the engine can name will do.
    const auto plain = std::find_if(all.begin(), all.end(), [](const DataField& field) {
      return !field.type.is_nested() && field.type.kind() != TypeKind::kVariant;
    });
    fields.push_back(plain == all.end() ? all.front() : *plain);
  }
  BRAID_TRY_ASSIGN(std::shared_ptr<const ScanSource> source, SourceOf(scan, std::move(fields), columns.empty()));
  program_.registrations.push_back(engine_->Register(std::move(source), std::move(late)));
  const std::string& function = program_.registrations.back().sql();
  if (columns.empty()) return fmt::format("SELECT 1 FROM {}", function);
  return fmt::format("SELECT {0} FROM {1} AS t({0})", columns, function);
}

// ---- Rows ----

Result<std::string> Emitter::EmitNode(const Operator& node, const op::DuckRows& rows) {
  if (node.columns.empty()) return fmt::format("SELECT 1 FROM {}", rows.from);
  std::string names;
  for (const OutputColumn& column : node.columns) Add(names, ColumnSql(column.id));
  return fmt::format("SELECT {} FROM {} AS t({})", OrOne(UsedColumns(node.columns)), rows.from, names);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Values& values) {
  std::string rows;
  for (const std::vector<Scalar>& row : values.rows) {
    std::string list;
    for (const Scalar& value : row) Add(list, value.sql);
    Add(rows, fmt::format("({})", list));
  }
  std::string names;
  for (const OutputColumn& column : node.columns) Add(names, ColumnSql(column.id));
  return fmt::format("SELECT {} FROM (VALUES {}) AS t({})", OrOne(UsedColumns(node.columns)), rows, names);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Filter& filter) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*filter.input));
  return fmt::format("SELECT {} FROM ({}) WHERE {}", OrOne(UsedColumns(node.columns)), input, filter.condition.sql);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Project& project) {
  std::string list;
  for (std::size_t i = 0; i < node.columns.size(); ++i) {
    if (Used(node.columns[i])) AddNamed(list, project.values[i].sql, node.columns[i].id);
  }
  if (project.input == nullptr) return "SELECT " + OrOne(std::move(list));
  BRAID_TRY_ASSIGN(const std::string input, Emit(*project.input));
  return fmt::format("SELECT {} FROM ({})", OrOne(std::move(list)), input);
}

Result<std::string> Emitter::GroupBy(const Operator& node, const op::Aggregate& aggregate) const {
  const auto names = [&](const std::vector<std::size_t>& positions) {
    std::string list;
    for (const std::size_t position : positions) Add(list, ColumnSql(node.columns[position].id));
    return list;
  };
  if (aggregate.keys.empty() && aggregate.sets.empty()) return std::string();
  if (aggregate.sets.empty()) {
    std::vector<std::size_t> all(aggregate.keys.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return " GROUP BY " + names(all);
  }
  std::string sets;
  bool whole = false;
  for (const std::vector<std::size_t>& set : aggregate.sets) {
    whole = whole || set.empty();
    Add(sets, fmt::format("({})", names(set)));
  }
  return fmt::format(" GROUP BY GROUPING SETS ({}){}", sets, whole ? " HAVING count(*) > 0" : "");
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Aggregate& aggregate) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*aggregate.input));
  std::string inner = UsedColumns(aggregate.input->columns);
  std::string outer;
  for (std::size_t i = 0; i < aggregate.keys.size(); ++i) {
    AddNamed(inner, aggregate.keys[i].sql, node.columns[i].id);
    Add(outer, ColumnSql(node.columns[i].id));
  }
  for (const AggregateCall& call : aggregate.calls) {
    if (!Used(call.output)) continue;
    BRAID_TRY_ASSIGN(const std::string sql, AggregateSql(call, ""));
    AddNamed(outer, sql, call.output.id);
  }
  for (std::size_t i = 0; i < aggregate.groupings.size(); ++i) {
    const OutputColumn& column = node.columns[aggregate.keys.size() + aggregate.calls.size() + i];
    std::string keys;
    for (const std::size_t key : aggregate.groupings[i]) Add(keys, ColumnSql(node.columns[key].id));
    // Without GROUPING SETS every key is part of every group.
    AddNamed(outer, aggregate.sets.empty() ? "CAST(0 AS BIGINT)" : fmt::format("CAST(grouping({}) AS BIGINT)", keys),
             column.id);
  }
  if (outer.empty()) outer = "count(*)";
  BRAID_TRY_ASSIGN(const std::string group_by, GroupBy(node, aggregate));
  return fmt::format("SELECT {} FROM (SELECT {} FROM ({})){}", outer, OrOne(std::move(inner)), input, group_by);
}

std::string_view JoinName(syntax::JoinKind kind) {
  switch (kind) {
    case syntax::JoinKind::kLeft: return "LEFT JOIN";
    case syntax::JoinKind::kRight: return "RIGHT JOIN";
    case syntax::JoinKind::kFull: return "FULL JOIN";
    default: return "JOIN";
  }
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Join& join) {
  BRAID_TRY_ASSIGN(const std::string left, Emit(*join.left));
  BRAID_TRY_ASSIGN(const std::string right, Emit(*join.right));
  return fmt::format("SELECT {} FROM ({}) {}{} ({}) ON {}", OrOne(UsedColumns(node.columns)), left, JoinName(join.kind),
                     join.lateral ? " LATERAL" : "", right, join.condition ? join.condition->sql : "true");
}

/// Operands of a chain of one operation stand beside each other, not within each other.
Status Emitter::EmitOperands(const Operator& node, const op::SetOperation& like, std::string& sql) {
  const auto* same = std::get_if<op::SetOperation>(&node.node);
  if (same != nullptr && same->operation == like.operation && same->all == like.all) {
    constexpr std::array kNames = {"UNION", "INTERSECT", "EXCEPT"};
    BRAID_TRY(EmitOperands(*same->left, like, sql));
    BRAID_TRY_ASSIGN(const std::string right, Emit(*same->right));
    sql += fmt::format(" {}{} ({})", kNames[static_cast<std::size_t>(same->operation)], same->all ? " ALL" : "", right);
    return Ok();
  }
  BRAID_TRY_ASSIGN(const std::string operand, Emit(node));
  sql += fmt::format("({})", operand);
  return Ok();
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::SetOperation& operation) {
  std::string operands;
  BRAID_TRY(EmitOperands(node, operation, operands));
  std::string names;
  for (const OutputColumn& column : node.columns) Add(names, ColumnSql(column.id));
  return fmt::format("SELECT {} FROM ({}) AS t({})", OrOne(UsedColumns(node.columns)), operands, names);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Distinct& distinct) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*distinct.input));
  return fmt::format("SELECT DISTINCT {} FROM ({})", UsedColumns(node.columns), input);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Sort& sort) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*sort.input));
  return fmt::format("SELECT {} FROM ({}) ORDER BY {}", OrOne(UsedColumns(node.columns)), input,
                     SortKeysSql(sort.keys));
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Limit& limit) {
  BRAID_TRY_ASSIGN(std::string sql, Emit(*limit.input));
  // LIMIT belongs to the SELECT that sorts.
  if (!std::holds_alternative<op::Sort>(limit.input->node))
    sql = fmt::format("SELECT {} FROM ({})", OrOne(UsedColumns(node.columns)), sql);
  if (limit.count) sql += fmt::format(" LIMIT {}", *limit.count);
  if (limit.offset > 0) sql += fmt::format(" OFFSET {}", limit.offset);
  return sql;
}

Result<std::string> Emitter::EmitNode(const Operator& /*node*/, const op::Window& window) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*window.input));
  std::string list = UsedColumns(window.input->columns);
  for (const WindowCall& call : window.calls) {
    if (!Used(call.call.output)) continue;
    BRAID_TRY_ASSIGN(const std::string sql, AggregateSql(call.call, OverSql(call)));
    AddNamed(list, sql, call.call.output.id);
  }
  return fmt::format("SELECT {} FROM ({})", OrOne(std::move(list)), input);
}

Result<std::string> Emitter::SubqueryValue(const op::Subquery& subquery) {
  BRAID_TRY_ASSIGN(const std::string query, Emit(*subquery.query));
  switch (subquery.kind) {
    case op::Subquery::Kind::kScalar: return fmt::format("({})", query);
    case op::Subquery::Kind::kExists: return fmt::format("EXISTS ({})", query);
    case op::Subquery::Kind::kArray: return fmt::format("coalesce(ARRAY({}), [])", query);
    case op::Subquery::Kind::kCompare: break;
  }
  if (subquery.values.size() > 1) return CompareRows(subquery, query);
  const std::string& value = subquery.values.front().sql;
  if (subquery.comparison == syntax::BinaryOperator::kEqual && !subquery.all) {
    return fmt::format("({} {}IN ({}))", value, subquery.negated ? "NOT " : "", query);
  }
  return fmt::format("({} {} {} ({}))", value, syntax::BinaryOperatorText(subquery.comparison),
                     subquery.all ? "ALL" : "ANY", query);
}

/// IN of rows. DuckDB's own takes a row with a NULL in it for NULL, where it may well be known to differ.
Result<std::string> Emitter::CompareRows(const op::Subquery& subquery, const std::string& query) {
  std::string values;
  std::string equal;
  bool nullable = false;
  for (std::size_t i = 0; i < subquery.values.size(); ++i) {
    const OutputColumn& column = subquery.query->columns[i];
    Add(values, subquery.values[i].sql);
    equal += fmt::format("{}{} = {}", i > 0 ? " AND " : "", subquery.values[i].sql, ColumnSql(column.id));
    nullable = nullable || column.type.nullable() || subquery.values[i].type.nullable();
  }
  if (subquery.comparison != syntax::BinaryOperator::kEqual || subquery.all) {
    return Error(ErrorCode::kUnsupported, "rows can be compared with an inner query by IN alone");
  }
  const std::string_view negation = subquery.negated ? "NOT " : "";
  if (!nullable || subquery.truth_only) return fmt::format("(({}) {}IN ({}))", values, negation, query);
  return fmt::format(
      "({}(SELECT CASE WHEN bool_or(m) THEN true WHEN bool_or(m IS NULL) THEN NULL ELSE false END FROM (SELECT ({}) AS "
      "m "
      "FROM ({}))))",
      negation, equal, query);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Subquery& subquery) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*subquery.input));
  std::string list = UsedColumns(subquery.input->columns);
  if (Used(node.columns.back())) {
    BRAID_TRY_ASSIGN(const std::string value, SubqueryValue(subquery));
    AddNamed(list, value, node.columns.back().id);
  }
  return fmt::format("SELECT {} FROM ({})", OrOne(std::move(list)), input);
}

Result<std::string> Emitter::EmitNode(const Operator& node, const op::Unnest& unnest) {
  BRAID_TRY_ASSIGN(const std::string input, Emit(*unnest.input));
  const std::string& list = unnest.list.sql;
  const auto kept = [&](const std::string& elements) {
    return unnest.outer ? fmt::format("CASE WHEN len({}) > 0 THEN {} ELSE [NULL] END", list, elements) : elements;
  };
  std::string inner = UsedColumns(unnest.input->columns);
  Add(inner, fmt::format("unnest({}) AS {}", kept(list), ColumnSql(unnest.element)));
  if (unnest.ordinal) {
    Add(inner, fmt::format("unnest({}) AS {}", kept(fmt::format("CAST(range(1, len({}) + 1) AS INTEGER[])", list)),
                           ColumnSql(*unnest.ordinal)));
  }
  std::string outer = UsedColumns(unnest.input->columns);
  const std::size_t first = node.columns.size() - unnest.values.size();
  for (std::size_t i = 0; i < unnest.values.size(); ++i) {
    if (Used(node.columns[first + i])) AddNamed(outer, unnest.values[i].sql, node.columns[first + i].id);
  }
  return fmt::format("SELECT {} FROM (SELECT {} FROM ({}))", OrOne(std::move(outer)), inner, input);
}

}  // namespace

Result<DuckProgram> EmitDuckSql(const AnalyzedQuery& query, DuckEngine& engine) {
  Emitter emitter(&engine, UsedColumns(*query.root), LateColumns(query, ValuesWait::kInOperators));
  BRAID_TRY_ASSIGN(std::string sql, emitter.Emit(*query.root));
  return std::move(emitter).Finish(std::move(sql));
}

Result<std::string> EmitOperators(const Operator& root) {
  return Emitter(nullptr, UsedColumns(root), {}).Emit(root);
}

}  // namespace braid
