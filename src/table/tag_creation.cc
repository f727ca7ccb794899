#include "table/tag_creation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "meta/stores.h"
#include "meta/tag_time.h"
#include "table/lines.h"
#include "table/maintenance_mode.h"
#include "table/tag_change.h"
#include "table/tag_period.h"
#include "table/tag_removal.h"
#include "types/date_time.h"

namespace braid {

namespace {

struct NamedSnapshot {
  SnapshotId id;
  std::string name;

  friend auto operator<=>(const NamedSnapshot&, const NamedSnapshot&) = default;
};

// Tags by snapshot, those whose names `accepts` wants.
template <typename Accepts>
Result<std::vector<NamedSnapshot>> TagsById(const Table& table, const Accepts& accepts) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(table.file_system(), table.paths()));
  std::vector<NamedSnapshot> tags;
  for (const std::string& name : names) {
    if (!accepts(name)) continue;
    const Result<Tag> tag = ReadTag(table.file_system(), table.paths(), name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return tag.error();
    tags.push_back({tag->snapshot.id, name});
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

// The oldest go, as far as there are more than `tag.num-retained-max`.
template <typename Accepts>
Status KeepNewest(const Table& table, const Accepts& accepts, const Clock& clock,
                  std::chrono::milliseconds lock_timeout) {
  // While Braid alone maintains a table, the option is for other engines (spec branches.md §5.8).
  const bool exclusive = IsMaintainedExclusively(table.options());
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> most,
                   table.options().FindInt(exclusive ? "braid.tag.num-retained-max" : "tag.num-retained-max"));
  if (!most) return Ok();
  BRAID_TRY_ASSIGN(const std::vector<NamedSnapshot> tags, TagsById(table, accepts));
  std::vector<std::string> surplus;
  for (std::size_t i = 0; i + static_cast<std::size_t>(std::max<std::int64_t>(*most, 0)) < tags.size(); ++i)
    surplus.push_back(tags[i].name);
  if (surplus.empty()) return Ok();
  BRAID_TRY(DeleteTags(table, surplus, {.lock_timeout = lock_timeout}, clock));
  return Ok();
}

class AutomaticTags {
 public:
  AutomaticTags(const Table& table, TagPeriod period, TagClock tag_clock, const Clock& clock,
                std::chrono::milliseconds lock_timeout)
      : table_(table),
        period_(period),
        tag_clock_(std::move(tag_clock)),
        clock_(clock),
        lock_timeout_(lock_timeout) {}

  Result<std::vector<std::string>> Run() {
    BRAID_TRY_ASSIGN(const auto delay,
                     table_.options().GetDuration("tag.creation-delay", std::chrono::milliseconds(0)));
    if (delay.count() >= period_.length_ms()) {
      return Error(ErrorCode::kInvalidArgument, "option 'tag.creation-delay' is not shorter than the period of tags")
          .Hint("make it shorter");
    }
    delay_ms_ = delay.count();
    BRAID_TRY_ASSIGN(completes_, table_.options().GetBool("tag.automatic-completion", false));
    BRAID_TRY_ASSIGN(SnapshotId next, Restore());
    BRAID_TRY_ASSIGN(const std::optional<SnapshotRange> range,
                     FindSnapshotRange(table_.file_system(), table_.paths()));
    if (!range) return made_;
    for (next = std::max(next, range->earliest); next <= range->latest; next = next.next()) {
      const Result<Snapshot> snapshot = ReadSnapshot(table_.file_system(), table_.paths(), next);
      if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound) continue;  // expired meanwhile
      if (!snapshot) return snapshot.error();
      BRAID_TRY(Visit(*snapshot));
    }
    return made_;
  }

 private:
  bool IsAutomatic(const std::string& name) const { return period_.TimeOf(name).has_value(); }

  // Goes on behind the newest automatic tag; returns the first snapshot to look at.
  Result<SnapshotId> Restore() {
    BRAID_TRY_ASSIGN(const std::vector<NamedSnapshot> tags,
                     TagsById(table_, [&](const std::string& name) { return IsAutomatic(name); }));
    if (tags.empty()) return SnapshotId(1);
    next_tag_ = *period_.TimeOf(tags.back().name) + period_.length_ms();
    return tags.back().id.next();
  }

  Status Visit(const Snapshot& snapshot) {
    BRAID_TRY_ASSIGN(const std::optional<std::int64_t> time, tag_clock_.LocalTimeOf(snapshot));
    if (!time) return Ok();
    if (next_tag_ && *time - delay_ms_ < *next_tag_ + period_.length_ms()) return Ok();
    const std::int64_t this_tag = completes_ && next_tag_ ? *next_tag_ : period_.LastComplete(*time);
    const std::string name = period_.NameAt(this_tag);
    const NewTag tag{.name = name,
                     .snapshot = snapshot,
                     .time_retained = {},
                     .ignore_if_exists = true,
                     .lock_timeout = lock_timeout_};
    BRAID_TRY(CreateTag(table_, tag, clock_));
    Log(LogLevel::kInfo, "tag created", fmt::format("table={} tag={} snapshot={}", table_.name(), name, snapshot.id));
    made_.push_back(name);
    next_tag_ = this_tag + period_.length_ms();
    return KeepNewest(
        table_, [&](const std::string& other) { return IsAutomatic(other); }, clock_, lock_timeout_);
  }

  const Table& table_;
  const TagPeriod period_;
  const TagClock tag_clock_;
  const Clock& clock_;
  const std::chrono::milliseconds lock_timeout_;
  std::int64_t delay_ms_ = 0;
  bool completes_ = false;
  std::optional<std::int64_t> next_tag_;  // local time
  std::vector<std::string> made_;
};

}  // namespace

Result<std::vector<std::string>> CreateAutomaticTags(const Table& table, const Clock& clock,
                                                     std::chrono::milliseconds lock_timeout) {
  BRAID_TRY_ASSIGN(TagClock tag_clock, TagClock::FromOptions(table.options()));
  if (tag_clock.kind() != TagClock::Kind::kProcessTime && tag_clock.kind() != TagClock::Kind::kWatermark) {
    return std::vector<std::string>();
  }
  BRAID_TRY_ASSIGN(const TagPeriod period, TagPeriod::FromOptions(table.options()));
  return AutomaticTags(table, period, std::move(tag_clock), clock, lock_timeout).Run();
}

Status CreateBatchTag(const Table& table, const Clock& clock, std::chrono::milliseconds lock_timeout) {
  BRAID_TRY_ASSIGN(const TagClock tag_clock, TagClock::FromOptions(table.options()));
  if (tag_clock.kind() != TagClock::Kind::kBatch) return Ok();
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return Ok();
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> time, tag_clock.LocalTimeOf(*snapshot));
  const CalendarTime day =
      ToCalendarTime({.seconds = FloorDivide(time.value_or(snapshot->time_millis), 1000), .nanos = 0});
  const std::string name = table.options().Get(
      "tag.batch.customized-name", fmt::format("batch-write-{:04}-{:02}-{:02}", day.year, day.month, day.day));
  BRAID_TRY(DeleteTags(table, {name}, {.lock_timeout = lock_timeout}, clock));
  const NewTag tag{.name = name,
                   .snapshot = *snapshot,
                   .time_retained = {},
                   .ignore_if_exists = false,
                   .lock_timeout = lock_timeout};
  BRAID_TRY(CreateTag(table, tag, clock));
  return KeepNewest(
      table, [](const std::string& other) { return !IsGuardTag(other); }, clock, lock_timeout);
}

}  // namespace braid
