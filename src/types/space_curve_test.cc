#include "types/space_curve.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    for (const int shift : {4, 0}) text += "0123456789abcdef"[(static_cast<unsigned char>(byte) >> shift) & 15];
  }
  return text;
}

std::string BigEndian(std::uint64_t value) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

// The place on the Hilbert curve, as a number without leading zeros.
std::string HilbertPlace(std::vector<std::uint64_t> point, int bits) {
  ToHilbertTranspose(point, bits);
  std::vector<std::string> coordinates;
  for (const std::uint64_t value : point) coordinates.push_back(BigEndian(value));
  std::string place;
  AppendZOrder(std::vector<std::string_view>(coordinates.begin(), coordinates.end()), place);
  const std::string hex = Hex(place);
  return hex.substr(std::min(hex.find_first_not_of('0'), hex.size() - 1));
}

TEST(SpaceCurveTest, TakesTheBitsOfCoordinatesByTurns) {
  const auto place = [](std::vector<std::string_view> coordinates) {
    std::string bytes;
    AppendZOrder(coordinates, bytes);
    return Hex(bytes);
  };
  EXPECT_EQ(place({"\xff", std::string_view("\0", 1)}), "aaaa");
  EXPECT_EQ(place({std::string_view("\0", 1), "\xff"}), "5555");
  EXPECT_EQ(place({"\xf0", "\x0f", "\xff"}), "b6d6db") << "101 101 101 101 011 011 011 011";
  // The longer one goes on alone.
  EXPECT_EQ(place({"\xff\x12\x34", std::string_view("\0", 1)}), "aaaa1234");
  EXPECT_EQ(place({"\xab"}), "ab");
}

// org.davidmoten.hilbert.HilbertCurve.bits(63).dimensions(n).index(…), which Java Paimon 1.4.2 uses.
TEST(SpaceCurveTest, FindsThePlacesOfJavasHilbertCurve) {
  struct Case {
    std::vector<std::uint64_t> point;
    std::string place;
  };
  const std::vector<Case> cases = {
      {{1, 2}, "d"},
      {{0x5d878bcc51bb9a0c, 0x5fe4ca2d013b859c}, "22ac3e8f308bf609b102e0202bdd41a0"},
      {{0x2c9569, 0x72d9fa}, "19f4b872c387"},
      {{1, 2, 3}, "30"},
      {{0x0f744774a0573fef, 0x6cc9f3df592976fe, 0x0aa6f180d7e56272}, "ee7830a5e9fc52841d1a3ad0ba3fc22731b12c38d448db9"},
      {{1, 2, 3, 4}, "1c0"},
      {{0x6eeed4, 0xd3c28, 0x3879d1, 0x42e451}, "e03102f654035bfe9f5fbca"},
      {{1, 2, 3, 4, 5, 6, 7, 8}, "3f7e7c20"},
      {{0x8c4d7, 0x513135, 0x688623, 0xd1924, 0x1ce7cd, 0x3db145, 0x61982b, 0x653ca5},
       "42c2ffeb8cd6658fc484bdb528149cd75701582e9cf961"},
  };
  for (const Case& c : cases) EXPECT_EQ(HilbertPlace(c.point, 63), c.place);
}

// What makes it a Hilbert curve: it visits every point, and goes from each to a neighbour.
TEST(SpaceCurveTest, TheHilbertCurveGoesFromNeighbourToNeighbour) {
  constexpr int kBits = 3;
  constexpr std::uint64_t kSide = 1U << kBits;
  std::map<std::string, std::array<std::uint64_t, 3>> by_place;
  for (std::uint64_t x = 0; x < kSide; ++x) {
    for (std::uint64_t y = 0; y < kSide; ++y) {
      for (std::uint64_t z = 0; z < kSide; ++z) {
        std::string place = HilbertPlace({x, y, z}, kBits);
        place.insert(0, 8 - place.size(), '0');
        by_place[place] = {x, y, z};
      }
    }
  }
  ASSERT_EQ(by_place.size(), kSide * kSide * kSide);
  for (auto at = by_place.begin(), next = std::next(at); next != by_place.end(); ++at, ++next) {
    std::uint64_t distance = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      distance += std::max(at->second[i], next->second[i]) - std::min(at->second[i], next->second[i]);
    }
    EXPECT_EQ(distance, 1U) << at->first << " " << next->first;
  }
}

}  // namespace
}  // namespace braid
