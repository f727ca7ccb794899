#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "types/cast.h"
#include "types/date_time.h"
#include "types/like_pattern.h"
#include "types/number_text.h"
#include "types/predicate.h"

namespace braid {

namespace {

using Op = Predicate::Op;

enum class TokenKind { kWord, kText, kName, kSymbol, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // without quotes
  std::size_t position = 0;
};

bool IsSymbol(char c) { return std::string_view("=<>!(),").find(c) != std::string_view::npos; }
bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

Error FilterError(const Token& token, std::string_view expected) {
  const std::string found = token.kind == TokenKind::kEnd ? "the end" : fmt::format("'{}'", token.text);
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("cannot read the filter at position {}: expected {}, found {}", token.position + 1, expected,
                           found));
}

/// Text between quotes in which a doubled quote stands for one; `at` moves behind the closing quote.
Result<std::string> ReadQuoted(std::string_view text, std::size_t& at) {
  const char quote = text[at];
  const std::size_t start = at;
  std::string out;
  for (++at; at < text.size(); ++at) {
    if (text[at] != quote) {
      out += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == quote) {
      out += text[at++];
    } else {
      ++at;
      return out;
    }
  }
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("cannot read the filter: the quote {} at position {} is not closed", quote, start + 1));
}

Result<std::vector<Token>> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && IsBlank(text[at])) ++at;
    Token token{TokenKind::kEnd, {}, at};
    if (at == text.size()) {
      tokens.push_back(std::move(token));
      return tokens;
    }
    if (text[at] == '\'' || text[at] == '`') {
      token.kind = text[at] == '\'' ? TokenKind::kText : TokenKind::kName;
      BRAID_TRY_ASSIGN(token.text, ReadQuoted(text, at));
    } else if (IsSymbol(text[at])) {
      token.kind = TokenKind::kSymbol;
      const std::string_view two = text.substr(at, 2);
      token.text = two == "<>" || two == "!=" || two == "<=" || two == ">=" ? two : text.substr(at, 1);
      at += token.text.size();
    } else {
      token.kind = TokenKind::kWord;
      while (at < text.size() && !IsBlank(text[at]) && !IsSymbol(text[at]) && text[at] != '\'' && text[at] != '`') {
        token.text += text[at++];
      }
    }
    tokens.push_back(std::move(token));
  }
}

Op Opposite(Op op) {
  constexpr std::array<std::pair<Op, Op>, 8> kPairs = {{{Op::kEqual, Op::kNotEqual},
                                                        {Op::kLess, Op::kGreaterOrEqual},
                                                        {Op::kGreater, Op::kLessOrEqual},
                                                        {Op::kIsNull, Op::kIsNotNull},
                                                        {Op::kIn, Op::kNotIn},
                                                        {Op::kBetween, Op::kNotBetween},
                                                        {Op::kLike, Op::kNotLike},
                                                        {Op::kTrue, Op::kFalse}}};
  for (const auto& [a, b] : kPairs) {
    if (op == a) return b;
    if (op == b) return a;
  }
  return op;
}

/// NOT of a condition: since no test of NULL but IS [NOT] NULL is ever true, the opposite test says the same.
PredicatePtr Negate(const Predicate& predicate) {
  const auto not_like = [&predicate](const char* before, const char* after) {
    const Datum& literal = predicate.literals()[0];
    Datum pattern = literal.is_null() ? literal : Datum(before + LikePattern::Quote(literal.as_string()) + after);
    return Predicate::Leaf(Op::kNotLike, predicate.column(), predicate.type(), {std::move(pattern)});
  };
  switch (predicate.op()) {
    case Op::kAnd:
    case Op::kOr: {
      std::vector<PredicatePtr> children;
      for (const PredicatePtr& child : predicate.children()) children.push_back(Negate(*child));
      return predicate.op() == Op::kAnd ? Predicate::Or(std::move(children)) : Predicate::And(std::move(children));
    }
    case Op::kTrue:
    case Op::kFalse: return Predicate::Constant(predicate.op() == Op::kFalse);
    case Op::kStartsWith: return not_like("", "%");
    case Op::kEndsWith: return not_like("%", "");
    case Op::kContains: return not_like("%", "%");
    default:
      return Predicate::Leaf(Opposite(predicate.op()), predicate.column(), predicate.type(), predicate.literals());
  }
}

std::optional<Op> ComparisonOf(const Token& token) {
  if (token.kind != TokenKind::kSymbol) return std::nullopt;
  if (token.text == "=") return Op::kEqual;
  if (token.text == "<>" || token.text == "!=") return Op::kNotEqual;
  if (token.text == "<") return Op::kLess;
  if (token.text == "<=") return Op::kLessOrEqual;
  if (token.text == ">") return Op::kGreater;
  if (token.text == ">=") return Op::kGreaterOrEqual;
  return std::nullopt;
}

/// What a literal of the type looks like; empty if columns of the type cannot be compared.
std::string_view LiteralForm(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return "true or false";
    case TypeKind::kChar:
    case TypeKind::kVarChar: return "text in single quotes";
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return "bytes such as x'00ff'";
    case TypeKind::kDate: return "a date such as '2024-02-29'";
    case TypeKind::kTime: return "a time such as '12:34:56.789'";
    case TypeKind::kTimestamp: return "a timestamp such as '2024-02-29 12:34:56.789'";
    case TypeKind::kTimestampLtz: return "a timestamp such as '2024-02-29 12:34:56.789Z'";
    default: return type.is_numeric() ? "a number" : "";
  }
}

std::optional<Datum> ParseIntegerLiteral(std::string_view text, const DataType& type) {
  // A cast would drop a fraction, and with it what the comparison means.
  if (text.find('.') != std::string_view::npos) return std::nullopt;
  const int bits = type.kind() == TypeKind::kTinyInt    ? 8
                   : type.kind() == TypeKind::kSmallInt ? 16
                   : type.kind() == TypeKind::kInt      ? 32
                                                        : 64;
  const std::optional<std::int64_t> value = ParseJavaInteger(text, bits);
  return value ? std::optional<Datum>(*value) : std::nullopt;
}

std::optional<Datum> ParseLiteralText(std::string_view text, const DataType& type) {
  const bool digits_only = text.find_first_not_of("+-0123456789") == std::string_view::npos;
  switch (type.kind()) {
    case TypeKind::kChar:
    case TypeKind::kVarChar: return Datum(std::string(text));  // never cut: longer text equals no value
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: {
      std::optional<std::string> bytes = FromHex(text);
      return bytes ? std::optional<Datum>(*std::move(bytes)) : std::nullopt;
    }
    case TypeKind::kDate: {
      std::optional<std::int32_t> days = ParseIsoDate(text);
      // Digits alone are a number of days to a cast, which nobody means here.
      if (!days && text.find('-', 1) != std::string_view::npos) days = ParseJavaDate(text);
      return days ? std::optional<Datum>(std::int64_t{*days}) : std::nullopt;
    }
    case TypeKind::kTime: {
      const std::optional<std::int32_t> millis = digits_only ? std::nullopt : ParseJavaTime(text);
      const bool valid = millis && *millis >= 0 && *millis < kMillisPerDay;
      return valid ? std::optional<Datum>(std::int64_t{*millis}) : std::nullopt;
    }
    default: break;
  }
  if (type.is_integer()) return ParseIntegerLiteral(text, type);
  if (type.is_timestamp() && text.find('-', 1) == std::string_view::npos) return std::nullopt;
  Result<Datum> value = ParseDatum(text, type);
  return value ? std::optional<Datum>(*std::move(value)) : std::nullopt;
}

class FilterParser {
 public:
  FilterParser(std::vector<Token> tokens, std::span<const DataField> fields)
      : tokens_(std::move(tokens)), fields_(fields) {}

  Result<PredicatePtr> Parse() {
    BRAID_TRY_ASSIGN(PredicatePtr predicate, ParseOr());
    if (Peek().kind != TokenKind::kEnd) return FilterError(Peek(), "AND, OR or the end");
    return predicate;
  }

 private:
  static constexpr int kMaxDepth = 500;

  const Token& Peek() const { return tokens_[at_]; }
  /// The token, and moves on; stays at the end.
  const Token& Next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool Accept(std::string_view word) {
    const bool is_word = Peek().kind == TokenKind::kWord || Peek().kind == TokenKind::kSymbol;
    if (!is_word || !EqualsIgnoreCase(Peek().text, word)) return false;
    Next();
    return true;
  }
  Status Expect(std::string_view word) {
    if (!Accept(word)) return FilterError(Peek(), word);
    return Ok();
  }

  Result<PredicatePtr> ParseOr() {
    std::vector<PredicatePtr> parts;
    do {
      BRAID_TRY_ASSIGN(PredicatePtr part, ParseAnd());
      parts.push_back(std::move(part));
    } while (Accept("OR"));
    return Predicate::Or(std::move(parts));
  }

  Result<PredicatePtr> ParseAnd() {
    std::vector<PredicatePtr> parts;
    do {
      BRAID_TRY_ASSIGN(PredicatePtr part, ParseTerm());
      parts.push_back(std::move(part));
    } while (Accept("AND"));
    return Predicate::And(std::move(parts));
  }

  Result<PredicatePtr> ParseTerm() {
    bool negated = false;
    while (Accept("NOT")) negated = !negated;
    BRAID_TRY_ASSIGN(PredicatePtr term, ParsePositiveTerm());
    return negated ? Negate(*term) : term;
  }

  Result<PredicatePtr> ParsePositiveTerm() {
    if (Accept("(")) {
      if (++depth_ > kMaxDepth) return FilterError(Peek(), fmt::format("at most {} parentheses", kMaxDepth));
      BRAID_TRY_ASSIGN(PredicatePtr inner, ParseOr());
      BRAID_TRY(Expect(")"));
      --depth_;
      return inner;
    }
    const bool is_column = Peek().kind == TokenKind::kWord && FindField(fields_, Peek().text).has_value();
    if (!is_column && Accept("TRUE")) return Predicate::Constant(true);
    if (!is_column && Accept("FALSE")) return Predicate::Constant(false);
    BRAID_TRY_ASSIGN(const DataField* field, ParseColumn());
    return ParseTest(*field);
  }

  Result<const DataField*> ParseColumn() {
    const Token& token = Peek();
    if (token.kind != TokenKind::kWord && token.kind != TokenKind::kName) {
      return FilterError(token, "the name of a column");
    }
    if (const std::optional<std::size_t> at = FindField(fields_, token.text)) {
      Next();
      return &fields_[*at];
    }
    std::vector<std::string> names;
    for (const DataField& field : fields_) names.push_back(field.name);
    Error error(ErrorCode::kInvalidArgument,
                fmt::format("the filter names an unknown column {} at position {}", token.text, token.position + 1));
    const std::optional<std::string> nearest = NearestName(token.text, names);
    return std::move(error).Hint(nearest ? fmt::format("did you mean {}?", *nearest)
                                         : fmt::format("the columns are {}", Join(names, ", ")));
  }

  Result<PredicatePtr> ParseTest(const DataField& field) {
    if (Accept("IS")) {
      const bool negated = Accept("NOT");
      BRAID_TRY(Expect("NULL"));
      return Predicate::Leaf(negated ? Op::kIsNotNull : Op::kIsNull, field.name, field.type);
    }
    const bool negated = Accept("NOT");
    if (Accept("IN")) return ParseIn(field, negated ? Op::kNotIn : Op::kIn);
    if (Accept("BETWEEN")) return ParseBetween(field, negated ? Op::kNotBetween : Op::kBetween);
    if (Accept("LIKE")) return ParseLike(field, negated);
    if (negated) return FilterError(Peek(), "IN, BETWEEN or LIKE");
    const std::optional<Op> op = ComparisonOf(Peek());
    if (!op) return FilterError(Peek(), fmt::format("a comparison after {}", field.name));
    Next();
    BRAID_TRY_ASSIGN(Datum literal, ParseLiteral(field));
    return Predicate::Leaf(*op, field.name, field.type, {std::move(literal)});
  }

  Result<PredicatePtr> ParseIn(const DataField& field, Op op) {
    std::vector<Datum> literals;
    BRAID_TRY(Expect("("));
    do {
      BRAID_TRY_ASSIGN(Datum literal, ParseLiteral(field));
      literals.push_back(std::move(literal));
    } while (Accept(","));
    BRAID_TRY(Expect(")"));
    return Predicate::Leaf(op, field.name, field.type, std::move(literals));
  }

  Result<PredicatePtr> ParseBetween(const DataField& field, Op op) {
    BRAID_TRY_ASSIGN(Datum low, ParseLiteral(field));
    BRAID_TRY(Expect("AND"));
    BRAID_TRY_ASSIGN(Datum high, ParseLiteral(field));
    return Predicate::Leaf(op, field.name, field.type, {std::move(low), std::move(high)});
  }

  Result<PredicatePtr> ParseLike(const DataField& field, bool negated) {
    const Token token = Peek();
    if (!field.type.is_text()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("LIKE takes text, but column {} is {}", field.name,
                                                            field.type.Nullable().ToString()));
    }
    BRAID_TRY_ASSIGN(Datum literal, ParseLiteral(field));
    const Op op = negated ? Op::kNotLike : Op::kLike;
    if (literal.is_null()) return Predicate::Leaf(op, field.name, field.type, {std::move(literal)});
    const std::optional<LikePattern> pattern = LikePattern::Parse(literal.as_string());
    if (!pattern) return FilterError(token, "a pattern in which only %, _ and \\ follow a \\");
    const auto leaf = [&](Op simpler) { return Predicate::Leaf(simpler, field.name, field.type, {pattern->text()}); };
    // Simpler tests can be checked against bounds of columns.
    if (pattern->form() == LikePattern::Form::kEquals) return leaf(negated ? Op::kNotEqual : Op::kEqual);
    if (!negated) {
      if (pattern->form() == LikePattern::Form::kStartsWith) return leaf(Op::kStartsWith);
      if (pattern->form() == LikePattern::Form::kEndsWith) return leaf(Op::kEndsWith);
      if (pattern->form() == LikePattern::Form::kContains) return leaf(Op::kContains);
    }
    return Predicate::Leaf(op, field.name, field.type, {std::move(literal)});
  }

  /// NULL, a number or another bare word, text in quotes, or text in quotes after x, DATE, TIME or TIMESTAMP.
  Result<Datum> ParseLiteral(const DataField& field) {
    const std::string_view form = LiteralForm(field.type);
    if (form.empty()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("column {} of type {} can be tested for NULL only", field.name,
                                                            field.type.Nullable().ToString()));
    }
    Token token = Peek();
    if (Accept("NULL")) return Datum();
    const bool is_last = token.kind == TokenKind::kEnd;
    const bool prefixed = !is_last && tokens_[at_ + 1].kind == TokenKind::kText && IsLiteralPrefix(token, field.type);
    if (prefixed) {
      Next();
      token = Peek();
    }
    const bool bare = token.kind == TokenKind::kWord && (field.type.is_numeric() || field.type.kind() == TypeKind::kBoolean);
    if (token.kind == TokenKind::kText || bare) {
      if (std::optional<Datum> literal = ParseLiteralText(token.text, field.type)) {
        Next();
        return *std::move(literal);
      }
    }
    return FilterError(token, fmt::format("{} for column {} of type {}", form, field.name,
                                          field.type.Nullable().ToString()));
  }

  static bool IsLiteralPrefix(const Token& token, const DataType& type) {
    if (token.kind != TokenKind::kWord) return false;
    if (type.is_bytes()) return EqualsIgnoreCase(token.text, "x");
    if (type.kind() == TypeKind::kDate) return EqualsIgnoreCase(token.text, "DATE");
    if (type.kind() == TypeKind::kTime) return EqualsIgnoreCase(token.text, "TIME");
    return type.is_timestamp() && EqualsIgnoreCase(token.text, "TIMESTAMP");
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::span<const DataField> fields_;  // the caller's, for the time of Parse
};

}  // namespace

Result<PredicatePtr> ParseFilter(std::string_view text, std::span<const DataField> fields) {
  BRAID_TRY_ASSIGN(std::vector<Token> tokens, Tokenize(text));
  return FilterParser(std::move(tokens), fields).Parse();
}

}  // namespace braid
