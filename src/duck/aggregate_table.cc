#include "duck/aggregate_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

/// One call on its way to SQL.
class Emitter {
 public:
  Emitter(const AggregateCall& call, const CallContext& context) : call_(call), context_(context) {}

  const AggregateCall& call() const { return call_; }
  const CallContext& context() const { return context_; }
  const CallArgument& argument(std::size_t i) const { return call_.arguments[i]; }
  const DataType& type() const { return argument(0).type.data(); }

  /// function(DISTINCT arguments) FILTER (…) OVER …
  std::string Sql(std::string_view function, std::string_view arguments) const {
    std::string sql = fmt::format("{}({}{})", function, call_.distinct ? "DISTINCT " : "", arguments);
    if (!call_.filter.empty()) sql += fmt::format(" FILTER (WHERE {})", call_.filter);
    if (!call_.over.empty()) sql += " OVER " + call_.over;
    return sql;
  }
  std::string Sql(std::string_view function) const { return Sql(function, argument(0).sql); }

  /// NULL for a group without values, which is none if the argument is never NULL and every group has a row.
  bool nullable() const {
    return argument(0).type.nullable() || !call_.grouped || !call_.filter.empty() || !call_.over.empty();
  }

 private:
  const AggregateCall& call_;
  const CallContext& context_;
};

/// The native function that wraps to an integer type.
std::string_view Narrowing(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kTinyInt: return "flink_to_tinyint";
    case TypeKind::kSmallInt: return "flink_to_smallint";
    case TypeKind::kInt: return "flink_to_int";
    default: return "flink_to_bigint";
  }
}

/// SUM in the type of its argument: DuckDB sums in 128 bits, Flink wraps, which gives the same low bits.
std::string WrappedSum(const Emitter& e, const std::string& value) {
  return fmt::format("{}({})", Narrowing(e.type()), e.Sql("sum", value));
}

Call Sum(const Emitter& e) {
  const DataType& type = e.type();
  if (type.is_integer()) return EmittedCall{type.WithNullability(e.nullable()), WrappedSum(e, e.argument(0).sql)};
  const DataType result = type.kind() == TypeKind::kDecimal ? DataType::Decimal(38, type.scale()) : type;
  return EmittedCall{result.WithNullability(e.nullable()),
                     fmt::format("CAST({} AS {})", e.Sql("sum"), DuckTypeOf(result))};
}

Call Average(const Emitter& e) {
  const DataType& type = e.type();
  const std::string count = e.Sql("count");
  if (type.is_integer()) {
    return EmittedCall{type.WithNullability(e.nullable()),
                       fmt::format("{}(flink_to_bigint({}) // {})", Narrowing(type), e.Sql("sum"), count)};
  }
  if (type.kind() == TypeKind::kDecimal) {
    const int scale = std::max(6, type.scale());
    return EmittedCall{
        DataType::Decimal(38, scale).WithNullability(e.nullable()),
        fmt::format("flink_decimal_divide({}, CAST({} AS DECIMAL(19, 0)), 38, {})", e.Sql("sum"), count, scale)};
  }
  return EmittedCall{type.WithNullability(e.nullable()), fmt::format("CAST({} AS {})", e.Sql("avg"), DuckTypeOf(type))};
}

struct Variance {
  const char* duck_function;
  bool sample;
  bool root;
};

/// Variances of integers are computed in integers, as the planner rewrites them: (sum(x * x) - sum(x) * sum(x) / n) /
/// n.
std::string IntegerVariance(const Emitter& e, const Variance& variance) {
  const std::string& x = e.argument(0).sql;
  const std::string sum = WrappedSum(e, x);
  const std::string squares = WrappedSum(e, fmt::format("flink_multiply({0}, {0})", x));
  const std::string count = fmt::format("{}({})", Narrowing(e.type()), e.Sql("count"));
  const std::string least = variance.sample ? "1" : "0";
  const std::string one = fmt::format("CAST({} AS {})", least, DuckTypeOf(e.type()));
  std::string sql = fmt::format(
      "flink_divide(flink_subtract({0}, flink_divide(flink_multiply({1}, {1}), {2})), flink_subtract({2}, {3}))",
      squares, sum, count, one);
  if (variance.root) sql = fmt::format("{}(flink_sqrt(CAST({} AS DOUBLE)))", Narrowing(e.type()), sql);
  return fmt::format("(CASE WHEN {} > {} THEN {} END)", e.Sql("count"), least, sql);
}

template <const Variance& Kind>
Call Spread(const Emitter& e) {
  const DataType& type = e.type();
  const bool nullable = Kind.sample || e.nullable();
  if (type.is_integer()) return EmittedCall{type.WithNullability(nullable), IntegerVariance(e, Kind)};
  const std::string sql = e.Sql(Kind.duck_function, fmt::format("CAST({} AS DOUBLE)", e.argument(0).sql));
  const DataType result = type.kind() == TypeKind::kDecimal ? DataType::Decimal(38, 6) : type;
  return EmittedCall{result.WithNullability(nullable), fmt::format("CAST({} AS {})", sql, DuckTypeOf(result))};
}

constexpr Variance kVarPop = {"var_pop", false, false};
constexpr Variance kVarSamp = {"var_samp", true, false};
constexpr Variance kStddevPop = {"stddev_pop", false, true};
constexpr Variance kStddevSamp = {"stddev_samp", true, true};

/// NaN is never chosen beside numbers, while DuckDB takes it for the greatest.
template <bool Greatest>
Call Extreme(const Emitter& e) {
  const std::string_view function = Greatest ? "max" : "min";
  std::string sql = e.Sql(function);
  if (e.type().kind() == TypeKind::kFloat || e.type().kind() == TypeKind::kDouble) {
    sql = fmt::format("coalesce({}, {})",
                      e.Sql(function, fmt::format("CASE WHEN NOT isnan({0}) THEN {0} END", e.argument(0).sql)), sql);
  }
  return EmittedCall{e.type().WithNullability(e.nullable()), std::move(sql)};
}

Call Count(const Emitter& e) {
  if (e.call().arguments.size() > 1)
    return Error(ErrorCode::kUnsupported, "COUNT takes one value").Hint("count ROW(a, b), or *");
  return EmittedCall{DataType::BigInt().NotNull(), e.call().arguments.empty() ? e.Sql("count", "*") : e.Sql("count")};
}

Call ListAgg(const Emitter& e) {
  const std::string separator = e.call().arguments.size() > 1 ? e.argument(1).sql : "','";
  return EmittedCall{e.type(), e.Sql("string_agg", fmt::format("{}, {}", e.argument(0).sql, separator))};
}

Call Collect(const Emitter& e) {
  const DataType type = DataType::Multiset(e.type()).NotNull();
  const std::string duck_type = DuckTypeOf(type);
  return EmittedCall{
      type, fmt::format("coalesce(CAST({} AS {}), CAST(MAP {{}} AS {}))", e.Sql("histogram"), duck_type, duck_type)};
}

Call ArrayAgg(const Emitter& e) {
  return EmittedCall{DataType::Array(e.type()).WithNullability(e.type().nullable()), e.Sql("list")};
}

template <bool First>
Call Edge(const Emitter& e) {
  const DataType type = e.type().WithNullability(e.nullable());
  if (!e.call().over.empty()) {
    return EmittedCall{type, e.Sql(First ? "first_value" : "last_value", e.argument(0).sql + " IGNORE NULLS")};
  }
  if (First) return EmittedCall{type, e.Sql("any_value")};
  AggregateCall valid = e.call();
  const std::string present = fmt::format("{} IS NOT NULL", e.argument(0).sql);
  valid.filter = valid.filter.empty() ? present : fmt::format("({}) AND {}", valid.filter, present);
  return EmittedCall{type, Emitter(valid, e.context()).Sql("last")};
}

Call ApproximateCount(const Emitter& e) {
  return EmittedCall{DataType::BigInt().NotNull(), e.Sql("approx_count_distinct")};
}

Call Percentile(const Emitter& e) {
  const DataType& fraction = e.argument(1).type.data();
  const DataType type = fraction.kind() == TypeKind::kArray ? DataType::Array(DataType::Double()) : DataType::Double();
  const std::string fractions = fmt::format("CAST({} AS {})", e.argument(1).sql, DuckTypeOf(type));
  return EmittedCall{type, e.Sql("quantile_cont", fmt::format("CAST({} AS DOUBLE), {}", e.argument(0).sql, fractions))};
}

/// A value as JSON text, made by the scalar function.
Result<std::string> JsonText(const CallArgument& value, const CallContext& context) {
  if (value.is_json) return value.sql;
  BRAID_TRY_ASSIGN(const EmittedCall json, ResolveCall("JSON_STRING", {value}, context));
  return json.sql;
}

Call JsonArrayAgg(const Emitter& e) {
  BRAID_TRY_ASSIGN(const std::string value, JsonText(e.argument(1), e.context()));
  return EmittedCall{
      DataType::VarChar(2000).NotNull(),
      fmt::format("flink_json_array_of({}, coalesce({}, []))", QuoteDuckText(e.argument(0).sql), e.Sql("list", value)),
      std::nullopt, true};
}

Call JsonObjectAgg(const Emitter& e) {
  BRAID_TRY_ASSIGN(const std::string value, JsonText(e.argument(2), e.context()));
  // One aggregate, so that keys and values stay together.
  const std::string pairs = e.Sql("list", fmt::format("[{}, {}]", e.argument(1).sql, value));
  return EmittedCall{DataType::VarChar(2000).NotNull(),
                     fmt::format("flink_json_object_of({}, coalesce({}, []))", QuoteDuckText(e.argument(0).sql), pairs),
                     std::nullopt, true};
}

Result<std::string> Over(const Emitter& e, std::string_view function, std::string_view arguments) {
  if (e.call().over.empty())
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} needs an OVER clause", ToUpper(e.call().name)));
  return e.Sql(function, arguments);
}

template <const char* const& Function>
Call Ranking(const Emitter& e) {
  BRAID_TRY_ASSIGN(std::string sql, Over(e, Function, ""));
  const std::string_view name = Function;
  const bool fraction = name == "percent_rank" || name == "cume_dist";
  return EmittedCall{(fraction ? DataType::Double() : DataType::BigInt()).NotNull(), std::move(sql)};
}
constexpr const char* kRowNumber = "row_number";
constexpr const char* kRank = "rank";
constexpr const char* kDenseRank = "dense_rank";
constexpr const char* kPercentRank = "percent_rank";
constexpr const char* kCumeDist = "cume_dist";

Call NTile(const Emitter& e) {
  BRAID_TRY_ASSIGN(std::string sql, Over(e, "ntile", e.argument(0).sql));
  return EmittedCall{DataType::BigInt().NotNull(), std::move(sql)};
}

template <bool Lead>
Call Neighbour(const Emitter& e) {
  std::string arguments = e.argument(0).sql;
  if (e.call().arguments.size() > 1) arguments += ", " + e.argument(1).sql;
  bool nullable = true;
  if (e.call().arguments.size() > 2) {
    BRAID_TRY_ASSIGN(const CallArgument otherwise, CastArgument(e.argument(2), e.type(), e.context()));
    arguments += ", " + otherwise.sql;
    nullable = e.type().nullable() || otherwise.type.nullable();
  }
  BRAID_TRY_ASSIGN(std::string sql, Over(e, Lead ? "lead" : "lag", arguments));
  return EmittedCall{e.type().WithNullability(nullable), std::move(sql)};
}

Call Grouping(const Emitter& e) {
  return EmittedCall{DataType::BigInt().NotNull(),
                     fmt::format("CAST(grouping({}) AS BIGINT)", FillTemplate("{*}", e.call().arguments, e.context()))};
}

struct AggregateEntry {
  std::string_view name;
  std::string_view arguments;  // as in FunctionEntry
  Call (*rule)(const Emitter&);
};

constexpr AggregateEntry kEntries[] = {
    {"COUNT", "any*", Count},
    {"SUM", "numeric", Sum},
    {"AVG", "numeric", Average},
    {"MIN", "any", Extreme<false>},
    {"MAX", "any", Extreme<true>},
    {"STDDEV_POP", "numeric", Spread<kStddevPop>},
    {"STDDEV_SAMP", "numeric", Spread<kStddevSamp>},
    {"STDDEV", "numeric", Spread<kStddevSamp>},
    {"VAR_POP", "numeric", Spread<kVarPop>},
    {"VAR_SAMP", "numeric", Spread<kVarSamp>},
    {"VARIANCE", "numeric", Spread<kVarSamp>},
    {"LISTAGG", "text text?", ListAgg},
    {"COLLECT", "any", Collect},
    {"ARRAY_AGG", "any", ArrayAgg},
    {"FIRST_VALUE", "any", Edge<true>},
    {"LAST_VALUE", "any", Edge<false>},
    {"APPROX_COUNT_DISTINCT", "any", ApproximateCount},
    {"PERCENTILE", "numeric numeric", Percentile},
    {"PERCENTILE", "numeric array", Percentile},
    {"JSON_ARRAYAGG", "symbol any", JsonArrayAgg},
    {"JSON_OBJECTAGG", "symbol text any", JsonObjectAgg},
    {"ROW_NUMBER", "", Ranking<kRowNumber>},
    {"RANK", "", Ranking<kRank>},
    {"DENSE_RANK", "", Ranking<kDenseRank>},
    {"PERCENT_RANK", "", Ranking<kPercentRank>},
    {"CUME_DIST", "", Ranking<kCumeDist>},
    {"NTILE", "int", NTile},
    {"LEAD", "any int? any?", Neighbour<true>},
    {"LAG", "any int? any?", Neighbour<false>},
    {"GROUPING", "any*", Grouping},
    {"GROUPING_ID", "any*", Grouping},
};

}  // namespace

Result<EmittedCall> ResolveAggregate(const AggregateCall& call, const CallContext& context) {
  const std::string name = ToUpper(call.name);
  std::string wanted;
  for (const AggregateEntry& entry : kEntries) {
    if (entry.name != name) continue;
    AggregateCall cast = call;
    BRAID_TRY_ASSIGN(const bool fits, MatchArguments(entry.arguments, cast.arguments, context));
    if (fits) return entry.rule(Emitter(cast, context));
    wanted += (wanted.empty() ? "" : ") or (") + Join(Split(entry.arguments, ' '), ", ");
  }
  if (!IsAggregateFunction(name))
    return Error(ErrorCode::kNotFound, fmt::format("there is no aggregate function {}", call.name));
  return WrongArguments(name, call.arguments, wanted);
}

bool IsAggregateFunction(std::string_view name) {
  return std::any_of(std::begin(kEntries), std::end(kEntries),
                     [&](const AggregateEntry& entry) { return EqualsIgnoreCase(entry.name, name); });
}

std::vector<std::string> AggregateFunctionNames() {
  std::vector<std::string> names;
  for (const AggregateEntry& entry : kEntries) names.emplace_back(entry.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace braid
