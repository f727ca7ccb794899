#include "format/parquet_runs.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace braid {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

// Numbers 0 to 7 of three bits, the example of Parquet's format: 10001000 11000110 11111010.
const std::string kPackedZeroToSeven = {'\x03', '\x88', '\xC6', '\xFA'};

std::vector<std::uint32_t> Read(ParquetRunReader& reader, std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  EXPECT_TRUE(reader.Read(numbers));
  return numbers;
}

TEST(ParquetRunsTest, PackedNumbers) {
  ParquetRunReader reader(kPackedZeroToSeven, 3);
  EXPECT_THAT(Read(reader, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(Read(reader, 5), ElementsAre(3, 4, 5, 6, 7));
  std::vector<std::uint32_t> more(1);
  EXPECT_FALSE(reader.Read(more));
}

TEST(ParquetRunsTest, RunsOfEqualNumbers) {
  // 5 times 300, then 3 times 1, each in two bytes.
  const std::string bytes = {'\x0A', '\x2C', '\x01', '\x06', '\x01', '\x00'};
  ParquetRunReader reader(bytes, 9);
  EXPECT_THAT(Read(reader, 8), ElementsAre(300, 300, 300, 300, 300, 1, 1, 1));
}

TEST(ParquetRunsTest, LongRunHasAHeaderOfSeveralBytes) {
  // 200 times 1: 400 = 0x90 0x03.
  const std::string bytes = {'\x90', '\x03', '\x01'};
  ParquetRunReader reader(bytes, 1);
  EXPECT_TRUE(reader.Skip(199));
  EXPECT_THAT(Read(reader, 1), ElementsAre(1));
  EXPECT_FALSE(reader.Skip(1));
}

TEST(ParquetRunsTest, SkipsWithinAndOverRuns) {
  const std::string bytes = kPackedZeroToSeven + std::string{'\x04', '\x06'} + kPackedZeroToSeven;
  ParquetRunReader reader(bytes, 3);
  EXPECT_TRUE(reader.Skip(6));
  EXPECT_THAT(Read(reader, 3), ElementsAre(6, 7, 6));
  EXPECT_TRUE(reader.Skip(3));
  EXPECT_THAT(Read(reader, 1), ElementsAre(2));
}

TEST(ParquetRunsTest, NumbersWithoutBits) {
  // A dictionary of one value: a run of equal places, and packed ones, neither with bytes.
  const std::string bytes = {'\x06', '\x03'};
  ParquetRunReader reader(bytes, 0);
  EXPECT_THAT(Read(reader, 11), ElementsAreArray(std::vector<std::uint32_t>(11, 0)));
}

TEST(ParquetRunsTest, WidestNumbers) {
  const std::string bytes = std::string{'\x03'} + "\x01\x02\x03\x04\xFF\xFF\xFF\xFF" + std::string(24, '\0');
  ParquetRunReader reader(bytes, 32);
  EXPECT_THAT(Read(reader, 3), ElementsAre(0x04030201, 0xFFFFFFFF, 0));
}

TEST(ParquetRunsTest, LastGroupMayBeCut) {
  // Two numbers of eight bits, where a group has eight.
  const std::string bytes = {'\x03', '\x07', '\x09'};
  ParquetRunReader reader(bytes, 8);
  EXPECT_THAT(Read(reader, 2), ElementsAre(7, 9));
  std::vector<std::uint32_t> more(1);
  EXPECT_FALSE(reader.Read(more));
}

TEST(ParquetRunsTest, DamagedHeaders) {
  std::vector<std::uint32_t> one(1);
  for (const std::string& bytes : {std::string(), std::string{'\xFF'}, std::string(6, '\xFF'), std::string{'\x02'},
                                   std::string{'\x00', '\x00'}}) {
    EXPECT_FALSE(ParquetRunReader(bytes, 4).Read(one)) << bytes.size();
    EXPECT_FALSE(ParquetRunReader(bytes, 4).Skip(1)) << bytes.size();
  }
}

TEST(ParquetRunsTest, BitsIntoABitmapAtAnyPlace) {
  // Eight packed bits 10110001 (lowest first: 1 0 0 0 1 1 0 1), then four ones.
  const std::string bytes = {'\x03', '\xB1', '\x08', '\x01'};
  ParquetRunReader reader(bytes, 1);
  std::vector<std::uint8_t> bitmap(3, 0);
  EXPECT_TRUE(reader.ReadBits(bitmap.data(), 5, 12));
  // Bits 5 to 12 are the packed ones, 13 to 16 ones: byte 0 = 001 at its top, byte 1 = 1 0001 ... counted by hand.
  EXPECT_THAT(bitmap, ElementsAre(0x20, 0xF6, 0x01));
  EXPECT_FALSE(reader.ReadBits(bitmap.data(), 0, 1));
}

}  // namespace
}  // namespace braid
