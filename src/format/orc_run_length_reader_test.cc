#include "format/orc_run_length_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "format/orc_bit_unpacking.h"
#include "format/orc_run_length.h"
#include "format/orc_streams_testing.h"

namespace braid {
namespace {

struct Encoded {
  std::string bytes;
  bool version_two;
  bool is_signed;
  std::vector<std::int64_t> values;
};

std::vector<std::int64_t> Repeated(std::size_t count, std::int64_t value) {
  return std::vector<std::int64_t>(count, value);
}

/// The examples of the ORC specification v1, "Run Length Encoding", and the limits of each form.
std::vector<Encoded> Examples() {
  std::vector<std::int64_t> falling(100);
  std::iota(falling.rbegin(), falling.rend(), 1);
  return {
      {OrcBytes({0x61, 0x00, 0x07}), false, false, Repeated(100, 7)},
      {OrcBytes({0x61, 0xff, 0x64}), false, false, falling},
      {OrcBytes({0xfb, 0x02, 0x03, 0x04, 0x07, 0x0b}), false, false, {2, 3, 4, 7, 11}},
      {OrcBytes({0x00, 0x80, 0x00}), false, true, {0, -128, -256}},
      {OrcBytes({0xfe, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}),
       false,
       true,
       {-1, INT64_MIN}},
      {OrcBytes({0x0a, 0x27, 0x10}), true, false, Repeated(5, 10000)},
      {OrcBytes({0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), true, true, Repeated(10, INT64_MIN)},
      {OrcBytes({0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}),
       true,
       false,
       {23713, 43806, 57005, 48879}},
      {OrcBytes({0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
                 0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8}),
       true,
       false,
       {2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090,
        2100, 2110, 2120, 2130,    2140, 2150, 2160, 2170, 2180, 2190}},
      {OrcBytes({0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}), true, false, {2, 3, 5, 7, 11, 13, 17, 19, 23, 29}},
      // A fixed step, and one value alone whose step says nothing.
      {OrcBytes({0xc0, 0x03, 0x08, 0x03}), true, true, {4, 2, 0, -2}},
      {OrcBytes({0xc0, 0x00, 0x08, 0x03}), true, true, {4}},
      // Steps of four bits that fall: 20, 20 - 1, - 15, - 3.
      {OrcBytes({0xc6, 0x03, 0x28, 0x01, 0xf3}), true, true, {20, 19, 4, 1}},
      // A base below zero: -5 in one byte is 0x85. Offsets 0, 1, 2 of two bits, and a patch of one bit at 1: 1 + 4.
      {OrcBytes({0x82, 0x02, 0x00, 0x01, 0x85, 0x18, 0xc0}), true, true, {-5, 0, -3}},
  };
}

TEST(OrcRunLengthReaderTest, DecodesTheExamplesOfTheSpecification) {
  for (const Encoded& example : Examples()) {
    SCOPED_TRACE(testing::PrintToString(example.values));
    OrcIntegerReader reader(OrcStreamReader(example.bytes), example.version_two, example.is_signed);
    std::vector<std::int64_t> values(example.values.size());
    ASSERT_TRUE(reader.Read(values));
    EXPECT_EQ(values, example.values);
    EXPECT_FALSE(reader.Read(std::span(values).first(1)));
  }
}

TEST(OrcRunLengthReaderTest, NeverReadsARunThatBreaksOff) {
  for (const Encoded& example : Examples()) {
    SCOPED_TRACE(testing::PrintToString(example.values));
    for (std::size_t size = 0; size < example.bytes.size(); ++size) {
      OrcIntegerReader reader(OrcStreamReader(example.bytes.substr(0, size)), example.version_two, example.is_signed);
      std::vector<std::int64_t> values(example.values.size());
      EXPECT_FALSE(reader.Read(values)) << size;
    }
  }
}

TEST(OrcRunLengthReaderTest, RefusesPatchesOutsideOfTheirRun) {
  const std::string good = OrcBytes({0x82, 0x02, 0x00, 0x01, 0x85, 0x18, 0xc0});
  std::vector<std::int64_t> values(3);
  // A gap of two bits: 3, behind the last value.
  std::string far = good;
  far[3] = 0x21;
  far[6] = static_cast<char>(0xe0);
  EXPECT_FALSE(OrcIntegerReader(OrcStreamReader(far), true, true).Read(values));
  // A patch of 64 bits leaves no room for a gap.
  std::string wide = good + std::string(20, '\0');
  wide[2] = 0x1f;
  EXPECT_FALSE(OrcIntegerReader(OrcStreamReader(wide), true, true).Read(values));
}

TEST(OrcRunLengthReaderTest, UnpacksEveryWidth) {
  std::mt19937_64 random(1);
  for (unsigned width = 1; width <= 64; ++width) {
    if (width > 56 && width < 64) continue;  // no code stands for it
    SCOPED_TRACE(width);
    std::vector<std::uint64_t> values(37);
    for (std::uint64_t& value : values) value = random() >> (64 - width);
    std::string packed(OrcPackedBytes(width, values.size()) + OrcStreamReader::kPaddingBytes, '\xff');
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (unsigned bit = 0; bit < width; ++bit) {
        const std::size_t at = i * width + bit;
        const auto mask = static_cast<char>(0x80U >> (at % 8));
        const bool is_set = ((values[i] >> (width - 1 - bit)) & 1) != 0;
        packed[at / 8] = static_cast<char>(is_set ? packed[at / 8] | mask : packed[at / 8] & ~mask);
      }
    }
    std::vector<std::uint64_t> unpacked(values.size());
    UnpackOrcBits(packed.data(), width, values.size(), unpacked.data());
    EXPECT_EQ(unpacked, values);
  }
}

/// Values of every form, and pieces of any size to read them in.
TEST(OrcRunLengthReaderTest, ReadsPiecesOfAnySizeAcrossBlocks) {
  BRAID_ASSERT_OK_AND_ASSIGN(const OrcCompressor zstd, OrcCompressor::Make("zstd", 1, 1000));
  std::mt19937_64 random(4);
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    OrcIntegerWriter writer(zstd, true);
    std::vector<std::int64_t> values;
    for (int run = 0; run < 40; ++run) {
      const unsigned shift = static_cast<unsigned>(random() % 64);
      const bool repeats = random() % 3 == 0;
      const auto first = static_cast<std::int64_t>(random());
      for (std::uint64_t i = random() % 600; i > 0; --i)
        values.push_back(repeats ? first : static_cast<std::int64_t>(random() >> shift));
    }
    for (const std::int64_t value : values) writer.Write(value);
    BRAID_ASSERT_OK_AND_ASSIGN(auto decompressor, OrcDecompressor::Make(5, 1000, "/f.orc"));
    OrcIntegerReader reader(OrcStreamReader(Joined(writer.Finish()), decompressor), true, true);
    std::vector<std::int64_t> read(values.size());
    for (std::size_t at = 0; at < read.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random() % 1500, read.size() - at);
      ASSERT_TRUE(reader.Read(std::span(read).subspan(at, count)));
      at += count;
    }
    EXPECT_EQ(read, values);
  }
}

TEST(OrcRunLengthReaderTest, DecodesRunsOfBytes) {
  std::array<std::uint8_t, 100> zeros;
  zeros.fill(1);
  OrcByteRunReader repeats(OrcStreamReader(OrcBytes({0x61, 0x00})));
  ASSERT_TRUE(repeats.Read(std::span(zeros).first(40)));
  ASSERT_TRUE(repeats.Read(std::span(zeros).subspan(40)));
  EXPECT_THAT(zeros, testing::Each(0));
  EXPECT_FALSE(repeats.Read(std::span(zeros).first(1)));

  std::array<std::uint8_t, 2> literals{};
  OrcByteRunReader reader(OrcStreamReader(OrcBytes({0xfe, 0x44, 0x45})));
  ASSERT_TRUE(reader.Read(literals));
  EXPECT_THAT(literals, testing::ElementsAre(0x44, 0x45));
  EXPECT_FALSE(OrcByteRunReader(OrcStreamReader(OrcBytes({0xfe, 0x44}))).Read(literals));
  EXPECT_FALSE(OrcByteRunReader(OrcStreamReader(OrcBytes({0x00}))).Read(literals));
}

TEST(OrcRunLengthReaderTest, ReadsBooleansToAnyBit) {
  BRAID_ASSERT_OK_AND_ASSIGN(const OrcCompressor none, OrcCompressor::Make("none", 1, 64));
  std::mt19937_64 random(9);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    std::vector<bool> values(1 + random() % 900);
    OrcBooleanWriter writer(none);
    bool value = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (random() % (round % 2 == 0 ? 60 : 2) == 0) value = !value;
      values[i] = value;
      writer.Write(value);
    }
    OrcBooleanReader reader(OrcStreamReader(Joined(writer.Finish())));
    const auto first = static_cast<std::int64_t>(random() % 20);
    std::vector<std::uint8_t> bits((values.size() + 30) / 8 + 1, 0xff);
    const auto count = static_cast<std::int64_t>(values.size());
    for (std::int64_t at = 0; at < count;) {
      const std::int64_t step = std::min<std::int64_t>(1 + static_cast<std::int64_t>(random() % 100), count - at);
      ASSERT_TRUE(reader.Read(bits.data(), first + at, step));
      at += step;
    }
    for (std::int64_t i = 0; i < first + count; ++i) {
      const bool bit = ((bits[static_cast<std::size_t>(i / 8)] >> (i % 8)) & 1) != 0;
      ASSERT_EQ(bit, i < first || values[static_cast<std::size_t>(i - first)]) << i;
    }
  }
}

}  // namespace
}  // namespace braid
