#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "syntax/keywords.h"
#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {
namespace {

struct BinaryToken {
  TokenKind kind;
  BinaryOperator op;
  int precedence;
};

constexpr BinaryToken kBinaryTokens[] = {
    {TokenKind::kEqual, BinaryOperator::kEqual, kComparisonPrecedence},
    {TokenKind::kNotEqual, BinaryOperator::kNotEqual, kComparisonPrecedence},
    // Flink refuses != by its conformance level alone; its meaning is beyond doubt.
    {TokenKind::kBangEqual, BinaryOperator::kNotEqual, kComparisonPrecedence},
    {TokenKind::kLess, BinaryOperator::kLess, kComparisonPrecedence},
    {TokenKind::kLessOrEqual, BinaryOperator::kLessOrEqual, kComparisonPrecedence},
    {TokenKind::kGreater, BinaryOperator::kGreater, kComparisonPrecedence},
    {TokenKind::kGreaterOrEqual, BinaryOperator::kGreaterOrEqual, kComparisonPrecedence},
    {TokenKind::kPlus, BinaryOperator::kAdd, kAdditivePrecedence},
    {TokenKind::kMinus, BinaryOperator::kSubtract, kAdditivePrecedence},
    {TokenKind::kStar, BinaryOperator::kMultiply, kMultiplicativePrecedence},
    {TokenKind::kSlash, BinaryOperator::kDivide, kMultiplicativePrecedence},
    {TokenKind::kPercent, BinaryOperator::kModulo, kMultiplicativePrecedence},
    {TokenKind::kConcat, BinaryOperator::kConcat, kMultiplicativePrecedence},
};

const BinaryToken* FindBinary(TokenKind kind) {
  for (const BinaryToken& candidate : kBinaryTokens) {
    if (candidate.kind == kind) return &candidate;
  }
  return nullptr;
}

// Words that stand where an expression is missing rather than for a column.
bool IsClauseWord(std::string_view word) {
  constexpr std::string_view kWords[] = {"AND", "AS", "ASC", "BY", "ELSE", "END", "FETCH", "FROM", "GROUP", "HAVING", "IN", "INTO",
                                         "IS", "JOIN", "LIMIT", "ON", "OR", "ORDER", "OVER", "QUALIFY", "THEN", "UNION", "WHEN",
                                         "WHERE", "WITH"};
  return std::binary_search(std::begin(kWords), std::end(kWords), word);
}

}  // namespace

Result<ExpressionPtr> Parser::ParseExpression() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  return ParseOperators(kLowestPrecedence);
}

Result<ExpressionPtr> Parser::ParseOperators(int lowest) {
  const Height height(*this);
  BRAID_TRY_ASSIGN(ExpressionPtr left, ParseUnary());
  return ContinueOperators(std::move(left), lowest);
}

// Takes the operators that bind at least as tightly as `lowest` and follow an operand already parsed.
Result<ExpressionPtr> Parser::ContinueOperators(ExpressionPtr left, int lowest) {
  while (true) {
    Result<ExpressionPtr> next = ExpressionPtr();
    if (const BinaryToken* binary = FindBinary(Peek().kind)) {
      if (binary->precedence < lowest) return left;
      next = ParseBinary(std::move(left), binary->op, 1, binary->precedence);
    } else if (!At(TokenKind::kWord)) {
      return left;
    } else if (lowest <= kOrPrecedence && AtWord("OR")) {
      next = ParseLogicalChain(std::move(left), LogicalOperator::kOr);
    } else if (lowest <= kAndPrecedence && AtWord("AND")) {
      next = ParseLogicalChain(std::move(left), LogicalOperator::kAnd);
    } else if (lowest <= kComparisonPrecedence && AtWords({"IS", "DISTINCT", "FROM"})) {
      next = ParseBinary(std::move(left), BinaryOperator::kIsDistinctFrom, 3, kComparisonPrecedence);
    } else if (lowest <= kComparisonPrecedence && AtWords({"IS", "NOT", "DISTINCT", "FROM"})) {
      next = ParseBinary(std::move(left), BinaryOperator::kIsNotDistinctFrom, 4, kComparisonPrecedence);
    } else if (lowest <= kComparisonPrecedence && AtWord("OVERLAPS")) {
      next = ParseBinary(std::move(left), BinaryOperator::kOverlaps, 1, kComparisonPrecedence);
    } else if (lowest <= kTestPrecedence && AtWord("IS")) {
      next = ParseTest(std::move(left));
    } else if (lowest <= kRangePrecedence && AtRangeOperator()) {
      next = ParseRange(std::move(left));
    } else {
      return left;
    }
    BRAID_TRY_ASSIGN(left, std::move(next));
    BRAID_TRY(AddLink());
  }
}

Result<ExpressionPtr> Parser::ParseLogicalChain(ExpressionPtr first, LogicalOperator op) {
  const bool is_or = op == LogicalOperator::kOr;
  const Position position = Here();
  Logical chain{op, {}};
  chain.operands.push_back(std::move(first));
  while (AcceptWord(is_or ? "OR" : "AND")) {
    BRAID_TRY_ASSIGN(ExpressionPtr operand, ParseOperators((is_or ? kOrPrecedence : kAndPrecedence) + 1));
    chain.operands.push_back(std::move(operand));
  }
  return MakeExpression(position, std::move(chain));
}

Result<ExpressionPtr> Parser::ParseBinary(ExpressionPtr left, BinaryOperator op, std::size_t tokens, int precedence) {
  const Position position = Here();
  next_ += tokens;
  if (precedence == kComparisonPrecedence && (AtWord("ANY") || AtWord("SOME") || AtWord("ALL")) &&
      At(TokenKind::kLeftParen, 1)) {
    return ParseQuantified(std::move(left), position, op);
  }
  BRAID_TRY_ASSIGN(ExpressionPtr right, ParseOperators(precedence + 1));
  return MakeExpression(position, BinaryOperation{op, std::move(left), std::move(right)});
}

Result<ExpressionPtr> Parser::ParseQuantified(ExpressionPtr left, Position position, BinaryOperator op) {
  QuantifiedComparison comparison{op, AtWord("ALL"), std::move(left), {}, {}};
  Take();
  BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
  BRAID_TRY_ASSIGN(QueryOrExpression first, ParseQueryOrExpression());
  if (QueryPtr* query = std::get_if<QueryPtr>(&first)) {
    comparison.query = std::move(*query);
  } else {
    comparison.list.push_back(std::get<ExpressionPtr>(std::move(first)));
    while (Accept(TokenKind::kComma)) {
      BRAID_TRY_ASSIGN(ExpressionPtr item, ParseExpression());
      comparison.list.push_back(std::move(item));
    }
  }
  BRAID_TRY(Expect(TokenKind::kRightParen, ")"));
  return MakeExpression(position, std::move(comparison));
}

Result<ExpressionPtr> Parser::ParseTest(ExpressionPtr left) {
  const Position position = Here();
  Take();
  const bool negated = AcceptWord("NOT");
  Test test{std::move(left), TestKind::kNull, negated};
  if (AcceptWord("NULL")) {
    test.kind = TestKind::kNull;
  } else if (AcceptWord("TRUE")) {
    test.kind = TestKind::kTrue;
  } else if (AcceptWord("FALSE")) {
    test.kind = TestKind::kFalse;
  } else if (AcceptWord("UNKNOWN")) {
    test.kind = TestKind::kUnknown;
  } else if (AcceptWord("JSON")) {
    test.kind = AcceptWord("OBJECT")   ? TestKind::kJsonObject
                : AcceptWord("ARRAY")  ? TestKind::kJsonArray
                : AcceptWord("SCALAR") ? TestKind::kJsonScalar
                                       : TestKind::kJson;
    if (test.kind == TestKind::kJson) AcceptWord("VALUE");
  } else {
    return Expected("NULL, TRUE, FALSE, UNKNOWN, JSON or DISTINCT FROM");
  }
  return MakeExpression(position, std::move(test));
}

bool Parser::AtRangeOperator() const {
  const std::size_t ahead = AtWord("NOT") ? 1 : 0;
  return AtWord("BETWEEN", ahead) || AtWord("IN", ahead) || AtWord("LIKE", ahead) || AtWord("SIMILAR", ahead);
}

Result<ExpressionPtr> Parser::ParseRange(ExpressionPtr left) {
  const Position position = Here();
  const bool negated = AcceptWord("NOT");
  if (AcceptWord("BETWEEN")) return ParseBetween(std::move(left), position, negated);
  if (AcceptWord("IN")) return ParseIn(std::move(left), position, negated);
  if (AcceptWord("LIKE")) return ParseLike(std::move(left), position, LikeKind::kLike, negated);
  BRAID_TRY(ExpectWords({"SIMILAR", "TO"}));
  return ParseLike(std::move(left), position, LikeKind::kSimilarTo, negated);
}

Result<ExpressionPtr> Parser::ParseBetween(ExpressionPtr left, Position position, bool negated) {
  const bool symmetric = AcceptWord("SYMMETRIC");
  if (!symmetric) AcceptWord("ASYMMETRIC");
  BRAID_TRY_ASSIGN(ExpressionPtr low, ParseOperators(kRangePrecedence + 1));
  BRAID_TRY(ExpectWord("AND"));
  BRAID_TRY_ASSIGN(ExpressionPtr high, ParseOperators(kRangePrecedence + 1));
  return MakeExpression(position, Between{std::move(left), std::move(low), std::move(high), symmetric, negated});
}

Result<ExpressionPtr> Parser::ParseIn(ExpressionPtr left, Position position, bool negated) {
  In in{std::move(left), {}, {}, negated};
  BRAID_TRY(Expect(TokenKind::kLeftParen, "( after IN"));
  BRAID_TRY_ASSIGN(QueryOrExpression first, ParseQueryOrExpression());
  if (QueryPtr* query = std::get_if<QueryPtr>(&first)) {
    in.query = std::move(*query);
  } else {
    in.list.push_back(std::get<ExpressionPtr>(std::move(first)));
    while (Accept(TokenKind::kComma)) {
      BRAID_TRY_ASSIGN(ExpressionPtr next, ParseExpression());
      in.list.push_back(std::move(next));
    }
  }
  BRAID_TRY(Expect(TokenKind::kRightParen, ", or ) of IN (…)"));
  return MakeExpression(position, std::move(in));
}

Result<ExpressionPtr> Parser::ParseLike(ExpressionPtr left, Position position, LikeKind kind, bool negated) {
  BRAID_TRY_ASSIGN(ExpressionPtr pattern, ParseOperators(kRangePrecedence + 1));
  ExpressionPtr escape;
  if (AcceptWord("ESCAPE")) {
    BRAID_TRY_ASSIGN(escape, ParseOperators(kRangePrecedence + 1));
  }
  return MakeExpression(position, Like{kind, std::move(left), std::move(pattern), std::move(escape), negated});
}

Result<ExpressionPtr> Parser::ParseUnary() {
  if (At(TokenKind::kMinus)) return ParseSigned(UnaryOperator::kMinus, kSignPrecedence);
  if (At(TokenKind::kPlus)) return ParseSigned(UnaryOperator::kPlus, kSignPrecedence);
  if (AtWord("NOT")) return ParseSigned(UnaryOperator::kNot, kNotPrecedence);
  BRAID_TRY_ASSIGN(ExpressionPtr primary, ParsePrimary());
  return ContinuePostfix(std::move(primary));
}

Result<ExpressionPtr> Parser::ParseSigned(UnaryOperator op, int operand_precedence) {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(ExpressionPtr operand, ParseOperators(operand_precedence));
  return MakeExpression(position, UnaryOperation{op, std::move(operand)});
}

Result<ExpressionPtr> Parser::ContinuePostfix(ExpressionPtr left) {
  while (true) {
    const Position position = Here();
    if (Accept(TokenKind::kLeftBracket)) {
      BRAID_TRY_ASSIGN(ExpressionPtr index, ParseExpression());
      BRAID_TRY(Expect(TokenKind::kRightBracket, "]"));
      left = MakeExpression(position, ElementAccess{std::move(left), std::move(index)});
    } else if (At(TokenKind::kDot) && AtIdentifier(1)) {
      Take();
      BRAID_TRY_ASSIGN(Identifier field, ParseIdentifier("a field's name"));
      left = MakeExpression(position, FieldAccess{std::move(left), std::move(field)});
    } else {
      return left;
    }
    BRAID_TRY(AddLink());
  }
}

// ---- Primaries ----

Result<ExpressionPtr> Parser::ParsePrimary() {
  switch (Peek().kind) {
    case TokenKind::kString:
    case TokenKind::kUnicodeString:
    case TokenKind::kBinaryString:
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kApproximate: return ParseLiteral();
    case TokenKind::kLeftParen: return ParseParenthesizedExpression();
    case TokenKind::kQuotedName: return ParseNameOrCall();
    case TokenKind::kWord: return ParseWord();
    case TokenKind::kQuestion: return MakeExpression(Take().position, Parameter{});
    default: return Expected("an expression");
  }
}

// True at `(`s that open a query; `((SELECT 1) + 1)` does too, as far as this can see.
bool Parser::LeadsToQuery() const {
  std::size_t ahead = 0;
  while (At(TokenKind::kLeftParen, ahead)) ++ahead;
  return AtQuery(ahead);
}

// Reads what follows a `(` up to its `)`, which stays. Whether `(SELECT 1)` inside is a whole query or begins an expression shows only
// behind it, so both are tried in one pass: going back would take exponential time.
Result<QueryOrExpression> Parser::ParseQueryOrExpression() {
  if (!LeadsToQuery()) {
    BRAID_TRY_ASSIGN(ExpressionPtr expression, ParseExpression());
    return QueryOrExpression(std::move(expression));
  }
  if (AtQuery()) {
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    return QueryOrExpression(std::move(query));
  }
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Height height(*this);
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(QueryOrExpression inner, ParseQueryOrExpression());
  ExpressionPtr left;
  if (QueryPtr* query = std::get_if<QueryPtr>(&inner)) {
    BRAID_TRY(Expect(TokenKind::kRightParen, "the end of the query"));
    if (At(TokenKind::kRightParen)) return inner;
    if (AtQueryContinuation()) {
      BRAID_TRY_ASSIGN(QueryPtr whole, ContinueQuery(Query{.position = position, .body = Values{}}, std::move(*query), true));
      return QueryOrExpression(std::move(whole));
    }
    left = MakeExpression(position, ScalarSubquery{std::move(*query)});
  } else {
    BRAID_TRY_ASSIGN(left, FinishRow(position, std::get<ExpressionPtr>(std::move(inner))));
  }
  BRAID_TRY_ASSIGN(left, ContinuePostfix(std::move(left)));
  BRAID_TRY_ASSIGN(left, ContinueOperators(std::move(left), kLowestPrecedence));
  return QueryOrExpression(std::move(left));
}

Result<ExpressionPtr> Parser::ParseParenthesizedExpression() {
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(QueryOrExpression inner, ParseQueryOrExpression());
  if (QueryPtr* query = std::get_if<QueryPtr>(&inner)) {
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the query"));
    return MakeExpression(position, ScalarSubquery{std::move(*query)});
  }
  return FinishRow(position, std::get<ExpressionPtr>(std::move(inner)));
}

// Reads `, b, c)` or `)` behind the first expression in parentheses.
Result<ExpressionPtr> Parser::FinishRow(Position position, ExpressionPtr first) {
  if (Accept(TokenKind::kRightParen)) {
    const BinaryOperation* operation = std::get_if<BinaryOperation>(&first->node);
    if (operation == nullptr || operation->op != BinaryOperator::kSubtract || !TimeUnitAt()) return first;
    BRAID_TRY_ASSIGN(const IntervalQualifier qualifier, ParseIntervalQualifier());
    return MakeExpression(position, TemporalDifference{operation->left, operation->right, qualifier});
  }
  RowConstructor row{{}, false};
  row.elements.push_back(std::move(first));
  while (Accept(TokenKind::kComma)) {
    BRAID_TRY_ASSIGN(ExpressionPtr element, ParseExpression());
    row.elements.push_back(std::move(element));
  }
  BRAID_TRY(Expect(TokenKind::kRightParen, "an operator, , or )"));
  return MakeExpression(position, std::move(row));
}

Result<ExpressionPtr> Parser::ParseWord() {
  BRAID_TRY_ASSIGN(std::optional<ExpressionPtr> form, ParseReservedForm());
  if (form) return *std::move(form);
  BRAID_TRY_ASSIGN(std::optional<ExpressionPtr> literal, TryParseTemporalLiteral());
  if (literal) return *std::move(literal);
  BRAID_TRY_ASSIGN(std::optional<ExpressionPtr> call, ParseSpecialCall());
  if (call) return *std::move(call);
  const Token& token = Peek();
  if (IsContextVariable(token.text) && !At(TokenKind::kLeftParen, 1)) {
    QualifiedName name{{Identifier{token.position, std::string(TokenText(token))}}};
    return MakeExpression(Take().position, FunctionCall{.name = std::move(name)});
  }
  if (IsReservedFunctionName(token.text) && At(TokenKind::kLeftParen, 1)) {
    QualifiedName name{{Identifier{token.position, std::string(TokenText(token))}}};
    Take();
    return ParseCall(std::move(name));
  }
  if (IsReservedWord(token.text)) {
    if (IsClauseWord(token.text)) return Expected("an expression");
    return Expected("an expression").Hint(
        fmt::format("if {0} is a name, put it in back quotes: `{0}`", TokenText(token)));
  }
  return ParseNameOrCall();
}

Result<ExpressionPtr> Parser::ParseNameOrCall() {
  const Position position = Here();
  QualifiedName name;
  do {
    if (Accept(TokenKind::kStar)) return MakeExpression(position, Star{std::move(name.parts)});
    BRAID_TRY_ASSIGN(Identifier part, ParseIdentifier("a name"));
    name.parts.push_back(std::move(part));
  } while (Accept(TokenKind::kDot));
  if (At(TokenKind::kLeftParen)) return ParseCall(std::move(name));
  return MakeExpression(position, ColumnReference{std::move(name)});
}

Result<std::optional<ExpressionPtr>> Parser::ParseReservedForm() {
  const auto some = [](Result<ExpressionPtr> result) -> Result<std::optional<ExpressionPtr>> {
    if (!result) return std::move(result).error();
    return std::optional(std::move(result).value());
  };
  const Position position = Here();
  if (AcceptWord("NULL")) return some(MakeExpression(position, NullLiteral{}));
  if (AcceptWord("TRUE")) return some(MakeExpression(position, BooleanLiteral{true}));
  if (AcceptWord("FALSE")) return some(MakeExpression(position, BooleanLiteral{false}));
  if (AcceptWord("UNKNOWN")) return some(MakeExpression(position, BooleanLiteral{std::nullopt}));
  if (AcceptWord("DEFAULT")) return some(MakeExpression(position, DefaultValue{}));
  if (AtWord("INTERVAL")) return some(ParseInterval());
  if (AtWord("CASE")) return some(ParseCase());
  if (AtWord("CAST")) return some(ParseCast(false));
  if (AtWord("TRY_CAST")) return some(ParseCast(true));
  if (AtWord("EXISTS")) return some(ParseExists());
  if (AtWord("ROW")) return some(ParseRow());
  if (AtWord("ARRAY")) return some(ParseCollection(CollectionKind::kArray));
  if (AtWord("MULTISET")) return some(ParseCollection(CollectionKind::kMultiset));
  if (AtWord("MAP") && At(TokenKind::kLeftBracket, 1)) return some(ParseCollection(CollectionKind::kMap));
  if (AtWord("MAP") && At(TokenKind::kLeftParen, 1) && AtQuery(2)) return some(ParseCollection(CollectionKind::kMap));
  return std::optional<ExpressionPtr>();
}

Result<ExpressionPtr> Parser::ParseCase() {
  const Position position = Here();
  Take();
  Case value{{}, {}, {}};
  if (!AtWord("WHEN")) {
    BRAID_TRY_ASSIGN(value.operand, ParseExpression());
  }
  if (!AtWord("WHEN")) return Expected("WHEN");
  while (AcceptWord("WHEN")) {
    BRAID_TRY_ASSIGN(ExpressionPtr when, ParseExpression());
    BRAID_TRY(ExpectWord("THEN"));
    BRAID_TRY_ASSIGN(ExpressionPtr then, ParseExpression());
    value.branches.push_back(CaseBranch{std::move(when), std::move(then)});
  }
  if (AcceptWord("ELSE")) {
    BRAID_TRY_ASSIGN(value.otherwise, ParseExpression());
  }
  BRAID_TRY(ExpectWord("END"));
  return MakeExpression(position, std::move(value));
}

Result<ExpressionPtr> Parser::ParseCast(bool is_try) {
  const Position position = Here();
  Take();
  BRAID_TRY(Expect(TokenKind::kLeftParen, "( after CAST"));
  BRAID_TRY_ASSIGN(ExpressionPtr operand, ParseExpression());
  BRAID_TRY(ExpectWord("AS"));
  BRAID_TRY_ASSIGN(TypeName type, ParseTypeName());
  BRAID_TRY(Expect(TokenKind::kRightParen, ") after the type"));
  return MakeExpression(position, Cast{std::move(operand), std::move(type), is_try});
}

Result<ExpressionPtr> Parser::ParseExists() {
  const Position position = Here();
  Take();
  BRAID_TRY(Expect(TokenKind::kLeftParen, "( after EXISTS"));
  BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
  BRAID_TRY(Expect(TokenKind::kRightParen, ") after the query"));
  return MakeExpression(position, Exists{std::move(query)});
}

Result<ExpressionPtr> Parser::ParseRow() {
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(std::vector<ExpressionPtr> elements, ParseExpressionList());
  return MakeExpression(position, RowConstructor{std::move(elements), true});
}

Result<ExpressionPtr> Parser::ParseCollection(CollectionKind kind) {
  const Position position = Here();
  Take();
  if (Accept(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the query"));
    return MakeExpression(position, CollectionQuery{kind, std::move(query)});
  }
  BRAID_TRY(Expect(TokenKind::kLeftBracket, "[ or ("));
  CollectionConstructor collection{kind, {}};
  if (!At(TokenKind::kRightBracket)) {
    BRAID_TRY_ASSIGN(collection.elements, ParseExpressions());
  }
  BRAID_TRY(Expect(TokenKind::kRightBracket, ", or ]"));
  if (kind == CollectionKind::kMap && collection.elements.size() % 2 != 0) {
    return SyntaxErrorAt(source_, position, "MAP[…] takes pairs of key and value");
  }
  return MakeExpression(position, std::move(collection));
}

Result<std::vector<ExpressionPtr>> Parser::ParseExpressionList() {
  BRAID_TRY(Expect(TokenKind::kLeftParen, "("));
  BRAID_TRY_ASSIGN(std::vector<ExpressionPtr> list, ParseExpressions());
  BRAID_TRY(Expect(TokenKind::kRightParen, ", or )"));
  return list;
}

Result<std::vector<ExpressionPtr>> Parser::ParseExpressions() {
  std::vector<ExpressionPtr> list;
  do {
    BRAID_TRY_ASSIGN(ExpressionPtr item, ParseExpression());
    list.push_back(std::move(item));
  } while (Accept(TokenKind::kComma));
  return list;
}

}  // namespace braid::syntax
