#include "table/clustering_options.h"

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"

namespace braid {

namespace {

// The option under its name of today or its older one.
std::string GetRenamed(const Options& options, std::string_view name, std::string_view older, std::string_view fallback) {
  return options.Get(name, options.Get(older, fallback));
}

Result<SortStrategy> StrategyOf(const std::string& name, std::size_t columns) {
  if (name != "auto") return ParseSortStrategy(name).Context("in option 'clustering.strategy'");
  if (columns == 1) return SortStrategy::kOrder;
  return columns < 5 ? SortStrategy::kZOrder : SortStrategy::kHilbert;
}

}  // namespace

std::vector<std::string> ClusteringColumns(const Options& options) {
  const std::string names = GetRenamed(options, "clustering.columns", "sink.clustering.by-columns", "");
  return names.empty() ? std::vector<std::string>() : ParseList(names);
}

Result<ClusteringOptions> ClusteringOptions::FromOptions(const Options& options) {
  ClusteringOptions clustering{.columns = ClusteringColumns(options)};
  if (clustering.columns.empty()) {
    return Error(ErrorCode::kInvalidArgument, "'clustering.incremental' is 'true', but 'clustering.columns' is not set")
        .Hint("set it to the columns that queries filter by");
  }
  const std::string strategy = GetRenamed(options, "clustering.strategy", "sink.clustering.strategy", "auto");
  BRAID_TRY_ASSIGN(clustering.strategy, StrategyOf(strategy, clustering.columns.size()));
  const std::string mode = ToLower(options.Get("clustering.incremental.mode", "global-sort"));
  clustering.sorts_locally = mode == "local-sort";
  if (!clustering.sorts_locally && mode != "global-sort") {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("option 'clustering.incremental.mode' is '{}', which is neither global-sort nor local-sort",
                             mode));
  }
  if (options.Has("clustering.history-partition.idle-to-full-sort")) {
    BRAID_TRY_ASSIGN(clustering.history_idle, options.GetDuration("clustering.history-partition.idle-to-full-sort", {}));
  }
  BRAID_TRY_ASSIGN(clustering.history_limit, options.GetInt("clustering.history-partition.limit", 5));
  return clustering;
}

Result<bool> ClustersIncrementally(const Table& table) {
  BRAID_TRY_ASSIGN(const bool incremental, table.options().GetBool("clustering.incremental", false));
  if (!incremental || table.schema().has_primary_key()) return false;
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  if (buckets == -1) return true;
  BRAID_TRY_ASSIGN(const bool ordered, table.options().GetBool("bucket-append-ordered", true));
  BRAID_TRY_ASSIGN(const bool vectors, table.options().GetBool("deletion-vectors.enabled", false));
  return !ordered && !vectors;
}

Result<std::optional<ClusteringOptions>> ClusteringOfWrites(const Table& table) {
  const Options& options = table.options();
  BRAID_TRY_ASSIGN(const bool incremental, options.GetBool("clustering.incremental", false));
  BRAID_TRY_ASSIGN(const bool optimizes, options.GetBool("clustering.incremental.optimize-write", false));
  BRAID_TRY_ASSIGN(const std::int64_t buckets, options.GetInt("bucket", -1));
  if (table.schema().has_primary_key() || buckets != -1 || (incremental && !optimizes) ||
      ClusteringColumns(options).empty()) {
    return std::optional<ClusteringOptions>();
  }
  BRAID_TRY_ASSIGN(ClusteringOptions clustering, ClusteringOptions::FromOptions(options));
  return std::optional(std::move(clustering));
}

}  // namespace braid
