#pragma once

#include <array>

namespace braid {

// Bit widths of packed integers (ORC specification v1, "Integer Run Length Encoding, version 2").

/// The width that a five-bit code stands for.
constexpr unsigned OrcWidthOfCode(unsigned code) {
  constexpr std::array<unsigned, 8> kWide = {26, 28, 30, 32, 40, 48, 56, 64};
  return code < 24 ? code + 1 : kWide[code - 24];
}

/// The code of the narrowest width that has one and holds so many bits, 64 at most.
constexpr unsigned OrcCodeOfWidth(unsigned width) {
  if (width <= 24) return width == 0 ? 0 : width - 1;
  unsigned code = 24;
  while (OrcWidthOfCode(code) < width) ++code;
  return code;
}

constexpr unsigned OrcClosestWidth(unsigned width) {
  return width > 64 ? 64 : OrcWidthOfCode(OrcCodeOfWidth(width));
}

}  // namespace braid
