#pragma once

// What lies in folders, for tests; include only from tests.

#include <set>
#include <string>

#include <gmock/gmock.h>

#include "base/result_matchers.h"
#include "io/file_system.h"

namespace braid {

/// Paths of the files below a folder.
inline std::set<std::string> FilesBelow(const FileSystem& fs, const std::string& folder) {
  std::set<std::string> files;
  const auto children = fs.List(folder);
  EXPECT_THAT(children, IsOk());
  for (const FileInfo& child : *children) {
    if (child.is_directory) {
      files.merge(FilesBelow(fs, JoinPath(folder, child.name)));
    } else {
      files.insert(JoinPath(folder, child.name));
    }
  }
  return files;
}

}  // namespace braid
