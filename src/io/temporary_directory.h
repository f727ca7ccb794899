#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace braid {

/// A local folder for what need not outlive the process: spilled rows, sorts. It goes with this object.
///
/// Beside the folder lies "<folder>.lock", which the process keeps locked. A folder whose lock nobody holds belongs to a
/// process that died; the first folder that a process makes below a parent removes those. (The lock tells, not the
/// process's number in the name: numbers are given out again.) Owned by one thread.
class TemporaryDirectory {
 public:
  /// Makes "<parent>/braid-<process>-<uuid>", readable by this user alone. `parent` empty: $TMPDIR, or /tmp.
  /// Errors: those of FileSystem::CreateDirectories, with the hint to set TMPDIR.
  static Result<TemporaryDirectory> Make(std::string parent = {});

  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::string path_;  // empty: moved away
  int lock_;          // open and locked; the lock goes when the process ends, however it ends
};

/// Removes the temporary folders below `parent` that belong to this user and to no living process. Returns how many; what
/// cannot be removed is left.
int RemoveAbandonedTemporaryDirectories(std::string_view parent);

}  // namespace braid
