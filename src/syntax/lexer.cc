#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "syntax/lexer_internal.h"
#include "syntax/source.h"

namespace braid::syntax {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Calcite's rule: letters of any script, `_` and `$`, and digits but for the first.
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

bool IsWordPart(char c) {
  return IsWordStart(c) || IsDigit(c);
}

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

struct Symbol {
  std::string_view text;
  TokenKind kind;
};

// Longer ones first.
constexpr std::array kSymbols = {
    Symbol{"<>", TokenKind::kNotEqual},    Symbol{"!=", TokenKind::kBangEqual},
    Symbol{"<=", TokenKind::kLessOrEqual}, Symbol{">=", TokenKind::kGreaterOrEqual},
    Symbol{"=>", TokenKind::kArrow},       Symbol{"||", TokenKind::kConcat},
    Symbol{",", TokenKind::kComma},        Symbol{"(", TokenKind::kLeftParen},
    Symbol{")", TokenKind::kRightParen},   Symbol{".", TokenKind::kDot},
    Symbol{"=", TokenKind::kEqual},        Symbol{";", TokenKind::kSemicolon},
    Symbol{"*", TokenKind::kStar},         Symbol{"+", TokenKind::kPlus},
    Symbol{"-", TokenKind::kMinus},        Symbol{"/", TokenKind::kSlash},
    Symbol{"%", TokenKind::kPercent},      Symbol{"<", TokenKind::kLess},
    Symbol{">", TokenKind::kGreater},      Symbol{"[", TokenKind::kLeftBracket},
    Symbol{"]", TokenKind::kRightBracket}, Symbol{"{", TokenKind::kLeftBrace},
    Symbol{"}", TokenKind::kRightBrace},   Symbol{":", TokenKind::kColon},
    Symbol{"?", TokenKind::kQuestion},
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> Run() {
    while (true) {
      BRAID_TRY(SkipBlanksAndComments());
      if (at_ >= source_.size()) break;
      BRAID_TRY(Next());
    }
    if (hint_start_) return SyntaxErrorAt(source_, *hint_start_, "this hint has no end: */ is missing");
    tokens_.push_back(Token{TokenKind::kEnd, Position{source_.size()}});
    return std::move(tokens_);
  }

 private:
  char At(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool StartsWith(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  void Add(TokenKind kind, std::size_t begin, std::string text = {}) {
    tokens_.push_back(Token{kind, Position{begin}, at_ - begin, std::move(text)});
  }

  Status SkipBlanksAndComments() {
    while (at_ < source_.size()) {
      if (IsBlank(At())) {
        ++at_;
      } else if (StartsWith("--")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else if (StartsWith("/*") && !StartsWith("/*+")) {
        const std::size_t end = source_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          return SyntaxErrorAt(source_, Position{at_}, "this comment has no end: */ is missing");
        }
        at_ = end + 2;
      } else {
        break;
      }
    }
    return Ok();
  }

  Status Next() {
    const char c = At();
    if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) {
      Number();
      return Ok();
    }
    if (c == '\'') return String(TokenKind::kString, at_);
    if (c == '`') return QuotedName();
    if (IsWordStart(c)) return WordOrPrefixedString();
    if (StartsWith("/*+")) {
      hint_start_ = Position{at_};
      at_ += 3;
      Add(TokenKind::kHintBegin, at_ - 3);
      return Ok();
    }
    if (hint_start_ && StartsWith("*/")) {
      hint_start_.reset();
      at_ += 2;
      Add(TokenKind::kHintEnd, at_ - 2);
      return Ok();
    }
    return SymbolOrError();
  }

  Status SymbolOrError() {
    for (const Symbol& symbol : kSymbols) {
      if (StartsWith(symbol.text)) {
        at_ += symbol.text.size();
        Add(symbol.kind, at_ - symbol.text.size());
        return Ok();
      }
    }
    if (At() == '"') {
      return SyntaxErrorAt(source_, Position{at_}, "double quotes are no quotes in Flink SQL")
          .Hint("use 'single quotes' for texts and `back quotes` for names");
    }
    return SyntaxErrorAt(source_, Position{at_}, fmt::format("unexpected character {}", At()));
  }

  void Number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::kInteger;
    while (IsDigit(At())) ++at_;
    if (At() == '.') {
      kind = TokenKind::kDecimal;
      ++at_;
      while (IsDigit(At())) ++at_;
    }
    const bool sign = At(1) == '+' || At(1) == '-';
    if ((At() == 'e' || At() == 'E') && IsDigit(At(sign ? 2 : 1))) {
      kind = TokenKind::kApproximate;
      at_ += sign ? 2 : 1;
      while (IsDigit(At())) ++at_;
    }
    Add(kind, begin, std::string(source_.substr(begin, at_ - begin)));
  }

  // Reads up to the closing quote, at_ on the opening one; a doubled quote stands for one.
  std::optional<std::string> Quoted(char quote) {
    std::string value;
    for (++at_; at_ < source_.size(); ++at_) {
      if (At() != quote) {
        value += At();
      } else if (At(1) == quote) {
        value += quote;
        ++at_;
      } else {
        ++at_;
        return value;
      }
    }
    return std::nullopt;
  }

  Status String(TokenKind kind, std::size_t begin) {
    std::optional<std::string> value = Quoted('\'');
    if (!value) return SyntaxErrorAt(source_, Position{begin}, "this text has no end: a closing ' is missing");
    if (kind == TokenKind::kBinaryString) {
      std::optional<std::string> bytes = FromHex(*value);
      if (!bytes) {
        return SyntaxErrorAt(source_, Position{begin},
                             "a binary text X'…' takes hexadecimal digits, an even number of them");
      }
      value = std::move(bytes);
    }
    Add(kind, begin, *std::move(value));
    return Ok();
  }

  Status QuotedName() {
    const std::size_t begin = at_;
    std::optional<std::string> name = Quoted('`');
    if (!name) return SyntaxErrorAt(source_, Position{begin}, "this name has no end: a closing ` is missing");
    if (name->empty()) return SyntaxErrorAt(source_, Position{begin}, "a name in back quotes cannot be empty");
    Add(TokenKind::kQuotedName, begin, *std::move(name));
    return Ok();
  }

  Status WordOrPrefixedString() {
    const std::size_t begin = at_;
    const char c = At();
    if ((c == 'x' || c == 'X') && At(1) == '\'') {
      ++at_;
      return String(TokenKind::kBinaryString, begin);
    }
    if ((c == 'n' || c == 'N') && At(1) == '\'') {
      ++at_;
      return String(TokenKind::kString, begin);
    }
    if ((c == 'u' || c == 'U') && At(1) == '&' && At(2) == '\'') {
      at_ += 2;
      return String(TokenKind::kUnicodeString, begin);
    }
    if (c == '_') {
      if (const std::size_t length = CharacterSetLength(); length > 0) {
        at_ += length;
        return String(TokenKind::kString, begin);
      }
    }
    while (IsWordPart(At())) ++at_;
    Add(TokenKind::kWord, begin, ToUpper(source_.substr(begin, at_ - begin)));
    return Ok();
  }

  // Length of _UTF8 or _UTF-16LE directly before a quote, else 0. The text is UTF-8 whatever is named: so are the
  // scripts.
  std::size_t CharacterSetLength() const {
    std::size_t length = 1;
    while (IsWordPart(At(length)) || At(length) == '-' || At(length) == '.' || At(length) == ':') ++length;
    return length > 1 && At(length) == '\'' ? length : 0;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::optional<Position> hint_start_;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> Tokenize(std::string_view source) {
  return Lexer(source).Run();
}

}  // namespace braid::syntax
