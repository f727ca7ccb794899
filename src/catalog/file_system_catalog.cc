// The catalog of folders (spec metadata.md §1.1): it keeps nothing of its own, so that every engine sees the same.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/global_tables.h"
#include "catalog/warehouse_folder.h"
#include "io/storage.h"
#include "io/storage_traits.h"
#include "meta/stores.h"
#include "table/external_paths.h"
#include "table/lines.h"

namespace braid {

namespace {

constexpr int kAlterAttempts = 20;

Error WithNearest(Error error, std::string_view name, const std::vector<std::string>& known) {
  if (const auto nearest = NearestName(name, known))
    return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return error;
}

// Names that become folders.
Status CheckName(std::string_view kind, const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' cannot be the name of a {}", name, kind));
  }
  return Ok();
}

Status CheckNames(const Identifier& identifier) {
  BRAID_TRY(CheckName("database", identifier.database));
  return CheckName("table", identifier.table);
}

class FileSystemCatalog : public Catalog {
 public:
  FileSystemCatalog(std::string name, Options options, WarehouseFolder warehouse)
      : name_(std::move(name)),
        options_(std::move(options)),
        warehouse_(std::move(warehouse)),
        file_system_(warehouse_.file_system()) {
    for (std::shared_ptr<const SystemTableProvider>& provider : StandardSystemTables())
      providers_.push_back(std::move(provider));
    virtual_databases_.emplace(kSystemDatabase, GlobalSystemTables(warehouse_, options_));
  }

  const std::string& name() const override { return name_; }
  const Options& options() const override { return options_; }
  const std::string& warehouse() const override { return warehouse_.root(); }
  std::shared_ptr<FileSystem> file_system() const override { return file_system_; }

  Result<std::vector<std::string>> ListDatabases() const override { return warehouse_.ListDatabases(); }

  Result<bool> DatabaseExists(const std::string& database) const override {
    if (virtual_databases_.contains(database)) return true;
    return warehouse_.DatabaseExists(database);
  }

  Status CreateDatabase(const std::string& database, bool ignore_if_exists) override {
    BRAID_TRY(RefuseVirtual(database));
    BRAID_TRY(CheckName("database", database));
    BRAID_TRY_ASSIGN(const bool exists, DatabaseExists(database));
    if (exists && ignore_if_exists) return Ok();
    if (exists)
      return Error(ErrorCode::kAlreadyExists, fmt::format("database {} exists already", database))
          .Hint("use IF NOT EXISTS");
    return file_system_->CreateDirectories(warehouse_.DatabasePath(database));
  }

  Status DropDatabase(const std::string& database, DropMode mode) override {
    BRAID_TRY(RefuseVirtual(database));
    BRAID_TRY(CheckName("database", database));
    BRAID_TRY_ASSIGN(const bool exists, DatabaseExists(database));
    if (!exists && mode.ignore_if_not_exists) return Ok();
    BRAID_TRY(CheckDatabase(database));
    BRAID_TRY_ASSIGN(const std::vector<std::string> tables, ListTables(database));
    if (!tables.empty() && !mode.cascade) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("database {} still has {} tables", database, tables.size()))
          .Hint("drop them first, or use CASCADE");
    }
    std::set<std::string> external;
    for (const std::string& table : tables) external.merge(ExternalPaths(PathOf(database, table)));
    BRAID_TRY(file_system_->DeleteTree(warehouse_.DatabasePath(database)));
    return DeleteTrees(external);
  }

  Result<std::vector<std::string>> ListTables(const std::string& database) const override {
    if (const auto it = virtual_databases_.find(database); it != virtual_databases_.end()) return NamesIn(it->second);
    BRAID_TRY_ASSIGN(std::vector<std::string> tables, warehouse_.ListTables(database));
    if (tables.empty()) BRAID_TRY(CheckDatabase(database));
    return tables;
  }

  Result<bool> TableExists(const Identifier& identifier) const override {
    if (const auto it = virtual_databases_.find(identifier.database); it != virtual_databases_.end())
      return it->second.contains(identifier.table);
    return warehouse_.TableExists(identifier.database, identifier.table);
  }

  Result<Relation> Open(const Identifier& identifier, const Options& dynamic) const override {
    if (const auto it = virtual_databases_.find(identifier.database); it != virtual_databases_.end())
      return OpenVirtual(identifier, it->second);
    Result<Table> opened = Table::Open(file_system_, PathOf(identifier.database, identifier.table), NameOf(identifier),
                                       identifier.branch.value_or(std::string(kMainBranch)), dynamic);
    // What is missing may be more than the table.
    if (!opened && opened.error().code() == ErrorCode::kNotFound) BRAID_TRY(CheckTable(identifier));
    BRAID_TRY_ASSIGN(Table table, std::move(opened));
    if (!identifier.system_table) return Relation(std::move(table));
    std::vector<std::string> known;
    for (const auto& provider : providers_) {
      if (provider->name() == *identifier.system_table) {
        BRAID_TRY_ASSIGN(auto system_table, provider->Open(table));
        return Relation(std::move(system_table));
      }
      known.emplace_back(provider->name());
    }
    std::sort(known.begin(), known.end());
    return Error(ErrorCode::kNotFound,
                 fmt::format("table {} has no system table '${}'", NameOf(identifier), *identifier.system_table))
        .Hint("there are $" + Join(known, ", $"));
  }

  Status CreateTable(const Identifier& identifier, const TableDefinition& definition, bool ignore_if_exists) override {
    BRAID_TRY(RefuseSuffixes(identifier));
    BRAID_TRY(CheckNames(identifier));
    BRAID_TRY(CheckDatabase(identifier.database));
    const TablePaths paths(PathOf(identifier.database, identifier.table), std::string(kMainBranch));
    const auto exists_already = [&]() -> Status {
      if (ignore_if_exists) return Ok();
      return Error(ErrorCode::kAlreadyExists, fmt::format("table {} exists already", identifier.ToString()))
          .Hint("use IF NOT EXISTS, or another name");
    };
    BRAID_TRY_ASSIGN(const bool exists, TableExists(identifier));
    if (exists) return exists_already();
    BRAID_TRY_ASSIGN(
        const TableSchema schema,
        NewTableSchema(definition, SystemClock().NowMs()).Context("while creating table " + identifier.ToString()));
    Status written = WriteSchema(*file_system_, paths, schema);
    const bool lost_race = !written && (written.error().code() == ErrorCode::kAlreadyExists ||
                                        written.error().code() == ErrorCode::kConflict);
    return lost_race ? exists_already() : written;
  }

  Status DropTable(const Identifier& identifier, DropMode mode) override {
    BRAID_TRY(RefuseVirtual(identifier.database));
    BRAID_TRY(RefuseSuffixes(identifier));
    BRAID_TRY(CheckNames(identifier));
    BRAID_TRY_ASSIGN(const bool exists, TableExists(identifier));
    if (!exists && mode.ignore_if_not_exists) return Ok();
    BRAID_TRY(CheckTable(identifier));
    const std::string root = PathOf(identifier.database, identifier.table);
    const std::set<std::string> external = ExternalPaths(root);
    // Where a tree is deleted file by file: as long as there is a schema, dropping can be repeated.
    if (!CanRename(*file_system_)) BRAID_TRY(DeleteAllBut(root, "schema"));
    BRAID_TRY(file_system_->DeleteTree(root));
    return DeleteTrees(external);
  }

  Status RenameTable(const Identifier& from, const Identifier& to) override {
    BRAID_TRY(RefuseSuffixes(from));
    BRAID_TRY(RefuseSuffixes(to));
    BRAID_TRY(CheckNames(from));
    BRAID_TRY(CheckNames(to));
    BRAID_TRY(CheckTable(from));
    BRAID_TRY(CheckDatabase(to.database));
    if (!CanRename(*file_system_)) {
      return Error(ErrorCode::kUnsupported, fmt::format("table {} cannot be renamed: an object store can only copy and delete, and a commit meanwhile would be lost", from.ToString()))
          .Hint("CREATE TABLE … LIKE, then INSERT … SELECT, then DROP the old one");
    }
    Status renamed = file_system_->Rename(PathOf(from.database, from.table), PathOf(to.database, to.table));
    if (!renamed && renamed.error().code() == ErrorCode::kAlreadyExists)
      return Error(ErrorCode::kAlreadyExists, fmt::format("table {} exists already", to.ToString()));
    return renamed;
  }

  Status AlterTable(const Identifier& identifier, const std::vector<SchemaChange>& changes) override {
    if (identifier.system_table)
      return Error(ErrorCode::kInvalidArgument, identifier.ToString() + " is a system table and cannot be altered");
    BRAID_TRY(RefuseVirtual(identifier.database));
    BRAID_TRY(CheckTable(identifier));
    BRAID_TRY_ASSIGN(const TablePaths paths, ResolveLine(*file_system_, PathOf(identifier.database, identifier.table),
                                                         identifier.branch.value_or(std::string(kMainBranch))));
    for (int attempt = 0; attempt < kAlterAttempts; ++attempt) {
      BRAID_TRY_ASSIGN(const std::optional<TableSchema> latest, ReadLatestSchema(*file_system_, paths));
      if (!latest) return Error(ErrorCode::kNotFound, fmt::format("table {} does not exist", identifier.ToString()));
      BRAID_TRY_ASSIGN(const std::optional<SnapshotId> snapshot, FindLatestSnapshot(*file_system_, paths));
      BRAID_TRY_ASSIGN(const TableSchema next, Apply(*latest, changes, snapshot.has_value(), SystemClock().NowMs())
                                                   .Context("while altering table " + identifier.ToString()));
      Status written = WriteSchema(*file_system_, paths, next);
      if (written ||
          (written.error().code() != ErrorCode::kAlreadyExists && written.error().code() != ErrorCode::kConflict))
        return written;
    }
    return Error(ErrorCode::kConflict,
                 fmt::format("other writers keep changing the schema of {}", identifier.ToString()))
        .Hint("run it again");
  }

  void Register(std::shared_ptr<const SystemTableProvider> provider) override {
    providers_.push_back(std::move(provider));
  }
  void Register(const std::string& database, VirtualDatabase tables) override {
    const auto it = virtual_databases_.try_emplace(database, virtual_databases_[std::string(kSystemDatabase)]).first;
    for (auto& [name, table] : tables) it->second.insert_or_assign(name, std::move(table));
  }

 private:
  // Where a table has data outside its folder; none if its lines cannot be told, which is no reason to keep the rest.
  std::set<std::string> ExternalPaths(const std::string& root) const {
    const Result<TableLines> lines = ListLines(*file_system_, root, Inference::kSkip);
    if (!lines) return {};
    Result<std::set<std::string>> paths = ExternalDataPaths(*file_system_, *lines);
    return paths ? *std::move(paths) : std::set<std::string>();
  }

  Status DeleteAllBut(const std::string& root, std::string_view kept) {
    BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, file_system_->List(root));
    for (const FileInfo& child : children) {
      if (child.name == kept) continue;
      const std::string path = JoinPath(root, child.name);
      BRAID_TRY(child.is_directory ? file_system_->DeleteTree(path) : file_system_->Delete(path));
    }
    return Ok();
  }

  Status DeleteTrees(const std::set<std::string>& paths) {
    for (const std::string& path : paths) BRAID_TRY(file_system_->DeleteTree(path));
    return Ok();
  }

  std::string PathOf(const std::string& database, const std::string& table) const {
    return warehouse_.TablePath(database, table);
  }
  static std::string NameOf(const Identifier& identifier) { return identifier.database + "." + identifier.table; }

  static std::vector<std::string> NamesIn(const VirtualDatabase& tables) {
    std::vector<std::string> names;
    for (const auto& [name, table] : tables) names.push_back(name);
    return names;
  }

  Status CheckDatabase(const std::string& database) const {
    BRAID_TRY(RefuseVirtual(database));
    BRAID_TRY_ASSIGN(const bool exists, DatabaseExists(database));
    if (exists) return Ok();
    BRAID_TRY_ASSIGN(const bool has_warehouse, warehouse_.file_system()->Exists(warehouse_.root()));
    if (!has_warehouse) {
      return Error(ErrorCode::kNotFound, fmt::format("the warehouse {} does not exist", warehouse_.root()))
          .Hint("give the folder that holds the databases' folders, <database>.db");
    }
    BRAID_TRY_ASSIGN(const std::vector<std::string> known, ListDatabases());
    return WithNearest(Error(ErrorCode::kNotFound, fmt::format("database {} does not exist", database)), database,
                       known);
  }

  Status CheckTable(const Identifier& identifier) const {
    BRAID_TRY(CheckDatabase(identifier.database));
    BRAID_TRY_ASSIGN(const bool exists, TableExists(identifier));
    if (exists) return Ok();
    BRAID_TRY_ASSIGN(const std::vector<std::string> known, ListTables(identifier.database));
    return WithNearest(Error(ErrorCode::kNotFound, fmt::format("table {} does not exist", NameOf(identifier))),
                       identifier.table, known);
  }

  Status RefuseVirtual(const std::string& database) const {
    if (!virtual_databases_.contains(database)) return Ok();
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("database {} is a system database and cannot be changed", database));
  }

  static Status RefuseSuffixes(const Identifier& identifier) {
    if (!identifier.branch && !identifier.system_table) return Ok();
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} is no plain table name", identifier.ToString()))
        .Hint("a table's own name has no '$'");
  }

  static Result<Relation> OpenVirtual(const Identifier& identifier, const VirtualDatabase& tables) {
    if (const auto it = tables.find(identifier.table);
        it != tables.end() && !identifier.system_table && !identifier.branch)
      return Relation(it->second);
    return WithNearest(Error(ErrorCode::kNotFound, fmt::format("table {} does not exist", identifier.ToString())),
                       identifier.table, NamesIn(tables));
  }

  std::string name_;
  Options options_;
  WarehouseFolder warehouse_;
  std::shared_ptr<FileSystem> file_system_;
  std::vector<std::shared_ptr<const SystemTableProvider>> providers_;
  std::map<std::string, VirtualDatabase> virtual_databases_;
};

}  // namespace

const std::vector<DataField>& FieldsOf(const Relation& relation) {
  if (const auto* table = std::get_if<Table>(&relation)) return table->schema().fields;
  return std::get<std::shared_ptr<const VirtualTable>>(relation)->fields();
}

Result<Table> Catalog::OpenTable(const Identifier& identifier, const Options& dynamic) const {
  BRAID_TRY_ASSIGN(Relation relation, Open(identifier, dynamic));
  if (auto* table = std::get_if<Table>(&relation)) return std::move(*table);
  return Error(ErrorCode::kInvalidArgument,
               identifier.ToString() + " is a system table: it has rows, but no snapshots, files or branches of its own")
      .Hint("`braid read` and SELECT show its rows");
}

Result<std::shared_ptr<Catalog>> MakeFileSystemCatalog(std::string name, Options options) {
  const std::optional<std::string> warehouse = options.Find("warehouse");
  if (!warehouse || warehouse->empty()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("catalog {} has no 'warehouse'", name))
        .Hint("give the folder of the warehouse, 'warehouse'='/path'");
  }
  BRAID_TRY_ASSIGN(Storage storage, OpenStorage(*warehouse, options));
  return std::shared_ptr<Catalog>(std::make_shared<FileSystemCatalog>(
      std::move(name), std::move(options), WarehouseFolder(std::move(storage.files), std::move(storage.root))));
}

}  // namespace braid
