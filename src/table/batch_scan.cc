// Plans of batch reads.

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "base/text.h"
#include "io/request_pool.h"
#include "meta/stores.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"
#include "table/row_tracking.h"
#include "table/scan.h"
#include "table/reader_line.h"
#include "table/snapshot_hold.h"
#include "table/split_generator.h"
#include "table/tag_period.h"
#include "table/time_travel.h"

namespace braid {

namespace {

// Merge-on-write tables and first-row tables show rows only after their compaction (spec data.md §7.1).
Result<bool> SkipsLevelZero(const Table& table) {
  if (!table.schema().has_primary_key()) return false;
  BRAID_TRY_ASSIGN(const bool vectors, table.options().GetBool("deletion-vectors.enabled", false));
  BRAID_TRY_ASSIGN(const bool merge_on_read, table.options().GetBool("deletion-vectors.merge-on-read", false));
  return (vectors && !merge_on_read) || table.options().Get("merge-engine", "") == "first-row";
}

// Which of a snapshot's files a batch read takes.
struct FileChoice {
  std::optional<std::int32_t> level;  // key tables only
  std::int64_t created_since_ms = std::numeric_limits<std::int64_t>::min();
};

Result<Plan> PlanSnapshot(const Table& table, const FileScan& scan, const Snapshot& snapshot, const FileChoice& choice) {
  BRAID_TRY_ASSIGN(FilesByBucket files, scan.Files(snapshot));
  BRAID_TRY_ASSIGN(const bool skip_level_zero, SkipsLevelZero(table));
  const bool by_time = choice.created_since_ms != std::numeric_limits<std::int64_t>::min();
  if (skip_level_zero || choice.level || by_time) {
    files.EraseIf([&](const ScannedFile& file) {
      return (skip_level_zero && file.level == 0) || (choice.level && file.level != *choice.level) ||
             (by_time && file.meta->creation_time_ms.value_or(0) < choice.created_since_ms);
    });
  }
  Plan plan{.snapshot = snapshot.id, .watermark = snapshot.watermark, .splits = {}};
  BRAID_TRY_ASSIGN(plan.splits, GenerateBatchSplits(table, std::move(files)));
  BRAID_TRY_ASSIGN(const DeletionVectorIndex vectors, DeletionVectorIndex::Read(table, snapshot));
  for (DataSplit& split : plan.splits) split.deletion_vectors = vectors.Find(split.partition, split.bucket, split.files);
  return plan;
}

// The two ends of an incremental read: changes after `start` up to `end`.
struct Range {
  SnapshotId start;
  SnapshotId end;
  std::optional<Snapshot> start_snapshot;  // of tags, whose snapshots may have expired
  std::optional<Snapshot> end_snapshot;
  bool between_tags = false;
  bool to_auto_tag = false;  // Java takes the difference whatever the mode
};

Error BadRange(const std::string& text, std::string_view why) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("incremental-between '{}': {}", text, why))
      .Hint("give two snapshot ids or two tags, as in 'incremental-between'='3,7': changes after 3 up to 7");
}

Result<Range> RangeOfIds(const Table& table, const std::string& text, std::int64_t start, std::int64_t end) {
  if (end < start) return BadRange(text, "the end lies before the start");
  BRAID_TRY_ASSIGN(const std::optional<SnapshotRange> range, FindSnapshotRange(table.file_system(), table.paths()));
  if (!range) return BadRange(text, "the table has no snapshots");
  if (start < range->earliest.value() - 1 || end > range->latest.value()) {
    return Error(ErrorCode::kNotFound, fmt::format("incremental-between '{}' reaches outside the snapshots {} to {}", text, range->earliest, range->latest));
  }
  return Range{.start = SnapshotId(start), .end = SnapshotId(end), .start_snapshot = {}, .end_snapshot = {}, .between_tags = false};
}

Result<Range> RangeOfBetween(const Table& table, const std::string& text) {
  const std::vector<std::string> ends = ParseList(text);
  if (ends.size() != 2) return BadRange(text, "two ends are needed");
  const std::string& first = ends[0];
  const std::string& second = ends[1];
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(table.file_system(), table.paths()));
  const auto is_tag = [&](const std::string& name) { return std::find(tags.begin(), tags.end(), name) != tags.end(); };
  if (is_tag(first) && is_tag(second)) {
    BRAID_TRY_ASSIGN(Tag start, ReadTag(table.file_system(), table.paths(), first));
    BRAID_TRY_ASSIGN(Tag end, ReadTag(table.file_system(), table.paths(), second));
    if (end.snapshot.id < start.snapshot.id) return BadRange(text, "the end lies before the start");
    BRAID_TRY_ASSIGN(const bool to_snapshots, table.options().GetBool("incremental-between-tag-to-snapshot", false));
    return Range{.start = start.snapshot.id, .end = end.snapshot.id, .start_snapshot = std::move(start.snapshot),
                 .end_snapshot = std::move(end.snapshot), .between_tags = !to_snapshots};
  }
  const auto start = ParseInt64(first);
  const auto end = ParseInt64(second);
  if (!start || !end) return BadRange(text, "an end is neither a tag nor a snapshot id");
  return RangeOfIds(table, text, *start, *end);
}

Result<std::int64_t> TimeOf(const std::string& text) {
  const std::string trimmed(Trim(text));
  if (const auto millis = ParseInt64(trimmed)) return *millis;
  return ScanTimestamp(Options({{"scan.timestamp", trimmed}}));
}

Result<std::optional<Range>> RangeOfTimes(const Table& table, const std::string& text) {
  const std::vector<std::string> ends = Split(text, ',');
  if (ends.size() != 2) return BadRange(text, "two times are needed");
  BRAID_TRY_ASSIGN(const std::int64_t start_ms, TimeOf(ends[0]));
  BRAID_TRY_ASSIGN(const std::int64_t end_ms, TimeOf(ends[1]));
  BRAID_TRY_ASSIGN(const auto earliest, FindEarliestSnapshot(table.file_system(), table.paths()));
  if (!earliest) return std::optional<Range>();
  BRAID_TRY_ASSIGN(const auto start, SnapshotAtOrBefore(table.file_system(), table.paths(), start_ms));
  BRAID_TRY_ASSIGN(const auto end, SnapshotAtOrBefore(table.file_system(), table.paths(), end_ms));
  if (!end) return std::optional<Range>();
  return std::optional(Range{.start = start ? start->id : earliest->previous(), .end = end->id, .start_snapshot = {}, .end_snapshot = {}, .between_tags = false});
}

// From the automatic tag before `name` to that one; nullopt if either does not exist (spec data.md §10.6).
Result<std::optional<Range>> RangeToAutoTag(const Table& table, const std::string& name) {
  BRAID_TRY_ASSIGN(const TagPeriod period, TagPeriod::FromOptions(table.options()));
  const std::optional<std::int64_t> end_ms = period.TimeOf(name);
  if (!end_ms) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("incremental-to-auto-tag '{}' is no name of an automatic tag of {}", name, table.name()))
        .Hint("the options tag.creation-period and tag.period-formatter say how they are named");
  }
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(table.file_system(), table.paths()));
  std::optional<std::pair<std::int64_t, std::string>> previous;
  for (const std::string& tag : tags) {
    const std::optional<std::int64_t> time_ms = period.TimeOf(tag);
    if (time_ms && *time_ms < *end_ms) previous = std::max(previous, std::optional(std::pair(*time_ms, tag)));
  }
  if (!previous || std::find(tags.begin(), tags.end(), name) == tags.end()) return std::optional<Range>();
  BRAID_TRY_ASSIGN(Tag start, ReadTag(table.file_system(), table.paths(), previous->second));
  BRAID_TRY_ASSIGN(Tag end, ReadTag(table.file_system(), table.paths(), name));
  return std::optional(Range{.start = start.snapshot.id, .end = end.snapshot.id, .start_snapshot = std::move(start.snapshot),
                             .end_snapshot = std::move(end.snapshot), .between_tags = true, .to_auto_tag = true});
}

// Changes of every snapshot in the range, together (spec data.md §10.6).
Result<Plan> PlanChanges(const Table& table, const FileScan& scan, const Range& range, bool changelog) {
  std::vector<ManifestEntry> files;
  for (SnapshotId id = range.start.next(); id <= range.end; id = id.next()) {
    Result<Snapshot> snapshot = ReadSnapshot(table.file_system(), table.paths(), id);
    if (!snapshot && snapshot.error().code() == ErrorCode::kNotFound && changelog) snapshot = ReadChangelog(table.file_system(), table.paths(), id);
    if (!snapshot) return std::move(snapshot).error();
    BRAID_TRY(RequireKnownKind(*snapshot).Context("while reading changes of " + table.name()));
    if (changelog ? snapshot->commit_kind == CommitKind::kOverwrite : snapshot->commit_kind != CommitKind::kAppend) continue;
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, changelog ? scan.ChangelogFiles(*snapshot) : scan.DeltaFiles(*snapshot));
    std::erase_if(entries, [](const ManifestEntry& entry) { return entry.kind != FileKind::kAdd; });
    files.insert(files.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  }
  Plan plan{.snapshot = range.end, .watermark = {}, .splits = {}};
  BRAID_TRY_ASSIGN(plan.splits, GenerateBatchSplits(table, GroupByBucket(std::move(files))));
  for (DataSplit& split : plan.splits) split.is_changes = true;
  return plan;
}

using BucketKey = std::pair<std::string, std::int32_t>;

std::map<BucketKey, std::vector<ManifestEntry>> ByBucket(std::vector<ManifestEntry> entries) {
  std::map<BucketKey, std::vector<ManifestEntry>> buckets;
  for (ManifestEntry& entry : entries) {
    buckets[{std::string(entry.partition.bytes()), entry.bucket.value()}].push_back(std::move(entry));
  }
  return buckets;
}

// The rows of `end` that `start` does not hold (spec data.md §10.6, diff).
Result<Plan> PlanDifference(const Table& table, const FileScan& scan, const Range& range) {
  const FileSystem& fs = table.file_system();
  Plan plan{.snapshot = range.end, .watermark = {}, .splits = {}};
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) {
    return Error(ErrorCode::kUnsupported, fmt::format("snapshots of {} cannot be compared: it has 'data-evolution.enabled'='true'", table.name()))
        .Hint("'incremental-between-scan-mode'='delta' reads what each snapshot wrote");
  }
  if (range.start == range.end) return plan;
  Snapshot end;
  if (range.end_snapshot) {
    end = *range.end_snapshot;
  } else {
    BRAID_TRY_ASSIGN(end, ReadExistingSnapshot(fs, table.paths(), range.end));
  }
  std::vector<ManifestEntry> before;
  DeletionVectorIndex before_vectors;
  BRAID_TRY_ASSIGN(const auto earliest, FindEarliestSnapshot(fs, table.paths()));
  const bool from_nothing = !range.start_snapshot && earliest && range.start < *earliest && earliest->value() == 1;
  if (!from_nothing) {
    Snapshot start;
    if (range.start_snapshot) {
      start = *range.start_snapshot;
    } else {
      BRAID_TRY_ASSIGN(start, ReadExistingSnapshot(fs, table.paths(), range.start));
    }
    BRAID_TRY_ASSIGN(before, scan.LiveFiles(start));
    BRAID_TRY_ASSIGN(before_vectors, DeletionVectorIndex::Read(table, start));
  }
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> after, scan.LiveFiles(end));
  BRAID_TRY_ASSIGN(const DeletionVectorIndex after_vectors, DeletionVectorIndex::Read(table, end));
  auto before_buckets = ByBucket(std::move(before));
  for (auto& [key, files] : ByBucket(std::move(after))) {
    std::vector<ManifestEntry>& old_files = before_buckets[key];
    if (!old_files.empty() && old_files.front().total_buckets != files.front().total_buckets) {
      return Error(ErrorCode::kUnsupported, "incremental-between cannot compare snapshots with different numbers of buckets");
    }
    DataSplit split;
    split.partition = files.front().partition;
    split.bucket = files.front().bucket;
    split.total_buckets = files.front().total_buckets;
    std::vector<std::string> common;
    for (const ManifestEntry& old : old_files) common.push_back(EntryIdentity(old));
    std::sort(common.begin(), common.end());
    std::vector<DataFileMeta> kept;
    for (const ManifestEntry& entry : files) {
      if (!table.schema().has_primary_key() && std::binary_search(common.begin(), common.end(), EntryIdentity(entry))) continue;
      kept.push_back(entry.file);
    }
    if (kept.empty()) continue;
    split.files = std::move(kept);
    if (table.schema().has_primary_key()) {
      std::vector<DataFileMeta> before_files;
      for (const ManifestEntry& old : old_files) before_files.push_back(old.file);
      split.before_files = std::move(before_files);
      split.before_deletion_vectors = before_vectors.Find(split.partition, split.bucket, split.before_files);
    } else {
      split.raw_convertible = true;
    }
    split.deletion_vectors = after_vectors.Find(split.partition, split.bucket, split.files);
    plan.splits.push_back(std::move(split));
  }
  return plan;
}

Result<std::optional<Range>> FindRange(const Table& table) {
  if (const auto between = table.options().Find("incremental-between")) {
    BRAID_TRY_ASSIGN(Range range, RangeOfBetween(table, *between));
    return std::optional(std::move(range));
  }
  if (const auto times = table.options().Find("incremental-between-timestamp")) return RangeOfTimes(table, *times);
  return RangeToAutoTag(table, table.options().Get("incremental-to-auto-tag", ""));
}

// The oldest content of a range and the newest; what is not there is for the plan to report.
Result<std::shared_ptr<SnapshotHold>> HoldRange(const Table& table, const Range& range, bool with_start) {
  const FileSystem& fs = table.file_system();
  std::vector<Snapshot> contents;
  const auto add = [&](const std::optional<Snapshot>& known, SnapshotId id) -> Status {
    Result<Snapshot> content = known ? Result<Snapshot>(*known) : ReadSnapshot(fs, table.paths(), id);
    if (!content && content.error().code() == ErrorCode::kNotFound) content = ReadChangelog(fs, table.paths(), id);
    if (!content && content.error().code() == ErrorCode::kNotFound) return Ok();
    if (!content) return std::move(content).error();
    contents.push_back(*std::move(content));
    return Ok();
  };
  if (with_start) BRAID_TRY(add(range.start_snapshot, range.start));
  if (!with_start && range.start < range.end) BRAID_TRY(add({}, range.start.next()));
  BRAID_TRY(add(range.end_snapshot, range.end));
  if (contents.empty()) return std::shared_ptr<SnapshotHold>();
  return SnapshotHold::Make(table, contents);
}

void KeepHold(const std::shared_ptr<SnapshotHold>& hold, Plan& plan) {
  for (DataSplit& split : plan.splits) split.hold = hold;
}

Result<Plan> PlanIncremental(const Table& table, const FileScan& scan) {
  BRAID_TRY_ASSIGN(std::optional<Range> range, FindRange(table));
  if (!range) return Plan{};
  const std::string mode = ToLower(table.options().Get("incremental-between-scan-mode", "auto"));
  const bool has_producer = table.options().Get("changelog-producer", "none") != "none";
  const bool difference = range->to_auto_tag || mode == "diff" || (mode == "auto" && range->between_tags);
  const bool changelog = mode == "changelog" || (mode == "auto" && has_producer);
  if (!difference && !changelog && mode != "delta" && mode != "auto") {
    return Error(ErrorCode::kInvalidArgument, fmt::format("incremental-between-scan-mode '{}' does not exist", mode))
        .Hint("one of: auto, delta, changelog, diff");
  }
  BRAID_TRY_ASSIGN(const std::shared_ptr<SnapshotHold> hold, HoldRange(table, *range, difference));
  if (hold != nullptr && hold->has_lease()) {
    // What went before the lease was there is found to be gone now.
    BRAID_TRY_ASSIGN(range, FindRange(table));
    if (!range) return Plan{};
  }
  BRAID_TRY_ASSIGN(Plan plan,
                   difference ? PlanDifference(table, scan, *range) : PlanChanges(table, scan, *range, changelog));
  KeepHold(hold, plan);
  return plan;
}

struct HeldSnapshot {
  Snapshot snapshot;
  std::shared_ptr<SnapshotHold> hold;
};

// Holds what the options, or the table's pin, have just said is to be read; nullopt if there is nothing after all.
Result<std::optional<HeldSnapshot>> HoldTravelled(const Table& table, Snapshot snapshot) {
  BRAID_TRY_ASSIGN(std::shared_ptr<SnapshotHold> hold, SnapshotHold::Make(table, {snapshot}));
  while (hold->has_lease()) {
    // What went before the lease was there is found to be gone now, and a tag may show another content.
    BRAID_TRY_ASSIGN(std::optional<Snapshot> again, SnapshotToRead(table));
    if (!again) return std::optional<HeldSnapshot>();
    snapshot = *std::move(again);
    if (RefOf(snapshot) == hold->contents().front()) break;
    BRAID_TRY_ASSIGN(hold, SnapshotHold::Make(table, {snapshot}));
  }
  return std::optional(HeldSnapshot{.snapshot = std::move(snapshot), .hold = std::move(hold)});
}

// Plans the snapshot while it is being held, and again if another one is to be read by then.
Result<Plan> PlanTravelled(const Table& table, const FileScan& scan, const Snapshot& snapshot, const FileChoice& choice) {
  std::optional<Result<std::optional<HeldSnapshot>>> held;
  std::optional<Result<Plan>> plan;
  const std::array<std::function<Status()>, 2> calls = {
      [&]() -> Status {
        held.emplace(HoldTravelled(table, snapshot));
        return held->has_value() ? Ok() : Status(held->error());
      },
      [&]() -> Status {
        plan.emplace(PlanSnapshot(table, scan, snapshot, choice));
        return Ok();
      }};
  BRAID_TRY(CallTogether(table.file_system(), calls));
  if (!**held) return Plan{};
  const HeldSnapshot& read = ***held;
  if (RefOf(read.snapshot) != RefOf(snapshot)) plan.emplace(PlanSnapshot(table, scan, read.snapshot, choice));
  if (!*plan) return std::move(*plan).error();
  KeepHold(read.hold, **plan);
  return **std::move(plan);
}

// The newest one needs no lease yet, and is known to be that.
Result<Plan> PlanNewest(const Table& table, const FileScan& scan, const FileChoice& choice) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> newest, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!newest) return Plan{};
  BRAID_TRY_ASSIGN(const std::shared_ptr<SnapshotHold> hold, SnapshotHold::OfNewest(table, *newest));
  BRAID_TRY_ASSIGN(Plan plan, PlanSnapshot(table, scan, *newest, choice));
  KeepHold(hold, plan);
  return plan;
}

Result<Plan> PlanOneBranch(const Table& table, const ReadRequest& request) {
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.filter = request.filter, .bucket = request.bucket}));
  BRAID_TRY_ASSIGN(const StartupMode mode, StartupModeOf(table.options()));
  if (mode == StartupMode::kIncremental) return PlanIncremental(table, *scan);
  FileChoice choice;
  if (table.schema().has_primary_key()) choice.level = request.level;
  if (mode == StartupMode::kFromFileCreationTime || mode == StartupMode::kFromCreationTimestamp) {
    const std::string_view key = mode == StartupMode::kFromFileCreationTime ? "scan.file-creation-time-millis" : "scan.creation-time-millis";
    BRAID_TRY_ASSIGN(choice.created_since_ms, table.options().GetInt(key, choice.created_since_ms));
  }
  if (table.pinned() != nullptr) return PlanTravelled(table, *scan, *table.pinned(), choice);
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> travelled, TravelTo(table.file_system(), table.paths(), table.options()));
  return travelled ? PlanTravelled(table, *scan, *travelled, choice) : PlanNewest(table, *scan, choice);
}

// The other side of a fallback read, as of the same time: its newest snapshot then, or its first if it began later.
Result<Table> OpenOtherBranch(const Table& table, const std::string& branch) {
  Options dynamic = table.dynamic_options();
  dynamic.Remove("branch");
  if (table.options().Has("scan.snapshot-id")) {
    dynamic.Remove("scan.snapshot-id");
    const TablePaths other = table.paths().OnBranch(branch);
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> here, TravelTo(table.file_system(), table.paths(), table.options()));
    BRAID_TRY_ASSIGN(const std::optional<Snapshot> there, SnapshotAtOrBefore(table.file_system(), other, here->time_millis));
    BRAID_TRY_ASSIGN(const std::optional<SnapshotId> earliest, FindEarliestSnapshot(table.file_system(), other));
    if (there || earliest) dynamic.Set("scan.snapshot-id", fmt::format("{}", there ? there->id : *earliest));
  }
  return Table::Open(table.shared_file_system(), table.paths().root(), table.name(), branch, dynamic);
}

Error FallbackFailed(const Table& table, const std::string& branch, const Error& cause) {
  const bool is_fallback = table.options().Get("scan.fallback-branch", "") == branch;
  Error error(cause.code(), fmt::format("fallback branch {} of {}: {}", branch, table.name(), cause.message()));
  for (const std::string& what : cause.context()) error = std::move(error).Context(what);
  return std::move(error)
      .Id("fallback.failed")
      .Hint(fmt::format("mend the branch, or reset the option scan.{}-branch", is_fallback ? "fallback" : "primary"));
}

// Partitions that a branch has, of those that the filter lets pass.
Result<std::set<BinaryRow>> PartitionsIn(const Table& table, const PredicatePtr& filter) {
  std::set<BinaryRow> partitions;
  BRAID_TRY_ASSIGN(const Plan plan, PlanOneBranch(table, {.projection = {}, .filter = ConjunctsOn(filter, table.schema().partition_keys)}));
  for (const DataSplit& split : plan.splits) partitions.insert(split.partition);
  return partitions;
}

// Reads `first`, and from `second` the partitions that `first` lacks (spec metadata.md §11.6).
Result<Plan> PlanWithFallback(const Table& own, const Table& first, const Table& second, const ReadRequest& request) {
  const auto plan_side = [&](const Table& side) -> Result<Plan> {
    Result<Plan> planned = PlanOneBranch(side, request);
    if (planned || &side == &own) return planned;
    return FallbackFailed(own, side.paths().branch(), planned.error());
  };
  BRAID_TRY_ASSIGN(Plan plan, plan_side(first));
  BRAID_TRY_ASSIGN(const std::set<BinaryRow> covered, PartitionsIn(first, request.filter));
  for (DataSplit& split : plan.splits) split.branch = first.paths().branch();
  BRAID_TRY_ASSIGN(Plan rest, plan_side(second));
  for (DataSplit& split : rest.splits) {
    if (covered.contains(split.partition)) continue;
    split.branch = second.paths().branch();
    plan.splits.push_back(std::move(split));
  }
  for (DataSplit& split : plan.splits) {
    if (split.branch == own.paths().branch()) split.branch.reset();
  }
  return plan;
}

}  // namespace

namespace {

Result<Plan> PlanHere(const Table& table, const ReadRequest& request) {
  for (const char* option : {"scan.fallback-branch", "scan.primary-branch"}) {
    const std::optional<std::string> branch = table.options().Find(option);
    if (!branch || branch == table.paths().branch()) continue;
    const Result<Table> other = OpenOtherBranch(table, *branch);
    if (!other) return FallbackFailed(table, *branch, other.error());
    const bool own_first = option == std::string_view("scan.fallback-branch");
    return own_first ? PlanWithFallback(table, table, *other, request) : PlanWithFallback(table, *other, table, request);
  }
  return PlanOneBranch(table, request);
}

}  // namespace

Result<Plan> PlanBatch(const Table& table, const ReadRequest& request) {
  return PlanOnLine(table, [&](const Table& here) { return PlanHere(here, request); });
}

Result<std::vector<DataField>> OutputFields(const Table& table, const ReadRequest& request) {
  if (!request.projection) return table.schema().fields;
  std::vector<DataField> fields;
  for (const std::string& column : *request.projection) {
    BRAID_TRY_ASSIGN(const DataField* field, FindReadableColumn(table, column));
    if (field == nullptr) {
      Error error(ErrorCode::kNotFound, fmt::format("table {} has no column '{}'", table.name(), column));
      std::vector<std::string> names;
      for (const DataField& known : table.schema().fields) names.push_back(known.name);
      if (const auto nearest = NearestName(column, names)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
      return std::move(error).Hint("its columns are " + Join(names, ", "));
    }
    fields.push_back(*field);
  }
  return fields;
}

}  // namespace braid
