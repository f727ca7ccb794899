#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace braid {

// What Flink's casts read from text; nullopt where they fail.

/// Days since 1970-01-01 of "2020-1-2", "2020-01", "2020", each with anything after a blank.
std::optional<std::int32_t> ParseFlinkDate(std::string_view text);
/// Microseconds of the day of "3:4:5.678", "3:4", "3"; digits after the millisecond are dropped.
std::optional<std::int64_t> ParseFlinkTime(std::string_view text);
/// A local date-time.
struct FlinkTimestamp {
  std::int64_t seconds;  ///< since 1970-01-01T00:00:00
  std::int32_t nanos;
};
/// "2020-1-2", "2020-01-02 03:04:05.123456789".
std::optional<FlinkTimestamp> ParseFlinkTimestamp(std::string_view text);
/// t, true, y, yes, 1 and their opposites, in any case and without blanks.
std::optional<bool> ParseFlinkBoolean(std::string_view text);

// How Flink's casts print.

void AppendFlinkDate(std::int32_t days, std::string& out);                         ///< 2020-01-02
void AppendFlinkTime(std::int64_t micros, int precision, std::string& out);        ///< 03:04:05.678
void AppendFlinkTimestamp(FlinkTimestamp value, int precision, std::string& out);  ///< 2020-01-02 03:04:05.678
void AppendFlinkMonths(std::int64_t months, std::string& out);                     ///< +2-10
void AppendFlinkMillis(std::int64_t millis, std::string& out);                     ///< +1 00:00:00.000

}  // namespace braid
