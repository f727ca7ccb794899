#include "base/json.h"

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

TEST(JsonTest, KeepsIntegersOf64Bits) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(R"([9223372036854775807, -9223372036854775808])"));
  EXPECT_EQ(json.as_array()[0].as_integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(json.as_array()[1].as_integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(PrintJson(json), "[9223372036854775807,-9223372036854775808]");
}

TEST(JsonTest, KeepsTheOrderOfMembers) {
  const std::string text = R"({"b":1,"a":{"z":[],"y":null},"":true})";
  BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(text));
  EXPECT_EQ(PrintJson(json), text);
}

TEST(JsonTest, PrintsPrettyAsJavaReadersExpect) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(R"({"a":[1,{"b":"c"}],"d":{}})"));
  EXPECT_EQ(PrintJsonPretty(json), "{\n  \"a\" : [\n    1,\n    {\n      \"b\" : \"c\"\n    }\n  ],\n  \"d\" : {}\n}");
}

TEST(JsonTest, EscapesOnlyWhatMustBe) {
  EXPECT_EQ(PrintJson(Json("\"\\/\n\x01é")), "\"\\\"\\\\/\\n\\u0001é\"");
}

TEST(JsonTest, RefusesDamagedText) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "nul", "1 2", "\"\xff\""}) {
    EXPECT_THAT(ParseJson(text), IsError(ErrorCode::kCorruption)) << text;
  }
  EXPECT_THAT(ParseJson(std::string(100000, '[')), HasMessage("nested deeper than 512"));
}

TEST(JsonTest, NamesTheMemberThatIsWrong) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Json json, ParseJson(R"({"id":"x","n":null})"));
  EXPECT_THAT(json.GetInteger("id"), HasMessage("'id' is not an integer"));
  EXPECT_THAT(json.GetString("n"), HasMessage("'n' is missing"));
  EXPECT_THAT(json.FindString("n"), HasValue(std::optional<std::string>()));
}

}  // namespace
}  // namespace braid
