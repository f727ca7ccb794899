#include <array>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "io/request_pool.h"
#include "meta/metadata_file_internal.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"

namespace braid {
namespace {

constexpr std::string_view kSnapshotPrefix = "snapshot-";
constexpr std::string_view kChangelogPrefix = "changelog-";

Result<std::vector<SnapshotId>> ListIds(const FileSystem& fs, const std::string& directory, std::string_view prefix) {
  BRAID_TRY_ASSIGN(const std::vector<std::int64_t> numbers, ListNumberedFiles(fs, directory, prefix));
  std::vector<SnapshotId> ids;
  for (const std::int64_t number : numbers) ids.emplace_back(number);
  return ids;
}

// What a hint file says, or nullopt if it says nothing usable: hints are advisory (§3.2), so no failure to read one
// counts.
std::optional<SnapshotId> ReadHint(const FileSystem& fs, const std::string& path) {
  const Result<std::string> text = fs.ReadAll(path);
  const std::optional<std::int64_t> id = text ? ParseInt64(Trim(*text)) : std::nullopt;
  const bool is_usable = id && *id > 0 && *id < std::numeric_limits<std::int64_t>::max();  // the next one is asked for, too
  return is_usable ? std::optional(SnapshotId(*id)) : std::nullopt;
}

// The snapshot that EARLIEST names, if it is there.
Result<std::optional<SnapshotId>> HintedEarliest(const FileSystem& fs, const TablePaths& paths) {
  std::optional<SnapshotId> hint = ReadHint(fs, paths.EarliestHint());
  if (!hint) return hint;
  BRAID_TRY_ASSIGN(const bool exists, fs.Exists(paths.SnapshotFile(*hint)));
  if (!exists) hint.reset();
  return hint;
}

Result<std::optional<SnapshotId>> FirstListed(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  return ids.empty() ? std::optional<SnapshotId>() : std::optional(ids.front());
}

Result<std::optional<SnapshotId>> LastListed(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  return ids.empty() ? std::optional<SnapshotId>() : std::optional(ids.back());
}

// Reads a file of snapshot form; `what` is "snapshot" or "changelog".
Result<Snapshot> ReadFile(const FileSystem& fs, const TablePaths& paths, const std::string& path, std::string_view what,
                          SnapshotId id) {
  const Result<std::string> text = fs.ReadAll(path);
  if (!text && text.error().code() == ErrorCode::kNotFound) {
    // Expiry is the usual cause, so name what the user asked for rather than a file.
    return Error(ErrorCode::kNotFound, fmt::format("{} has no {} {}", paths.DisplayName(), what, id))
        .Hint("it may have expired, or the number may be wrong; list those that remain");
  }
  if (!text) return text.error();
  BRAID_TRY_ASSIGN(Snapshot snapshot, ParseSnapshot(*text).Context("while reading " + path));
  if (snapshot.id != id) return Error(ErrorCode::kCorruption, fmt::format("{} holds snapshot {}", path, snapshot.id));
  return snapshot;
}

}  // namespace

Result<Snapshot> ReadSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return ReadFile(fs, paths, paths.SnapshotFile(id), "snapshot", id);
}

Result<std::vector<Snapshot>> ReadSnapshots(const FileSystem& fs, const TablePaths& paths,
                                            std::span<const SnapshotId> ids) {
  std::vector<std::optional<Snapshot>> read(ids.size());
  BRAID_TRY(ParallelFor(PoolFor(fs), std::ssize(ids), [&](std::int64_t i) -> Status {
    const auto at = static_cast<std::size_t>(i);
    Result<Snapshot> snapshot = ReadSnapshot(fs, paths, ids[at]);
    if (snapshot) read[at] = *std::move(snapshot);
    return snapshot || snapshot.error().code() == ErrorCode::kNotFound ? Ok() : Status(std::move(snapshot).error());
  }));
  std::vector<Snapshot> snapshots;
  for (std::optional<Snapshot>& snapshot : read) {
    if (snapshot) snapshots.push_back(*std::move(snapshot));
  }
  return snapshots;
}

Result<std::vector<SnapshotId>> ListSnapshots(const FileSystem& fs, const TablePaths& paths) {
  return ListIds(fs, paths.SnapshotDirectory(), kSnapshotPrefix);
}

Result<std::optional<SnapshotId>> FindLatestSnapshot(const FileSystem& fs, const TablePaths& paths) {
  if (const std::optional<SnapshotId> hint = ReadHint(fs, paths.LatestHint())) {
    BRAID_TRY_ASSIGN(const bool is_latest, IsLatestSnapshot(fs, paths, *hint));
    if (is_latest) return hint;
  }
  return LastListed(fs, paths);
}

Result<std::optional<Snapshot>> ReadLatestSnapshot(const FileSystem& fs, const TablePaths& paths) {
  if (const std::optional<SnapshotId> hint = ReadHint(fs, paths.LatestHint())) {
    bool has_successor = false;
    std::optional<Snapshot> snapshot;
    const std::array<std::function<Status()>, 2> calls = {
        [&]() -> Status {
          BRAID_TRY_ASSIGN(has_successor, fs.Exists(paths.SnapshotFile(hint->next())));
          return Ok();
        },
        [&]() -> Status {
          Result<Snapshot> read = ReadSnapshot(fs, paths, *hint);
          if (read) snapshot = *std::move(read);
          return read || read.error().code() == ErrorCode::kNotFound ? Ok() : Status(std::move(read).error());
        }};
    const Status looked = CallTogether(fs, calls);
    // One that is not the latest may be as damaged as it likes.
    if (!looked && !has_successor) return looked.error();
    if (looked && snapshot && !has_successor) return snapshot;
  }
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> latest, LastListed(fs, paths));
  if (!latest) return std::optional<Snapshot>();
  BRAID_TRY_ASSIGN(Snapshot snapshot, ReadSnapshot(fs, paths, *latest));
  return std::optional(std::move(snapshot));
}

// Java trusts the hint; we also see whether the snapshot is there, since a rollback may be half done.
Result<bool> IsLatestSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  std::array<bool, 2> found = {};
  const std::array<std::function<Status()>, 2> calls = {
      [&]() -> Status {
        BRAID_TRY_ASSIGN(found[0], fs.Exists(paths.SnapshotFile(id.next())));
        return Ok();
      },
      [&]() -> Status {
        BRAID_TRY_ASSIGN(found[1], fs.Exists(paths.SnapshotFile(id)));
        return Ok();
      }};
  BRAID_TRY(CallTogether(fs, calls));
  return found[1] && !found[0];
}

Result<std::optional<SnapshotId>> FindEarliestSnapshot(const FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> hinted, HintedEarliest(fs, paths));
  return hinted ? hinted : FirstListed(fs, paths);
}

Result<std::optional<SnapshotRange>> FindSnapshotRange(const FileSystem& fs, const TablePaths& paths) {
  std::optional<SnapshotId> hinted;
  std::optional<SnapshotId> latest;
  const std::array<std::function<Status()>, 2> calls = {
      [&]() -> Status {
        BRAID_TRY_ASSIGN(hinted, HintedEarliest(fs, paths));
        return Ok();
      },
      [&]() -> Status {
        BRAID_TRY_ASSIGN(latest, FindLatestSnapshot(fs, paths));
        return Ok();
      }};
  BRAID_TRY(CallTogether(fs, calls));
  if (!latest) return std::optional<SnapshotRange>();
  if (hinted) return std::optional(SnapshotRange{.earliest = *hinted, .latest = *latest, .has_earliest_hint = true});
  BRAID_TRY_ASSIGN(const std::optional<SnapshotId> earliest, FirstListed(fs, paths));
  if (!earliest) return std::optional<SnapshotRange>();
  return std::optional(SnapshotRange{.earliest = *earliest, .latest = *latest});
}

Status CreateSnapshot(FileSystem& fs, const TablePaths& paths, const Snapshot& snapshot) {
  const Status created = CreateExclusively(fs, paths.SnapshotFile(snapshot.id), PrintSnapshot(snapshot));
  if (created || created.error().code() != ErrorCode::kAlreadyExists) return created;
  return Error(ErrorCode::kConflict, fmt::format("cannot commit to {}: another writer committed snapshot {} first",
                                                 paths.DisplayName(), snapshot.id));
}

Status WriteLatestHint(FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return fs.Replace(paths.LatestHint(), std::to_string(id.value()));
}

Status WriteEarliestHint(FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return fs.Replace(paths.EarliestHint(), std::to_string(id.value()));
}

Result<Snapshot> ReadChangelog(const FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return ReadFile(fs, paths, paths.ChangelogFile(id), "changelog", id);
}

Result<std::vector<SnapshotId>> ListChangelogs(const FileSystem& fs, const TablePaths& paths) {
  return ListIds(fs, paths.ChangelogDirectory(), kChangelogPrefix);
}

}  // namespace braid
