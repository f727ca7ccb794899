#include "format/orc_statistics.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/orc_proto.h"

namespace braid {
namespace {

std::string Bytes(std::initializer_list<unsigned> bytes) {
  std::string text;
  for (const unsigned byte : bytes) text += static_cast<char>(byte);
  return text;
}

template <typename Bounds, typename... Values>
std::string Encoded(Bounds empty, Values... values) {
  OrcStatistics statistics(empty);
  statistics.AddValues(sizeof...(values));
  (statistics.bounds<Bounds>().Add(values), ...);
  return statistics.Encode();
}

/// The message of one kind of column within ColumnStatistics.
std::string Part(const std::string& statistics, unsigned field) {
  OrcMessageReader message(statistics);
  while (const auto part = message.Next()) {
    if (part->number == field) return std::string(part->bytes);
  }
  return "none";
}

TEST(OrcStatisticsTest, EncodesMessages) {
  // Three values (1: 3), in field 2 a message with minimum -2, maximum 5 and sum 3 in zigzag, and no NULL (10: 0).
  EXPECT_EQ(Encoded(OrcIntegerBounds(), -2, 0, 5), Bytes({0x08, 3, 0x12, 6, 0x08, 3, 0x10, 10, 0x18, 6, 0x50, 0}));
  EXPECT_EQ(Part(Encoded(OrcDateBounds(), -1, 1), 7), Bytes({0x08, 1, 0x10, 2}));
  EXPECT_EQ(Part(Encoded(OrcDecimalBounds(2), Int128{-5}, Int128{1234}), 6),
            "\x0a\x05-0.05\x12\x05"
            "12.34\x1a\x05"
            "12.29");
  EXPECT_EQ(Part(Encoded(OrcTextBounds(), "b", "a"), 4), Bytes({0x0a, 1, 'a', 0x12, 1, 'b', 0x18, 4}));
  // Milliseconds in UTC (3, 4); nanoseconds of a millisecond are one more (5, 6).
  EXPECT_EQ(Part(Encoded(OrcTimestampBounds(), Timestamp{-1, 1}, Timestamp{2, 999'999}), 9),
            Bytes({0x18, 1, 0x20, 4, 0x28, 2}));
  EXPECT_EQ(Part(Encoded(OrcTimestampBounds(), Timestamp{2, 0}), 9), Bytes({0x18, 4, 0x20, 4, 0x30, 1}));
}

TEST(OrcStatisticsTest, HasNoBoundsWithoutValues) {
  OrcStatistics statistics{OrcIntegerBounds()};
  statistics.AddNull();
  EXPECT_EQ(statistics.Encode(), Bytes({0x08, 0, 0x12, 2, 0x18, 0, 0x50, 1}));
  EXPECT_EQ(Encoded(OrcTextBounds()), Bytes({0x08, 0, 0x22, 0, 0x50, 0}));
}

TEST(OrcStatisticsTest, LeavesOutSumsThatDoNotFit) {
  EXPECT_EQ(Part(Encoded(OrcIntegerBounds(), std::numeric_limits<std::int64_t>::max(), 1), 2).size(), 10U + 2 + 1);
  Int128 large = 1;
  for (int i = 0; i < 38; ++i) large *= 10;
  EXPECT_EQ(Part(Encoded(OrcDecimalBounds(0), large - 1, Int128{1}), 6),
            "\x0a\x01"
            "1\x12\x26" +
                std::string(38, '9'));
}

TEST(OrcStatisticsTest, BoundsOfDoublesHoldInJavasOrder) {
  OrcDoubleBounds zeros;
  zeros.Add(0.0);
  zeros.Add(-0.0);
  EXPECT_TRUE(std::signbit(*zeros.min));
  EXPECT_FALSE(std::signbit(*zeros.max));
  OrcDoubleBounds numbers;
  for (const double value : {1.0, std::nan(""), -3.0, 2.0}) numbers.Add(value);
  EXPECT_EQ(*numbers.min, -3.0);
  EXPECT_TRUE(std::isnan(*numbers.max));
  EXPECT_TRUE(std::isnan(numbers.sum));
}

TEST(OrcStatisticsTest, CutsBoundsOfLongTextsBetweenCharacters) {
  // 1023 bytes and a character of two bytes, which does not fit: what is left ends in z, whose successor is {.
  const std::string text = std::string(1022, 'a') + "zä and more";
  const std::string part = Part(Encoded(OrcTextBounds(), text), 4);
  OrcMessageReader message(part);
  const auto length = message.Next();
  const auto lower = message.Next();
  const auto upper = message.Next();
  ASSERT_TRUE(length && lower && upper);
  EXPECT_EQ(length->number, 3U);
  EXPECT_EQ(lower->number, 4U);
  EXPECT_EQ(lower->bytes, std::string(1022, 'a') + "z");
  EXPECT_EQ(upper->number, 5U);
  EXPECT_EQ(upper->bytes, std::string(1022, 'a') + "{");
}

TEST(OrcStatisticsTest, BoundsHoldForTextsWithoutSuccessorAndForOtherBytes) {
  std::string last;
  for (int i = 0; i < 300; ++i) last += "\xf4\x8f\xbf\xbf";  // U+10FFFF
  for (const std::string& text : {last, std::string(2000, '\xff'), std::string(2000, '\x80'), "a" + last}) {
    const std::string part = Part(Encoded(OrcTextBounds(), text), 4);
    OrcMessageReader message(part);
    while (const auto field = message.Next()) {
      if (field->number == 4) {
        EXPECT_LE(field->bytes, text);
      } else if (field->number == 5) {
        EXPECT_GE(field->bytes, text);
      }
    }
  }
}

// Their beginnings are enough for the bounds, but for a text whose beginning has no successor.
TEST(OrcStatisticsTest, KeepsTheBeginningsOfLongTexts) {
  constexpr std::size_t kLong = 1'000'000;
  OrcTextBounds bounds;
  bounds.Add(std::string(kLong, 'b'));
  bounds.Add(std::string(kLong, 'a') + "z");
  bounds.Add(std::string(kLong, 'a'));
  EXPECT_LT(bounds.min->capacity() + bounds.max->capacity(), 200'000U);
  EXPECT_EQ(bounds.byte_count, 3 * 1'000'000 + 1);
  OrcStatistics statistics{bounds};
  const std::string message = Part(statistics.Encode(), 4);
  EXPECT_EQ(Part(message, 4), std::string(1024, 'a'));
  EXPECT_EQ(Part(message, 5), std::string(1023, 'b') + "c");
  std::string last;
  while (last.size() < kLong) last += "\xf4\x8f\xbf\xbf";  // U+10FFFF
  bounds.Add(last + "x");
  bounds.Add(last);
  EXPECT_EQ(*bounds.max, last + "x");
}

TEST(OrcStatisticsTest, MergesWhatTwoSay) {
  OrcStatistics all{OrcIntegerBounds()};
  for (const auto& [value, is_null] : {std::pair(4, false), std::pair(-9, true)}) {
    OrcStatistics one{OrcIntegerBounds()};
    one.AddValues(1);
    if (is_null) one.AddNull();
    one.bounds<OrcIntegerBounds>().Add(value);
    all.Merge(one);
  }
  EXPECT_EQ(all.Encode(), Bytes({0x08, 2, 0x12, 6, 0x08, 17, 0x10, 8, 0x18, 9, 0x50, 1}));
}

}  // namespace
}  // namespace braid
