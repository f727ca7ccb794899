#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "duck/function_table.h"

namespace braid {

/// A call of an aggregate or window function.
struct AggregateCall {
  std::string name;                     ///< in any case
  std::vector<CallArgument> arguments;  ///< none for COUNT(*)
  bool distinct = false;
  std::string filter = {};  ///< SQL of the condition of FILTER (WHERE …); empty: none
  std::string over = {};    ///< SQL behind OVER, "(PARTITION BY …)"; empty: the call aggregates groups
  /// There is a GROUP BY other than GROUPING SETS with (), so that no group is empty.
  bool grouped = false;
};

/// Resolves a call as ResolveCall does: checks arguments, derives Flink's type and nullability, emits DuckDB SQL that
/// contains FILTER and OVER.
///
/// JSON_OBJECTAGG ('NULL|ABSENT, key, value) and JSON_ARRAYAGG ('NULL|ABSENT, value) lead with a symbol. ROW_NUMBER,
/// RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST, NTILE, LEAD and LAG need `over`. FIRST_VALUE, LAST_VALUE, LISTAGG,
/// ARRAY_AGG and JSON_ARRAYAGG see rows in no particular order unless `over` orders them, as in Flink's batch mode. A
/// decimal SUM or AVG that needs more than 38 digits is an error, where Flink gives NULL; variances of decimals are
/// computed in DOUBLE. Errors: as ResolveCall; kNotFound for a name that is no aggregate function.
Result<EmittedCall> ResolveAggregate(const AggregateCall& call, const CallContext& context);

/// Whether there is an aggregate or window function of that name, in any case.
bool IsAggregateFunction(std::string_view name);
/// Upper case, ascending.
std::vector<std::string> AggregateFunctionNames();

}  // namespace braid
