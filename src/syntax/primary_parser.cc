#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "syntax/keywords.h"
#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {
namespace {

// Words that stand where an expression is missing rather than for a column.
bool IsClauseWord(std::string_view word) {
  constexpr std::string_view kWords[] = {
      "AND",  "AS",    "ASC", "BY", "ELSE",  "END",  "FETCH",   "FROM", "GROUP", "HAVING", "IN",    "INTO", "IS",
      "JOIN", "LIMIT", "ON",  "OR", "ORDER", "OVER", "QUALIFY", "THEN", "UNION", "WHEN",   "WHERE", "WITH"};
  return std::binary_search(std::begin(kWords), std::end(kWords), word);
}

}  // namespace

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
  while (At(TokenKind::kLeftParen, ahead) && ahead <= kMaxNesting) ++ahead;
  return AtQuery(ahead);
}

// Reads what follows a `(` up to its `)`, which stays. Whether `(SELECT 1)` inside is a whole query or begins an
// expression shows only behind it, so both are tried in one pass: going back would take exponential time.
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
  return ContinueQueryOrExpression(position, std::move(inner));
}

// Reads on at the `)` that ends what the inner parentheses hold.
Result<QueryOrExpression> Parser::ContinueQueryOrExpression(Position position, QueryOrExpression inner) {
  ExpressionPtr left;
  if (QueryPtr* query = std::get_if<QueryPtr>(&inner)) {
    BRAID_TRY(Expect(TokenKind::kRightParen, "the end of the query"));
    if (At(TokenKind::kRightParen)) return inner;
    if (AtQueryContinuation()) {
      BRAID_TRY_ASSIGN(QueryPtr whole,
                       ContinueQuery(Query{.position = position, .body = Values{}}, std::move(*query), true));
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

// ---- Words ----

// Finds how the word here begins an expression, if not as a name or a plain call.
Parser::Form Parser::FindForm() const {
  enum class When : std::uint8_t { kAlways, kBeforeText, kBeforeParenthesis, kAsConstructor, kBeforeUnit };
  struct Entry {
    std::string_view word;
    When when;
    Form form;
  };
  // Sorted by word.
  static constexpr Entry kForms[] = {
      {"ARRAY", When::kAlways, &Parser::ParseCollection},
      {"CASE", When::kAlways, &Parser::ParseCase},
      {"CAST", When::kAlways, &Parser::ParseCast},
      {"CEIL", When::kBeforeParenthesis, &Parser::ParseRounding},
      {"CEILING", When::kBeforeParenthesis, &Parser::ParseRounding},
      {"DATE", When::kBeforeText, &Parser::ParseTemporalLiteral},
      {"DEFAULT", When::kAlways, &Parser::ParseConstant},
      {"DESCRIPTOR", When::kBeforeParenthesis, &Parser::ParseDescriptor},
      {"EXISTS", When::kAlways, &Parser::ParseExists},
      {"EXTRACT", When::kBeforeParenthesis, &Parser::ParseExtract},
      {"FALSE", When::kAlways, &Parser::ParseConstant},
      {"FLOOR", When::kBeforeParenthesis, &Parser::ParseRounding},
      {"INTERVAL", When::kAlways, &Parser::ParseInterval},
      {"JSON_ARRAY", When::kBeforeParenthesis, &Parser::ParseJsonArray},
      {"JSON_ARRAYAGG", When::kBeforeParenthesis, &Parser::ParseJsonArrayAgg},
      {"JSON_EXISTS", When::kBeforeParenthesis, &Parser::ParseJsonExists},
      {"JSON_OBJECT", When::kBeforeParenthesis, &Parser::ParseJsonObject},
      {"JSON_OBJECTAGG", When::kBeforeParenthesis, &Parser::ParseJsonObjectAgg},
      {"JSON_QUERY", When::kBeforeParenthesis, &Parser::ParseJsonQuery},
      {"JSON_VALUE", When::kBeforeParenthesis, &Parser::ParseJsonValue},
      {"MAP", When::kAsConstructor, &Parser::ParseCollection},
      {"MULTISET", When::kAlways, &Parser::ParseCollection},
      {"NULL", When::kAlways, &Parser::ParseConstant},
      {"OVERLAY", When::kBeforeParenthesis, &Parser::ParseOverlay},
      {"POSITION", When::kBeforeParenthesis, &Parser::ParsePosition},
      {"ROW", When::kAlways, &Parser::ParseRow},
      {"SUBSTRING", When::kBeforeParenthesis, &Parser::ParseSubstring},
      {"TIME", When::kBeforeText, &Parser::ParseTemporalLiteral},
      {"TIMESTAMP", When::kBeforeText, &Parser::ParseTemporalLiteral},
      {"TIMESTAMPADD", When::kBeforeUnit, &Parser::ParseTimestampArithmetic},
      {"TIMESTAMPDIFF", When::kBeforeUnit, &Parser::ParseTimestampArithmetic},
      {"TRIM", When::kBeforeParenthesis, &Parser::ParseTrim},
      {"TRUE", When::kAlways, &Parser::ParseConstant},
      {"TRY_CAST", When::kAlways, &Parser::ParseCast},
      {"UNKNOWN", When::kAlways, &Parser::ParseConstant},
  };
  const std::string_view word = Peek().text;
  const Entry* entry =
      std::lower_bound(std::begin(kForms), std::end(kForms), word,
                       [](const Entry& candidate, std::string_view sought) { return candidate.word < sought; });
  if (entry == std::end(kForms) || entry->word != word) return nullptr;
  const bool before_parenthesis = At(TokenKind::kLeftParen, 1);
  switch (entry->when) {
    case When::kAlways: return entry->form;
    case When::kBeforeText: return AtTemporalText() ? entry->form : nullptr;
    case When::kBeforeParenthesis: return before_parenthesis ? entry->form : nullptr;
    case When::kAsConstructor:
      return At(TokenKind::kLeftBracket, 1) || (before_parenthesis && AtQuery(2)) ? entry->form : nullptr;
    case When::kBeforeUnit:
      return before_parenthesis && TimeUnitAt(2) && At(TokenKind::kComma, 3) ? entry->form : nullptr;
  }
  return nullptr;
}

// Small, since deep nesting passes through it: what needs space lies in the methods that it calls.
Result<ExpressionPtr> Parser::ParseWord() {
  if (const Form form = FindForm()) return (this->*form)();
  if (IsReservedWord(Peek().text)) return ParseReservedCall();
  return ParseNameOrCall();
}

Result<ExpressionPtr> Parser::ParseReservedCall() {
  const Token& token = Peek();
  const bool is_call = At(TokenKind::kLeftParen, 1) && IsReservedFunctionName(token.text);
  const bool is_variable = !At(TokenKind::kLeftParen, 1) && IsContextVariable(token.text);
  if (!is_call && !is_variable) return RefuseReservedWord();
  QualifiedName name{{Identifier{token.position, std::string(TokenText(token))}}};
  Take();
  if (is_call) return ParseCall(std::move(name));
  return MakeVariable(std::move(name));
}

Error Parser::RefuseReservedWord() const {
  const Token& token = Peek();
  if (IsClauseWord(token.text)) return Expected("an expression");
  return Expected("an expression")
      .Hint(fmt::format("if {0} is a name, put it in back quotes: `{0}`", TokenText(token)));
}

ExpressionPtr Parser::MakeVariable(QualifiedName name) {
  const Position position = name.position();
  return MakeExpression(position, FunctionCall{.name = std::move(name)});
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

Result<ExpressionPtr> Parser::ParseConstant() {
  const Token word = Take();
  if (word.text == "NULL") return MakeExpression(word.position, NullLiteral{});
  if (word.text == "DEFAULT") return MakeExpression(word.position, DefaultValue{});
  if (word.text == "UNKNOWN") return MakeExpression(word.position, BooleanLiteral{std::nullopt});
  return MakeExpression(word.position, BooleanLiteral{word.text == "TRUE"});
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

Result<ExpressionPtr> Parser::ParseCast() {
  const Position position = Here();
  const bool is_try = Take().text == "TRY_CAST";
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

Result<ExpressionPtr> Parser::ParseCollection() {
  const Position position = Here();
  const std::string word = Take().text;
  const CollectionKind kind = word == "ARRAY" ? CollectionKind::kArray
                              : word == "MAP" ? CollectionKind::kMap
                                              : CollectionKind::kMultiset;
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
