#include "duck/java_date_pattern.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "base/text.h"
#include "types/date_time.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::string_view kSupported = "yuMLdDEecaHhKkmsSAnNQqwGW";
constexpr std::string_view kZones = "VzOXxZBYgF";

/// The fields of a date-time that patterns print.
struct Fields {
  CivilDate date;
  std::int64_t days;
  int weekday;  // 0: Sunday
  int day_of_year;
  std::int64_t second_of_day;
  std::int32_t nanos;

  int hour() const { return static_cast<int>(second_of_day / 3600); }
  int minute() const { return static_cast<int>(second_of_day / 60 % 60); }
  int second() const { return static_cast<int>(second_of_day % 60); }
  /// US weeks begin on Sunday, and the first holds January 1st.
  int week() const {
    const std::int64_t new_year = days - (day_of_year - 1);
    const int first_weekday = static_cast<int>(FloorModulo(new_year + 4, 7));
    const int week = (day_of_year - 1 + first_weekday) / 7 + 1;
    // The last days of a year belong to week 1 of the next if that begins within their week.
    const int length = DaysOfMonth(date.year, 2) == 29 ? 366 : 365;
    return length - day_of_year < 6 - weekday ? 1 : week;
  }
};

Fields FieldsOf(std::int64_t seconds, std::int32_t nanos) {
  Fields fields{};
  fields.days = FloorDivide(seconds, 86400);
  fields.date = CivilFromDays(fields.days);
  fields.weekday = static_cast<int>(FloorModulo(fields.days + 4, 7));
  fields.day_of_year = static_cast<int>(fields.days - DaysFromCivil({fields.date.year, 1, 1})) + 1;
  fields.second_of_day = FloorModulo(seconds, 86400);
  fields.nanos = nanos;
  return fields;
}

void AppendPadded(std::int64_t value, int width, std::string& out) {
  out += fmt::format("{:0{}}", value, width);
}

void AppendName(std::string_view name, int count, std::string& out) {
  out += count == 4 ? name : name.substr(0, count == 5 ? 1 : 3);
}

void AppendYear(std::int64_t year, int count, std::string& out) {
  if (count == 2) {
    AppendPadded(FloorModulo(year, 100), 2, out);
    return;
  }
  if (year > 9999 && count >= 4) out += '+';
  if (year < 0) out += '-';
  AppendPadded(std::abs(year), count, out);
}

void AppendField(char letter, int count, const Fields& fields, std::string& out) {
  const int hour = fields.hour();
  switch (letter) {
    case 'y': AppendYear(fields.date.year > 0 ? fields.date.year : 1 - fields.date.year, count, out); return;
    case 'u': AppendYear(fields.date.year, count, out); return;
    case 'M':
    case 'L':
      if (count > 2) {
        AppendName(kMonths[static_cast<std::size_t>(fields.date.month - 1)], count, out);
      } else {
        AppendPadded(fields.date.month, count, out);
      }
      return;
    case 'd': AppendPadded(fields.date.day, count, out); return;
    case 'D': AppendPadded(fields.day_of_year, count, out); return;
    case 'E': AppendName(kDays[static_cast<std::size_t>(fields.weekday)], count, out); return;
    case 'e':
    case 'c':
      if (count > 2) {
        AppendName(kDays[static_cast<std::size_t>(fields.weekday)], count, out);
      } else {
        AppendPadded(fields.weekday + 1, count, out);
      }
      return;
    case 'a': out += hour < 12 ? "AM" : "PM"; return;
    case 'H': AppendPadded(hour, count, out); return;
    case 'k': AppendPadded(hour == 0 ? 24 : hour, count, out); return;
    case 'K': AppendPadded(hour % 12, count, out); return;
    case 'h': AppendPadded(hour % 12 == 0 ? 12 : hour % 12, count, out); return;
    case 'm': AppendPadded(fields.minute(), count, out); return;
    case 's': AppendPadded(fields.second(), count, out); return;
    case 'S': out += fmt::format("{:09}", fields.nanos).substr(0, static_cast<std::size_t>(count)); return;
    case 'A': AppendPadded(fields.second_of_day * 1000 + fields.nanos / 1'000'000, count, out); return;
    case 'n': AppendPadded(fields.nanos, count, out); return;
    case 'N': AppendPadded(fields.second_of_day * 1'000'000'000 + fields.nanos, count, out); return;
    case 'Q':
    case 'q': {
      const int quarter = (fields.date.month + 2) / 3;
      if (count == 3) out += 'Q';
      if (count == 4) {
        constexpr std::array<std::string_view, 4> kQuarters = {"1st quarter", "2nd quarter", "3rd quarter",
                                                               "4th quarter"};
        out += kQuarters[static_cast<std::size_t>(quarter - 1)];
      } else {
        AppendPadded(quarter, count == 2 ? 2 : 1, out);
      }
      return;
    }
    case 'w': AppendPadded(fields.week(), count, out); return;
    case 'W': AppendPadded((fields.date.day + 6 + (6 - fields.weekday)) / 7, count, out); return;
    case 'G':
      out +=
          count == 4 ? (fields.date.year > 0 ? "Anno Domini" : "Before Christ") : (fields.date.year > 0 ? "AD" : "BC");
      return;
    default: return;
  }
}

/// Reads the fields of a text from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::int64_t year = 1970;
  std::int64_t month = 1;
  std::int64_t day = 1;
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
  std::int64_t nanos = 0;
  std::optional<bool> afternoon;
  bool twelve_hours = false;
  std::optional<std::int64_t> day_of_year;

  bool done() const { return rest_.empty(); }

  bool Literal(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  /// `fixed`: another number follows at once, so take exactly that many digits.
  bool Field(char letter, int count, bool fixed) {
    switch (letter) {
      case 'y':
      case 'u':
        if (count == 2) return Number(2, 2, year) && (year += 2000, true);
        return Number(fixed ? count : 1, fixed ? count : 10, year);
      case 'M':
      case 'L':
        return count > 2 ? Month(count) : Number(fixed || count == 2 ? count : 1, fixed || count == 2 ? 2 : 2, month);
      case 'd': return Number(count, 2, day);
      case 'D': {
        std::int64_t value = 0;
        if (!Number(count, 3, value)) return false;
        day_of_year = value;
        return true;
      }
      case 'E': return Weekday(count);
      case 'a': return HalfDay();
      case 'H': return Number(count, 2, hour);
      case 'k': return Number(count, 2, hour) && (hour %= 24, true);
      case 'h':
      case 'K': twelve_hours = true; return Number(count, 2, hour) && (hour %= 12, true);
      case 'm': return Number(count, 2, minute);
      case 's': return Number(count, 2, second);
      case 'S': {
        if (!Number(count, count, nanos)) return false;
        for (int i = count; i < 9; ++i) nanos *= 10;
        return true;
      }
      case 'n': return Number(1, 9, nanos);
      default: return false;
    }
  }

  std::optional<JavaDatePattern::Parsed> Finish() const {
    if (month < 1 || month > 12 || day < 1 || day > DaysOfMonth(year, static_cast<int>(month))) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    std::int64_t days = DaysFromCivil({year, static_cast<int>(month), static_cast<int>(day)});
    if (day_of_year) days = DaysFromCivil({year, 1, 1}) + *day_of_year - 1;
    const std::int64_t hours = hour + (twelve_hours && afternoon.value_or(false) ? 12 : 0);
    return JavaDatePattern::Parsed{days * 86400 + hours * 3600 + minute * 60 + second,
                                   static_cast<std::int32_t>(nanos)};
  }

 private:
  bool Number(int least, int most, std::int64_t& value) {
    std::size_t size = 0;
    std::int64_t number = 0;
    while (size < rest_.size() && size < static_cast<std::size_t>(most) && rest_[size] >= '0' && rest_[size] <= '9') {
      number = number * 10 + (rest_[size++] - '0');
    }
    if (size < static_cast<std::size_t>(least)) return false;
    rest_.remove_prefix(size);
    value = number;
    return true;
  }
  bool Name(std::string_view name) {
    if (!EqualsIgnoreCase(rest_.substr(0, name.size()), name)) return false;
    rest_.remove_prefix(name.size());
    return true;
  }
  bool Month(int count) {
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
      if (Name(count == 4 ? kMonths[i] : kMonths[i].substr(0, 3))) {
        month = static_cast<std::int64_t>(i) + 1;
        return true;
      }
    }
    return false;
  }
  bool Weekday(int count) {
    for (const std::string_view name : kDays) {
      if (Name(count == 4 ? name : name.substr(0, 3))) return true;
    }
    return false;
  }
  bool HalfDay() {
    if (Name("AM")) {
      afternoon = false;
    } else if (Name("PM")) {
      afternoon = true;
    }
    return afternoon.has_value();
  }

  std::string_view rest_;
};

bool IsNumeric(char letter, int count) {
  return std::string_view("yudDHkhKmsSn").find(letter) != std::string_view::npos || (letter == 'M' && count < 3);
}

}  // namespace

Result<JavaDatePattern> JavaDatePattern::Compile(std::string_view pattern) {
  JavaDatePattern compiled;
  const auto literal = [&](std::string_view text) {
    if (compiled.pieces_.empty() || compiled.pieces_.back().letter != 0) compiled.pieces_.push_back({0, 0, {}});
    compiled.pieces_.back().literal += text;
  };
  for (std::size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      std::size_t end = at;
      while (end < pattern.size() && pattern[end] == c) ++end;
      if (kZones.find(c) != std::string_view::npos) {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("the date pattern '{}' uses the letter {}, which is not supported", pattern, c));
      }
      if (kSupported.find(c) == std::string_view::npos) {
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("the date pattern '{}' uses the unknown letter {}", pattern, c))
            .Hint("text in a pattern stands in single quotes");
      }
      compiled.pieces_.push_back({c, static_cast<int>(end - at), {}});
      at = end;
    } else if (c == '\'') {
      // Two quotes are one, inside quoted text and outside.
      if (pattern.substr(at, 2) == "''") {
        literal("'");
        at += 2;
        continue;
      }
      for (++at; at < pattern.size() && (pattern[at] != '\'' || pattern.substr(at, 2) == "''"); ++at) {
        literal(pattern.substr(at, 1));
        if (pattern[at] == '\'') ++at;
      }
      if (at == pattern.size()) {
        return Error(ErrorCode::kInvalidArgument, fmt::format("the date pattern '{}' has an open quote", pattern));
      }
      ++at;
    } else if (c == '[' || c == ']') {
      ++at;  // optional parts: printed as any other, and expected when read
    } else {
      literal(pattern.substr(at++, 1));
    }
  }
  return compiled;
}

void JavaDatePattern::Format(std::int64_t seconds, std::int32_t nanos, std::string& out) const {
  const Fields fields = FieldsOf(seconds, nanos);
  for (const Piece& piece : pieces_) {
    if (piece.letter == 0) {
      out += piece.literal;
    } else {
      AppendField(piece.letter, piece.count, fields, out);
    }
  }
}

std::optional<JavaDatePattern::Parsed> JavaDatePattern::Parse(std::string_view text) const {
  Reader reader(text);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.letter == 0) {
      if (!reader.Literal(piece.literal)) return std::nullopt;
      continue;
    }
    const bool fixed =
        i + 1 < pieces_.size() && pieces_[i + 1].letter != 0 && IsNumeric(pieces_[i + 1].letter, pieces_[i + 1].count);
    if (!reader.Field(piece.letter, piece.count, fixed)) return std::nullopt;
  }
  if (!reader.done()) return std::nullopt;
  return reader.Finish();
}

}  // namespace braid
