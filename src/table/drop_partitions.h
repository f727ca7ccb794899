#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/snapshot.h"
#include "table/commit.h"
#include "table/table.h"
#include "types/predicate.h"

namespace braid {

/// What the newest snapshot holds of some partitions.
struct HeldFiles {
  std::set<BinaryRow> rows;  ///< the partitions
  std::vector<std::string>
      partitions;  ///< their folders, "dt=1/hh=2"; in the order of `rows`; empty text: not partitioned
  std::int64_t file_count = 0;
  std::int64_t bytes = 0;
};
/// `filter`: on partition columns; null: all.
Result<HeldFiles> FilesOfPartitions(const Table& table, const PredicatePtr& filter);

/// Deletes all rows of exactly these partitions, or of the table (nullopt), by dropping their files, in one snapshot of
/// kind OVERWRITE with the committable's identity; its messages are empty.
Result<std::vector<Snapshot>> DropPartitions(const Table& table, const std::optional<std::set<BinaryRow>>& partitions,
                                             const std::string& commit_user, const Committable& committable,
                                             const Clock& clock = SystemClock());

}  // namespace braid
