#include "syntax/parser.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "syntax/keywords.h"
#include "syntax/parser_internal.h"
#include "syntax/source.h"
#include "syntax/unquoted_set_internal.h"

namespace braid::syntax {

Result<Parser> Parser::Make(std::string_view source) {
  BRAID_TRY_ASSIGN(std::vector<Token> tokens, Tokenize(source));
  return Parser(source, std::move(tokens));
}

Status Parser::Nesting::Check() const {
  if (parser_.depth_ <= kMaxNesting) return Ok();
  return SyntaxErrorAt(parser_.source_, parser_.Here(), fmt::format("nested more than {} levels deep", kMaxNesting))
      .Hint("give inner parts a name with WITH or CREATE VIEW");
}

Status Parser::AddLink() {
  if (++tallest_ <= kMaxTreeHeight) return Ok();
  return SyntaxErrorAt(source_, Here(), fmt::format("more than {} operators on top of each other", kMaxTreeHeight))
      .Hint("split long chains into parts in parentheses, or use IN, VALUES or CONCAT");
}

// ---- Tokens ----

const Token& Parser::Peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token Parser::Take() {
  Token token = Peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool Parser::Accept(TokenKind kind) {
  if (!At(kind)) return false;
  if (next_ + 1 < tokens_.size()) ++next_;
  return true;
}

Status Parser::Expect(TokenKind kind, std::string_view what) {
  return Accept(kind) ? Ok() : Status(Expected(what));
}

bool Parser::AtWord(std::string_view keyword, std::size_t ahead) const {
  const Token& token = Peek(ahead);
  if (token.kind != TokenKind::kWord) return false;
  if (token.text == keyword) return true;
  if (ahead == 0) {
    if (tried_at_ != next_) tried_.clear();
    tried_at_ = next_;
    tried_.push_back(keyword);
  }
  return false;
}

bool Parser::AtWords(std::initializer_list<std::string_view> keywords) const {
  std::size_t ahead = 0;
  for (const std::string_view keyword : keywords) {
    if (!AtWord(keyword, ahead++)) return false;
  }
  return true;
}

bool Parser::AcceptWord(std::string_view keyword) {
  if (!AtWord(keyword)) return false;
  ++next_;
  return true;
}

bool Parser::AcceptWords(std::initializer_list<std::string_view> keywords) {
  if (!AtWords(keywords)) return false;
  next_ += keywords.size();
  return true;
}

Status Parser::ExpectWord(std::string_view keyword) {
  return AcceptWord(keyword) ? Ok() : Status(Expected(keyword));
}

Status Parser::ExpectWords(std::initializer_list<std::string_view> keywords) {
  for (const std::string_view keyword : keywords) BRAID_TRY(ExpectWord(keyword));
  return Ok();
}

bool Parser::AtIdentifier(std::size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !IsReservedWord(token.text));
}

std::string Parser::DescribeToken(const Token& token) const {
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  if (token.kind == TokenKind::kWord && IsReservedWord(token.text)) return fmt::format("the keyword {}", token.text);
  std::string_view text = TokenText(token);
  constexpr std::size_t kShown = 40;
  if (text.size() <= kShown) return std::string(text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("{}...", text.substr(0, end));
}

Error Parser::Expected(std::string_view what) const {
  const Token& token = Peek();
  Error error =
      SyntaxErrorAt(source_, token.position, fmt::format("expected {}, found {}", what, DescribeToken(token)));
  if (token.kind != TokenKind::kWord) return error;
  if (!IsReservedWord(token.text) && tried_at_ == next_) {
    const std::vector<std::string> candidates(tried_.begin(), tried_.end());
    if (std::optional<std::string> nearest = NearestName(token.text, candidates)) {
      return std::move(error).Hint(fmt::format("did you mean {}?", *nearest));
    }
  }
  if (AtWord("COLUMN") && what.find("column's name") != std::string_view::npos)
    return std::move(error).Hint("leave the word COLUMN out");
  if (IsReservedWord(token.text) && what.find("name") != std::string_view::npos) {
    return std::move(error).Hint(
        fmt::format("{} is a reserved word; as a name it goes in back quotes: `{}`", token.text, TokenText(token)));
  }
  return error;
}

Error Parser::Unsupported(std::string_view what, std::string_view remedy) const {
  return ErrorAt(ErrorCode::kUnsupported, source_, Here(), fmt::format("{} is not supported", what))
      .Hint(std::string(remedy));
}

Status Parser::ExpectEnd() {
  Accept(TokenKind::kSemicolon);
  if (At(TokenKind::kEnd)) return Ok();
  if (tokens_[next_ == 0 ? 0 : next_ - 1].kind == TokenKind::kSemicolon) return Expected("one statement alone");
  return Expected("the end of the statement");
}

// ---- Small parts ----

Result<Identifier> Parser::ParseIdentifier(std::string_view what) {
  if (!AtIdentifier()) return Expected(what);
  const Token token = Take();
  return Identifier{token.position, token.kind == TokenKind::kQuotedName ? token.text : std::string(TokenText(token))};
}

Result<QualifiedName> Parser::ParseQualifiedName(std::string_view what) {
  QualifiedName name;
  do {
    BRAID_TRY_ASSIGN(Identifier part, ParseIdentifier(what));
    name.parts.push_back(std::move(part));
  } while (Accept(TokenKind::kDot));
  return name;
}

namespace {

std::optional<unsigned> HexValue(std::string_view digits) {
  unsigned value = 0;
  for (const char c : digits) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

void AppendUtf8(std::string& out, unsigned code) {
  const auto byte = [&out](unsigned value) { out += static_cast<char>(value); };
  if (code < 0x80U) {
    byte(code);
  } else if (code < 0x800U) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000U) {
    byte(0xE0U | (code >> 12U));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | (code >> 18U));
    byte(0x80U | ((code >> 12U) & 0x3FU));
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

bool IsHighSurrogate(unsigned code) {
  return code >= 0xD800U && code < 0xDC00U;
}
bool IsLowSurrogate(unsigned code) {
  return code >= 0xDC00U && code < 0xE000U;
}

}  // namespace

// \XXXX is a UTF-16 unit, so a pair of surrogates makes one character; a doubled escape stands for itself.
Result<std::string> Parser::ResolveUnicodeEscapes(const Token& token, char escape) const {
  const Error malformed =
      SyntaxErrorAt(source_, token.position,
                    fmt::format("U&'…' takes {0}XXXX with four hexadecimal digits, or {0}{0} for {0} itself", escape));
  const std::string_view text = token.text;
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != escape) {
      out += text[i++];
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == escape) {
      out += escape;
      i += 2;
      continue;
    }
    const std::optional<unsigned> code = i + 5 <= text.size() ? HexValue(text.substr(i + 1, 4)) : std::nullopt;
    if (!code || IsLowSurrogate(*code)) return malformed;
    i += 5;
    if (!IsHighSurrogate(*code)) {
      AppendUtf8(out, *code);
      continue;
    }
    const std::optional<unsigned> low =
        i + 5 <= text.size() && text[i] == escape ? HexValue(text.substr(i + 1, 4)) : std::nullopt;
    if (!low || !IsLowSurrogate(*low)) return malformed;
    AppendUtf8(out, 0x10000U + ((*code - 0xD800U) << 10U) + (*low - 0xDC00U));
    i += 5;
  }
  return out;
}

Result<std::string> Parser::ParseString(std::string_view what) {
  if (At(TokenKind::kUnicodeString)) {
    const Token token = Take();
    char escape = '\\';
    if (AcceptWord("UESCAPE")) {
      const Position position = Here();
      BRAID_TRY_ASSIGN(const std::string given, ParseString("the escape character"));
      if (given.size() != 1) return SyntaxErrorAt(source_, position, "UESCAPE takes one character");
      escape = given.front();
    }
    return ResolveUnicodeEscapes(token, escape);
  }
  if (!At(TokenKind::kString)) return Expected(what);
  Token piece = Take();
  std::string value = piece.text;
  // Texts on lines of their own continue the one before, as in the SQL standard.
  while (At(TokenKind::kString)) {
    const std::size_t end = piece.position.offset + piece.length;
    if (source_.substr(end, Here().offset - end).find('\n') == std::string_view::npos) {
      return SyntaxErrorAt(source_, Here(), "two texts side by side on one line")
          .Hint("join them with ||, or double a quote within a text");
    }
    piece = Take();
    value += piece.text;
  }
  return value;
}

Result<std::int64_t> Parser::ParseInteger(std::string_view what) {
  if (!At(TokenKind::kInteger)) return Expected(what);
  const std::optional<std::int64_t> value = ParseInt64(Peek().text);
  if (!value) return SyntaxErrorAt(source_, Here(), fmt::format("{} is too large", Peek().text));
  Take();
  return *value;
}

Result<std::vector<Identifier>> Parser::ParseIdentifierList(std::string_view what) {
  std::vector<Identifier> names;
  BRAID_TRY(ParseParenthesized([&]() -> Status {
    BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier(what));
    names.push_back(std::move(name));
    return Ok();
  }));
  return names;
}

Result<std::vector<QualifiedName>> Parser::ParseNameList(std::string_view what) {
  std::vector<QualifiedName> names;
  BRAID_TRY(ParseParenthesized([&]() -> Status {
    BRAID_TRY_ASSIGN(QualifiedName name, ParseQualifiedName(what));
    names.push_back(std::move(name));
    return Ok();
  }));
  return names;
}

Result<Property> Parser::ParseProperty() {
  Property property{Here(), {}, {}};
  BRAID_TRY_ASSIGN(property.key, ParseString("an option's key as 'text'"));
  BRAID_TRY(Expect(TokenKind::kEqual, "= after the option's key"));
  BRAID_TRY_ASSIGN(property.value, ParseString("the option's value as 'text'"));
  return property;
}

Result<std::vector<Property>> Parser::ParseProperties() {
  std::vector<Property> properties;
  BRAID_TRY(ParseParenthesized(
      [&]() -> Status {
        BRAID_TRY_ASSIGN(Property property, ParseProperty());
        properties.push_back(std::move(property));
        return Ok();
      },
      true));
  return properties;
}

Result<std::vector<Property>> Parser::ParseWithClause() {
  if (!AcceptWord("WITH")) return std::vector<Property>{};
  return ParseProperties();
}

Result<std::optional<std::string>> Parser::ParseCommentClause() {
  if (!AcceptWord("COMMENT")) return std::optional<std::string>();
  BRAID_TRY_ASSIGN(std::string comment, ParseString("the comment as 'text'"));
  return std::optional(std::move(comment));
}

Result<bool> Parser::ParseIfNotExists() {
  if (!AtWords({"IF", "NOT"})) return false;
  BRAID_TRY(ExpectWords({"IF", "NOT", "EXISTS"}));
  return true;
}

Result<bool> Parser::ParseIfExists() {
  return AcceptWords({"IF", "EXISTS"});
}

// ---- Entry points ----

Result<StatementPtr> Parser::ParseStatement() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Position position = Here();
  BRAID_TRY_ASSIGN(StatementNode node, ParseStatementNode());
  return StatementPtr::Make(Statement{position, std::move(node)});
}

Result<StatementNode> Parser::ParseStatementNode() {
  if (AtQuery() || At(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    return QueryStatement{std::move(query)};
  }
  if (AtWord("INSERT")) return ParseInsert();
  if (AtWord("UPDATE")) return ParseUpdate();
  if (AtWord("DELETE")) return ParseDelete();
  if (AtWord("MERGE")) return ParseMerge();
  if (AtWord("TRUNCATE")) return ParseTruncate();
  if (AtWord("ANALYZE")) return ParseAnalyze();
  if (AtWord("CREATE") || AtWord("REPLACE")) return ParseCreate();
  if (AtWord("ALTER")) return ParseAlter();
  if (AtWord("DROP")) return ParseDrop();
  if (AtWord("BEGIN")) return ParseBegin();
  if (AcceptWord("END")) return EndStatementSet{};
  if (AtWord("EXECUTE") || AtWord("STATEMENT")) return ParseExecute();
  if (AtWord("EXPLAIN")) return ParseExplain();
  if (AtWord("CALL")) return ParseCall();
  if (AtWord("USE")) return ParseUse();
  if (AtWord("SHOW")) return ParseShow();
  if (AtWord("DESCRIBE") || AtWord("DESC")) return ParseDescribe();
  if (AtWord("SET")) return ParseSet();
  if (AtWord("RESET")) return ParseReset();
  if (AtWord("STOP")) return ParseStopJob();
  if (AtWord("LOAD")) return ParseLoadModule();
  if (AtWord("UNLOAD")) return ParseUnloadModule();
  if (AtWord("ADD")) return ParseJar(false);
  if (AtWord("REMOVE")) return ParseJar(true);
  if (AtWord("COMPILE")) return Unsupported("COMPILE PLAN", "run the statement itself");
  if (const std::optional<ClientCommandKind> command = ClientCommandAt()) {
    Take();
    return ClientCommand{*command};
  }
  return Expected("a statement such as SELECT, INSERT, CREATE or SHOW");
}

namespace {

template <typename T, typename Parse>
Result<T> ParseWhole(std::string_view sql, Parse parse) {
  BRAID_TRY_ASSIGN(Parser parser, Parser::Make(sql));
  BRAID_TRY_ASSIGN(T value, parse(parser));
  BRAID_TRY(parser.ExpectEnd());
  return value;
}

}  // namespace

Result<Statement> ParseStatement(std::string_view sql) {
  // Values without quotes, as in SET path = /tmp/x, are no tokens.
  if (std::optional<Statement> set = ParseUnquotedSet(sql)) return *std::move(set);
  BRAID_TRY_ASSIGN(const StatementPtr statement,
                   ParseWhole<StatementPtr>(sql, [](Parser& parser) { return parser.ParseStatement(); }));
  return *statement;
}

Result<Query> ParseQuery(std::string_view sql) {
  BRAID_TRY_ASSIGN(const QueryPtr query, ParseWhole<QueryPtr>(sql, [](Parser& parser) { return parser.ParseQuery(); }));
  return *query;
}

Result<Expression> ParseExpression(std::string_view sql) {
  BRAID_TRY_ASSIGN(const ExpressionPtr expression,
                   ParseWhole<ExpressionPtr>(sql, [](Parser& parser) { return parser.ParseExpression(); }));
  return *expression;
}

Result<TypeName> ParseTypeName(std::string_view sql) {
  return ParseWhole<TypeName>(sql, [](Parser& parser) { return parser.ParseTypeName(); });
}

Result<QualifiedName> ParseQualifiedName(std::string_view sql) {
  return ParseWhole<QualifiedName>(sql, [](Parser& parser) { return parser.ParseQualifiedName("a name"); });
}

}  // namespace braid::syntax
