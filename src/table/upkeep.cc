#include "table/upkeep.h"

#include <chrono>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "table/consumer_upkeep.h"
#include "table/expire.h"
#include "table/maintenance_mode.h"
#include "table/partition_expiry.h"
#include "table/tag_creation.h"
#include "table/tag_removal.h"

namespace braid {

namespace {

constexpr std::chrono::milliseconds kNoWait{0};

class Upkeep {
 public:
  Upkeep(const Table& table, bool is_batch, const Clock& clock) : table_(table), is_batch_(is_batch), clock_(clock) {}

  void Run() {
    Warn("tags not created", CreateTags());
    Warn("tags not expired", RemoveTags());
    Warn("partitions not expired", ExpirePartitionsIfDue(table_, is_batch_, clock_));
    Warn("consumers not expired", RemoveConsumers());
    Warn("snapshots not expired", RemoveSnapshots());
  }

 private:
  void Warn(std::string_view what, const Status& status) const {
    // Somebody else maintains the table just now: the next commit will.
    if (!status && status.error().code() == ErrorCode::kUnavailable) return;
    if (!status)
      Log(LogLevel::kWarning, what, fmt::format("table={} error={}", table_.name(), status.error().message()));
  }

  Status CreateTags() const {
    BRAID_TRY(CreateAutomaticTags(table_, clock_, kNoWait));
    return is_batch_ ? CreateBatchTag(table_, clock_) : Ok();
  }

  Status RemoveTags() const {
    // While Braid alone maintains a table, the option is for other engines (spec branches.md §5.8).
    const bool exclusive = IsMaintainedExclusively(table_.options());
    BRAID_TRY_ASSIGN(
        const bool enabled,
        table_.options().GetBool(exclusive ? "braid.tag.time-expire-enabled" : "tag.time-expire-enabled", true));
    if (enabled)
      BRAID_TRY(ExpireTags(table_, std::nullopt, {.dry_run = false, .progress = {}, .lock_timeout = kNoWait}, clock_));
    return Ok();
  }

  Status RemoveConsumers() const {
    if (!table_.options().Has("consumer.expiration-time")) return Ok();
    BRAID_TRY_ASSIGN(const auto age, table_.options().GetDuration("consumer.expiration-time", {}));
    BRAID_TRY(ExpireConsumers(table_, clock_.NowMs() - age.count()));
    return Ok();
  }

  Status RemoveSnapshots() const {
    BRAID_TRY_ASSIGN(ExpireRequest request, ExpireRequest::FromOptions(table_.options(), clock_.NowMs()));
    request.lock_timeout = kNoWait;
    BRAID_TRY_ASSIGN(const ExpireResult snapshots, ExpireSnapshots(table_, request, clock_));
    if (snapshots.expired > 0) {
      Log(LogLevel::kInfo, "snapshots expired",
          fmt::format("table={} count={} earliest={} files={}", table_.name(), snapshots.expired, snapshots.end,
                      snapshots.files.data_files + snapshots.files.metadata_files));
    }
    if (!request.keep_changelogs) return Ok();
    BRAID_TRY(ExpireChangelogs(table_, request, false, clock_));
    return Ok();
  }

  const Table& table_;
  const bool is_batch_;
  const Clock& clock_;
};

// The thread of tables that are not to wait for their upkeep; ends with the process, when all is done.
ThreadPool& UpkeepThread() {
  static ThreadPool thread(1);
  return thread;
}

}  // namespace

void MaintainAfterCommit(const Table& table, bool is_batch, const Clock& clock) {
  const Result<bool> write_only = table.options().GetBool("write-only", false);
  if (!write_only || *write_only) return;
  // As in Java a batch job waits in any case.
  if (is_batch || ToLower(table.options().Get("snapshot.expire.execution-mode", "sync")) != "async") {
    Upkeep(table, is_batch, clock).Run();
    return;
  }
  UpkeepThread().Submit([table, now_ms = clock.NowMs()] { Upkeep(table, false, ManualClock(now_ms)).Run(); });
}

}  // namespace braid
