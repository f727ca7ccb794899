#include "meta/tag_time.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {
namespace {

using std::chrono::days;
using std::chrono::microseconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMicrosPerSecond = 1'000'000;

// Consumes a text from its start.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool Take(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Digits, at least `least` and at most `most` of them.
  std::optional<std::int64_t> Digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < rest_.size() && count < most && rest_[count] >= '0' && rest_[count] <= '9') ++count;
    if (count < least) return std::nullopt;
    const std::optional<std::int64_t> number = ParseInt64(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return number;
  }
  // The digits behind a decimal point, in nanoseconds.
  std::optional<std::int64_t> Fraction() {
    const std::size_t before = rest_.size();
    std::optional<std::int64_t> nanos = Digits(1, 9);
    if (!nanos) return std::nullopt;
    for (std::size_t digits = before - rest_.size(); digits < 9; ++digits) *nanos *= 10;
    return nanos;
  }
  bool at_end() const { return rest_.empty(); }
  char front() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  std::string_view rest_;
};

std::string FractionText(std::int64_t nanos) {
  if (nanos % 1'000'000 == 0) return fmt::format(".{:03}", nanos / 1'000'000);
  if (nanos % 1'000 == 0) return fmt::format(".{:06}", nanos / 1'000);
  return fmt::format(".{:09}", nanos);
}

std::string YearText(std::int64_t year) {
  if (year > 9999) return fmt::format("+{}", year);
  return year < 0 ? fmt::format("-{:04}", -year) : fmt::format("{:04}", year);
}

bool ReadDate(Cursor& cursor, CalendarTime& parts) {
  const bool negative = cursor.Take('-');
  if (!negative) cursor.Take('+');
  const auto year = cursor.Digits(4, 5);
  if (!year || !cursor.Take('-')) return false;
  const auto month = cursor.Digits(2, 2);
  if (!month || !cursor.Take('-')) return false;
  const auto day = cursor.Digits(2, 2);
  if (!day) return false;
  parts.year = negative ? -*year : *year;
  parts.month = *month;
  parts.day = *day;
  return true;
}

bool ReadTime(Cursor& cursor, CalendarTime& parts) {
  const auto hour = cursor.Digits(2, 2);
  if (!hour || !cursor.Take(':')) return false;
  const auto minute = cursor.Digits(2, 2);
  if (!minute) return false;
  parts.hour = *hour;
  parts.minute = *minute;
  if (!cursor.Take(':')) return true;
  const auto second = cursor.Digits(2, 2);
  if (!second) return false;
  parts.second = *second;
  if (!cursor.Take('.')) return true;
  const auto nanos = cursor.Fraction();
  parts.nanos = nanos.value_or(0);
  return nanos.has_value();
}

std::optional<LocalDateTime> ReadDateTime(Cursor cursor) {
  CalendarTime parts;
  if (!ReadDate(cursor, parts) || !(cursor.Take('T') || cursor.Take(' ')) || !ReadTime(cursor, parts))
    return std::nullopt;
  return cursor.at_end() ? FromCalendarTime(parts) : std::nullopt;
}

// One "12H" or "0.5S" in microseconds; units must come in falling order, which `next_unit` keeps.
std::optional<std::int64_t> ReadDurationPart(Cursor& cursor, bool in_time, std::size_t& next_unit) {
  constexpr std::array<std::pair<char, std::int64_t>, 4> kUnits = {
      {{'D', kSecondsPerDay}, {'H', 3600}, {'M', 60}, {'S', 1}}};
  const bool negative = cursor.Take('-');
  const auto whole = cursor.Digits(1, 18);
  if (!whole) return std::nullopt;
  std::int64_t micros = 0;
  if (cursor.Take('.')) {
    const auto fraction = cursor.Fraction();
    if (!fraction || cursor.front() != 'S') return std::nullopt;
    micros = *fraction / 1000;
  }
  while (next_unit < kUnits.size() && kUnits[next_unit].first != cursor.front()) ++next_unit;
  if (next_unit == kUnits.size() || (kUnits[next_unit].first == 'D') == in_time) return std::nullopt;
  std::int64_t total = 0;
  if (__builtin_mul_overflow(*whole, kUnits[next_unit].second * kMicrosPerSecond, &total) ||
      __builtin_add_overflow(total, micros, &total)) {
    return std::nullopt;
  }
  cursor.Take(kUnits[next_unit].first);
  ++next_unit;
  return negative ? -total : total;
}

std::optional<microseconds> ReadDuration(Cursor cursor) {
  const bool negative = cursor.Take('-');
  if (!cursor.Take('P') || cursor.at_end()) return std::nullopt;
  std::int64_t total = 0;
  std::size_t next_unit = 0;
  bool in_time = false;
  while (!cursor.at_end()) {
    if (!in_time && cursor.Take('T')) in_time = true;
    const auto part = ReadDurationPart(cursor, in_time, next_unit);
    if (!part || __builtin_add_overflow(total, *part, &total)) return std::nullopt;
  }
  if (negative && __builtin_sub_overflow(std::int64_t{0}, total, &total)) return std::nullopt;
  return microseconds(total);
}

}  // namespace

CalendarTime ToCalendarTime(LocalDateTime time) {
  const std::int64_t day = time.seconds / kSecondsPerDay - (time.seconds % kSecondsPerDay < 0 ? 1 : 0);
  const std::int64_t second = time.seconds - day * kSecondsPerDay;
  const year_month_day date(sys_days(days(static_cast<days::rep>(day))));
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .hour = second / 3600,
          .minute = second / 60 % 60,
          .second = second % 60,
          .nanos = time.nanos};
}

std::optional<LocalDateTime> FromCalendarTime(const CalendarTime& parts) {
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return least <= value && value <= most;
  };
  if (!within(parts.year, -32767, 32767) || !within(parts.month, 1, 12) || !within(parts.day, 1, 31) ||
      !within(parts.hour, 0, 23) || !within(parts.minute, 0, 59) || !within(parts.second, 0, 59) ||
      !within(parts.nanos, 0, 999'999'999)) {
    return std::nullopt;
  }
  const year_month_day date(std::chrono::year(static_cast<int>(parts.year)),
                            std::chrono::month(static_cast<unsigned>(parts.month)),
                            std::chrono::day(static_cast<unsigned>(parts.day)));
  if (!date.ok()) return std::nullopt;
  const std::int64_t day = sys_days(date).time_since_epoch().count();
  return LocalDateTime{day * kSecondsPerDay + parts.hour * 3600 + parts.minute * 60 + parts.second,
                       static_cast<std::int32_t>(parts.nanos)};
}

std::string FormatLocalDateTime(LocalDateTime time) {
  const CalendarTime parts = ToCalendarTime(time);
  std::string text =
      fmt::format("{}-{:02}-{:02}T{:02}:{:02}", YearText(parts.year), parts.month, parts.day, parts.hour, parts.minute);
  if (parts.second != 0 || parts.nanos != 0) text += fmt::format(":{:02}", parts.second);
  if (parts.nanos != 0) text += FractionText(parts.nanos);
  return text;
}

Result<LocalDateTime> ParseLocalDateTime(std::string_view text) {
  if (const std::optional<LocalDateTime> time = ReadDateTime(Cursor(text))) return *time;
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no date and time like 2024-05-14T10:15:30.123", text));
}

std::string FormatIsoDuration(microseconds duration) {
  if (duration.count() == 0) return "PT0S";
  // Each part carries the sign, as Java prints them.
  const std::int64_t seconds = duration.count() / kMicrosPerSecond;
  const std::int64_t micros = duration.count() % kMicrosPerSecond;
  std::string text = "PT";
  if (seconds / 3600 != 0) text += fmt::format("{}H", seconds / 3600);
  if (seconds / 60 % 60 != 0) text += fmt::format("{}M", seconds / 60 % 60);
  if (seconds % 60 == 0 && micros == 0) return text;
  text += seconds % 60 == 0 && micros < 0 ? "-0" : fmt::format("{}", seconds % 60);
  if (micros != 0) {
    text += fmt::format(".{:06}", micros < 0 ? -micros : micros);
    while (text.ends_with('0')) text.pop_back();
  }
  return text + 'S';
}

Result<microseconds> ParseIsoDuration(std::string_view text) {
  if (const std::optional<microseconds> duration = ReadDuration(Cursor(text))) return *duration;
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no duration like PT24H", text));
}

}  // namespace braid
