#include "types/local_time.h"

#include <cstdlib>
#include <ctime>
#include <string>

#include <gtest/gtest.h>

namespace braid {
namespace {

class LocalTimeTest : public testing::Test {
 protected:
  static void UseZone(const char* zone) {
    setenv("TZ", zone, 1);
    tzset();
  }
  void TearDown() override { UseZone("UTC"); }
};

TEST_F(LocalTimeTest, IsTheSameInUtc) {
  UseZone("UTC");
  EXPECT_EQ(ToLocalTime(1'715'681'730'123).millis, 1'715'681'730'123);
  EXPECT_EQ(FromLocalTime({.millis = 1'715'681'730'123}), 1'715'681'730'123);
  EXPECT_EQ(ToLocalTime(-1).millis, -1);
  EXPECT_EQ(LocalTimeText(1'715'681'730'123), "2024-05-14 10:15:30");
  EXPECT_EQ(LocalTimeText(-1), "1969-12-31 23:59:59");
}

TEST_F(LocalTimeTest, FollowsTheZoneOfTheProcess) {
  UseZone("XXX-5:30");  // east of Greenwich by five hours and a half
  EXPECT_EQ(ToLocalTime(1000).millis, 1000 + 19'800'000);
  EXPECT_EQ(FromLocalTime({.millis = 1000 + 19'800'000}), 1000);
  EXPECT_EQ(LocalTimeText(1'715'681'730'123), "2024-05-14 15:45:30");
  EXPECT_EQ(FromLocalTime(ToLocalTime(-86'400'001)), -86'400'001);
}

}  // namespace
}  // namespace braid
