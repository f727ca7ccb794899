#pragma once

#include <string_view>

#include "base/result.h"
#include "syntax/statement.h"

namespace braid::syntax {

// Parse Flink SQL (the default dialect of Flink 2.2) into trees. Pure: they know no catalog, and any thread may call
// them. The trees borrow nothing from the text; their positions count its bytes.
//
// Errors: kInvalidArgument with the line, a caret, and what was expected; kUnsupported, likewise placed, for what Flink
// has and Braid does not (MATCH_RECOGNIZE, TABLESAMPLE, COMPILE PLAN, materialized tables). Nesting deeper than
// kMaxNesting is refused.

/// Deepest nesting of expressions, queries and types.
inline constexpr int kMaxNesting = 500;
/// Greatest height of a tree: a chain of operators, set operations or joins counts each link. A chain of AND or OR is
/// one node, however long.
inline constexpr int kMaxTreeHeight = 1000;

/// Parses one statement; one `;` may end it.
Result<Statement> ParseStatement(std::string_view sql);

/// Parses one query: SELECT, VALUES, TABLE t or WITH.
Result<Query> ParseQuery(std::string_view sql);

/// Parses one scalar expression, as an option or a filter holds it.
Result<Expression> ParseExpression(std::string_view sql);

/// Parses one type, as a column definition holds it.
Result<TypeName> ParseTypeName(std::string_view sql);

/// Parses `t`, `db.t` or `catalog.db.t`, with back quotes or without.
Result<QualifiedName> ParseQualifiedName(std::string_view sql);

}  // namespace braid::syntax
