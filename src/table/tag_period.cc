#include "table/tag_period.h"

#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/tag_time.h"
#include "types/date_time.h"
#include "types/local_time.h"
#include "types/time_zone.h"

namespace braid {

namespace {

constexpr std::int64_t kHourMs = 3'600'000;

// Takes digits, all of them, from the front of a text.
std::optional<std::int64_t> TakeNumber(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool TakeChar(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

Result<TagPeriod> TagPeriod::FromOptions(const Options& options) {
  TagPeriod period;
  if (options.Has("tag.creation-period-duration")) {
    BRAID_TRY_ASSIGN(const auto duration, options.GetDuration("tag.creation-period-duration", {}));
    if (duration.count() <= 0) {
      return Error(ErrorCode::kInvalidArgument, "option 'tag.creation-period-duration' must be longer than nothing");
    }
    period.length_ms_ = duration.count();
    period.precision_ = Precision::kMinute;
    period.dashes_ = false;
    period.space_ = false;
    return period;
  }
  const std::string formatter = ToLower(options.Get("tag.period-formatter", "with_dashes"));
  if (formatter != "with_dashes" && formatter != "without_dashes" && formatter != "without_dashes_and_spaces") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("option 'tag.period-formatter' is '{}'", formatter))
        .Hint("it is with_dashes, without_dashes or without_dashes_and_spaces");
  }
  period.dashes_ = formatter == "with_dashes";
  period.space_ = formatter != "without_dashes_and_spaces";
  const std::string name = ToLower(options.Get("tag.creation-period", "daily"));
  if (name == "daily") {
    period.length_ms_ = kMillisPerDay;
    return period;
  }
  period.precision_ = Precision::kHour;
  if (name == "hourly") {
    period.length_ms_ = kHourMs;
    return period;
  }
  if (name == "two-hours") {
    // Paimon gives these one form, whatever the formatter.
    period.length_ms_ = 2 * kHourMs;
    period.dashes_ = true;
    period.space_ = true;
    return period;
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("option 'tag.creation-period' is '{}'", name))
      .Hint("it is daily, hourly or two-hours");
}

std::string TagPeriod::NameAt(std::int64_t local_ms) const {
  const CalendarTime time = ToCalendarTime({.seconds = FloorDivide(local_ms, 1000), .nanos = 0});
  std::string name = dashes_ ? fmt::format("{:04}-{:02}-{:02}", time.year, time.month, time.day)
                             : fmt::format("{:04}{:02}{:02}", time.year, time.month, time.day);
  if (precision_ == Precision::kDay) return name;
  name += fmt::format("{}{:02}", space_ ? " " : "", time.hour);
  if (precision_ == Precision::kMinute) name += fmt::format("{:02}", time.minute);
  return name;
}

std::optional<std::int64_t> TagPeriod::TimeOf(std::string_view name) const {
  // Of daily tags Paimon looks at what stands before the first blank alone.
  if (precision_ == Precision::kDay) name = name.substr(0, name.find(' '));
  const auto year = TakeNumber(name, 4);
  if (!year || (dashes_ && !TakeChar(name, '-'))) return std::nullopt;
  const auto month = TakeNumber(name, 2);
  if (!month || (dashes_ && !TakeChar(name, '-'))) return std::nullopt;
  const auto day = TakeNumber(name, 2);
  std::optional<std::int64_t> hour = 0;
  std::optional<std::int64_t> minute = 0;
  if (precision_ != Precision::kDay) {
    if (space_ && !TakeChar(name, ' ')) return std::nullopt;
    hour = TakeNumber(name, 2);
    if (precision_ == Precision::kMinute) minute = TakeNumber(name, 2);
  }
  if (!day || !hour || !minute || !name.empty()) return std::nullopt;
  const auto time = FromCalendarTime(
      {.year = *year, .month = *month, .day = *day, .hour = *hour, .minute = *minute, .second = 0, .nanos = 0});
  return time ? std::optional(time->seconds * 1000) : std::nullopt;
}

std::int64_t TagPeriod::LastComplete(std::int64_t local_ms) const {
  // Rounded towards 1970, as Java's division does.
  return local_ms / length_ms_ * length_ms_ - length_ms_;
}

Result<TagClock> TagClock::FromOptions(const Options& options) {
  TagClock clock;
  const std::string mode = ToLower(options.Get("tag.automatic-creation", "none"));
  if (mode == "none") return clock;
  if (mode == "watermark") {
    clock.kind_ = Kind::kWatermark;
    clock.zone_ = options.Get("sink.watermark-time-zone", "UTC");
    return clock;
  }
  clock.zone_ = options.Get("sink.process-time-zone", "");
  if (mode == "process-time") {
    clock.kind_ = Kind::kProcessTime;
    return clock;
  }
  if (mode == "batch") {
    clock.kind_ = Kind::kBatch;
    return clock;
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("option 'tag.automatic-creation' is '{}'", mode))
      .Hint("it is none, process-time, watermark or batch");
}

Result<std::optional<std::int64_t>> TagClock::LocalTimeOf(const Snapshot& snapshot) const {
  std::int64_t utc_ms = snapshot.time_millis;
  if (kind_ == Kind::kWatermark) {
    if (!snapshot.watermark || *snapshot.watermark == std::numeric_limits<std::int64_t>::min()) {
      return std::optional<std::int64_t>();
    }
    utc_ms = *snapshot.watermark;
  }
  if (zone_.empty()) return std::optional(ToLocalTime(utc_ms).millis);
  BRAID_TRY_ASSIGN(const auto zone, TimeZone::Find(zone_));
  return std::optional(utc_ms + zone->OffsetAt(FloorDivide(utc_ms, 1000)) * 1000);
}

}  // namespace braid
