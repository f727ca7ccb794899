#include "syntax/parser_internal.h"

namespace braid::syntax {

Result<StatementNode> Parser::ParseUse() {
  Take();
  if (AtWord("CATALOG") && AtIdentifier(1)) {
    Take();
    BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier("the catalog's name"));
    return UseCatalog{std::move(name)};
  }
  if (AcceptWord("MODULES")) {
    UseModules use;
    do {
      BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier("a module's name"));
      use.names.push_back(std::move(name));
    } while (Accept(TokenKind::kComma));
    return use;
  }
  BRAID_TRY_ASSIGN(QualifiedName name, ParseQualifiedName("CATALOG, MODULES or a database's name"));
  return UseDatabase{std::move(name)};
}

// ---- SHOW ----

Result<std::optional<ShowKind>> Parser::ParseShowKind() {
  constexpr std::pair<std::string_view, ShowKind> kOneWord[] = {{"CATALOGS", ShowKind::kCatalogs},
                                                                {"DATABASES", ShowKind::kDatabases},
                                                                {"TABLES", ShowKind::kTables},
                                                                {"VIEWS", ShowKind::kViews},
                                                                {"COLUMNS", ShowKind::kColumns},
                                                                {"PARTITIONS", ShowKind::kPartitions},
                                                                {"FUNCTIONS", ShowKind::kFunctions},
                                                                {"PROCEDURES", ShowKind::kProcedures},
                                                                {"MODULES", ShowKind::kModules},
                                                                {"JOBS", ShowKind::kJobs},
                                                                {"JARS", ShowKind::kJars}};
  for (const auto& [word, kind] : kOneWord) {
    if (AcceptWord(word)) return std::optional(kind);
  }
  if (AcceptWord("CURRENT")) {
    if (AcceptWord("CATALOG")) return std::optional(ShowKind::kCurrentCatalog);
    BRAID_TRY(ExpectWord("DATABASE"));
    return std::optional(ShowKind::kCurrentDatabase);
  }
  if (AcceptWord("FULL")) {
    BRAID_TRY(ExpectWord("MODULES"));
    return std::optional(ShowKind::kFullModules);
  }
  if (AcceptWord("USER")) {
    BRAID_TRY(ExpectWord("FUNCTIONS"));
    return std::optional(ShowKind::kUserFunctions);
  }
  if (AcceptWord("CREATE")) {
    if (AcceptWord("TABLE")) return std::optional(ShowKind::kCreateTable);
    if (AcceptWord("VIEW")) return std::optional(ShowKind::kCreateView);
    if (AcceptWord("CATALOG")) return std::optional(ShowKind::kCreateCatalog);
    return Expected("TABLE, VIEW or CATALOG");
  }
  return std::optional<ShowKind>();
}

Result<StatementNode> Parser::ParseShow() {
  Take();
  BRAID_TRY_ASSIGN(const std::optional<ShowKind> kind, ParseShowKind());
  if (!kind)
    return Expected("CATALOGS, DATABASES, TABLES, VIEWS, COLUMNS, PARTITIONS, FUNCTIONS, PROCEDURES, JOBS or CREATE");
  Show show{.kind = *kind};
  const bool is_create =
      *kind == ShowKind::kCreateTable || *kind == ShowKind::kCreateView || *kind == ShowKind::kCreateCatalog;
  if (is_create || *kind == ShowKind::kPartitions) {
    BRAID_TRY_ASSIGN(show.name, ParseQualifiedName("a name"));
    if (*kind == ShowKind::kPartitions && AcceptWord("PARTITION")) {
      BRAID_TRY_ASSIGN(show.partition, ParsePartitionSpec());
    }
    return show;
  }
  const bool has_scope = *kind == ShowKind::kDatabases || *kind == ShowKind::kTables || *kind == ShowKind::kViews ||
                         *kind == ShowKind::kColumns || *kind == ShowKind::kFunctions ||
                         *kind == ShowKind::kUserFunctions || *kind == ShowKind::kProcedures;
  if (has_scope && (AcceptWord("FROM") || AcceptWord("IN"))) {
    BRAID_TRY_ASSIGN(show.name, ParseQualifiedName("a name"));
  } else if (*kind == ShowKind::kColumns) {
    return Expected("FROM or IN and the table's name");
  }
  if (!has_scope && *kind != ShowKind::kCatalogs) return show;
  show.negated = AcceptWord("NOT");
  show.ignore_case = AcceptWord("ILIKE");
  if (show.ignore_case || AcceptWord("LIKE")) {
    BRAID_TRY_ASSIGN(show.pattern, ParseString("the pattern as 'text'"));
  } else if (show.negated) {
    return Expected("LIKE or ILIKE");
  }
  return show;
}

// ---- DESCRIBE ----

Result<StatementNode> Parser::ParseDescribe() {
  Take();
  Describe describe{.kind = DescribeKind::kTable};
  if (AtWord("JOB") && At(TokenKind::kString, 1)) {
    Take();
    describe.kind = DescribeKind::kJob;
    BRAID_TRY_ASSIGN(describe.job_id, ParseString("the job's id as 'text'"));
    return describe;
  }
  // CATALOG and DATABASE are free words, so a table may have such a name.
  const bool names_kind = AtIdentifier(1) || AtWord("EXTENDED", 1);
  if (names_kind && AcceptWord("CATALOG")) {
    describe.kind = DescribeKind::kCatalog;
  } else if (names_kind && AcceptWord("DATABASE")) {
    describe.kind = DescribeKind::kDatabase;
  } else if (AcceptWord("FUNCTION")) {
    describe.kind = DescribeKind::kFunction;
  } else if (AtWord("MODEL") && AtIdentifier(1)) {
    return Unsupported("DESCRIBE MODEL", "models are not known here");
  }
  describe.extended = AcceptWord("EXTENDED");
  BRAID_TRY_ASSIGN(describe.name, ParseQualifiedName("a table's name"));
  return describe;
}

// ---- The session and its jobs ----

Result<StatementNode> Parser::ParseSet() {
  Take();
  if (AtEndOfStatement()) return Set{};
  BRAID_TRY_ASSIGN(Property property, ParseProperty());
  return Set{std::move(property)};
}

Result<StatementNode> Parser::ParseReset() {
  Take();
  if (AtEndOfStatement()) return Reset{};
  BRAID_TRY_ASSIGN(std::string key, ParseString("the option's key as 'text'"));
  return Reset{std::move(key)};
}

Result<StatementNode> Parser::ParseStopJob() {
  Take();
  BRAID_TRY(ExpectWord("JOB"));
  StopJob stop{.job_id = {}};
  BRAID_TRY_ASSIGN(stop.job_id, ParseString("the job's id as 'text'"));
  while (AcceptWord("WITH")) {
    if (AcceptWord("SAVEPOINT")) {
      stop.with_savepoint = true;
    } else if (AcceptWord("DRAIN")) {
      stop.with_drain = true;
    } else {
      return Expected("SAVEPOINT or DRAIN");
    }
  }
  return stop;
}

Result<StatementNode> Parser::ParseLoadModule() {
  Take();
  BRAID_TRY(ExpectWord("MODULE"));
  LoadModule load{.name = {}};
  BRAID_TRY_ASSIGN(load.name, ParseIdentifier("the module's name"));
  BRAID_TRY_ASSIGN(load.options, ParseWithClause());
  return load;
}

Result<StatementNode> Parser::ParseUnloadModule() {
  Take();
  BRAID_TRY(ExpectWord("MODULE"));
  BRAID_TRY_ASSIGN(Identifier name, ParseIdentifier("the module's name"));
  return UnloadModule{std::move(name)};
}

Result<StatementNode> Parser::ParseJar(bool remove) {
  Take();
  BRAID_TRY(ExpectWord("JAR"));
  BRAID_TRY_ASSIGN(std::string path, ParseString("the path as 'text'"));
  return JarCommand{remove, std::move(path)};
}

std::optional<ClientCommandKind> Parser::ClientCommandAt() const {
  if (AtWord("QUIT") || AtWord("EXIT")) return ClientCommandKind::kQuit;
  if (AtWord("HELP")) return ClientCommandKind::kHelp;
  if (AtWord("CLEAR")) return ClientCommandKind::kClear;
  return std::nullopt;
}

}  // namespace braid::syntax
