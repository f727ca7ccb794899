// Catalogs and databases.

#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/request_pool.h"
#include "sql/statement_internal.h"

namespace braid {

namespace {

// Opens what CREATE CATALOG describes.
Result<std::shared_ptr<Catalog>> OpenCatalog(const std::string& name, const CatalogEntry& entry,
                                             JobObserver* observer) {
  const std::string metastore = entry.options.Get("metastore", "filesystem");
  if (metastore != "filesystem") {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("catalogs with 'metastore' = '{}' are not supported yet", metastore))
        .Hint("use 'metastore' = 'filesystem', the default");
  }
  BRAID_TRY_ASSIGN(auto catalog, MakeFileSystemCatalog(name, entry.options));
  const std::array<std::function<Status()>, 2> steps = {
      [&]() -> Status {
        BRAID_TRY_ASSIGN(const bool has_default, catalog->DatabaseExists(entry.default_database));
        if (has_default) return Ok();
        Status made = catalog->CreateDatabase(entry.default_database, true);
        // A store that can only be read has the databases that it has.
        return made || made.error().code() == ErrorCode::kUnsupported ? Ok() : made;
      },
      [&]() -> Status { return observer == nullptr ? Ok() : observer->CatalogOpened(catalog); }};
  BRAID_TRY(CallTogether(*catalog->file_system(), steps));
  return catalog;
}

}  // namespace

Result<StatementResult> Run(const syntax::CreateCatalog& statement, const StatementContext& context) {
  SessionState& session = context.session;
  const std::string& name = statement.name.name;
  if (statement.if_not_exists && session.catalogs().contains(name)) return Done();
  CatalogEntry entry{
      .options = ToOptions(statement.options), .comment = statement.comment, .default_database = "default"};
  session.NoteMisspelt(entry.options, OptionOwner::kCatalog);
  const std::optional<std::string> type = entry.options.Find("type");
  if (!type) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("catalog {} has no 'type'", name))
        .Hint("'type' = 'paimon' with 'warehouse' = '/path'");
  }
  entry.default_database = entry.options.Get("default-database", *type == "paimon" ? "default" : name);
  if (*type == "paimon") {
    if (!session.catalogs().contains(name)) {
      BRAID_TRY_ASSIGN(entry.catalog,
                       OpenCatalog(name, entry, session.observer()).Context("while creating catalog " + name));
    }
  } else if (*type != "generic_in_memory") {
    return Error(ErrorCode::kUnsupported, fmt::format("catalogs of type '{}' are not supported", *type))
        .Hint("'type' = 'paimon' is");
  }
  BRAID_TRY(session.AddCatalog(name, std::move(entry)));
  return Done();
}

Result<StatementResult> Run(const syntax::AlterCatalog& statement, const StatementContext& context) {
  BRAID_TRY(context.session.FindCatalogEntry(statement.name.name));
  if (const auto* comment = std::get_if<syntax::SetComment>(&statement.change)) {
    context.session.catalogs().at(statement.name.name).comment = comment->comment;
    return Done();
  }
  return Error(ErrorCode::kUnsupported, fmt::format("the options of catalog {} are fixed", statement.name.name))
      .Hint("DROP CATALOG, which deletes no data, and CREATE it anew");
}

Status DropCatalog(const syntax::Drop& statement, const StatementContext& context) {
  SessionState& session = context.session;
  const std::string& name = statement.name.last();
  if (!session.catalogs().contains(name)) {
    if (statement.if_exists) return Ok();
    return std::move(session.FindCatalogEntry(name)).error();
  }
  if (name == session.current_catalog()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("catalog {} is in use", name))
        .Hint("USE CATALOG another one first");
  }
  session.catalogs().erase(name);
  std::erase_if(session.views(), [&](const auto& view) { return view.first.catalog == name; });
  return Ok();
}

Result<StatementResult> Run(const syntax::CreateDatabase& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName name, context.session.QualifyDatabase(statement.name));
  BRAID_TRY_ASSIGN(const auto catalog, context.session.FindCatalog(name.catalog));
  BRAID_TRY(catalog->CreateDatabase(name.database, statement.if_not_exists));
  StatementResult result;
  if (statement.comment || !statement.options.empty()) {
    result.notices.push_back(fmt::format(
        "a database of a filesystem catalog is a folder: comment and options of {} are not kept", name.database));
  }
  return result;
}

Result<StatementResult> Run(const syntax::AlterDatabase& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName name, context.session.QualifyDatabase(statement.name));
  return Error(ErrorCode::kUnsupported,
               fmt::format("database {} has no options: in a filesystem catalog it is a folder", name.database));
}

Status DropDatabase(const syntax::Drop& statement, const StatementContext& context) {
  SessionState& session = context.session;
  BRAID_TRY_ASSIGN(const FullName name, session.QualifyDatabase(statement.name));
  if (name.catalog == session.current_catalog() && name.database == session.current_database()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("database {} is in use", name.database))
        .Hint("USE another one first");
  }
  BRAID_TRY_ASSIGN(const auto catalog, session.FindCatalog(name.catalog));
  return catalog->DropDatabase(name.database,
                               {.ignore_if_not_exists = statement.if_exists, .cascade = statement.cascade});
}

Result<StatementResult> Run(const syntax::UseCatalog& statement, const StatementContext& context) {
  BRAID_TRY(context.session.UseCatalog(statement.name.name));
  return Done();
}

Result<StatementResult> Run(const syntax::UseDatabase& statement, const StatementContext& context) {
  BRAID_TRY_ASSIGN(const FullName name, context.session.QualifyDatabase(statement.name));
  BRAID_TRY(context.session.UseDatabase(name.catalog, name.database));
  return Done();
}

}  // namespace braid
