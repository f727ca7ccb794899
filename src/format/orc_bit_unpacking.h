#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace braid {

static_assert(std::endian::native == std::endian::little);

inline std::uint64_t LoadBigEndian(const char* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return __builtin_bswap64(value);
}

/// How many bytes bit fields take, of which the last one is filled up.
constexpr std::size_t OrcPackedBytes(unsigned width, std::size_t count) {
  return (count * width + 7) / 8;
}

/// Unpacks bit fields that follow each other from the highest bit to the lowest, as runs of integers have them.
/// Preconditions: 1 ≤ width ≤ 56 or width = 64; eight bytes behind the packed ones can be read.
inline void UnpackOrcBits(const char* packed, unsigned width, std::size_t count, std::uint64_t* out) {
  if (width == 64) {
    for (std::size_t i = 0; i < count; ++i) out[i] = LoadBigEndian(packed + 8 * i);
    return;
  }
  const unsigned unused = 64 - width;
  for (std::size_t i = 0, bit = 0; i < count; ++i, bit += width) {
    // A field begins within the first byte, so seven bits are lost at most.
    out[i] = (LoadBigEndian(packed + bit / 8) << (bit % 8)) >> unused;
  }
}

}  // namespace braid
