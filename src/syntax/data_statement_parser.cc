#include "syntax/parser_internal.h"
#include "syntax/source.h"

namespace braid::syntax {

Result<StatementNode> Parser::ParseInsert() {
  Take();
  Insert insert{.table = {}, .query = {}};
  if (AcceptWord("OVERWRITE")) {
    insert.overwrite = true;
  } else if (!AcceptWord("INTO")) {
    return Expected("INTO or OVERWRITE");
  }
  BRAID_TRY_ASSIGN(insert.table, ParseQualifiedName("the table's name"));
  BRAID_TRY_ASSIGN(insert.hints, ParseHints());
  if (AcceptWord("PARTITION")) {
    BRAID_TRY_ASSIGN(insert.partition, ParsePartitionSpec());
  }
  if (At(TokenKind::kLeftParen) && !LeadsToQuery()) {
    BRAID_TRY_ASSIGN(insert.columns, ParseNameList("a column's name"));
  }
  BRAID_TRY_ASSIGN(insert.query, ParseQuery());
  return insert;
}

Result<std::optional<Identifier>> Parser::ParseOptionalAlias() {
  if (!AcceptWord("AS") && !AtIdentifier()) return std::optional<Identifier>();
  BRAID_TRY_ASSIGN(Identifier alias, ParseIdentifier("a table's name"));
  return std::optional(std::move(alias));
}

Result<std::vector<Assignment>> Parser::ParseAssignments() {
  std::vector<Assignment> assignments;
  do {
    Assignment assignment;
    BRAID_TRY_ASSIGN(assignment.column, ParseQualifiedName("a column's name"));
    BRAID_TRY(Expect(TokenKind::kEqual, "="));
    BRAID_TRY_ASSIGN(assignment.value, ParseExpression());
    assignments.push_back(std::move(assignment));
  } while (Accept(TokenKind::kComma));
  return assignments;
}

Result<StatementNode> Parser::ParseUpdate() {
  Take();
  Update update{.table = {}, .assignments = {}};
  BRAID_TRY_ASSIGN(update.table, ParseQualifiedName("the table's name"));
  BRAID_TRY_ASSIGN(update.hints, ParseHints());
  BRAID_TRY_ASSIGN(update.alias, ParseOptionalAlias());
  BRAID_TRY(ExpectWord("SET"));
  BRAID_TRY_ASSIGN(update.assignments, ParseAssignments());
  if (AcceptWord("WHERE")) {
    BRAID_TRY_ASSIGN(update.where, ParseExpression());
  }
  return update;
}

Result<StatementNode> Parser::ParseDelete() {
  Take();
  BRAID_TRY(ExpectWord("FROM"));
  Delete statement{.table = {}};
  BRAID_TRY_ASSIGN(statement.table, ParseQualifiedName("the table's name"));
  BRAID_TRY_ASSIGN(statement.hints, ParseHints());
  BRAID_TRY_ASSIGN(statement.alias, ParseOptionalAlias());
  if (AcceptWord("WHERE")) {
    BRAID_TRY_ASSIGN(statement.where, ParseExpression());
  }
  return statement;
}

Result<StatementNode> Parser::ParseMerge() {
  Take();
  BRAID_TRY(ExpectWord("INTO"));
  Merge merge{.table = {}, .source = {}, .on = {}};
  BRAID_TRY_ASSIGN(merge.table, ParseQualifiedName("the table's name"));
  BRAID_TRY_ASSIGN(merge.hints, ParseHints());
  BRAID_TRY_ASSIGN(merge.alias, ParseOptionalAlias());
  BRAID_TRY(ExpectWord("USING"));
  BRAID_TRY_ASSIGN(merge.source, ParseTablePrimary());
  BRAID_TRY(ExpectWord("ON"));
  BRAID_TRY_ASSIGN(merge.on, ParseExpression());
  if (!AtWord("WHEN")) return Expected("WHEN MATCHED or WHEN NOT MATCHED");
  while (AtWord("WHEN")) {
    BRAID_TRY_ASSIGN(MergeClause clause, ParseMergeClause());
    merge.clauses.push_back(std::move(clause));
  }
  return merge;
}

Result<MergeClause> Parser::ParseMergeClause() {
  MergeClause clause{.position = Here(), .match = MergeMatch::kMatched, .action = {}};
  Take();
  if (AcceptWord("NOT")) clause.match = MergeMatch::kNotMatched;
  BRAID_TRY(ExpectWord("MATCHED"));
  if (clause.match == MergeMatch::kNotMatched && AcceptWord("BY")) {
    if (AcceptWord("SOURCE")) {
      clause.match = MergeMatch::kNotMatchedBySource;
    } else if (!AcceptWord("TARGET")) {
      return Expected("SOURCE or TARGET");
    }
  }
  if (AcceptWord("AND")) {
    BRAID_TRY_ASSIGN(clause.condition, ParseExpression());
  }
  BRAID_TRY(ExpectWord("THEN"));
  if (clause.match == MergeMatch::kNotMatched) {
    BRAID_TRY_ASSIGN(clause.action, ParseMergeInsert());
  } else if (AcceptWord("UPDATE")) {
    BRAID_TRY(ExpectWord("SET"));
    MergeUpdate update;
    if (!Accept(TokenKind::kStar)) {
      BRAID_TRY_ASSIGN(update.assignments, ParseAssignments());
    }
    clause.action = std::move(update);
  } else if (AcceptWord("DELETE")) {
    clause.action = MergeDelete{};
  } else {
    return Expected("UPDATE or DELETE");
  }
  return clause;
}

Result<MergeInsert> Parser::ParseMergeInsert() {
  BRAID_TRY(ExpectWord("INSERT"));
  MergeInsert insert;
  if (Accept(TokenKind::kStar)) return insert;
  if (At(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(insert.columns, ParseNameList("a column's name"));
  }
  BRAID_TRY(ExpectWord("VALUES"));
  BRAID_TRY_ASSIGN(insert.values, ParseExpressionList());
  return insert;
}

Result<StatementNode> Parser::ParseTruncate() {
  Take();
  BRAID_TRY(ExpectWord("TABLE"));
  BRAID_TRY_ASSIGN(QualifiedName table, ParseQualifiedName("the table's name"));
  return TruncateTable{std::move(table)};
}

Result<StatementNode> Parser::ParseAnalyze() {
  Take();
  BRAID_TRY(ExpectWord("TABLE"));
  AnalyzeTable analyze{.table = {}};
  BRAID_TRY_ASSIGN(analyze.table, ParseQualifiedName("the table's name"));
  if (AcceptWord("PARTITION")) {
    BRAID_TRY_ASSIGN(analyze.partition, ParsePartitionSpec());
  }
  BRAID_TRY(ExpectWords({"COMPUTE", "STATISTICS"}));
  if (!AcceptWord("FOR")) return analyze;
  if (AcceptWords({"ALL", "COLUMNS"})) {
    analyze.all_columns = true;
    return analyze;
  }
  BRAID_TRY(ExpectWord("COLUMNS"));
  do {
    BRAID_TRY_ASSIGN(Identifier column, ParseIdentifier("a column's name"));
    analyze.columns.push_back(std::move(column));
  } while (Accept(TokenKind::kComma));
  return analyze;
}

// ---- Statements that hold statements ----

Result<StatementNode> Parser::ParseBegin() {
  Take();
  BRAID_TRY(ExpectWords({"STATEMENT", "SET"}));
  const bool goes_on = At(TokenKind::kSemicolon) && !At(TokenKind::kEnd, 1);
  if (!goes_on) return BeginStatementSet{};
  Take();
  return ParseStatementSet();
}

Result<StatementNode> Parser::ParseExecute() {
  if (AtWord("STATEMENT") || AtWords({"EXECUTE", "STATEMENT"})) {
    AcceptWord("EXECUTE");
    BRAID_TRY(ExpectWords({"STATEMENT", "SET", "BEGIN"}));
    return ParseStatementSet();
  }
  Take();
  if (AtWord("PLAN")) return Unsupported("EXECUTE PLAN", "run the statement itself");
  if (!AtWord("INSERT") && !AtQuery() && !At(TokenKind::kLeftParen)) return Expected("STATEMENT SET, INSERT or SELECT");
  BRAID_TRY_ASSIGN(StatementPtr statement, ParseStatement());
  return Execute{std::move(statement)};
}

Result<StatementNode> Parser::ParseStatementSet() {
  StatementSet set;
  while (!AcceptWord("END")) {
    if (!AtWord("INSERT")) return Expected("INSERT or END");
    BRAID_TRY_ASSIGN(StatementPtr statement, ParseStatement());
    set.statements.push_back(std::move(statement));
    BRAID_TRY(Expect(TokenKind::kSemicolon, "; after the statement"));
  }
  if (set.statements.empty()) return Expected("at least one INSERT in the statement set");
  return set;
}

Result<StatementNode> Parser::ParseExplain() {
  Take();
  Explain explain{.statement = {}};
  constexpr std::pair<std::string_view, ExplainDetail> kDetails[] = {
      {"ESTIMATED_COST", ExplainDetail::kEstimatedCost},
      {"CHANGELOG_MODE", ExplainDetail::kChangelogMode},
      {"JSON_EXECUTION_PLAN", ExplainDetail::kJsonExecutionPlan},
      {"PLAN_ADVICE", ExplainDetail::kPlanAdvice}};
  if (!AcceptWords({"PLAN", "FOR"})) {
    do {
      for (const auto& [word, detail] : kDetails) {
        if (AcceptWord(word)) explain.details.push_back(detail);
      }
    } while (!explain.details.empty() && Accept(TokenKind::kComma));
  }
  const bool can_be_explained = AtQuery() || At(TokenKind::kLeftParen) || AtWord("INSERT") || AtWord("UPDATE") ||
                                AtWord("DELETE") || AtWord("MERGE") || AtWord("EXECUTE") || AtWord("STATEMENT") ||
                                AtWord("CREATE") || AtWord("REPLACE");
  if (!can_be_explained)
    return Expected("PLAN FOR, a detail such as CHANGELOG_MODE, or SELECT, INSERT, UPDATE or DELETE");
  BRAID_TRY_ASSIGN(explain.statement, ParseStatement());
  return explain;
}

Result<StatementNode> Parser::ParseCall() {
  Take();
  BRAID_TRY_ASSIGN(QualifiedName procedure, ParseQualifiedName("the procedure's name"));
  Call call{std::move(procedure), {}};
  BRAID_TRY(ParseParenthesized(
      [&]() -> Status {
        BRAID_TRY_ASSIGN(CallArgument argument, ParseArgument());
        call.arguments.push_back(std::move(argument));
        return Ok();
      },
      true));
  return call;
}

}  // namespace braid::syntax
