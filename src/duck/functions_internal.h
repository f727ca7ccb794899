#pragma once

// Flink's scalar functions as native functions of DuckDB; for this folder's sources that see DuckDB's headers.

#include <duckdb.hpp>

namespace braid {

/// Adds every `flink_…` function to the database. Inside a transaction of the context. May throw as DuckDB does.
void RegisterFlinkFunctions(duckdb::ClientContext& context);

}  // namespace braid
