#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/options.h"
#include "base/result.h"
#include "table/table.h"

namespace braid {

/// Which partitions expire (spec data.md §13.3).
struct PartitionExpiry {
  std::chrono::milliseconds expiration_time{};  ///< `partition.expiration-time`
  /// Whether the time of the newest file counts (`partition.expiration-strategy` = update-time) rather than what the
  /// partition's values say (values-time).
  bool by_update_time = false;
  std::optional<std::string> timestamp_pattern{};    ///< `partition.timestamp-pattern`
  std::optional<std::string> timestamp_formatter{};  ///< `partition.timestamp-formatter`
  std::int64_t max_count = 100;                      ///< `partition.expiration-max-num`: at most so many at a time
  std::int64_t batch_size = 0;                       ///< `partition.expiration-batch-size`: in one commit; 0: all
  bool dry_run = false;

  /// nullopt without `partition.expiration-time`. Errors: kInvalidArgument.
  static Result<std::optional<PartitionExpiry>> FromOptions(const Options& options);
};

struct ExpiredPartitions {
  /// Columns and values of each, in the order in which they were chosen.
  std::vector<std::vector<std::pair<std::string, std::string>>> partitions{};
  /// "dt=abc": partitions whose values mean no time, which never expire by them.
  std::vector<std::string> timeless{};
  std::int64_t snapshots = 0;  ///< made
};

/// Drops the partitions of the table's branch whose time lies more than `expiration_time` before now, both local times,
/// in snapshots of kind OVERWRITE; of several the first by the text of their values. Errors: kInvalidArgument for a table
/// that is not partitioned.
Result<ExpiredPartitions> ExpirePartitions(const Table& table, const PartitionExpiry& expiry, const Clock& clock);

/// The upkeep of a commit: expires partitions if the table wants it and `partition.expiration-check-interval` has passed
/// since the process looked last, or first; with an interval of 0 at every commit, with `end-input.check-partition-expire`
/// at those of batch jobs. Errors: as ExpirePartitions.
Status ExpirePartitionsIfDue(const Table& table, bool is_batch, const Clock& clock);

}  // namespace braid
