#pragma once

// What the statements of a session share; for this folder's sources.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "duck/engine.h"
#include "io/temporary_directory.h"
#include "meta/option_names.h"
#include "sql/query.h"
#include "sql/result.h"
#include "sql/session.h"
#include "syntax/statement.h"

namespace braid {

struct TableColumns;

/// The option that puts a session's queries and INSERTs on a branch; also of `braid job run --branch`.
inline constexpr const char* kBranchOption = "braid.branch";

/// Ends the name of a table with computed columns where the stored ones alone are meant: in the query that computes the
/// others.
inline constexpr std::string_view kStoredColumns = "\x01";

/// A name with all its parts. The table may have `$` suffixes.
struct FullName {
  std::string catalog;
  std::string database;
  std::string table;

  /// "c.db.t", as messages have it.
  std::string ToString() const { return catalog + "." + database + "." + table; }
  friend auto operator<=>(const FullName&, const FullName&) = default;
};

struct TemporaryView {
  syntax::QueryPtr query;  ///< its table names have all their parts
  std::vector<QueryColumn> columns;
  std::optional<std::string> comment;
};

/// A table that CREATE TEMPORARY TABLE made.
struct TemporaryTable {
  ConnectorTableDefinition definition;
  std::shared_ptr<const ConnectorTable> table;
  Options column_options;  ///< computed columns and watermark, as ColumnsOf reads them
  std::optional<std::string> comment;
  std::string statement;  ///< makes the same table in another session: its names have all their parts
};

/// A catalog as CREATE CATALOG made it.
struct CatalogEntry {
  Options options;
  std::optional<std::string> comment;
  std::string default_database;
  std::shared_ptr<Catalog> catalog = nullptr;  ///< null for one of the session's own that nobody has used yet
};

/// The state of a session, and what its queries see of it.
class SessionState : public NameResolver {
 public:
  explicit SessionState(SessionSettings settings);

  // NameResolver
  Result<ResolvedTable> ResolveTable(const syntax::QualifiedName& name, const Options& hints) const override;
  std::string current_catalog() const override { return current_catalog_; }
  std::string current_database() const override { return current_database_; }
  std::string time_zone() const override { return Option("table.local-time-zone"); }
  std::int64_t statement_time_ms() const override { return statement_time_ms_; }
  std::optional<std::string> statement_time_sql() const override;
  /// Whether queries are analysed for jobs, which run at many times (kEpochTimeVariable), from now on.
  void PlanForJobs(bool plans) { plans_for_jobs_ = plans; }

  // Names.
  /// Errors: kInvalidArgument for more than three parts.
  Result<FullName> Qualify(const syntax::QualifiedName& name) const;
  /// `db` or `catalog.db`; the table is empty. Errors: kNotFound.
  Result<FullName> QualifyDatabase(const syntax::QualifiedName& name) const;
  /// Errors: kNotFound, naming the nearest one.
  Result<std::shared_ptr<Catalog>> FindCatalog(const std::string& name) const;
  Result<const CatalogEntry*> FindCatalogEntry(const std::string& name) const;
  std::map<std::string, CatalogEntry>& catalogs() { return catalogs_; }
  /// Errors: kAlreadyExists, and those of making it.
  Status AddCatalog(const std::string& name, CatalogEntry entry);
  Status UseCatalog(const std::string& name);
  Status UseDatabase(const std::string& catalog, const std::string& database);
  std::map<FullName, TemporaryView>& views() { return views_; }
  const TemporaryView* FindView(const FullName& name) const;
  std::map<FullName, TemporaryTable>& temporary_tables() { return temporary_tables_; }
  const TemporaryTable* FindTemporaryTable(const FullName& name) const;
  /// The connectors. Errors: kUnsupported if the session has none.
  Result<const Connectors*> FindConnectors() const;
  /// While it runs, names that lack parts are noted with their place and what they lack.
  struct MissingParts {
    std::size_t offset;
    std::string prefix;  ///< "`c`.`db`."
  };
  void StartNotingNames() { noted_names_.emplace(); }
  std::vector<MissingParts> StopNotingNames() {
    return std::exchange(noted_names_, std::nullopt).value_or(std::vector<MissingParts>());
  }

  // Options.
  Options& options() { return options_; }
  const Options& options() const { return options_; }
  std::string Option(std::string_view key) const;
  /// The branch of kBranchOption, for a table whose name and hints say none: queries read it where the table has it,
  /// INSERT writes to it.
  std::optional<std::string> SessionBranch(const Identifier& table, const Options& hints) const;
  /// Keeps a notice for the statement's result about each key that looks misspelt. Const, as queries see the session so.
  void NoteMisspelt(const Options& given, OptionOwner owner) const;
  /// The notices since the statement began.
  std::vector<std::string> TakeNotices() { return std::exchange(notices_, {}); }

  // Execution.
  JobService* jobs() const { return settings_.jobs.get(); }
  /// What another session must be told to see the same names and options. Errors: kUnsupported if a catalog that ends
  /// with the session has tables.
  Result<SessionScript> Script() const;
  JobObserver* observer() const { return settings_.observer.get(); }
  const Clock& clock() const { return *settings_.clock; }
  /// Opened when it is first needed.
  Result<DuckEngine*> Engine();
  Result<DuckConnection*> Connection();
  /// The value of an expression without columns, cast to the type by Flink's explicit rules.
  Result<Datum> EvaluateConstant(const syntax::Expression& expression, std::string_view text, const DataType& type);
  /// A folder for what does not outlive the session.
  Result<std::string> TemporaryFolder() const;
  void Begin();  ///< of a statement
  void Cancel();
  Status CheckCancelled() const;

  /// The inserts since BEGIN STATEMENT SET: text and tree.
  struct PendingInsert {
    std::string text;
    syntax::Insert insert;
  };
  std::optional<std::vector<PendingInsert>>& statement_set() { return statement_set_; }

 private:
  // A table with computed columns as the view that computes them.
  Result<ResolvedTable> ResolveTemporary(const TemporaryTable& temporary, const FullName& name, const Options& hints,
                                         bool stored_columns) const;
  static Result<ResolvedTable> ViewOfComputed(ResolvedTable table, const TableColumns& columns, const FullName& name,
                                              const Options& hints);
  Result<std::shared_ptr<Catalog>> OpenOwnCatalog(const std::string& name, const CatalogEntry& entry) const;

  SessionSettings settings_;
  Options options_;
  std::string current_catalog_;
  std::string current_database_;
  std::int64_t statement_time_ms_ = 0;
  bool plans_for_jobs_ = false;
  // Catalogs of the session's own are made on first use, also by queries, which see a const session.
  mutable std::map<std::string, CatalogEntry> catalogs_;
  mutable std::optional<TemporaryDirectory> folder_;  // made when it is first needed
  std::map<FullName, TemporaryView> views_;
  std::map<FullName, TemporaryTable> temporary_tables_;
  mutable std::optional<std::vector<MissingParts>> noted_names_;
  mutable std::vector<std::string> notices_;
  std::optional<std::vector<PendingInsert>> statement_set_;
  std::unique_ptr<DuckEngine> engine_;
  std::atomic<bool> cancelled_ = false;
  std::mutex connection_mutex_;  // guards the pointer below against Cancel
  std::unique_ptr<DuckConnection> connection_;
};

}  // namespace braid
