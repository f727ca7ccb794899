#include "sql/scopes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace braid {
namespace {

using syntax::Identifier;

std::string DottedName(std::span<const Identifier> parts) {
  std::string text;
  for (const Identifier& part : parts) text += (text.empty() ? "" : ".") + part.name;
  return text;
}

/// Whether the qualifier, the first `count` parts, names the relation.
bool Names(std::span<const Identifier> qualifier, const ScopeRelation& relation) {
  if (qualifier.size() > relation.path.size()) return false;
  for (std::size_t i = 0; i < qualifier.size(); ++i) {
    if (qualifier[qualifier.size() - 1 - i].name != relation.path[relation.path.size() - 1 - i]) return false;
  }
  return true;
}

std::vector<std::size_t> RelationsNamed(const Scope& scope, std::span<const Identifier> qualifier) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scope.relations.size(); ++i) {
    if (Names(qualifier, scope.relations[i])) found.push_back(i);
  }
  return found;
}

std::vector<const ScopeColumn*> ColumnsNamed(const Scope& scope, const std::string& name,
                                             std::span<const std::size_t> relations, bool qualified) {
  std::vector<const ScopeColumn*> found;
  for (const ScopeColumn& column : scope.columns) {
    if (column.name != name) continue;
    const bool visible = qualified ? column.relation && std::find(relations.begin(), relations.end(),
                                                                  *column.relation) != relations.end()
                                   : !column.merged;
    if (visible) found.push_back(&column);
  }
  return found;
}

Error WithNearest(Error error, const std::string& name, std::span<const std::string> known) {
  if (const auto nearest = NearestName(name, known))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return error;
}

std::vector<std::string> VisibleNames(const Scope& scope, std::optional<std::span<const std::size_t>> relations) {
  std::vector<std::string> names;
  for (const ScopeColumn& column : scope.columns) {
    if (!relations) {
      names.push_back(column.name);
    } else if (column.relation &&
               std::find(relations->begin(), relations->end(), *column.relation) != relations->end()) {
      names.push_back(column.name);
    }
  }
  return names;
}

Error UnknownColumn(const Analysis& analysis, const Scope& scope, const Identifier& part) {
  std::vector<std::string> names;
  for (const Scope* visible = &scope; visible != nullptr; visible = visible->outer) {
    for (std::string& name : VisibleNames(*visible, std::nullopt)) names.push_back(std::move(name));
  }
  return WithNearest(analysis.ErrorAt(part.position, fmt::format("Column '{}' not found in any table", part.name)),
                     part.name, names);
}

/// One scope's answer; nullopt: look further out.
Result<std::optional<ResolvedColumn>> ResolveIn(const Analysis& analysis, const Scope& scope,
                                                std::span<const Identifier> parts) {
  const auto one_of = [&](const std::vector<const ScopeColumn*>& found,
                          std::size_t used) -> Result<std::optional<ResolvedColumn>> {
    if (found.size() > 1) {
      return analysis
          .ErrorAt(parts.front().position, fmt::format("Column '{}' is ambiguous", DottedName(parts.first(used))))
          .Hint("name the table before it");
    }
    return std::optional(ResolvedColumn{.column = found.front(),
                                        .fields = {parts.begin() + static_cast<std::ptrdiff_t>(used), parts.end()}});
  };
  // The longest qualifier first.
  for (std::size_t length = std::min<std::size_t>(parts.size() - 1, 3); length > 0; --length) {
    const std::vector<std::size_t> relations = RelationsNamed(scope, parts.first(length));
    if (relations.empty()) continue;
    const auto found = ColumnsNamed(scope, parts[length].name, relations, true);
    if (!found.empty()) return one_of(found, length + 1);
    // A column of that name with such a field comes before the complaint.
    if (!ColumnsNamed(scope, parts.front().name, {}, false).empty()) continue;
    return WithNearest(
        analysis.ErrorAt(parts[length].position, fmt::format("Column '{}' not found in table '{}'", parts[length].name,
                                                             DottedName(parts.first(length)))),
        parts[length].name, VisibleNames(scope, relations));
  }
  const auto found = ColumnsNamed(scope, parts.front().name, {}, false);
  if (found.empty()) return std::optional<ResolvedColumn>();
  return one_of(found, 1);
}

Error UnknownTable(const Analysis& analysis, const Scope& scope, std::span<const Identifier> qualifier) {
  std::vector<std::string> names;
  for (const Scope* visible = &scope; visible != nullptr; visible = visible->outer) {
    for (const ScopeRelation& relation : visible->relations) {
      if (!relation.path.empty()) names.push_back(relation.path.back());
    }
  }
  return WithNearest(
      analysis.ErrorAt(qualifier.front().position, fmt::format("Table '{}' not found", DottedName(qualifier))),
      qualifier.back().name, names);
}

}  // namespace

Result<ResolvedColumn> ResolveColumn(const Analysis& analysis, const Scope& scope, const syntax::QualifiedName& name) {
  for (const Scope* visible = &scope; visible != nullptr; visible = visible->outer) {
    BRAID_TRY_ASSIGN(std::optional<ResolvedColumn> found, ResolveIn(analysis, *visible, name.parts));
    if (!found) continue;
    if (found->column->ungrouped) {
      return analysis
          .ErrorAt(name.position(), fmt::format("Expression '{}' is not being grouped", DottedName(name.parts)))
          .Hint("add it to GROUP BY, or put it into an aggregate");
    }
    return *std::move(found);
  }
  if (name.parts.size() == 1) return UnknownColumn(analysis, scope, name.parts.front());
  return UnknownTable(analysis, scope, std::span(name.parts).first(name.parts.size() - 1));
}

Result<std::vector<ScopeColumn>> ExpandStar(const Analysis& analysis, const Scope& scope, const syntax::Star& star,
                                            syntax::Position position) {
  std::vector<ScopeColumn> columns;
  if (star.qualifier.empty()) {
    if (scope.columns.empty()) return analysis.ErrorAt(position, "'*' needs a table in FROM");
    std::copy_if(scope.columns.begin(), scope.columns.end(), std::back_inserter(columns),
                 [](const ScopeColumn& column) { return !column.merged; });
    return columns;
  }
  const std::vector<std::size_t> relations = RelationsNamed(scope, star.qualifier);
  if (relations.empty()) return UnknownTable(analysis, scope, star.qualifier);
  for (const ScopeColumn& column : scope.columns) {
    if (column.relation && *column.relation == relations.front()) columns.push_back(column);
  }
  return columns;
}

Scope ScopeOf(std::vector<std::string> path, const std::vector<OutputColumn>& columns) {
  Scope scope;
  scope.relations.push_back(ScopeRelation{.path = std::move(path)});
  for (const OutputColumn& column : columns) {
    scope.columns.push_back(ScopeColumn{
        .name = column.name, .id = column.id, .type = column.type, .relation = 0, .merged = false, .ungrouped = false});
  }
  return scope;
}

Scope JoinScopes(const Scope& left, const Scope& right) {
  Scope joined = left;
  joined.relations.insert(joined.relations.end(), right.relations.begin(), right.relations.end());
  for (ScopeColumn column : right.columns) {
    if (column.relation) *column.relation += left.relations.size();
    joined.columns.push_back(std::move(column));
  }
  return joined;
}

}  // namespace braid
