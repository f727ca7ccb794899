#pragma once

#include <string>

#include "base/result.h"
#include "sql/operator.h"

namespace braid {

/// Emits operators that read rows of DuckDB (op::DuckRows) and no tables: a SELECT of the operator's columns, named
/// ColumnSql(id), in their order. Errors: kInternal if there is a Scan.
Result<std::string> EmitOperators(const Operator& root);

}  // namespace braid
