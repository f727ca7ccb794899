#include "types/like_pattern.h"

#include <gmock/gmock.h>

namespace braid {
namespace {

TEST(LikePatternTest, MatchesAsSql) {
  struct Case {
    std::string pattern;
    std::string text;
    bool matches;
  };
  const std::vector<Case> cases = {
      {"", "", true},
      {"", "a", false},
      {"%", "", true},
      {"alpha", "alpha", true},
      {"alpha", "alphabet", false},
      {"al%", "alpha", true},
      {"al%", "beta", false},
      {"%pha%", "al%pha_", true},
      {"%a", "beta", true},
      {"%a", "alphabet", false},
      {"a_pha", "alpha", true},
      {"a_pha", "apha", false},
      {"_", "中", true},
      {"_", "🐟", true},
      {"__", "中", false},
      {"_%", "", false},
      {"%_", "x", true},
      {"a%b%c", "a__b_bc", true},
      {"a%b%c", "a__b_bcd", false},
      {"%ab%ab", "abab", true},
      {"%ab%ab", "aab", false},
      {"%_b_%d", "xxabcxxd", true},
      {"al\\%pha\\_", "al%pha_", true},
      {"al\\%pha\\_", "alXphaX", false},
      {"\\\\", "\\", true},
      {"%%", "anything", true},
      {"a\n%", "a\nb", true},
  };
  for (const Case& c : cases) {
    const std::optional<LikePattern> pattern = LikePattern::Parse(c.pattern);
    ASSERT_TRUE(pattern.has_value()) << c.pattern;
    EXPECT_EQ(pattern->Matches(c.text), c.matches) << c.pattern << " on " << c.text;
  }
}

TEST(LikePatternTest, RefusesBadEscapes) {
  EXPECT_FALSE(LikePattern::Parse("a\\"));
  EXPECT_FALSE(LikePattern::Parse("a\\bc"));
}

TEST(LikePatternTest, FindsTheSimplerTest) {
  using Form = LikePattern::Form;
  EXPECT_EQ(LikePattern::Parse("a\\%b")->form(), Form::kEquals);
  EXPECT_EQ(LikePattern::Parse("a\\%b")->text(), "a%b");
  EXPECT_EQ(LikePattern::Parse("ab%")->form(), Form::kStartsWith);
  EXPECT_EQ(LikePattern::Parse("%%ab")->form(), Form::kEndsWith);
  EXPECT_EQ(LikePattern::Parse("%ab%")->form(), Form::kContains);
  EXPECT_EQ(LikePattern::Parse("a%b")->form(), Form::kGeneral);
  EXPECT_EQ(LikePattern::Parse("_ab")->form(), Form::kGeneral);
}

TEST(LikePatternTest, QuotesTextAsPattern) {
  const std::string quoted = LikePattern::Quote("100%_\\x");
  EXPECT_EQ(quoted, "100\\%\\_\\\\x");
  EXPECT_TRUE(LikePattern::Parse(quoted)->Matches("100%_\\x"));
}

}  // namespace
}  // namespace braid
