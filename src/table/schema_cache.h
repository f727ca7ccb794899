#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "base/result.h"
#include "io/file_system.h"
#include "meta/table_paths.h"
#include "meta/table_schema.h"

namespace braid {

/// A branch's schemas by id, each read once. Thread-safe.
class SchemaCache {
 public:
  SchemaCache(const FileSystem& fs, TablePaths paths) : fs_(&fs), paths_(std::move(paths)) {}

  /// One of the branch's that was read already.
  void Keep(const TableSchema& schema);
  Result<std::shared_ptr<const TableSchema>> Get(SchemaId id) { return GetFrom(paths_, id); }
  /// The same where the line lies elsewhere meanwhile.
  Result<std::shared_ptr<const TableSchema>> GetFrom(const TablePaths& paths, SchemaId id);

 private:
  const FileSystem* fs_;  // outlives the cache: the table holds both
  TablePaths paths_;
  std::mutex mutex_;  // guards schemas_
  std::map<SchemaId, std::shared_ptr<const TableSchema>> schemas_;
};

}  // namespace braid
