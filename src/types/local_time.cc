#include "types/local_time.h"

#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "types/date_time.h"

namespace braid {

Timestamp ToLocalTime(std::int64_t epoch_ms) {
  const auto seconds = static_cast<std::time_t>(FloorDivide(epoch_ms, 1000));
  std::tm fields{};
  localtime_r(&seconds, &fields);
  return {.millis = epoch_ms + std::int64_t{fields.tm_gmtoff} * 1000, .nanos_of_milli = 0};
}

std::int64_t FromLocalTime(const Timestamp& local) {
  const auto as_if_utc = static_cast<std::time_t>(FloorDivide(local.millis, 1000));
  std::tm fields{};
  gmtime_r(&as_if_utc, &fields);
  fields.tm_isdst = -1;
  return std::int64_t{std::mktime(&fields)} * 1000 + FloorModulo(local.millis, 1000);
}

std::string LocalTimeText(std::int64_t epoch_ms) {
  const auto seconds = static_cast<std::time_t>(FloorDivide(epoch_ms, 1000));
  std::tm fields{};
  localtime_r(&seconds, &fields);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &fields);
  return text;
}

Result<std::int64_t> ParseLocalTime(std::string_view text) {
  const std::optional<Timestamp> local = ParseJavaTimestamp(text, 3, /*zoned=*/true);
  if (local) return FromLocalTime(*local);
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no time", text)).Hint("write it as 2024-05-14 10:15:30");
}

}  // namespace braid
