#include "base/option_lists.h"

#include <gmock/gmock.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

TEST(OptionPairsTest, ReadsPairs) {
  EXPECT_THAT(ParseOptionPairs(""), HasValue(Options()));
  EXPECT_THAT(ParseOptionPairs(" a = 1 , b=x=y,c=,"),
              HasValue(Options(Options::Map{{"a", "1"}, {"b", "x=y"}, {"c", ""}})));
}

TEST(OptionPairsTest, NamesWhatIsNoPair) {
  for (const char* text : {"a=1,b", "=1", "a=1,=2"}) {
    EXPECT_THAT(ParseOptionPairs(text), IsError(ErrorCode::kInvalidArgument)) << text;
  }
  EXPECT_THAT(ParseOptionPairs("a=1, b "), HasMessage("'b'"));
}

TEST(OptionListsTest, PartsHaveNoBlanksAround) {
  EXPECT_THAT(ParseList(" a ,b c,,d "), testing::ElementsAre("a", "b c", "", "d"));
  EXPECT_THAT(ParseList(""), testing::ElementsAre(""));
}

}  // namespace
}  // namespace braid
