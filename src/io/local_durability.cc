#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "io/file_error_internal.h"
#include "io/local_file_internal.h"

namespace braid {
namespace {

// Bounds the memory of a process that writes ever new partitions; forgetting costs a few syncs.
constexpr std::size_t kMaxKnownDirectories = 100'000;

Status SyncDirectory(const std::string& directory) {
  const FileDescriptor folder(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return FileError("sync", directory, errno);
  // Some file systems do not sync folders (EINVAL, EROFS); then there is nothing that would help.
  if (fsync(folder.number()) != 0 && errno != EINVAL && errno != EROFS) return FileError("sync", directory, errno);
  return Ok();
}

}  // namespace

Status DurableDirectories::Sync(std::string_view directory) {
  if (directory.empty()) directory = "/";
  BRAID_TRY(SyncDirectory(std::string(directory)));
  for (std::string_view lower = directory; !IsKnown(lower);) {
    const std::string_view upper = DirectoryName(lower);
    if (!upper.empty()) {
      Status synced = SyncDirectory(std::string(upper));
      if (!synced && synced.error().code() != ErrorCode::kPermissionDenied) return synced;
    }
    Remember(lower);
    if (upper.empty()) break;
    lower = upper;
  }
  return Ok();
}

void DurableDirectories::Forget(std::string_view directory) {
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(directory); found != known_.end()) known_.erase(found);
}

void DurableDirectories::ForgetAll() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

bool DurableDirectories::IsKnown(std::string_view directory) const {
  const std::lock_guard lock(mutex_);
  return known_.contains(directory);
}

void DurableDirectories::Remember(std::string_view directory) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMaxKnownDirectories) known_.clear();
  known_.emplace(directory);
}

Status SyncDescriptor(int descriptor, std::string_view path) {
  if (fsync(descriptor) != 0) return FileError("sync", path, errno);
  return Ok();
}

}  // namespace braid
