#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// A folder of databases and tables, `<root>/<db>.db/<table>` (spec metadata.md §1.1), and which of them there are. A
/// value; any thread. Errors of all: those of FileSystem.
class WarehouseFolder {
 public:
  WarehouseFolder(std::shared_ptr<FileSystem> file_system, std::string root);

  const std::string& root() const { return root_; }
  const std::shared_ptr<FileSystem>& file_system() const { return file_system_; }

  std::string DatabasePath(const std::string& database) const;
  std::string TablePath(const std::string& database, const std::string& table) const;

  Result<bool> DatabaseExists(const std::string& database) const;
  /// Whether a schema is there.
  Result<bool> TableExists(const std::string& database, const std::string& table) const;
  /// Sorted.
  Result<std::vector<std::string>> ListDatabases() const;
  /// Sorted; none for a database that does not exist.
  Result<std::vector<std::string>> ListTables(const std::string& database) const;

 private:
  std::shared_ptr<FileSystem> file_system_;
  std::string root_;
};

}  // namespace braid
