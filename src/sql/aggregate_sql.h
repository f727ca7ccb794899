#pragma once

#include <string>

#include "base/result.h"
#include "sql/operator.h"

namespace braid {

/// The call as DuckDB SQL of DuckDB type ToDuckType(call.output.type). `over`: "" or " OVER (…)". `order`: what orders
/// the rows of a group, where the result depends on it (FIRST_VALUE, LISTAGG …); "": they have no order.
Result<std::string> AggregateSql(const AggregateCall& call, const std::string& over, const std::string& order = "");

/// Whether the result depends on the order of the rows.
bool DependsOnOrder(const AggregateCall& call);

/// The result of SUM from a sum that was made without overflow: of HUGEINT for integers, which are cut to their type as
/// two's complement does; of DECIMAL(38, s) or DOUBLE else.
Result<std::string> SumResultSql(const std::string& sum, const DataType& type);

/// PARTITION BY, ORDER BY and frame in " OVER (…)".
std::string OverSql(const WindowCall& call);

/// "x ASC NULLS FIRST, …".
std::string SortKeysSql(const std::vector<SortKey>& keys);

}  // namespace braid
