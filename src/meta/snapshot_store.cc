#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
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

// What a hint file says, or nullopt if it says nothing usable: hints are advisory (§3.2), so no failure to read one
// counts.
std::optional<SnapshotId> ReadHint(const FileSystem& fs, const std::string& path) {
  const Result<std::string> text = fs.ReadAll(path);
  const std::optional<std::int64_t> id = text ? ParseInt64(Trim(*text)) : std::nullopt;
  const bool is_usable = id && *id > 0 && *id < std::numeric_limits<std::int64_t>::max();  // the next one is asked for, too
  return is_usable ? std::optional(SnapshotId(*id)) : std::nullopt;
}

}  // namespace

Result<Snapshot> ReadSnapshot(const FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return ReadFile(fs, paths, paths.SnapshotFile(id), "snapshot", id);
}

Result<std::vector<SnapshotId>> ListSnapshots(const FileSystem& fs, const TablePaths& paths) {
  return ListIds(fs, paths.SnapshotDirectory(), kSnapshotPrefix);
}

Result<std::optional<SnapshotId>> FindLatestSnapshot(const FileSystem& fs, const TablePaths& paths) {
  if (const std::optional<SnapshotId> hint = ReadHint(fs, paths.LatestHint())) {
    BRAID_TRY_ASSIGN(const bool has_successor, fs.Exists(paths.SnapshotFile(hint->next())));
    // Java trusts the hint here; we also see whether the snapshot is there, since a rollback may be half done.
    BRAID_TRY_ASSIGN(const bool exists, fs.Exists(paths.SnapshotFile(*hint)));
    if (exists && !has_successor) return hint;
  }
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  return ids.empty() ? std::optional<SnapshotId>() : std::optional(ids.back());
}

Result<std::optional<SnapshotId>> FindEarliestSnapshot(const FileSystem& fs, const TablePaths& paths) {
  if (const std::optional<SnapshotId> hint = ReadHint(fs, paths.EarliestHint())) {
    BRAID_TRY_ASSIGN(const bool exists, fs.Exists(paths.SnapshotFile(*hint)));
    if (exists) return hint;
  }
  BRAID_TRY_ASSIGN(const std::vector<SnapshotId> ids, ListSnapshots(fs, paths));
  return ids.empty() ? std::optional<SnapshotId>() : std::optional(ids.front());
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
