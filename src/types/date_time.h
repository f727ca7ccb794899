#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "types/datum.h"

namespace braid {

inline constexpr std::int64_t kMillisPerDay = 86'400'000;

/// A date of the proleptic Gregorian calendar; year 0 is 1 BC.
struct CivilDate {
  std::int64_t year = 1970;
  int month = 1;  ///< 1 … 12
  int day = 1;    ///< 1 … 31
};

/// Days since 1970-01-01. Precondition: |year| below 10^9.
std::int64_t DaysFromCivil(const CivilDate& date);
CivilDate CivilFromDays(std::int64_t days);
int DaysOfMonth(std::int64_t year, int month);

/// Quotient rounded down, for a positive divisor.
constexpr std::int64_t FloorDivide(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}
/// Remainder in 0 … divisor − 1.
constexpr std::int64_t FloorModulo(std::int64_t value, std::int64_t divisor) {
  const std::int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/// Nanoseconds of the second, 0 … 999,999,999.
std::int32_t NanosOfSecond(const Timestamp& timestamp);

/// ISO 8601 as Java prints dates: "2024-02-29", "-0001-01-01", "+12345-01-01".
void AppendIsoDate(std::int64_t days, std::string& out);
/// "12:34:56" of a time of day in milliseconds.
void AppendHourMinuteSecond(std::int64_t millis_of_day, std::string& out);

/// Reads "2024-02-29", with a sign also years beyond 0 … 9999.
std::optional<std::int32_t> ParseIsoDate(std::string_view text);
/// Reads "2024-02-29", "2024-02-29T12:34[:56[.123456789]]" or the same with a blank for the T. A final "Z" or offset
/// "+02:00" is accepted only if `zoned`, then the result is in UTC; without one the text is taken as UTC.
std::optional<Timestamp> ParseIsoTimestamp(std::string_view text, bool zoned);

// What Java's casts of text accept (spec data.md §11.1, Paimon's DateTimeUtils and BinaryStringUtils); looser here and
// narrower there than ISO 8601. All give nullopt where Java throws.

/// Days since 1970-01-01: "2024-2-9", "2024-02", "2024-02-29 whatever"; digits alone are the number of days itself.
std::optional<std::int32_t> ParseJavaDate(std::string_view text);
/// Milliseconds of the day, possibly beyond it: "1:2:3.4567", "01:02", "01:02:03+01:00"; digits alone are the number itself.
std::optional<std::int32_t> ParseJavaTime(std::string_view text);
/// "2024-2-9 1:2:3.456" cut to the precision; the 31st of a short month becomes its last day. Unless `zoned`, digits
/// alone count units of the precision, which then is one of 0, 3, 6, 9.
std::optional<Timestamp> ParseJavaTimestamp(std::string_view text, int precision, bool zoned);

}  // namespace braid
