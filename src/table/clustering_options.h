#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "table/sort_strategy.h"
#include "table/table.h"

namespace braid {

/// The columns of `clustering.columns`; empty if the option is not there.
std::vector<std::string> ClusteringColumns(const Options& options);

/// What rows of append tables are sorted by, and when, after the table's `clustering.*` options (spec data.md §8.4).
struct ClusteringOptions {
  std::vector<std::string> columns;
  SortStrategy strategy = SortStrategy::kOrder;  ///< `auto` by the number of columns
  bool sorts_locally = false;                    ///< `clustering.incremental.mode` = `local-sort`
  /// A partition that had no new file for so long is sorted whole.
  std::optional<std::chrono::milliseconds> history_idle = std::nullopt;
  std::int64_t history_limit = 5;  ///< so many of those at once

  /// Errors: kInvalidArgument for values that are none, and without columns.
  static Result<ClusteringOptions> FromOptions(const Options& options);

  /// That of incremental clustering: what is sorted locally is not sorted along a curve, as in Java.
  SortStrategy CompactionStrategy() const { return sorts_locally ? SortStrategy::kOrder : strategy; }
};

/// Whether compactions of the table sort rows bit by bit: an append table with `clustering.incremental`, which must not
/// have buckets whose rows keep their order.
Result<bool> ClustersIncrementally(const Table& table);

/// How the rows of a batch statement are sorted before they are written to the table: one without buckets that has
/// `clustering.columns`, and with `clustering.incremental` only if `clustering.incremental.optimize-write` is `true`.
Result<std::optional<ClusteringOptions>> ClusteringOfWrites(const Table& table);

}  // namespace braid
