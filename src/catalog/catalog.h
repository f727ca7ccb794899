#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "catalog/identifier.h"
#include "catalog/virtual_table.h"
#include "meta/schema_change.h"
#include "meta/table_schema.h"
#include "table/table.h"

namespace braid {

/// What a name stands for: a stored table, or one whose rows are made when read.
using Relation = std::variant<Table, std::shared_ptr<const VirtualTable>>;

/// Fields that a relation has.
const std::vector<DataField>& FieldsOf(const Relation& relation);

struct DropMode {
  bool ignore_if_not_exists = false;
  bool cascade = false;  ///< databases: with all tables in them
};

/// Databases and tables under one root (spec metadata.md §1.1). Thread-safe; other processes may change the same
/// warehouse.
///
/// Errors of all: kNotFound naming the nearest name there is, kAlreadyExists, kInvalidArgument, and those of
/// FileSystem.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual const std::string& name() const = 0;
  /// As given when the catalog was made, `warehouse` among them.
  virtual const Options& options() const = 0;
  virtual const std::string& warehouse() const = 0;
  virtual std::shared_ptr<FileSystem> file_system() const = 0;

  /// Sorted; without the system databases.
  virtual Result<std::vector<std::string>> ListDatabases() const = 0;
  virtual Result<bool> DatabaseExists(const std::string& database) const = 0;
  virtual Status CreateDatabase(const std::string& database, bool ignore_if_exists) = 0;
  virtual Status DropDatabase(const std::string& database, DropMode mode) = 0;

  /// Sorted; also the tables of system databases.
  virtual Result<std::vector<std::string>> ListTables(const std::string& database) const = 0;
  /// The table, its branch or its system table, or a table of a system database. `dynamic` as for Table::Open.
  virtual Result<Relation> Open(const Identifier& identifier, const Options& dynamic = {}) const = 0;
  /// As Open, but only stored tables. Errors: kInvalidArgument for a system table.
  Result<Table> OpenTable(const Identifier& identifier, const Options& dynamic = {}) const;
  virtual Result<bool> TableExists(const Identifier& identifier) const = 0;

  virtual Status CreateTable(const Identifier& identifier, const TableDefinition& definition,
                             bool ignore_if_exists) = 0;
  virtual Status DropTable(const Identifier& identifier, DropMode mode) = 0;
  virtual Status RenameTable(const Identifier& from, const Identifier& to) = 0;
  /// Applies the changes to the latest schema of the table (or of its branch) and writes the next one; races are
  /// retried.
  virtual Status AlterTable(const Identifier& identifier, const std::vector<SchemaChange>& changes) = 0;

  /// Adds a system table to every table. Call before the catalog is shared.
  virtual void Register(std::shared_ptr<const SystemTableProvider> provider) = 0;
  /// Adds virtual tables to a read-only database: "sys", lineage's "paimon"; a new database also has the tables of "sys".
  /// Call before the catalog is shared.
  using VirtualDatabase = std::map<std::string, std::shared_ptr<const VirtualTable>>;
  virtual void Register(const std::string& database, VirtualDatabase tables) = 0;
};

/// A catalog over folders, "warehouse" naming the root: `<warehouse>/<db>.db/<table>`.
/// It has the database "sys" of tables about all tables. Options: `warehouse`, and any that others read.
/// Errors: kInvalidArgument without a warehouse; kUnsupported for a scheme other than file.
Result<std::shared_ptr<Catalog>> MakeFileSystemCatalog(std::string name, Options options);

/// The system tables that every catalog offers (spec metadata.md §13.1): snapshots, schemas, options, tags, branches,
/// consumers, files, file_key_ranges, manifests, partitions, buckets, table_indexes, statistics, aggregation_fields,
/// ro, audit_log, binlog, row_tracking.
std::vector<std::shared_ptr<const SystemTableProvider>> StandardSystemTables();

}  // namespace braid
