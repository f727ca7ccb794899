#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/file_system.h"

namespace braid {

/// Passes calls to another file system, failing the n-th one: the failure sweep of tests (STYLE §7). Thread-safe.
/// Counts every call of FileSystem (Exists as the Stat that it is), and every ReadAt, Append, Close and CloseSynced of
/// its files.
class FaultInjectingFileSystem : public FileSystem {
 public:
  explicit FaultInjectingFileSystem(std::shared_ptr<FileSystem> inner);
  ~FaultInjectingFileSystem() override;

  enum class Fault {
    kFail,            ///< the call does nothing and reports kIo
    kFailAfterwards,  ///< the call is carried out, yet reports kIo (CreateAtomically: kCommitUnknown)
    kTornWrite,       ///< an Append writes half of its bytes and reports kIo; other calls as kFail
    kStop,            ///< this and every later call fails: the process is dead
  };
  /// The `nth` call from now on (1 = the next) has the fault; nothing fails if fewer calls come.
  void FailAt(std::int64_t nth, Fault fault);
  void Heal();
  /// Calls counted since construction.
  std::int64_t calls() const;
  /// Whether the armed fault has struck.
  bool struck() const;

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

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace braid
