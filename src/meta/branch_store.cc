#include "meta/metadata_file_internal.h"
#include "meta/stores.h"

namespace braid {

Result<std::vector<std::string>> ListBranches(const FileSystem& fs, const TablePaths& paths) {
  return ListNamedChildren(fs, paths.BranchesDirectory(), "branch-", ChildKind::kDirectory);
}

}  // namespace braid
