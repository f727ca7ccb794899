#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "syntax/tree.h"

namespace braid::syntax {

enum class TokenKind : std::uint8_t {
  kEnd,
  kWord,           // an unquoted name or keyword
  kQuotedName,     // `name`
  kString,         // 'text', also with N or a character set before it
  kUnicodeString,  // U&'text', escapes not yet resolved
  kBinaryString,   // X'00'
  kInteger,
  kDecimal,
  kApproximate,
  kHintBegin,  // /*+
  kHintEnd,    // */ of a hint
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kSemicolon,
  kDot,
  kColon,
  kQuestion,
  kEqual,
  kNotEqual,
  kBangEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kArrow,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kConcat,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Position position;
  std::size_t length = 0;  // in the source, in bytes
  std::string text = {};   // a word in capitals; the value of a string or quoted name; a number as written
};

/// Cuts a text into tokens; the last one is kEnd. Blanks and comments vanish.
///
/// Errors: kInvalidArgument with a caret for an unterminated string, name or comment and for a character that begins no
/// token.
Result<std::vector<Token>> Tokenize(std::string_view source);

}  // namespace braid::syntax
