#pragma once

#include <functional>

#include "delta/weighted_rows_internal.h"

namespace braid {

/// The operator in terms of those that have rules, one step deep: its inputs stay as they are.
///
///   DISTINCT                  GROUP BY all columns
///   UNION                     GROUP BY all columns of UNION ALL
///   GROUPING SETS             each row once for each set, with the set's number as a further key
///   ORDER BY without LIMIT    nothing
///   OVER                      without the calls that nothing reads
///   EXISTS (query)            cross join with COUNT(*) > 0 of the query
///   (query) as a value        cross join with SINGLE_VALUE of the query
///   x IN (query)              join with the distinct rows of the query
///
/// Inner queries that name columns from around them stay.
OperatorPtr Rewrite(ColumnMaker& maker, const OperatorPtr& node, const std::function<bool(ColumnId)>& is_used);

}  // namespace braid
