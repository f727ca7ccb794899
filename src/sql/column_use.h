#pragma once

#include <cstdint>
#include <unordered_set>

#include "sql/operator.h"
#include "sql/query.h"

namespace braid {

using ColumnSet = std::unordered_set<ColumnId>;

/// The columns that the operator's own columns depend on, at every place below it; its own are among them.
ColumnSet UsedColumns(const Operator& root);

/// Where values wait while a query runs.
enum class ValuesWait : std::uint8_t {
  kInOperators,  ///< in those that take all their rows before they give one
  kInTables,     ///< in temp tables between the steps of a delta program, which keeps some in its state
};

/// Columns of scans whose long values need not be where the rows wait, since nothing looks at them there: references
/// may stand for them (duck/late_values.h).
ColumnSet LateColumns(const AnalyzedQuery& query, ValuesWait wait);

}  // namespace braid
