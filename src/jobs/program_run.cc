#include "jobs/program_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "jobs/weighted_scan.h"

namespace braid {

Status ProgramRun::MakeSchemas() {
  for (std::size_t part = 0; part < program_.parts.size(); ++part) {
    BRAID_TRY(connection().Execute(fmt::format("CREATE SCHEMA IF NOT EXISTS part_{}", part)));
  }
  return Ok();
}

Status ProgramRun::UsePart(std::size_t part) {
  return connection().Execute(fmt::format("SET schema = 'part_{}'", part));
}

Status ProgramRun::SetTime(std::int64_t epoch_ms) {
  return connection().Execute(fmt::format("SET VARIABLE {} = CAST({} AS BIGINT)", kEpochTimeVariable, epoch_ms));
}

std::vector<std::string> ProgramRun::ScanContent(const std::vector<std::optional<SourceStep>>& steps, bool late,
                                                 std::vector<ScanRegistration>& registrations) {
  std::vector<std::string> scans(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i]->changes == nullptr) continue;
    scans[i] = ScanSql(state_.engine(), steps[i]->changes, late ? LateFieldsOf(i) : LateFields{}, registrations);
  }
  return scans;
}

// A column that all programs may have late, or do not need.
LateFields ProgramRun::LateFieldsOf(std::size_t source) {
  std::set<std::size_t> columns = NeededColumns(source);
  for (const JobProgram::Part& part : program_.parts) {
    for (std::size_t i = 0; i < part.sources.size(); ++i) {
      if (part.sources[i] != source) continue;
      const DeltaSource& one = part.program.sources[i];
      for (const std::size_t column : one.columns) {
        if (!one.late_columns.contains(column)) columns.erase(column);
      }
    }
  }
  if (columns.empty()) return {};
  if (late_values_ == nullptr) late_values_ = state_.engine().MakeLateValues();
  return {.positions = {columns.begin(), columns.end()}, .values = late_values_};
}

Status ProgramRun::Bootstrap(std::size_t part, const std::vector<std::string>& content) {
  BRAID_TRY(UsePart(part));
  const DeltaProgram& program = program_.parts[part].program;
  for (const DeltaTable& table : program.temp_tables) BRAID_TRY(connection().Execute(table.create_sql));
  for (const StateTable& table : program.state_tables) BRAID_TRY(connection().Execute(table.table.create_sql));
  for (std::size_t i = 0; i < program.sources.size(); ++i)
    BRAID_TRY(ShowContent(program.sources[i], i, content[program_.parts[part].sources[i]]));
  for (const DeltaStep& step : program.bootstrap) BRAID_TRY(connection().Execute(step.sql));
  return Ok();
}

Status ProgramRun::EndBootstrap(std::size_t part) {
  const DeltaProgram& program = program_.parts[part].program;
  for (std::size_t i = 0; i < program.sources.size(); ++i)
    BRAID_TRY(connection().Execute(fmt::format("DROP VIEW temp.new_{}", i)));
  for (const DeltaTable& table : program.temp_tables) used_tables_.insert(table.name);
  return Ok();
}

Result<std::vector<std::string>> ProgramRun::ReadChanges(const std::vector<std::optional<SourceStep>>& steps) {
  std::vector<std::string> tables(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i] || steps[i]->changes == nullptr) continue;
    std::vector<ScanRegistration> registrations;
    std::string columns;
    for (const std::size_t column : NeededColumns(i)) columns += fmt::format("f{}, ", column);
    const std::string scan = ScanSql(state_.engine(), steps[i]->changes, LateFieldsOf(i), registrations);
    tables[i] = fmt::format("in_{}", i);
    BRAID_TRY(connection()
                  .Execute(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS SELECT {}{} FROM {}", tables[i], columns,
                                       kWeightColumn, scan))
                  .Context("while reading " + program_.sources[i]->name()));
    BRAID_TRY(CheckGrowth(i, tables[i]));
  }
  return tables;
}

std::set<std::size_t> ProgramRun::NeededColumns(std::size_t source) const {
  std::set<std::size_t> columns;
  for (const JobProgram::Part& part : program_.parts) {
    for (std::size_t i = 0; i < part.sources.size(); ++i) {
      if (part.sources[i] == source)
        columns.insert(part.program.sources[i].columns.begin(), part.program.sources[i].columns.end());
    }
  }
  return columns;
}

// The plan may count on a source that only grows.
Status ProgramRun::CheckGrowth(std::size_t source, const std::string& table) {
  if (!program_.sources[source]->traits().append_only) return Ok();
  BRAID_TRY_ASSIGN(const std::int64_t gone,
                   state_.CountOf(fmt::format("SELECT count(*) FROM {} WHERE w < 0", table)));
  if (gone == 0) return Ok();
  return Error(ErrorCode::kConflict,
               fmt::format("{} rows of {} were taken back, and the job's plan counts on rows being added alone", gone,
                           program_.sources[source]->name()))
      .Hint("`braid job restart … --rebuild-state` evaluates the query on what is there");
}

Status ProgramRun::Run(std::size_t part, const std::vector<std::string>& changes) {
  BRAID_TRY(UsePart(part));
  const DeltaProgram& program = program_.parts[part].program;
  // Several programs share the names of temp tables, so each makes its own.
  const bool shared = program_.parts.size() > 1;
  for (const DeltaTable& table : program.temp_tables) {
    if (shared || !made_tables_ || used_tables_.contains(table.name))
      BRAID_TRY(connection().Execute(table.create_sql));
  }
  if (!shared) made_tables_ = true;
  used_tables_.clear();
  for (std::size_t i = 0; i < program.sources.size(); ++i) {
    const std::string& from = changes[program_.parts[part].sources[i]];
    if (from.empty()) continue;
    const DeltaSource& source = program.sources[i];
    std::string columns;
    for (const std::size_t column : source.columns) columns += fmt::format("f{}, ", column);
    BRAID_TRY(connection().Execute(
        fmt::format("INSERT INTO {} SELECT {}{} FROM {}", source.changes.name, columns, kWeightColumn, from)));
    used_tables_.insert(source.changes.name);
  }
  for (const DeltaStep& step : program.epoch) {
    const bool idle =
        !step.inputs.empty() && std::none_of(step.inputs.begin(), step.inputs.end(),
                                             [&](const std::string& input) { return used_tables_.contains(input); });
    if (idle) continue;
    BRAID_TRY(connection().Execute(step.sql));
    used_tables_.insert(step.output);
  }
  return Ok();
}

// The view `new_<i>` of a source's content.
Status ProgramRun::ShowContent(const DeltaSource& source, std::size_t position, const std::string& scan) {
  std::string columns;
  for (const std::size_t column : source.columns)
    columns += fmt::format("{}{}c{}", columns.empty() ? "" : ", ", scan.empty() ? "" : fmt::format("f{} AS ", column),
                           column);
  if (columns.empty()) columns = "1 AS one";
  const std::string from = scan.empty() ? fmt::format("{} WHERE false", source.changes.name) : scan;
  return connection().Execute(
      fmt::format("CREATE OR REPLACE TEMP VIEW new_{} AS SELECT {} FROM {}", position, columns, from));
}

}  // namespace braid
