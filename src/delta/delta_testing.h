#pragma once

// Runs delta programs in tests, as the header of DeltaProgram says that a runner does; include only from tests.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "base/text.h"
#include "delta/delta_program.h"
#include "delta/operator_reading_internal.h"
#include "delta/program_builder_internal.h"
#include "sql/emit.h"
#include "sql/query_testing.h"

namespace braid {

/// The content of a table as SQL tuples, "(1, 'a')", before and after an epoch.
struct TestTable {
  std::vector<std::string> types;  ///< DuckDB's, one a column
  std::vector<std::string> old_rows;
  std::vector<std::string> rows;
};

/// One query over tables whose rows the test changes.
class DeltaRun {
 public:
  /// `tables`: by name, with their rows at the start.
  DeltaRun(const AnalyzedQuery& query, DeltaProgram program, std::map<std::string, TestTable> tables)
      : query_(query), program_(std::move(program)), tables_(std::move(tables)) {}

  const DeltaProgram& program() const { return program_; }
  std::map<std::string, TestTable>& tables() { return tables_; }
  /// Whether steps whose inputs are empty are left out.
  bool skips = true;
  /// The time of the next epoch.
  std::int64_t time_ms = 0;
  /// Steps run so far.
  int steps_run = 0;

  Status Start() {
    BRAID_TRY_ASSIGN(engine_, DuckEngine::Open({}));
    BRAID_TRY_ASSIGN(connection_, engine_->Connect());
    for (const DeltaTable& table : program_.temp_tables) BRAID_TRY(Run(table.create_sql));
    for (const StateTable& state : program_.state_tables) BRAID_TRY(Run(state.table.create_sql));
    std::vector<std::string> columns;
    for (const DeltaColumn& column : program_.output.columns) columns.push_back(column.name + " " + column.duck_type);
    BRAID_TRY(Run(fmt::format("CREATE TABLE result ({})", Join(columns, ", "))));
    for (auto& [name, table] : tables_) table.old_rows = table.rows;
    BRAID_TRY(ShowContents());
    BRAID_TRY(SetTime());
    BRAID_TRY(Run("BEGIN"));
    for (const DeltaStep& step : program_.bootstrap) BRAID_TRY(Run(step.sql));
    BRAID_TRY(Run("COMMIT"));
    return TakeOutput();
  }

  /// Runs an epoch with the changes that were made to the rows of tables().
  Status Epoch() {
    BRAID_TRY(ShowContents());
    filled_.clear();
    for (std::size_t i = 0; i < program_.sources.size(); ++i) {
      const DeltaSource& source = program_.sources[i];
      const TestTable& table = TableOf(source);
      std::map<std::string, int> weights;
      std::vector<std::pair<std::string, int>> changes;
      for (const std::string& row : table.rows) ++weights[row];
      for (const std::string& row : table.old_rows) --weights[row];
      for (const auto& [row, weight] : weights) {
        if (weight == 0) continue;
        BRAID_TRY(
            Run(fmt::format("INSERT INTO {} SELECT {} FROM (VALUES {}) AS t({})", source.changes.name,
                            CommaList({SourceColumns(source), {std::to_string(weight)}}), row, AllColumns(table))));
        filled_.insert(source.changes.name);
      }
    }
    BRAID_TRY(SetTime());
    BRAID_TRY(Run("BEGIN"));
    for (const DeltaStep& step : program_.epoch) {
      bool reads = step.inputs.empty() || !skips;
      for (const std::string& input : step.inputs) reads = reads || filled_.contains(input);
      if (!reads) continue;
      ++steps_run;
      BRAID_TRY(Run(step.sql));
      BRAID_TRY_ASSIGN(const std::int64_t rows, Number(fmt::format("SELECT count(*) FROM {}", step.output)));
      if (rows > 0) filled_.insert(step.output);
    }
    BRAID_TRY(Run("COMMIT"));
    BRAID_TRY(TakeOutput());
    for (auto& [name, table] : tables_) table.old_rows = table.rows;
    return Ok();
  }

  /// Rows by which the sum of all outputs differs from the query over the tables now; 0 if all is well.
  Result<std::int64_t> DifferenceFromQuery() {
    BRAID_TRY_ASSIGN(const std::string query, EmitOperators(*OverContents(query_.root)));
    const std::vector<std::string> names = NumberedNames("c", query_.columns.size());
    return Number(
        fmt::format("SELECT count(*) FROM (SELECT {0}, sum(w) FROM (SELECT {0}, w FROM result UNION ALL SELECT {0}, -1 "
                    "FROM ({1}) AS "
                    "q({0})) GROUP BY {0} HAVING sum(w) <> 0)",
                    CommaList({names}), query));
  }

  /// The last output, as "[1,\"a\"] +1", sorted.
  Result<std::vector<std::string>> Output() { return Rows("SELECT * FROM last_out"); }
  /// Rows of a query, sorted.
  Result<std::vector<std::string>> Rows(const std::string& sql) {
    BRAID_TRY_ASSIGN(const auto result, connection_->Query(sql));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*result));
    std::vector<std::string> rows;
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row) {
        std::string text;
        for (std::size_t i = 0; i < result->columns().size(); ++i) {
          if (i > 0) text += ' ';
          const DataType& type = result->columns()[i].type;
          AppendDatumJson(DatumAt(*batch.rows->column(static_cast<int>(i)), row, type), type, text);
        }
        rows.push_back(std::move(text));
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

 private:
  Status Run(const std::string& sql) {
    Status status = connection_->Execute(sql);
    if (!status) return std::move(status).error().Context(sql);
    return status;
  }
  Status SetTime() { return Run(fmt::format("SET VARIABLE epoch_time_ms = CAST({} AS BIGINT)", time_ms)); }
  Result<std::int64_t> Number(const std::string& sql) {
    Result<std::vector<std::string>> rows = Rows(sql);
    if (!rows) return std::move(rows).error().Context(sql);
    return ParseInt64(rows->front()).value();
  }

  const TestTable& TableOf(const DeltaSource& source) const { return tables_.at(source.table.identifier.table); }
  static std::string AllColumns(const TestTable& table) { return CommaList({NumberedNames("c", table.types.size())}); }
  static std::vector<std::string> SourceColumns(const DeltaSource& source) {
    std::vector<std::string> names;
    for (const std::size_t position : source.columns) names.push_back(fmt::format("c{}", position));
    return names;
  }

  /// Tables now_<name> and before_<name>, and the views that programs read.
  Status ShowContents() {
    for (const auto& [name, table] : tables_) {
      for (const auto& [when, rows] : {std::pair("now", &table.rows), std::pair("before", &table.old_rows)}) {
        std::vector<std::string> columns;
        for (std::size_t i = 0; i < table.types.size(); ++i)
          columns.push_back(fmt::format("c{} {}", i, table.types[i]));
        BRAID_TRY(Run(fmt::format("CREATE OR REPLACE TABLE {}_{} ({})", when, name, Join(columns, ", "))));
        if (!rows->empty()) BRAID_TRY(Run(fmt::format("INSERT INTO {}_{} VALUES {}", when, name, Join(*rows, ", "))));
      }
    }
    for (std::size_t i = 0; i < program_.sources.size(); ++i) {
      const std::string& name = program_.sources[i].table.identifier.table;
      std::vector<std::string> columns = SourceColumns(program_.sources[i]);
      if (columns.empty()) columns = {"1"};
      BRAID_TRY(Run(
          fmt::format("CREATE OR REPLACE TEMP VIEW new_{} AS SELECT {} FROM now_{}", i, Join(columns, ", "), name)));
      BRAID_TRY(Run(
          fmt::format("CREATE OR REPLACE TEMP VIEW old_{} AS SELECT {} FROM before_{}", i, Join(columns, ", "), name)));
    }
    return Ok();
  }

  Status TakeOutput() {
    const std::vector<std::string> names = NumberedNames("c", query_.columns.size());
    BRAID_TRY_ASSIGN(const std::int64_t wrong,
                     Number(fmt::format("SELECT count(*) FROM (SELECT {0} FROM out GROUP BY {0} HAVING count(*) > 1 OR "
                                        "sum(w) = 0)",
                                        CommaList({names}))));
    if (wrong > 0) return Error(ErrorCode::kInternal, "the output is not consolidated");
    BRAID_TRY(Run("INSERT INTO result SELECT * FROM out"));
    BRAID_TRY(Run("CREATE OR REPLACE TEMP TABLE last_out AS SELECT * FROM out"));
    for (const DeltaTable& table : program_.temp_tables) BRAID_TRY(Run(table.create_sql));
    return Ok();
  }

  OperatorPtr OverContents(const OperatorPtr& node) const {
    if (const auto* scan = std::get_if<op::Scan>(&node->node)) {
      return std::make_shared<const Operator>(
          Operator{.columns = node->columns, .node = op::DuckRows{.from = "now_" + scan->table.identifier.table}});
    }
    std::vector<OperatorPtr> inputs;
    for (const OperatorPtr& input : InputsOf(*node)) inputs.push_back(OverContents(input));
    return WithInputs(*node, std::move(inputs));
  }

  AnalyzedQuery query_;
  DeltaProgram program_;
  std::map<std::string, TestTable> tables_;
  std::unique_ptr<DuckEngine> engine_;
  std::unique_ptr<DuckConnection> connection_;
  std::set<std::string> filled_;
};

}  // namespace braid
