#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/result_matchers.h"
#include "syntax/lexer_internal.h"

namespace braid::syntax {
namespace {

using testing::ElementsAre;

std::vector<TokenKind> Kinds(std::string_view text) {
  const Result<std::vector<Token>> tokens = Tokenize(text);
  EXPECT_THAT(tokens, IsOk());
  std::vector<TokenKind> kinds;
  if (tokens) {
    for (const Token& token : *tokens) kinds.push_back(token.kind);
  }
  return kinds;
}

Token First(std::string_view text) {
  const Result<std::vector<Token>> tokens = Tokenize(text);
  EXPECT_THAT(tokens, IsOk());
  return tokens ? tokens->front() : Token{};
}

TEST(LexerTest, TakesTheLongestSymbol) {
  EXPECT_THAT(
      Kinds("<= <> < > => != || ."),
      ElementsAre(TokenKind::kLessOrEqual, TokenKind::kNotEqual, TokenKind::kLess, TokenKind::kGreater,
                  TokenKind::kArrow, TokenKind::kBangEqual, TokenKind::kConcat, TokenKind::kDot, TokenKind::kEnd));
}

TEST(LexerTest, TellsNumbersApart) {
  EXPECT_THAT(Kinds("1 1.5 .5 1. 1e3 2.5E-3 1.e2"),
              ElementsAre(TokenKind::kInteger, TokenKind::kDecimal, TokenKind::kDecimal, TokenKind::kDecimal,
                          TokenKind::kApproximate, TokenKind::kApproximate, TokenKind::kApproximate, TokenKind::kEnd));
  // An e without digits begins a word.
  EXPECT_THAT(Kinds("1e"), ElementsAre(TokenKind::kInteger, TokenKind::kWord, TokenKind::kEnd));
}

TEST(LexerTest, KeepsDollarAndForeignLettersInWords) {
  EXPECT_EQ(First("t$branch_x.y").text, "T$BRANCH_X");
  EXPECT_EQ(First("größe1 ").length, std::string_view("größe1").size());
}

TEST(LexerTest, ResolvesDoubledQuotes) {
  EXPECT_EQ(First("'it''s'").text, "it's");
  EXPECT_EQ(First("`a``b`").text, "a`b");
}

TEST(LexerTest, ReadsPrefixesOfTexts) {
  EXPECT_EQ(First("X'00fF'").text, std::string("\x00\xff", 2));
  EXPECT_EQ(First("n'x'").text, "x");
  EXPECT_EQ(First("_UTF-16LE'x'").text, "x");
  EXPECT_EQ(First("U&'\\0041'").kind, TokenKind::kUnicodeString);
  // A blank between makes the prefix a name.
  EXPECT_EQ(First("_UTF8 'x'").kind, TokenKind::kWord);
}

TEST(LexerTest, SkipsCommentsButNotHints) {
  EXPECT_THAT(
      Kinds("a -- b\n/* c ' */ /*+ d('*/') */ e"),
      ElementsAre(TokenKind::kWord, TokenKind::kHintBegin, TokenKind::kWord, TokenKind::kLeftParen, TokenKind::kString,
                  TokenKind::kRightParen, TokenKind::kHintEnd, TokenKind::kWord, TokenKind::kEnd));
}

TEST(LexerTest, RefusesWhatHasNoEnd) {
  EXPECT_THAT(Tokenize("SELECT 'abc"), HasMessage("a closing ' is missing, at line 1, column 8"));
  EXPECT_THAT(Tokenize("SELECT `abc"), HasMessage("a closing ` is missing"));
  EXPECT_THAT(Tokenize("/* x"), HasMessage("*/ is missing"));
  EXPECT_THAT(Tokenize("t /*+ x"), HasMessage("this hint has no end"));
}

TEST(LexerTest, RefusesWhatIsNoFlinkSql) {
  EXPECT_THAT(Tokenize("SELECT \"x\""), HasMessage("`back quotes`"));
  EXPECT_THAT(Tokenize("SELECT X'0'"), HasMessage("hexadecimal"));
  EXPECT_THAT(Tokenize("SELECT ``"), HasMessage("empty"));
  EXPECT_THAT(Tokenize("a # b"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid::syntax
