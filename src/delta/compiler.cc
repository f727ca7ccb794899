#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "delta/compiler_internal.h"
#include "delta/rewrite_internal.h"
#include "duck/type_mapping.h"
#include "sql/analysis.h"

namespace braid {
namespace {

/// Part of every identity: raised when state tables of another layout come out of the same operators.
constexpr std::string_view kLayout = "delta 1";

std::string SourceKey(const op::Scan& scan) {
  std::string key = fmt::format("{}.{}", scan.table.catalog, scan.table.identifier.ToString());
  for (const auto& [name, value] : scan.table.options.values()) key += fmt::format("\n{}={}", name, value);
  return key;
}

/// FNV-1a: the same on every machine and in every build.
std::string HashText(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}", hash);
}

/// A condition over a closed operator, if the inner query of an EXISTS is no more than that.
struct FilteredRows {
  OperatorPtr rows;
  Scalar condition;
};

std::optional<FilteredRows> FilterOverClosed(OperatorPtr query) {
  // What is selected, in which order and how often does not matter.
  for (;;) {
    if (const auto* project = std::get_if<op::Project>(&query->node); project != nullptr && project->input != nullptr) {
      query = project->input;
    } else if (const auto* sort = std::get_if<op::Sort>(&query->node)) {
      query = sort->input;
    } else if (const auto* distinct = std::get_if<op::Distinct>(&query->node)) {
      query = distinct->input;
    } else {
      break;
    }
  }
  Scalar condition{.type = DataType::Boolean(), .sql = {}};
  while (const auto* filter = std::get_if<op::Filter>(&query->node)) {
    condition.sql += fmt::format("{}({})", condition.sql.empty() ? "" : " AND ", filter->condition.sql);
    condition.columns.insert(condition.columns.end(), filter->condition.columns.begin(),
                             filter->condition.columns.end());
    query = filter->input;
  }
  if (condition.sql.empty() || !IsClosed(*query)) return std::nullopt;
  return FilteredRows{.rows = query, .condition = std::move(condition)};
}

std::string_view SubqueryReason(const op::Subquery& subquery) {
  if (!IsClosed(*subquery.query)) return "the inner query names columns of the rows around it";
  return "a comparison with ANY, ALL or ARRAY of an inner query has no rule";
}

}  // namespace

Compiler::Compiler(const Operator& root, const DeltaOptions& options)
    : options_(options),
      used_(UsedColumns(root)),
      builder_(program_, ColumnMaker(LastColumn(root))),
      is_used_([this](ColumnId id) { return IsUsed(id); }) {}

std::size_t Compiler::AddNode(DeltaNode node) {
  program_.nodes.push_back(std::move(node));
  return program_.nodes.size() - 1;
}

std::vector<OutputColumn> Compiler::UsedColumnsOf(const Operator& node) const {
  std::vector<OutputColumn> columns;
  for (const OutputColumn& column : node.columns) {
    if (IsUsed(column.id)) columns.push_back(column);
  }
  return columns;
}

std::string Compiler::IdentityOf(const Operator& node) const {
  const auto describe_scan = [this](const op::Scan& scan) {
    const SourceTraits& traits = program_.sources[SourceOf(scan)].traits;
    return fmt::format("{} {} {} ", QuoteDuckText(SourceKey(scan)), traits.append_only, traits.time_travel);
  };
  return HashText(fmt::format("{}{}\n{}", kLayout, options_.fast_float_sums ? " fast" : "",
                              CanonicalText(node, is_used_, describe_scan)));
}

OperatorPtr Compiler::Rewritten(const OperatorPtr& node) {
  auto& [owner, result] = rewritten_[node.get()];
  if (result == nullptr) {
    owner = node;
    result = node;
    for (OperatorPtr next = Rewrite(columns(), result, is_used_); next != result;
         next = Rewrite(columns(), result, is_used_)) {
      result = next;
    }
  }
  return result;
}

// ---- Sources ----

std::size_t Compiler::SourceOf(const op::Scan& scan) const {
  return source_numbers_.at(SourceKey(scan));
}

Status Compiler::AddSources(const Operator& node) {
  if (const auto* scan = std::get_if<op::Scan>(&node.node)) {
    const auto [entry, is_new] = source_numbers_.try_emplace(SourceKey(*scan), program_.sources.size());
    if (is_new) {
      program_.sources.push_back(DeltaSource{
          .table = scan->table,
          .traits = options_.traits ? options_.traits(scan->table) : SourceTraits{},
          .columns = {},
          .changes = {.name = fmt::format("src_{}", entry->second), .columns = {}, .create_sql = {}},
      });
    }
    std::vector<std::size_t>& columns = program_.sources[entry->second].columns;
    for (std::size_t i = 0; i < node.columns.size(); ++i) {
      if (!IsUsed(node.columns[i].id)) continue;
      const auto place = std::lower_bound(columns.begin(), columns.end(), i);
      if (place == columns.end() || *place != i) columns.insert(place, i);
    }
  }
  for (const OperatorPtr& input : InputsOf(node)) BRAID_TRY(AddSources(*input));
  return Ok();
}

void Compiler::FindLateColumns(const AnalyzedQuery& query) {
  for (DeltaSource& source : program_.sources) source.late_columns.insert(source.columns.begin(), source.columns.end());
  RemoveLookedAt(*query.root, LateColumns(query, ValuesWait::kInTables));
}

void Compiler::RemoveLookedAt(const Operator& node, const ColumnSet& late) {
  if (const auto* scan = std::get_if<op::Scan>(&node.node)) {
    DeltaSource& source = program_.sources[SourceOf(*scan)];
    for (std::size_t i = 0; i < node.columns.size(); ++i) {
      if (IsUsed(node.columns[i].id) && !late.contains(node.columns[i].id)) source.late_columns.erase(i);
    }
  }
  for (const OperatorPtr& input : InputsOf(node)) RemoveLookedAt(*input, late);
}

Result<DeltaStream> Compiler::CompileScan(const OperatorPtr& node, const op::Scan& scan) {
  const std::size_t number = SourceOf(scan);
  const DeltaSource& source = program_.sources[number];
  std::vector<OutputColumn> all;
  for (const std::size_t position : source.columns) all.push_back(node->columns[position]);
  const auto content = [&](std::string_view when) {
    const OutputColumn weight = columns().MakeWeight();
    const OperatorPtr rows = MakeOperator(all, op::DuckRows{.from = fmt::format("{}_{}", when, number)});
    std::vector<OutputColumn> with_weight = all;
    with_weight.push_back(weight);
    std::vector<Scalar> values = ColumnScalars(all);
    values.push_back(Scalar{.type = weight.type, .sql = "CAST(1 AS BIGINT)"});
    return WeightedRows{.rows = MakeOperator(std::move(with_weight), op::Project{.input = rows, .values = values}),
                        .weights = {weight}};
  };
  DeltaStream stream{.columns = UsedColumnsOf(*node)};
  stream.changes.push_back(
      Change{.rows = ReadWeighted(columns(), source.changes.name, all), .inputs = {source.changes.name}});
  stream.initial = content("new");
  if (source.traits.time_travel) {
    stream.old_content = content("old");
    stream.new_content = content("new");
  }
  stream.append_only = source.traits.append_only;
  stream.node = AddNode(DeltaNode{.text = DescribeOperator(*node),
                                  .rule = source.traits.time_travel ? "source, with time travel" : "source",
                                  .state = {},
                                  .fallback_reason = {},
                                  .append_only = stream.append_only,
                                  .inputs = {}});
  return stream;
}

Result<DeltaStream> Compiler::CompileConstant(const OperatorPtr& node) {
  const OutputColumn weight = columns().MakeWeight();
  DeltaStream stream{.columns = UsedColumnsOf(*node)};
  std::vector<OutputColumn> with_weight = stream.columns;
  with_weight.push_back(weight);
  std::vector<Scalar> values = ColumnScalars(stream.columns);
  values.push_back(Scalar{.type = weight.type, .sql = "CAST(1 AS BIGINT)"});
  stream.initial = WeightedRows{
      .rows = MakeOperator(std::move(with_weight), op::Project{.input = node, .values = std::move(values)}),
      .weights = {weight}};
  if (!IsVolatile(*node)) {
    stream.old_content = stream.initial;
    stream.new_content = stream.initial;
  }
  stream.append_only = true;
  stream.node = AddNode(DeltaNode{.text = DescribeOperator(*node),
                                  .rule = "constant",
                                  .state = {},
                                  .fallback_reason = {},
                                  .append_only = true,
                                  .inputs = {}});
  return stream;
}

Result<DeltaStream> Compiler::CompileUnionAll(const OperatorPtr& node, const op::SetOperation& operation) {
  DeltaStream stream{.columns = UsedColumnsOf(*node), .append_only = true};
  std::vector<std::size_t> inputs;
  std::vector<DeltaStream> sides;
  for (const OperatorPtr& side : {operation.left, operation.right}) {
    BRAID_TRY_ASSIGN(DeltaStream input, Compile(side));
    std::vector<Scalar> values;
    for (std::size_t i = 0; i < node->columns.size(); ++i) {
      if (IsUsed(node->columns[i].id)) values.push_back(ColumnScalar(side->columns[i]));
    }
    const auto renamed = [&](const WeightedRows& rows) { return ProjectRows(rows, stream.columns, values); };
    for (const Change& change : input.changes)
      stream.changes.push_back(Change{.rows = renamed(change.rows), .inputs = change.inputs});
    input.initial = renamed(input.initial);
    if (input.old_content) input.old_content = renamed(*input.old_content);
    if (input.new_content) input.new_content = renamed(*input.new_content);
    stream.append_only = stream.append_only && input.append_only;
    inputs.push_back(input.node);
    sides.push_back(std::move(input));
  }
  const auto both = [&](const WeightedRows& a, const WeightedRows& b) { return Add(columns(), a, b, stream.columns); };
  stream.initial = both(sides[0].initial, sides[1].initial);
  if (sides[0].old_content && sides[1].old_content)
    stream.old_content = both(*sides[0].old_content, *sides[1].old_content);
  if (sides[0].new_content && sides[1].new_content)
    stream.new_content = both(*sides[0].new_content, *sides[1].new_content);
  stream.node = AddNode(DeltaNode{.text = DescribeOperator(*node),
                                  .rule = "linear",
                                  .state = {},
                                  .fallback_reason = {},
                                  .append_only = stream.append_only,
                                  .inputs = std::move(inputs)});
  return stream;
}

// ---- Operators ----

Result<DeltaStream> Compiler::Compile(const OperatorPtr& given) {
  const OperatorPtr node = Rewritten(given);
  if (const auto* scan = std::get_if<op::Scan>(&node->node)) return CompileScan(node, *scan);
  if (std::holds_alternative<op::Values>(node->node)) return CompileConstant(node);
  if (const auto* project = std::get_if<op::Project>(&node->node); project != nullptr && project->input == nullptr) {
    return CompileConstant(node);
  }
  const bool treats_rows_alone = std::holds_alternative<op::Filter>(node->node) ||
                                 std::holds_alternative<op::Project>(node->node) ||
                                 std::holds_alternative<op::Unnest>(node->node);
  if (!treats_rows_alone && IsVolatile(*node)) {
    return Error(ErrorCode::kUnsupported,
                 "values that are not the same each time (RAND, UUID, CURRENT_TIMESTAMP) cannot stand in joins, groups "
                 "and windows of a streaming query")
        .Hint("compute them in the SELECT list of an inner query");
  }
  if (const auto* aggregate = std::get_if<op::Aggregate>(&node->node)) return CompileAggregate(*this, node, *aggregate);
  if (const auto* operation = std::get_if<op::SetOperation>(&node->node)) {
    return operation->operation == syntax::SetOperator::kUnion ? CompileUnionAll(node, *operation)
                                                               : CompileSetOperation(*this, node, *operation);
  }
  if (const auto* join = std::get_if<op::Join>(&node->node)) {
    if (join->lateral && !IsClosed(*join->right)) return CompileRecompute(*this, node, "a LATERAL join has no rule");
    return IsOverJoin(*this, node) ? CompileLinear(*this, node) : CompileOuterJoin(*this, node, *join);
  }
  if (const auto* subquery = std::get_if<op::Subquery>(&node->node)) {
    if (subquery->kind == op::Subquery::Kind::kExists) {
      if (const auto inner = FilterOverClosed(subquery->query))
        return CompileExists(*this, node, *subquery, inner->rows, inner->condition);
    }
    return CompileRecompute(*this, node, std::string(SubqueryReason(*subquery)));
  }
  if (std::holds_alternative<op::Limit>(node->node)) return CompileRecompute(*this, node, "LIMIT has no rule");
  return CompileLinear(*this, node);
}

// ---- The whole ----

Status Compiler::AddOutput(const AnalyzedQuery& query, DeltaStream stream) {
  const std::vector<OutputColumn>& columns = query.root->columns;
  std::vector<std::string> names = NumberedNames("c", columns.size());
  DeltaTable output{.name = "out", .columns = {}, .create_sql = {}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    BRAID_TRY_ASSIGN(std::string type, DuckTypeOf(columns[i].type));
    output.columns.push_back(DeltaColumn{.name = names[i], .duck_type = std::move(type)});
  }
  output.columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
  output.create_sql = CreateSql("CREATE OR REPLACE TEMP TABLE", "out", output.columns);
  const auto consolidate = [&](const std::string& from) {
    return fmt::format("INSERT INTO out SELECT {} FROM {}{} HAVING sum(w) <> 0",
                       CommaList({names, {"CAST(sum(w) AS BIGINT)"}}), from, GroupBySql(names));
  };
  const std::string row = CommaList({names, {"w"}});
  const auto add = [&](Phase phase, const WeightedRows& rows, std::vector<std::string> inputs) -> Status {
    BRAID_TRY_ASSIGN(const std::string sql, builder_.Select(phase, rows, columns));
    builder_.AddStep(phase,
                     stream.consolidated ? fmt::format("INSERT INTO out {}", sql)
                                         : consolidate(fmt::format("({}) AS t({})", sql, row)),
                     std::move(inputs), "out");
    return Ok();
  };
  BRAID_TRY(add(Phase::kBootstrap, stream.initial, {}));
  if (stream.changes.size() > 1) BRAID_TRY(builder_.Materialize(stream, false));
  for (const Change& change : stream.changes) BRAID_TRY(add(Phase::kEpoch, change.rows, change.inputs));
  program_.temp_tables.push_back(output);
  program_.output = std::move(output);
  return Ok();
}

Result<DeltaProgram> Compiler::CompileProgram(const AnalyzedQuery& query) {
  BRAID_TRY(AddSources(*query.root));
  FindLateColumns(query);
  for (DeltaSource& source : program_.sources) {
    const std::vector<DataField>& fields = FieldsOf(*source.table.relation);
    for (const std::size_t position : source.columns) {
      BRAID_TRY_ASSIGN(std::string type, DuckTypeOf(fields[position].type));
      source.changes.columns.push_back(DeltaColumn{.name = fmt::format("c{}", position), .duck_type = std::move(type)});
    }
    source.changes.columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
    source.changes.create_sql = CreateSql("CREATE OR REPLACE TEMP TABLE", source.changes.name, source.changes.columns);
    program_.temp_tables.push_back(source.changes);
  }
  program_.identity = IdentityOf(*query.root);
  BRAID_TRY_ASSIGN(DeltaStream stream, Compile(query.root));
  BRAID_TRY(AddOutput(query, std::move(stream)));
  program_.reads_time = std::any_of(program_.epoch.begin(), program_.epoch.end(), [](const DeltaStep& step) {
    return step.sql.find(kEpochTimeSql) != std::string::npos;
  });
  return std::move(program_);
}

}  // namespace braid
