#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <sys/sysinfo.h>

#include "base/text.h"
#include "duck/function_table.h"
#include "io/file_system.h"
#include "sql/job_plan.h"
#include "sql/session_internal.h"
#include "sql/table_columns.h"
#include "syntax/parser.h"
#include "syntax/printer.h"

namespace braid {

namespace {

constexpr const char* kDefaultCatalog = "default_catalog";
constexpr const char* kDefaultDatabase = "default_database";

// The zone of the process, as `table.local-time-zone` names it.
std::string ProcessZone() {
  if (const char* zone = std::getenv("TZ"); zone != nullptr && *zone != '\0') return zone + (*zone == ':' ? 1 : 0);
  std::error_code error;
  const std::string target = std::filesystem::read_symlink("/etc/localtime", error).string();
  const std::size_t folder = target.find("zoneinfo/");
  return error || folder == std::string::npos ? "UTC" : target.substr(folder + 9);
}

const Options::Map& DefaultOptions() {
  static const Options::Map defaults = {
      {"table.local-time-zone", ProcessZone()},
      {"table.dml-sync", "false"},
      {"table.exec.sink.not-null-enforcer", "ERROR"},
      {"table.exec.sink.type-length-enforcer", "IGNORE"},
      {"sql-client.execution.result-mode", "tableau"},
      {"sql-client.display.max-column-width", "30"},
      {"sql-client.verbose", "false"},
  };
  return defaults;
}

template <typename Map>
Error Unknown(std::string_view kind, const std::string& name, const Map& known) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known) names.push_back(key);
  Error error(ErrorCode::kNotFound, fmt::format("{} {} does not exist", kind, name));
  if (const auto nearest = NearestName(name, names))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint(fmt::format("there are {}", Join(names, ", ")));
}

}  // namespace

Result<std::string> SessionState::TemporaryFolder() const {
  if (!folder_) {
    BRAID_TRY_ASSIGN(TemporaryDirectory made, TemporaryDirectory::Make(Option("braid.tmp-dir")));
    folder_.emplace(std::move(made));
  }
  return folder_->path();
}

SessionState::SessionState(SessionSettings settings)
    : settings_(std::move(settings)),
      options_(settings_.options),
      current_catalog_(kDefaultCatalog),
      current_database_(kDefaultDatabase) {
  catalogs_.emplace(kDefaultCatalog, CatalogEntry{.options = Options(Options::Map{{"type", "generic_in_memory"}}),
                                                  .comment = {},
                                                  .default_database = kDefaultDatabase});
}

std::string SessionState::Option(std::string_view key) const {
  if (auto value = options_.Find(key)) return *std::move(value);
  const auto found = DefaultOptions().find(key);
  return found == DefaultOptions().end() ? "" : found->second;
}

void SessionState::NoteMisspelt(const Options& given, OptionOwner owner) const {
  for (std::string& notice : MisspeltOptionNotices(given, owner)) {
    if (std::find(notices_.begin(), notices_.end(), notice) == notices_.end()) notices_.push_back(std::move(notice));
  }
}

Result<FullName> SessionState::Qualify(const syntax::QualifiedName& name) const {
  const std::vector<syntax::Identifier>& parts = name.parts;
  switch (parts.size()) {
    case 1: return FullName{current_catalog_, current_database_, parts[0].name};
    case 2: return FullName{current_catalog_, parts[0].name, parts[1].name};
    case 3: return FullName{parts[0].name, parts[1].name, parts[2].name};
    default:
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} has too many parts", syntax::ToSql(name)))
          .Hint("a table's full name is catalog.database.table");
  }
}

Result<FullName> SessionState::QualifyDatabase(const syntax::QualifiedName& name) const {
  if (name.parts.size() > 2) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} has too many parts", syntax::ToSql(name)))
        .Hint("a database's full name is catalog.database");
  }
  FullName full{name.parts.size() == 2 ? name.parts[0].name : current_catalog_, name.last(), ""};
  BRAID_TRY(FindCatalogEntry(full.catalog));
  return full;
}

Result<const CatalogEntry*> SessionState::FindCatalogEntry(const std::string& name) const {
  const auto found = catalogs_.find(name);
  if (found == catalogs_.end()) return Unknown("catalog", name, catalogs_);
  return &found->second;
}

Result<std::shared_ptr<Catalog>> SessionState::FindCatalog(const std::string& name) const {
  const auto found = catalogs_.find(name);
  if (found == catalogs_.end()) return Unknown("catalog", name, catalogs_);
  if (found->second.catalog == nullptr) {
    BRAID_TRY_ASSIGN(found->second.catalog, OpenOwnCatalog(name, found->second));
  }
  return found->second.catalog;
}

Result<std::shared_ptr<Catalog>> SessionState::OpenOwnCatalog(const std::string& name,
                                                              const CatalogEntry& entry) const {
  BRAID_TRY_ASSIGN(const std::string folder, TemporaryFolder());
  BRAID_TRY_ASSIGN(auto catalog,
                   MakeFileSystemCatalog(name, Options(Options::Map{{"warehouse", folder + "/catalogs/" + name}})));
  BRAID_TRY(catalog->CreateDatabase(entry.default_database, true));
  return catalog;
}

Status SessionState::AddCatalog(const std::string& name, CatalogEntry entry) {
  if (catalogs_.contains(name)) {
    return Error(ErrorCode::kAlreadyExists, fmt::format("catalog {} exists already", name))
        .Hint("use IF NOT EXISTS, or another name");
  }
  catalogs_.emplace(name, std::move(entry));
  return Ok();
}

Status SessionState::UseCatalog(const std::string& name) {
  BRAID_TRY_ASSIGN(const CatalogEntry* entry, FindCatalogEntry(name));
  current_catalog_ = name;
  current_database_ = entry->default_database;
  return Ok();
}

Status SessionState::UseDatabase(const std::string& catalog_name, const std::string& database) {
  BRAID_TRY_ASSIGN(const auto catalog, FindCatalog(catalog_name));
  BRAID_TRY_ASSIGN(const bool exists, catalog->DatabaseExists(database));
  if (!exists) {
    BRAID_TRY_ASSIGN(const std::vector<std::string> names, catalog->ListDatabases());
    std::map<std::string, int> known;
    for (const std::string& name : names) known.emplace(name, 0);
    return Unknown("database", fmt::format("{}.{}", catalog_name, database), known);
  }
  current_catalog_ = catalog_name;
  current_database_ = database;
  return Ok();
}

const TemporaryView* SessionState::FindView(const FullName& name) const {
  const auto found = views_.find(name);
  return found == views_.end() ? nullptr : &found->second;
}

const TemporaryTable* SessionState::FindTemporaryTable(const FullName& name) const {
  const auto found = temporary_tables_.find(name);
  return found == temporary_tables_.end() ? nullptr : &found->second;
}

Result<const Connectors*> SessionState::FindConnectors() const {
  if (settings_.connectors == nullptr) return Error(ErrorCode::kUnsupported, "this session has no connectors");
  return settings_.connectors.get();
}

Result<ResolvedTable> SessionState::ResolveTemporary(const TemporaryTable& temporary, const FullName& name,
                                                     const Options& hints, bool stored_columns) const {
  ResolvedTable resolved;
  resolved.catalog = name.catalog;
  resolved.identifier.database = name.database;
  resolved.identifier.table = name.table;
  resolved.options = hints;
  std::shared_ptr<const ConnectorTable> table = temporary.table;
  if (!hints.empty()) {
    ConnectorTableDefinition definition = temporary.definition;
    definition.options = definition.options.With(hints);
    BRAID_TRY_ASSIGN(const Connectors* connectors, FindConnectors());
    BRAID_TRY_ASSIGN(table, connectors->Open(definition));
  }
  resolved.relation = std::shared_ptr<const VirtualTable>(std::move(table));
  const TableColumns columns = ColumnsOf(temporary.definition.fields, temporary.column_options);
  if (columns.has_computed() && !stored_columns) return ViewOfComputed(std::move(resolved), columns, name, hints);
  return resolved;
}

Result<ResolvedTable> SessionState::ResolveTable(const syntax::QualifiedName& name, const Options& hints) const {
  BRAID_TRY_ASSIGN(FullName full, Qualify(name));
  if (noted_names_ && name.parts.size() < 3) {
    std::string prefix = syntax::QuoteIdentifier(full.database) + ".";
    if (name.parts.size() == 1) prefix = syntax::QuoteIdentifier(full.catalog) + "." + prefix;
    if (name.parts.size() == 2) prefix = syntax::QuoteIdentifier(full.catalog) + ".";
    noted_names_->push_back({.offset = name.position().offset, .prefix = std::move(prefix)});
  }
  ResolvedTable resolved;
  resolved.catalog = full.catalog;
  if (const TemporaryView* view = FindView(full)) {
    if (!hints.empty()) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} is a view and takes no options", full.ToString()))
          .Hint("give the options to the tables in the view's query");
    }
    resolved.identifier.database = full.database;
    resolved.identifier.table = full.table;
    resolved.view = view->query;
    for (const QueryColumn& column : view->columns) resolved.view_columns.push_back(column.name);
    return resolved;
  }
  const bool stored_columns = full.table.ends_with(kStoredColumns);
  if (stored_columns) full.table.resize(full.table.size() - kStoredColumns.size());
  if (const TemporaryTable* temporary = FindTemporaryTable(full))
    return ResolveTemporary(*temporary, full, hints, stored_columns);
  BRAID_TRY_ASSIGN(const auto catalog, FindCatalog(full.catalog));
  BRAID_TRY_ASSIGN(resolved.identifier, Identifier::FromParts(full.database, full.table));
  NoteMisspelt(hints, OptionOwner::kTable);
  if (const auto branch = SessionBranch(resolved.identifier, hints)) {
    Identifier on_branch = resolved.identifier;
    on_branch.branch = *branch;
    Result<Relation> relation = catalog->Open(on_branch, hints);
    if (!relation && relation.error().code() != ErrorCode::kNotFound) return std::move(relation).error();
    if (relation) {
      resolved.identifier = std::move(on_branch);
      resolved.relation = *std::move(relation);
    }
  }
  if (!resolved.relation) {
    BRAID_TRY_ASSIGN(resolved.relation, catalog->Open(resolved.identifier, hints));
  }
  resolved.options = hints;
  if (const auto* table = std::get_if<Table>(&*resolved.relation); table != nullptr && !stored_columns) {
    const TableColumns columns = ColumnsOf(table->schema().fields, table->schema().options);
    if (columns.has_computed()) return ViewOfComputed(std::move(resolved), columns, full, hints);
  }
  return resolved;
}

std::optional<std::string> SessionState::SessionBranch(const Identifier& table, const Options& hints) const {
  std::string branch = Option(kBranchOption);
  if (branch.empty() || table.branch || table.system_table || hints.Has("branch")) return std::nullopt;
  return branch;
}

Result<ResolvedTable> SessionState::ViewOfComputed(ResolvedTable table, const TableColumns& columns,
                                                   const FullName& name, const Options& hints) {
  std::string from =
      fmt::format("{}.{}.{}", syntax::QuoteIdentifier(name.catalog), syntax::QuoteIdentifier(name.database),
                  syntax::QuoteIdentifier(name.table + std::string(kStoredColumns)));
  std::string options;
  for (const auto& [key, value] : hints.values()) {
    options +=
        fmt::format("{}{} = {}", options.empty() ? "" : ", ", syntax::QuoteString(key), syntax::QuoteString(value));
  }
  if (!options.empty()) from += fmt::format(" /*+ OPTIONS({}) */", options);
  BRAID_TRY_ASSIGN(syntax::Query query, syntax::ParseQuery(SelectColumns(columns, from))
                                            .Context("while reading the computed columns of " + name.ToString()));
  table.relation.reset();
  table.view = syntax::QueryPtr::Make(std::move(query));
  for (const TableColumn& column : columns.columns) table.view_columns.push_back(column.name);
  return table;
}

Result<DuckEngine*> SessionState::Engine() {
  if (engine_ == nullptr) {
    BRAID_TRY_ASSIGN(const std::string folder, TemporaryFolder());
    struct sysinfo machine = {};
    sysinfo(&machine);
    const auto memory = static_cast<std::int64_t>(machine.totalram) * machine.mem_unit;
    // Half of the memory is Braid's, and half of that DuckDB's.
    BRAID_TRY_ASSIGN(const std::int64_t budget, options_.GetMemorySize("memory", memory / 2));
    BRAID_TRY_ASSIGN(const std::int64_t threads,
                     options_.GetInt("threads", std::max(1U, std::thread::hardware_concurrency())));
    BRAID_TRY_ASSIGN(engine_, DuckEngine::Open({.database_path = {},
                                                .temp_directory = folder + "/spill",
                                                .threads = static_cast<int>(std::clamp<std::int64_t>(threads, 1, 1024)),
                                                .memory_limit_bytes = std::max<std::int64_t>(budget / 2, 1 << 20)}));
  }
  return engine_.get();
}

Result<DuckConnection*> SessionState::Connection() {
  if (connection_ == nullptr) {
    BRAID_TRY_ASSIGN(DuckEngine * engine, Engine());
    BRAID_TRY_ASSIGN(auto connection, engine->Connect());
    const std::scoped_lock lock(connection_mutex_);
    connection_ = std::move(connection);
  }
  return connection_.get();
}

Result<Datum> SessionState::EvaluateConstant(const syntax::Expression& expression, std::string_view text,
                                             const DataType& type) {
  BRAID_TRY_ASSIGN(const EmittedCall value, AnalyzeConstant(expression, text, *this));
  BRAID_TRY_ASSIGN(const EmittedCall cast,
                   ResolveCast({.type = value.type, .sql = value.sql}, type, false, {.zone = time_zone()}));
  BRAID_TRY_ASSIGN(DuckConnection * connection, Connection());
  const std::vector<DataType> wanted = {type};
  BRAID_TRY_ASSIGN(auto rows, connection->Query("SELECT " + cast.sql, wanted));
  BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*rows));
  for (const Batch& batch : batches) {
    if (batch.row_count() > 0) return DatumAt(*batch.rows->column(0), 0, type);
  }
  return Error(ErrorCode::kInternal, "a constant gave no row");
}

Result<SessionScript> SessionState::Script() const {
  SessionScript script;
  script.options = options_;
  for (const auto& [name, entry] : catalogs_) {
    if (name == kDefaultCatalog) continue;
    syntax::CreateCatalog create{
        .name = {.position = {}, .name = name}, .if_not_exists = false, .comment = entry.comment, .options = {}};
    for (const auto& [key, value] : entry.options.values())
      create.options.push_back({.position = {}, .key = key, .value = value});
    script.statements.push_back(syntax::ToSql(syntax::Statement{.position = {}, .node = std::move(create)}));
  }
  // Tables before the views that read them.
  for (const auto& [name, table] : temporary_tables_) script.statements.push_back(table.statement);
  for (const auto& [name, view] : views_) {
    std::string columns;
    for (const QueryColumn& column : view.columns)
      columns += (columns.empty() ? "" : ", ") + syntax::QuoteIdentifier(column.name);
    script.statements.push_back(fmt::format("CREATE TEMPORARY VIEW {}.{}.{} ({}) AS {}",
                                            syntax::QuoteIdentifier(name.catalog),
                                            syntax::QuoteIdentifier(name.database), syntax::QuoteIdentifier(name.table),
                                            columns, syntax::ToSql(*view.query)));
  }
  script.statements.push_back("USE CATALOG " + syntax::QuoteIdentifier(current_catalog_));
  script.statements.push_back("USE " + syntax::QuoteIdentifier(current_database_));
  return script;
}

std::optional<std::string> SessionState::statement_time_sql() const {
  if (!plans_for_jobs_) return std::nullopt;
  return fmt::format("getvariable('{}')", kEpochTimeVariable);
}

void SessionState::Begin() {
  statement_time_ms_ = settings_.clock->NowMs();
  cancelled_ = false;
  notices_.clear();
}

void SessionState::Cancel() {
  cancelled_ = true;
  const std::scoped_lock lock(connection_mutex_);
  if (connection_ != nullptr) connection_->Cancel();
}

Status SessionState::CheckCancelled() const {
  if (cancelled_) return Error(ErrorCode::kCancelled, "the statement was cancelled");
  return Ok();
}

}  // namespace braid
