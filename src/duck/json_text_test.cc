#include "duck/json_text.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

std::string Printed(const std::string& text) {
  const std::optional<JsonNode> node = ParseJsonNode(text);
  if (!node) return "no JSON";
  std::string out;
  AppendJsonNode(*node, out);
  return out;
}

/// What a path leads to, joined by blanks.
std::string Found(const std::string& json, const std::string& path_text) {
  const std::optional<JsonNode> root = ParseJsonNode(json);
  const Result<JsonPath> path = JsonPath::Parse(path_text);
  if (!root || !path) return "error";
  const auto nodes = path->Find(*root);
  if (!nodes) return "nothing";
  std::string out;
  for (const JsonNode* node : *nodes) {
    if (!out.empty()) out += ' ';
    AppendJsonNode(*node, out);
  }
  return out;
}

TEST(JsonTextTest, KeepsNumbersAsWritten) {
  EXPECT_EQ(Printed(R"( { "a" : 1.50 , "b" : [ 1e5 , -0 ] } )"), R"({"a":1.50,"b":[1e5,-0]})");
  EXPECT_EQ(Printed(R"("a\u00e4\ud83d\ude00\n\u0001")"), "\"aä😀\\n\\u0001\"");
}

TEST(JsonTextTest, RefusesWhatIsNoJson) {
  for (const char* text : {"", "nope", "{", "[1,]", "{\"a\"}", "01", "1.", "'a'", "[1] 2", "\"\\x\"", "\"\t\""}) {
    EXPECT_EQ(Printed(text), "no JSON") << text;
  }
}

TEST(JsonTextTest, FollowsPaths) {
  const std::string json = R"({"a":{"b":[1,2,{"c":3}]},"x y":4,"c":5})";
  EXPECT_EQ(Found(json, "$.a.b[0]"), "1");
  EXPECT_EQ(Found(json, "lax $.a.b[-1].c"), "3");
  EXPECT_EQ(Found(json, "$['x y']"), "4");
  EXPECT_EQ(Found(json, "$.a.b[*]"), R"(1 2 {"c":3})");
  EXPECT_EQ(Found(json, "$..c"), "5 3");
  EXPECT_EQ(Found(json, "$.a.z"), "nothing");
  EXPECT_EQ(Found(json, "a.b"), "error");
}

TEST(JsonTextTest, RefusesFiltersByName) {
  EXPECT_THAT(JsonPath::Parse("$.a[?(@.b > 1)]"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(JsonPath::Parse("$.a.size()"), IsError(ErrorCode::kUnsupported));
  EXPECT_THAT(JsonPath::Parse("$."), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
