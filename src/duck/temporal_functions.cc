#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <duckdb/function/scalar_function.hpp>
#include <fmt/format.h>

#include "duck/errors_internal.h"
#include "duck/flink_text.h"
#include "duck/java_date_pattern.h"
#include "duck/rows_internal.h"
#include "types/time_zone.h"
#include "types/date_time.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kMicrosPerDay = 86400 * kMicros;

/// Finds a zone or a date pattern again only when it changes from one row to the next.
class Cache {
 public:
  const TimeZone& Zone(Text name) { return *ValueOrThrow(FindZone(name)); }
  /// Unknown zones are GMT, as Java's TimeZone.getTimeZone takes them.
  const TimeZone& ZoneOrGmt(Text name) {
    const auto zone = FindZone(name);
    return zone ? **zone : *ValueOrThrow(FindZone("GMT"));
  }
  const JavaDatePattern& Pattern(Text pattern) {
    if (!compiled_ || pattern != pattern_) {
      compiled_ = ValueOrThrow(JavaDatePattern::Compile(pattern));
      pattern_ = pattern;
    }
    return *compiled_;
  }

 private:
  Result<std::shared_ptr<const TimeZone>> FindZone(Text name) {
    for (const auto& [known, zone] : zones_) {
      if (known == name) return zone;
    }
    BRAID_TRY_ASSIGN(std::shared_ptr<const TimeZone> zone, TimeZone::Find(name));
    zones_.emplace_back(name, zone);
    return zone;
  }

  std::vector<std::pair<std::string, std::shared_ptr<const TimeZone>>> zones_;
  std::string pattern_;
  std::optional<JavaDatePattern> compiled_;
};

template <typename Result, typename... Arguments, typename Body>
duckdb::scalar_function_t WithCache(Body body) {
  return [body](duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
    Cache cache;
    ForRows<Result, Arguments...>(
        arguments, result, [&](auto&&... values) { return body(cache, std::forward<decltype(values)>(values)...); });
  };
}

duckdb::timestamp_t FromMicros(std::int64_t micros) {
  return duckdb::timestamp_t(micros);
}
std::int64_t MicrosOf(FlinkTimestamp value) {
  return value.seconds * kMicros + value.nanos / 1000;
}
std::int64_t MicrosOf(JavaDatePattern::Parsed value) {
  return value.seconds * kMicros + value.nanos / 1000;
}
std::int64_t CutToMillis(std::int64_t micros) {
  return FloorDivide(micros, 1000) * 1000;
}

enum class Unit {
  kMillennium,
  kCentury,
  kDecade,
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond
};

Unit FindUnit(Text name) {
  constexpr std::array<std::pair<Text, Unit>, 13> kUnits = {{{"MILLENNIUM", Unit::kMillennium},
                                                             {"CENTURY", Unit::kCentury},
                                                             {"DECADE", Unit::kDecade},
                                                             {"YEAR", Unit::kYear},
                                                             {"QUARTER", Unit::kQuarter},
                                                             {"MONTH", Unit::kMonth},
                                                             {"WEEK", Unit::kWeek},
                                                             {"DAY", Unit::kDay},
                                                             {"HOUR", Unit::kHour},
                                                             {"MINUTE", Unit::kMinute},
                                                             {"SECOND", Unit::kSecond},
                                                             {"MILLISECOND", Unit::kMillisecond},
                                                             {"MICROSECOND", Unit::kMicrosecond}}};
  for (const auto& [known, unit] : kUnits) {
    if (known == name) return unit;
  }
  ThrowError(Error(ErrorCode::kInvalidArgument, fmt::format("time cannot be rounded to {}", name)));
}

/// First day of the period of a unit of months or more, or of a week, that holds the day, or with `step` = 1 of the
/// next one.
std::int64_t PeriodStart(std::int64_t days, Unit unit, int step) {
  CivilDate date = CivilFromDays(days);
  const auto years = [&](std::int64_t size, std::int64_t first) {
    return DaysFromCivil({FloorDivide(date.year - first, size) * size + first + step * size, 1, 1});
  };
  const auto months = [&](std::int64_t size) {
    const std::int64_t month = FloorDivide(date.year * 12 + date.month - 1, size) * size + step * size;
    return DaysFromCivil({FloorDivide(month, 12), static_cast<int>(FloorModulo(month, 12)) + 1, 1});
  };
  switch (unit) {
    case Unit::kMillennium: return years(1000, 1);
    case Unit::kCentury: return years(100, 1);
    case Unit::kDecade: return years(10, 0);
    case Unit::kYear: return years(1, 0);
    case Unit::kQuarter: return months(3);
    case Unit::kMonth: return months(1);
    case Unit::kWeek: return days - FloorModulo(days + 4, 7) + 7 * step;  // back to Sunday
    default: return days + step;
  }
}

std::int64_t UnitMicros(Unit unit) {
  switch (unit) {
    case Unit::kHour: return 3600 * kMicros;
    case Unit::kMinute: return 60 * kMicros;
    case Unit::kSecond: return kMicros;
    case Unit::kMillisecond: return 1000;
    case Unit::kMicrosecond: return 1;
    default: return 0;
  }
}

/// FLOOR and CEIL of a time in microseconds.
std::int64_t Round(std::int64_t micros, Unit unit, bool up) {
  if (const std::int64_t size = UnitMicros(unit); size > 0) {
    const std::int64_t floor = FloorDivide(micros, size) * size;
    return up && floor != micros ? floor + size : floor;
  }
  const std::int64_t days = FloorDivide(micros, kMicrosPerDay);
  const std::int64_t floor = PeriodStart(days, unit, 0) * kMicrosPerDay;
  return up && floor != micros ? PeriodStart(days, unit, 1) * kMicrosPerDay : floor;
}

std::int64_t AddMonths(std::int64_t days, std::int64_t months) {
  const CivilDate date = CivilFromDays(days);
  const std::int64_t month = date.year * 12 + date.month - 1 + months;
  const std::int64_t year = FloorDivide(month, 12);
  const int month_of_year = static_cast<int>(FloorModulo(month, 12)) + 1;
  return DaysFromCivil({year, month_of_year, std::min(date.day, DaysOfMonth(year, month_of_year))});
}

/// Whole months from one day to a later one, where the 31st and the last day of a shorter month are a month apart.
std::int64_t MonthsBetweenDays(std::int64_t from, std::int64_t to) {
  if (to < from) return -MonthsBetweenDays(to, from);
  std::int64_t months = (to - from) / 31;
  while (true) {
    if (AddMonths(from, months) >= to) return months;
    if (AddMonths(from, months + 1) > to) return months;
    ++months;
  }
}

/// As Calcite subtracts date-times in months.
std::int64_t MonthsBetween(std::int64_t from_micros, std::int64_t to_micros) {
  const std::int64_t from_days = FloorDivide(from_micros, kMicrosPerDay);
  const std::int64_t to_days = FloorDivide(to_micros, kMicrosPerDay);
  const std::int64_t months = MonthsBetweenDays(from_days, to_days);
  const bool same_day = AddMonths(from_days, months) == to_days;
  return same_day && FloorModulo(to_micros, kMicrosPerDay) < FloorModulo(from_micros, kMicrosPerDay) ? months - 1
                                                                                                     : months;
}

void RegisterZones(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  registrar.Add("flink_local_to_instant", {LogicalType::TIMESTAMP, text}, LogicalType::TIMESTAMP_TZ,
                WithCache<duckdb::timestamp_t, duckdb::timestamp_t, Text>(
                    [](Cache& cache, duckdb::timestamp_t value, Text zone, duckdb::timestamp_t& out) {
                      out = FromMicros(cache.Zone(zone).ToUtc(value.value));
                    }));
  registrar.Add("flink_instant_to_local", {LogicalType::TIMESTAMP_TZ, text}, LogicalType::TIMESTAMP,
                WithCache<duckdb::timestamp_t, duckdb::timestamp_t, Text>(
                    [](Cache& cache, duckdb::timestamp_t value, Text zone, duckdb::timestamp_t& out) {
                      out = FromMicros(cache.Zone(zone).ToLocal(value.value));
                    }));
  registrar.Add(
      "flink_convert_tz", {text, text, text}, text,
      WithCache<std::string, Text, Text, Text>([](Cache& cache, Text value, Text from, Text to, std::string& out) {
        const std::optional<FlinkTimestamp> local = ParseFlinkTimestamp(value);
        if (!local) return false;
        const std::int64_t utc = cache.ZoneOrGmt(from).ToUtc(local->seconds * kMicros);
        AppendFlinkTimestamp({FloorDivide(cache.ZoneOrGmt(to).ToLocal(utc), kMicros), 0}, 0, out);
        return true;
      }));
  registrar.Add("flink_unix_timestamp", {text, text, text}, LogicalType::BIGINT,
                WithCache<std::int64_t, Text, Text, Text>(
                    [](Cache& cache, Text value, Text pattern, Text zone, std::int64_t& out) {
                      const auto local = cache.Pattern(pattern).Parse(value);
                      out = local ? FloorDivide(cache.Zone(zone).ToUtc(MicrosOf(*local)), kMicros)
                                  : std::numeric_limits<std::int64_t>::min();
                    }));
  registrar.Add("flink_from_unixtime", {LogicalType::BIGINT, text, text}, text,
                WithCache<std::string, std::int64_t, Text, Text>(
                    [](Cache& cache, std::int64_t seconds, Text pattern, Text zone, std::string& out) {
                      cache.Pattern(pattern).Format(seconds + cache.Zone(zone).OffsetAt(seconds), 0, out);
                    }));
}

void RegisterPatterns(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  registrar.Add("flink_date_format", {LogicalType::TIMESTAMP, text}, text,
                WithCache<std::string, duckdb::timestamp_t, Text>(
                    [](Cache& cache, duckdb::timestamp_t value, Text pattern, std::string& out) {
                      const std::int64_t seconds = FloorDivide(value.value, kMicros);
                      cache.Pattern(pattern).Format(
                          seconds, static_cast<std::int32_t>(value.value - seconds * kMicros) * 1000, out);
                    }));
  registrar.Add("flink_date_format", {text, text}, text,
                WithCache<std::string, Text, Text>([](Cache& cache, Text value, Text pattern, std::string& out) {
                  const std::optional<FlinkTimestamp> parsed = ParseFlinkTimestamp(value);
                  if (parsed) cache.Pattern(pattern).Format(parsed->seconds, parsed->nanos, out);
                  return parsed.has_value();
                }));
  registrar.Add(
      "flink_to_timestamp", {text, text}, LogicalType::TIMESTAMP,
      WithCache<duckdb::timestamp_t, Text, Text>([](Cache& cache, Text value, Text pattern, duckdb::timestamp_t& out) {
        const auto parsed = cache.Pattern(pattern).Parse(value);
        if (parsed) out = FromMicros(CutToMillis(MicrosOf(*parsed)));
        return parsed.has_value();
      }));
  registrar.Add("flink_to_timestamp", {text}, LogicalType::TIMESTAMP,
                RowFunction<duckdb::timestamp_t, Text>([](Text value, duckdb::timestamp_t& out) {
                  const auto parsed = ParseFlinkTimestamp(value);
                  if (parsed) out = FromMicros(CutToMillis(MicrosOf(*parsed)));
                  return parsed.has_value();
                }));
  registrar.Add("flink_to_date", {text, text}, LogicalType::DATE,
                WithCache<duckdb::date_t, Text, Text>([](Cache& cache, Text value, Text pattern, duckdb::date_t& out) {
                  const auto parsed = cache.Pattern(pattern).Parse(value);
                  if (parsed) out = duckdb::date_t(static_cast<std::int32_t>(FloorDivide(parsed->seconds, 86400)));
                  return parsed.has_value();
                }));
}

void RegisterRounding(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  for (const bool up : {false, true}) {
    registrar.Add(up ? "flink_ceil_time" : "flink_floor_time", {LogicalType::TIMESTAMP, text}, LogicalType::TIMESTAMP,
                  RowFunction<duckdb::timestamp_t, duckdb::timestamp_t, Text>(
                      [up](duckdb::timestamp_t value, Text unit, duckdb::timestamp_t& out) {
                        out = FromMicros(Round(value.value, FindUnit(unit), up));
                      }));
    registrar.Add(up ? "flink_ceil_time" : "flink_floor_time", {LogicalType::TIME, text}, LogicalType::TIME,
                  RowFunction<duckdb::dtime_t, duckdb::dtime_t, Text>(
                      [up](duckdb::dtime_t value, Text unit, duckdb::dtime_t& out) {
                        out = duckdb::dtime_t(FloorModulo(Round(value.micros, FindUnit(unit), up), kMicrosPerDay));
                      }));
  }
  registrar.Add("flink_cut_timestamp", {LogicalType::TIMESTAMP, LogicalType::INTEGER}, LogicalType::TIMESTAMP,
                RowFunction<duckdb::timestamp_t, duckdb::timestamp_t, std::int32_t>(
                    [](duckdb::timestamp_t value, std::int32_t precision, duckdb::timestamp_t& out) {
                      std::int64_t unit = 1;
                      for (int i = precision; i < 6; ++i) unit *= 10;
                      out = FromMicros(FloorDivide(value.value, unit) * unit);
                    }));
}

void RegisterArithmetic(FunctionRegistrar& registrar) {
  registrar.Add("flink_months_between", {LogicalType::TIMESTAMP, LogicalType::TIMESTAMP}, LogicalType::BIGINT,
                RowFunction<std::int64_t, duckdb::timestamp_t, duckdb::timestamp_t>(
                    [](duckdb::timestamp_t from, duckdb::timestamp_t to, std::int64_t& out) {
                      out = MonthsBetween(from.value, to.value);
                    }));
  registrar.Add("flink_add_months", {LogicalType::DATE, LogicalType::BIGINT}, LogicalType::DATE,
                RowFunction<duckdb::date_t, duckdb::date_t, std::int64_t>(
                    [](duckdb::date_t value, std::int64_t months, duckdb::date_t& out) {
                      out = duckdb::date_t(static_cast<std::int32_t>(AddMonths(value.days, months)));
                    }));
  registrar.Add("flink_add_months", {LogicalType::TIMESTAMP, LogicalType::BIGINT}, LogicalType::TIMESTAMP,
                RowFunction<duckdb::timestamp_t, duckdb::timestamp_t, std::int64_t>(
                    [](duckdb::timestamp_t value, std::int64_t months, duckdb::timestamp_t& out) {
                      const std::int64_t days = FloorDivide(value.value, kMicrosPerDay);
                      out =
                          FromMicros(AddMonths(days, months) * kMicrosPerDay + FloorModulo(value.value, kMicrosPerDay));
                    }));
  registrar.Add("flink_add_millis", {LogicalType::TIMESTAMP, LogicalType::BIGINT}, LogicalType::TIMESTAMP,
                RowFunction<duckdb::timestamp_t, duckdb::timestamp_t, std::int64_t>(
                    [](duckdb::timestamp_t value, std::int64_t millis, duckdb::timestamp_t& out) {
                      std::int64_t micros = 0;
                      std::int64_t sum = 0;
                      if (__builtin_mul_overflow(millis, std::int64_t{1000}, &micros) ||
                          __builtin_add_overflow(value.value, micros, &sum)) {
                        ThrowError(Error(ErrorCode::kInvalidArgument, "a date-time leaves the range of years"));
                      }
                      out = FromMicros(sum);
                    }));
  registrar.Add(
      "flink_add_millis", {LogicalType::TIME, LogicalType::BIGINT}, LogicalType::TIME,
      RowFunction<duckdb::dtime_t, duckdb::dtime_t, std::int64_t>(
          [](duckdb::dtime_t value, std::int64_t millis, duckdb::dtime_t& out) {
            out = duckdb::dtime_t(FloorModulo(value.micros + FloorModulo(millis, kMillisPerDay) * 1000, kMicrosPerDay));
          }));
}

}  // namespace

void RegisterTemporalFunctions(FunctionRegistrar& registrar) {
  RegisterZones(registrar);
  RegisterPatterns(registrar);
  RegisterRounding(registrar);
  RegisterArithmetic(registrar);
}

}  // namespace braid
