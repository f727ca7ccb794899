#include "catalog/warehouse_folder.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "io/request_pool.h"
#include "meta/stores.h"

namespace braid {

namespace {

constexpr std::string_view kDatabaseSuffix = ".db";

}  // namespace

WarehouseFolder::WarehouseFolder(std::shared_ptr<FileSystem> file_system, std::string root)
    : file_system_(std::move(file_system)), root_(std::move(root)) {}

std::string WarehouseFolder::DatabasePath(const std::string& database) const {
  return JoinPath(root_, database + std::string(kDatabaseSuffix));
}

std::string WarehouseFolder::TablePath(const std::string& database, const std::string& table) const {
  return JoinPath(DatabasePath(database), table);
}

Result<bool> WarehouseFolder::DatabaseExists(const std::string& database) const {
  return file_system_->Exists(DatabasePath(database));
}

Result<bool> WarehouseFolder::TableExists(const std::string& database, const std::string& table) const {
  const TablePaths paths(TablePath(database, table), std::string(kMainBranch));
  BRAID_TRY_ASSIGN(const bool has_first, file_system_->Exists(paths.SchemaFile(SchemaId(0))));
  if (has_first) return true;
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> schemas, ListSchemas(*file_system_, paths));
  if (!schemas.empty()) return true;
  // A branch may be main without leaving a schema in the root (spec branches.md §8.3).
  return file_system_->Exists(paths.MainBranchFile());
}

Result<std::vector<std::string>> WarehouseFolder::ListDatabases() const {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, file_system_->List(root_));
  std::vector<std::string> databases;
  for (const FileInfo& child : children) {
    if (child.is_directory && child.name.ends_with(kDatabaseSuffix) && child.name.size() > kDatabaseSuffix.size()) {
      databases.push_back(child.name.substr(0, child.name.size() - kDatabaseSuffix.size()));
    }
  }
  std::sort(databases.begin(), databases.end());
  return databases;
}

Result<std::vector<std::string>> WarehouseFolder::ListTables(const std::string& database) const {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, file_system_->List(DatabasePath(database)));
  std::vector<std::uint8_t> is_table(children.size());  // not bool: written by several threads
  BRAID_TRY(CallForEach(*file_system_, std::ssize(children), [&](std::int64_t i) -> Status {
    const auto at = static_cast<std::size_t>(i);
    if (!children[at].is_directory) return Ok();
    BRAID_TRY_ASSIGN(is_table[at], TableExists(database, children[at].name));
    return Ok();
  }));
  std::vector<std::string> tables;
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (is_table[i] != 0) tables.push_back(children[i].name);
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

}  // namespace braid
