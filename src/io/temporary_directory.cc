#include "io/temporary_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/uuid.h"
#include "io/file_error_internal.h"
#include "io/file_system.h"
#include "io/local_file_internal.h"

namespace braid {
namespace {

constexpr std::string_view kPrefix = "braid-";
constexpr std::string_view kLockSuffix = ".lock";
constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateFolder = 0700;

std::string DefaultParent() {
  const char* temporary = std::getenv("TMPDIR");
  return temporary != nullptr && *temporary != '\0' ? temporary : "/tmp";
}

// Whether the locked file is still the one that the path names: a cleaner may have unlinked it in between.
bool IsStillAt(int descriptor, const std::string& path) {
  struct stat locked {};
  struct stat named {};
  return fstat(descriptor, &locked) == 0 && lstat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
         locked.st_dev == named.st_dev;
}

// The lock file of an abandoned folder, locked; not open if it is in use, or somebody else's.
FileDescriptor LockAbandoned(const std::string& path) {
  FileDescriptor lock(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!lock.is_open()) return lock;
  struct stat status {};
  const bool is_ours =
      fstat(lock.number(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
  if (!is_ours || flock(lock.number(), LOCK_EX | LOCK_NB) != 0 || !IsStillAt(lock.number(), path)) {
    return FileDescriptor(-1);
  }
  return lock;
}

// Once a process and parent: later ones would find the folders of this very process, and of processes that live.
void CleanOnce(const std::string& parent) {
  static std::mutex mutex;
  static std::set<std::string> cleaned;  // guarded by mutex
  const std::scoped_lock lock(mutex);
  if (cleaned.insert(parent).second) RemoveAbandonedTemporaryDirectories(parent);
}

}  // namespace

Result<TemporaryDirectory> TemporaryDirectory::Make(std::string parent) {
  constexpr int kAttempts = 10;  // a cleaner may take the lock file before it is locked
  if (parent.empty()) parent = DefaultParent();
  BRAID_TRY(LocalFileSystem()->CreateDirectories(parent));
  CleanOnce(parent);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string path = JoinPath(parent, fmt::format("{}{}-{}", kPrefix, getpid(), RandomUuid()));
    const std::string lock_path = path + std::string(kLockSuffix);
    FileDescriptor lock(open(lock_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kPrivateFile));
    if (!lock.is_open()) {
      return FileError("create", lock_path, errno).Hint("set TMPDIR to a folder with room that this user may write to");
    }
    if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0 || !IsStillAt(lock.number(), lock_path)) continue;
    if (mkdir(path.c_str(), kPrivateFolder) != 0) {
      Error error = FileError("create the folder", path, errno);
      unlink(lock_path.c_str());
      return std::move(error).Hint("set TMPDIR to a folder with room that this user may write to");
    }
    return TemporaryDirectory(path, lock.Release());
  }
  return Error(ErrorCode::kUnavailable, fmt::format("cannot make a temporary folder in {}", parent))
      .Hint("another process keeps removing its lock file; set TMPDIR to another folder");
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryDirectory::~TemporaryDirectory() {
  const FileDescriptor lock(lock_);
  if (path_.empty()) return;
  // What cannot be deleted here is left to the next process, which finds the lock free.
  if (LocalFileSystem()->DeleteTree(path_)) unlink((path_ + std::string(kLockSuffix)).c_str());
}

int RemoveAbandonedTemporaryDirectories(std::string_view parent) {
  int removed = 0;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(parent, failed)) {
    const std::string path = entry.path().string();
    if (!BaseName(path).starts_with(kPrefix) || !path.ends_with(kLockSuffix)) continue;
    const FileDescriptor lock = LockAbandoned(path);
    if (!lock.is_open()) continue;
    // First the folder: without its lock it would never be found again.
    if (!LocalFileSystem()->DeleteTree(path.substr(0, path.size() - kLockSuffix.size()))) continue;
    if (unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace braid
