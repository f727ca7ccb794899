#include "meta/tag_time.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using std::chrono::microseconds;

TEST(TagTimeTest, PrintsAndReadsLocalDateTimesAsJavaDoes) {
  struct Case {
    std::string text;
    LocalDateTime time;
  };
  const std::vector<Case> cases = {
      {"1970-01-01T00:00", {0, 0}},
      {"1969-12-31T23:59:59.999999999", {-1, 999'999'999}},
      {"2024-02-29T10:15:30.123", {1'709'201'730, 123'000'000}},
      {"2024-02-29T10:15:00.000001", {1'709'201'700, 1'000}},
      {"0001-01-01T00:00:01", {-62'135'596'799, 0}},
      {"+10000-01-01T00:00", {253'402'300'800, 0}},
      {"-0001-01-01T00:00", {-62'198'755'200, 0}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(FormatLocalDateTime(c.time), c.text);
    EXPECT_THAT(ParseLocalDateTime(c.text), HasValue(testing::Eq(c.time)));
  }
  EXPECT_THAT(ParseLocalDateTime("2024-02-29T10:15:30.5"),
              HasValue(testing::Eq(LocalDateTime{1'709'201'730, 500'000'000})));
  EXPECT_THAT(ParseLocalDateTime("2024-02-29 10:15:30"), HasValue(testing::Eq(LocalDateTime{1'709'201'730, 0})));
}

TEST(TagTimeTest, RefusesWhatIsNoDateAndTime) {
  for (const std::string_view text :
       {"", "2024-02-30T00:00", "2024-13-01T00:00", "2024-01-01T24:00", "2024-01-01", "2024-01-01T00:00Z",
        "2024-01-01T00:00:60", "24-01-01T00:00", "2024-01-01T00:00:00."}) {
    EXPECT_THAT(ParseLocalDateTime(text), IsError(ErrorCode::kInvalidArgument)) << text;
  }
}

TEST(TagTimeTest, PrintsAndReadsDurationsAsJavaDoes) {
  struct Case {
    std::string text;
    microseconds duration;
  };
  const std::vector<Case> cases = {
      {"PT0S", microseconds(0)},
      {"PT24H", std::chrono::hours(24)},
      {"PT1H30M", std::chrono::minutes(90)},
      {"PT0.5S", std::chrono::milliseconds(500)},
      {"PT1M1.000001S", microseconds(61'000'001)},
      {"PT-0.5S", std::chrono::milliseconds(-500)},
      {"PT-1M-1S", std::chrono::seconds(-61)},
      {"PT24000000H", std::chrono::hours(24'000'000)},  // a million days
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(FormatIsoDuration(c.duration), c.text);
    EXPECT_THAT(ParseIsoDuration(c.text), HasValue(testing::Eq(c.duration)));
  }
  EXPECT_THAT(ParseIsoDuration("P1DT2H"), HasValue(testing::Eq(microseconds(std::chrono::hours(26)))));
  EXPECT_THAT(ParseIsoDuration("-PT1S"), HasValue(testing::Eq(microseconds(std::chrono::seconds(-1)))));
}

TEST(TagTimeTest, RefusesWhatIsNoDuration) {
  for (const std::string_view text : {"", "P", "24H", "PT", "PT1", "P1H", "PT1D", "PT1S1M", "PT1.5M", "1 d", "PT1S ",
                                      // Turned round, these microseconds are more than 64 bits hold.
                                      "-PT-2562047788H-54.775808S"}) {
    EXPECT_THAT(ParseIsoDuration(text), IsError(ErrorCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace braid
