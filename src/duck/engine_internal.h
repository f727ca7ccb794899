#pragma once

// What the engine hands to its parts; for this folder's sources that see DuckDB's headers.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include <duckdb/planner/table_filter.hpp>

#include "duck/scan_function.h"
#include "types/predicate.h"

namespace braid {

/// The sources that `braid_scan` finds by number. Thread-safe.
class ScanRegistry {
 public:
  std::int64_t Add(std::shared_ptr<const ScanSource> source);
  void Remove(std::int64_t handle);
  /// Null if there is none.
  std::shared_ptr<const ScanSource> Find(std::int64_t handle) const;

 private:
  mutable std::mutex mutex_;  // guards the fields below
  std::int64_t next_handle_ = 1;
  std::map<std::int64_t, std::shared_ptr<const ScanSource>> sources_;
};

/// Adds `braid_scan(handle)` to the database. Inside a transaction of the context. May throw as DuckDB does.
void RegisterScanFunction(duckdb::ClientContext& context, std::shared_ptr<ScanRegistry> registry);

/// What follows from a filter that DuckDB pushed to a column, as a hint for pruning; null if nothing does. Reads
/// dynamic filters as they are now. Any thread.
PredicatePtr HintFromFilter(const duckdb::TableFilter& filter, const DataField& column);

}  // namespace braid
