#include "types/time_zone.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kMicros = 1'000'000;

TEST(TimeZoneTest, ReadsFixedOffsets) {
  struct Case {
    const char* name;
    std::int64_t offset;
  };
  for (const Case& c : {Case{"UTC", 0},
                        {"Z", 0},
                        {"+08:00", 8 * kHour},
                        {"-3", -3 * kHour},
                        {"GMT+8", 8 * kHour},
                        {"GMT+08:00", 8 * kHour},
                        {"UTC-03:30", -3 * kHour - 1800},
                        {"+0530", 5 * kHour + 1800}}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto zone, TimeZone::Find(c.name));
    EXPECT_EQ(zone->OffsetAt(0), c.offset) << c.name;
  }
}

// Transitions and offsets from the zone database; the choices in gaps and overlaps are java.time's.
TEST(TimeZoneTest, TakesGapsWithTheOffsetBeforeAndOverlapsWithTheEarlier) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto zone, TimeZone::Find("America/New_York"));
  constexpr std::int64_t kGap = 1583634600;      // 2020-03-08T02:30:00 as if in UTC
  constexpr std::int64_t kOverlap = 1604194200;  // 2020-11-01T01:30:00
  EXPECT_EQ(zone->ToUtc(kGap * kMicros), (kGap + 5 * kHour) * kMicros);
  EXPECT_EQ(zone->ToUtc(kOverlap * kMicros), (kOverlap + 4 * kHour) * kMicros);
  EXPECT_EQ(zone->ToLocal((kOverlap + 5 * kHour) * kMicros), kOverlap * kMicros);
  EXPECT_EQ(zone->ToLocal(-1), -1 - 5 * kHour * kMicros);
}

TEST(TimeZoneTest, RepeatsTheLastRuleInLaterYears) {
  BRAID_ASSERT_OK_AND_ASSIGN(const auto zone, TimeZone::Find("Europe/Berlin"));
  EXPECT_EQ(zone->OffsetAt(2540764800), 2 * kHour);  // 2050-07-07
  EXPECT_EQ(zone->OffsetAt(2524608000), kHour);      // 2050-01-01
}

TEST(TimeZoneTest, RefusesUnknownNamesAndPaths) {
  for (const char* name : {"Nowhere/X", "Europe", ".", "", "../etc/passwd", "/etc/localtime", "+25:00"}) {
    EXPECT_THAT(TimeZone::Find(name), IsError(ErrorCode::kInvalidArgument)) << name;
  }
}

}  // namespace
}  // namespace braid
