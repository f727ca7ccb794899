#include "duck/flink_text.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "types/date_time.h"

namespace braid {
namespace {

/// Takes up to nine digits off the front.
std::optional<std::int64_t> TakeNumber(std::string_view& text) {
  std::size_t size = 0;
  std::int64_t value = 0;
  while (size < text.size() && size < 9 && text[size] >= '0' && text[size] <= '9')
    value = value * 10 + (text[size++] - '0');
  text.remove_prefix(size);
  return size > 0 ? std::optional(value) : std::nullopt;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Days of "y-m-d"; the last parts may be missing if `partial`.
std::optional<std::int32_t> ParseDays(std::string_view text, bool partial) {
  std::array<std::int64_t, 3> parts = {0, 1, 1};
  std::size_t count = 0;
  do {
    const std::optional<std::int64_t> part = TakeNumber(text);
    if (!part || count == parts.size()) return std::nullopt;
    parts[count++] = *part;
  } while (Take(text, '-'));
  if (!text.empty() || (count < 3 && !partial)) return std::nullopt;
  const auto [year, month, day] = parts;
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > DaysOfMonth(year, static_cast<int>(month)))
    return std::nullopt;
  return static_cast<std::int32_t>(DaysFromCivil({year, static_cast<int>(month), static_cast<int>(day)}));
}

struct TimeOfDay {
  std::int64_t seconds;
  std::int32_t nanos;
};

std::optional<TimeOfDay> ParseTimeOfDay(std::string_view text) {
  std::array<std::int64_t, 3> parts = {0, 0, 0};
  std::size_t count = 0;
  do {
    const std::optional<std::int64_t> part = TakeNumber(text);
    if (!part || count == parts.size()) return std::nullopt;
    parts[count++] = *part;
  } while (Take(text, ':'));
  std::int64_t nanos = 0;
  if (count == 3 && Take(text, '.')) {
    const std::size_t before = text.size();
    nanos = TakeNumber(text).value_or(0);
    for (std::size_t digits = before - text.size(); digits < 9; ++digits) nanos *= 10;
  }
  const auto [hour, minute, second] = parts;
  if (!text.empty() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return TimeOfDay{hour * 3600 + minute * 60 + second, static_cast<std::int32_t>(nanos)};
}

void AppendFraction(std::int32_t nanos, int precision, std::string& out) {
  if (precision <= 0) return;
  out += '.';
  out += fmt::format("{:09}", nanos).substr(0, static_cast<std::size_t>(precision));
}

void AppendSeconds(std::int64_t seconds, std::string& out) {
  out += fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

}  // namespace

std::optional<std::int32_t> ParseFlinkDate(std::string_view text) {
  text = Trim(text);
  return ParseDays(text.substr(0, text.find(' ')), true);
}

std::optional<std::int64_t> ParseFlinkTime(std::string_view text) {
  const std::optional<TimeOfDay> time = ParseTimeOfDay(Trim(text));
  if (!time) return std::nullopt;
  return time->seconds * 1'000'000 + time->nanos / 1'000'000 * 1000;
}

std::optional<FlinkTimestamp> ParseFlinkTimestamp(std::string_view text) {
  text = Trim(text);
  const std::size_t blank = text.find(' ');
  const std::optional<std::int32_t> days = ParseDays(text.substr(0, blank), false);
  if (!days) return std::nullopt;
  TimeOfDay time{0, 0};
  if (blank != std::string_view::npos) {
    const std::optional<TimeOfDay> parsed = ParseTimeOfDay(text.substr(blank + 1));
    if (!parsed) return std::nullopt;
    time = *parsed;
  }
  return FlinkTimestamp{std::int64_t{*days} * 86400 + time.seconds, time.nanos};
}

std::optional<bool> ParseFlinkBoolean(std::string_view text) {
  for (const std::string_view name : {"t", "true", "y", "yes", "1"}) {
    if (EqualsIgnoreCase(text, name)) return true;
  }
  for (const std::string_view name : {"f", "false", "n", "no", "0"}) {
    if (EqualsIgnoreCase(text, name)) return false;
  }
  return std::nullopt;
}

void AppendFlinkDate(std::int32_t days, std::string& out) {
  const CivilDate date = CivilFromDays(days);
  out += fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

void AppendFlinkTime(std::int64_t micros, int precision, std::string& out) {
  AppendSeconds(micros / 1'000'000, out);
  AppendFraction(static_cast<std::int32_t>(micros % 1'000'000 * 1000), precision, out);
}

void AppendFlinkTimestamp(FlinkTimestamp value, int precision, std::string& out) {
  AppendFlinkDate(static_cast<std::int32_t>(FloorDivide(value.seconds, 86400)), out);
  out += ' ';
  AppendSeconds(FloorModulo(value.seconds, 86400), out);
  AppendFraction(value.nanos, precision, out);
}

void AppendFlinkMonths(std::int64_t months, std::string& out) {
  out += months < 0 ? '-' : '+';
  out += fmt::format("{}-{:02}", std::abs(months) / 12, std::abs(months) % 12);
}

void AppendFlinkMillis(std::int64_t millis, std::string& out) {
  out += millis < 0 ? '-' : '+';
  const std::int64_t size = std::abs(millis);
  out += fmt::format("{} ", size / kMillisPerDay);
  AppendSeconds(size % kMillisPerDay / 1000, out);
  AppendFraction(static_cast<std::int32_t>(size % 1000 * 1'000'000), 3, out);
}

}  // namespace braid
