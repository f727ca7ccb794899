#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "sql/analysis.h"
#include "sql/operator.h"

namespace braid {

/// Whether a function of that name, in any case, computes one value from many rows. Ranking functions are not among
/// them.
bool IsAggregateName(std::string_view name);
/// Whether it needs OVER (ROW_NUMBER, LAG, …).
bool IsWindowOnlyName(std::string_view name);
/// Names of both kinds, upper case, ascending, for SHOW FUNCTIONS.
std::vector<std::string> AggregateFunctionNames();

/// An aggregate as a query says it, with its arguments analysed.
struct AggregateRequest {
  std::string name;  ///< upper case
  std::vector<Scalar> arguments;
  bool star = false;  ///< COUNT(*)
  bool distinct = false;
  std::optional<Scalar> filter;
  bool json_nulls = false;  ///< JSON_OBJECTAGG, JSON_ARRAYAGG: NULL ON NULL
  /// The group is never empty, so that SUM and its like of NOT NULL values are not NULL.
  bool never_empty = false;
};

/// Adds a call and gives the column that holds its result; equal calls may share one.
using CallSink = std::function<Scalar(AggregateCall)>;

/// Checks the arguments and derives Flink's type; puts the primitive calls into the sink and returns the value over
/// their results: AVG of integers is SUM divided by COUNT, and so on. Errors: kInvalidArgument naming the function and
/// what it takes; kUnsupported.
Result<Scalar> ResolveAggregate(const Analysis& analysis, const AggregateRequest& request, const CallSink& add);

/// ROW_NUMBER, RANK, DENSE_RANK, PERCENT_RANK, CUME_DIST, NTILE, LAG, LEAD.
Result<Scalar> ResolveWindowFunction(const Analysis& analysis, const AggregateRequest& request, const CallSink& add);

}  // namespace braid
