#include "syntax/source.h"

#include <gtest/gtest.h>

namespace braid::syntax {
namespace {

TEST(SourceTest, CountsLinesAndCharactersFromOne) {
  const std::string_view text = "SELECT\n  'ü' + x";
  EXPECT_EQ(LineColumnOf(text, Position{0}), (LineColumn{1, 1}));
  EXPECT_EQ(LineColumnOf(text, Position{9}), (LineColumn{2, 3}));
  EXPECT_EQ(LineColumnOf(text, Position{14}), (LineColumn{2, 7}));  // ü is two bytes, one character
  EXPECT_EQ(LineColumnOf(text, Position{999}), (LineColumn{2, 10}));
}

TEST(SourceTest, ShowsTheLineWithACaret) {
  const Error error = SyntaxErrorAt("SELECT 1,\n       nope\nFROM t", Position{17}, "no column `nope`");
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message(),
            "no column `nope`, at line 2, column 8\n"
            "           nope\n"
            "           ^");
}

TEST(SourceTest, CutsLongLinesAroundTheCaret) {
  const std::string text = std::string(300, 'a') + "!" + std::string(300, 'b');
  const Error error = SyntaxErrorAt(text, Position{300}, "odd");
  EXPECT_EQ(error.message(), "odd, at line 1, column 301\n    ..." + std::string(50, 'a') + "!" + std::string(49, 'b') +
                                 "...\n" + std::string(4 + 3 + 50, ' ') + "^");
}

}  // namespace
}  // namespace braid::syntax
