#pragma once

// An object store in memory that counts how often its user waits for it; include only from tests.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/memory_file_system.h"
#include "io/storage_traits.h"

namespace braid {

/// Counts round trips: what is asked at the same time is answered together, once nothing more has been asked for 30 ms,
/// and is one round trip. A call is one request, as most are on S3; what is read of an open file, appended to one and
/// synced costs none, as there. Thread-safe.
class RoundTripFileSystem : public FileSystem, public StorageTraits {
 public:
  /// The requests of each round trip since the last call of this, as "Call path".
  std::vector<std::vector<std::string>> Take() {
    const std::lock_guard lock(mutex_);
    std::vector<std::vector<std::string>> taken = std::exchange(rounds_, std::vector<std::vector<std::string>>(1));
    taken.pop_back();
    return taken;
  }
  /// Whether calls wait for each other; without, nothing is counted.
  void Count(bool counts) {
    const std::lock_guard lock(mutex_);
    counts_ = counts;
  }

  Result<std::string> ReadAll(std::string_view path) const override { return Ask("ReadAll", path), files_.ReadAll(path); }
  Result<std::unique_ptr<InputFile>> Open(std::string_view path) const override {
    return Ask("Open", path), files_.Open(path);
  }
  Result<std::unique_ptr<OutputFile>> Create(std::string_view path) override {
    BRAID_TRY_ASSIGN(std::unique_ptr<OutputFile> file, files_.Create(path));
    return std::make_unique<File>(*this, std::string(path), std::move(file));
  }
  Status CreateAtomically(std::string_view path, std::string_view content) override {
    return Ask("CreateAtomically", path), files_.CreateAtomically(path, content);
  }
  Status Replace(std::string_view path, std::string_view content) override {
    return Ask("Replace", path), files_.Replace(path, content);
  }
  Result<std::vector<FileInfo>> List(std::string_view directory) const override {
    return Ask("List", directory), files_.List(directory);
  }
  Result<FileStatus> Stat(std::string_view path) const override { return Ask("Stat", path), files_.Stat(path); }
  Status Delete(std::string_view path) override { return Ask("Delete", path), files_.Delete(path); }
  Status DeleteTree(std::string_view directory) override {
    return Ask("DeleteTree", directory), files_.DeleteTree(directory);
  }
  Result<bool> DeleteEmptyDirectory(std::string_view directory) override {
    return Ask("DeleteEmptyDirectory", directory), files_.DeleteEmptyDirectory(directory);
  }
  Status Rename(std::string_view from, std::string_view /*to*/) override {
    return Error(ErrorCode::kUnsupported, "cannot rename " + std::string(from));
  }
  Status CreateDirectories(std::string_view directory) override {
    return Ask("CreateDirectories", directory), files_.CreateDirectories(directory);
  }
  Status SyncFiles(std::span<const std::string> /*paths*/) override { return Ok(); }
  Result<std::unique_ptr<FileLock>> TryLock(std::string_view path, std::string_view owner) override {
    return Ask("TryLock", path), files_.TryLock(path, owner);
  }

  bool CanRename() const override { return false; }
  int ParallelCalls() const override { return 64; }
  void Expect(std::span<const std::string> /*paths*/) const override {}
  Result<bool> Has(std::string_view path) const override { return Ask("Has", path), files_.Exists(path); }

 private:
  class File : public OutputFile {
   public:
    File(const RoundTripFileSystem& files, std::string path, std::unique_ptr<OutputFile> file)
        : files_(files), path_(std::move(path)), file_(std::move(file)) {}
    Status Append(std::string_view bytes) override { return file_->Append(bytes); }
    std::int64_t position() const override { return file_->position(); }
    Status CloseSynced() override { return Close(); }
    Status Close() override { return files_.Ask("Put", path_), file_->Close(); }

   private:
    const RoundTripFileSystem& files_;
    const std::string path_;
    std::unique_ptr<OutputFile> file_;
  };

  void Ask(const char* call, std::string_view path) const {
    using Time = std::chrono::steady_clock;
    std::unique_lock lock(mutex_);
    if (!counts_) return;
    const std::size_t mine = rounds_.size();
    rounds_.back().push_back(std::string(call) + " " + std::string(path));
    quiet_from_ = Time::now() + std::chrono::milliseconds(30);
    while (rounds_.size() == mine) {
      if (Time::now() < quiet_from_) {
        answered_.wait_until(lock, quiet_from_);
        continue;
      }
      rounds_.emplace_back();
      answered_.notify_all();
    }
  }

  MemoryFileSystem files_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable answered_;
  mutable std::vector<std::vector<std::string>> rounds_{1};  // the last one is being asked
  mutable std::chrono::steady_clock::time_point quiet_from_;
  bool counts_ = false;
};

}  // namespace braid
