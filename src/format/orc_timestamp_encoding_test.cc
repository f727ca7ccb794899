#include "format/orc_timestamp_encoding.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace braid {
namespace {

constexpr std::int64_t kEpoch = 1'420'070'400;  // 2015-01-01T00:00:00

TEST(OrcTimestampEncodingTest, DropsTrailingZerosAndRoundsSecondsBefore1970) {
  struct Case {
    Timestamp value;
    OrcTimestamp encoded;
  };
  // Nanoseconds shifted by three bits; in those how many zeros are gone, less one, if there are two or more.
  const std::vector<Case> cases = {
      {{0, 0}, {-kEpoch, 0}},
      {{kEpoch * 1000, 0}, {0, 0}},
      {{1, 0}, {-kEpoch, (1 << 3) | 5}},
      {{100, 0}, {-kEpoch, (1 << 3) | 7}},
      {{123, 456'000}, {-kEpoch, (123'456 << 3) | 2}},
      {{123, 456'780}, {-kEpoch, 123'456'780LL << 3}},
      {{0, 1}, {-kEpoch, 1 << 3}},
      {{-2000, 0}, {-kEpoch - 2, 0}},
      {{-1999, 0}, {-kEpoch - 1, (1 << 3) | 5}},          // -1.999: up to -1, which readers undo
      {{-2000, 999'999}, {-kEpoch - 2, 999'999LL << 3}},  // below a millisecond they do not, and nothing is rounded
      {{-1000, 1000}, {-kEpoch - 1, (1 << 3) | 2}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.value.millis) + " " + std::to_string(c.value.nanos_of_milli));
    EXPECT_EQ(EncodeOrcTimestamp(c.value), c.encoded);
    EXPECT_EQ(DecodeOrcTimestamp(c.encoded), c.value);
  }
}

TEST(OrcTimestampEncodingTest, TheLastSecondBefore1970IsReadASecondLater) {
  EXPECT_EQ(EncodeOrcTimestamp({-1, 999'999}), EncodeOrcTimestamp({999, 999'999}));
  EXPECT_EQ(DecodeOrcTimestamp(EncodeOrcTimestamp({-999, 0})), (Timestamp{1, 0}));
  EXPECT_EQ(DecodeOrcTimestamp(EncodeOrcTimestamp({-1000, 999'999})), (Timestamp{-1000, 999'999}));
}

TEST(OrcTimestampEncodingTest, RefusesWhatIsNoTimestamp) {
  EXPECT_EQ(DecodeOrcTimestamp({0, -8}), std::nullopt);
  EXPECT_EQ(DecodeOrcTimestamp({0, 1'000'000'000LL << 3}), std::nullopt);
  EXPECT_EQ(DecodeOrcTimestamp({0, (999 << 3) | 7}), std::nullopt);
  EXPECT_EQ(DecodeOrcTimestamp({INT64_MAX, 0}), std::nullopt);
  EXPECT_EQ(DecodeOrcTimestamp({INT64_MIN, 0}), std::nullopt);
}

}  // namespace
}  // namespace braid
