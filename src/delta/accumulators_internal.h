#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/program_builder_internal.h"

namespace braid {

/// A value kept for each group, column a<i> of its state for the i-th.
struct Accumulator {
  enum class Kind : std::uint8_t {
    kSum,     ///< of weights or weighted values: takes rows back exactly
    kMin,     ///< of rows that never go
    kMax,     ///< of rows that never go
    kResult,  ///< the result of a call that is computed from all rows of the group
  };
  Kind kind = Kind::kSum;
  std::string duck_type = {};
  /// What the changes of one group give: an aggregate over columns x0, x1, … and w. Not of kResult.
  std::string partial = {};
  /// Over distinct values: the position in AccumulatorPlan::distinct, whose column x the partial is over.
  std::optional<std::size_t> distinct = std::nullopt;
  bool may_be_nan = false;
};

/// How the calls of one aggregation are kept.
struct AccumulatorPlan {
  /// An argument or filter of calls: column x<i> of a group's rows.
  struct Argument {
    Scalar value;
    OutputColumn column;
  };
  std::vector<Argument> arguments = {};
  std::vector<Accumulator> accumulators = {};
  /// Values whose distinct occurrences among the rows that pass the filter are counted: positions in `arguments`.
  struct DistinctValue {
    std::size_t argument = 0;
    std::optional<std::size_t> filter = std::nullopt;
    friend bool operator==(const DistinctValue&, const DistinctValue&) = default;
  };
  std::vector<DistinctValue> distinct = {};
  /// Calls that are computed from all rows of a group, over the columns of `arguments`.
  std::vector<AggregateCall> row_calls = {};
  /// The positions of their accumulators.
  std::vector<std::size_t> row_accumulators = {};
  /// Whether copies of a row matter to one of them, and whether the order in which rows came.
  bool counts_copies = false;
  bool depends_on_order = false;
  /// A used call: the accumulators of its value, and of a sum that is kept also of the number of its values, without
  /// which it is NULL. No value: the number of rows.
  struct CallResult {
    OutputColumn column;
    std::optional<std::size_t> value = std::nullopt;
    std::optional<std::size_t> sum_count = std::nullopt;
  };
  std::vector<CallResult> results = {};
};

/// `append_only`: rows never go. `fast_float_sums`: as in DeltaOptions. `calls`: those whose results are used.
Result<AccumulatorPlan> PlanAccumulators(ColumnMaker& maker, const std::vector<AggregateCall>& calls, bool append_only,
                                         bool fast_float_sums);

/// The accumulator's value from the one before and what the changes give; either may be NULL.
std::string CombineSql(const Accumulator& accumulator, const std::string& before, const std::string& change);

/// The call's result over columns <prefix>a0, <prefix>a1, … and <prefix>n.
Result<std::string> CallResultSql(const AccumulatorPlan::CallResult& result, std::string_view prefix);

}  // namespace braid
