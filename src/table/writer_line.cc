#include "table/writer_line.h"

#include <utility>

#include <fmt/format.h>

#include "meta/fork_record.h"
#include "meta/snapshot_json.h"
#include "meta/stores.h"
#include "table/line_move.h"
#include "table/lines.h"

namespace braid {

namespace {

struct FoundLine {
  TablePaths paths;
  std::string id;
};

// The line that a name means. Its folder may move between the two looks: then it is looked for again.
Result<FoundLine> LineOf(const FileSystem& fs, const std::string& root, const std::string& name) {
  BRAID_TRY_ASSIGN(TablePaths paths, ResolveLine(fs, root, name));
  while (true) {
    Result<std::string> id = ReadLineId(fs, paths);
    if (id) return FoundLine{.paths = std::move(paths), .id = *std::move(id)};
    if (id.error().code() != ErrorCode::kNotFound) return std::move(id).error();
    BRAID_TRY_ASSIGN(TablePaths now, ResolveLine(fs, root, name));
    if (now.branch() == paths.branch()) return std::move(id).error();
    paths = std::move(now);
  }
}

}  // namespace

Status WriterLine::Find() {
  FileSystem& fs = table_.file_system();
  BRAID_TRY_ASSIGN(const FoundLine found, LineOf(fs, table_.paths().root(), table_.line().name));
  const TablePaths& paths = found.paths;
  if (found.id != table_.line().id) return MovedError(table_);
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
  const Result<FoundLine> found = LineOf(fs, table_.paths().root(), table_.line().name);
  if (!found && found.error().code() == ErrorCode::kNotFound) return false;
  if (!found) return found.error();
  const TablePaths& paths = found->paths;
  if (found->id != table_.line().id) return false;
  if (paths.branch() != table_.paths().branch()) {
    // Renamed since: right if the file went with it.
    const Result<Snapshot> ours = ReadSnapshot(fs, paths, snapshot.id);
    if (!ours || SnapshotIdentity(*ours) != SnapshotIdentity(snapshot)) return false;
  }
  if (!head) return true;
  const Result<Snapshot> predecessor = ReadSnapshot(fs, paths, head->id);
  if (!predecessor && predecessor.error().code() == ErrorCode::kNotFound) return true;  // expired meanwhile
  if (!predecessor) return predecessor.error();
  return SnapshotIdentity(*predecessor) == SnapshotIdentity(*head);
}

}  // namespace braid
