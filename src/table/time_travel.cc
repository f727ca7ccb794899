#include "table/time_travel.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/stores.h"
#include "table/table.h"
#include "types/cast.h"
#include "types/data_type.h"
#include "types/local_time.h"

namespace braid {

namespace {

constexpr auto kModes = std::to_array<std::pair<std::string_view, StartupMode>>({
    {"latest-full", StartupMode::kLatestFull},
    {"full", StartupMode::kLatestFull},
    {"latest", StartupMode::kLatest},
    {"compacted-full", StartupMode::kCompactedFull},
    {"from-timestamp", StartupMode::kFromTimestamp},
    {"from-snapshot", StartupMode::kFromSnapshot},
    {"from-snapshot-full", StartupMode::kFromSnapshotFull},
    {"from-file-creation-time", StartupMode::kFromFileCreationTime},
    {"from-creation-timestamp", StartupMode::kFromCreationTimestamp},
    {"incremental", StartupMode::kIncremental},
});

// The mode of `default` is that of the first of these that is set.
constexpr auto kModesByOption = std::to_array<std::pair<std::string_view, StartupMode>>({
    {"scan.timestamp-millis", StartupMode::kFromTimestamp},
    {"scan.timestamp", StartupMode::kFromTimestamp},
    {"scan.snapshot-id", StartupMode::kFromSnapshot},
    {"scan.tag-name", StartupMode::kFromSnapshot},
    {"scan.watermark", StartupMode::kFromSnapshot},
    {"scan.version", StartupMode::kFromSnapshot},
    {"scan.file-creation-time-millis", StartupMode::kFromFileCreationTime},
    {"scan.creation-time-millis", StartupMode::kFromCreationTimestamp},
    {"incremental-between", StartupMode::kIncremental},
    {"incremental-between-timestamp", StartupMode::kIncremental},
    {"incremental-to-auto-tag", StartupMode::kIncremental},
});

Result<Snapshot> FirstSnapshotWithWatermark(const FileSystem& fs, const TablePaths& paths, std::int64_t watermark) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  for (const SnapshotId id : ids) {
    BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(fs, paths, id));
    if (snapshot.watermark && *snapshot.watermark >= watermark) return snapshot;
  }
  return Error(ErrorCode::kNotFound, fmt::format("no snapshot has a watermark of {} or later", watermark));
}

// `scan.version`: a tag of that name, else "watermark-<n>", else a snapshot id.
Result<Snapshot> SnapshotOfVersion(const FileSystem& fs, const TablePaths& paths, const std::string& version) {
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, paths));
  if (std::find(tags.begin(), tags.end(), version) != tags.end()) {
    BRAID_TRY_ASSIGN(Tag tag, ReadTag(fs, paths, version));
    return std::move(tag.snapshot);
  }
  constexpr std::string_view kWatermarkPrefix = "watermark-";
  if (version.starts_with(kWatermarkPrefix)) {
    if (const auto watermark = ParseInt64(std::string_view(version).substr(kWatermarkPrefix.size()))) {
      return FirstSnapshotWithWatermark(fs, paths, *watermark);
    }
  }
  if (const auto id = ParseInt64(version)) return ReadExistingSnapshot(fs, paths, SnapshotId(*id));
  Error error(ErrorCode::kNotFound, fmt::format("'{}' is neither a tag, a watermark nor a snapshot id", version));
  if (const auto nearest = NearestName(version, tags)) return std::move(error).Hint(fmt::format("did you mean tag '{}'?", *nearest));
  return error;
}

Result<std::int64_t> RequiredInt(const Options& options, std::string_view key) {
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> value, options.FindInt(key));
  if (!value) return Error(ErrorCode::kInvalidArgument, fmt::format("this scan.mode needs the option '{}'", key));
  return *value;
}

Result<Snapshot> TravelFromSnapshot(const FileSystem& fs, const TablePaths& paths, const Options& options) {
  if (options.Has("scan.snapshot-id")) {
    BRAID_TRY_ASSIGN(const std::int64_t id, RequiredInt(options, "scan.snapshot-id"));
    return ReadExistingSnapshot(fs, paths, SnapshotId(id));
  }
  if (const auto tag_name = options.Find("scan.tag-name")) {
    BRAID_TRY_ASSIGN(Tag tag, ReadExistingTag(fs, paths, *tag_name));
    return std::move(tag.snapshot);
  }
  if (options.Has("scan.watermark")) {
    BRAID_TRY_ASSIGN(const std::int64_t watermark, RequiredInt(options, "scan.watermark"));
    return FirstSnapshotWithWatermark(fs, paths, watermark);
  }
  if (const auto version = options.Find("scan.version")) return SnapshotOfVersion(fs, paths, *version);
  return Error(ErrorCode::kInvalidArgument,
               "scan.mode from-snapshot needs one of scan.snapshot-id, scan.tag-name, scan.watermark, scan.version");
}

Result<std::optional<Snapshot>> NewestCompactSnapshot(const FileSystem& fs, const TablePaths& paths, const Options& options) {
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> delta_commits, options.FindInt("full-compaction.delta-commits"));
  BRAID_TRY_ASSIGN(std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  std::reverse(ids.begin(), ids.end());
  for (const SnapshotId id : ids) {
    BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(fs, paths, id));
    BRAID_TRY(RequireKnownKind(snapshot).Context("while looking for the last compaction"));
    if (snapshot.commit_kind != CommitKind::kCompact) continue;
    if (!delta_commits || snapshot.commit_identifier % *delta_commits == 0 || snapshot.commit_identifier == kBatchCommitIdentifier) {
      return std::optional(std::move(snapshot));
    }
  }
  return std::optional<Snapshot>();
}

}  // namespace

Result<StartupMode> StartupModeOf(const Options& options) {
  const std::string mode = ToLower(options.Get("scan.mode", "default"));
  if (mode == "default") {
    for (const auto& [key, implied] : kModesByOption) {
      if (options.Has(key)) return implied;
    }
    return StartupMode::kLatestFull;
  }
  std::vector<std::string> known = {"default"};
  for (const auto& [name, value] : kModes) {
    if (name == mode) return value;
    known.emplace_back(name);
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("scan.mode '{}' does not exist", mode)).Hint("one of: " + Join(known, ", "));
}

Result<std::int64_t> ScanTimestamp(const Options& options) {
  if (options.Has("scan.timestamp-millis")) return RequiredInt(options, "scan.timestamp-millis");
  const std::optional<std::string> text = options.Find("scan.timestamp");
  if (!text) return Error(ErrorCode::kInvalidArgument, "scan.mode from-timestamp needs scan.timestamp-millis or scan.timestamp");
  BRAID_TRY_ASSIGN(const Datum local, ParseDatum(*text, DataType::Timestamp(3)).Context("while reading option scan.timestamp"));
  const std::int64_t millis = local.as_timestamp().millis;
  const std::int64_t seconds = millis >= 0 ? millis / 1000 : (millis - 999) / 1000;
  const auto as_if_utc = static_cast<std::time_t>(seconds);
  std::tm fields{};
  gmtime_r(&as_if_utc, &fields);
  fields.tm_isdst = -1;
  return static_cast<std::int64_t>(std::mktime(&fields)) * 1000 + (millis - seconds * 1000);
}

Result<Snapshot> ReadExistingSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  Result<Snapshot> snapshot = ReadSnapshot(fs, paths, id);
  if (snapshot || snapshot.error().code() != ErrorCode::kNotFound) return snapshot;
  BRAID_TRY_ASSIGN(const std::optional<SnapshotRange> range, FindSnapshotRange(fs, paths));
  Error error(ErrorCode::kNotFound, fmt::format("snapshot {} does not exist", id));
  if (!range) return std::move(error).Hint("the table has no snapshot on this branch");
  return std::move(error).Hint(fmt::format("snapshots {} to {} exist; `braid log` lists them", range->earliest, range->latest));
}

Result<Tag> ReadExistingTag(const FileSystem& fs, const TablePaths& paths, const std::string& name) {
  Result<Tag> tag = ReadTag(fs, paths, name);
  if (tag || tag.error().code() != ErrorCode::kNotFound) return tag;
  BRAID_TRY_ASSIGN(const std::vector<std::string> tags, ListTags(fs, paths));
  Error error = Error(ErrorCode::kNotFound, fmt::format("tag '{}' does not exist", name)).Id("tag.not-found");
  if (const auto nearest = NearestName(name, tags)) return std::move(error).Hint(fmt::format("did you mean '{}'?", *nearest));
  return std::move(error).Hint(tags.empty() ? "this branch has no tags" : "this branch has the tags " + Join(tags, ", "));
}

Result<std::optional<Snapshot>> SnapshotAtOrBefore(const FileSystem& fs, const TablePaths& paths, std::int64_t time_ms) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  std::optional<Snapshot> found;
  std::size_t low = 0;
  std::size_t high = ids.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(fs, paths, ids[middle]));
    if (snapshot.time_millis <= time_ms) {
      found = std::move(snapshot);
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return found;
}

Result<std::optional<Snapshot>> TravelTo(const FileSystem& fs, const TablePaths& paths, const Options& options) {
  BRAID_TRY_ASSIGN(const StartupMode mode, StartupModeOf(options));
  switch (mode) {
    case StartupMode::kFromTimestamp: {
      BRAID_TRY_ASSIGN(const std::int64_t time_ms, ScanTimestamp(options));
      BRAID_TRY_ASSIGN(std::optional<Snapshot> snapshot, SnapshotAtOrBefore(fs, paths, time_ms));
      if (!snapshot) {
        return Error(ErrorCode::kNotFound, fmt::format("no snapshot is as old as {}", LocalTimeText(time_ms)))
            .Hint("`braid log` lists the snapshots with their times");
      }
      return snapshot;
    }
    case StartupMode::kFromSnapshot: {
      BRAID_TRY_ASSIGN(Snapshot snapshot, TravelFromSnapshot(fs, paths, options));
      return std::optional(std::move(snapshot));
    }
    case StartupMode::kFromSnapshotFull: {
      BRAID_TRY_ASSIGN(const std::int64_t id, RequiredInt(options, "scan.snapshot-id"));
      BRAID_TRY_ASSIGN(Snapshot snapshot, ReadExistingSnapshot(fs, paths, SnapshotId(id)));
      return std::optional(std::move(snapshot));
    }
    case StartupMode::kCompactedFull: return NewestCompactSnapshot(fs, paths, options);
    case StartupMode::kLatestFull:
    case StartupMode::kLatest:
    case StartupMode::kFromFileCreationTime:
    case StartupMode::kFromCreationTimestamp:
    case StartupMode::kIncremental: return std::optional<Snapshot>();
  }
  return Error(ErrorCode::kInternal, "unknown startup mode");
}

Result<std::optional<Snapshot>> SnapshotToRead(const Table& table) {
  BRAID_TRY_ASSIGN(std::optional<Snapshot> travelled, TravelTo(table.file_system(), table.paths(), table.options()));
  if (travelled) return travelled;
  return ReadLatestSnapshot(table.file_system(), table.paths());
}

}  // namespace braid
