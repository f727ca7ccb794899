#include "base/options.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

using std::chrono::milliseconds;

TEST(OptionsTest, ReadsPaimonsSpellings) {
  const Options options({{"size", "64 mb"}, {"plain", "500"}, {"kb", "1KB"}, {"wait", "10 min"}, {"day", "1d"}, {"flag", "TRUE"}});
  EXPECT_THAT(options.GetMemorySize("size", 0), HasValue(64 << 20));
  EXPECT_THAT(options.GetMemorySize("plain", 0), HasValue(500));
  EXPECT_THAT(options.GetMemorySize("kb", 0), HasValue(1024));
  EXPECT_THAT(options.GetDuration("wait", {}), HasValue(milliseconds(600'000)));
  EXPECT_THAT(options.GetDuration("day", {}), HasValue(milliseconds(86'400'000)));
  EXPECT_THAT(options.GetBool("flag", false), HasValue(true));
  EXPECT_THAT(options.GetInt("absent", 7), HasValue(7));
}

TEST(OptionsTest, NamesKeyAndValueOfWhatItCannotRead) {
  const Options options({{"size", "many"}, {"n", "1.5"}, {"huge", "9999999999 tb"}, {"flag", "yes"}});
  EXPECT_THAT(options.GetMemorySize("size", 0), HasMessage("option 'size' is 'many'"));
  EXPECT_THAT(options.GetInt("n", 0), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(options.GetMemorySize("huge", 0), IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(options.GetBool("flag", false), HasMessage("true or false"));
}

TEST(OptionsTest, PutsOthersOver) {
  const Options merged = Options({{"a", "1"}, {"b", "1"}}).With(Options({{"b", "2"}, {"c", "3"}}));
  EXPECT_EQ(merged, Options({{"a", "1"}, {"b", "2"}, {"c", "3"}}));
}

}  // namespace
}  // namespace braid
