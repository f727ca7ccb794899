#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/file_system.h"

namespace braid {

/// Reads a file over a network: small reads come out of larger ones made ahead of them, large reads are fetched in pieces
/// at the same time. Holds at most 32 MiB. Thread-safe.
class ReadAheadFile : public InputFile {
 public:
  /// Reads exactly so many bytes from an offset; called from several threads.
  using Fetch = std::function<Result<std::string>(std::int64_t offset, std::int64_t byte_count)>;

  /// `end` holds the last bytes of the file, known already.
  ReadAheadFile(std::string path, std::int64_t size_bytes, std::string end, Fetch fetch);

  std::int64_t size_bytes() const override { return size_bytes_; }
  Status ReadAt(std::int64_t offset, std::span<std::byte> buffer) const override;

 private:
  using Bytes = std::shared_ptr<const Result<std::string>>;

  struct Extent {
    std::int64_t offset = 0;
    std::int64_t byte_count = 0;
    std::shared_future<Bytes> bytes;
    bool follows_reader = false;  ///< begins where an earlier one ends
  };

  std::int64_t end_offset() const { return size_bytes_ - std::ssize(end_); }
  Status ReadInPieces(std::int64_t offset, std::span<std::byte> buffer) const;
  // Copies what an extent around `offset` has; how many bytes that are.
  Result<std::int64_t> ReadFromExtent(std::int64_t offset, std::span<std::byte> buffer) const;
  // With the mutex held: the extent that holds the byte, or null.
  const Extent* Find(std::int64_t offset) const;
  void MoveToBack(const Extent& used) const;
  // With the mutex held: adds an extent; what fetches it.
  std::function<void()> Add(std::int64_t offset, std::int64_t byte_count, bool follows_reader) const;

  const std::string path_;
  const std::int64_t size_bytes_;
  const std::string end_;
  const std::shared_ptr<const Fetch> fetch_;
  mutable std::mutex mutex_;            // guards extents_
  mutable std::vector<Extent> extents_;  // the one used longest ago first
};

}  // namespace braid
