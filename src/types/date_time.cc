#include "types/date_time.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {

namespace {

constexpr std::int64_t kMillisPerHour = 3'600'000;
constexpr std::int64_t kMillisPerMinute = 60'000;

bool IsLeapYear(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool Accept(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool AtSign() const { return !rest_.empty() && (rest_.front() == '+' || rest_.front() == '-'); }
  /// As many digits as there are, at most `most`; nullopt if fewer than `least`.
  std::optional<std::int64_t> Digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    std::int64_t value = 0;
    while (count < most && count < rest_.size() && IsDigit(rest_[count])) {
      value = value * 10 + (rest_[count] - '0');
      ++count;
    }
    if (count < least) return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }
  /// Up to nine digits of a fraction as nanoseconds.
  std::optional<std::int32_t> Fraction(std::size_t least) {
    std::size_t count = 0;
    std::int32_t value = 0;
    for (; count < 9 && count < rest_.size() && IsDigit(rest_[count]); ++count) {
      value = value * 10 + (rest_[count] - '0');
    }
    if (count < least) return std::nullopt;
    rest_.remove_prefix(count);
    for (; count < 9; ++count) value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
};

/// A year of four digits, or of more after a sign.
std::optional<std::int64_t> ReadYear(Cursor& cursor) {
  const bool negative = cursor.Accept('-');
  const bool is_signed = negative || cursor.Accept('+');
  const std::optional<std::int64_t> year = cursor.Digits(4, is_signed ? 9 : 4);
  if (!year) return std::nullopt;
  return negative ? -*year : *year;
}

std::optional<CivilDate> ReadIsoDate(Cursor& cursor) {
  const std::optional<std::int64_t> year = ReadYear(cursor);
  if (!year || !cursor.Accept('-')) return std::nullopt;
  const std::optional<std::int64_t> month = cursor.Digits(2, 2);
  if (!month || *month < 1 || *month > 12 || !cursor.Accept('-')) return std::nullopt;
  const std::optional<std::int64_t> day = cursor.Digits(2, 2);
  if (!day || *day < 1 || *day > DaysOfMonth(*year, static_cast<int>(*month))) return std::nullopt;
  return CivilDate{*year, static_cast<int>(*month), static_cast<int>(*day)};
}

struct TimeOfDay {
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int32_t nanos = 0;

  bool valid() const {
    // Midnight may be written as the end of the day before.
    const bool end_of_day = hour == 24 && minute == 0 && second == 0 && nanos == 0;
    return (hour < 24 || end_of_day) && minute < 60 && second < 60;
  }
};

Timestamp MakeTimestamp(const CivilDate& date, const TimeOfDay& time) {
  const std::int64_t seconds = DaysFromCivil(date) * 86'400 + time.hour * 3600 + time.minute * 60 + time.second;
  return {.millis = seconds * 1000 + time.nanos / 1'000'000, .nanos_of_milli = time.nanos % 1'000'000};
}

std::optional<TimeOfDay> ReadIsoTime(Cursor& cursor) {
  TimeOfDay time;
  const auto hour = cursor.Digits(2, 2);
  if (!hour || !cursor.Accept(':')) return std::nullopt;
  const auto minute = cursor.Digits(2, 2);
  if (!minute) return std::nullopt;
  time.hour = *hour;
  time.minute = *minute;
  if (cursor.Accept(':')) {
    const auto second = cursor.Digits(2, 2);
    if (!second) return std::nullopt;
    time.second = *second;
    if (cursor.Accept('.')) {
      const auto nanos = cursor.Fraction(1);
      if (!nanos) return std::nullopt;
      time.nanos = *nanos;
    }
  }
  if (!time.valid()) return std::nullopt;
  return time;
}

/// "Z", "+02", "+02:00" or nothing, in milliseconds east of UTC.
std::optional<std::int64_t> ReadOffset(Cursor& cursor) {
  if (cursor.done() || cursor.Accept('Z') || cursor.Accept('z')) return 0;
  if (!cursor.AtSign()) return std::nullopt;
  const bool negative = cursor.Accept('-');
  if (!negative) cursor.Accept('+');
  const auto hours = cursor.Digits(2, 2);
  if (!hours || *hours > 18) return std::nullopt;
  std::int64_t minutes = 0;
  if (cursor.Accept(':') || !cursor.done()) {
    const auto read = cursor.Digits(2, 2);
    if (!read || *read > 59) return std::nullopt;
    minutes = *read;
  }
  const std::int64_t offset = *hours * kMillisPerHour + minutes * kMillisPerMinute;
  return negative ? -offset : offset;
}

bool IsInteger(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  if (text.empty()) return false;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

std::optional<std::int32_t> ParseInt32(std::string_view text) {
  const std::optional<std::int64_t> value = ParseInt64(text);
  if (!value || *value < INT32_MIN || *value > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

/// A part between separators: digits with blanks around.
std::optional<std::int32_t> ParsePart(std::string_view text) {
  text = Trim(text);
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  return ParseInt32(text);
}

/// Milliseconds of a fraction, rounded half up at its fourth digit; characters that are no digits count as 0.
std::int32_t RoundedMillis(std::string_view fraction) {
  std::int32_t millis = 0;
  std::int32_t weight = 100;
  for (std::size_t i = 0; i < fraction.size() && weight > 0; ++i, weight /= 10) {
    if (IsDigit(fraction[i])) millis += weight * (fraction[i] - '0');
    if (weight == 1 && i + 1 < fraction.size() && fraction[i + 1] >= '5') ++millis;
  }
  return millis;
}

/// The offset after a '+' or '-' ("01:30", "1"), in milliseconds; one that is too large wraps, as in Java.
std::optional<std::int32_t> ParseJavaOffset(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto hours = ParsePart(text.substr(0, colon));
  if (!hours) return std::nullopt;
  if (colon == std::string_view::npos) return static_cast<std::int32_t>(*hours * kMillisPerHour);
  const auto minutes = ParsePart(text.substr(colon + 1));
  if (!minutes) return std::nullopt;
  return static_cast<std::int32_t>(*hours * kMillisPerHour + *minutes * kMillisPerMinute);
}

std::optional<Timestamp> TimestampFromUnits(std::int64_t units, int precision) {
  switch (precision) {
    case 0: return Timestamp{.millis = units * 1000};
    case 3: return Timestamp{.millis = units};
    case 6:
      return Timestamp{FloorDivide(units, 1000), static_cast<std::int32_t>(FloorModulo(units, 1000) * 1000)};
    case 9:
      return Timestamp{FloorDivide(units, 1'000'000), static_cast<std::int32_t>(FloorModulo(units, 1'000'000))};
    default: return std::nullopt;
  }
}

/// The date part of Java's pattern "yyyy-[MM][M]-[dd][d]".
std::optional<CivilDate> ReadJavaPatternDate(Cursor& cursor) {
  const std::optional<std::int64_t> year = ReadYear(cursor);
  if (!year || *year <= 0 || !cursor.Accept('-')) return std::nullopt;
  const auto month = cursor.Digits(1, 2);
  if (!month || *month < 1 || *month > 12 || !cursor.Accept('-')) return std::nullopt;
  const auto day = cursor.Digits(1, 2);
  if (!day || *day < 1 || *day > 31) return std::nullopt;
  const int last = DaysOfMonth(*year, static_cast<int>(*month));
  return CivilDate{*year, static_cast<int>(*month), std::min(static_cast<int>(*day), last)};
}

std::optional<TimeOfDay> ReadJavaPatternTime(Cursor& cursor) {
  TimeOfDay time;
  const auto hour = cursor.Digits(1, 2);
  if (!hour || !cursor.Accept(':')) return std::nullopt;
  const auto minute = cursor.Digits(1, 2);
  if (!minute || !cursor.Accept(':')) return std::nullopt;
  const auto second = cursor.Digits(1, 2);
  if (!second) return std::nullopt;
  time.hour = *hour;
  time.minute = *minute;
  time.second = *second;
  if (cursor.Accept('.')) time.nanos = *cursor.Fraction(0);
  if (!time.valid()) return std::nullopt;
  return time;
}

}  // namespace

std::int64_t DaysFromCivil(const CivilDate& date) {
  // Years start in March, so that the leap day is the last of its year.
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = FloorDivide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (date.month + (date.month > 2 ? -3 : 9)) + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

CivilDate CivilFromDays(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = FloorDivide(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const int month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int DaysOfMonth(std::int64_t year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeapYear(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

std::int32_t NanosOfSecond(const Timestamp& timestamp) {
  return static_cast<std::int32_t>(FloorModulo(timestamp.millis, 1000)) * 1'000'000 + timestamp.nanos_of_milli;
}

void AppendIsoDate(std::int64_t days, std::string& out) {
  const CivilDate date = CivilFromDays(days);
  if (date.year < 0) out += '-';
  if (date.year > 9999) out += '+';
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}", std::abs(date.year), date.month, date.day);
}

void AppendHourMinuteSecond(std::int64_t millis_of_day, std::string& out) {
  const std::int64_t seconds = millis_of_day / 1000;
  const auto two = [&out](std::int64_t value) {
    out += static_cast<char>('0' + value / 10);
    out += static_cast<char>('0' + value % 10);
  };
  two(seconds / 3600);
  out += ':';
  two(seconds / 60 % 60);
  out += ':';
  two(seconds % 60);
}

std::optional<std::int32_t> ParseIsoDate(std::string_view text) {
  Cursor cursor(text);
  const std::optional<CivilDate> date = ReadIsoDate(cursor);
  if (!date || !cursor.done()) return std::nullopt;
  const std::int64_t days = DaysFromCivil(*date);
  if (days < INT32_MIN || days > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(days);
}

std::optional<Timestamp> ParseIsoTimestamp(std::string_view text, bool zoned) {
  Cursor cursor(text);
  const std::optional<CivilDate> date = ReadIsoDate(cursor);
  if (!date) return std::nullopt;
  if (cursor.done()) return MakeTimestamp(*date, {});
  if (!cursor.Accept('T') && !cursor.Accept(' ')) return std::nullopt;
  const std::optional<TimeOfDay> time = ReadIsoTime(cursor);
  if (!time) return std::nullopt;
  Timestamp timestamp = MakeTimestamp(*date, *time);
  if (zoned) {
    const std::optional<std::int64_t> offset = ReadOffset(cursor);
    if (!offset) return std::nullopt;
    timestamp.millis -= *offset;
  }
  if (!cursor.done()) return std::nullopt;
  return timestamp;
}

std::optional<std::int32_t> ParseJavaDate(std::string_view text) {
  if (IsInteger(text)) return ParseInt32(text);
  const std::size_t blank = text.find(' ');
  if (blank != std::string_view::npos && blank > 0) text = text.substr(0, blank);
  std::array<std::int32_t, 3> parts = {0, 1, 1};
  for (std::size_t i = 0;; ++i) {
    const std::size_t hyphen = i < 2 ? text.find('-') : std::string_view::npos;
    const std::optional<std::int32_t> part = ParsePart(text.substr(0, hyphen));
    if (!part) return std::nullopt;
    parts[i] = *part;
    if (hyphen == std::string_view::npos) break;
    text = text.substr(hyphen + 1);
  }
  const auto [year, month, day] = parts;
  if (year > 9999 || month < 1 || month > 12 || day < 1 || day > DaysOfMonth(year, month)) return std::nullopt;
  return static_cast<std::int32_t>(DaysFromCivil({year, month, day}));
}

std::optional<std::int32_t> ParseJavaTime(std::string_view text) {
  if (IsInteger(text)) return ParseInt32(text);
  std::int64_t millis = 0;
  std::size_t zone = text.find('-');
  const bool west = zone != std::string_view::npos;
  if (!west) zone = text.find('+');
  if (zone != std::string_view::npos) {
    const std::optional<std::int32_t> offset = ParseJavaOffset(text.substr(zone + 1));
    if (!offset) return std::nullopt;
    // Java adds what an eastern offset says instead of subtracting it.
    millis += west ? -*offset : *offset;
    text = text.substr(0, zone);
  }
  constexpr std::array<std::int64_t, 3> kWeights = {kMillisPerHour, kMillisPerMinute, 1000};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t end = text.find(i < 2 ? ':' : '.');
    const std::optional<std::int32_t> part = ParsePart(text.substr(0, end));
    if (!part) return std::nullopt;
    millis += *part * kWeights[i];
    if (end == std::string_view::npos) break;
    text = text.substr(end + 1);
    if (i == 2) millis += RoundedMillis(Trim(text));
  }
  if (millis < INT32_MIN || millis > INT32_MAX) return std::nullopt;
  return static_cast<std::int32_t>(millis);
}

std::optional<Timestamp> ParseJavaTimestamp(std::string_view text, int precision, bool zoned) {
  if (!zoned && IsInteger(text)) {
    const std::optional<std::int64_t> units = ParseInt64(text);
    if (!units || std::abs(*units) > INT64_MAX / 1000) return std::nullopt;
    return TimestampFromUnits(*units, precision);
  }
  Cursor cursor(text);
  const std::optional<CivilDate> date = ReadJavaPatternDate(cursor);
  if (!date) return std::nullopt;
  TimeOfDay time;
  if (cursor.Accept(' ')) {
    const std::optional<TimeOfDay> read = ReadJavaPatternTime(cursor);
    if (!read) return std::nullopt;
    time = *read;
  }
  if (!cursor.done()) return std::nullopt;
  std::int32_t unit = 1;
  for (int digit = precision; digit < 9; ++digit) unit *= 10;
  time.nanos -= time.nanos % unit;
  return MakeTimestamp(*date, time);
}

}  // namespace braid
