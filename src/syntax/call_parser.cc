#include <fmt/format.h>

#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {

// ---- Calls in general ----

Result<ExpressionPtr> Parser::ParseCall(QualifiedName name) {
  FunctionCall call{.name = std::move(name)};
  BRAID_TRY(ParseCallArguments(call));
  return FinishCall(std::move(call));
}

// Reads `( … )`.
Status Parser::ParseCallArguments(FunctionCall& call) {
  BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
  if (Accept(TokenKind::kRightParen)) return Ok();
  if (At(TokenKind::kStar)) {
    call.arguments.push_back(CallArgument{.value = MakeExpression(Take().position, Star{})});
    return Expect(TokenKind::kRightParen, ")");
  }
  if (AcceptWord("DISTINCT")) {
    call.quantifier = SetQuantifier::kDistinct;
  } else if (AcceptWord("ALL")) {
    call.quantifier = SetQuantifier::kAll;
  }
  do {
    BRAID_TRY_ASSIGN(CallArgument argument, ParseArgument());
    call.arguments.push_back(std::move(argument));
  } while (Accept(TokenKind::kComma));
  return FinishCallArguments(call);
}

Status Parser::FinishCallArguments(FunctionCall& call) {
  BRAID_TRY_ASSIGN(call.suffix.nulls, ParseNullTreatment());
  if (AcceptWords({"ORDER", "BY"})) {
    BRAID_TRY_ASSIGN(call.order_by, ParseOrderBy());
  }
  return Expect(TokenKind::kRightParen, "an operator, , or )");
}

// Reads what may follow the `)`.
Result<ExpressionPtr> Parser::FinishCall(FunctionCall call) {
  const Position position = call.name.position();
  const std::optional<NullTreatment> inner_nulls = call.suffix.nulls;
  BRAID_TRY_ASSIGN(call.suffix, ParseCallSuffix());
  if (inner_nulls) call.suffix.nulls = inner_nulls;
  return MakeExpression(position, std::move(call));
}

Result<CallArgument> Parser::ParseArgument() {
  CallArgument argument;
  if (AtIdentifier() && At(TokenKind::kArrow, 1)) {
    BRAID_TRY_ASSIGN(argument.name, ParseIdentifier("the argument's name"));
    Take();
  }
  BRAID_TRY_ASSIGN(argument.value, ParseArgumentValue());
  return argument;
}

Result<ExpressionPtr> Parser::ParseArgumentValue() {
  if (AtWord("TABLE")) return ParseTableArgument();
  if (AtWord("MODEL") && AtIdentifier(1)) return Unsupported("MODEL as an argument", "call the model outside of SQL");
  BRAID_TRY_ASSIGN(ExpressionPtr value, ParseExpression());
  if (!AtWords({"PARTITION", "BY"}) && !AtWords({"ORDER", "BY"})) return value;
  return FinishQueryArgument(std::move(value));
}

Result<ExpressionPtr> Parser::ParseTableArgument() {
  const Position position = Here();
  Take();
  TableArgument argument;
  BRAID_TRY_ASSIGN(argument.table, ParseQualifiedName("a table's name"));
  BRAID_TRY(ParseArgumentPartition(argument));
  return MakeExpression(position, std::move(argument));
}

// Any other value leaves ORDER BY to the call.
Result<ExpressionPtr> Parser::FinishQueryArgument(ExpressionPtr value) {
  const ScalarSubquery* subquery = std::get_if<ScalarSubquery>(&value->node);
  if (subquery == nullptr) return value;
  TableArgument argument{.query = subquery->query};
  BRAID_TRY(ParseArgumentPartition(argument));
  return MakeExpression(value->position, std::move(argument));
}

Status Parser::ParseArgumentPartition(TableArgument& argument) {
  if (AcceptWords({"PARTITION", "BY"})) {
    if (At(TokenKind::kLeftParen)) {
      BRAID_TRY_ASSIGN(argument.partition_by, ParseExpressionList());
    } else {
      BRAID_TRY_ASSIGN(ExpressionPtr key, ParseExpression());
      argument.partition_by.push_back(std::move(key));
    }
  }
  if (!AcceptWords({"ORDER", "BY"})) return Ok();
  const bool has_parentheses = Accept(TokenKind::kLeftParen);
  do {
    OrderItem item;
    BRAID_TRY_ASSIGN(item.value, ParseExpression());
    item.descending = AcceptWord("DESC");
    if (!item.descending) AcceptWord("ASC");
    argument.order_by.push_back(std::move(item));
  } while (has_parentheses && Accept(TokenKind::kComma));
  return has_parentheses ? Expect(TokenKind::kRightParen, ")") : Ok();
}

Result<std::optional<NullTreatment>> Parser::ParseNullTreatment() {
  if (AcceptWords({"IGNORE", "NULLS"})) return std::optional(NullTreatment::kIgnoreNulls);
  if (AcceptWords({"RESPECT", "NULLS"})) return std::optional(NullTreatment::kRespectNulls);
  return std::optional<NullTreatment>();
}

Result<CallSuffix> Parser::ParseCallSuffix() {
  CallSuffix suffix;
  if (!At(TokenKind::kWord)) return suffix;
  BRAID_TRY_ASSIGN(suffix.nulls, ParseNullTreatment());
  if (AcceptWord("WITHIN")) {
    BRAID_TRY(ExpectWord("GROUP"));
    BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
    BRAID_TRY(ExpectWords({"ORDER", "BY"}));
    BRAID_TRY_ASSIGN(suffix.within_group, ParseOrderBy());
    BRAID_TRY(Expect(TokenKind::kRightParen, ")"));
  }
  if (AcceptWord("FILTER")) {
    BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
    BRAID_TRY(ExpectWord("WHERE"));
    BRAID_TRY_ASSIGN(suffix.filter, ParseExpression());
    BRAID_TRY(Expect(TokenKind::kRightParen, ")"));
  }
  if (AcceptWord("OVER")) {
    BRAID_TRY_ASSIGN(suffix.over, ParseOver());
  }
  return suffix;
}

// ---- Windows ----

Result<WindowSpecification> Parser::ParseOver() {
  if (At(TokenKind::kLeftParen)) return ParseWindowSpecification();
  WindowSpecification window{.position = Here(), .is_name_alone = true};
  BRAID_TRY_ASSIGN(window.base, ParseIdentifier("a window's name or ("));
  return window;
}

Result<WindowSpecification> Parser::ParseWindowSpecification() {
  WindowSpecification window{.position = Here()};
  BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
  if (AtIdentifier()) {
    BRAID_TRY_ASSIGN(window.base, ParseIdentifier("a window's name"));
  }
  if (AcceptWords({"PARTITION", "BY"})) {
    BRAID_TRY_ASSIGN(window.partition_by, ParseExpressions());
  }
  if (AcceptWords({"ORDER", "BY"})) {
    BRAID_TRY_ASSIGN(window.order_by, ParseOrderBy());
  }
  if (AtWord("ROWS") || AtWord("RANGE")) {
    BRAID_TRY_ASSIGN(window.frame, ParseFrame());
  }
  if (AtWord("GROUPS")) return Unsupported("a GROUPS frame", "use ROWS or RANGE");
  BRAID_TRY(Expect(TokenKind::kRightParen, "PARTITION BY, ORDER BY, ROWS, RANGE or )"));
  return window;
}

Result<WindowFrame> Parser::ParseFrame() {
  WindowFrame frame{Here(), AtWord("ROWS"), FrameBound{FrameBoundKind::kCurrentRow, {}},
                    FrameBound{FrameBoundKind::kCurrentRow, {}}};
  Take();
  if (!AcceptWord("BETWEEN")) {
    BRAID_TRY_ASSIGN(frame.start, ParseFrameBound());
    return frame;
  }
  BRAID_TRY_ASSIGN(frame.start, ParseFrameBound());
  BRAID_TRY(ExpectWord("AND"));
  BRAID_TRY_ASSIGN(frame.end, ParseFrameBound());
  return frame;
}

Result<FrameBound> Parser::ParseFrameBound() {
  if (AcceptWords({"CURRENT", "ROW"})) return FrameBound{FrameBoundKind::kCurrentRow, {}};
  if (AcceptWords({"UNBOUNDED", "PRECEDING"})) return FrameBound{FrameBoundKind::kUnboundedPreceding, {}};
  if (AcceptWords({"UNBOUNDED", "FOLLOWING"})) return FrameBound{FrameBoundKind::kUnboundedFollowing, {}};
  // Above AND, which separates the two bounds.
  BRAID_TRY_ASSIGN(ExpressionPtr offset, ParseOperators(kAdditivePrecedence));
  if (AcceptWord("PRECEDING")) return FrameBound{FrameBoundKind::kPreceding, std::move(offset)};
  if (AcceptWord("FOLLOWING")) return FrameBound{FrameBoundKind::kFollowing, std::move(offset)};
  return Expected("PRECEDING or FOLLOWING");
}

// ---- Calls with a syntax of their own ----

// Reads the `)` and makes the call.
Result<ExpressionPtr> Parser::MakePlainCall(const Token& name, std::vector<ExpressionPtr> arguments) {
  BRAID_TRY(Expect(TokenKind::kRightParen, fmt::format(") of {}", TokenText(name))));
  FunctionCall call{.name = QualifiedName{{Identifier{name.position, std::string(TokenText(name))}}}};
  for (ExpressionPtr& argument : arguments) call.arguments.push_back(CallArgument{.value = std::move(argument)});
  return MakeExpression(name.position, std::move(call));
}

Result<ExpressionPtr> Parser::ParseExtract() {
  const Token name = Take();
  Take();
  const Position unit_position = Here();
  BRAID_TRY_ASSIGN(const TimeUnit unit, ParseTimeUnit());
  BRAID_TRY(ExpectWord("FROM"));
  BRAID_TRY_ASSIGN(ExpressionPtr value, ParseExpression());
  return MakePlainCall(name, {MakeExpression(unit_position, TimeUnitSymbol{unit}), std::move(value)});
}

Result<ExpressionPtr> Parser::ParseTrim() {
  const Token name = Take();
  Take();
  Trim trim;
  const bool has_side = AtWord("BOTH") || AtWord("LEADING") || AtWord("TRAILING");
  if (AcceptWord("LEADING")) {
    trim.side = TrimSide::kLeading;
  } else if (AcceptWord("TRAILING")) {
    trim.side = TrimSide::kTrailing;
  } else {
    AcceptWord("BOTH");
  }
  if (!has_side || !AtWord("FROM")) {
    BRAID_TRY_ASSIGN(trim.value, ParseExpression());
  }
  if (AcceptWord("FROM")) {
    trim.characters = std::move(trim.value);
    BRAID_TRY_ASSIGN(trim.value, ParseExpression());
  } else if (has_side) {
    return Expected("FROM");
  }
  BRAID_TRY(Expect(TokenKind::kRightParen, ") of TRIM"));
  return MakeExpression(name.position, std::move(trim));
}

Result<ExpressionPtr> Parser::ParsePosition() {
  const Token name = Take();
  Take();
  std::vector<ExpressionPtr> arguments(2);
  // Above IN, which separates the two.
  BRAID_TRY_ASSIGN(arguments[0], ParseOperators(kRangePrecedence + 1));
  BRAID_TRY(ExpectWord("IN"));
  BRAID_TRY_ASSIGN(arguments[1], ParseExpression());
  if (AcceptWord("FROM")) {
    BRAID_TRY_ASSIGN(ExpressionPtr start, ParseExpression());
    arguments.push_back(std::move(start));
  }
  return MakePlainCall(name, std::move(arguments));
}

Result<ExpressionPtr> Parser::ParseSubstring() {
  const Token name = Take();
  Take();
  std::vector<ExpressionPtr> arguments(2);
  BRAID_TRY_ASSIGN(arguments[0], ParseExpression());
  if (!AcceptWord("FROM")) BRAID_TRY(Expect(TokenKind::kComma, ", or FROM"));
  BRAID_TRY_ASSIGN(arguments[1], ParseExpression());
  if (AcceptWord("FOR") || Accept(TokenKind::kComma)) {
    BRAID_TRY_ASSIGN(ExpressionPtr length, ParseExpression());
    arguments.push_back(std::move(length));
  }
  return MakePlainCall(name, std::move(arguments));
}

Result<ExpressionPtr> Parser::ParseOverlay() {
  const Token name = Take();
  Take();
  std::vector<ExpressionPtr> arguments(3);
  BRAID_TRY_ASSIGN(arguments[0], ParseExpression());
  if (!AcceptWord("PLACING")) BRAID_TRY(Expect(TokenKind::kComma, "PLACING or ,"));
  BRAID_TRY_ASSIGN(arguments[1], ParseExpression());
  if (!AcceptWord("FROM")) BRAID_TRY(Expect(TokenKind::kComma, "FROM or ,"));
  BRAID_TRY_ASSIGN(arguments[2], ParseExpression());
  if (AcceptWord("FOR") || Accept(TokenKind::kComma)) {
    BRAID_TRY_ASSIGN(ExpressionPtr length, ParseExpression());
    arguments.push_back(std::move(length));
  }
  return MakePlainCall(name, std::move(arguments));
}

Result<ExpressionPtr> Parser::ParseRounding() {
  const Token name = Take();
  Take();
  std::vector<ExpressionPtr> arguments(1);
  BRAID_TRY_ASSIGN(arguments[0], ParseExpression());
  if (AcceptWord("TO")) {
    const Position unit_position = Here();
    BRAID_TRY_ASSIGN(const TimeUnit unit, ParseTimeUnit());
    arguments.push_back(MakeExpression(unit_position, TimeUnitSymbol{unit}));
  }
  return MakePlainCall(name, std::move(arguments));
}

Result<ExpressionPtr> Parser::ParseTimestampArithmetic() {
  const Token name = Take();
  Take();
  const Position unit_position = Here();
  BRAID_TRY_ASSIGN(const TimeUnit unit, ParseTimeUnit());
  std::vector<ExpressionPtr> arguments = {MakeExpression(unit_position, TimeUnitSymbol{unit})};
  for (int i = 0; i < 2; ++i) {
    BRAID_TRY(Expect(TokenKind::kComma, ","));
    BRAID_TRY_ASSIGN(ExpressionPtr argument, ParseExpression());
    arguments.push_back(std::move(argument));
  }
  return MakePlainCall(name, std::move(arguments));
}

Result<ExpressionPtr> Parser::ParseDescriptor() {
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(std::vector<Identifier> columns, ParseIdentifierList("a column's name"));
  return MakeExpression(position, Descriptor{std::move(columns)});
}

}  // namespace braid::syntax
