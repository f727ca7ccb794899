#include "table/tag_removal.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "meta/line_upkeep.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "meta/tag_time.h"
#include "table/line_holdings.h"
#include "table/line_move.h"
#include "table/operation.h"
#include "table/read_lease.h"
#include "table/recoveries_internal.h"
#include "table/removed_roots.h"
#include "table/tag_correction.h"
#include "types/local_time.h"

namespace braid {

namespace {

constexpr const char* kPlanned = "PLANNED";
constexpr const char* kDeleting = "DELETING";

Json ArgsOf(const Line& line, const std::vector<Tag>& tags) {
  Json args;
  args.Add("lineId", line.id);
  Json::Array list;
  for (const Tag& tag : tags) {
    Json entry;
    entry.Add("name", tag.name);
    entry.Add("snapshot", PrintSnapshot(tag.snapshot));
    list.push_back(std::move(entry));
  }
  args.Add("tags", std::move(list));
  return args;
}

Result<std::vector<Tag>> TagsOf(const Json& args) {
  std::vector<Tag> tags;
  const Json* list = args.Find("tags");
  if (list == nullptr || !list->is_array()) return Error(ErrorCode::kCorruption, "it lists no tags");
  for (const Json& entry : list->as_array()) {
    BRAID_TRY_ASSIGN(const std::string name, entry.GetString("name"));
    BRAID_TRY_ASSIGN(const std::string text, entry.GetString("snapshot"));
    BRAID_TRY_ASSIGN(Snapshot snapshot, ParseSnapshot(text));
    tags.push_back({.name = name, .snapshot = std::move(snapshot), .create_time = {}, .time_retained = {}});
  }
  return tags;
}

Result<DoomedFiles> FilesOf(const std::vector<Tag>& tags, const Table& table, const TableLines& lines,
                            const Line& line) {
  std::vector<Snapshot> contents;
  std::set<std::string> names;
  for (const Tag& tag : tags) {
    names.insert(tag.name);
    const bool seen = std::any_of(contents.begin(), contents.end(),
                                  [&](const Snapshot& content) { return RefOf(content) == RefOf(tag.snapshot); });
    if (!seen) contents.push_back(tag.snapshot);
  }
  // A corrected tag has its files from another line, so its neighbours on this one do not tell who else needs them.
  if (std::any_of(contents.begin(), contents.end(), IsCorrectedTag)) {
    const SkippedTags skipped = [&](const Line& other, const std::string& tag) {
      return other.id == line.id && names.contains(tag);
    };
    return FilesOfContents(contents, skipped, table, lines);
  }
  return FilesOf(contents, names, table, lines, line);
}

Status RemoveTags(const Table& table, const std::vector<Tag>& tags) {
  for (const Tag& tag : tags) BRAID_TRY(DeleteTag(table.file_system(), table.paths(), tag.name));
  return Ok();
}

// Who reads a content that its snapshot does not keep any more.
Result<std::vector<std::string>> ReadersOf(const LockedTable& locked, const Line& line, const Tag& tag) {
  const Result<Snapshot> snapshot = ReadSnapshot(locked.fs(), line.paths, tag.snapshot.id);
  if (snapshot && RefOf(*snapshot) == RefOf(tag.snapshot)) return std::vector<std::string>();
  BRAID_TRY_ASSIGN(std::vector<LeaseRecord> leases, LiveLeases(locked.fs(), locked.root(), locked.NowMs()));
  std::vector<std::string> readers;
  for (LeaseRecord& lease : leases) {
    if (lease.line_id == line.id && std::find(lease.snapshots.begin(), lease.snapshots.end(), tag.snapshot.id) != lease.snapshots.end())
      readers.push_back(std::move(lease.owner));
  }
  return readers;
}

// What becomes of tags that somebody reads just now.
enum class WhenRead : std::uint8_t { kRefuse, kPassOver };

Status HeedReaders(const LockedTable& locked, const Line& line, WhenRead when_read, std::vector<Tag>& tags) {
  std::vector<Tag> unread;
  for (Tag& tag : tags) {
    BRAID_TRY_ASSIGN(const std::vector<std::string> readers, ReadersOf(locked, line, tag));
    if (readers.empty()) {
      unread.push_back(std::move(tag));
    } else if (when_read == WhenRead::kRefuse) {
      return Error(ErrorCode::kConflict, fmt::format("tag '{}' is read by {}", tag.name, Join(readers, ", ")))
          .Hint("wait for them");
    }
  }
  tags = std::move(unread);
  return Ok();
}

Result<TagRemoval> Remove(const Table& table, std::vector<Tag> tags, WhenRead when_read, const TagRemovalOptions& options,
                          const Clock& clock) {
  TagRemoval removal;
  OperationContext context = ContextOf(table);
  context.clock = &clock;
  context.lock_timeout = options.lock_timeout;
  if (tags.empty()) return removal;
  BRAID_TRY_ASSIGN(const LockedTable locked, LockedTable::Acquire(context));
  BRAID_TRY(MayMove(table, LineMove::kTag));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(table.file_system(), table.paths().root(), Inference::kSkip));
  BRAID_TRY_ASSIGN(const Line* line, LineAt(lines, table.paths()));
  const auto names_of = [](const std::vector<Tag>& named) {
    std::vector<std::string> names;
    for (const Tag& tag : named) names.push_back(tag.name);
    return names;
  };
  if (options.dry_run) {
    BRAID_TRY(HeedReaders(locked, *line, when_read, tags));
    BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOf(tags, table, lines, *line));
    removal.tags = names_of(tags);
    removal.files = files.Preview();
    return removal;
  }
  // Tags are written down before leases are read; a reader does it the other way round (spec branches.md §3.5).
  BRAID_TRY_ASSIGN(OperationJournal journal, locked.Begin("tag", kPlanned, ArgsOf(*line, tags)));
  const auto body = [&]() -> Status {
    BRAID_TRY(HeedReaders(locked, *line, when_read, tags));
    BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOf(tags, table, lines, *line));
    journal.state = kDeleting;
    journal.args = ArgsOf(*line, tags);
    BRAID_TRY(locked.Save(journal));
    // These hold also if a failure is put right by recovering.
    removal.tags = names_of(tags);
    removal.files = files.Count();
    BRAID_TRY(RemoveTags(table, tags));
    BRAID_TRY_ASSIGN(removal.files, files.Delete(options.progress));
    return Ok();
  };
  BRAID_TRY(RunJournalled(locked, journal, body));
  return removal;
}

// When a tag was made, on the process's clocks; by its file if it does not say.
Result<std::optional<std::int64_t>> CreatedLocalMs(const Table& table, const Tag& tag) {
  if (tag.create_time && tag.time_retained) {
    BRAID_TRY_ASSIGN(const LocalDateTime time, ParseLocalDateTime(*tag.create_time));
    return std::optional(time.seconds * 1000 + time.nanos / 1'000'000);
  }
  const Result<FileStatus> status = table.file_system().Stat(table.paths().TagFile(tag.name));
  if (status) return std::optional(ToLocalTime(status->modified_ms).millis);
  if (status.error().code() == ErrorCode::kNotFound) return std::optional<std::int64_t>();
  return status.error();
}

Result<bool> IsOver(const Table& table, const Tag& tag, std::int64_t now_local_ms,
                    std::optional<std::int64_t> older_than_local_ms) {
  const bool has_retention = tag.create_time && tag.time_retained;
  if (!has_retention && !older_than_local_ms) return false;
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> created, CreatedLocalMs(table, tag));
  if (!created) return false;
  if (older_than_local_ms && *created < *older_than_local_ms) return true;
  if (!has_retention) return false;
  BRAID_TRY_ASSIGN(const std::chrono::microseconds retained, ParseIsoDuration(*tag.time_retained));
  return std::chrono::milliseconds(now_local_ms - *created) > retained;
}

}  // namespace

Result<TagRemoval> DeleteTags(const Table& table, const std::vector<std::string>& names,
                              const TagRemovalOptions& options, const Clock& clock) {
  std::vector<Tag> tags;
  for (const std::string& name : names) {
    if (IsGuardTag(name)) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("tag '{}' protects a branch", name))
          .Id("tag.guard")
          .Hint("it goes when its branch is deleted");
    }
    Result<Tag> tag = ReadTag(table.file_system(), table.paths(), name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return std::move(tag).error();
    const bool seen = std::any_of(tags.begin(), tags.end(), [&](const Tag& other) { return other.name == name; });
    if (!seen) tags.push_back(*std::move(tag));
  }
  return Remove(table, std::move(tags), WhenRead::kRefuse, options, clock);
}

Result<TagRemoval> ExpireTags(const Table& table, std::optional<std::int64_t> older_than_ms,
                              const TagRemovalOptions& options, const Clock& clock) {
  const std::int64_t now_local_ms = ToLocalTime(clock.NowMs()).millis;
  std::optional<std::int64_t> older_than_local_ms;
  if (older_than_ms) older_than_local_ms = ToLocalTime(*older_than_ms).millis;
  BRAID_TRY_ASSIGN(const std::vector<std::string> names, ListTags(table.file_system(), table.paths()));
  std::vector<Tag> over;
  for (const std::string& name : names) {
    if (IsGuardTag(name)) continue;
    Result<Tag> tag = ReadTag(table.file_system(), table.paths(), name);
    if (!tag && tag.error().code() == ErrorCode::kNotFound) continue;
    if (!tag) return std::move(tag).error();
    BRAID_TRY_ASSIGN(const bool is_over, IsOver(table, *tag, now_local_ms, older_than_local_ms));
    if (is_over) over.push_back(*std::move(tag));
  }
  return Remove(table, std::move(over), WhenRead::kPassOver, options, clock);
}

Result<Recovered> RecoverTagRemoval(const LockedTable& locked, const OperationJournal& journal) {
  if (journal.state == kPlanned) return Recovered::kUndone;
  BRAID_TRY_ASSIGN(std::vector<Tag> tags, TagsOf(journal.args).Context("while reading the journal of deleting tags"));
  BRAID_TRY_ASSIGN(const std::string line_id, journal.args.GetString("lineId"));
  BRAID_TRY_ASSIGN(const TableLines lines, ListLines(locked.fs(), locked.root().root(), Inference::kSkip));
  const Line* line = lines.FindById(line_id);
  if (line == nullptr || tags.empty()) return Recovered::kCompleted;
  BRAID_TRY_ASSIGN(const Table table, Table::Open(locked.context().file_system, locked.root().root(),
                                                  locked.context().table_name, line->paths.branch()));
  // A tag of the name that somebody made since is another one.
  std::vector<Tag> present;
  for (const Tag& tag : tags) {
    const Result<Tag> now = ReadTag(table.file_system(), table.paths(), tag.name);
    if (!now && now.error().code() != ErrorCode::kNotFound) return now.error();
    if (now && RefOf(now->snapshot) == RefOf(tag.snapshot)) present.push_back(tag);
  }
  BRAID_TRY(RemoveTags(table, present));
  // None of the journal's tags is left to be excepted from what holds files.
  for (Tag& tag : tags) tag.name.clear();
  BRAID_TRY_ASSIGN(const DoomedFiles files, FilesOf(tags, table, lines, *line));
  BRAID_TRY(files.Delete({}));
  return Recovered::kCompleted;
}

}  // namespace braid
