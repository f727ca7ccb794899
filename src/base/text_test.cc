#include "base/text.h"

#include <gtest/gtest.h>

namespace braid {
namespace {

TEST(TextTest, SplitsKeepingEmptyParts) {
  EXPECT_EQ(Split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_EQ(Split("", ','), std::vector<std::string>{""});
}

TEST(TextTest, ParsesWholeIntegersOnly) {
  EXPECT_EQ(ParseInt64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", " 1", "1 ", "+1", "9223372036854775808", "1x"}) EXPECT_EQ(ParseInt64(text), std::nullopt) << text;
}

TEST(TextTest, SuggestsTheNearestName) {
  const std::vector<std::string> names = {"word_table", "word_count_table", "orders"};
  EXPECT_EQ(NearestName("wordtable", names), "word_table");
  EXPECT_EQ(NearestName("ORDRES", names), "orders");
  EXPECT_EQ(NearestName("customers", names), std::nullopt);
}

TEST(TextTest, ReadsWhatHexPrints) {
  EXPECT_EQ(ToHex(std::string_view("\x00\xff\x1a", 3)), "00ff1a");
  EXPECT_EQ(FromHex("00FF1a"), std::string("\x00\xff\x1a", 3));
  EXPECT_EQ(FromHex("0"), std::nullopt);
  EXPECT_EQ(FromHex("zz"), std::nullopt);
}

}  // namespace
}  // namespace braid
