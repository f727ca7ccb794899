#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/thread_pool.h"
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

// All descriptors are open at once, and a process may have only so many.
constexpr std::size_t kFilesSyncedTogether = 64;
constexpr int kSyncThreads = 8;

// Of this purpose alone: its tasks wait for the device and for nothing else.
ThreadPool& SyncPool() {
  static ThreadPool pool(kSyncThreads);
  return pool;
}

// Syncs the contents of the files, and the folders.
Status SyncGroup(std::span<const std::string> paths, std::span<const std::string_view> folders,
                 DurableDirectories& durable) {
  std::vector<FileDescriptor> files;
  for (const std::string& path : paths) {
    files.emplace_back(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!files.back().is_open()) return FileError("sync", path, errno);
  }
  // Started together, all contents travel at once, and a file system with a journal takes the metadata of all into one
  // transaction. Only a hint, whose failure shows at the sync.
  for (const FileDescriptor& file : files) {
    static_cast<void>(sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE));
  }
  // Syncs that wait at the same time share transactions and flushes of the device.
  const auto count = static_cast<std::int64_t>(files.size() + folders.size());
  return ParallelFor(SyncPool(), count, [&](std::int64_t index) {
    const auto at = static_cast<std::size_t>(index);
    return at < files.size() ? SyncDescriptor(files[at].number(), paths[at]) : durable.Sync(folders[at - files.size()]);
  });
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

Status SyncFilesWithNames(std::span<const std::string> paths, DurableDirectories& durable) {
  std::set<std::string_view> distinct;
  for (const std::string& path : paths) distinct.insert(DirectoryName(path));
  const std::vector<std::string_view> folders(distinct.begin(), distinct.end());
  while (paths.size() > kFilesSyncedTogether) {
    BRAID_TRY(SyncGroup(paths.first(kFilesSyncedTogether), {}, durable));
    paths = paths.subspan(kFilesSyncedTogether);
  }
  return SyncGroup(paths, folders, durable);
}

}  // namespace braid
