#include "table/branch_folder.h"

#include <algorithm>
#include <vector>

#include "io/storage_traits.h"

namespace braid {

std::string CreatingMark(const TablePaths& branch) { return JoinPath(branch.BranchDirectory(), "CREATING"); }

std::string DroppedMark(const TablePaths& branch) { return JoinPath(branch.BranchDirectory(), "DROPPED"); }

Result<BranchFolder> FindBranchFolder(const FileSystem& fs, const TablePaths& branch) {
  if (CanRename(fs)) {
    BRAID_TRY_ASSIGN(const bool exists, fs.Exists(branch.BranchDirectory()));
    return exists ? BranchFolder::kPresent : BranchFolder::kAbsent;
  }
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs.List(branch.BranchDirectory()));
  const auto has = [&](std::string_view path) {
    return std::any_of(children.begin(), children.end(), [&](const FileInfo& child) { return child.name == BaseName(path); });
  };
  if (children.empty()) return BranchFolder::kAbsent;
  if (has(DroppedMark(branch))) return BranchFolder::kDropped;
  if (has(CreatingMark(branch)) && !has(branch.ForkRecordFile())) return BranchFolder::kBeingMade;
  return BranchFolder::kPresent;
}

Status DeleteMarkedFolder(FileSystem& fs, const std::string& directory, const std::string& mark) {
  BRAID_TRY_ASSIGN(const std::vector<FileInfo> children, fs.List(directory));
  for (const FileInfo& child : children) {
    const std::string path = JoinPath(directory, child.name);
    if (path == mark) continue;
    BRAID_TRY(child.is_directory ? fs.DeleteTree(path) : fs.Delete(path));
  }
  return fs.DeleteTree(directory);
}

}  // namespace braid
