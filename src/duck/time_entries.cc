#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "duck/function_entry_internal.h"
#include "duck/type_mapping.h"

namespace braid {
namespace {

using Call = Result<EmittedCall>;

Error UnknownUnit(std::string_view function, std::string_view unit) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("{} knows no unit {}", function, unit));
}

/// A value as a TIMESTAMP of DuckDB: LTZ in the session's zone, times on the first day of 1970.
Result<std::string> AsTimestamp(const CallArgument& value, const CallContext& context) {
  const DataType& type = value.type.data();
  if (type.kind() == TypeKind::kTimestamp && type.precision() <= 6) return value.sql;
  BRAID_TRY_ASSIGN(const CallArgument cast, CastArgument(value, DataType::Timestamp(6), context));
  return cast.sql;
}

/// A field of an interval of milliseconds or months.
Call ExtractFromInterval(const std::string& unit, const CallArgument& value) {
  struct Part {
    std::string_view unit;
    bool months;
    std::int64_t size;
    std::int64_t modulo;
  };
  constexpr std::array<Part, 7> kParts = {{{"YEAR", true, 12, 0},
                                           {"MONTH", true, 1, 12},
                                           {"QUARTER", true, 3, 4},
                                           {"DAY", false, 86400000, 0},
                                           {"HOUR", false, 3600000, 24},
                                           {"MINUTE", false, 60000, 60},
                                           {"SECOND", false, 1000, 60}}};
  for (const Part& part : kParts) {
    if (part.unit != unit || part.months != (value.type.kind() == SqlType::Kind::kMonths)) continue;
    const std::string whole = fmt::format("({} // {})", value.sql, part.size);
    return EmittedCall{DataType::BigInt(), part.modulo == 0 ? whole : fmt::format("({} % {})", whole, part.modulo)};
  }
  return UnknownUnit("EXTRACT", unit);
}

Call Extract(Arguments& arguments, const CallContext& context) {
  const std::string& unit = arguments[0].sql;
  const CallArgument& value = arguments[1];
  if (value.type.is_interval()) return ExtractFromInterval(unit, value);
  const DataType& type = value.type.data();
  constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kFields = {{
      {"YEAR", "year({0})"},
      {"QUARTER", "quarter({0})"},
      {"MONTH", "month({0})"},
      {"WEEK", "week({0})"},
      {"DAY", "day({0})"},
      {"DOY", "dayofyear({0})"},
      {"DOW", "(dayofweek({0}) + 1)"},
      {"ISODOW", "isodow({0})"},
      {"ISOYEAR", "isoyear({0})"},
      {"HOUR", "hour({0})"},
      {"MINUTE", "minute({0})"},
      {"SECOND", "second({0})"},
      {"MILLISECOND", "(millisecond({0}) % 1000)"},
      {"MICROSECOND", "(microsecond({0}) % 1000000)"},
      {"NANOSECOND", "((microsecond({0}) % 1000000) * 1000)"},
      {"EPOCH", "CAST(floor(epoch({0})) AS BIGINT)"},
      {"DECADE", "decade({0})"},
      {"CENTURY", "century({0})"},
      {"MILLENNIUM", "millennium({0})"},
  }};
  for (const auto& [name, emission] : kFields) {
    if (name != unit) continue;
    if (name == "NANOSECOND" && type.kind() == TypeKind::kTimestamp && type.precision() > 6) {
      return EmittedCall{DataType::BigInt(),
                         fmt::format("(((epoch_ns({0}) % 1000000000) + 1000000000) % 1000000000)", value.sql)};
    }
    // A date has no time of day to extract in DuckDB.
    CallArgument timestamp = value;
    BRAID_TRY_ASSIGN(timestamp.sql, AsTimestamp(value, context));
    return EmittedCall{DataType::BigInt(),
                       fmt::format("CAST({} AS BIGINT)", FillTemplate(emission, std::span(&timestamp, 1), context))};
  }
  return UnknownUnit("EXTRACT", unit);
}

/// YEAR(x) and the like are EXTRACT.
template <const char* const& Unit>
Call ExtractUnit(Arguments& arguments, const CallContext& context) {
  Arguments extract = {CallArgument{SqlType::Symbol(), Unit}, arguments[0]};
  return Extract(extract, context);
}

constexpr const char* kYear = "YEAR";
constexpr const char* kQuarter = "QUARTER";
constexpr const char* kMonth = "MONTH";
constexpr const char* kWeek = "WEEK";
constexpr const char* kDay = "DAY";
constexpr const char* kDayOfYear = "DOY";
constexpr const char* kDayOfWeek = "DOW";
constexpr const char* kHour = "HOUR";
constexpr const char* kMinute = "MINUTE";
constexpr const char* kSecond = "SECOND";

template <bool Up>
Call Floor(Arguments& arguments, const CallContext& context) {
  const CallArgument& value = arguments[0];
  const DataType& type = value.type.data();
  const std::string_view function = Up ? "flink_ceil_time" : "flink_floor_time";
  const std::string unit = QuoteDuckText(arguments[1].sql);
  if (type.kind() == TypeKind::kTime) return EmittedCall{type, fmt::format("{}({}, {})", function, value.sql, unit)};
  BRAID_TRY_ASSIGN(const std::string timestamp, AsTimestamp(value, context));
  const std::string rounded = fmt::format("{}({}, {})", function, timestamp, unit);
  BRAID_TRY_ASSIGN(
      CallArgument call,
      CastArgument(CallArgument{DataType::Timestamp(6).WithNullability(type.nullable()), rounded}, type, context));
  call.type = type;
  return call;
}

/// Months or milliseconds in one unit of TIMESTAMPADD and TIMESTAMPDIFF.
struct UnitSize {
  bool months;
  std::int64_t size;
};

std::optional<UnitSize> SizeOf(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, UnitSize>, 8> kSizes = {{{"YEAR", {true, 12}},
                                                                            {"QUARTER", {true, 3}},
                                                                            {"MONTH", {true, 1}},
                                                                            {"WEEK", {false, 604800000}},
                                                                            {"DAY", {false, 86400000}},
                                                                            {"HOUR", {false, 3600000}},
                                                                            {"MINUTE", {false, 60000}},
                                                                            {"SECOND", {false, 1000}}}};
  for (const auto& [name, size] : kSizes) {
    if (name == unit) return size;
  }
  return std::nullopt;
}

Call TimestampAdd(Arguments& arguments, const CallContext& context) {
  const std::string& unit = arguments[0].sql;
  const std::optional<UnitSize> size = SizeOf(unit);
  if (!size) return UnknownUnit("TIMESTAMPADD", unit);
  CallArgument time = arguments[2];
  // Hours make a date a timestamp; days and more leave it one.
  if (IsKind(time.type, TypeKind::kDate) && !size->months && size->size < 86400000) {
    BRAID_TRY_ASSIGN(time, CastArgument(time, DataType::Timestamp(6), context));
  }
  const bool nullable = AnyNullable(arguments);
  const CallArgument interval{size->months ? SqlType::Months(nullable) : SqlType::Millis(nullable),
                              fmt::format("({} * {})", arguments[1].sql, size->size)};
  return ResolveCall("+", {time, interval}, context);
}

/// The difference b - a of two times as SQL of months or milliseconds.
Result<std::string> Difference(const CallArgument& a, const CallArgument& b, bool months, const CallContext& context) {
  BRAID_TRY_ASSIGN(const std::string from, AsTimestamp(a, context));
  BRAID_TRY_ASSIGN(const std::string to, AsTimestamp(b, context));
  if (months) return fmt::format("flink_months_between({}, {})", from, to);
  return fmt::format("(epoch_ms({}) - epoch_ms({}))", to, from);
}

Call TimestampDiff(Arguments& arguments, const CallContext& context) {
  const std::optional<UnitSize> size = SizeOf(arguments[0].sql);
  if (!size) return UnknownUnit("TIMESTAMPDIFF", arguments[0].sql);
  if (IsKind(arguments[1].type, TypeKind::kTimestampLtz) != IsKind(arguments[2].type, TypeKind::kTimestampLtz)) {
    return Error(ErrorCode::kInvalidArgument, "TIMESTAMPDIFF cannot take a TIMESTAMP_LTZ beside another type")
        .Hint("cast one of them");
  }
  BRAID_TRY_ASSIGN(const std::string difference, Difference(arguments[1], arguments[2], size->months, context));
  return EmittedCall{DataType::Int(), fmt::format("flink_to_int({} // {})", difference, size->size)};
}

/// (a - b) unit: an interval.
Call Minus(Arguments& arguments, const CallContext& context) {
  const bool months = arguments[0].sql == "YEAR" || arguments[0].sql == "MONTH" || arguments[0].sql == "QUARTER";
  BRAID_TRY_ASSIGN(std::string difference, Difference(arguments[2], arguments[1], months, context));
  return EmittedCall{months ? SqlType::Months() : SqlType::Millis(), std::move(difference)};
}

Call DateFormat(Arguments& arguments, const CallContext& context) {
  std::string value = arguments[0].sql;
  if (!IsText(arguments[0].type)) {
    BRAID_TRY_ASSIGN(value, AsTimestamp(arguments[0], context));
  }
  return EmittedCall{DataType::String(), fmt::format("flink_date_format({}, {})", value, arguments[1].sql)};
}

/// TO_TIMESTAMP_LTZ of a number counts seconds (precision 0) or milliseconds (3).
Call EpochToInstant(Arguments& arguments, const CallContext& context) {
  std::int64_t precision = 3;
  if (arguments.size() > 1) {
    if (!arguments[1].literal || arguments[1].literal->is_null()) {
      return Error(ErrorCode::kInvalidArgument, "the precision of TO_TIMESTAMP_LTZ must be a literal, 0 or 3");
    }
    precision = arguments[1].literal->as_int();
  }
  if (precision != 0 && precision != 3) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("TO_TIMESTAMP_LTZ cannot take the precision {}", precision))
        .Hint("0 counts seconds, 3 milliseconds");
  }
  BRAID_TRY_ASSIGN(const CallArgument value, CastArgument(arguments[0], DataType::BigInt(), context));
  return EmittedCall{DataType::TimestampLtz(3), fmt::format("CAST(make_timestamp({} * {}) AS TIMESTAMPTZ)", value.sql,
                                                            precision == 0 ? 1000000 : 1000)};
}

constexpr FunctionEntry kEntries[] = {
    {"EXTRACT", "symbol temporal", {}, Nulls::kFromArguments, {}, Extract},
    {"EXTRACT", "symbol interval", {}, Nulls::kFromArguments, {}, Extract},
    {"YEAR", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kYear>},
    {"QUARTER", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kQuarter>},
    {"MONTH", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kMonth>},
    {"WEEK", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kWeek>},
    {"DAYOFYEAR", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kDayOfYear>},
    {"DAYOFMONTH", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kDay>},
    {"DAYOFWEEK", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kDayOfWeek>},
    {"HOUR", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kHour>},
    {"MINUTE", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kMinute>},
    {"SECOND", "temporal", {}, Nulls::kFromArguments, {}, ExtractUnit<kSecond>},
    {"FLOOR", "temporal symbol", {}, Nulls::kFromArguments, {}, Floor<false>},
    {"CEIL", "temporal symbol", {}, Nulls::kFromArguments, {}, Floor<true>},
    {"CEILING", "temporal symbol", {}, Nulls::kFromArguments, {}, Floor<true>},
    {"TIMESTAMPADD", "symbol bigint temporal", {}, Nulls::kFromArguments, {}, TimestampAdd},
    {"TIMESTAMPDIFF", "symbol temporal temporal", {}, Nulls::kFromArguments, {}, TimestampDiff},
    {"MINUS", "symbol temporal temporal", {}, Nulls::kFromArguments, {}, Minus},
    {"DATE_FORMAT", "instant text", {}, Nulls::kAlways, {}, DateFormat},
    {"DATE_FORMAT", "text text", {}, Nulls::kAlways, {}, DateFormat},
    {"TO_DATE", "text", "DATE", Nulls::kAlways, "flink_try_date({0})"},
    {"TO_DATE", "text text", "DATE", Nulls::kAlways, "flink_to_date({0}, {1})"},
    {"TO_TIMESTAMP", "text", "TIMESTAMP(3)", Nulls::kAlways, "flink_to_timestamp({0})"},
    {"TO_TIMESTAMP", "text text", "TIMESTAMP(3)", Nulls::kAlways, "flink_to_timestamp({0}, {1})"},
    {"TO_TIMESTAMP_LTZ", "numeric exact?", {}, Nulls::kAlways, {}, EpochToInstant},
    {"TO_TIMESTAMP_LTZ", "text", "TIMESTAMP_LTZ(3)", Nulls::kAlways, "CAST(flink_to_timestamp({0}) AS TIMESTAMPTZ)"},
    {"TO_TIMESTAMP_LTZ", "text text", "TIMESTAMP_LTZ(3)", Nulls::kAlways,
     "CAST(flink_to_timestamp({0}, {1}) AS TIMESTAMPTZ)"},
    {"TO_TIMESTAMP_LTZ", "text text text", "TIMESTAMP_LTZ(3)", Nulls::kAlways,
     "flink_local_to_instant(flink_to_timestamp({0}, {1}), {2})"},
    {"UNIX_TIMESTAMP", "text", "BIGINT", Nulls::kFromArguments,
     "flink_unix_timestamp({0}, 'yyyy-MM-dd HH:mm:ss', {zone})"},
    {"UNIX_TIMESTAMP", "text text", "BIGINT", Nulls::kFromArguments, "flink_unix_timestamp({0}, {1}, {zone})"},
    {"FROM_UNIXTIME", "bigint", "STRING", Nulls::kAlways, "flink_from_unixtime({0}, 'yyyy-MM-dd HH:mm:ss', {zone})"},
    {"FROM_UNIXTIME", "bigint text", "STRING", Nulls::kAlways, "flink_from_unixtime({0}, {1}, {zone})"},
    {"CONVERT_TZ", "text text text", "STRING", Nulls::kAlways, "flink_convert_tz({0}, {1}, {2})"},
};

}  // namespace

std::span<const FunctionEntry> TimeEntries() {
  return kEntries;
}

}  // namespace braid
