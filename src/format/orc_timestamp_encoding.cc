#include "format/orc_timestamp_encoding.h"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace braid {
namespace {

/// 2015-01-01T00:00:00.
constexpr std::int64_t kOrcEpochSeconds = 1'420'070'400;
constexpr std::int64_t kNanosPerMilli = 1'000'000;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kMaxTrailingZeros = 8;

std::int64_t WithoutTrailingZeros(std::int64_t nanos) {
  if (nanos == 0 || nanos % 100 != 0) return nanos << 3;
  std::int64_t zeros = 2;
  for (nanos /= 100; nanos % 10 == 0 && zeros < kMaxTrailingZeros; nanos /= 10) ++zeros;
  return (nanos << 3) | (zeros - 1);
}

/// nullopt if it is no part of a second.
std::optional<std::int64_t> WithTrailingZeros(std::int64_t encoded) {
  std::int64_t nanos = encoded >> 3;
  if (nanos < 0 || nanos >= kNanosPerSecond) return std::nullopt;
  constexpr std::array<std::int64_t, 8> kFactors = {1, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  nanos *= kFactors[static_cast<std::size_t>(encoded & 7)];
  if (nanos >= kNanosPerSecond) return std::nullopt;
  return nanos;
}

}  // namespace

OrcTimestamp EncodeOrcTimestamp(Timestamp value) {
  std::int64_t seconds = value.millis / 1000;
  std::int64_t milli = value.millis % 1000;
  if (milli < 0) {
    --seconds;
    milli += 1000;
  }
  if (seconds < 0 && milli > 0) ++seconds;
  const std::int64_t nanos = milli * kNanosPerMilli + value.nanos_of_milli;
  return {.seconds = seconds - kOrcEpochSeconds, .nanos = WithoutTrailingZeros(nanos)};
}

std::optional<Timestamp> DecodeOrcTimestamp(OrcTimestamp value) {
  const std::optional<std::int64_t> nanos = WithTrailingZeros(value.nanos);
  if (!nanos || std::abs(value.seconds / 2) > (std::int64_t{1} << 52)) return std::nullopt;
  std::int64_t millis = (value.seconds + kOrcEpochSeconds) * 1000 + *nanos / kNanosPerMilli;
  if (millis < 0 && *nanos >= kNanosPerMilli) millis -= 1000;
  return Timestamp{millis, static_cast<std::int32_t>(*nanos % kNanosPerMilli)};
}

std::optional<Timestamp> DecodeOrcTimestamp(OrcTimestamp value, const TimeZone& zone) {
  constexpr std::int64_t kMicros = 1'000'000;
  const std::int64_t zone_epoch = zone.ToUtc(kOrcEpochSeconds * kMicros) / kMicros;
  if (__builtin_add_overflow(value.seconds, zone_epoch - kOrcEpochSeconds, &value.seconds)) return std::nullopt;
  std::optional<Timestamp> instant = DecodeOrcTimestamp(value);
  if (instant) {
    const std::int64_t seconds = instant->millis / 1000 - (instant->millis % 1000 < 0 ? 1 : 0);
    instant->millis += zone.OffsetAt(seconds) * 1000;
  }
  return instant;
}

}  // namespace braid
