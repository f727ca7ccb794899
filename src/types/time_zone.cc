#include "types/time_zone.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "base/text.h"
#include "types/date_time.h"

namespace braid {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kMicros = 1'000'000;
constexpr int kLastRuleYear = 2500;

/// Reads a TZif file (RFC 8536) from left to right; reads beyond the end give zeros and are noticed at once.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }
  std::string_view Take(std::size_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::int64_t Number(std::size_t size) {
    const std::string_view bytes = Take(size);
    if (bytes.empty()) return 0;
    std::uint64_t value = static_cast<unsigned char>(bytes.front()) & 0x80U ? ~std::uint64_t{0} : 0;
    for (const char c : bytes) value = (value << 8) | static_cast<unsigned char>(c);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

/// Reads the POSIX rule at the end of a TZif file: "EST5EDT,M3.2.0,M11.1.0/2".
class Rule {
 public:
  static std::optional<Rule> Parse(std::string_view text) {
    Rule rule;
    if (!TakeName(text)) return std::nullopt;
    const std::optional<std::int64_t> standard = TakeTime(text);
    if (!standard) return std::nullopt;
    rule.standard_ = rule.summer_ = -*standard;
    if (text.empty()) return rule;
    rule.has_summer_ = true;
    if (!TakeName(text)) return std::nullopt;
    rule.summer_ = rule.standard_ + 3600;
    if (!text.empty() && text.front() != ',') {
      const std::optional<std::int64_t> summer = TakeTime(text);
      if (!summer) return std::nullopt;
      rule.summer_ = -*summer;
    }
    const std::optional<Day> begin = TakeDay(text);
    const std::optional<Day> end = begin ? TakeDay(text) : std::nullopt;
    if (!end) return std::nullopt;
    rule.begin_ = *begin;
    rule.end_ = *end;
    return rule;
  }

  /// The changes of one year, in order.
  void AddYear(int year, std::vector<TimeZone::Transition>& to) const {
    if (!has_summer_) return;
    TimeZone::Transition summer{begin_.At(year) - standard_, summer_};
    TimeZone::Transition winter{end_.At(year) - summer_, standard_};
    if (winter.at < summer.at) std::swap(summer, winter);
    to.push_back(summer);
    to.push_back(winter);
  }

 private:
  struct Day {
    enum class Kind { kMonthWeek, kJulian, kZeroBased } kind = Kind::kMonthWeek;
    std::int64_t month = 1;
    std::int64_t week = 1;
    std::int64_t day = 0;
    std::int64_t seconds = 7200;

    /// Local seconds since 1970.
    std::int64_t At(int year) const {
      std::int64_t days = DaysFromCivil({year, 1, 1});
      if (kind == Kind::kMonthWeek) {
        const std::int64_t first = DaysFromCivil({year, static_cast<int>(month), 1});
        const std::int64_t weekday = FloorModulo(first + 4, 7);  // 1970-01-01 was a Thursday, Sunday is 0
        days = first + FloorModulo(day - weekday, 7) + 7 * (week - 1);
        const std::int64_t last = first + DaysOfMonth(year, static_cast<int>(month)) - 1;
        while (days > last) days -= 7;  // week 5 is the last one
      } else if (kind == Kind::kZeroBased) {
        days += day;
      } else {
        const bool leap = DaysOfMonth(year, 2) == 29;
        days += day - 1 + (leap && day >= 60 ? 1 : 0);
      }
      return days * kDay + seconds;
    }
  };

  static bool TakeName(std::string_view& text) {
    std::size_t size = 0;
    if (!text.empty() && text.front() == '<') {
      size = text.find('>');
      if (size == std::string_view::npos) return false;
      ++size;
    } else {
      while (size < text.size() && ((text[size] | 0x20) >= 'a' && (text[size] | 0x20) <= 'z')) ++size;
    }
    text.remove_prefix(size);
    return size > 0;
  }

  static std::optional<std::int64_t> TakeNumber(std::string_view& text) {
    std::size_t size = 0;
    std::int64_t value = 0;
    for (; size < text.size() && text[size] >= '0' && text[size] <= '9' && size < 6; ++size)
      value = value * 10 + (text[size] - '0');
    text.remove_prefix(size);
    return size > 0 ? std::optional(value) : std::nullopt;
  }

  /// [+-]hh[:mm[:ss]] in seconds.
  static std::optional<std::int64_t> TakeTime(std::string_view& text) {
    const bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    std::int64_t seconds = 0;
    for (std::int64_t unit = 3600; unit > 0; unit /= 60) {
      const std::optional<std::int64_t> part = TakeNumber(text);
      if (!part) return std::nullopt;
      seconds += *part * unit;
      if (unit == 1 || text.empty() || text.front() != ':') break;
      text.remove_prefix(1);
    }
    return negative ? -seconds : seconds;
  }

  static std::optional<Day> TakeDay(std::string_view& text) {
    if (text.empty() || text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
    Day day;
    if (!text.empty() && text.front() == 'M') {
      std::array<std::int64_t, 3> parts{};
      for (std::int64_t& part : parts) {
        text.remove_prefix(1);  // the M and the points
        const std::optional<std::int64_t> number = TakeNumber(text);
        if (!number) return std::nullopt;
        part = *number;
      }
      day.month = std::clamp<std::int64_t>(parts[0], 1, 12);
      day.week = parts[1];
      day.day = parts[2];
    } else {
      day.kind = !text.empty() && text.front() == 'J' ? Day::Kind::kJulian : Day::Kind::kZeroBased;
      if (day.kind == Day::Kind::kJulian) text.remove_prefix(1);
      const std::optional<std::int64_t> number = TakeNumber(text);
      if (!number) return std::nullopt;
      day.day = *number;
    }
    if (!text.empty() && text.front() == '/') {
      text.remove_prefix(1);
      const std::optional<std::int64_t> time = TakeTime(text);
      if (!time) return std::nullopt;
      day.seconds = *time;
    }
    return day;
  }

  std::int64_t standard_ = 0;
  std::int64_t summer_ = 0;
  bool has_summer_ = false;
  Day begin_;
  Day end_;
};

struct Header {
  std::int64_t utc_flags, standard_flags, leap_seconds, times, types, names;
};

std::optional<Header> ReadHeader(Bytes& bytes) {
  if (bytes.Take(4) != "TZif") return std::nullopt;
  bytes.Take(16);
  Header header{};
  header.utc_flags = bytes.Number(4);
  header.standard_flags = bytes.Number(4);
  header.leap_seconds = bytes.Number(4);
  header.times = bytes.Number(4);
  header.types = bytes.Number(4);
  header.names = bytes.Number(4);
  if (bytes.failed() || header.times < 0 || header.types < 1 || header.names < 0) return std::nullopt;
  return header;
}

std::optional<TimeZone> ParseZone(std::string_view file) {
  Bytes bytes(file);
  const std::optional<Header> old = ReadHeader(bytes);  // a block with 32-bit times that newer readers skip
  if (!old) return std::nullopt;
  bytes.Take(static_cast<std::size_t>(old->times * 5 + old->types * 6 + old->names + old->leap_seconds * 8 +
                                      old->standard_flags + old->utc_flags));
  const std::optional<Header> header = ReadHeader(bytes);
  if (!header) return std::nullopt;
  std::vector<TimeZone::Transition> transitions(static_cast<std::size_t>(header->times));
  for (TimeZone::Transition& transition : transitions) transition.at = bytes.Number(8);
  const std::string_view kinds = bytes.Take(transitions.size());
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < header->types; ++i) {
    offsets.push_back(bytes.Number(4));
    bytes.Take(2);
  }
  bytes.Take(
      static_cast<std::size_t>(header->names + header->leap_seconds * 12 + header->standard_flags + header->utc_flags));
  if (bytes.failed()) return std::nullopt;
  for (std::size_t i = 0; i < transitions.size(); ++i) {
    const auto kind = static_cast<unsigned char>(kinds[i]);
    if (kind >= offsets.size()) return std::nullopt;
    transitions[i].offset = offsets[kind];
  }
  const std::string_view footer = Trim(bytes.rest());
  if (const std::optional<Rule> rule = Rule::Parse(footer)) {
    const std::int64_t last = transitions.empty() ? 0 : transitions.back().at;
    std::vector<TimeZone::Transition> later;
    for (int year = static_cast<int>(CivilFromDays(FloorDivide(last, kDay)).year); year <= kLastRuleYear; ++year)
      rule->AddYear(year, later);
    for (const TimeZone::Transition& transition : later) {
      if (transitions.empty() || transition.at > transitions.back().at) transitions.push_back(transition);
    }
  }
  return TimeZone(offsets.front(), std::move(transitions));
}

/// [+-]h[h][[:]mm[[:]ss]] in seconds.
std::optional<std::int64_t> ParseOffset(std::string_view text) {
  if (text.size() < 2 || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const std::int64_t sign = text.front() == '-' ? -1 : 1;
  std::string digits;
  for (const char c : text.substr(1)) {
    if (c == ':') {
      if (digits.size() % 2 != 0) digits.insert(digits.begin(), '0');
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    digits += c;
  }
  if (digits.size() == 1) digits.insert(digits.begin(), '0');
  if (digits.size() % 2 != 0 || digits.size() > 6) return std::nullopt;
  std::int64_t seconds = 0;
  std::int64_t unit = 3600;
  for (std::size_t i = 0; i < digits.size(); i += 2, unit /= 60)
    seconds += unit * ((digits[i] - '0') * 10 + digits[i + 1] - '0');
  if (seconds > 18 * 3600) return std::nullopt;
  return sign * seconds;
}

std::optional<std::int64_t> FixedOffset(std::string_view name) {
  if (name == "Z" || name == "UTC" || name == "GMT" || name == "UT") return 0;
  for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
    if (name.substr(0, prefix.size()) == prefix) {
      if (const auto offset = ParseOffset(name.substr(prefix.size()))) return offset;
    }
  }
  return ParseOffset(name);
}

std::optional<TimeZone> LoadZone(std::string_view name) {
  if (const auto offset = FixedOffset(name)) return TimeZone(*offset, {});
  // A name is a relative path below the database, never above it.
  if (name.empty() || name.front() == '/' || name.find("..") != std::string_view::npos) return std::nullopt;
  std::vector<std::string> folders = {"/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"};
  if (const char* folder = std::getenv("TZDIR")) folders.insert(folders.begin(), folder);
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + std::string(name);
    std::error_code failure;
    if (!std::filesystem::is_regular_file(path, failure)) continue;  // a stream of a folder, such as Europe, throws
    std::ifstream file(path, std::ios::binary);
    if (!file) continue;
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (std::optional<TimeZone> zone = ParseZone(bytes)) return zone;
  }
  return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const TimeZone>> TimeZone::Find(std::string_view name) {
  static std::mutex mutex;  // guards `known`
  static std::map<std::string, std::shared_ptr<const TimeZone>, std::less<>> known;
  const std::lock_guard<std::mutex> guard(mutex);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  std::optional<TimeZone> zone = LoadZone(name);
  if (!zone) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("there is no time zone {}", name))
        .Hint(
            "use a name such as Europe/Berlin or an offset such as +02:00; names need the system's zone database "
            "(package tzdata)");
  }
  return known.emplace(std::string(name), std::make_shared<const TimeZone>(*std::move(zone))).first->second;
}

std::int64_t TimeZone::OffsetAt(std::int64_t utc_seconds) const {
  const auto after = std::upper_bound(transitions_.begin(), transitions_.end(), utc_seconds,
                                      [](std::int64_t at, const Transition& transition) { return at < transition.at; });
  return after == transitions_.begin() ? first_offset_ : std::prev(after)->offset;
}

std::int64_t TimeZone::ToLocal(std::int64_t utc_micros) const {
  return utc_micros + OffsetAt(FloorDivide(utc_micros, kMicros)) * kMicros;
}

std::int64_t TimeZone::ToUtc(std::int64_t local_micros) const {
  const std::int64_t local = FloorDivide(local_micros, kMicros);
  // The offset a day earlier holds before any change nearby; it wins where both are possible and where none is.
  const std::int64_t before = OffsetAt(local - kDay);
  const std::int64_t after = OffsetAt(local + kDay);
  for (const std::int64_t offset : {before, after}) {
    if (OffsetAt(local - offset) == offset) return local_micros - offset * kMicros;
  }
  return local_micros - before * kMicros;
}

}  // namespace braid
