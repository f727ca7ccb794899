#include "types/space_curve.h"

#include <algorithm>
#include <cstddef>

namespace braid {

void AppendZOrder(std::span<const std::string_view> coordinates, std::string& place) {
  std::size_t longest = 0;
  for (const std::string_view coordinate : coordinates) longest = std::max(longest, coordinate.size());
  unsigned int byte = 0;
  int bit_count = 0;
  for (std::size_t at = 0; at < longest; ++at) {
    for (unsigned int bit = 8; bit-- > 0;) {
      for (const std::string_view coordinate : coordinates) {
        if (at >= coordinate.size()) continue;
        byte = (byte << 1) | ((static_cast<unsigned char>(coordinate[at]) >> bit) & 1U);
        if (++bit_count < 8) continue;
        place.push_back(static_cast<char>(byte));
        byte = 0;
        bit_count = 0;
      }
    }
  }
}

void ToHilbertTranspose(std::span<std::uint64_t> point, int bits) {
  // From the largest cube down: undoes the reflection and the exchange of axes of the cube that the point lies in.
  for (std::uint64_t bit = std::uint64_t{1} << (bits - 1); bit > 1; bit >>= 1) {
    const std::uint64_t lower = bit - 1;
    for (std::uint64_t& coordinate : point) {
      if ((coordinate & bit) != 0) {
        point.front() ^= lower;
      } else {
        const std::uint64_t exchanged = (point.front() ^ coordinate) & lower;
        point.front() ^= exchanged;
        coordinate ^= exchanged;
      }
    }
  }
  // What is left is a Gray code of the place.
  for (std::size_t i = 1; i < point.size(); ++i) point[i] ^= point[i - 1];
  std::uint64_t flipped = 0;
  for (std::uint64_t bit = std::uint64_t{1} << (bits - 1); bit > 1; bit >>= 1) {
    if ((point.back() & bit) != 0) flipped ^= bit - 1;
  }
  for (std::uint64_t& coordinate : point) coordinate ^= flipped;
}

}  // namespace braid
