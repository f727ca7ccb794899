#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "delta/accumulators_internal.h"
#include "duck/type_mapping.h"
#include "sql/aggregate_sql.h"
#include "sql/analysis.h"

namespace braid {
namespace {

bool IsFloat(const SqlType& type) {
  return type.is_value() && (type.data().kind() == TypeKind::kFloat || type.data().kind() == TypeKind::kDouble);
}

class Planner {
 public:
  Planner(ColumnMaker& maker, bool append_only, bool fast_float_sums)
      : maker_(maker), append_only_(append_only), exact_floats_(!append_only && !fast_float_sums) {}

  Status Add(const AggregateCall& call) {
    switch (call.function) {
      case AggregateFunction::kCount: return AddCount(call);
      case AggregateFunction::kSum:
        return exact_floats_ && IsFloat(call.arguments.front().type) ? AddRowCall(call) : AddSum(call);
      case AggregateFunction::kMin:
      case AggregateFunction::kMax: return append_only_ ? AddExtreme(call) : AddRowCall(call);
      default: return AddRowCall(call);
    }
  }
  AccumulatorPlan Take() { return std::move(plan_); }

 private:
  std::size_t ArgumentOf(const Scalar& value) {
    std::vector<AccumulatorPlan::Argument>& arguments = plan_.arguments;
    const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const AccumulatorPlan::Argument& argument) {
      return SameScalar(argument.value, value);
    });
    if (found != arguments.end()) return static_cast<std::size_t>(found - arguments.begin());
    arguments.push_back({.value = value, .column = maker_.Make("argument", value.type)});
    return arguments.size() - 1;
  }

  std::size_t AddAccumulator(Accumulator accumulator) {
    std::vector<Accumulator>& all = plan_.accumulators;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Accumulator& other) {
      return other.kind == accumulator.kind && other.kind != Accumulator::Kind::kResult &&
             other.partial == accumulator.partial && other.distinct == accumulator.distinct;
    });
    if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
    all.push_back(std::move(accumulator));
    return all.size() - 1;
  }

  std::optional<std::size_t> FilterOf(const AggregateCall& call) {
    return call.filter ? std::optional(ArgumentOf(*call.filter)) : std::nullopt;
  }
  static std::string FilterSql(const std::vector<std::string>& conditions) {
    std::string sql;
    for (const std::string& condition : conditions) {
      if (!condition.empty()) sql += fmt::format("{}{}", sql.empty() ? "" : " AND ", condition);
    }
    return sql.empty() ? sql : fmt::format(" FILTER (WHERE {})", sql);
  }

  /// What a call reads: `x` is the column of its argument, `filter` picks rows that count.
  struct Input {
    std::string x;
    std::string filter;
    std::optional<std::size_t> distinct;
  };
  Input InputOf(const AggregateCall& call) {
    const std::optional<std::size_t> filter = FilterOf(call);
    const std::string condition = filter ? fmt::format("x{}", *filter) : "";
    if (call.arguments.empty()) return {.x = {}, .filter = FilterSql({condition}), .distinct = {}};
    const std::size_t argument = ArgumentOf(call.arguments.front());
    if (!call.distinct) {
      const std::string x = fmt::format("x{}", argument);
      return {.x = x, .filter = FilterSql({x + " IS NOT NULL", condition}), .distinct = {}};
    }
    const AccumulatorPlan::DistinctValue value{.argument = argument, .filter = filter};
    const auto found = std::find(plan_.distinct.begin(), plan_.distinct.end(), value);
    const auto position = static_cast<std::size_t>(found - plan_.distinct.begin());
    if (found == plan_.distinct.end()) plan_.distinct.push_back(value);
    return {.x = "x", .filter = {}, .distinct = position};
  }

  std::size_t AddCountOf(const Input& input) {
    return AddAccumulator({.kind = Accumulator::Kind::kSum,
                           .duck_type = "BIGINT",
                           .partial = fmt::format("CAST(coalesce(sum(w){}, 0) AS BIGINT)", input.filter),
                           .distinct = input.distinct});
  }

  Status AddCount(const AggregateCall& call) {
    AccumulatorPlan::CallResult result{.column = call.output};
    const bool every_row =
        !call.filter && (call.arguments.empty() || (!call.distinct && !call.arguments.front().type.nullable()));
    if (!every_row) result.value = AddCountOf(InputOf(call));
    plan_.results.push_back(std::move(result));
    return Ok();
  }

  Status AddSum(const AggregateCall& call) {
    const DataType& type = call.arguments.front().type.data();
    const Input input = InputOf(call);
    Accumulator sum{.kind = Accumulator::Kind::kSum, .distinct = input.distinct};
    if (type.is_integer()) {
      sum.duck_type = "HUGEINT";
      sum.partial = fmt::format("CAST(sum(CAST({} AS {}) * w){} AS HUGEINT)", input.x,
                                type.kind() == TypeKind::kBigInt ? "HUGEINT" : "BIGINT", input.filter);
    } else if (type.kind() == TypeKind::kDecimal) {
      sum.duck_type = fmt::format("DECIMAL(38,{})", type.scale());
      sum.partial = fmt::format("CAST(sum(CAST({0} AS {1}) * CAST(w AS DECIMAL(18,0))){2} AS {1})", input.x,
                                sum.duck_type, input.filter);
    } else {
      sum.duck_type = "DOUBLE";
      sum.partial = fmt::format("sum(CAST({} AS DOUBLE) * w){}", input.x, input.filter);
    }
    AccumulatorPlan::CallResult result{.column = call.output};
    result.value = AddAccumulator(std::move(sum));
    result.sum_count = AddCountOf(input);
    plan_.results.push_back(std::move(result));
    return Ok();
  }

  Status AddExtreme(const AggregateCall& call) {
    AggregateCall over_column = OverColumns(call, "x");
    over_column.distinct = false;
    Accumulator accumulator{.kind = call.function == AggregateFunction::kMin ? Accumulator::Kind::kMin
                                                                             : Accumulator::Kind::kMax};
    BRAID_TRY_ASSIGN(accumulator.duck_type, DuckTypeOf(call.output.type));
    BRAID_TRY_ASSIGN(accumulator.partial, AggregateSql(over_column, ""));
    accumulator.may_be_nan = IsFloat(call.arguments.front().type);
    AccumulatorPlan::CallResult result{.column = call.output};
    result.value = AddAccumulator(std::move(accumulator));
    plan_.results.push_back(std::move(result));
    return Ok();
  }

  Status AddRowCall(const AggregateCall& call) {
    Accumulator accumulator{.kind = Accumulator::Kind::kResult};
    BRAID_TRY_ASSIGN(accumulator.duck_type, DuckTypeOf(call.output.type));
    AccumulatorPlan::CallResult result{.column = call.output};
    result.value = AddAccumulator(std::move(accumulator));
    plan_.row_accumulators.push_back(*result.value);
    plan_.row_calls.push_back(OverColumns(call, {}));
    const bool is_extreme = call.function == AggregateFunction::kMin || call.function == AggregateFunction::kMax;
    plan_.counts_copies = plan_.counts_copies || !(is_extreme || call.distinct);
    plan_.depends_on_order = plan_.depends_on_order || DependsOnOrder(call);
    plan_.results.push_back(std::move(result));
    return Ok();
  }

  /// The call over the columns of its arguments: by number, or, with a prefix, by position. Literals stay.
  AggregateCall OverColumns(const AggregateCall& call, std::string_view prefix) {
    AggregateCall over = call;
    const auto replace = [&](Scalar& value) {
      if (value.columns.empty()) return;
      const std::size_t position = ArgumentOf(value);
      value = ColumnScalar(plan_.arguments[position].column);
      if (!prefix.empty()) value.sql = fmt::format("{}{}", prefix, position);
    };
    for (Scalar& argument : over.arguments) replace(argument);
    if (over.filter) replace(*over.filter);
    return over;
  }

  ColumnMaker& maker_;
  bool append_only_;
  bool exact_floats_;
  AccumulatorPlan plan_;
};

}  // namespace

Result<AccumulatorPlan> PlanAccumulators(ColumnMaker& maker, const std::vector<AggregateCall>& calls, bool append_only,
                                         bool fast_float_sums) {
  Planner planner(maker, append_only, fast_float_sums);
  for (const AggregateCall& call : calls) BRAID_TRY(planner.Add(call));
  return planner.Take();
}

std::string CombineSql(const Accumulator& accumulator, const std::string& before, const std::string& change) {
  switch (accumulator.kind) {
    case Accumulator::Kind::kSum:
      return fmt::format("CAST(coalesce({1}, CAST(0 AS {0})) + coalesce({2}, CAST(0 AS {0})) AS {0})",
                         accumulator.duck_type, before, change);
    case Accumulator::Kind::kMin: return fmt::format("least({}, {})", before, change);
    case Accumulator::Kind::kMax:
      if (!accumulator.may_be_nan) return fmt::format("greatest({}, {})", before, change);
      // As MAX: NaN only if there is no number.
      return fmt::format(
          "CASE WHEN {0} IS NULL OR (isnan({0}) AND {1} IS NOT NULL) THEN {1} WHEN {1} IS NULL OR isnan({1}) THEN {0} "
          "ELSE greatest({0}, {1}) END",
          before, change);
    case Accumulator::Kind::kResult: return change;
  }
  return change;
}

Result<std::string> CallResultSql(const AccumulatorPlan::CallResult& result, std::string_view prefix) {
  const std::string value = result.value ? fmt::format("{}a{}", prefix, *result.value) : fmt::format("{}n", prefix);
  if (!result.sum_count) return value;
  BRAID_TRY_ASSIGN(const std::string sum, SumResultSql(value, result.column.type.data()));
  return fmt::format("CASE WHEN {}a{} > 0 THEN {} END", prefix, *result.sum_count, sum);
}

}  // namespace braid
