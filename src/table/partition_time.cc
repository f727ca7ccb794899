#include "table/partition_time.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "types/date_time.h"

namespace braid {

namespace {

constexpr std::int64_t kMaxYear = 999'999'999;
constexpr int kMaxDigits = 19;
constexpr std::int64_t kMillisPerHour = 3'600'000;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number of digits that a text begins with, up to `most`.
std::size_t CountDigits(std::string_view text, std::size_t most) {
  const std::size_t end = std::min(text.size(), most);
  std::size_t count = 0;
  while (count < end && IsDigit(text[count])) ++count;
  return count;
}

// The number of at most 18 digits.
std::int64_t NumberOf(std::string_view digits) {
  std::int64_t number = 0;
  for (const char digit : digits) number = number * 10 + (digit - '0');
  return number;
}

// What a text says of a time, part by part.
struct TimeParts {
  std::optional<std::int64_t> year;
  std::optional<std::int64_t> month;
  std::optional<std::int64_t> day;
  std::optional<std::int64_t> hour;
  std::optional<std::int64_t> minute;
  std::optional<std::int64_t> second;
  std::optional<std::int64_t> milli;

  std::optional<std::int64_t>& Of(char letter) {
    switch (letter) {
      case 'y':
      case 'u': return year;
      case 'M': return month;
      case 'd': return day;
      case 'H': return hour;
      case 'm': return minute;
      case 's': return second;
      default: return milli;
    }
  }

  // As ResolverStyle.SMART: the 31st of a short month is its last day, and 24:00 the next day's midnight.
  std::optional<std::int64_t> ToMillis() const {
    if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
    if (*year > kMaxYear || *year < -kMaxYear) return std::nullopt;
    if (hour.value_or(0) > 24 || minute.value_or(0) > 59 || second.value_or(0) > 59) return std::nullopt;
    const int last = DaysOfMonth(*year, static_cast<int>(*month));
    const std::int64_t days = DaysFromCivil({*year, static_cast<int>(*month), static_cast<int>(std::min<std::int64_t>(*day, last))});
    // A time of day that lacks a part before another is none.
    const bool has_time = hour && (minute || (!second && !milli)) && (second || !milli);
    const std::int64_t rest_ms = has_time ? minute.value_or(0) * 60'000 + second.value_or(0) * 1000 + milli.value_or(0) : 0;
    if (hour == 24 && (rest_ms != 0 || !has_time)) return std::nullopt;
    return days * kMillisPerDay + (has_time ? *hour * kMillisPerHour : 0) + rest_ms;
  }
};

// Java's default for partitions: "2024-2-9[ 1:2:3[.456]]". Numbers beyond their range count on into the next unit.
std::optional<std::int64_t> ReadDefault(std::string_view text) {
  const auto number = [&text](std::size_t most) -> std::optional<std::int64_t> {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::size_t digits = CountDigits(text, most);
    if (digits == 0) return std::nullopt;
    const std::int64_t value = NumberOf(text.substr(0, digits));
    text.remove_prefix(digits);
    return negative ? -value : value;
  };
  const auto literal = [&text](char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
  };
  const auto year = number(10);
  if (!year || *year > kMaxYear || *year < -kMaxYear || !literal('-')) return std::nullopt;
  const auto month = number(2);
  if (!month || !literal('-')) return std::nullopt;
  const auto day = number(2);
  if (!day) return std::nullopt;
  const std::int64_t year_of_month = *year + FloorDivide(*month - 1, 12);
  const int month_of_year = static_cast<int>(FloorModulo(*month - 1, 12)) + 1;
  std::int64_t millis = (DaysFromCivil({year_of_month, month_of_year, 1}) + *day - 1) * kMillisPerDay;
  if (text.empty()) return millis;
  if (!literal(' ')) return std::nullopt;
  for (const std::int64_t unit : {kMillisPerHour, std::int64_t{60'000}, std::int64_t{1000}}) {
    const auto part = number(2);
    if (!part || (unit > 1000 && !literal(':'))) return std::nullopt;
    millis += *part * unit;
  }
  if (text.empty()) return millis;
  if (!literal('.')) return std::nullopt;
  const std::size_t digits = CountDigits(text, 9);
  if (digits == 0 || digits != text.size()) return std::nullopt;
  return millis + NumberOf((std::string(text) + "00").substr(0, 3));
}

// Reads the pieces' numbers from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }

  bool Literal(std::string_view literal) {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  // Exactly so many digits.
  std::optional<std::int64_t> Fixed(std::size_t width) {
    if (CountDigits(rest_, width) < width) return std::nullopt;
    return Take(width);
  }

  // At least `least` digits and a sign, leaving `reserved` digits to those that follow at once. Where `padded`, more digits
  // than that need a sign, and a plus sign more digits.
  std::optional<std::int64_t> Variable(std::size_t least, std::size_t reserved, bool padded) {
    const bool negative = rest_.starts_with('-');
    const bool positive = padded && rest_.starts_with('+');
    if (negative || positive) rest_.remove_prefix(1);
    std::size_t width = CountDigits(rest_, kMaxDigits + reserved);
    if (reserved > 0) width = std::max(least, width - std::min(width, reserved));
    if (CountDigits(rest_, width) < std::max<std::size_t>(width, least) || width == 0 || width >= kMaxDigits) return std::nullopt;
    if (padded && !negative && positive != (width > least)) return std::nullopt;
    const std::int64_t number = Take(width);
    return negative ? -number : number;
  }

 private:
  std::int64_t Take(std::size_t width) {
    const std::int64_t number = NumberOf(rest_.substr(0, width));
    rest_.remove_prefix(width);
    return number;
  }

  std::string_view rest_;
};

bool IsFixed(char letter, int count) { return letter == 'S' || (letter != 0 && count == 2); }

std::int64_t MillisOfFraction(std::int64_t fraction, int digits) {
  for (; digits > 3; --digits) fraction /= 10;
  for (; digits < 3; ++digits) fraction *= 10;
  return fraction;
}

Error BadPattern(ErrorCode code, std::string_view pattern, const std::string& what) {
  return Error(code, fmt::format("the date pattern '{}' {}", pattern, what));
}

// Whether a letter may stand so often.
Status CheckLetter(std::string_view pattern, char letter, int count) {
  if (std::string_view("yuMdHmsS").find(letter) == std::string_view::npos) {
    return BadPattern(ErrorCode::kUnsupported, pattern, fmt::format("uses the letter {}, which is not supported", letter))
        .Hint("text in a pattern stands in single quotes");
  }
  if (letter == 'M' && count > 2) return BadPattern(ErrorCode::kUnsupported, pattern, "uses names of months, which are not supported");
  const int most = letter == 'y' || letter == 'u' ? kMaxDigits : letter == 'S' ? 9 : 2;
  if (count > most) return BadPattern(ErrorCode::kInvalidArgument, pattern, fmt::format("has the letter {} too often", letter));
  return Ok();
}

// The text in quotes at the start of `rest`, which it shortens; two quotes are one.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  std::string text;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '\'') {
      text += rest[at];
    } else if (rest.substr(at, 2) == "''") {
      text += rest[at++];
    } else {
      rest.remove_prefix(at + 1);
      return at == 1 ? "'" : text;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<JavaTimePattern> JavaTimePattern::Compile(std::string_view pattern) {
  JavaTimePattern compiled;
  for (std::string_view rest = pattern; !rest.empty();) {
    const char c = rest.front();
    if (IsLetter(c)) {
      const std::size_t count = std::min(rest.find_first_not_of(c), rest.size());
      BRAID_TRY(CheckLetter(pattern, c, static_cast<int>(count)));
      compiled.pieces_.push_back({.letter = c, .count = static_cast<int>(count)});
      rest.remove_prefix(count);
    } else if (c == '\'') {
      std::optional<std::string> literal = TakeQuoted(rest);
      if (!literal) return BadPattern(ErrorCode::kInvalidArgument, pattern, "has an open quote");
      compiled.pieces_.push_back({.literal = *std::move(literal)});
    } else if (std::string_view("[]{}#").find(c) != std::string_view::npos) {
      return BadPattern(ErrorCode::kUnsupported, pattern, fmt::format("uses '{}', which is not supported", c));
    } else {
      compiled.pieces_.push_back({.literal = std::string(1, c)});
      rest.remove_prefix(1);
    }
  }
  return compiled;
}

std::optional<std::int64_t> JavaTimePattern::Read(std::string_view text) const {
  Reader reader(text);
  TimeParts parts;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& [letter, count, literal] = pieces_[i];
    if (letter == 0) {
      if (!reader.Literal(literal)) return std::nullopt;
      continue;
    }
    const auto width = static_cast<std::size_t>(count);
    std::optional<std::int64_t> number;
    if (IsFixed(letter, count)) {
      number = reader.Fixed(width);
    } else {
      std::size_t reserved = 0;
      for (std::size_t next = i + 1; next < pieces_.size() && IsFixed(pieces_[next].letter, pieces_[next].count); ++next) {
        reserved += static_cast<std::size_t>(pieces_[next].count);
      }
      number = reader.Variable(width, reserved, width >= 4);
    }
    const bool is_year = letter == 'y' || letter == 'u';
    if (!number || (*number < 0 && letter != 'u')) return std::nullopt;
    if (is_year && count == 2) *number += 2000;
    if (letter == 'y' && *number == 0) return std::nullopt;
    if (letter == 'S') *number = MillisOfFraction(*number, count);
    std::optional<std::int64_t>& part = parts.Of(letter);
    if (part && part != number) return std::nullopt;
    part = number;
  }
  return reader.done() ? parts.ToMillis() : std::nullopt;
}

Result<PartitionTime> PartitionTime::Make(std::optional<std::string> pattern, const std::optional<std::string>& formatter) {
  PartitionTime time;
  time.pattern_ = std::move(pattern);
  if (formatter) {
    BRAID_TRY_ASSIGN(time.formatter_, JavaTimePattern::Compile(*formatter));
  }
  return time;
}

std::optional<std::int64_t> PartitionTime::Of(std::span<const std::string> columns,
                                              std::span<const std::optional<std::string>> values) const {
  std::string text;
  if (pattern_) {
    text = *pattern_;
    // One column after the other, as Java does: "$d" is also found in "$dt", and in values put in before.
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string name = "$" + columns[i];
      for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        if (!values[i]) return std::nullopt;
        text.replace(at, name.size(), *values[i]);
        at += values[i]->size();
      }
    }
  } else {
    if (values.empty() || !values.front()) return std::nullopt;
    text = *values.front();
  }
  return formatter_ ? formatter_->Read(text) : ReadDefault(text);
}

}  // namespace braid
