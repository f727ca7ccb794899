#include "syntax/parser_internal.h"

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

}  // namespace

Result<ExpressionPtr> Parser::ParseExpression() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Height height(*this);
  return ParseOperators(kLowestPrecedence);
}

Result<ExpressionPtr> Parser::ParseOperators(int lowest) {
  const Height height(*this, 0);
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
  BRAID_TRY(AddLink());
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

}  // namespace braid::syntax
