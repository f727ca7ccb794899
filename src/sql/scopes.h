#pragma once

#include <vector>

#include "sql/analysis.h"

namespace braid {

/// What a name with dots means: a column, and the fields of it that the parts left over name.
struct ResolvedColumn {
  const ScopeColumn* column = nullptr;
  std::vector<syntax::Identifier> fields;
};

/// Finds a column by `c`, `t.c`, `db.t.c`, `c.field`, inner scopes first. Case-sensitive. Errors: kInvalidArgument,
/// placed: unknown (with the nearest name), ambiguous, or not constant within its group.
Result<ResolvedColumn> ResolveColumn(const Analysis& analysis, const Scope& scope, const syntax::QualifiedName& name);

/// The columns that `*` or `t.*` stands for. Errors: kInvalidArgument, placed, for an unknown table.
Result<std::vector<ScopeColumn>> ExpandStar(const Analysis& analysis, const Scope& scope, const syntax::Star& star,
                                            syntax::Position position);

/// A scope of these columns under one name.
Scope ScopeOf(std::vector<std::string> path, const std::vector<OutputColumn>& columns);

/// Both sides' names, as a join shows them.
Scope JoinScopes(const Scope& left, const Scope& right);

}  // namespace braid
