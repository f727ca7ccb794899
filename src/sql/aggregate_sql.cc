#include "sql/aggregate_sql.h"

#include <utility>

#include <fmt/format.h>

#include "duck/type_mapping.h"

namespace braid {
namespace {

/// Text of one call: "name(arguments) FILTER (…) OVER (…)".
class CallText {
 public:
  CallText(const AggregateCall& call, std::string over, std::string order)
      : call_(call), over_(std::move(over)), order_(std::move(order)) {}

  const std::string& argument(std::size_t i) const { return call_.arguments[i].sql; }
  bool in_window() const { return !over_.empty(); }

  /// `condition`: rows that count, beside the call's own filter; "" for all.
  std::string Call(std::string_view function, std::string_view arguments, std::string_view condition = "") const {
    std::string filter;
    if (call_.filter) filter = call_.filter->sql;
    if (!condition.empty()) filter += fmt::format("{}{}", filter.empty() ? "" : " AND ", condition);
    return fmt::format("{}({}{}){}{}", function, call_.distinct ? "DISTINCT " : "", arguments,
                       filter.empty() ? "" : fmt::format(" FILTER (WHERE {})", filter), over_);
  }
  /// The arguments in the order of the rows.
  std::string InRowOrder(const std::string& arguments) const {
    const bool as_they_come = order_.empty() || in_window() || call_.distinct;
    return as_they_come ? arguments : fmt::format("{} ORDER BY {}", arguments, order_);
  }
  /// As InRowOrder; DISTINCT values are gathered in their own order, so that the result does not depend on chance.
  std::string InOrder(const std::string& arguments) const {
    return call_.distinct && !in_window() ? fmt::format("{0} ORDER BY {1}", arguments, argument(0))
                                          : InRowOrder(arguments);
  }
  std::string Call(std::string_view function) const { return Call(function, argument(0)); }

 private:
  const AggregateCall& call_;
  std::string over_;
  std::string order_;
};

/// A wide sum cut to its type as two's complement does.
std::string Wrapped(const std::string& sum, TypeKind kind, const std::string& duck_type) {
  std::string_view half;
  std::string_view whole;
  switch (kind) {
    case TypeKind::kTinyInt: half = "128", whole = "256"; break;
    case TypeKind::kSmallInt: half = "32768", whole = "65536"; break;
    case TypeKind::kInt: half = "2147483648", whole = "4294967296"; break;
    default: half = "9223372036854775808", whole = "18446744073709551616"; break;
  }
  return fmt::format("CAST((({0} + {1}) % {2} + {2}) % {2} - {1} AS {3})", sum, half, whole, duck_type);
}

bool MayBeNan(const SqlType& type) {
  return type.is_value() && (type.data().kind() == TypeKind::kFloat || type.data().kind() == TypeKind::kDouble);
}

std::string Json(const CallText& text, const AggregateCall& call, bool object) {
  const std::string& piece = call.arguments.back().sql;
  const std::string pieces = piece + ", ','";
  const std::string members = fmt::format(
      "coalesce({}, '')",
      text.Call("string_agg", object && !text.in_window() ? fmt::format("{} ORDER BY {}", pieces, text.argument(0))
                                                          : text.InRowOrder(pieces)));
  if (!object) return fmt::format("('[' || {} || ']')", members);
  const std::string value = fmt::format("('{{' || {} || '}}')", members);
  if (text.in_window()) return value;
  AggregateCall keys = call;
  keys.distinct = true;
  const CallText distinct(keys, "", "");
  return fmt::format("CASE WHEN {} <> {} THEN error('a key occurs twice in JSON_OBJECTAGG') ELSE {} END",
                     text.Call("count"), distinct.Call("count"), value);
}

std::string_view RankingName(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kRowNumber: return "row_number";
    case AggregateFunction::kRank: return "rank";
    case AggregateFunction::kDenseRank: return "dense_rank";
    case AggregateFunction::kPercentRank: return "percent_rank";
    case AggregateFunction::kCumeDist: return "cume_dist";
    case AggregateFunction::kNtile: return "ntile";
    case AggregateFunction::kLag: return "lag";
    default: return "lead";
  }
}

std::string BoundSql(const WindowBound& bound) {
  switch (bound.kind) {
    case syntax::FrameBoundKind::kUnboundedPreceding: return "UNBOUNDED PRECEDING";
    case syntax::FrameBoundKind::kPreceding: return bound.offset->sql + " PRECEDING";
    case syntax::FrameBoundKind::kCurrentRow: return "CURRENT ROW";
    case syntax::FrameBoundKind::kFollowing: return bound.offset->sql + " FOLLOWING";
    case syntax::FrameBoundKind::kUnboundedFollowing: return "UNBOUNDED FOLLOWING";
  }
  return "";
}

}  // namespace

Result<std::string> SumResultSql(const std::string& sum, const DataType& type) {
  if (type.kind() == TypeKind::kDouble) return sum;
  BRAID_TRY_ASSIGN(const std::string duck_type, ToDuckType(type));
  return type.is_integer() ? Wrapped(sum, type.kind(), duck_type) : fmt::format("CAST({} AS {})", sum, duck_type);
}

bool DependsOnOrder(const AggregateCall& call) {
  switch (call.function) {
    case AggregateFunction::kFirstValue:
    case AggregateFunction::kLastValue:
    case AggregateFunction::kArrayAgg:
    case AggregateFunction::kListAgg:
    case AggregateFunction::kJsonArrayAgg: return !call.distinct;
    default: return false;
  }
}

Result<std::string> AggregateSql(const AggregateCall& call, const std::string& over, const std::string& order) {
  const CallText text(call, over, order);
  std::string duck_type = "BIGINT";
  if (call.output.type.is_value()) {
    BRAID_TRY_ASSIGN(duck_type, ToDuckType(call.output.type.data()));
  }
  const auto list = [&call] {
    std::string arguments;
    for (const Scalar& argument : call.arguments) arguments += (arguments.empty() ? "" : ", ") + argument.sql;
    return arguments;
  };
  switch (call.function) {
    case AggregateFunction::kCount: return text.Call("count", call.arguments.empty() ? "*" : text.argument(0));
    case AggregateFunction::kSum: return SumResultSql(text.Call("sum"), call.output.type.data());
    case AggregateFunction::kMin: return text.Call("min");
    case AggregateFunction::kMax:
      if (!MayBeNan(call.arguments[0].type)) return text.Call("max");
      // Flink's comparison never lets NaN win over a number.
      return fmt::format("coalesce({}, {})",
                         text.Call("max", text.argument(0), fmt::format("NOT isnan({})", text.argument(0))),
                         text.Call("max"));
    case AggregateFunction::kFirstValue:
    case AggregateFunction::kLastValue: {
      const std::string name = call.function == AggregateFunction::kFirstValue ? "first" : "last";
      if (text.in_window()) return fmt::format("{}_value({} IGNORE NULLS){}", name, text.argument(0), over);
      return text.Call(name, text.InRowOrder(text.argument(0)), fmt::format("{} IS NOT NULL", text.argument(0)));
    }
    case AggregateFunction::kSingleValue:
      return fmt::format("CASE WHEN {} > 1 THEN error('SINGLE_VALUE received more than one row') ELSE {} END",
                         text.Call("count", "*"), text.Call("first"));
    case AggregateFunction::kCollect:
      return fmt::format("coalesce(CAST({} AS {}), CAST(MAP([], []) AS {}))", text.Call("histogram"), duck_type,
                         duck_type);
    case AggregateFunction::kArrayAgg: return text.Call("list", text.InOrder(text.argument(0)));
    case AggregateFunction::kListAgg: return text.Call("string_agg", text.InOrder(list()));
    case AggregateFunction::kJsonObjectAgg: return Json(text, call, true);
    case AggregateFunction::kJsonArrayAgg: return Json(text, call, false);
    case AggregateFunction::kApproxCountDistinct: return text.Call("approx_count_distinct");
    case AggregateFunction::kPercentile: return text.Call("quantile_cont", list());
    default: return fmt::format("{}({}){}", RankingName(call.function), list(), over);
  }
}

std::string SortKeysSql(const std::vector<SortKey>& keys) {
  std::string sql;
  for (const SortKey& key : keys) {
    // In parentheses: a bare number would be a position.
    sql += fmt::format("{}({}) {} NULLS {}", sql.empty() ? "" : ", ", key.value.sql, key.descending ? "DESC" : "ASC",
                       key.nulls_first ? "FIRST" : "LAST");
  }
  return sql;
}

std::string OverSql(const WindowCall& call) {
  std::string sql;
  const auto add = [&sql](const std::string& part) { sql += (sql.empty() ? "" : " ") + part; };
  std::string partition;
  for (const Scalar& key : call.partition_by) partition += (partition.empty() ? "" : ", ") + key.sql;
  if (!partition.empty()) add("PARTITION BY " + partition);
  if (!call.order_by.empty()) add("ORDER BY " + SortKeysSql(call.order_by));
  if (call.frame)
    add(fmt::format("{} BETWEEN {} AND {}", call.frame->rows ? "ROWS" : "RANGE", BoundSql(call.frame->start),
                    BoundSql(call.frame->end)));
  return fmt::format(" OVER ({})", sql);
}

}  // namespace braid
