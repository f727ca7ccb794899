#include "table/schema_cache.h"

#include "meta/stores.h"

namespace braid {

void SchemaCache::Keep(const TableSchema& schema) {
  const std::lock_guard lock(mutex_);
  schemas_.emplace(schema.id, std::make_shared<const TableSchema>(schema));
}

Result<std::shared_ptr<const TableSchema>> SchemaCache::GetFrom(const TablePaths& paths, SchemaId id) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = schemas_.find(id); it != schemas_.end()) return it->second;
  }
  // Read without the lock: two threads may read the same schema once each, and both get equal ones.
  BRAID_TRY_ASSIGN(TableSchema schema, ReadSchema(*fs_, paths, id));
  auto shared = std::make_shared<const TableSchema>(std::move(schema));
  const std::lock_guard lock(mutex_);
  return schemas_.emplace(id, std::move(shared)).first->second;
}

}  // namespace braid
