#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "delta/delta_program.h"
#include "delta/weighted_rows_internal.h"

namespace braid {

/// When a statement runs.
enum class Phase { kBootstrap, kEpoch };

/// "v0", "v1", …
std::vector<std::string> NumberedNames(std::string_view prefix, std::size_t count);
/// "s.v0", "s.v1", …
std::vector<std::string> Qualified(std::string_view alias, const std::vector<std::string>& names);
/// Comma list of all lists.
std::string CommaList(std::initializer_list<std::vector<std::string>> lists);
/// "a.v0 IS NOT DISTINCT FROM b.v0 AND …"; "true" without names.
std::string MatchSql(std::string_view a, std::string_view b, const std::vector<std::string>& names);
/// " GROUP BY v0, v1"; "" without names.
std::string GroupBySql(const std::vector<std::string>& names);
/// "CREATE TABLE name (v0 BIGINT, …)"; `create` is what stands before the name.
std::string CreateSql(std::string_view create, const std::string& name, const std::vector<DeltaColumn>& columns);
/// DuckDB's type of a column. Errors: kUnsupported as ToDuckType.
Result<std::string> DuckTypeOf(const SqlType& type);

/// Collects the tables and statements of a program, in the order in which they run.
class ProgramBuilder {
 public:
  ProgramBuilder(DeltaProgram& program, ColumnMaker maker) : program_(program), maker_(maker) {}

  ColumnMaker& columns() { return maker_; }
  const ColumnMaker& columns() const { return maker_; }

  /// Declares a temp table. `prefix` says what it is for. Returns its name.
  std::string AddTempTable(std::string_view prefix, std::vector<DeltaColumn> columns);
  /// Declares a state table of the operator with this identity.
  std::string AddStateTable(const std::string& identity, std::string_view role, std::string content,
                            std::vector<DeltaColumn> columns);
  void AddStep(Phase phase, std::string sql, std::vector<std::string> inputs, std::string output);

  /// Columns v0, v1, … of the types of these.
  Result<std::vector<DeltaColumn>> ValueColumns(const std::vector<OutputColumn>& columns) const;

  /// A SELECT of the columns and the weight, in this order. Notes which sources' contents an epoch reads.
  Result<std::string> Select(Phase phase, const WeightedRows& rows, const std::vector<OutputColumn>& columns);
  /// A SELECT of the operator's columns.
  Result<std::string> Select(Phase phase, const OperatorPtr& rows);

  /// Puts the changes of an epoch into a temp table with columns v0, v1, … and w, unless they are in one already.
  /// `consolidated`: equal rows become one, and none has weight 0. Returns its name; the stream reads it from then on.
  Result<std::string> Materialize(DeltaStream& stream, bool consolidated);
  /// Puts the content at the start into a temp table, for the bootstrap.
  Result<WeightedRows> MaterializeInitial(const DeltaStream& stream);

 private:
  DeltaProgram& program_;
  ColumnMaker maker_;
  std::map<std::string, int> state_names_;
  std::set<std::string> consolidated_;
};

/// A state table that keeps rows with their weights, which are positive; equal rows may stand apart.
class Arrangement {
 public:
  static Result<Arrangement> Make(ProgramBuilder& builder, const std::string& identity, std::string_view role,
                                  std::string content, std::vector<OutputColumn> columns);

  const std::string& table() const { return table_; }

  /// Bootstrap: keeps these rows.
  Status Fill(ProgramBuilder& builder, const WeightedRows& rows) const;
  /// Epoch: adds the changes in a temp table with columns v0, v1, … and w. Consolidated, unless all are positive. Rows
  /// that are taken away but are not there are passed over, as Flink does.
  void Update(ProgramBuilder& builder, const std::string& changes, bool append_only) const;
  /// What it holds: in an epoch before Update the old rows, after it the new ones.
  WeightedRows Read(ProgramBuilder& builder) const;
  /// As Read, with one more column that rises with the epoch in which a row came.
  WeightedRows ReadInOrder(ProgramBuilder& builder, const OutputColumn& order) const;

 private:
  Arrangement(std::string table, std::vector<OutputColumn> columns, std::vector<DeltaColumn> types)
      : table_(std::move(table)), columns_(std::move(columns)), types_(std::move(types)) {}
  std::string table_;
  std::vector<OutputColumn> columns_;
  std::vector<DeltaColumn> types_;  // v0, v1, …
};

}  // namespace braid
