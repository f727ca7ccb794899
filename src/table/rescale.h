#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

struct RescaleRequest {
  std::optional<std::int32_t> bucket_count = std::nullopt;  ///< from 1 on; nullopt: the table's `bucket`
  PredicatePtr partitions = nullptr;                        ///< on partition columns; null: all
  bool dry_run = false;
};

struct RescaledPartition {
  std::string name;               ///< "dt=1/hh=2"; empty if the table is not partitioned
  std::int32_t bucket_count = 0;  ///< before
  std::int64_t file_count = 0;    ///< before
};

struct Rescaling {
  std::int32_t bucket_count = 0;
  std::vector<RescaledPartition> partitions;  ///< those that had another number of buckets
  std::optional<SnapshotId> snapshot;         ///< absent if there are none, and of a dry run
};

/// Distributes the rows of partitions over another number of buckets (spec data.md §9.1), in a snapshot of kind
/// OVERWRITE that streaming readers do not follow. `bucket` of the table is not changed: set it before, so that writers
/// and this agree. Partitions that have the number already stay as they are. Begins again when others changed them
/// meanwhile
/// (`commit.max-retries`). Errors: kUnsupported for tables without a fixed number of buckets; those of committing.
Result<Rescaling> RescaleTable(const Table& table, const RescaleRequest& request, const std::string& commit_user,
                               const Clock& clock = SystemClock());

}  // namespace braid
