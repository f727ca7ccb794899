#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/uuid.h"
#include "io/file_error_internal.h"
#include "io/file_system.h"
#include "io/local_file_internal.h"

namespace braid {
namespace {

constexpr mode_t kFileMode = 0666;
constexpr mode_t kDirectoryMode = 0777;

// Without scheme and trailing slashes. Java writes "file:/a", "FILE:/a" and "file:///a" for the same place.
std::string LocalPath(std::string_view path) {
  constexpr std::string_view kScheme = "file:";
  if (EqualsIgnoreCase(path.substr(0, kScheme.size()), kScheme)) {
    path.remove_prefix(kScheme.size());
    if (path.starts_with("//")) path.remove_prefix(2);
  }
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

class LocalInputFile : public InputFile {
 public:
  LocalInputFile(FileDescriptor descriptor, std::int64_t size_bytes, std::string path)
      : descriptor_(std::move(descriptor)), size_bytes_(size_bytes), path_(std::move(path)) {}

  std::int64_t size_bytes() const override { return size_bytes_; }

  Status ReadAt(std::int64_t offset, std::span<std::byte> buffer) const override {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t count =
          pread(descriptor_.number(), buffer.data() + done, buffer.size() - done, offset + static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return FileError("read", path_, errno);
      if (count == 0) {
        return Error(ErrorCode::kCorruption,
                     fmt::format("{} ends at byte {}, but bytes {} to {} are needed", path_, size_bytes_, offset,
                                 offset + static_cast<std::int64_t>(buffer.size())));
      }
      done += static_cast<std::size_t>(count);
    }
    return Ok();
  }

 private:
  const FileDescriptor descriptor_;
  const std::int64_t size_bytes_;
  const std::string path_;
};

Result<std::unique_ptr<LocalInputFile>> OpenLocal(const std::string& path) {
  FileDescriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) return FileError("read", path, errno);
  struct stat status {};
  if (fstat(descriptor.number(), &status) != 0) return FileError("read", path, errno);
  if (S_ISDIR(status.st_mode)) return FileError("read", path, EISDIR);
  return std::make_unique<LocalInputFile>(std::move(descriptor), status.st_size, path);
}

bool MakeDirectory(const std::string& directory, DurableDirectories& durable) {
  if (mkdir(directory.c_str(), kDirectoryMode) != 0) return false;
  durable.Forget(directory);
  return true;
}

Status MakeDirectories(const std::string& directory, DurableDirectories& durable) {
  if (directory.empty() || MakeDirectory(directory, durable)) return Ok();
  if (errno == ENOENT) {
    BRAID_TRY(MakeDirectories(std::string(DirectoryName(directory)), durable));
    if (MakeDirectory(directory, durable)) return Ok();
  }
  const int error_number = errno;
  if (error_number == EEXIST) {
    struct stat status {};
    if (stat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return Ok();
  }
  if (error_number == EEXIST || error_number == ENOTDIR) {
    return Error(ErrorCode::kIo,
                 fmt::format("cannot create the folder {}: a file is in its place or above it", directory))
        .Hint("move that file away, or use another folder");
  }
  return FileError("create the folder", directory, error_number);
}

// Opens a new file, making the folders above it only if they turn out to be missing.
Result<FileDescriptor> OpenNew(const std::string& path, DurableDirectories& durable) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  FileDescriptor first(open(path.c_str(), kFlags, kFileMode));
  if (first.is_open()) return first;
  if (errno != ENOENT && errno != ENOTDIR) return FileError("create", path, errno);
  BRAID_TRY(MakeDirectories(std::string(DirectoryName(path)), durable));
  FileDescriptor second(open(path.c_str(), kFlags, kFileMode));
  if (!second.is_open()) return FileError("create", path, errno);
  return second;
}

// A file beside its target that goes when this object goes, unless it was renamed. The name begins with a dot, because
// Java 1.x fails on names that begin with "snapshot-" or "schema-" and end in no number (spec metadata.md §1.6).
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view target)
      : path_(JoinPath(DirectoryName(target), fmt::format(".{}.{}.tmp", BaseName(target), RandomUuid()))) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (exists_) unlink(path_.c_str());
  }

  Status Write(std::string_view content, bool synced, DurableDirectories& durable) {
    BRAID_TRY_ASSIGN(FileDescriptor descriptor, OpenNew(path_, durable));
    exists_ = true;
    BRAID_TRY(WriteFully(descriptor.number(), content, path_));
    if (synced) BRAID_TRY(SyncDescriptor(descriptor.number(), path_));
    return descriptor.Close(path_);
  }

  const std::string& path() const { return path_; }
  void Forget() { exists_ = false; }

 private:
  const std::string path_;
  bool exists_ = false;
};

bool IsUnsupportedFlag(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS || error_number == ENOTSUP;
}

// The error of a system call whose reply may have been lost after it took effect.
Error UnknownOutcome(std::string_view path, int error_number) {
  return Error(ErrorCode::kCommitUnknown, FileError("create", path, error_number).message())
      .Hint("it may exist nevertheless; look before repeating");
}

// Gives the file the target's name by a hard link. NFS may lose the reply, so the number of links tells (link(2),
// "BUGS").
Status PublishByLink(const TemporaryFile& temporary, const std::string& target) {
  if (link(temporary.path().c_str(), target.c_str()) == 0) return Ok();
  const int error_number = errno;
  struct stat status {};
  if (stat(temporary.path().c_str(), &status) != 0) return UnknownOutcome(target, error_number);
  if (status.st_nlink == 2) return Ok();
  if (error_number == EPERM || IsUnsupportedFlag(error_number)) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("cannot create {} safely: its file system has neither exclusive rename nor hard links",
                             target))
        .Hint("put the warehouse on a local disk or on NFS");
  }
  return FileError("create", target, error_number);
}

Status Publish(TemporaryFile& temporary, const std::string& target) {
  if (renameat2(AT_FDCWD, temporary.path().c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
    temporary.Forget();
    return Ok();
  }
  const int error_number = errno;
  if (IsUnsupportedFlag(error_number)) return PublishByLink(temporary, target);
  if (error_number == EIO || error_number == ESTALE || error_number == ETIMEDOUT)
    return UnknownOutcome(target, error_number);
  return FileError("create", target, error_number);
}

// Stands in for RENAME_NOREPLACE where the file system lacks it: a file by link, which is exclusive; a folder by
// looking first, which rename(2) backs by never replacing a folder that is not empty.
Status RenameWithoutFlag(const std::string& from, const std::string& to) {
  struct stat status {};
  if (lstat(from.c_str(), &status) != 0) return FileError("rename", from, errno);
  if (!S_ISDIR(status.st_mode)) {
    if (link(from.c_str(), to.c_str()) != 0) return FileError("rename a file to", to, errno);
    if (unlink(from.c_str()) != 0) return FileError("delete after renaming", from, errno);
    return Ok();
  }
  if (lstat(to.c_str(), &status) == 0) return FileError("rename a folder to", to, EEXIST);
  if (rename(from.c_str(), to.c_str()) != 0) return FileError("rename a folder to", to, errno);
  return Ok();
}

// flock(2) belongs to the open file, so two locks in one process exclude each other too, and a crash lets go of it.
class LocalLock : public FileLock {
 public:
  explicit LocalLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  const FileDescriptor descriptor_;
};

class LocalDirectory : public DirectoryHandle {
 public:
  LocalDirectory(FileDescriptor descriptor, std::string path)
      : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

  Status CreateAtomically(std::string_view name, std::string_view content) override {
    const std::string target(name);
    const std::string shown = JoinPath(path_, name);
    const std::string temporary = fmt::format(".{}.{}.tmp", name, RandomUuid());
    const int folder = descriptor_.number();
    FileDescriptor file(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
    if (!file.is_open()) return FileError("create", shown, errno);
    const Status published = WriteAndPublish(file, content, temporary, target, shown);
    // Gone already where the file was renamed.
    unlinkat(folder, temporary.c_str(), 0);
    BRAID_TRY(published);
    if (fsync(folder) != 0 && errno != EINVAL && errno != EROFS) {
      return Error(ErrorCode::kCommitUnknown, FileError("sync", path_, errno).message())
          .Hint(fmt::format("{} exists, but may be lost if the machine crashes; check the device", shown));
    }
    return Ok();
  }

  Result<bool> Exists(std::string_view name) const override {
    if (faccessat(descriptor_.number(), std::string(name).c_str(), F_OK, 0) == 0) return true;
    if (errno == ENOENT) return false;
    return FileError("find", JoinPath(path_, name), errno);
  }

  Status Delete(std::string_view name) override {
    if (unlinkat(descriptor_.number(), std::string(name).c_str(), 0) == 0 || errno == ENOENT) return Ok();
    return FileError("delete", JoinPath(path_, name), errno);
  }

 private:
  Status WriteAndPublish(FileDescriptor& file, std::string_view content, const std::string& temporary,
                         const std::string& target, const std::string& shown) const {
    const int folder = descriptor_.number();
    BRAID_TRY(WriteFully(file.number(), content, shown));
    BRAID_TRY(SyncDescriptor(file.number(), shown));
    BRAID_TRY(file.Close(shown));
    if (renameat2(folder, temporary.c_str(), folder, target.c_str(), RENAME_NOREPLACE) == 0) return Ok();
    if (IsUnsupportedFlag(errno) && linkat(folder, temporary.c_str(), folder, target.c_str(), 0) == 0) return Ok();
    if (errno == EIO || errno == ESTALE || errno == ETIMEDOUT) return UnknownOutcome(shown, errno);
    return FileError("create", shown, errno);
  }

  const FileDescriptor descriptor_;
  const std::string path_;  // when it was opened
};

class PosixFileSystem : public FileSystem {
 public:
  Result<std::string> ReadAll(std::string_view path) const override {
    BRAID_TRY_ASSIGN(const std::unique_ptr<LocalInputFile> file, OpenLocal(LocalPath(path)));
    std::string content(static_cast<std::size_t>(file->size_bytes()), '\0');
    BRAID_TRY(file->ReadAt(0, std::as_writable_bytes(std::span(content))));
    return content;
  }

  Result<std::unique_ptr<InputFile>> Open(std::string_view path) const override {
    BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, OpenLocal(LocalPath(path)));
    return file;
  }

  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override {
    std::string local = LocalPath(path);
    BRAID_TRY_ASSIGN(FileDescriptor descriptor, OpenNew(local, durable_));
    return MakeLocalOutputFile(std::move(descriptor), std::move(local), durable_);
  }

  Status CreateAtomically(std::string_view path, std::string_view content) override {
    const std::string target = LocalPath(path);
    TemporaryFile temporary(target);
    BRAID_TRY(temporary.Write(content, /*synced=*/true, durable_));
    BRAID_TRY(Publish(temporary, target));
    // From here others see the file: whatever fails now, the caller must not think that it is not there.
    const Status synced = durable_.Sync(DirectoryName(target));
    if (!synced) {
      return Error(ErrorCode::kCommitUnknown, synced.error().message())
          .Hint(fmt::format("{} exists, but may be lost if the machine crashes; check the device", target));
    }
    return Ok();
  }

  Status Replace(std::string_view path, std::string_view content) override {
    const std::string target = LocalPath(path);
    TemporaryFile temporary(target);
    BRAID_TRY(temporary.Write(content, /*synced=*/false, durable_));
    if (rename(temporary.path().c_str(), target.c_str()) != 0) return FileError("replace", target, errno);
    temporary.Forget();
    return Ok();
  }

  Result<std::vector<FileInfo>> List(std::string_view directory) const override {
    const std::string local = LocalPath(directory);
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(local.c_str()), closedir);
    std::vector<FileInfo> children;
    if (!folder) {
      if (errno == ENOENT) return children;
      return FileError("list", local, errno);
    }
    while (true) {
      errno = 0;
      const dirent* entry = readdir(folder.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      bool is_directory = entry->d_type == DT_DIR;
      if (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) {
        struct stat status {};
        // A file that went since is left out; a dangling link counts as a file.
        if (fstatat(dirfd(folder.get()), entry->d_name, &status, 0) != 0 && entry->d_type == DT_UNKNOWN) continue;
        is_directory = S_ISDIR(status.st_mode);
      }
      children.push_back({std::string(name), is_directory});
    }
    if (errno != 0) return FileError("list", local, errno);
    return children;
  }

  Result<FileStatus> Stat(std::string_view path) const override {
    const std::string local = LocalPath(path);
    struct stat status {};
    if (stat(local.c_str(), &status) != 0) return FileError("find", local, errno);
    const bool is_directory = S_ISDIR(status.st_mode);
    return FileStatus{is_directory, is_directory ? 0 : status.st_size,
                      status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000, status.st_ino};
  }

  Status Delete(std::string_view path) override {
    const std::string local = LocalPath(path);
    if (unlink(local.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return Ok();
    return FileError("delete", local, errno);
  }

  Status DeleteTree(std::string_view directory) override {
    const std::string local = LocalPath(directory);
    durable_.ForgetAll();
    std::error_code error;
    std::filesystem::remove_all(local, error);
    if (error) return FileError("delete the folder", local, error.value());
    return Ok();
  }

  Result<bool> DeleteEmptyDirectory(std::string_view directory) override {
    const std::string local = LocalPath(directory);
    if (rmdir(local.c_str()) == 0 || errno == ENOENT) return true;
    if (errno == ENOTEMPTY || errno == EEXIST) return false;
    return FileError("delete the folder", local, errno);
  }

  Status Rename(std::string_view from, std::string_view to) override {
    const std::string source = LocalPath(from);
    const std::string target = LocalPath(to);
    struct stat status {};
    if (lstat(source.c_str(), &status) != 0) return FileError("rename", source, errno);
    BRAID_TRY(MakeDirectories(std::string(DirectoryName(target)), durable_));
    if (S_ISDIR(status.st_mode)) durable_.ForgetAll();
    if (renameat2(AT_FDCWD, source.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) return Ok();
    if (IsUnsupportedFlag(errno)) return RenameWithoutFlag(source, target);
    return FileError(fmt::format("rename {} to", source), target, errno);
  }

  Status CreateDirectories(std::string_view directory) override {
    return MakeDirectories(LocalPath(directory), durable_);
  }

  Status SyncFiles(std::span<const std::string> paths) override {
    std::vector<std::string> files;
    for (const std::string& path : paths) files.push_back(LocalPath(path));
    return SyncFilesWithNames(files, durable_);
  }

  Status Exchange(std::string_view first, std::string_view second) override {
    const std::string one = LocalPath(first);
    const std::string other = LocalPath(second);
    durable_.ForgetAll();
    if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return Ok();
    if (IsUnsupportedFlag(errno)) return FileSystem::Exchange(first, second);
    return FileError(fmt::format("exchange {} with", one), other, errno);
  }

  Status Link(std::string_view existing, std::string_view name) override {
    const std::string source = LocalPath(existing);
    const std::string target = LocalPath(name);
    if (link(source.c_str(), target.c_str()) == 0) return Ok();
    if (errno == ENOENT) {
      BRAID_TRY(MakeDirectories(std::string(DirectoryName(target)), durable_));
      if (link(source.c_str(), target.c_str()) == 0) return Ok();
    }
    if (errno == EPERM || errno == EMLINK || IsUnsupportedFlag(errno)) return FileSystem::Link(existing, name);
    return FileError(fmt::format("link {} as", source), target, errno);
  }

  Result<std::unique_ptr<FileLock>> TryLock(std::string_view path, std::string_view owner) override {
    const std::string local = LocalPath(path);
    BRAID_TRY(MakeDirectories(std::string(DirectoryName(local)), durable_));
    FileDescriptor file(open(local.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
    if (!file.is_open()) return FileError("lock", local, errno);
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK || errno == EINTR) return std::unique_ptr<FileLock>();
      if (IsUnsupportedFlag(errno) || errno == ENOLCK) return FileSystem::TryLock(path, owner);
      return FileError("lock", local, errno);
    }
    if (ftruncate(file.number(), 0) != 0) return FileError("write", local, errno);
    BRAID_TRY(WriteFully(file.number(), owner, local));
    return std::make_unique<LocalLock>(std::move(file));
  }

  Result<std::unique_ptr<DirectoryHandle>> OpenDirectory(std::string_view path) override {
    std::string local = LocalPath(path);
    FileDescriptor folder(open(local.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.is_open()) return FileError("open the folder", local, errno);
    return std::make_unique<LocalDirectory>(std::move(folder), std::move(local));
  }

 private:
  DurableDirectories durable_;
};

}  // namespace

std::shared_ptr<FileSystem> LocalFileSystem() {
  static const std::shared_ptr<FileSystem> file_system = std::make_shared<PosixFileSystem>();
  return file_system;
}

}  // namespace braid
