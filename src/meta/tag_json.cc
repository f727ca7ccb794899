#include "meta/tag_json.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "meta/json_layout_internal.h"
#include "meta/snapshot_json.h"
#include "meta/tag_time.h"

namespace braid {
namespace {

constexpr std::string_view kCreateTime = "tagCreateTime";
constexpr std::string_view kTimeRetained = "tagTimeRetained";

Error Malformed(std::string_view key, const Json& value) {
  return Error(ErrorCode::kCorruption, fmt::format("'{}' is {}, which is not in a known form", key, PrintJson(value)));
}

// [year, month, day, hour, minute, second, nanos], of which Jackson leaves out zeros at the end.
Result<std::string> ReadDateTimeArray(const Json& json) {
  std::array<std::int64_t, 7> parts{};
  const Json::Array& elements = json.as_array();
  if (elements.size() < 5 || elements.size() > parts.size()) return Malformed(kCreateTime, json);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].is_integer()) return Malformed(kCreateTime, json);
    parts[i] = elements[i].as_integer();
  }
  const auto [year, month, day, hour, minute, second, nanos] = parts;
  const std::optional<LocalDateTime> time = FromCalendarTime({year, month, day, hour, minute, second, nanos});
  if (!time) return Malformed(kCreateTime, json);
  return FormatLocalDateTime(*time);
}

Result<std::optional<std::string>> ReadCreateTime(const Json& json) {
  const Json* value = json.Find(kCreateTime);
  if (value == nullptr || value->is_null()) return std::optional<std::string>();
  if (value->is_array()) {
    BRAID_TRY_ASSIGN(std::string text, ReadDateTimeArray(*value));
    return std::optional(std::move(text));
  }
  if (!value->is_string() || !ParseLocalDateTime(value->as_string())) return Malformed(kCreateTime, *value);
  return std::optional(value->as_string());
}

Result<std::optional<std::string>> ReadTimeRetained(const Json& json) {
  const Json* value = json.Find(kTimeRetained);
  if (value == nullptr || value->is_null()) return std::optional<std::string>();
  if (value->is_number()) {
    // Options give retentions in milliseconds, which a double holds exactly enough.
    const double seconds = value->as_double();
    if (!(std::abs(seconds) < 9e12)) return Malformed(kTimeRetained, *value);
    const double whole = std::floor(seconds);
    const auto micros = static_cast<std::int64_t>(std::llround((seconds - whole) * 1e6));
    return std::optional(
        FormatIsoDuration(std::chrono::seconds(static_cast<std::int64_t>(whole)) + std::chrono::microseconds(micros)));
  }
  if (!value->is_string() || !ParseIsoDuration(value->as_string())) return Malformed(kTimeRetained, *value);
  return std::optional(value->as_string());
}

Json DateTimeArray(LocalDateTime time) {
  const CalendarTime parts = ToCalendarTime(time);
  Json::Array elements = {parts.year, parts.month, parts.day, parts.hour, parts.minute};
  if (parts.second != 0 || parts.nanos != 0) elements.emplace_back(parts.second);
  if (parts.nanos != 0) elements.emplace_back(parts.nanos);
  return elements;
}

}  // namespace

Result<Tag> ParseTag(std::string name, std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  Tag tag;
  tag.name = std::move(name);
  BRAID_TRY_ASSIGN(tag.snapshot, SnapshotFromJson(json));
  BRAID_TRY_ASSIGN(tag.create_time, ReadCreateTime(json));
  BRAID_TRY_ASSIGN(tag.time_retained, ReadTimeRetained(json));
  return tag;
}

Result<std::string> PrintTag(const Tag& tag) {
  std::string text = PrintSnapshot(tag.snapshot);
  text.resize(text.rfind("\n}"));
  // Written by hand, because a JSON value does not keep the nine digits that Java writes.
  if (tag.create_time) {
    BRAID_TRY_ASSIGN(const LocalDateTime time, ParseLocalDateTime(*tag.create_time));
    text += fmt::format(",\n  \"{}\" : {}", kCreateTime, PrintLikeJava(DateTimeArray(time)));
  }
  if (tag.time_retained) {
    BRAID_TRY_ASSIGN(const std::chrono::microseconds retained, ParseIsoDuration(*tag.time_retained));
    const std::int64_t micros = retained.count();
    text += fmt::format(",\n  \"{}\" : {}{}.{:06}000", kTimeRetained, micros < 0 ? "-" : "",
                        std::abs(micros / 1'000'000), std::abs(micros % 1'000'000));
  }
  return text + "\n}";
}

}  // namespace braid
