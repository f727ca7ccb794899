#pragma once

#include <cstdint>

#include "types/datum.h"

namespace braid {

// System tables show times of the process's time zone (TZ).

/// What clocks on the wall show at a time in milliseconds since 1970-01-01 UTC.
Timestamp ToLocalTime(std::int64_t epoch_ms);

/// When clocks on the wall show a time, in milliseconds since 1970-01-01 UTC; the earlier or later one of two as the C
/// library chooses.
std::int64_t FromLocalTime(const Timestamp& local);

}  // namespace braid
