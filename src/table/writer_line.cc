#include "table/writer_line.h"

#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "io/request_pool.h"
#include "meta/fork_record.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/line_move.h"
#include "table/lines.h"

namespace braid {

namespace {

// Where the table's line lies; nullopt if its name means another line. The folder may move between the two looks: then it
// is looked for again.
Result<std::optional<TablePaths>> FindOwnLine(const Table& table) {
  const FileSystem& fs = table.file_system();
  const std::string& root = table.paths().root();
  BRAID_TRY_ASSIGN(TablePaths paths, ResolveLine(fs, root, table.line().name));
  while (true) {
    if (paths.branch() == table.paths().branch() && StaysInPlace(fs, paths)) return std::optional(std::move(paths));
    Result<std::string> id = ReadLineId(fs, paths);
    if (id) return *id == table.line().id ? std::optional(std::move(paths)) : std::nullopt;
    if (id.error().code() != ErrorCode::kNotFound) return std::move(id).error();
    BRAID_TRY_ASSIGN(TablePaths now, ResolveLine(fs, root, table.line().name));
    if (now.branch() == paths.branch()) return std::move(id).error();
    paths = std::move(now);
  }
}

// Whether the line at these paths still has the head that a snapshot was built on, or has lost it by expiry.
Result<bool> StandsOn(const FileSystem& fs, const TablePaths& paths, const std::optional<Snapshot>& head) {
  if (!head) return true;
  const Result<Snapshot> predecessor = ReadSnapshot(fs, paths, head->id);
  if (!predecessor && predecessor.error().code() == ErrorCode::kNotFound) return true;
  if (!predecessor) return predecessor.error();
  return SnapshotIdentity(*predecessor) == SnapshotIdentity(*head);
}

}  // namespace

Status WriterLine::Find() {
  FileSystem& fs = table_.file_system();
  BRAID_TRY_ASSIGN(const std::optional<TablePaths> found, FindOwnLine(table_));
  if (!found) return MovedError(table_);
  const TablePaths& paths = *found;
  if (paths.branch() != table_.paths().branch()) table_ = table_.MovedTo(paths);
  Result<std::unique_ptr<DirectoryHandle>> folder = fs.OpenDirectory(paths.SnapshotDirectory());
  if (!folder && folder.error().code() == ErrorCode::kNotFound) {
    // A line without snapshots has no such folder yet. The branch's own folder is never made here.
    BRAID_TRY(fs.CreateDirectories(paths.SnapshotDirectory()));
    folder = fs.OpenDirectory(paths.SnapshotDirectory());
  }
  folder_ = nullptr;
  if (folder) folder_ = *std::move(folder);
  if (!folder && folder.error().code() != ErrorCode::kUnsupported) return std::move(folder).error();
  return Ok();
}

Status WriterLine::CheckHead(const std::optional<Snapshot>& head) const {
  return MayMove(table_, LineMove::kCommit, head);
}

Status WriterLine::CreateFile(const Snapshot& snapshot) {
  FileSystem& fs = table_.file_system();
  if (folder_ == nullptr) return CreateSnapshot(fs, table_.paths(), snapshot);
  const std::string path = table_.paths().SnapshotFile(snapshot.id);
  const std::string name(BaseName(path));
  const std::string content = PrintSnapshot(snapshot);
  Status created = folder_->CreateAtomically(name, content);
  if (created) return created;
  if (created.error().code() == ErrorCode::kAlreadyExists) {
    return Error(ErrorCode::kConflict, fmt::format("cannot commit to {}: another writer committed snapshot {} first",
                                                   table_.paths().DisplayName(), snapshot.id));
  }
  if (created.error().code() == ErrorCode::kNotFound) {
    // The folder went while the commit was being prepared: the line is somewhere else by now.
    return Error(ErrorCode::kConflict, fmt::format("{} moved while something was committed to it", table_.paths().DisplayName()));
  }
  if (created.error().code() != ErrorCode::kCommitUnknown) return created;
  const Result<bool> exists = folder_->Exists(name);
  if (exists && !*exists) return Error(ErrorCode::kIo, created.error().message());
  const Result<std::string> present = fs.ReadAll(path);
  if (!present) return created;
  if (*present != content) return Error(ErrorCode::kConflict, fmt::format("{} exists already", path));
  // Ours, but it counts only once it survives a crash.
  if (fs.SyncFiles(std::vector{path})) return Ok();
  return created;
}

Status WriterLine::Create(const Snapshot& snapshot, const std::optional<Snapshot>& head) {
  BRAID_TRY(CreateFile(snapshot));
  const Result<bool> right = IsStillRight(snapshot, head);
  if (right && *right) return Ok();
  // Others see the file: if it cannot be told whether it belongs there, it must not be taken for a failure.
  if (!right) return Error(ErrorCode::kCommitUnknown, right.error().message());
  moved_ = true;
  const std::string name(BaseName(table_.paths().SnapshotFile(snapshot.id)));
  const std::string next(BaseName(table_.paths().SnapshotFile(snapshot.id.next())));
  if (folder_ == nullptr) return Error(ErrorCode::kCommitUnknown, MovedError(table_).message());
  const Result<bool> built_on = folder_->Exists(next);
  if (!built_on || *built_on) {
    return Error(ErrorCode::kCommitUnknown, fmt::format("snapshot {} landed on a line that {} does not mean any more, and another one stands on it",
                                                        snapshot.id, table_.line().name));
  }
  const Status retracted = folder_->Delete(name);
  if (!retracted) return Error(ErrorCode::kCommitUnknown, retracted.error().message());
  return MovedError(table_);
}

Result<bool> WriterLine::IsStillRight(const Snapshot& snapshot, const std::optional<Snapshot>& head) const {
  const FileSystem& fs = table_.file_system();
  std::optional<Result<std::optional<TablePaths>>> found;
  std::optional<Result<bool>> stands;
  const std::array<std::function<Status()>, 2> looks = {
      [&]() -> Status {
        found.emplace(FindOwnLine(table_));
        return Ok();
      },
      [&]() -> Status {
        stands.emplace(StandsOn(fs, table_.paths(), head));
        return Ok();
      }};
  BRAID_TRY(CallTogether(fs, looks));
  if (!*found && found->error().code() == ErrorCode::kNotFound) return false;
  if (!*found) return found->error();
  if (!**found) return false;
  const TablePaths& paths = ***found;
  if (paths.branch() == table_.paths().branch()) return *std::move(stands);
  // Renamed since: right if the file went with it.
  const Result<Snapshot> ours = ReadSnapshot(fs, paths, snapshot.id);
  if (!ours || SnapshotIdentity(*ours) != SnapshotIdentity(snapshot)) return false;
  return StandsOn(fs, paths, head);
}

}  // namespace braid
