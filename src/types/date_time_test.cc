#include "types/date_time.h"

#include <string>

#include <gmock/gmock.h>

namespace braid {
namespace {

TEST(DateTimeTest, ConvertsBetweenDaysAndDates) {
  EXPECT_EQ(DaysFromCivil({1970, 1, 1}), 0);
  EXPECT_EQ(DaysFromCivil({2000, 3, 1}), 11017);
  EXPECT_EQ(DaysFromCivil({1, 1, 1}), -719162);
  EXPECT_EQ(DaysFromCivil({9999, 12, 31}), 2932896);
  for (std::int64_t days = -800'000; days < 3'000'000; days += 997) {
    const CivilDate date = CivilFromDays(days);
    ASSERT_EQ(DaysFromCivil(date), days);
    ASSERT_LE(date.day, DaysOfMonth(date.year, date.month));
  }
}

TEST(DateTimeTest, PrintsYearsOutsideFourDigits) {
  const auto text = [](const CivilDate& date) {
    std::string out;
    AppendIsoDate(DaysFromCivil(date), out);
    return out;
  };
  EXPECT_EQ(text({0, 2, 29}), "0000-02-29");
  EXPECT_EQ(text({-1, 1, 1}), "-0001-01-01");
  EXPECT_EQ(text({12345, 1, 1}), "+12345-01-01");
  EXPECT_EQ(ParseIsoDate("+12345-01-01"), DaysFromCivil({12345, 1, 1}));
  EXPECT_EQ(ParseIsoDate("-0001-01-01"), DaysFromCivil({-1, 1, 1}));
}

TEST(DateTimeTest, ParsesIsoTimestamps) {
  const Timestamp midday{43'200'000, 0};
  EXPECT_EQ(ParseIsoTimestamp("1970-01-01T12:00", false), midday);
  EXPECT_EQ(ParseIsoTimestamp("1970-01-01 12:00:00", false), midday);
  EXPECT_EQ(ParseIsoTimestamp("1970-01-01T12:00:00Z", true), midday);
  EXPECT_EQ(ParseIsoTimestamp("1970-01-01T14:00:00+02:00", true), midday);
  EXPECT_EQ(ParseIsoTimestamp("1970-01-01T10:30:00-0130", true), midday);
  EXPECT_EQ(ParseIsoTimestamp("1969-12-31T24:00:00", false), (Timestamp{0, 0}));
  EXPECT_EQ(ParseIsoTimestamp("1969-12-31T23:59:59.999999999", false), (Timestamp{-1, 999'999}));
  for (const char* text : {"", "1970-01-01T", "1970-01-01T1:00", "1970-13-01", "1970-02-29", "1970-01-01T25:00",
                           "1970-01-01T12:00:00.", "1970-01-01T12:00:00Z", "1970-01-01T12:00:00.1234567890"}) {
    EXPECT_EQ(ParseIsoTimestamp(text, false), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace braid
