#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "delta/program_builder_internal.h"
#include "duck/type_mapping.h"
#include "sql/analysis.h"
#include "sql/emit.h"

namespace braid {
namespace {

/// Marks the sources whose old or new content the operators read.
void NoteContents(const Operator& node, std::vector<DeltaSource>& sources) {
  if (const auto* rows = std::get_if<op::DuckRows>(&node.node)) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i].needs_old = sources[i].needs_old || rows->from == fmt::format("old_{}", i);
      sources[i].needs_new = sources[i].needs_new || rows->from == fmt::format("new_{}", i);
    }
  }
  for (const OperatorPtr& input : InputsOf(node)) NoteContents(*input, sources);
}

std::vector<std::string> NamesOf(const std::vector<DeltaColumn>& columns) {
  std::vector<std::string> names;
  for (const DeltaColumn& column : columns) names.push_back(column.name);
  return names;
}

}  // namespace

std::vector<std::string> NumberedNames(std::string_view prefix, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

std::vector<std::string> Qualified(std::string_view alias, const std::vector<std::string>& names) {
  std::vector<std::string> qualified;
  for (const std::string& name : names) qualified.push_back(fmt::format("{}.{}", alias, name));
  return qualified;
}

std::string CommaList(std::initializer_list<std::vector<std::string>> lists) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return Join(all, ", ");
}

std::string MatchSql(std::string_view a, std::string_view b, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const std::string& name : names)
    parts.push_back(fmt::format("{0}.{2} IS NOT DISTINCT FROM {1}.{2}", a, b, name));
  return parts.empty() ? "true" : Join(parts, " AND ");
}

std::string GroupBySql(const std::vector<std::string>& names) {
  return names.empty() ? "" : " GROUP BY " + Join(names, ", ");
}

Result<std::string> DuckTypeOf(const SqlType& type) {
  if (type.is_value()) return ToDuckType(type.data());
  return std::string(type.is_interval() ? "BIGINT" : "INTEGER");
}

std::string CreateSql(std::string_view create, const std::string& name, const std::vector<DeltaColumn>& columns) {
  std::vector<std::string> parts;
  for (const DeltaColumn& column : columns) parts.push_back(column.name + " " + column.duck_type);
  return fmt::format("{} {} ({})", create, name, Join(parts, ", "));
}

std::string ProgramBuilder::AddTempTable(std::string_view prefix, std::vector<DeltaColumn> columns) {
  DeltaTable table{.name = fmt::format("{}_{}", prefix, program_.temp_tables.size()),
                   .columns = std::move(columns),
                   .create_sql = {}};
  table.create_sql = CreateSql("CREATE OR REPLACE TEMP TABLE", table.name, table.columns);
  program_.temp_tables.push_back(table);
  return table.name;
}

std::string ProgramBuilder::AddStateTable(const std::string& identity, std::string_view role, std::string content,
                                          std::vector<DeltaColumn> columns) {
  std::string name = fmt::format("op_{}_{}", identity, role);
  // The same sub-plan may stand in a query twice.
  const int earlier = state_names_[name]++;
  if (earlier > 0) name += fmt::format("_{}", earlier + 1);
  DeltaTable table{.name = name, .columns = std::move(columns), .create_sql = {}};
  table.create_sql = CreateSql("CREATE TABLE", table.name, table.columns);
  program_.state_tables.push_back(StateTable{.table = std::move(table), .content = std::move(content)});
  return name;
}

void ProgramBuilder::AddStep(Phase phase, std::string sql, std::vector<std::string> inputs, std::string output) {
  (phase == Phase::kEpoch ? program_.epoch : program_.bootstrap)
      .push_back(DeltaStep{.sql = std::move(sql), .inputs = std::move(inputs), .output = std::move(output)});
}

Result<std::vector<DeltaColumn>> ProgramBuilder::ValueColumns(const std::vector<OutputColumn>& columns) const {
  std::vector<DeltaColumn> types;
  for (const OutputColumn& column : columns) {
    BRAID_TRY_ASSIGN(std::string type, DuckTypeOf(column.type));
    types.push_back(DeltaColumn{.name = fmt::format("v{}", types.size()), .duck_type = std::move(type)});
  }
  return types;
}

Result<std::string> ProgramBuilder::Select(Phase phase, const OperatorPtr& rows) {
  if (phase == Phase::kEpoch) NoteContents(*rows, program_.sources);
  return EmitOperators(*rows);
}

Result<std::string> ProgramBuilder::Select(Phase phase, const WeightedRows& rows,
                                           const std::vector<OutputColumn>& columns) {
  return Select(phase, Narrow(maker_, rows, columns).rows);
}

Result<std::string> ProgramBuilder::Materialize(DeltaStream& stream, bool consolidated) {
  const auto only_table = [&]() -> std::string {
    if (stream.changes.size() != 1) return {};
    const WeightedRows& rows = stream.changes.front().rows;
    const auto* table = std::get_if<op::DuckRows>(&rows.rows->node);
    const bool whole = table != nullptr && stream.changes.front().inputs == std::vector{table->from} &&
                       rows.rows->columns.size() == stream.columns.size() + 1 && table->from.starts_with("d_");
    return whole ? table->from : std::string();
  };
  if (const std::string table = only_table(); !table.empty() && (!consolidated || consolidated_.contains(table)))
    return table;
  BRAID_TRY_ASSIGN(std::vector<DeltaColumn> columns, ValueColumns(stream.columns));
  const std::vector<std::string> names = NamesOf(columns);
  columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
  const auto consolidate = [&](const std::string& from) {
    return fmt::format("SELECT {} FROM {}{} HAVING sum(w) <> 0", CommaList({names, {"CAST(sum(w) AS BIGINT)"}}), from,
                       GroupBySql(names));
  };
  std::string table = AddTempTable("d", columns);
  std::vector<std::string> inputs;
  for (const Change& change : stream.changes) {
    BRAID_TRY_ASSIGN(std::string sql, Select(Phase::kEpoch, change.rows, stream.columns));
    if (consolidated && stream.changes.size() == 1)
      sql = consolidate(fmt::format("({}) AS d({})", sql, CommaList({names, {"w"}})));
    AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} {}", table, sql), change.inputs, table);
  }
  if (consolidated && stream.changes.size() > 1) {
    const std::string parts = std::exchange(table, AddTempTable("d", columns));
    AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} {}", table, consolidate(parts)), {parts}, table);
  }
  if (consolidated) consolidated_.insert(table);
  stream.changes = {Change{.rows = ReadWeighted(maker_, table, stream.columns), .inputs = {table}}};
  return table;
}

Result<WeightedRows> ProgramBuilder::MaterializeInitial(const DeltaStream& stream) {
  BRAID_TRY_ASSIGN(std::vector<DeltaColumn> columns, ValueColumns(stream.columns));
  columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
  const std::string table = AddTempTable("i", std::move(columns));
  BRAID_TRY_ASSIGN(const std::string sql, Select(Phase::kBootstrap, stream.initial, stream.columns));
  AddStep(Phase::kBootstrap, fmt::format("INSERT INTO {} {}", table, sql), {}, table);
  return ReadWeighted(maker_, table, stream.columns);
}

// ---- Arrangement ----

Result<Arrangement> Arrangement::Make(ProgramBuilder& builder, const std::string& identity, std::string_view role,
                                      std::string content, std::vector<OutputColumn> columns) {
  BRAID_TRY_ASSIGN(const std::vector<DeltaColumn> types, builder.ValueColumns(columns));
  std::vector<DeltaColumn> all = types;
  all.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
  std::string table = builder.AddStateTable(identity, role, std::move(content), std::move(all));
  return Arrangement(std::move(table), std::move(columns), types);
}

Status Arrangement::Fill(ProgramBuilder& builder, const WeightedRows& rows) const {
  BRAID_TRY_ASSIGN(const std::string sql, builder.Select(Phase::kBootstrap, rows, columns_));
  builder.AddStep(Phase::kBootstrap, fmt::format("INSERT INTO {} {}", table_, sql), {}, table_);
  return Ok();
}

void Arrangement::Update(ProgramBuilder& builder, const std::string& changes, bool append_only) const {
  const std::vector<std::string> names = NamesOf(types_);
  const std::string row = CommaList({names, {"w"}});
  if (append_only) {
    builder.AddStep(Phase::kEpoch, fmt::format("INSERT INTO {} SELECT {} FROM {}", table_, row, changes), {changes},
                    table_);
    return;
  }
  // Rows that come are added. Only for those that go the rows that are there must be found.
  std::vector<DeltaColumn> columns = {DeltaColumn{.name = "r", .duck_type = "BIGINT"}};
  columns.insert(columns.end(), types_.begin(), types_.end());
  columns.push_back(DeltaColumn{.name = "w", .duck_type = "BIGINT"});
  const std::string found = builder.AddTempTable("f", std::move(columns));
  builder.AddStep(Phase::kEpoch,
                  fmt::format("INSERT INTO {} SELECT {} FROM {} AS s JOIN (SELECT {} FROM {} WHERE w < 0) AS d ON {}",
                              found, CommaList({{"s.rowid"}, Qualified("s", names), {"s.w"}}), table_, row, changes,
                              MatchSql("s", "d", names)),
                  {changes}, found);
  builder.AddStep(Phase::kEpoch, fmt::format("DELETE FROM {} WHERE rowid IN (SELECT r FROM {})", table_, found),
                  {found}, table_);
  builder.AddStep(
      Phase::kEpoch,
      fmt::format("INSERT INTO {0} SELECT {1} FROM {2} WHERE w > 0 UNION ALL SELECT {3} FROM (SELECT {1} FROM {4} "
                  "UNION ALL SELECT {1} FROM {2} WHERE w < 0){5} HAVING sum(w) > 0",
                  table_, row, changes, CommaList({names, {"CAST(sum(w) AS BIGINT)"}}), found, GroupBySql(names)),
      {changes}, table_);
}

WeightedRows Arrangement::Read(ProgramBuilder& builder) const {
  return ReadWeighted(builder.columns(), table_, columns_);
}

WeightedRows Arrangement::ReadInOrder(ProgramBuilder& builder, const OutputColumn& order) const {
  std::vector<OutputColumn> columns = columns_;
  columns.push_back(order);
  // Rows are only ever added at the end.
  return ReadWeighted(builder.columns(),
                      fmt::format("(SELECT {} FROM {})", CommaList({NamesOf(types_), {"rowid", "w"}}), table_),
                      columns);
}

}  // namespace braid
