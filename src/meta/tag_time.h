#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

// Times of tags as Tag holds them (spec metadata.md §10.1).

/// A local date-time, counted as if the clock on the wall showed UTC.
struct LocalDateTime {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00, floored
  std::int32_t nanos = 0;    ///< 0 … 999,999,999

  friend auto operator<=>(const LocalDateTime&, const LocalDateTime&) = default;
};

/// The parts of a LocalDateTime as calendars show them.
struct CalendarTime {
  std::int64_t year = 1970;
  std::int64_t month = 1;
  std::int64_t day = 1;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t nanos = 0;
};

CalendarTime ToCalendarTime(LocalDateTime time);
/// nullopt if a part is outside its range, or the year outside -32767 … 32767.
std::optional<LocalDateTime> FromCalendarTime(const CalendarTime& parts);

/// As Java prints it: "2024-05-14T10:15:30.123"; seconds are left out when they and the fraction are 0, the fraction
/// has 3, 6 or 9 digits.
std::string FormatLocalDateTime(LocalDateTime time);
/// Errors: kInvalidArgument quoting the text.
Result<LocalDateTime> ParseLocalDateTime(std::string_view text);

/// As Java prints it: "PT24H", "PT1H30M", "PT0.5S".
std::string FormatIsoDuration(std::chrono::microseconds duration);
/// Days, hours, minutes and seconds, of either sign ("P1DT2H", "PT0.5S", "-PT1S"); what is below a microsecond is cut
/// off. Errors: kInvalidArgument quoting the text.
Result<std::chrono::microseconds> ParseIsoDuration(std::string_view text);

}  // namespace braid
