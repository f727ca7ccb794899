#include <algorithm>
#include <chrono>

#include "table/expire.h"
#include "table/maintenance_mode.h"

namespace braid {

namespace {

// While Braid alone maintains a table, the options that other engines obey say "keep all", and Braid's own copies hold
// what is meant (spec branches.md §5.8).
Result<std::int64_t> NumberOf(const Options& options, const std::string& key, std::int64_t fallback) {
  const bool exclusive = IsMaintainedExclusively(options);
  return options.GetInt(exclusive ? "braid." + key : key, fallback);
}

}  // namespace

Result<ExpireRequest> ExpireRequest::FromOptions(const Options& options, std::int64_t now_ms) {
  ExpireRequest request;
  Retention& snapshots = request.snapshots;
  BRAID_TRY_ASSIGN(snapshots.retain_min, NumberOf(options, "snapshot.num-retained.min", 10));
  BRAID_TRY_ASSIGN(snapshots.retain_max, NumberOf(options, "snapshot.num-retained.max", snapshots.retain_max));
  BRAID_TRY_ASSIGN(const auto snapshot_time, options.GetDuration("snapshot.time-retained", std::chrono::hours(1)));
  BRAID_TRY_ASSIGN(snapshots.max_deletes, options.GetInt("snapshot.expire.limit", 50));
  snapshots.older_than_ms = now_ms - snapshot_time.count();

  Retention& changelogs = request.changelogs;
  BRAID_TRY_ASSIGN(changelogs.retain_min, NumberOf(options, "changelog.num-retained.min", snapshots.retain_min));
  BRAID_TRY_ASSIGN(changelogs.retain_max, NumberOf(options, "changelog.num-retained.max", snapshots.retain_max));
  BRAID_TRY_ASSIGN(const auto changelog_time, options.GetDuration("changelog.time-retained", snapshot_time));
  changelogs.max_deletes = snapshots.max_deletes;
  changelogs.older_than_ms = now_ms - changelog_time.count();

  request.keep_changelogs = changelogs.retain_max > snapshots.retain_max || changelog_time > snapshot_time ||
                            changelogs.retain_min > snapshots.retain_min;
  BRAID_TRY_ASSIGN(const bool changelog_only, options.GetBool("consumer.changelog-only", false));
  request.consumers_hold_snapshots = !(changelog_only && request.keep_changelogs);
  return request;
}

}  // namespace braid
