#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace braid {

struct FileInfo {
  std::string name;  ///< last part of the path
  bool is_directory = false;
};

struct FileStatus {
  bool is_directory = false;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ms = 0;  ///< since 1970-01-01 UTC
  /// Tells the file or folder from every other that exists; goes with it when it is renamed or exchanged.
  std::uint64_t file_id = 0;
};

/// An open file for reading at any position. Thread-safe; keeps its file readable until destroyed.
class InputFile {
 public:
  virtual ~InputFile() = default;
  virtual std::int64_t size_bytes() const = 0;
  /// Fills the whole buffer from `offset`. Errors: kIo; kCorruption if the file ends before the buffer is full.
  virtual Status ReadAt(std::int64_t offset, std::span<std::byte> buffer) const = 0;
};

/// A file being written, from the start to the end. One thread at a time.
/// Destroying it without Close leaves an incomplete file for the caller to delete.
class OutputFile {
 public:
  virtual ~OutputFile() = default;
  virtual Status Append(std::string_view bytes) = 0;
  /// Bytes appended so far.
  virtual std::int64_t position() const = 0;
  /// Makes what was appended survive a crash of the machine, then closes. Nothing may follow.
  virtual Status CloseSynced() = 0;
  /// Closes without waiting for the storage; SyncFiles can be called later.
  virtual Status Close() = 0;
};

/// An exclusive lock, held until it is destroyed. The storage lets go of it when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

/// A folder that is held by what it is, not by its path: it stays the same folder when it is renamed or exchanged.
/// Thread-safe.
class DirectoryHandle {
 public:
  virtual ~DirectoryHandle() = default;
  /// As FileSystem::CreateAtomically, for a file directly in this folder. Errors: also kNotFound if the folder was
  /// deleted.
  virtual Status CreateAtomically(std::string_view name, std::string_view content) = 0;
  /// Whether a file lies directly in this folder.
  virtual Result<bool> Exists(std::string_view name) const = 0;
  /// Removes a file; succeeds if it, or the folder, is gone.
  virtual Status Delete(std::string_view name) = 0;
};

/// One kind of storage. Paths are absolute within it, '/'-separated, without a trailing '/'. Thread-safe.
///
/// Errors of all: kNotFound, kPermissionDenied, kIo (with the storage's own words), kUnavailable; each names the path.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::string> ReadAll(std::string_view path) const = 0;
  virtual Result<std::unique_ptr<InputFile>> Open(std::string_view path) const = 0;

  /// Starts a new file, making the folders above it. Errors: kAlreadyExists.
  virtual Result<std::unique_ptr<OutputFile>> Create(std::string_view path) = 0;

  /// Creates the file with this content, whole and synced, in one step that exactly one of several racing callers wins:
  /// the commit point of every commit (spec metadata.md §8.6). Makes the folders above it.
  /// Errors: kAlreadyExists if the file is there; kCommitUnknown if it may or may not have been created.
  virtual Status CreateAtomically(std::string_view path, std::string_view content) = 0;

  /// Puts the content in the file's place; readers see the old or the new content, whole. Not synced.
  virtual Status Replace(std::string_view path, std::string_view content) = 0;

  /// The direct children, in no order; empty if the folder does not exist.
  virtual Result<std::vector<FileInfo>> List(std::string_view directory) const = 0;
  virtual Result<FileStatus> Stat(std::string_view path) const = 0;
  Result<bool> Exists(std::string_view path) const;

  /// Removes a file; succeeds if it is absent. Errors: kIo if it is a folder.
  virtual Status Delete(std::string_view path) = 0;
  /// Removes a folder with all below it; succeeds if it is absent.
  virtual Status DeleteTree(std::string_view directory) = 0;
  /// Removes a folder if it is empty; false if it is not. True if it is absent.
  virtual Result<bool> DeleteEmptyDirectory(std::string_view directory) = 0;
  /// Moves a file or folder, making the folders above the target. Not synced. Errors: kAlreadyExists if the target is
  /// there (never replaces).
  virtual Status Rename(std::string_view from, std::string_view to) = 0;
  /// Makes a folder and those above it; succeeds if it is there. Errors: kIo if a file is in the way.
  virtual Status CreateDirectories(std::string_view directory) = 0;
  /// Makes files that were closed unsynced, and their names, survive a crash of the machine. A folder among them: the
  /// names in it and its own.
  virtual Status SyncFiles(std::span<const std::string> paths) = 0;

  // Abilities that some storages lack: kUnsupported there, naming the ability.

  /// Puts each of two files or folders into the other's place, in one step. Not synced. Errors: kNotFound.
  virtual Status Exchange(std::string_view first, std::string_view second);
  /// Gives a file a second name, making the folders above it; either name may then be deleted or replaced alone. Not
  /// synced. Errors: kAlreadyExists if the name is taken.
  virtual Status Link(std::string_view existing, std::string_view name);
  /// Takes the exclusive lock of a file, which is made if it is missing, and puts `owner` into it for others to read;
  /// nullptr if another FileLock, of this process or another, holds it.
  virtual Result<std::unique_ptr<FileLock>> TryLock(std::string_view path, std::string_view owner);
  /// Errors: kNotFound.
  virtual Result<std::unique_ptr<DirectoryHandle>> OpenDirectory(std::string_view path);
};

/// The machine's own files. Lives for the whole process. Paths may begin with "file:" or "file://", in any case.
/// Temporary files of CreateAtomically and Replace are named ".<name>.<uuid>.tmp" and lie beside the target (spec
/// metadata.md §1.6).
std::shared_ptr<FileSystem> LocalFileSystem();

/// Joins with exactly one '/' between the parts.
std::string JoinPath(std::string_view directory, std::string_view name);
/// The part behind the last '/'.
std::string_view BaseName(std::string_view path);
/// The part before the last '/'; empty if there is none.
std::string_view DirectoryName(std::string_view path);

}  // namespace braid
