#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace braid {

// Curves through a space of several dimensions. Points that are near on a curve are near in space, so rows sorted by
// their places on it are near to each other in every column at once (spec data.md §8.4).

/// Appends the place of a point on the Z curve: the bits of its coordinates by turns, the highest of each first; a
/// coordinate that has ended is passed over. Places compare as unsigned bytes if each coordinate always has the same
/// length, big-endian.
void AppendZOrder(std::span<const std::string_view> coordinates, std::string& place);

/// Turns the coordinates of a point, of `bits` bits each (1 to 64), into those whose Z order is its place on the
/// Hilbert curve (J. Skilling, "Programming the Hilbert curve", 2004, as Java Paimon's library has it).
void ToHilbertTranspose(std::span<std::uint64_t> point, int bits);

}  // namespace braid
