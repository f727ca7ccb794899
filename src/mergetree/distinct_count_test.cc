#include "mergetree/distinct_count.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(DistinctCountTest, IsExactForFewValues) {
  DistinctCount count;
  EXPECT_EQ(count.Estimate(), 0);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) count.Add("value " + std::to_string(i));
    count.Add("");
    count.Add(std::string("\0", 1));
  }
  EXPECT_EQ(count.Estimate(), 1002);
}

TEST(DistinctCountTest, IsNearForMany) {
  constexpr int kValues = 1'000'000;
  DistinctCount count;
  for (int i = 0; i < kValues; ++i) count.Add(static_cast<std::uint64_t>(i));
  EXPECT_NEAR(static_cast<double>(count.Estimate()), kValues, 0.04 * kValues);
}

TEST(DistinctCountTest, MergesWhatOthersCounted) {
  DistinctCount all;
  for (std::uint64_t part = 0; part < 4; ++part) {
    DistinctCount some;
    for (std::uint64_t i = 0; i < 300; ++i) some.Add(100 * part + i);  // the parts overlap
    all.Merge(some);
  }
  EXPECT_EQ(all.Estimate(), 600);
}

}  // namespace
}  // namespace braid
