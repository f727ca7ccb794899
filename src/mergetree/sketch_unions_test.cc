#include "mergetree/sketch_unions_internal.h"

#include <limits>

#include <gmock/gmock.h>

#include "base/allocation_limit_testing.h"
#include "base/little_endian.h"
#include "base/result_matchers.h"
#include "format/java_unions_testing.h"

namespace braid {
namespace {

TEST(SketchUnionsTest, UnitesThetaSketchesAsJava) { ExpectUnionsOfJava("theta_sketch", UnionThetaSketches); }

TEST(SketchUnionsTest, UnitesHllSketchesAsJava) { ExpectUnionsOfJava("hll_sketch", UnionHllSketches); }

TEST(SketchUnionsTest, FindsDamagedSketches) {
  const AllocationLimit limit(std::size_t{64} << 20);  // for inputs of a few kilobytes
  ExpectDamageFound("theta_sketch", UnionThetaSketches);
  ExpectDamageFound("hll_sketch", UnionHllSketches);
}

/// A compact sketch of the hashes `step`, 2 * `step` … below `theta`.
std::string ThetaSketchOf(std::uint32_t count, std::uint64_t step, std::uint64_t theta) {
  std::string bytes = FromTestHex("03030300001acc93");
  AppendLittleEndian(count, bytes);
  AppendLittleEndian(1.0F, bytes);
  AppendLittleEndian(theta, bytes);
  for (std::uint32_t i = 1; i <= count; ++i) AppendLittleEndian(i * step, bytes);
  return bytes;
}

TEST(SketchUnionsTest, KeepsTheLeast4096HashesOfThetaSketches) {
  constexpr std::uint64_t kWhole = std::numeric_limits<std::int64_t>::max();
  const auto head = [](std::string_view sketch) { return ToHex(sketch.substr(0, 24)); };
  // 3000 even and 3000 odd multiples of 1000: the 4096th is 4096000.
  std::string odd = FromTestHex("02030300001acc93");
  AppendLittleEndian(std::uint32_t{3000}, odd);
  AppendLittleEndian(1.0F, odd);
  for (std::uint64_t i = 0; i < 3000; ++i) AppendLittleEndian(2000 * i + 1000, odd);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string both, UnionThetaSketches(ThetaSketchOf(3000, 2000, kWhole), odd));
  EXPECT_EQ(both, ThetaSketchOf(4096, 1000, 4097000)) << head(both);
  // As many as there may be: nothing is left out.
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string full,
                             UnionThetaSketches(ThetaSketchOf(4096, 1000, 5000000), ThetaSketchOf(7, 1000, kWhole)));
  EXPECT_EQ(full, ThetaSketchOf(4096, 1000, 5000000)) << head(full);
}

TEST(SketchUnionsTest, DropsHashesAboveTheThetaOfALaterThetaSketch) {
  EXPECT_THAT(UnionThetaSketches(ThetaSketchOf(9, 1000, 10000), ThetaSketchOf(3, 1000, 5000)),
              HasValue(ThetaSketchOf(4, 1000, 5000)));
  EXPECT_THAT(UnionThetaSketches(ThetaSketchOf(3, 1000, 5000), ThetaSketchOf(9, 1000, 10000)),
              HasValue(ThetaSketchOf(4, 1000, 5000)));
}

TEST(SketchUnionsTest, LeavesOutWhatATableNoLongerHolds) {
  // A table of two, of which 9000 is above theta, 5000.
  const std::string table =
      "030301000100cc93" "010000000000803f" "8813000000000000" "2823000000000000" "e803000000000000";
  EXPECT_THAT(UnionThetaSketches(FromTestHex(table), FromTestHex("01030300001e0000")),
              HasValue(ThetaSketchOf(1, 1000, 5000)));
}

TEST(SketchUnionsTest, KeepsASingleHashOfAThetaSketch) {
  const std::string single = FromTestHex("01030300003acc93" "e803000000000000");
  const std::string empty = FromTestHex("01030300001e0000");
  EXPECT_THAT(UnionThetaSketches(single, empty), HasValue(single));
  EXPECT_THAT(UnionThetaSketches(single, single), HasValue(single));
  EXPECT_THAT(UnionThetaSketches(empty, empty), HasValue(empty));
}

TEST(SketchUnionsTest, ReadsThetaSketchesOfOldVersions) {
  const std::string hashes = "e803000000000000" "d007000000000000";
  const std::string expected = "02030300001acc93" "020000000000803f" + hashes;
  const std::string empty = FromTestHex("01030300001e0000");
  struct Case {
    std::string sketch;
    std::string both;
  };
  for (const Case& c : std::vector<Case>{
           {"0301030000000000" "0200000000000000" "ffffffffffffff7f" + hashes, expected},
           {"0301030000000000" "0000000000000000" "0010000000000000", "01030300001e0000"},
           {"020203000000cc93" "0200000000000000" + hashes, expected},
           {"010203000000cc93", "01030300001e0000"},
       }) {
    EXPECT_THAT(UnionThetaSketches(FromTestHex(c.sketch), empty), HasValue(FromTestHex(c.both))) << c.sketch;
  }
}

TEST(SketchUnionsTest, RefusesThetaSketchesThatLieAboutThemselves) {
  const std::string good = "02030300001acc93" "020000000000803f" "e803000000000000" "d007000000000000";
  const std::string single = "01030300003acc93" "e803000000000000";
  const std::string compressed = "01040310011acc93" "02" "03e8" "03e8";
  ASSERT_THAT(UnionThetaSketches(FromTestHex(good), FromTestHex(single)), HasValue(FromTestHex(good)));
  ASSERT_THAT(UnionThetaSketches(FromTestHex(single), FromTestHex(compressed)), HasValue(FromTestHex(good)));
  struct Case {
    std::string name;
    std::string hex;
  };
  for (const Case& c : std::vector<Case>{
           {"nothing", ""},
           {"an unknown version", "02050300001acc93" "020000000000803f" "e803000000000000" "d007000000000000"},
           {"another family", "02030700001acc93" "020000000000803f" "e803000000000000" "d007000000000000"},
           {"another seed", "02030300001acd93" "020000000000803f" "e803000000000000" "d007000000000000"},
           {"no preamble", "00030300001acc93" "020000000000803f" "e803000000000000" "d007000000000000"},
           {"fewer hashes than it says", good.substr(0, good.size() - 16)},
           {"more hashes than memory", "02030300001acc93" "ffffffff0000803f" "e803000000000000" "d007000000000000"},
           {"hashes out of order", "02030300001acc93" "020000000000803f" "d007000000000000" "e803000000000000"},
           {"a hash of 0", "02030300001acc93" "020000000000803f" "0000000000000000" "d007000000000000"},
           {"a negative hash", "02030300001acc93" "020000000000803f" "e803000000000000" "d0070000000000f0"},
           {"a hash at theta", "03030300001acc93" "010000000000803f" "e803000000000000" "e803000000000000"},
           {"a theta of 0", "03030300001acc93" "000000000000803f" "0000000000000000"},
           {"a negative theta", "03030300001acc93" "000000000000803f" "e8030000000000f0"},
           {"a single hash of 0", "01030300003acc93" "0000000000000000"},
           {"a single hash that is not there", "01030300003acc93"},
           {"a table longer than there are bytes",
            "030302053f00cc93" "010000000000803f" "ffffffffffffff7f" "e803000000000000"},
           {"a table of 2 to the power of 64",
            "030302004000cc93" "010000000000803f" "ffffffffffffff7f" "e803000000000000"},
           {"entries of no bits", "01040300011acc93" "00"},
           {"entries of 64 bits", "01040340011acc93" "01" "00000000000003e8"},
           {"a number of entries of 5 bytes", "01040310051acc93" "0100000000" "03e8"},
           {"compressed entries that are not there", "0104033f021acc93" "ffff"},
       }) {
    EXPECT_THAT(UnionThetaSketches(FromTestHex(c.hex), FromTestHex(good)), IsError(ErrorCode::kCorruption)) << c.name;
    EXPECT_THAT(UnionThetaSketches(FromTestHex(good), FromTestHex(c.hex)), IsError(ErrorCode::kCorruption)) << c.name;
  }
}

TEST(SketchUnionsTest, RefusesHllSketchesThatLieAboutThemselves) {
  // Registers of 4 bits of 16 slots, the first of which holds 20.
  const std::string sums = "0000000000000000" "0000000000000000" "0000000000000000";
  const std::string registers = "0f00000000000000";
  const std::string good = "0a0107040208" "0002" + sums + "0f000000" "01000000" + registers + "00000050";
  const std::string list = "0201070c03080100" "7b65e608";
  ASSERT_THAT(UnionHllSketches(FromTestHex(list), FromTestHex(good)), IsOk());
  struct Case {
    std::string name;
    std::string hex;
  };
  for (const Case& c : std::vector<Case>{
           {"nothing", ""},
           {"another version", "0202070c03080100" "7b65e608"},
           {"another family", "0201080c03080100" "7b65e608"},
           {"too few registers", "0201070303080100" "7b65e608"},
           {"too many registers", "0201071603080100" "7b65e608"},
           {"an unknown mode", "0201070c03080103" "7b65e608"},
           {"an unknown packing", "0201070c0308010c" "7b65e608"},
           {"another preamble", "0301070c03080100" "7b65e608"},
           {"a longer list than there may be", "0201070c03080800" "7b65e608" "7b65e608" "7b65e608" "7b65e608" "7b65e608"
                                               "7b65e608" "7b65e608" "7b65e608"},
           {"a coupon without a value", "0201070c03080100" "7b65e600"},
           {"a coupon that is not there", "0201070c03080200" "7b65e608"},
           {"a set of few registers", "0301070705080001" "01000000" "7b65e608"},
           {"a set of more coupons than it can have", "0301070805080001" "ffff0000" "7b65e608"},
           {"a set of fewer coupons than it says", "0301070c05080001" "02000000" "7b65e608"},
           {"a table longer than it can be", "0301070c1f000001" "01000000" "7b65e608"},
           {"a table of other coupons than it says",
            "0301070805000001" "02000000" "7b65e608" + std::string(8 * 31, '0')},
           {"fewer registers than it says", "0a0107040208" "0002" + sums + "10000000" "00000000" "00000000"},
           {"another number of zeros", "0a0107040208" "0002" + sums + "0e000000" "01000000" + registers + "00000050"},
           {"an exception that is none",
            "0a0107040208" "0002" + sums + "0f000000" "01000000" + registers + "01000050"},
           {"an exception that would fit",
            "0a0107040208" "0002" + sums + "0f000000" "01000000" + registers + "00000038"},
           {"an exception twice",
            "0a0107040208" "0002" + sums + "0f000000" "02000000" + registers + "00000050" "00000050"},
           {"an exception that is missing", "0a0107040208" "0002" + sums + "0f000000" "00000000" + registers},
           {"a table of exceptions that cannot be", "0a0107041f00" "0002" + sums + "0f000000" "01000000" + registers},
           {"a register above 63", "0a0107040008" "000a" + sums + "0f000000" "00000000" "40" + std::string(30, '0')},
           {"least value above 63", "0a0107040008" "4002" + sums + "10000000" "00000000" "0000000000000000"},
       }) {
    EXPECT_THAT(UnionHllSketches(FromTestHex(c.hex), FromTestHex(good)), IsError(ErrorCode::kCorruption)) << c.name;
    EXPECT_THAT(UnionHllSketches(FromTestHex(good), FromTestHex(c.hex)), IsError(ErrorCode::kCorruption)) << c.name;
  }
}

}  // namespace
}  // namespace braid
