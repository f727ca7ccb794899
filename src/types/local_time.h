#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "types/datum.h"

namespace braid {

// Times of the process's time zone (TZ), which system tables, tags and file metadata hold.

/// What clocks on the wall show at a time in milliseconds since 1970-01-01 UTC.
Timestamp ToLocalTime(std::int64_t epoch_ms);

/// When clocks on the wall show a time, in milliseconds since 1970-01-01 UTC; the earlier or later one of two as the C
/// library chooses.
std::int64_t FromLocalTime(const Timestamp& local);

/// "2024-05-14 10:15:30": what clocks on the wall show, without the part of the second; for people. ParseLocalTime reads
/// it.
std::string LocalTimeText(std::int64_t epoch_ms);

/// Reads "2024-05-14 10:15:30[.123]" or "2024-05-14" as clocks on the wall show it, into milliseconds since 1970-01-01
/// UTC. Errors: kInvalidArgument quoting the text.
Result<std::int64_t> ParseLocalTime(std::string_view text);

}  // namespace braid
