#pragma once

#include <cstdint>
#include <optional>

#include "types/datum.h"
#include "types/time_zone.h"

namespace braid {

/// A timestamp as ORC files have it (spec data.md §2.4).
struct OrcTimestamp {
  std::int64_t seconds = 0;  ///< since 2015-01-01T00:00:00; before 1970 rounded towards it where milliseconds follow
  std::int64_t nanos = 0;    ///< without trailing zeros; the lowest three bits say how many those are, less one
  friend bool operator==(const OrcTimestamp&, const OrcTimestamp&) = default;
};

/// The timestamp as Java writes it.
///
/// Readers undo the rounding where the result is before 1970. That leaves the last second before 1970 out: what has
/// milliseconds there is read a second later, by all readers, and no valid numbers would make them read it right.
OrcTimestamp EncodeOrcTimestamp(Timestamp value);

/// What every reader makes of it. nullopt if it is no timestamp: nanoseconds that are no part of a second, or years
/// beyond 200 million.
std::optional<Timestamp> DecodeOrcTimestamp(OrcTimestamp value);
/// Likewise of a stripe that was written in this zone: the seconds count from the zone's own start of 2015, and the
/// result is what a clock there shows.
std::optional<Timestamp> DecodeOrcTimestamp(OrcTimestamp value, const TimeZone& zone);

}  // namespace braid
