#include <fmt/format.h>

#include "syntax/keywords.h"
#include "syntax/parser_internal.h"
#include "syntax/printer.h"

namespace braid::syntax {
namespace {

struct TypeWord {
  std::string_view word;
  std::string_view name;
  std::size_t parameters;  // the most that it takes
};

constexpr TypeWord kPlainTypes[] = {
    {"BOOLEAN", "BOOLEAN", 0}, {"TINYINT", "TINYINT", 0},     {"SMALLINT", "SMALLINT", 0}, {"INT", "INT", 0},
    {"INTEGER", "INT", 0},     {"BIGINT", "BIGINT", 0},       {"FLOAT", "FLOAT", 0},       {"REAL", "FLOAT", 0},
    {"DOUBLE", "DOUBLE", 0},   {"DECIMAL", "DECIMAL", 2},     {"DEC", "DECIMAL", 2},       {"NUMERIC", "DECIMAL", 2},
    {"CHAR", "CHAR", 1},       {"CHARACTER", "CHAR", 1},      {"VARCHAR", "VARCHAR", 1},   {"STRING", "STRING", 0},
    {"BINARY", "BINARY", 1},   {"VARBINARY", "VARBINARY", 1}, {"BYTES", "BYTES", 0},       {"DATE", "DATE", 0},
    {"VARIANT", "VARIANT", 0}, {"BLOB", "BLOB", 0},           {"NULL", "NULL", 0},
};

const TypeWord* FindPlainType(std::string_view word) {
  for (const TypeWord& candidate : kPlainTypes) {
    if (candidate.word == word) return &candidate;
  }
  return nullptr;
}

TypeName NamedType(Position position, std::string name) {
  TypeName type;
  type.position = position;
  type.name = std::move(name);
  return type;
}

}  // namespace

Result<TypeName> Parser::ParseTypeName() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Height height(*this);
  const Position position = Here();
  BRAID_TRY_ASSIGN(TypeName type, ParsePlainType());
  const auto parse_nullability = [this](TypeName& target) {
    if (AcceptWords({"NOT", "NULL"})) {
      target.not_null = true;
    } else if (AcceptWord("NULL")) {
      target.not_null = false;
    }
  };
  parse_nullability(type);
  while (AtWord("ARRAY") || AtWord("MULTISET")) {
    BRAID_TRY(AddLink());
    TypeName outer = NamedType(position, Take().text);
    outer.arguments.push_back(std::move(type));
    parse_nullability(outer);
    type = std::move(outer);
  }
  return type;
}

Result<TypeName> Parser::ParsePlainType() {
  const Token& token = Peek();
  TypeName type = NamedType(token.position, {});
  if (token.kind == TokenKind::kWord) {
    if (AtWord("TIME") || AtWord("TIMESTAMP") || AtWord("TIMESTAMP_LTZ")) return ParseTemporalType(Take().text);
    if (AtWord("ROW")) return ParseRowType();
    if (AtWord("RAW") && At(TokenKind::kLeftParen, 1)) return ParseRawType();
    if (AtWord("STRUCTURED")) return Unsupported("the type STRUCTURED", "use ROW");
    if (AcceptWord("INTERVAL")) {
      BRAID_TRY_ASSIGN(const IntervalQualifier qualifier, ParseIntervalQualifier());
      type.name = "INTERVAL";
      type.qualifier = ToSql(qualifier);
      return type;
    }
    const bool is_collection = AtWord("ARRAY") || AtWord("MULTISET") || AtWord("MAP") || AtWord("VECTOR");
    if (is_collection && At(TokenKind::kLess, 1)) {
      type.name = Take().text;
      BRAID_TRY(ParseTypeArguments(type, type.name == "MAP" ? 2 : 1));
      return type;
    }
    if (const TypeWord* plain = FindPlainType(token.text)) {
      Take();
      type.name = plain->name;
      if (plain->name == "DOUBLE") AcceptWord("PRECISION");
      if ((plain->name == "CHAR" || plain->name == "BINARY") && AcceptWord("VARYING")) type.name.insert(0, "VAR");
      if (plain->parameters > 0) BRAID_TRY(ParseTypeParameters(type, plain->parameters));
      return type;
    }
  }
  if (!AtIdentifier()) return Expected("a type such as INT, STRING, DECIMAL(10, 2) or ARRAY<INT>");
  BRAID_TRY_ASSIGN(const QualifiedName name, ParseQualifiedName("a type's name"));
  type.name = ToSql(name);
  type.is_user_type = true;
  return type;
}

Status Parser::ParseTypeParameters(TypeName& type, std::size_t most) {
  if (!Accept(TokenKind::kLeftParen)) return Ok();
  do {
    BRAID_TRY_ASSIGN(const std::int64_t parameter, ParseInteger("a length, precision or scale"));
    type.parameters.push_back(parameter);
  } while (type.parameters.size() < most && Accept(TokenKind::kComma));
  return Expect(TokenKind::kRightParen, ") of the type");
}

Status Parser::ParseTypeArguments(TypeName& type, std::size_t count) {
  BRAID_TRY(Expect(TokenKind::kLess, "<"));
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) BRAID_TRY(Expect(TokenKind::kComma, ", and the type of the values"));
    BRAID_TRY_ASSIGN(TypeName argument, ParseTypeName());
    type.arguments.push_back(std::move(argument));
  }
  if (type.name == "VECTOR") {
    BRAID_TRY(Expect(TokenKind::kComma, ", and the number of elements"));
    BRAID_TRY_ASSIGN(const std::int64_t length, ParseInteger("the number of elements"));
    type.parameters.push_back(length);
  }
  return Expect(TokenKind::kGreater, fmt::format("> of {}", type.name));
}

Result<TypeName> Parser::ParseTemporalType(std::string name) {
  TypeName type = NamedType(tokens_[next_ - 1].position, std::move(name));
  BRAID_TRY(ParseTypeParameters(type, 1));
  if (type.name == "TIMESTAMP_LTZ") return type;
  if (AcceptWord("WITHOUT")) {
    BRAID_TRY(ExpectWords({"TIME", "ZONE"}));
  } else if (type.name == "TIMESTAMP" && AtWord("WITH")) {
    if (AtWord("TIME", 1)) return Unsupported("TIMESTAMP WITH TIME ZONE", "use TIMESTAMP_LTZ, a point in time");
    BRAID_TRY(ExpectWords({"WITH", "LOCAL", "TIME", "ZONE"}));
    type.name = "TIMESTAMP_LTZ";
  }
  return type;
}

Result<TypeName> Parser::ParseRowType() {
  TypeName type = NamedType(Here(), "ROW");
  Take();
  if (Accept(TokenKind::kNotEqual)) return type;  // ROW<>
  const bool has_parentheses = Accept(TokenKind::kLeftParen);
  if (!has_parentheses) BRAID_TRY(Expect(TokenKind::kLess, "< after ROW"));
  const TokenKind end = has_parentheses ? TokenKind::kRightParen : TokenKind::kGreater;
  if (Accept(end)) return type;
  do {
    TypeField field;
    BRAID_TRY_ASSIGN(field.name, ParseIdentifier("a field's name"));
    BRAID_TRY_ASSIGN(field.type, ParseTypeName());
    if (At(TokenKind::kString)) {
      BRAID_TRY_ASSIGN(field.comment, ParseString("a comment"));
    }
    type.fields.push_back(std::move(field));
  } while (Accept(TokenKind::kComma));
  BRAID_TRY(Expect(end, has_parentheses ? ", or ) of ROW" : ", or > of ROW"));
  return type;
}

Result<TypeName> Parser::ParseRawType() {
  TypeName type = NamedType(Here(), "RAW");
  Take();
  BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
  BRAID_TRY_ASSIGN(const std::string class_name, ParseString("the class as 'text'"));
  BRAID_TRY(Expect(TokenKind::kComma, ","));
  BRAID_TRY_ASSIGN(const std::string serializer, ParseString("the serializer as 'text'"));
  BRAID_TRY(Expect(TokenKind::kRightParen, ")"));
  type.qualifier = class_name + "\n" + serializer;
  return type;
}

}  // namespace braid::syntax
