// Expiry of snapshots: which go, and how they go (spec metadata.md §9.1, branches.md §10).

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "io/request_pool.h"
#include "meta/stores.h"
#include "table/expire.h"
#include "table/expiry_run_internal.h"
#include "table/line_holdings.h"
#include "table/operation.h"

namespace braid {

namespace {

// Bounds one journalled step, and so its memory.
constexpr std::int64_t kSnapshotsAStep = 20'000;
constexpr std::int64_t kSnapshotsAtOnce = 512;

// Ids below `end` go, from the earliest on.
struct Choice {
  std::optional<SnapshotId> earliest;  // of the line; nullopt: it has none
  SnapshotId latest;                   // of the line
  SnapshotId end;
  bool has_earliest_hint = false;

  bool is_empty() const { return !earliest || end <= *earliest; }
};

Result<SnapshotId> MinConsumer(const Table& table) {
  SnapshotId least(std::numeric_limits<std::int64_t>::max());
  BRAID_TRY_ASSIGN(const std::vector<Consumer> consumers, ListConsumers(table.file_system(), table.paths()));
  for (const Consumer& consumer : consumers) least = std::min(least, consumer.next_snapshot);
  return least;
}

// Snapshots of ids `first` … `last` − 1 that exist, ascending.
Result<std::vector<Snapshot>> ReadRange(const Table& table, SnapshotId first, SnapshotId last) {
  std::vector<SnapshotId> ids;
  for (SnapshotId id = first; id < last; id = id.next()) ids.push_back(id);
  return ReadSnapshots(table.file_system(), table.paths(), ids);
}

// The choice by numbers and consumers; age comes after.
Result<Choice> ChooseByNumber(const Table& table, const ExpireRequest& request) {
  const Retention& keep = request.snapshots;
  if (keep.retain_max < keep.retain_min) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("at most {} snapshots are to be retained, but at least {}",
                                                          keep.retain_max, keep.retain_min))
        .Hint("set snapshot.num-retained.max (retain_max) no lower than snapshot.num-retained.min (retain_min)");
  }
  BRAID_TRY_ASSIGN(const std::optional<SnapshotRange> range, FindSnapshotRange(table.file_system(), table.paths()));
  if (!range) return Choice{};
  std::int64_t end = range->latest.value() - std::max<std::int64_t>(keep.retain_min, 1) + 1;
  end = std::min(end, range->earliest.value() + keep.max_deletes);
  if (end > range->earliest.value() && request.consumers_hold_snapshots) {
    BRAID_TRY_ASSIGN(const SnapshotId consumer, MinConsumer(table));
    end = std::min(end, consumer.value());
  }
  return Choice{.earliest = range->earliest, .latest = range->latest, .end = SnapshotId(end), .has_earliest_hint = range->has_earliest_hint};
}

// Takes back what is too young. Ids below latest − retain_max + 1 go whatever their age.
Status ChooseByAge(const Table& table, const ExpireRequest& request, Choice& choice) {
  if (choice.is_empty()) return Ok();
  const Retention& keep = request.snapshots;
  SnapshotId id(std::max(choice.latest.value() - keep.retain_max + 1, choice.earliest->value()));
  // Usually the first one decides, so begin with few.
  for (std::int64_t count = 1; id < choice.end; count = std::min<std::int64_t>(count * 2, kSnapshotsAtOnce)) {
    const SnapshotId last(std::min(id.value() + count, choice.end.value()));
    BRAID_TRY_ASSIGN(const std::vector<Snapshot> snapshots, ReadRange(table, id, last));
    for (const Snapshot& snapshot : snapshots) {
      if (snapshot.time_millis < keep.older_than_ms) continue;
      choice.end = std::min(choice.end, snapshot.id);
      return Ok();
    }
    id = last;
  }
  return Ok();
}

// One journalled step under the lock.
Result<ExpireResult> ExpireOnce(const LockedTable& locked, const Table& table, const ExpireRequest& request) {
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* line, LineAt(lines, table.paths()));
  if (line->is_retired()) return ExpireResult{};  // kept whole until its grace time is over
  BRAID_TRY_ASSIGN(Choice choice, ChooseByNumber(table, request));
  BRAID_TRY(ChooseByAge(table, request, choice));
  if (choice.is_empty()) return ExpireResult{};
  const SnapshotId first = *choice.earliest;
  choice.end = std::min(choice.end, SnapshotId(first.value() + kSnapshotsAStep));
  ExpiredRange range{
      .snapshots = {}, .end = choice.end, .are_changelogs = false, .keep_changelogs = request.keep_changelogs};
  BRAID_TRY_ASSIGN(range.snapshots, ReadRange(table, first, choice.end));
  return RunExpiry({.locked = locked, .table = table, .lines = lines, .line = *line}, std::move(range), request);
}

}  // namespace

Result<ExpireResult> ExpireSnapshots(const Table& table, const ExpireRequest& request, const Clock& clock) {
  ExpireResult all;
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  context.lock_timeout = request.lock_timeout;
  Choice choice;
  bool recovered = false;
  const auto choose = [&]() -> Status {
    BRAID_TRY_ASSIGN(choice, ChooseByNumber(table, request));
    return Ok();
  };
  const std::array<std::function<Status()>, 2> looks = {[&]() -> Status {
                                                          recovered = !request.dry_run && RecoverOnOpen(context);
                                                          return Ok();
                                                        },
                                                        choose};
  const Status chosen = CallTogether(table.file_system(), looks);
  BRAID_TRY(recovered ? choose() : chosen);
  BRAID_TRY(ChooseByAge(table, request, choice));
  if (choice.is_empty()) {
    if (!choice.earliest || request.dry_run) return all;
    // So that the earliest need not be looked for the next time, as Java does.
    if (!choice.has_earliest_hint) BRAID_TRY(WriteEarliestHint(table.file_system(), table.paths(), *choice.earliest));
    return all;
  }
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  ExpireRequest left = request;
  for (;;) {
    BRAID_TRY_ASSIGN(const ExpireResult step, ExpireOnce(locked, table, left));
    if (step.expired == 0) return all;
    if (all.expired == 0) all.first = step.first;
    all.end = step.end;
    all.expired += step.expired;
    all.files += step.files;
    left.snapshots.max_deletes -= step.expired;
    if (request.dry_run || left.snapshots.max_deletes <= 0) return all;
  }
}

}  // namespace braid
