#pragma once

// For this folder's sources that see DuckDB's headers.

#include <duckdb/common/types.hpp>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// ToDuckType as DuckDB's own value.
Result<duckdb::LogicalType> ToLogicalType(const DataType& type);
/// See ResultColumn::type. Errors: kUnsupported naming the type.
Result<DataType> FromLogicalType(const duckdb::LogicalType& type);

}  // namespace braid
