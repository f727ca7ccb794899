#pragma once

#include <string>
#include <unordered_set>

#include "base/result.h"
#include "sql/operator.h"

namespace braid {

using ColumnSet = std::unordered_set<ColumnId>;

/// The columns that the operator's own columns depend on, at every place below it; its own are among them.
ColumnSet UsedColumns(const Operator& root);

/// Emits operators that read rows of DuckDB (op::DuckRows) and no tables: a SELECT of the operator's columns, named
/// ColumnSql(id), in their order. Errors: kInternal if there is a Scan.
Result<std::string> EmitOperators(const Operator& root);

}  // namespace braid
