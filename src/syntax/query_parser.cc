#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {
namespace {

bool HasTail(const Query& query) {
  return !query.order_by.empty() || query.limit || query.offset;
}

}  // namespace

bool Parser::AtQuery(std::size_t ahead) const {
  return AtWord("SELECT", ahead) || AtWord("VALUES", ahead) || AtWord("WITH", ahead) ||
         (AtWord("TABLE", ahead) && AtIdentifier(ahead + 1));
}

Result<QueryPtr> Parser::ParseQuery() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  const Height height(*this);
  Query query{.position = Here(), .body = Values{}};
  BRAID_TRY(ParseWith(query));
  if (!AtQuery() && !At(TokenKind::kLeftParen)) return Expected("a query: SELECT, VALUES, TABLE or (");
  bool in_parentheses = false;
  BRAID_TRY_ASSIGN(QueryPtr left, ParseQueryOperand(in_parentheses));
  return ContinueQuery(std::move(query), std::move(left), in_parentheses);
}

// Reads set operations, ORDER BY and LIMIT behind the first operand. `query` holds what stood before it.
Result<QueryPtr> Parser::ContinueQuery(Query query, QueryPtr left, bool left_in_parentheses) {
  bool is_single = true;
  BRAID_TRY_ASSIGN(QueryPtr whole, ParseSetOperations(std::move(left), is_single, 0));
  BRAID_TRY(ParseQueryTail(query));
  if (!is_single || !left_in_parentheses) {
    query.body = whole->body;
  } else if (!HasTail(query) && query.with.empty()) {
    return whole;
  } else {
    query.body = NestedQuery{std::move(whole)};
  }
  return QueryPtr::Make(std::move(query));
}

bool Parser::AtQueryContinuation() const {
  return AtWord("UNION") || AtWord("INTERSECT") || AtWord("EXCEPT") || AtWord("MINUS") || AtWord("ORDER") ||
         AtWord("LIMIT") || AtWord("OFFSET") || AtWord("FETCH");
}

// INTERSECT (2) binds tighter than UNION and EXCEPT (1); all lean to the left.
Result<QueryPtr> Parser::ParseSetOperations(QueryPtr left, bool& is_single, int lowest) {
  while (true) {
    const int strength = AtWord("INTERSECT") ? 2 : AtWord("UNION") || AtWord("EXCEPT") || AtWord("MINUS") ? 1 : 0;
    if (strength == 0 || strength < lowest) return left;
    BRAID_TRY(AddLink());
    is_single = false;
    const Position position = Here();
    SetOperation operation{AtWord("UNION")       ? SetOperator::kUnion
                           : AtWord("INTERSECT") ? SetOperator::kIntersect
                                                 : SetOperator::kExcept,
                           false,
                           std::move(left),
                           {}};
    Take();
    operation.all = AcceptWord("ALL");
    if (!operation.all) AcceptWord("DISTINCT");
    bool in_parentheses = false;
    BRAID_TRY_ASSIGN(operation.right, ParseQueryOperand(in_parentheses));
    BRAID_TRY_ASSIGN(operation.right, ParseSetOperations(std::move(operation.right), is_single, strength + 1));
    left = QueryPtr::Make(Query{.position = position, .body = std::move(operation)});
  }
}

Result<QueryPtr> Parser::ParseQueryOperand(bool& in_parentheses) {
  const Position position = Here();
  if (Accept(TokenKind::kLeftParen)) {
    in_parentheses = true;
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the query"));
    return query;
  }
  Query query{.position = position, .body = Values{}};
  if (AtWord("SELECT")) {
    BRAID_TRY_ASSIGN(query.body, ParseSelect());
  } else if (AtWord("VALUES")) {
    BRAID_TRY_ASSIGN(query.body, ParseValues());
  } else if (AcceptWord("TABLE")) {
    BRAID_TRY_ASSIGN(QualifiedName name, ParseQualifiedName("a table's name"));
    query.body = ExplicitTable{std::move(name)};
  } else {
    return Expected("SELECT, VALUES, TABLE or (");
  }
  return QueryPtr::Make(std::move(query));
}

Status Parser::ParseWith(Query& query) {
  if (!AcceptWord("WITH")) return Ok();
  query.recursive = AcceptWord("RECURSIVE");
  do {
    CommonTable table;
    BRAID_TRY_ASSIGN(table.name, ParseIdentifier("a name for the query"));
    if (At(TokenKind::kLeftParen)) {
      BRAID_TRY_ASSIGN(table.columns, ParseIdentifierList("a column's name"));
    }
    BRAID_TRY(ExpectWord("AS"));
    BRAID_TRY(Expect(TokenKind::kLeftParen, "( and a query"));
    BRAID_TRY_ASSIGN(table.query, ParseQuery());
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the query"));
    query.with.push_back(std::move(table));
  } while (Accept(TokenKind::kComma));
  return Ok();
}

Status Parser::ParseQueryTail(Query& query) {
  if (AcceptWords({"ORDER", "BY"})) {
    BRAID_TRY_ASSIGN(query.order_by, ParseOrderBy());
  }
  bool limit_given = false;
  while (true) {
    if (!limit_given && AcceptWord("LIMIT")) {
      limit_given = true;
      if (AcceptWord("ALL")) continue;
      BRAID_TRY_ASSIGN(query.limit, ParseRowCount());
      if (At(TokenKind::kComma)) return Unsupported("LIMIT start, count", "write LIMIT count OFFSET start");
    } else if (!query.offset && AcceptWord("OFFSET")) {
      BRAID_TRY_ASSIGN(query.offset, ParseRowCount());
      if (!AcceptWord("ROWS")) AcceptWord("ROW");
    } else if (!limit_given && AcceptWord("FETCH")) {
      limit_given = true;
      if (!AcceptWord("FIRST")) BRAID_TRY(ExpectWord("NEXT"));
      BRAID_TRY_ASSIGN(query.limit, ParseRowCount());
      if (!AcceptWord("ROWS")) BRAID_TRY(ExpectWord("ROW"));
      BRAID_TRY(ExpectWord("ONLY"));
    } else {
      return Ok();
    }
  }
}

Result<ExpressionPtr> Parser::ParseRowCount() {
  if (At(TokenKind::kQuestion)) return ParsePrimary();
  if (!At(TokenKind::kInteger)) return Expected("a number of rows");
  return ParseLiteral();
}

Result<std::vector<OrderItem>> Parser::ParseOrderBy() {
  std::vector<OrderItem> items;
  do {
    OrderItem item;
    BRAID_TRY_ASSIGN(item.value, ParseExpression());
    item.descending = AcceptWord("DESC");
    if (!item.descending) AcceptWord("ASC");
    if (AcceptWord("NULLS")) {
      item.nulls = AcceptWord("FIRST") ? NullOrder::kFirst : NullOrder::kLast;
      if (item.nulls == NullOrder::kLast) BRAID_TRY(ExpectWord("LAST"));
    }
    items.push_back(std::move(item));
  } while (Accept(TokenKind::kComma));
  return items;
}

Result<Values> Parser::ParseValues() {
  Values values{Here(), {}};
  Take();
  do {
    const bool has_keyword = AtWord("ROW");
    BRAID_TRY_ASSIGN(ExpressionPtr row, ParseExpression());
    const RowConstructor* constructor = std::get_if<RowConstructor>(&row->node);
    if (constructor != nullptr && constructor->has_keyword == has_keyword) {
      values.rows.push_back(constructor->elements);
    } else {
      values.rows.push_back({std::move(row)});
    }
  } while (Accept(TokenKind::kComma));
  return values;
}

}  // namespace braid::syntax
