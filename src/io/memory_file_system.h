#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "io/file_system.h"

namespace braid {

/// Files in memory, for tests: fast, and it records what was touched. Behaves as LocalFileSystem does, folders
/// included. Thread-safe.
class MemoryFileSystem : public FileSystem {
 public:
  /// Times of modification come from the clock, which must outlive the file system and its files.
  explicit MemoryFileSystem(const Clock& clock = SystemClock());
  ~MemoryFileSystem() override;

  Result<std::string> ReadAll(std::string_view path) const override;
  Result<std::unique_ptr<InputFile>> Open(std::string_view path) const override;
  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override;
  Status CreateAtomically(std::string_view path, std::string_view content) override;
  Status Replace(std::string_view path, std::string_view content) override;
  Result<std::vector<FileInfo>> List(std::string_view directory) const override;
  Result<FileStatus> Stat(std::string_view path) const override;
  Status Delete(std::string_view path) override;
  Status DeleteTree(std::string_view directory) override;
  Result<bool> DeleteEmptyDirectory(std::string_view directory) override;
  Status Rename(std::string_view from, std::string_view to) override;
  Status CreateDirectories(std::string_view directory) override;
  Status SyncFiles(std::span<const std::string> paths) override;
  Status Exchange(std::string_view first, std::string_view second) override;
  Status Link(std::string_view existing, std::string_view name) override;
  Result<std::unique_ptr<FileLock>> TryLock(std::string_view path, std::string_view owner) override;
  Result<std::unique_ptr<DirectoryHandle>> OpenDirectory(std::string_view path) override;

  /// Every file's path, sorted.
  std::vector<std::string> AllFiles() const;
  /// Paths that were opened or read since the last call, in order, then forgets them.
  std::vector<std::string> TakeReads();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace braid
