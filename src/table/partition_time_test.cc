#include "table/partition_time.h"

#include <chrono>

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

std::int64_t At(int year, unsigned month, unsigned day, int hour = 0, int minute = 0, int second = 0, int milli = 0) {
  const std::chrono::sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  return ((date.time_since_epoch().count() * 24LL + hour) * 60 + minute) * 60'000 + second * 1000 + milli;
}

std::optional<std::int64_t> Read(std::string_view pattern, std::string_view text) {
  const Result<JavaTimePattern> compiled = JavaTimePattern::Compile(pattern);
  EXPECT_THAT(compiled, IsOk());
  return compiled->Read(text);
}

// By the rules of java.time.format.DateTimeFormatter.ofPattern; nullopt where Java 17 throws.
TEST(JavaTimePatternTest, ReadsAsJavaDoes) {
  struct Case {
    std::string pattern;
    std::string text;
    std::optional<std::int64_t> time = std::nullopt;
  };
  const std::vector<Case> cases = {
      {"yyyy-MM-dd", "2024-02-29", At(2024, 2, 29)},
      {"yyyy-MM-dd", "2024-02-30", At(2024, 2, 29)},
      {"yyyy-MM-dd", "2024-02-32"},
      {"yyyy-MM-dd", "2024-13-01"},
      {"yyyy-MM-dd", "2024-2-9"},
      {"yyyy-MM-dd", "24-02-09"},
      {"yyyy-MM-dd", "12024-02-09"},
      {"yyyy-MM-dd", "+12024-02-09", At(12024, 2, 9)},
      {"yyyy-MM-dd", "2024-02-09 "},
      {"y-M-d", "2024-2-9", At(2024, 2, 9)},
      {"y-M-d", "24-02-09", At(24, 2, 9)},
      {"yy/MM/dd", "24/02/09", At(2024, 2, 9)},
      {"uuuu-MM-dd", "0000-01-01", At(0, 1, 1)},
      {"yyyy-MM-dd", "0000-01-01"},
      {"yyyyMMdd", "20240209", At(2024, 2, 9)},
      {"yyyyMMdd", "2024029"},
      {"yyyyMMddHHmmssSSS", "20240209010203456", At(2024, 2, 9, 1, 2, 3, 456)},
      {"yyyyMMddHH", "2024020923", At(2024, 2, 9, 23)},
      {"yyyyMMddHH", "2024020924", At(2024, 2, 10)},
      {"yyyyMMddHH", "2024020925"},
      {"yyyy-MM-dd'T'HH:mm", "2024-02-09T10:15", At(2024, 2, 9, 10, 15)},
      {"yyyy-MM-dd'T'HH:mm", "2024-02-09 10:15"},
      {"'o''clock' H, yyyy.MM.dd", "o'clock 7, 2024.02.09", At(2024, 2, 9, 7)},
      {"yyyy-MM-dd mm", "2024-02-09 30", At(2024, 2, 9)},  // minutes of no hour are no time of day
      {"yyyyMM", "202402"},                                // a month is no date
      {"HH:mm", "10:15"},
      {"yyyy-MM-dd yyyy", "2024-02-09 2025"},
      {"yyyy-MM-dd yyyy", "2024-02-09 2024", At(2024, 2, 9)},
  };
  for (const Case& c : cases) EXPECT_EQ(Read(c.pattern, c.text), c.time) << c.pattern << " of " << c.text;
}

TEST(JavaTimePatternTest, RefusesPatternsThatItDoesNotKnow) {
  EXPECT_THAT(JavaTimePattern::Compile("yyyy-MM-dd'T"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(JavaTimePattern::Compile("yyyy-ddd"), IsError(ErrorCode::kInvalidArgument));
  for (const char* pattern : {"yyyy-MMM-dd", "yyyy-MM-dd[ HH]", "yyyy-DD", "yyyy-MM-dd VV"}) {
    EXPECT_THAT(JavaTimePattern::Compile(pattern), IsError(ErrorCode::kUnsupported)) << pattern;
  }
}

std::optional<std::int64_t> TimeOf(std::optional<std::string> pattern, std::optional<std::string> formatter,
                                   const std::vector<std::string>& columns,
                                   const std::vector<std::optional<std::string>>& values) {
  const Result<PartitionTime> time = PartitionTime::Make(std::move(pattern), formatter);
  EXPECT_THAT(time, IsOk());
  return time->Of(columns, values);
}

TEST(PartitionTimeTest, ReadsTheFirstColumnUnlessThereIsAPattern) {
  EXPECT_EQ(TimeOf({}, {}, {"dt", "h"}, {"2024-02-09", "7"}), At(2024, 2, 9));
  EXPECT_EQ(TimeOf({}, "yyyyMMdd", {"dt"}, {"20240209"}), At(2024, 2, 9));
  EXPECT_EQ(TimeOf("$dt $h:00:00", {}, {"dt", "h"}, {"2024-02-09", "7"}), At(2024, 2, 9, 7));
  EXPECT_EQ(TimeOf("$y-$m-$d", {}, {"y", "m", "d"}, {"2024", "2", "9"}), At(2024, 2, 9));
  EXPECT_EQ(TimeOf("$d$dt", "yyyyMMdd", {"d", "dt"}, {"2024", "0209"}), std::nullopt);  // "20242024t"
  EXPECT_EQ(TimeOf("$dt", {}, {"dt"}, {std::nullopt}), std::nullopt);
  EXPECT_EQ(TimeOf({}, {}, {"dt"}, {std::nullopt}), std::nullopt);
}

// Java's default formatter resolves leniently.
TEST(PartitionTimeTest, CountsOnBeyondARangeByDefault) {
  struct Case {
    std::string text;
    std::optional<std::int64_t> time = std::nullopt;
  };
  const std::vector<Case> cases = {
      {"2024-2-9", At(2024, 2, 9)},
      {"2024-02-30", At(2024, 3, 1)},
      {"2024-13-01", At(2025, 1, 1)},
      {"2024-00-01", At(2023, 12, 1)},
      {"2024-02-09 01:02:03", At(2024, 2, 9, 1, 2, 3)},
      {"2024-02-09 25:00:00", At(2024, 2, 10, 1)},
      {"2024-02-09 1:2:3.4567", At(2024, 2, 9, 1, 2, 3, 456)},
      {"2024-02-09 1:2:3.", std::nullopt},
      {"2024-02-09 01:02", std::nullopt},
      {"2024-02-09T01:02:03", std::nullopt},
      {"2024-02", std::nullopt},
      {"20240209", std::nullopt},
      {"", std::nullopt},
      {"not a date", std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(TimeOf({}, {}, {"dt"}, {c.text}), c.time) << c.text;
}

}  // namespace
}  // namespace braid
