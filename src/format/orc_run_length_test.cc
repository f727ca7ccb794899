#include "format/orc_run_length.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/orc_streams_testing.h"

namespace braid {
namespace {

const OrcCompressor& NoCompression() {
  static const OrcCompressor compressor = [] {
    auto made = OrcCompressor::Make("none", 1, 64);
    return std::move(*made);
  }();
  return compressor;
}

std::string EncodeIntegers(const std::vector<std::int64_t>& values, bool is_signed) {
  OrcIntegerWriter writer(NoCompression(), is_signed);
  for (const std::int64_t value : values) writer.Write(value);
  return Joined(writer.Finish());
}

std::string EncodeBytes(const std::vector<std::uint8_t>& values) {
  OrcByteRunWriter writer(NoCompression());
  for (const std::uint8_t value : values) writer.Write(value);
  return Joined(writer.Finish());
}

// The examples of the ORC specification v1, "Run Length Encoding".
TEST(OrcRunLengthTest, EncodesTheExamplesOfTheSpecification) {
  EXPECT_EQ(EncodeBytes(std::vector<std::uint8_t>(100, 0)), OrcBytes({0x61, 0x00}));
  EXPECT_EQ(EncodeBytes({0x44, 0x45}), OrcBytes({0xfe, 0x44, 0x45}));

  OrcBooleanWriter booleans(NoCompression());
  booleans.Write(true);
  booleans.Write(false, 7);
  EXPECT_EQ(Joined(booleans.Finish()), OrcBytes({0xff, 0x80}));

  EXPECT_EQ(EncodeIntegers({10000, 10000, 10000, 10000, 10000}, false), OrcBytes({0x0a, 0x27, 0x10}));
  EXPECT_EQ(EncodeIntegers({23713, 43806, 57005, 48879}, false),
            OrcBytes({0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}));
  EXPECT_EQ(EncodeIntegers({2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090,
                            2100, 2110, 2120, 2130,    2140, 2150, 2160, 2170, 2180, 2190},
                           false),
            OrcBytes({0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
                      0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8}));
  EXPECT_EQ(EncodeIntegers({2, 3, 5, 7, 11, 13, 17, 19, 23, 29}, false),
            OrcBytes({0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}));
}

TEST(OrcRunLengthTest, EncodesRunsOfEqualValues) {
  // Three to ten in one header of a byte, more as a sequence that rises by nothing: 11 is 10 and 1.
  EXPECT_EQ(EncodeIntegers({-1, -1, -1}, true), OrcBytes({0x00, 0x01}));
  EXPECT_EQ(EncodeIntegers(std::vector<std::int64_t>(10, 7), false), OrcBytes({0x07, 0x07}));
  EXPECT_EQ(EncodeIntegers(std::vector<std::int64_t>(11, 7), false), OrcBytes({0xc0, 0x0a, 0x07, 0x00}));
  EXPECT_EQ(EncodeIntegers(std::vector<std::int64_t>(512, 7), false), OrcBytes({0xc1, 0xff, 0x07, 0x00}));
  // Two are no run. One bit, two values: 0x40 0x01, and 1, 1 as 11000000.
  EXPECT_EQ(EncodeIntegers({1, 1}, false), OrcBytes({0x40, 0x01, 0xc0}));
  // What comes before a run is a run of its own: 5 takes three bits, of which there are no fast ones but four.
  EXPECT_EQ(EncodeIntegers({5, 9, 9, 9}, false), OrcBytes({0x46, 0x00, 0x50, 0x00, 0x09}));
}

TEST(OrcRunLengthTest, EncodesEvenSteps) {
  EXPECT_EQ(EncodeIntegers({4, 2, 0, -2}, true), OrcBytes({0xc0, 0x03, 0x08, 0x03}));
}

TEST(OrcRunLengthTest, EncodesRunsOfBytes) {
  EXPECT_EQ(EncodeBytes({1, 1}), OrcBytes({0xfe, 1, 1}));
  EXPECT_EQ(EncodeBytes({1, 1, 1}), OrcBytes({0x00, 1}));
  EXPECT_EQ(EncodeBytes({1, 2, 2, 2, 3}), OrcBytes({0xff, 1, 0x00, 2, 0xff, 3}));
  EXPECT_EQ(EncodeBytes(std::vector<std::uint8_t>(131, 5)), OrcBytes({0x7f, 5, 0xff, 5}));
  std::vector<std::uint8_t> literals;
  for (unsigned i = 0; i < 130; ++i) literals.push_back(static_cast<std::uint8_t>(i));
  const std::string encoded = EncodeBytes(literals);
  EXPECT_EQ(encoded.substr(0, 2), OrcBytes({0x80, 0}));
  EXPECT_EQ(encoded.substr(129), OrcBytes({0xfe, 128, 129}));
}

/// Values of one of the courses that have an encoding of their own, or extremes.
std::vector<std::int64_t> RandomRun(std::mt19937_64& random) {
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  std::vector<std::int64_t> values(1 + below(700));
  const unsigned width = static_cast<unsigned>(below(64));
  const auto start = static_cast<std::int64_t>(random() >> width);
  const auto step = static_cast<std::int64_t>(below(9)) - 4;
  const std::uint64_t course = below(7);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<std::int64_t>(random() >> width);
    switch (course) {
      case 0: values[i] = start; break;
      case 1: values[i] = static_cast<std::int64_t>(i) * step; break;
      case 2: values[i] = number; break;
      case 3: values[i] = static_cast<std::int64_t>(below(100) == 0 ? random() >> (width / 2) : below(50)) - 20; break;
      case 4: values[i] = (i == 0 ? 0 : values[i - 1]) + static_cast<std::int64_t>(below(1000)); break;
      case 5: values[i] = below(3) == 0 ? start : static_cast<std::int64_t>(below(3)); break;
      default:
        values[i] = below(2) == 0 ? INT64_MIN : (below(2) == 0 ? INT64_MAX : static_cast<std::int64_t>(i));
        break;
    }
  }
  return values;
}

TEST(OrcRunLengthTest, ReadsBackRandomIntegers) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const bool is_signed = round % 3 != 0;
    std::vector<std::int64_t> values;
    for (int run = 0; run < 5; ++run) {
      for (const std::int64_t value : RandomRun(random)) values.push_back(value);
    }
    OrcIntegers reader(EncodeIntegers(values, is_signed), true, is_signed);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(reader.Next(), values[i]) << i;
    EXPECT_EQ(reader.Next(), std::nullopt);
  }
}

TEST(OrcRunLengthTest, ReadsBackPatchesFarApart) {
  // A gap of 300 takes a patch between that patches nothing, one of 511 takes two.
  for (const std::size_t second : {std::size_t{300}, std::size_t{511}}) {
    std::vector<std::int64_t> values(512, 0);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i * 7 % 13);
    values[second] = 1'000'000;
    const std::string encoded = EncodeIntegers(values, true);
    EXPECT_EQ(static_cast<unsigned char>(encoded[0]) >> 6, 2);
    OrcIntegers reader(encoded, true, true);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(reader.Next(), values[i]) << i;
  }
}

TEST(OrcRunLengthTest, ReadsBackRandomBooleans) {
  std::mt19937_64 random(11);
  OrcBooleanWriter writer(NoCompression());
  std::vector<bool> values;
  for (int i = 0; i < 300; ++i) {
    const bool value = random() % 2 == 0;
    const auto count = static_cast<std::int64_t>(random() % 50);
    if (i % 2 == 0) writer.Write(value, count);
    for (std::int64_t j = 0; j < count; ++j) {
      const bool bit = i % 2 == 0 ? value : random() % 2 == 0;
      if (i % 2 != 0) writer.Write(bit);
      values.push_back(bit);
    }
  }
  OrcBooleans reader(Joined(writer.Finish()));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(reader.Next(), values[i]) << i;
}

TEST(OrcRunLengthTest, PositionsCountTheValuesOfTheOpenRun) {
  OrcIntegerWriter writer(NoCompression(), false);
  for (int i = 0; i < 5; ++i) writer.Write(7);
  OrcPositions positions;
  writer.AddPositions(positions);
  EXPECT_THAT(positions, testing::ElementsAre(0, 5));
  writer.Write(8);  // ends the run of two bytes
  writer.AddPositions(positions);
  EXPECT_THAT(positions, testing::ElementsAre(0, 5, 2, 1));

  OrcBooleanWriter booleans(NoCompression());
  booleans.Write(true, 11);
  positions.clear();
  booleans.AddPositions(positions);
  EXPECT_THAT(positions, testing::ElementsAre(0, 1, 3));
}

TEST(OrcStreamWriterTest, CutsChunksThatReadersCanStartAt) {
  BRAID_ASSERT_OK_AND_ASSIGN(const OrcCompressor snappy, OrcCompressor::Make("Snappy", 1, 100));
  EXPECT_EQ(snappy.kind(), 2U);
  OrcStreamWriter writer(snappy);
  writer.Append(std::string(130, 'a'));
  OrcPositions positions;
  writer.AddPosition(positions);
  ASSERT_EQ(positions.size(), 2U);
  EXPECT_EQ(positions[1], 30U);
  const OrcStreamBytes stream = writer.Finish();
  ASSERT_EQ(stream.chunks.size(), 2U);
  EXPECT_EQ(positions[0], stream.chunks[0].size());
  // The header is the length behind it, doubled.
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(stream.chunks[0][0])),
            (stream.chunks[0].size() - 3) * 2);
}

TEST(OrcStreamWriterTest, KeepsChunksThatDoNotShrink) {
  BRAID_ASSERT_OK_AND_ASSIGN(const OrcCompressor zlib, OrcCompressor::Make("zlib", 1, 100));
  // The specification's example: five bytes that do not shrink have the header 0x0b 0x00 0x00.
  EXPECT_EQ(zlib.Compress("a1b2c"), OrcBytes({0x0b, 0x00, 0x00}) + "a1b2c");
}

}  // namespace
}  // namespace braid
