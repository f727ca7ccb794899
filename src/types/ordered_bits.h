#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace braid {

// Values as unsigned numbers of the same order, for keys that are compared as bytes.

/// `width`: bytes of the value's type, from 1 to 8; those above are zero.
inline std::uint64_t OrderedInteger(std::int64_t value, int width) {
  const std::uint64_t bits = static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << (8 * width - 1));
  return width == 8 ? bits : bits & ((std::uint64_t{1} << (8 * width)) - 1);
}

/// Java's total order: -0.0 before 0.0, every NaN alike and last.
inline std::uint64_t OrderedDouble(double value) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

/// The same of a FLOAT, in 4 bytes.
inline std::uint64_t OrderedFloat(float value) {
  constexpr std::uint32_t kSign = std::uint32_t{1} << 31;
  const auto bits = std::bit_cast<std::uint32_t>(std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace braid
