#include "table/tag_change.h"

#include <utility>

#include <fmt/format.h>

#include "meta/line_upkeep.h"
#include "meta/stores.h"
#include "meta/tag_time.h"
#include "table/line_move.h"
#include "table/lines.h"
#include "table/operation.h"
#include "table/tag_period.h"
#include "table/time_travel.h"
#include "types/date_time.h"
#include "types/local_time.h"

namespace braid {

namespace {

Status RefuseGuardTag(const std::string& name) {
  if (!IsGuardTag(name)) return Ok();
  return Error(ErrorCode::kInvalidArgument, fmt::format("tag '{}' protects a branch", name))
      .Id("tag.guard")
      .Hint("it comes and goes with its branch; choose another name");
}

// An automatic tag's name is taken by hand only for snapshots that have none, as in Java.
Status RefuseSecondAutomaticTag(const Table& table, const NewTag& tag) {
  BRAID_TRY_ASSIGN(const TagClock tag_clock, TagClock::FromOptions(table.options()));
  if (tag_clock.kind() != TagClock::Kind::kProcessTime && tag_clock.kind() != TagClock::Kind::kWatermark) return Ok();
  BRAID_TRY_ASSIGN(const TagPeriod period, TagPeriod::FromOptions(table.options()));
  if (!period.TimeOf(tag.name)) return Ok();
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(table.file_system(), table.paths()));
  for (const std::string& name : names) {
    if (name == tag.name || !period.TimeOf(name)) continue;
    const Result<Tag> other = ReadTag(table.file_system(), table.paths(), name);
    if (!other && other.error().code() == ErrorCode::kNotFound) continue;
    if (!other) return other.error();
    if (other->snapshot.id == tag.snapshot.id) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("snapshot {} already has the automatic tag '{}'", tag.snapshot.id, name))
          .Hint(fmt::format("choose a name that is not of the form of '{}'", name));
    }
  }
  return Ok();
}

Tag TagOf(const NewTag& tag, const std::optional<std::chrono::milliseconds>& retained, const Clock& clock) {
  Tag made{.name = tag.name, .snapshot = tag.snapshot, .create_time = {}, .time_retained = {}};
  // Without a retention Paimon writes neither key, so that old versions can read the tag.
  if (!retained) return made;
  const std::int64_t local_ms = ToLocalTime(clock.NowMs()).millis;
  made.create_time = FormatLocalDateTime({.seconds = FloorDivide(local_ms, 1000),
                                          .nanos = static_cast<std::int32_t>(FloorModulo(local_ms, 1000) * 1'000'000)});
  made.time_retained = FormatIsoDuration(*retained);
  return made;
}

Result<std::optional<std::chrono::milliseconds>> DefaultRetention(const Table& table) {
  if (!table.options().Has("tag.default-time-retained")) return std::optional<std::chrono::milliseconds>();
  BRAID_TRY_ASSIGN(const auto retained, table.options().GetDuration("tag.default-time-retained", {}));
  return std::optional(retained);
}

// A snapshot may expire between being read and being tagged; what it names is then gone.
Status CheckStillThere(const Table& table, const Snapshot& snapshot) {
  for (const std::string* list : {&snapshot.base_manifest_list, &snapshot.delta_manifest_list}) {
    BRAID_TRY_ASSIGN(const bool exists, table.file_system().Exists(table.paths().ManifestFile(*list)));
    if (!exists) {
      return Error(ErrorCode::kNotFound, fmt::format("snapshot {} of {} expired meanwhile", snapshot.id, table.name()))
          .Hint("choose a newer one");
    }
  }
  return Ok();
}

Result<LockedTable> LockForTags(const Table& table, std::chrono::milliseconds timeout) {
  OperationContext context = ContextOf(table);
  context.lock_timeout = timeout;
  BRAID_TRY_ASSIGN(LockedTable locked, LockedTable::Acquire(context));
  BRAID_TRY(MayMove(table, LineMove::kTag));
  return locked;
}

}  // namespace

Result<Tag> CreateTag(const Table& table, const NewTag& tag, const Clock& clock) {
  FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const LockedTable locked, LockForTags(table, tag.lock_timeout));
  BRAID_TRY(RefuseGuardTag(tag.name));
  BRAID_TRY(RefuseSecondAutomaticTag(table, tag));
  std::optional<std::chrono::milliseconds> retained = tag.time_retained;
  if (!retained) {
    BRAID_TRY_ASSIGN(retained, DefaultRetention(table));
  }
  Tag made = TagOf(tag, retained, clock);
  const Status written = WriteTag(fs, table.paths(), made);
  if (!written && written.error().code() == ErrorCode::kAlreadyExists && tag.ignore_if_exists) {
    return ReadTag(fs, table.paths(), tag.name);
  }
  BRAID_TRY(written);
  if (Status there = CheckStillThere(table, tag.snapshot); !there) {
    BRAID_TRY(DeleteTag(fs, table.paths(), tag.name));
    return std::move(there).error();
  }
  return made;
}

Result<Tag> MoveTag(const Table& table, const NewTag& tag, const Clock& clock) {
  FileSystem& fs = table.file_system();
  BRAID_TRY_ASSIGN(const LockedTable locked, LockForTags(table, tag.lock_timeout));
  BRAID_TRY(RefuseGuardTag(tag.name));
  BRAID_TRY(ReadExistingTag(fs, table.paths(), tag.name));
  BRAID_TRY(RefuseSecondAutomaticTag(table, tag));
  BRAID_TRY(CheckStillThere(table, tag.snapshot));
  Tag made = TagOf(tag, tag.time_retained, clock);
  BRAID_TRY(ReplaceTag(fs, table.paths(), made));
  return made;
}

Status RenameTag(const Table& table, const std::string& from, const std::string& to) {
  BRAID_TRY(RefuseGuardTag(from));
  BRAID_TRY(RefuseGuardTag(to));
  BRAID_TRY_ASSIGN(const LockedTable locked, LockForTags(table, kTagLockTimeout));
  BRAID_TRY(ReadExistingTag(table.file_system(), table.paths(), from));
  return RenameTag(table.file_system(), table.paths(), from, to);
}

}  // namespace braid
