#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {

Result<TableExpressionPtr> Parser::ParseFrom() {
  const Height height(*this);
  BRAID_TRY_ASSIGN(TableExpressionPtr left, ParseTablePrimary());
  return ContinueFrom(std::move(left));
}

// Commas bind less tightly than JOIN.
Result<TableExpressionPtr> Parser::ContinueFrom(TableExpressionPtr left) {
  BRAID_TRY_ASSIGN(left, ContinueJoins(std::move(left)));
  while (At(TokenKind::kComma)) {
    BRAID_TRY(AddLink());
    const Position position = Take().position;
    BRAID_TRY_ASSIGN(TableExpressionPtr right, ParseTablePrimary());
    BRAID_TRY_ASSIGN(right, ContinueJoins(std::move(right)));
    Join join{.kind = JoinKind::kComma, .left = std::move(left), .right = std::move(right)};
    left = TableExpressionPtr::Make(TableExpression{position, std::move(join)});
  }
  return left;
}

Result<TableExpressionPtr> Parser::ContinueJoins(TableExpressionPtr left) {
  while (true) {
    const Position position = Here();
    const bool natural = AcceptWord("NATURAL");
    BRAID_TRY_ASSIGN(const std::optional<JoinKind> kind, ParseJoinKind(natural));
    if (!kind) return left;
    BRAID_TRY(AddLink());
    Join join{.kind = *kind, .natural = natural, .left = std::move(left), .right = {}};
    BRAID_TRY_ASSIGN(join.right, ParseTablePrimary());
    if (AcceptWord("ON")) {
      BRAID_TRY_ASSIGN(join.on, ParseExpression());
    } else if (AcceptWord("USING")) {
      BRAID_TRY_ASSIGN(join.using_columns, ParseIdentifierList("a column's name"));
    }
    const bool has_condition = join.on || !join.using_columns.empty();
    if ((natural || *kind == JoinKind::kCross) && has_condition) {
      return SyntaxErrorAt(source_, position,
                           natural ? "NATURAL JOIN takes no ON and no USING" : "CROSS JOIN takes no ON and no USING");
    }
    if (*kind != JoinKind::kCross && *kind != JoinKind::kInner && !natural && !has_condition) {
      return Expected("ON or USING with the condition of this join");
    }
    left = TableExpressionPtr::Make(TableExpression{position, std::move(join)});
  }
}

Result<std::optional<JoinKind>> Parser::ParseJoinKind(bool natural) {
  std::optional<JoinKind> kind;
  if (AcceptWord("JOIN")) return std::optional(JoinKind::kInner);
  if (AcceptWord("INNER")) {
    kind = JoinKind::kInner;
  } else if (AcceptWord("CROSS")) {
    kind = JoinKind::kCross;
  } else if (AcceptWord("LEFT")) {
    kind = JoinKind::kLeft;
  } else if (AcceptWord("RIGHT")) {
    kind = JoinKind::kRight;
  } else if (AcceptWord("FULL")) {
    kind = JoinKind::kFull;
  } else if (natural) {
    return Expected("JOIN");
  } else {
    return kind;
  }
  if (*kind != JoinKind::kInner && *kind != JoinKind::kCross) AcceptWord("OUTER");
  BRAID_TRY(ExpectWord("JOIN"));
  return kind;
}

Result<TableExpressionPtr> Parser::ParseTablePrimary() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  if (At(TokenKind::kLeftParen)) return ParseParenthesizedTable();
  if (AtWord("LATERAL")) return ParseLateral();
  if (AtWord("UNNEST")) return ParseUnnest();
  if (AtWord("TABLE")) return ParseTableFunction(Here(), false);
  return ParseNamedTable();
}

// As ParseQueryOrExpression: reads what follows a `(` of FROM up to its `)`, which stays.
Result<QueryOrTable> Parser::ParseQueryOrTable() {
  const Nesting nesting(*this);
  BRAID_TRY(nesting.Check());
  if (!LeadsToQuery()) {
    BRAID_TRY_ASSIGN(TableExpressionPtr table, ParseFrom());
    return QueryOrTable(std::move(table));
  }
  if (AtQuery()) {
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    return QueryOrTable(std::move(query));
  }
  const Height height(*this);
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(QueryOrTable inner, ParseQueryOrTable());
  BRAID_TRY(Expect(TokenKind::kRightParen, ")"));
  TableExpressionPtr left;
  if (QueryPtr* query = std::get_if<QueryPtr>(&inner)) {
    if (At(TokenKind::kRightParen)) return inner;
    if (AtQueryContinuation()) {
      BRAID_TRY_ASSIGN(QueryPtr whole,
                       ContinueQuery(Query{.position = position, .body = Values{}}, std::move(*query), true));
      return QueryOrTable(std::move(whole));
    }
    BRAID_TRY_ASSIGN(left, FinishTable(TableExpression{position, DerivedTable{std::move(*query)}}));
  } else {
    left = std::get<TableExpressionPtr>(std::move(inner));
  }
  BRAID_TRY_ASSIGN(left, ContinueFrom(std::move(left)));
  return QueryOrTable(std::move(left));
}

Result<TableExpressionPtr> Parser::ParseParenthesizedTable() {
  const Position position = Here();
  Take();
  BRAID_TRY_ASSIGN(QueryOrTable inner, ParseQueryOrTable());
  BRAID_TRY(Expect(TokenKind::kRightParen, "a join or )"));
  if (QueryPtr* query = std::get_if<QueryPtr>(&inner)) {
    return FinishTable(TableExpression{position, DerivedTable{std::move(*query)}});
  }
  TableExpressionPtr table = std::get<TableExpressionPtr>(std::move(inner));
  if (AtWord("AS") || AtIdentifier()) {
    return Expected("no alias behind tables in parentheses")
        .Hint("give each table an alias, or write (SELECT * FROM …) AS name");
  }
  return table;
}

Result<TableExpressionPtr> Parser::ParseLateral() {
  const Position position = Here();
  Take();
  if (Accept(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    BRAID_TRY(Expect(TokenKind::kRightParen, ") after the query"));
    return FinishTable(TableExpression{position, DerivedTable{std::move(query), true}});
  }
  if (AtWord("UNNEST")) return ParseUnnest();
  return ParseTableFunction(position, true);
}

// TABLE(f(…)) or, behind LATERAL, f(…) alone.
Result<TableExpressionPtr> Parser::ParseTableFunction(Position position, bool lateral) {
  const bool has_keyword = AcceptWord("TABLE");
  if (has_keyword) BRAID_TRY(Expect(TokenKind::kLeftParen, "( after TABLE"));
  const Position call_position = Here();
  BRAID_TRY_ASSIGN(ExpressionPtr call, ParsePrimary());
  if (!std::holds_alternative<FunctionCall>(call->node)) {
    return SyntaxErrorAt(source_, call_position, "expected a table function and its arguments")
        .Hint("to read a table, write its name without TABLE(…)");
  }
  if (has_keyword) BRAID_TRY(Expect(TokenKind::kRightParen, ") of TABLE"));
  return FinishTable(TableExpression{position, TableFunction{std::move(call), lateral}});
}

// LATERAL before UNNEST says nothing that UNNEST does not.
Result<TableExpressionPtr> Parser::ParseUnnest() {
  const Position position = Here();
  Take();
  Unnest unnest;
  BRAID_TRY_ASSIGN(unnest.values, ParseExpressionList());
  unnest.with_ordinality = AcceptWords({"WITH", "ORDINALITY"});
  return FinishTable(TableExpression{position, std::move(unnest)});
}

Result<TableExpressionPtr> Parser::ParseNamedTable() {
  const Position position = Here();
  BRAID_TRY_ASSIGN(QualifiedName name, ParseQualifiedName("a table's name"));
  if (At(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(ExpressionPtr call, ParseCall(std::move(name)));
    return FinishTable(TableExpression{position, TableFunction{std::move(call)}});
  }
  NamedTable table{.name = std::move(name)};
  BRAID_TRY_ASSIGN(table.hints, ParseHints());
  if (AcceptWord("FOR")) {
    BRAID_TRY(ExpectWords({"SYSTEM_TIME", "AS", "OF"}));
    BRAID_TRY_ASSIGN(table.as_of, ParseExpression());
  }
  return FinishTable(TableExpression{position, std::move(table)});
}

Result<TableExpressionPtr> Parser::FinishTable(TableExpression table) {
  const auto refuse = [this]() -> Status {
    if (AtWord("MATCH_RECOGNIZE"))
      return Unsupported("MATCH_RECOGNIZE", "express the pattern with LAG, LEAD or a self join, or run it on Flink");
    if (AtWord("TABLESAMPLE")) return Unsupported("TABLESAMPLE", "filter with WHERE RAND() < fraction");
    if (AtWord("PIVOT") || AtWord("UNPIVOT")) return Unsupported("PIVOT", "use aggregates with FILTER (WHERE …)");
    return Ok();
  };
  BRAID_TRY(refuse());
  BRAID_TRY_ASSIGN(table.alias, ParseTableAlias());
  BRAID_TRY(refuse());
  return TableExpressionPtr::Make(std::move(table));
}

Result<std::optional<TableAlias>> Parser::ParseTableAlias() {
  if (!AcceptWord("AS") && !AtIdentifier()) return std::optional<TableAlias>();
  TableAlias alias;
  BRAID_TRY_ASSIGN(alias.name, ParseIdentifier("a table's name"));
  if (At(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(alias.columns, ParseIdentifierList("a column's name"));
  }
  return std::optional(std::move(alias));
}

}  // namespace braid::syntax
