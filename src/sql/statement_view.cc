// Temporary views.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sql/statement_internal.h"
#include "syntax/parser.h"
#include "syntax/printer.h"
#include "syntax/source.h"

namespace braid {

namespace {

// The statement with every table name complete, so that the view means the same after USE.
Result<syntax::Statement> CompleteNames(std::string_view text, std::vector<SessionState::MissingParts> missing) {
  std::sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.offset > b.offset; });
  std::string complete(text);
  std::size_t last = complete.size() + 1;
  for (const SessionState::MissingParts& name : missing) {
    if (name.offset == last) continue;  // a name that was resolved twice
    last = name.offset;
    complete.insert(name.offset, name.prefix);
  }
  return syntax::ParseStatement(complete);
}

Result<std::vector<QueryColumn>> ViewColumns(const syntax::Query& query, const std::vector<syntax::Identifier>& names,
                                             const StatementContext& context) {
  BRAID_TRY_ASSIGN(AnalyzedQuery analyzed, AnalyzeQuery(query, context.text, context.session));
  if (!names.empty() && names.size() != analyzed.columns.size()) {
    return syntax::ErrorAt(ErrorCode::kInvalidArgument, context.text, names.front().position,
                           fmt::format("{} names for {} columns", names.size(), analyzed.columns.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) analyzed.columns[i].name = names[i].name;
  return std::move(analyzed.columns);
}

const syntax::QueryPtr* QueryOf(const syntax::Statement& statement) {
  if (const auto* create = std::get_if<syntax::CreateView>(&statement.node)) return &create->query;
  const auto* alter = std::get_if<syntax::AlterView>(&statement.node);
  const auto* replace = alter == nullptr ? nullptr : std::get_if<syntax::ReplaceViewQuery>(&alter->change);
  return replace == nullptr ? nullptr : &replace->query;
}

Result<TemporaryView> Define(const syntax::QueryPtr& query, const std::vector<syntax::Identifier>& names,
                             const StatementContext& context) {
  context.session.StartNotingNames();
  Result<std::vector<QueryColumn>> columns = ViewColumns(*query, names, context);
  std::vector<SessionState::MissingParts> missing = context.session.StopNotingNames();
  if (!columns) return std::move(columns).error();
  BRAID_TRY_ASSIGN(const syntax::Statement complete, CompleteNames(context.text, std::move(missing)));
  const syntax::QueryPtr* complete_query = QueryOf(complete);
  if (complete_query == nullptr)
    return Error(ErrorCode::kInternal, "a view's statement changed when its names were completed");
  return TemporaryView{.query = *complete_query, .columns = *std::move(columns), .comment = std::nullopt};
}

}  // namespace

Result<StatementResult> Run(const syntax::CreateView& statement, const StatementContext& context) {
  SessionState& session = context.session;
  BRAID_TRY_ASSIGN(const FullName name, session.Qualify(statement.name));
  const auto fail = [&](Error error) { return PlaceError(std::move(error), context.text, statement.name.position()); };
  if (!statement.temporary) {
    return fail(Error(ErrorCode::kUnsupported, fmt::format("catalog {} cannot store views", name.catalog))
                    .Hint("CREATE TEMPORARY VIEW lasts as long as the session"));
  }
  BRAID_TRY(session.FindCatalogEntry(name.catalog));
  if (session.FindView(name) != nullptr) {
    if (statement.if_not_exists) return Done();
    return fail(Error(ErrorCode::kAlreadyExists, fmt::format("temporary view {} exists already", name.ToString())));
  }
  BRAID_TRY_ASSIGN(TemporaryView view, Define(statement.query, statement.columns, context));
  view.comment = statement.comment;
  session.views().emplace(name, std::move(view));
  return Done();
}

Result<StatementResult> Run(const syntax::AlterView& statement, const StatementContext& context) {
  SessionState& session = context.session;
  BRAID_TRY_ASSIGN(const FullName name, session.Qualify(statement.name));
  if (session.FindView(name) == nullptr) {
    return PlaceError(Error(ErrorCode::kNotFound, fmt::format("view {} does not exist", name.ToString())), context.text,
                      statement.name.position());
  }
  if (const auto* rename = std::get_if<syntax::RenameView>(&statement.change)) {
    BRAID_TRY_ASSIGN(FullName to, session.Qualify(rename->new_name));
    if (rename->new_name.parts.size() == 1) to = {name.catalog, name.database, to.table};
    if (session.FindView(to) != nullptr) {
      return PlaceError(Error(ErrorCode::kAlreadyExists, fmt::format("view {} exists already", to.ToString())),
                        context.text, rename->new_name.position());
    }
    auto node = session.views().extract(name);
    node.key() = to;
    session.views().insert(std::move(node));
    return Done();
  }
  if (const auto* replace = std::get_if<syntax::ReplaceViewQuery>(&statement.change)) {
    BRAID_TRY_ASSIGN(TemporaryView view, Define(replace->query, {}, context));
    session.views().at(name) = std::move(view);
    return Done();
  }
  return PlaceError(Error(ErrorCode::kUnsupported, "views have no options"), context.text, statement.name.position());
}

}  // namespace braid
