#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "io/file_system.h"

namespace braid {

/// Owns an open file descriptor and closes it.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int Release();
  /// Closes now and reports the error that closing found (a network file system may report a failed write here).
  Status Close(std::string_view path);

 private:
  int number_;
};

/// Writes all bytes or fails.
Status WriteFully(int descriptor, std::string_view bytes, std::string_view path);
/// Makes a file's content survive a crash of the machine.
Status SyncDescriptor(int descriptor, std::string_view path);
/// Makes the names in folders survive a crash of the machine. A new folder's own name must survive too, so all folders
/// above it are synced when this process sees it first, and remembered, because each sync waits for the device.
/// Thread-safe.
class DurableDirectories {
 public:
  /// Syncs the folder and those above it that are not known to be durable. Folders above it that this user may not read
  /// are passed over: somebody else made them.
  Status Sync(std::string_view directory);
  /// To be called when the folder was made, perhaps anew.
  void Forget(std::string_view directory);
  /// To be called when a tree of folders went or moved.
  void ForgetAll();

 private:
  bool IsKnown(std::string_view directory) const;
  void Remember(std::string_view directory);

  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> known_;  // guarded by mutex_; folders whose name is durable, as is all above them
};

/// Makes files that were closed, and their names, survive a crash of the machine, all at once as far as the device lets
/// it. Errors name the file.
Status SyncFilesWithNames(std::span<const std::string> paths, DurableDirectories& durable);

/// Takes over a descriptor of a new, empty file. `durable` must outlive the file.
std::unique_ptr<OutputFile> MakeLocalOutputFile(FileDescriptor descriptor, std::string path,
                                                DurableDirectories& durable);

}  // namespace braid
