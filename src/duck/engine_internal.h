#pragma once

// What the engine hands to its parts; for this folder's sources that see DuckDB's headers.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <duckdb/planner/table_filter.hpp>

#include "duck/late_values.h"
#include "duck/scan_function.h"
#include "types/predicate.h"

namespace braid {

/// What a number of `braid_scan` means.
struct RegisteredScan {
  std::shared_ptr<const ScanSource> source;  // null: nothing
  LateFields late;
};

/// The sources that `braid_scan` finds by number, and the places of late values. Thread-safe.
class ScanRegistry {
 public:
  std::int64_t Add(RegisteredScan scan);
  void Remove(std::int64_t handle);
  RegisteredScan Find(std::int64_t handle) const;

  /// Does not keep it.
  void Note(const std::shared_ptr<LateValues>& values);
  /// Those that exist.
  std::vector<std::shared_ptr<const LateValues>> late_values();

 private:
  mutable std::mutex mutex_;  // guards the fields below
  std::int64_t next_handle_ = 1;
  std::map<std::int64_t, RegisteredScan> scans_;
  std::vector<std::weak_ptr<const LateValues>> late_values_;
};

/// Adds `braid_scan(handle)` to the database. Inside a transaction of the context. May throw as DuckDB does.
void RegisterScanFunction(duckdb::ClientContext& context, std::shared_ptr<ScanRegistry> registry);

/// What follows from a filter that DuckDB pushed to a column, as a hint for pruning; null if nothing does. Reads
/// dynamic filters as they are now. Any thread.
PredicatePtr HintFromFilter(const duckdb::TableFilter& filter, const DataField& column);

}  // namespace braid
