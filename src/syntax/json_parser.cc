#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {

// All begin at the function's name, which `(` follows.

Result<std::pair<ExpressionPtr, ExpressionPtr>> Parser::ParseJsonInput() {
  Take();
  BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
  std::pair<ExpressionPtr, ExpressionPtr> result;
  BRAID_TRY_ASSIGN(result.first, ParseExpression());
  BRAID_TRY(Expect(TokenKind::kComma, ", and the path"));
  BRAID_TRY_ASSIGN(result.second, ParseExpression());
  return result;
}

Result<std::optional<TypeName>> Parser::ParseReturning() {
  if (!AcceptWord("RETURNING")) return std::optional<TypeName>();
  BRAID_TRY_ASSIGN(TypeName type, ParseTypeName());
  return std::optional(std::move(type));
}

Result<std::optional<JsonBehavior>> Parser::ParseJsonBehavior() {
  const auto plain = [](JsonBehaviorKind kind) { return std::optional(JsonBehavior{kind}); };
  if (AcceptWord("ERROR")) return plain(JsonBehaviorKind::kError);
  if (AcceptWord("NULL")) return plain(JsonBehaviorKind::kNull);
  if (AcceptWord("TRUE")) return plain(JsonBehaviorKind::kTrue);
  if (AcceptWord("FALSE")) return plain(JsonBehaviorKind::kFalse);
  if (AcceptWord("UNKNOWN")) return plain(JsonBehaviorKind::kUnknown);
  if (AcceptWord("EMPTY")) {
    if (AcceptWord("OBJECT")) return plain(JsonBehaviorKind::kEmptyObject);
    BRAID_TRY(ExpectWord("ARRAY"));
    return plain(JsonBehaviorKind::kEmptyArray);
  }
  if (!AcceptWord("DEFAULT")) return std::optional<JsonBehavior>();
  BRAID_TRY_ASSIGN(ExpressionPtr value, ParseExpression());
  return std::optional(JsonBehavior{JsonBehaviorKind::kDefault, std::move(value)});
}

Status Parser::ParseJsonBehaviors(std::optional<JsonBehavior>& on_empty, std::optional<JsonBehavior>& on_error) {
  while (true) {
    const Position position = Here();
    BRAID_TRY_ASSIGN(std::optional<JsonBehavior> behavior, ParseJsonBehavior());
    if (!behavior) return Ok();
    BRAID_TRY(ExpectWord("ON"));
    std::optional<JsonBehavior>* target = AcceptWord("EMPTY") ? &on_empty : AcceptWord("ERROR") ? &on_error : nullptr;
    if (target == nullptr) return Expected("EMPTY or ERROR");
    if (*target) return SyntaxErrorAt(source_, position, "this case is given twice");
    *target = std::move(behavior);
  }
}

Result<ExpressionPtr> Parser::ParseJsonExists() {
  const Position position = Here();
  BRAID_TRY_ASSIGN(auto input, ParseJsonInput());
  JsonExists exists{std::move(input.first), std::move(input.second)};
  BRAID_TRY_ASSIGN(exists.on_error, ParseJsonBehavior());
  if (exists.on_error) BRAID_TRY(ExpectWords({"ON", "ERROR"}));
  BRAID_TRY(Expect(TokenKind::kRightParen, "TRUE, FALSE, UNKNOWN or ERROR, or )"));
  return MakeExpression(position, std::move(exists));
}

Result<ExpressionPtr> Parser::ParseJsonValue() {
  const Position position = Here();
  BRAID_TRY_ASSIGN(auto input, ParseJsonInput());
  JsonValue value{std::move(input.first), std::move(input.second)};
  BRAID_TRY_ASSIGN(value.returning, ParseReturning());
  BRAID_TRY(ParseJsonBehaviors(value.on_empty, value.on_error));
  BRAID_TRY(Expect(TokenKind::kRightParen, "RETURNING, NULL, ERROR or DEFAULT, or )"));
  return MakeExpression(position, std::move(value));
}

Result<std::optional<JsonWrapper>> Parser::ParseJsonWrapper() {
  std::optional<JsonWrapper> wrapper;
  if (AcceptWord("WITHOUT")) {
    wrapper = JsonWrapper::kWithout;
  } else if (AcceptWord("WITH")) {
    wrapper = AcceptWord("CONDITIONAL") ? JsonWrapper::kConditional : JsonWrapper::kUnconditional;
    if (wrapper == JsonWrapper::kUnconditional) AcceptWord("UNCONDITIONAL");
  } else {
    return wrapper;
  }
  AcceptWord("ARRAY");
  BRAID_TRY(ExpectWord("WRAPPER"));
  return wrapper;
}

Result<ExpressionPtr> Parser::ParseJsonQuery() {
  const Position position = Here();
  BRAID_TRY_ASSIGN(auto input, ParseJsonInput());
  JsonQuery query{std::move(input.first), std::move(input.second)};
  BRAID_TRY_ASSIGN(query.returning, ParseReturning());
  BRAID_TRY_ASSIGN(query.wrapper, ParseJsonWrapper());
  BRAID_TRY(ParseJsonBehaviors(query.on_empty, query.on_error));
  BRAID_TRY(Expect(TokenKind::kRightParen, "RETURNING, WITH or WITHOUT WRAPPER, NULL, ERROR or EMPTY, or )"));
  return MakeExpression(position, std::move(query));
}

Result<std::optional<JsonNulls>> Parser::ParseJsonNulls() {
  std::optional<JsonNulls> nulls;
  if (AcceptWords({"NULL", "ON"})) {
    nulls = JsonNulls::kNullOnNull;
  } else if (AcceptWords({"ABSENT", "ON"})) {
    nulls = JsonNulls::kAbsentOnNull;
  } else {
    return nulls;
  }
  BRAID_TRY(ExpectWord("NULL"));
  return nulls;
}

Result<JsonMember> Parser::ParseJsonMember() {
  JsonMember member;
  // A column called key may stand here too.
  if (AtWord("KEY") && !AtWord("VALUE", 1) && !At(TokenKind::kColon, 1) && !At(TokenKind::kDot, 1)) Take();
  BRAID_TRY_ASSIGN(member.key, ParseExpression());
  if (!Accept(TokenKind::kColon)) BRAID_TRY(ExpectWord("VALUE"));
  BRAID_TRY_ASSIGN(member.value, ParseExpression());
  return member;
}

Result<ExpressionPtr> Parser::ParseJsonObject() {
  const Position position = Here();
  Take();
  Take();
  JsonObject object{{}};
  const auto at_nulls = [this] { return AtWords({"NULL", "ON"}) || AtWords({"ABSENT", "ON"}); };
  if (!At(TokenKind::kRightParen) && !at_nulls()) {
    do {
      BRAID_TRY_ASSIGN(JsonMember member, ParseJsonMember());
      object.members.push_back(std::move(member));
    } while (Accept(TokenKind::kComma));
  }
  BRAID_TRY_ASSIGN(object.nulls, ParseJsonNulls());
  BRAID_TRY(Expect(TokenKind::kRightParen, ", or ) of JSON_OBJECT"));
  return MakeExpression(position, std::move(object));
}

Result<ExpressionPtr> Parser::ParseJsonObjectAgg() {
  const Position position = Here();
  Take();
  Take();
  BRAID_TRY_ASSIGN(JsonMember member, ParseJsonMember());
  JsonObjectAgg aggregate{std::move(member)};
  BRAID_TRY_ASSIGN(aggregate.nulls, ParseJsonNulls());
  BRAID_TRY(Expect(TokenKind::kRightParen, ") of JSON_OBJECTAGG"));
  BRAID_TRY_ASSIGN(aggregate.suffix, ParseCallSuffix());
  return MakeExpression(position, std::move(aggregate));
}

Result<ExpressionPtr> Parser::ParseJsonArray() {
  const Position position = Here();
  Take();
  Take();
  JsonArray array{{}};
  const auto at_nulls = [this] { return AtWords({"NULL", "ON"}) || AtWords({"ABSENT", "ON"}); };
  if (!At(TokenKind::kRightParen) && !at_nulls()) {
    BRAID_TRY_ASSIGN(array.elements, ParseExpressions());
  }
  BRAID_TRY_ASSIGN(array.nulls, ParseJsonNulls());
  BRAID_TRY(Expect(TokenKind::kRightParen, ", or ) of JSON_ARRAY"));
  return MakeExpression(position, std::move(array));
}

Result<ExpressionPtr> Parser::ParseJsonArrayAgg() {
  const Position position = Here();
  Take();
  Take();
  BRAID_TRY_ASSIGN(ExpressionPtr value, ParseExpression());
  JsonArrayAgg aggregate{std::move(value)};
  if (AcceptWords({"ORDER", "BY"})) {
    BRAID_TRY_ASSIGN(aggregate.order_by, ParseOrderBy());
  }
  BRAID_TRY_ASSIGN(aggregate.nulls, ParseJsonNulls());
  BRAID_TRY(Expect(TokenKind::kRightParen, ") of JSON_ARRAYAGG"));
  BRAID_TRY_ASSIGN(aggregate.suffix, ParseCallSuffix());
  return MakeExpression(position, std::move(aggregate));
}

}  // namespace braid::syntax
