#include "syntax/parser_internal.h"

namespace braid::syntax {

Result<StatementNode> Parser::ParseCreateView(bool temporary) {
  CreateView view{.name = {}, .temporary = temporary, .query = {}};
  BRAID_TRY_ASSIGN(view.if_not_exists, ParseIfNotExists());
  BRAID_TRY_ASSIGN(view.name, ParseQualifiedName("the view's name"));
  if (At(TokenKind::kLeftParen)) {
    BRAID_TRY_ASSIGN(view.columns, ParseIdentifierList("a column's name"));
  }
  BRAID_TRY_ASSIGN(view.comment, ParseCommentClause());
  BRAID_TRY(ExpectWord("AS"));
  BRAID_TRY_ASSIGN(view.query, ParseQuery());
  return view;
}

Result<StatementNode> Parser::ParseCreateDatabase() {
  CreateDatabase database;
  BRAID_TRY_ASSIGN(database.if_not_exists, ParseIfNotExists());
  BRAID_TRY_ASSIGN(database.name, ParseQualifiedName("the database's name"));
  BRAID_TRY_ASSIGN(database.comment, ParseCommentClause());
  BRAID_TRY_ASSIGN(database.options, ParseWithClause());
  return database;
}

Result<StatementNode> Parser::ParseCreateCatalog() {
  CreateCatalog catalog;
  BRAID_TRY_ASSIGN(catalog.if_not_exists, ParseIfNotExists());
  BRAID_TRY_ASSIGN(catalog.name, ParseIdentifier("the catalog's name"));
  BRAID_TRY_ASSIGN(catalog.comment, ParseCommentClause());
  BRAID_TRY_ASSIGN(catalog.options, ParseWithClause());
  return catalog;
}

// Behind CREATE or ALTER … FUNCTION.
Result<StatementNode> Parser::ParseFunctionDefinition(CreateFunction function) {
  BRAID_TRY_ASSIGN(function.if_not_exists, function.alter ? ParseIfExists() : ParseIfNotExists());
  BRAID_TRY_ASSIGN(function.name, ParseQualifiedName("the function's name"));
  BRAID_TRY(ExpectWord("AS"));
  BRAID_TRY_ASSIGN(function.class_name, ParseString("the class as 'text'"));
  if (AcceptWord("LANGUAGE")) {
    if (!AtWord("JAVA") && !AtWord("SCALA") && !AtWord("PYTHON")) return Expected("JAVA, SCALA or PYTHON");
    function.language = Take().text;
  }
  if (!AcceptWord("USING")) return function;
  do {
    BRAID_TRY(ExpectWord("JAR"));
    BRAID_TRY_ASSIGN(std::string jar, ParseString("the path as 'text'"));
    function.jars.push_back(std::move(jar));
  } while (Accept(TokenKind::kComma));
  return function;
}

Result<StatementNode> Parser::ParseAlter() {
  Take();
  if (AcceptWord("TABLE")) return ParseAlterTable();
  if (AcceptWord("VIEW")) return ParseAlterView();
  if (AcceptWord("DATABASE")) return ParseAlterDatabase();
  if (AcceptWord("CATALOG")) return ParseAlterCatalog();
  const bool temporary = AcceptWord("TEMPORARY");
  const bool system = temporary && AcceptWord("SYSTEM");
  if (AcceptWord("FUNCTION")) {
    return ParseFunctionDefinition(CreateFunction{
        .name = {}, .alter = true, .temporary = temporary && !system, .temporary_system = system, .class_name = {}});
  }
  if (AtWord("MATERIALIZED"))
    return Unsupported("ALTER MATERIALIZED TABLE", "create a table and start INSERT INTO it as a job");
  return Expected("TABLE, VIEW, DATABASE, CATALOG or FUNCTION");
}

Result<StatementNode> Parser::ParseAlterView() {
  AlterView alter{{}, RenameView{}};
  BRAID_TRY_ASSIGN(alter.name, ParseQualifiedName("the view's name"));
  if (AcceptWords({"RENAME", "TO"})) {
    BRAID_TRY_ASSIGN(QualifiedName name, ParseQualifiedName("the new name"));
    alter.change = RenameView{std::move(name)};
  } else if (AcceptWord("AS")) {
    BRAID_TRY_ASSIGN(QueryPtr query, ParseQuery());
    alter.change = ReplaceViewQuery{std::move(query)};
  } else if (AcceptWord("SET")) {
    BRAID_TRY_ASSIGN(alter.change, ParseSetOptions());
  } else if (AcceptWord("RESET")) {
    BRAID_TRY_ASSIGN(alter.change, ParseResetOptions());
  } else {
    return Expected("RENAME TO, AS, SET or RESET");
  }
  return alter;
}

Result<StatementNode> Parser::ParseAlterDatabase() {
  AlterDatabase alter;
  BRAID_TRY_ASSIGN(alter.name, ParseQualifiedName("the database's name"));
  BRAID_TRY(ExpectWord("SET"));
  BRAID_TRY_ASSIGN(alter.change, ParseSetOptions());
  return alter;
}

Result<StatementNode> Parser::ParseAlterCatalog() {
  AlterCatalog alter;
  BRAID_TRY_ASSIGN(alter.name, ParseIdentifier("the catalog's name"));
  if (AcceptWord("SET")) {
    BRAID_TRY_ASSIGN(alter.change, ParseSetOptions());
  } else if (AcceptWord("RESET")) {
    BRAID_TRY_ASSIGN(alter.change, ParseResetOptions());
  } else if (AcceptWord("COMMENT")) {
    BRAID_TRY_ASSIGN(std::string comment, ParseString("the comment as 'text'"));
    alter.change = SetComment{std::move(comment)};
  } else {
    return Expected("SET, RESET or COMMENT");
  }
  return alter;
}

Result<StatementNode> Parser::ParseDrop() {
  Take();
  Drop drop{.kind = ObjectKind::kTable, .name = {}};
  drop.temporary = AcceptWord("TEMPORARY");
  if (drop.temporary && AcceptWord("SYSTEM")) {
    drop.temporary = false;
    drop.temporary_system = true;
  }
  if (AcceptWord("FUNCTION")) {
    drop.kind = ObjectKind::kFunction;
  } else if (drop.temporary_system) {
    return Expected("FUNCTION");
  } else if (AcceptWord("TABLE")) {
    drop.kind = ObjectKind::kTable;
  } else if (AcceptWord("VIEW")) {
    drop.kind = ObjectKind::kView;
  } else if (drop.temporary) {
    return Expected("TABLE, VIEW or FUNCTION");
  } else if (AcceptWord("DATABASE")) {
    drop.kind = ObjectKind::kDatabase;
  } else if (AcceptWord("CATALOG")) {
    drop.kind = ObjectKind::kCatalog;
  } else {
    return Expected("TABLE, VIEW, DATABASE, CATALOG or FUNCTION");
  }
  BRAID_TRY_ASSIGN(drop.if_exists, ParseIfExists());
  BRAID_TRY_ASSIGN(drop.name, ParseQualifiedName("a name"));
  drop.cascade = AcceptWord("CASCADE");
  if (!drop.cascade) AcceptWord("RESTRICT");
  return drop;
}

}  // namespace braid::syntax
