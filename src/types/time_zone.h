#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

/// A time zone's offsets from UTC, from the system's zone database or a fixed offset. Immutable; any thread.
class TimeZone {
 public:
  /// "UTC", "Z", "Asia/Shanghai", "+08:00", "GMT+8", "UTC-03:30", as java.time.ZoneId takes them. Known zones are kept
  /// for the life of the process. Errors: kInvalidArgument for an unknown zone.
  static Result<std::shared_ptr<const TimeZone>> Find(std::string_view name);

  /// Seconds to add to UTC at this time.
  std::int64_t OffsetAt(std::int64_t utc_seconds) const;
  /// Microseconds of local time.
  std::int64_t ToLocal(std::int64_t utc_micros) const;
  /// Microseconds of UTC. As java.time: a local time that a clock skipped is taken with the offset before the gap, one
  /// that it showed twice with the earlier offset.
  std::int64_t ToUtc(std::int64_t local_micros) const;

  /// When the offset changes; for the last rule's years the rule is repeated up to 2500.
  struct Transition {
    std::int64_t at;  // UTC seconds
    std::int64_t offset;
  };
  /// A zone of these transitions, ascending, with the offset before the first.
  TimeZone(std::int64_t first_offset, std::vector<Transition> transitions)
      : first_offset_(first_offset), transitions_(std::move(transitions)) {}

 private:
  std::int64_t first_offset_;
  std::vector<Transition> transitions_;
};

}  // namespace braid
