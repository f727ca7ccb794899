#include "duck/java_date_pattern.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

constexpr std::int64_t kNewYear2021 = 1609459200;  // 2021-01-01T00:00:00, a Friday

std::string Format(const std::string& pattern, std::int64_t seconds, std::int32_t nanos = 0) {
  const Result<JavaDatePattern> compiled = JavaDatePattern::Compile(pattern);
  if (!compiled) return "error";
  std::string text;
  compiled->Format(seconds, nanos, text);
  return text;
}

TEST(JavaDatePatternTest, FormatsEveryLetter) {
  EXPECT_EQ(Format("yyyy-MM-dd HH:mm:ss.SSS", kNewYear2021 + 3661, 123456789), "2021-01-01 01:01:01.123");
  EXPECT_EQ(Format("yy yyy u G", kNewYear2021), "21 2021 2021 AD");
  EXPECT_EQ(Format("M MM MMM MMMM", kNewYear2021), "1 01 Jan January");
  EXPECT_EQ(Format("E EEEE e", kNewYear2021), "Fri Friday 6");
  EXPECT_EQ(Format("D DDD w Q QQQ QQQQ", kNewYear2021), "1 001 1 1 Q1 1st quarter");
  EXPECT_EQ(Format("h K k H a", kNewYear2021), "12 0 24 0 AM");
  EXPECT_EQ(Format("h a", kNewYear2021 + 13 * 3600), "1 PM");
  EXPECT_EQ(Format("'o''clock' ''", kNewYear2021), "o'clock '");
  EXPECT_EQ(Format("yyyy-MM-dd", -1), "1969-12-31");
}

TEST(JavaDatePatternTest, ReadsWholeTextsOnly) {
  struct Case {
    std::string pattern;
    std::string text;
    std::optional<std::int64_t> seconds;
  };
  const std::vector<Case> cases = {
      {"yyyy-MM-dd", "2021-01-01", kNewYear2021},
      {"yyyyMMdd", "20210101", kNewYear2021},
      {"dd.MM.yyyy HH:mm", "01.01.2021 01:00", kNewYear2021 + 3600},
      {"d MMM yyyy h:mm a", "1 Jan 2021 1:00 PM", kNewYear2021 + 13 * 3600},
      {"yyyy-MM-dd'T'HH", "2021-01-01T02", kNewYear2021 + 7200},
      {"yyyy DDD", "2021 001", kNewYear2021},
      {"yyyy-MM-dd", "2021-02-29", std::nullopt},
      {"yyyy-MM-dd", "2021-01-01 ", std::nullopt},
      {"yyyy-MM-dd", "2021-1-1", std::nullopt},
      {"HH", "24", std::nullopt},
  };
  for (const Case& c : cases) {
    BRAID_ASSERT_OK_AND_ASSIGN(const JavaDatePattern pattern, JavaDatePattern::Compile(c.pattern));
    const auto parsed = pattern.Parse(c.text);
    EXPECT_EQ(parsed ? std::optional(parsed->seconds) : std::nullopt, c.seconds) << c.pattern << " reads " << c.text;
  }
}

TEST(JavaDatePatternTest, RefusesUnknownLetters) {
  EXPECT_THAT(JavaDatePattern::Compile("nope"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(JavaDatePattern::Compile("HH 'open"), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(JavaDatePattern::Compile("HH:mm VV"), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
