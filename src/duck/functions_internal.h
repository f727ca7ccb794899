#pragma once

// Flink's scalar functions as native functions of DuckDB.

namespace duckdb {
class ClientContext;
}

namespace braid {

/// Adds every `flink_…` function to the database. Inside a transaction of the context. May throw as DuckDB does.
void RegisterFlinkFunctions(duckdb::ClientContext& context);

}  // namespace braid
