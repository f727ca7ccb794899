#include <algorithm>

#include <gmock/gmock.h>

#include "base/little_endian.h"
#include "base/result_matchers.h"
#include "format/java_unions_testing.h"
#include "format/roaring_union.h"

namespace braid {
namespace {

// {5}: tag, keys, a leaf, one array of one container, and counts; the parts as they follow one another.
const std::string kTag = "01";
const std::string kKeyCount = "0100000000000000";
const std::string kLeafHead = "04000000";
const std::string kKey = "000000000000";
const std::string kContainerNumber = "0000000000000000";
const std::string kArray = "01000000fe01000000";
const std::string kFive = "0102010000000500";
const std::string kContainerCount = "0100000000000000";
const std::string kLast = "0000000000000000";

std::string Hex(std::initializer_list<std::string> parts) {
  std::string hex;
  for (const std::string& part : parts) hex += part;
  return FromTestHex(hex);
}

std::string OfContainer(const std::string& container) {
  return Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, kArray, container, kContainerCount, kLast});
}

TEST(Roaring64UnionTest, UnitesAsJava) { ExpectUnionsOfJava("rbm64", UnionRoaring64Bitmaps); }

TEST(Roaring64UnionTest, KeepsWhatIsUnitedWithNothing) {
  const std::string empty = FromTestHex("00");
  const std::string five = OfContainer(kFive);
  EXPECT_THAT(UnionRoaring64Bitmaps(empty, empty), HasValue(empty));
  EXPECT_THAT(UnionRoaring64Bitmaps(five, empty), HasValue(five));
  EXPECT_THAT(UnionRoaring64Bitmaps(empty, five), HasValue(five));
  EXPECT_THAT(UnionRoaring64Bitmaps(five, five), HasValue(five));
}

/// Keys with 17 different last bytes below one node, and the container {5} for each: the places of the children, 0xFF
/// for none.
std::string OfWideNode(std::uint16_t count, std::string places) {
  for (auto group = places.begin(); group != places.end(); group += 8) std::reverse(group, group + 8);
  std::string bytes = Hex({kTag, "1100000000000000", "02"});
  AppendLittleEndian(count, bytes);
  bytes += Hex({"05", "0000000000"}) + places;
  for (int i = 0; i < 17; ++i) {
    bytes += Hex({kLeafHead, "0000000000"}) + static_cast<char>(i) + static_cast<char>(i) + std::string(7, '\0');
  }
  bytes += Hex({"01000000fe11000000"});
  for (int i = 0; i < 17; ++i) bytes += Hex({kFive});
  return bytes + Hex({"1100000000000000", "00000000", "10000000"});
}

TEST(Roaring64UnionTest, RefusesPlacesThatCannotBe) {
  std::string places(256, '\xFF');
  for (int i = 0; i < 17; ++i) places[static_cast<std::size_t>(i)] = static_cast<char>(i + 20);
  const std::string good = OfWideNode(17, places);
  EXPECT_THAT(UnionRoaring64Bitmaps(good, good), HasValue(good));
  EXPECT_THAT(UnionRoaring64Bitmaps(good, OfWideNode(18, places)), IsError(ErrorCode::kCorruption));
  std::string twice = places;
  twice[3] = twice[4];
  EXPECT_THAT(UnionRoaring64Bitmaps(good, OfWideNode(17, twice)), IsError(ErrorCode::kCorruption));
  std::string beyond = places;
  beyond[3] = 48;
  EXPECT_THAT(UnionRoaring64Bitmaps(good, OfWideNode(17, beyond)), IsError(ErrorCode::kCorruption));
}

TEST(Roaring64UnionTest, RefusesBitmapsThatLieAboutThemselves) {
  struct Case {
    std::string name;
    std::string bytes;
  };
  const std::string bits(2 * 8191, '0');
  std::string too_many = "010201100000";
  for (int number = 0; number <= 4096; ++number) {
    for (const int byte : {number & 255, number >> 8}) too_many += ToHex(std::string(1, static_cast<char>(byte)));
  }
  const std::vector<Case> cases = {
      {"nothing", ""},
      {"an unknown tag", FromTestHex("02")},
      {"more keys than it says",
       Hex({kTag, "0000000000000000", kLeafHead, kKey, kContainerNumber, kArray, kFive, kContainerCount, kLast})},
      {"an unknown node",
       Hex({kTag, kKeyCount, "05000000", kKey, kContainerNumber, kArray, kFive, kContainerCount, kLast})},
      {"a leaf with children",
       Hex({kTag, kKeyCount, "04010000", kKey, kContainerNumber, kArray, kFive, kContainerCount, kLast})},
      {"a node without children",
       Hex({kTag, kKeyCount, "00000000", "00000000", kArray, kFive, kContainerCount, kLast})},
      {"a prefix as long as a key",
       Hex({kTag, kKeyCount, "00010006", kKey, "00000000", kLeafHead, kKey, kContainerNumber, kArray, kFive,
            kContainerCount, kLast})},
      {"a leaf where another key belongs",
       Hex({kTag, kKeyCount, "00010000", "00000001", kLeafHead, kKey, kContainerNumber, kArray, kFive,
            kContainerCount, kLast})},
      {"children out of order",
       Hex({kTag, "0200000000000000", "00020005", "0000000000", "00000001", kLeafHead, "000000000001",
            kContainerNumber, kLeafHead, kKey, "0100000000000000", "01000000fe02000000", kFive, kFive,
            "0200000000000000", "0000000001000000"})},
      {"two keys of one container",
       Hex({kTag, "0200000000000000", "00020005", "0000000000", "00000100", kLeafHead, kKey, kContainerNumber,
            kLeafHead, "000000000001", kContainerNumber, "01000000fe02000000", kFive, kFive,
            "0200000000000000", "0000000001000000"})},
      {"a key without a container",
       Hex({kTag, kKeyCount, kLeafHead, kKey, "0100000000000000", kArray, kFive, kContainerCount, kLast})},
      {"a node that leads to no key", Hex({kTag, "0000000000000000", "00000000", "00000000", kArray, "00",
                                           "0000000000000000", kLast})},
      {"an array in part",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, "01000000ff01000000", kFive, kContainerCount, kLast})},
      {"a second array that is the last",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, kArray, kFive, kContainerCount, "0100000000000000"})},
      {"a container without a key",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, "01000000fe02000000", kFive, kFive, "0200000000000000",
            "0000000001000000"})},
      {"two arrays",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, "02000000fe01000000", kFive, kContainerCount, kLast})},
      {"an array longer than there are bytes",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, "01000000fe00000080", kFive, kContainerCount, kLast})},
      {"other containers than it says",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, kArray, kFive, "0200000000000000", kLast})},
      {"a last container behind the array",
       Hex({kTag, kKeyCount, kLeafHead, kKey, kContainerNumber, kArray, kFive, kContainerCount, "0000000001000000"})},
      {"a last container before another one",
       Hex({kTag, kKeyCount, kLeafHead, kKey, "0100000000000000", "01000000fe02000000", "00", kFive, kContainerCount,
            kLast})},
      {"an unknown form", OfContainer("0103010000000500")},
      {"numbers out of order", OfContainer("01020200000005000500")},
      {"more numbers than an array holds", OfContainer(too_many)},
      {"a bitset of other numbers than it says", OfContainer("010102000000" + bits + "01")},
      {"runs that overlap", OfContainer("0100060000000200" "01000200" "03000100")},
      {"a run beyond its container", OfContainer("0100060000000100" "ffff0100")},
      {"one byte too few", OfContainer(kFive).substr(0, OfContainer(kFive).size() - 1)},
  };
  ASSERT_THAT(UnionRoaring64Bitmaps(OfContainer("010101000000" + bits + "01"), OfContainer(kFive)), IsOk());
  ASSERT_THAT(UnionRoaring64Bitmaps(OfContainer("0100060000000200" "01000200" "04000100"), OfContainer(kFive)), IsOk());
  for (const Case& c : cases) {
    EXPECT_THAT(UnionRoaring64Bitmaps(c.bytes, OfContainer(kFive)), IsError(ErrorCode::kCorruption)) << c.name;
    EXPECT_THAT(UnionRoaring64Bitmaps(OfContainer(kFive), c.bytes), IsError(ErrorCode::kCorruption)) << c.name;
  }
}

}  // namespace
}  // namespace braid
