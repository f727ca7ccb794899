#include "duck/java_regex.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/result_matchers.h"

namespace braid {
namespace {

/// Group 0 and the others of the first match, "-" for none, joined by commas; "no match".
std::string FirstMatch(const std::string& pattern, const std::string& text) {
  const Result<JavaRegex> regex = JavaRegex::Compile(pattern);
  if (!regex) return "error";
  const auto match = regex->Find(text);
  if (!match) return "error";
  if (!*match) return "no match";
  std::string groups;
  for (std::size_t i = 0; i <= (*match)->group_count(); ++i) {
    groups += (i == 0 ? "" : ",") + ((*match)->took_part(i) ? std::string((*match)->group(text, i)) : "-");
  }
  return groups;
}

TEST(JavaRegexTest, FindsTheFirstMatch) {
  struct Case {
    std::string pattern;
    std::string text;
    std::string groups;
  };
  const std::vector<Case> cases = {
      {"l+", "hello", "ll"},
      {"^l", "hello", "no match"},
      {"foo(.*?)(bar)", "foothebar", "foothebar,the,bar"},
      {"(\\d+)-(\\d+)", "x100-200, 300-400", "100-200,100,200"},
      {"(a)\\1", "aa", "aa,a"},
      {"(a|ab)(c|bcd)(d*)", "abcd", "abcd,a,bcd,"},
      {"(a)|(b)", "b", "b,-,b"},
      {"a|b|cd", "xcd", "cd"},
      {"(?:a|b|c)*d", "abcabd", "abcabd"},
      {"x*", "abc", ""},
      {"a{2,3}", "aaaa", "aaa"},
      {"a{2,3}?", "aaaa", "aa"},
      {"a{2}b", "aaab", "aab"},
      {"a*+a", "aaa", "no match"},
      {"(?>a*)b", "aab", "aab"},
      {"(?i)HeLLo", "hello", "hello"},
      {"(?i:A)b", "aB", "no match"},
      {"[^a-c]+", "abcxyz", "xyz"},
      {"[\\w&&[^a]]", "b", "error"},
      {"[a\\]b]+", "x]ab", "]ab"},
      {"[a-]+", "-a", "-a"},
      {"\\bcat\\b", "a cat sat", "cat"},
      {"a.c", "a\nc", "no match"},
      {"(?s)a.c", "a\nc", "a\nc"},
      {"c$", "abc\n", "c"},
      {"(?m)^b$", "a\nb\nc", "b"},
      {"a(?=b)", "acab", "a"},
      {"a(?!c)", "acab", "a"},
      {"(?<=a)b", "bab", "b"},
      {"(?<!a)b", "abb", "b"},
      {"(?<word>\\w+) \\k<word>", "go go", "go go,go"},
      {"\\Qa.b\\E", "axb a.b", "a.b"},
      {"\\u0041\\x42", "AB", "AB"},
      {"h.llo", "xhéllo", "héllo"},
      {"[à-ü]", "é", "é"},
      {"(a*)*", "b", ","},
      {"(a|b)*c|(a|ab)*c", "abc", "abc,b,-"},
      {"\\p{Alpha}+", "12ab", "ab"},
  };
  for (const Case& c : cases) EXPECT_EQ(FirstMatch(c.pattern, c.text), c.groups) << c.pattern << " in " << c.text;
}

TEST(JavaRegexTest, FindsAllMatchesAsJavaSteps) {
  BRAID_ASSERT_OK_AND_ASSIGN(const JavaRegex regex, JavaRegex::Compile("x*"));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto matches, regex.FindAll("axb"));
  std::vector<std::size_t> begins;
  for (const auto& match : matches) begins.push_back(match.begin[0]);
  EXPECT_EQ(begins, (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(JavaRegexTest, MatchesTheWholeText) {
  BRAID_ASSERT_OK_AND_ASSIGN(const JavaRegex regex, JavaRegex::Compile("a|ab"));
  EXPECT_THAT(regex.Matches("ab"), HasValue(true));
  EXPECT_THAT(regex.Matches("abc"), HasValue(false));
}

TEST(JavaRegexTest, TakesLinearTimeWithoutReferences) {
  BRAID_ASSERT_OK_AND_ASSIGN(const JavaRegex regex, JavaRegex::Compile("(a*)*(a*)*b"));
  EXPECT_THAT(regex.Find(std::string(5000, 'a')), HasValue(testing::Eq(std::nullopt)));
}

TEST(JavaRegexTest, StopsAPatternThatExplodes) {
  BRAID_ASSERT_OK_AND_ASSIGN(const JavaRegex regex, JavaRegex::Compile("(a*)*\\1b"));
  EXPECT_THAT(regex.Find(std::string(40, 'a')), IsError(ErrorCode::kInvalidArgument));
}

TEST(JavaRegexTest, RefusesWhatJavaRefuses) {
  for (const std::string pattern : {"[", "(", ")", "a{2,1}", "*a", "\\", "[b-a]", "(?z)", "\\y", "(?<a"}) {
    EXPECT_THAT(JavaRegex::Compile(pattern), IsError(ErrorCode::kInvalidArgument)) << pattern;
  }
  EXPECT_THAT(JavaRegex::Compile("\\p{IsGreek}"), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
