#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "types/data_type.h"

namespace braid {

namespace {

// Deeper types are refused so that no text can exhaust the stack.
constexpr int kMaxDepth = 200;

struct Token {
  enum class Kind { kWord, kQuotedName, kText, kNumber, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;          // words in upper case, quotes removed
  std::string as_written;    // of words, since a word may be a field's name
  std::size_t position = 0;  // in bytes, from 0
};

bool IsWordStart(char c) {
  const bool is_ascii_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_ascii_letter || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Error SyntaxError(std::string_view text, std::size_t position, std::string_view expected) {
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("cannot read the type \"{}\": expected {} at position {}", text, expected, position + 1));
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
      BRAID_TRY_ASSIGN(Token token, Next());
      tokens.push_back(std::move(token));
      if (tokens.back().kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  Result<Token> Next() {
    const std::size_t start = at_;
    if (at_ == text_.size()) return Token{Token::Kind::kEnd, "", "", start};
    const char c = text_[at_];
    if (c == '`') return Quoted(c, Token::Kind::kQuotedName);
    if (c == '\'') return Quoted(c, Token::Kind::kText);
    if (IsDigit(c)) {
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
      return Token{Token::Kind::kNumber, std::string(text_.substr(start, at_ - start)), "", start};
    }
    if (IsWordStart(c)) {
      while (at_ < text_.size() && (IsWordStart(text_[at_]) || IsDigit(text_[at_]) || text_[at_] == '$')) ++at_;
      const std::string_view word = text_.substr(start, at_ - start);
      return Token{Token::Kind::kWord, ToUpper(word), std::string(word), start};
    }
    if (std::string_view("<>(),").find(c) != std::string_view::npos) {
      ++at_;
      return Token{Token::Kind::kSymbol, std::string(1, c), "", start};
    }
    return SyntaxError(text_, start, "a type");
  }

  // A doubled quote stands for one.
  Result<Token> Quoted(char quote, Token::Kind kind) {
    Token token{kind, "", "", at_};
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != quote) {
          ++at_;
          return token;
        }
        ++at_;
      }
      token.text.push_back(text_[at_]);
    }
    return SyntaxError(text_, text_.size(), fmt::format("a closing {}", quote));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct NamedType {
  std::string_view name;
  DataType (*make)();
};

constexpr std::array<NamedType, 13> kPlainTypes = {{
    {"BOOLEAN", [] { return DataType::Boolean(); }},
    {"TINYINT", [] { return DataType::TinyInt(); }},
    {"SMALLINT", [] { return DataType::SmallInt(); }},
    {"INT", [] { return DataType::Int(); }},
    {"INTEGER", [] { return DataType::Int(); }},
    {"BIGINT", [] { return DataType::BigInt(); }},
    {"FLOAT", [] { return DataType::Float(); }},
    {"DOUBLE", [] { return DataType::Double(); }},
    {"STRING", [] { return DataType::String(); }},
    {"BYTES", [] { return DataType::Bytes(); }},
    {"DATE", [] { return DataType::Date(); }},
    {"VARIANT", [] { return DataType::Variant(); }},
    {"BLOB", [] { return DataType::Blob(); }},
}};

// For the hint at a misspelt name.
const std::vector<std::string>& TypeNames() {
  static const std::vector<std::string> names = {
      "BOOLEAN", "TINYINT", "SMALLINT", "INT",  "INTEGER",   "BIGINT",        "FLOAT",   "DOUBLE", "DECIMAL", "NUMERIC",
      "CHAR",    "VARCHAR", "STRING",   "DATE", "BINARY",    "VARBINARY",     "BYTES",   "TIME",   "VARIANT", "BLOB",
      "ARRAY",   "MAP",     "MULTISET", "ROW",  "TIMESTAMP", "TIMESTAMP_LTZ", "VECTOR"};
  return names;
}

bool IsVectorElement(TypeKind kind) { return kind >= TypeKind::kBoolean && kind <= TypeKind::kDouble; }

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens, std::int32_t next_field_id)
      : text_(text), tokens_(std::move(tokens)), next_field_id_(next_field_id) {}

  Result<DataType> Run() {
    BRAID_TRY_ASSIGN(DataType type, Type(0));
    if (Peek().kind != Token::Kind::kEnd) return Expected("the end of the type");
    return type;
  }

 private:
  const Token& Peek() const { return tokens_[at_]; }
  bool TryTake(Token::Kind kind, std::string_view text) {
    if (Peek().kind != kind || Peek().text != text) return false;
    ++at_;
    return true;
  }
  bool TryWord(std::string_view word) { return TryTake(Token::Kind::kWord, word); }
  bool TrySymbol(std::string_view symbol) { return TryTake(Token::Kind::kSymbol, symbol); }
  Error Expected(std::string_view what) const { return SyntaxError(text_, Peek().position, what); }
  Status Symbol(std::string_view symbol) {
    if (!TrySymbol(symbol)) return Expected(fmt::format("'{}'", symbol));
    return Ok();
  }
  Status Word(std::string_view word) {
    if (!TryWord(word)) return Expected(word);
    return Ok();
  }

  Result<DataType> Type(int depth) {
    if (depth > kMaxDepth) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("a type is nested more than {} levels deep", kMaxDepth));
    }
    BRAID_TRY_ASSIGN(DataType type, Base(depth));
    // Suffixes apply to all that stands before them: "INT NOT NULL ARRAY NOT NULL".
    while (true) {
      if (TryWord("NOT")) {
        BRAID_TRY(Word("NULL"));
        type = type.NotNull();
      } else if (TryWord("NULL")) {
        type = type.Nullable();
      } else if (TryWord("ARRAY")) {
        type = DataType::Array(std::move(type));
      } else if (TryWord("MULTISET")) {
        type = DataType::Multiset(std::move(type));
      } else {
        return type;
      }
      // Suffixes nest too, and nested types are destroyed and compared recursively.
      if (++suffixes_ > kMaxDepth) return Expected("fewer suffixes");
    }
  }

  Result<DataType> Base(int depth) {
    if (Peek().kind != Token::Kind::kWord) return Expected("a type");
    const Token word = Peek();
    ++at_;
    for (const NamedType& plain : kPlainTypes) {
      if (plain.name != word.text) continue;
      if (word.text == "DOUBLE") TryWord("PRECISION");
      return plain.make();
    }
    if (word.text == "CHAR") return OfLength(&DataType::Char);
    if (word.text == "VARCHAR") return OfLength(&DataType::VarChar);
    if (word.text == "BINARY") return OfLength(&DataType::Binary);
    if (word.text == "VARBINARY") return OfLength(&DataType::VarBinary);
    if (word.text == "DECIMAL" || word.text == "NUMERIC" || word.text == "DEC") return DecimalType();
    if (word.text == "TIME") return TimeType();
    if (word.text == "TIMESTAMP") return TimestampType();
    if (word.text == "TIMESTAMP_LTZ") return OfPrecision(&DataType::TimestampLtz, 6);
    if (word.text == "ARRAY") return OfElement(&DataType::Array, depth);
    if (word.text == "MULTISET") return OfElement(&DataType::Multiset, depth);
    if (word.text == "MAP") return MapType(depth);
    if (word.text == "ROW") return RowType(depth);
    if (word.text == "VECTOR") return VectorType(depth);
    return UnknownType(word);
  }

  Error UnknownType(const Token& word) const {
    Error error(ErrorCode::kInvalidArgument,
                fmt::format("cannot read the type \"{}\": there is no type {}", text_, word.as_written));
    if (const auto nearest = NearestName(word.text, TypeNames())) {
      return std::move(error).Hint(fmt::format("did you mean {}?", *nearest));
    }
    return error;
  }

  Result<std::int32_t> Number(std::int32_t low, std::int32_t high) {
    const std::optional<std::int64_t> number =
        Peek().kind == Token::Kind::kNumber ? ParseInt64(Peek().text) : std::nullopt;
    if (!number || *number < low || *number > high) return Expected(fmt::format("a number from {} to {}", low, high));
    ++at_;
    return static_cast<std::int32_t>(*number);
  }

  /// "(n)", or the fallback if no parenthesis follows.
  Result<std::int32_t> OptionalNumber(std::int32_t low, std::int32_t high, std::int32_t fallback) {
    if (!TrySymbol("(")) return fallback;
    BRAID_TRY_ASSIGN(const std::int32_t number, Number(low, high));
    BRAID_TRY(Symbol(")"));
    return number;
  }

  Result<DataType> OfLength(DataType (*make)(std::int32_t)) {
    BRAID_TRY_ASSIGN(const std::int32_t length, OptionalNumber(1, DataType::kMaxLength, 1));
    return make(length);
  }

  Result<DataType> OfPrecision(DataType (*make)(int), int fallback) {
    BRAID_TRY_ASSIGN(const std::int32_t precision, OptionalNumber(0, 9, fallback));
    return make(precision);
  }

  Result<DataType> DecimalType() {
    if (!TrySymbol("(")) return DataType::Decimal(10, 0);
    BRAID_TRY_ASSIGN(const std::int32_t precision, Number(1, 38));
    std::int32_t scale = 0;
    if (TrySymbol(",")) {
      BRAID_TRY_ASSIGN(scale, Number(0, precision));
    }
    BRAID_TRY(Symbol(")"));
    return DataType::Decimal(precision, scale);
  }

  Result<DataType> TimeType() {
    BRAID_TRY_ASSIGN(DataType type, OfPrecision(&DataType::Time, 0));
    if (TryWord("WITHOUT")) BRAID_TRY(TimeZoneWords());
    return type;
  }

  Result<DataType> TimestampType() {
    BRAID_TRY_ASSIGN(DataType type, OfPrecision(&DataType::Timestamp, 6));
    if (TryWord("WITHOUT")) {
      BRAID_TRY(TimeZoneWords());
    } else if (TryWord("WITH")) {
      BRAID_TRY(Word("LOCAL"));
      BRAID_TRY(TimeZoneWords());
      return DataType::TimestampLtz(type.precision());
    }
    return type;
  }

  Status TimeZoneWords() {
    BRAID_TRY(Word("TIME"));
    return Word("ZONE");
  }

  Result<DataType> OfElement(DataType (*make)(DataType), int depth) {
    BRAID_TRY(Symbol("<"));
    BRAID_TRY_ASSIGN(DataType element, Type(depth + 1));
    BRAID_TRY(Symbol(">"));
    return make(std::move(element));
  }

  Result<DataType> MapType(int depth) {
    BRAID_TRY(Symbol("<"));
    BRAID_TRY_ASSIGN(DataType key, Type(depth + 1));
    BRAID_TRY(Symbol(","));
    BRAID_TRY_ASSIGN(DataType value, Type(depth + 1));
    BRAID_TRY(Symbol(">"));
    return DataType::Map(std::move(key), std::move(value));
  }

  Result<DataType> VectorType(int depth) {
    BRAID_TRY(Symbol("<"));
    const std::size_t position = Peek().position;
    BRAID_TRY_ASSIGN(DataType element, Type(depth + 1));
    if (!IsVectorElement(element.kind())) {
      return SyntaxError(text_, position, "BOOLEAN or a number other than DECIMAL as the element of a VECTOR");
    }
    BRAID_TRY(Symbol(","));
    BRAID_TRY_ASSIGN(const std::int32_t length, Number(1, DataType::kMaxLength));
    BRAID_TRY(Symbol(">"));
    return DataType::Vector(std::move(element), length);
  }

  Result<DataType> RowType(int depth) {
    const std::string_view close = TrySymbol("(") ? ")" : ">";
    if (close == ">") BRAID_TRY(Symbol("<"));
    std::vector<DataField> fields;
    if (TrySymbol(close)) return DataType::Row(std::move(fields));
    do {
      BRAID_TRY_ASSIGN(DataField field, Field(depth));
      if (FindField(fields, field.name)) {
        return Error(ErrorCode::kInvalidArgument,
                     fmt::format("cannot read the type \"{}\": two fields have the name {}", text_, field.name));
      }
      fields.push_back(std::move(field));
    } while (TrySymbol(","));
    BRAID_TRY(Symbol(close));
    return DataType::Row(std::move(fields));
  }

  Result<DataField> Field(int depth) {
    const bool is_word = Peek().kind == Token::Kind::kWord;
    if (!is_word && Peek().kind != Token::Kind::kQuotedName) return Expected("the name of a field");
    std::string name = is_word ? Peek().as_written : Peek().text;
    ++at_;
    // The field's own id comes before those of the fields within it.
    const FieldId id(next_field_id_++);
    BRAID_TRY_ASSIGN(DataType type, Type(depth + 1));
    DataField field{id, std::move(name), std::move(type), std::nullopt, std::nullopt};
    const bool needs_comment = TryWord("COMMENT");
    if (Peek().kind == Token::Kind::kText) {
      field.description = Peek().text;
      ++at_;
    } else if (needs_comment) {
      return Expected("a comment in single quotes");
    }
    return field;
  }

  std::string_view text_;
  std::vector<Token> tokens_;  // ends with kEnd
  std::size_t at_ = 0;
  int suffixes_ = 0;
  std::int32_t next_field_id_;
};

}  // namespace

Result<DataType> ParseDataType(std::string_view text, std::int32_t next_field_id) {
  // Before all else, since names of coordinate systems follow that are no tokens of other types.
  const std::string start = ToUpper(Trim(text));
  if (start.starts_with("GEOMETRY") || start.starts_with("GEOGRAPHY")) {
    return Error(ErrorCode::kUnsupported, fmt::format("columns of type {} cannot be read or written", text));
  }
  BRAID_TRY_ASSIGN(std::vector<Token> tokens, Lexer(text).Run());
  return Parser(text, std::move(tokens), next_field_id).Run();
}

}  // namespace braid
