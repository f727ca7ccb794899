#pragma once

#include <variant>

#include "syntax/command.h"
#include "syntax/ddl.h"
#include "syntax/dml.h"
#include "syntax/query.h"

namespace braid::syntax {

/// A query as a statement; VALUES too.
struct QueryStatement {
  QueryPtr query;
  friend bool operator==(const QueryStatement&, const QueryStatement&) = default;
};

using StatementNode =
    std::variant<QueryStatement, Insert, Update, Delete, Merge, TruncateTable, AnalyzeTable, StatementSet,
                 BeginStatementSet, EndStatementSet, Execute, Explain, Call, CreateTable, AlterTable, Drop, CreateView,
                 AlterView, CreateDatabase, AlterDatabase, CreateCatalog, AlterCatalog, CreateFunction, UseCatalog,
                 UseDatabase, UseModules, Show, Describe, Set, Reset, StopJob, LoadModule, UnloadModule, JarCommand,
                 ClientCommand>;

struct Statement {
  Position position;  ///< of its first token
  StatementNode node;

  friend bool operator==(const Statement&, const Statement&) = default;
};

}  // namespace braid::syntax
