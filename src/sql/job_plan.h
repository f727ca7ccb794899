#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "sql/connector.h"
#include "sql/query.h"
#include "table/table.h"

namespace braid {

/// The DuckDB variable in which whoever runs a job's program says the time of an epoch, milliseconds since 1970: what
/// CURRENT_TIMESTAMP and its like show (kEpochTimeSql in delta/delta_program.h reads it).
inline constexpr const char* kEpochTimeVariable = "epoch_time_ms";

/// What an INSERT writes to: a stored table, or one of a connector.
using SinkTable = std::variant<Table, std::shared_ptr<const ConnectorTable>>;

/// The columns of a sink, in order.
const std::vector<DataField>& FieldsOf(const SinkTable& table);

/// One INSERT with everything settled but the reading and writing.
struct PlannedInsert {
  std::string name;  ///< of the sink, "c.db.t"
  std::string catalog;
  Identifier identifier;
  std::shared_ptr<Catalog> owner;  ///< the catalog; null for a table of a connector
  SinkTable table;
  AnalyzedQuery query;
  /// DuckDB SQL of the sink's columns in their types, separated by commas, over the query's rows named q(c0, c1, …).
  std::string columns;
  std::string condition;  ///< " WHERE …" over the same rows, or empty

  /// SELECT of the sink's columns from SQL that gives the query's columns and then `extra` ones, which are passed on.
  std::string Select(const std::string& query_sql, const std::vector<std::string>& extra = {}) const;
};

/// The INSERTs of one statement or statement set: they run as one job.
struct JobPlan {
  std::string name;       ///< `pipeline.name`, or Flink's "insert-into_<catalog>.<database>.<table>"
  std::string statement;  ///< as the user wrote it
  std::vector<PlannedInsert> inserts;
};

/// What a session must be told to be like the one that planned a job.
struct SessionScript {
  Options options;                      ///< as SET would give them
  std::vector<std::string> statements;  ///< CREATE CATALOG, USE, CREATE TEMPORARY …, in order
};

}  // namespace braid
