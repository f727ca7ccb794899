#include "table/tag_period.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kMay14 = 1'715'644'800'000;  // 2024-05-14 00:00

TEST(TagPeriodTest, NamesPeriodsAsJavaDoes) {
  struct Case {
    Options::Map options;
    std::string name;  // of 2024-05-14 09:30
    std::int64_t length_ms;
  };
  const std::vector<Case> cases = {
      {{}, "2024-05-14", 24 * kHour},
      {{{"tag.period-formatter", "without_dashes"}}, "20240514", 24 * kHour},
      {{{"tag.creation-period", "hourly"}}, "2024-05-14 09", kHour},
      {{{"tag.creation-period", "hourly"}, {"tag.period-formatter", "without_dashes"}}, "20240514 09", kHour},
      {{{"tag.creation-period", "hourly"}, {"tag.period-formatter", "without_dashes_and_spaces"}}, "2024051409", kHour},
      {{{"tag.creation-period", "two-hours"}, {"tag.period-formatter", "without_dashes"}}, "2024-05-14 09", 2 * kHour},
      {{{"tag.creation-period-duration", "30 min"}}, "202405140930", kHour / 2},
  };
  const std::int64_t time = kMay14 + 9 * kHour + kHour / 2;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    BRAID_ASSERT_OK_AND_ASSIGN(const TagPeriod period, TagPeriod::FromOptions(Options(c.options)));
    EXPECT_EQ(period.length_ms(), c.length_ms);
    EXPECT_EQ(period.NameAt(time), c.name);
    ASSERT_TRUE(period.TimeOf(c.name).has_value());
    EXPECT_EQ(period.NameAt(*period.TimeOf(c.name)), c.name);
  }
}

TEST(TagPeriodTest, KnowsItsOwnNamesFromOthers) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TagPeriod daily, TagPeriod::FromOptions({}));
  EXPECT_EQ(daily.TimeOf("2024-05-14"), kMay14);
  EXPECT_EQ(daily.TimeOf("2024-05-14 09"), kMay14);
  EXPECT_EQ(daily.TimeOf("2024-02-30"), std::nullopt);
  EXPECT_EQ(daily.TimeOf("20240514"), std::nullopt);
  EXPECT_EQ(daily.TimeOf("2024-05-14x"), std::nullopt);
  EXPECT_EQ(daily.TimeOf("release"), std::nullopt);
}

TEST(TagPeriodTest, TagsThePeriodThatIsOver) {
  BRAID_ASSERT_OK_AND_ASSIGN(const TagPeriod daily, TagPeriod::FromOptions({}));
  EXPECT_EQ(daily.NameAt(daily.LastComplete(kMay14 + 24 * kHour)), "2024-05-14");
  EXPECT_EQ(daily.NameAt(daily.LastComplete(kMay14 + 24 * kHour - 1)), "2024-05-13");
}

TEST(TagPeriodTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(TagPeriod::FromOptions(Options(Options::Map{{"tag.creation-period", "weekly"}})),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(TagPeriod::FromOptions(Options(Options::Map{{"tag.period-formatter", "dots"}})),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(TagPeriod::FromOptions(Options(Options::Map{{"tag.creation-period-duration", "0 s"}})),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(TagClock::FromOptions(Options(Options::Map{{"tag.automatic-creation", "sometimes"}})),
              IsError(ErrorCode::kInvalidArgument));
}

TEST(TagClockTest, ReadsCommitTimeOrWatermarkInItsZone) {
  Snapshot snapshot;
  snapshot.time_millis = kMay14;
  snapshot.watermark = kMay14 + kHour;
  BRAID_ASSERT_OK_AND_ASSIGN(const TagClock process,
                             TagClock::FromOptions(Options({{"tag.automatic-creation", "process-time"},
                                                            {"sink.process-time-zone", "Asia/Shanghai"}})));
  EXPECT_THAT(process.LocalTimeOf(snapshot), HasValue(std::optional(kMay14 + 8 * kHour)));
  BRAID_ASSERT_OK_AND_ASSIGN(const TagClock watermark,
                             TagClock::FromOptions(Options(Options::Map{{"tag.automatic-creation", "watermark"}})));
  EXPECT_THAT(watermark.LocalTimeOf(snapshot), HasValue(std::optional(kMay14 + kHour)));
  snapshot.watermark.reset();
  EXPECT_THAT(watermark.LocalTimeOf(snapshot), HasValue(std::optional<std::int64_t>()));
}

}  // namespace
}  // namespace braid
