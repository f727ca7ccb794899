#include "meta/line_upkeep.h"

#include <fmt/format.h>

#include "io/storage_traits.h"
#include "meta/metadata_file_internal.h"
#include "meta/snapshot_json.h"

namespace braid {

Status DeleteSnapshot(FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return fs.Delete(paths.SnapshotFile(id));
}

Status WriteChangelog(FileSystem& fs, const TablePaths& paths, const Snapshot& changelog) {
  return fs.Replace(paths.ChangelogFile(changelog.id), PrintSnapshot(changelog));
}

Status DeleteChangelog(FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return fs.Delete(paths.ChangelogFile(id));
}

Status WriteLatestChangelogHint(FileSystem& fs, const TablePaths& paths, std::int64_t id) {
  return fs.Replace(JoinPath(paths.ChangelogDirectory(), "LATEST"), std::to_string(id));
}

Status WriteEarliestChangelogHint(FileSystem& fs, const TablePaths& paths, SnapshotId id) {
  return fs.Replace(JoinPath(paths.ChangelogDirectory(), "EARLIEST"), std::to_string(id.value()));
}

Status DeleteChangelogHints(FileSystem& fs, const TablePaths& paths) {
  BRAID_TRY(fs.Delete(JoinPath(paths.ChangelogDirectory(), "LATEST")));
  return fs.Delete(JoinPath(paths.ChangelogDirectory(), "EARLIEST"));
}

namespace {

// Where files cannot be moved: a crash between the two steps leaves both names, each of which is right.
Status CopyThenDelete(FileSystem& fs, const std::string& from, const std::string& to) {
  BRAID_TRY_ASSIGN(const std::string content, fs.ReadAll(from));
  BRAID_TRY(fs.CreateAtomically(to, content));
  return fs.Delete(from);
}

}  // namespace

Status RenameTag(FileSystem& fs, const TablePaths& paths, std::string_view from, std::string_view to) {
  BRAID_TRY(CheckFileNamePart("tag", from));
  BRAID_TRY(CheckFileNamePart("tag", to));
  const Status renamed = CanRename(fs) ? fs.Rename(paths.TagFile(from), paths.TagFile(to))
                                        : CopyThenDelete(fs, paths.TagFile(from), paths.TagFile(to));
  if (renamed) return fs.SyncFiles(std::vector{paths.TagFile(to)});
  if (renamed.error().code() == ErrorCode::kNotFound) {
    return Error(ErrorCode::kNotFound, fmt::format("{} has no tag '{}'", paths.DisplayName(), from));
  }
  if (renamed.error().code() != ErrorCode::kAlreadyExists) return renamed;
  return Error(ErrorCode::kAlreadyExists, fmt::format("{} has a tag '{}' already", paths.DisplayName(), to));
}

Status DeleteTag(FileSystem& fs, const TablePaths& paths, std::string_view name) {
  BRAID_TRY(CheckFileNamePart("tag", name));
  return fs.Delete(paths.TagFile(name));
}

Result<std::vector<std::string>> ListConsumerIds(const FileSystem& fs, const TablePaths& paths) {
  return ListNamedChildren(fs, paths.ConsumerDirectory(), "consumer-", ChildKind::kFile);
}

}  // namespace braid
