#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "io/read_ahead_file_internal.h"

namespace braid {

namespace {

constexpr std::int64_t kFirstExtentBytes = std::int64_t{512} << 10;
constexpr std::int64_t kLargestExtentBytes = std::int64_t{4} << 20;
constexpr std::int64_t kLargeReadBytes = std::int64_t{512} << 10;  // such a read is no part of a run of small ones
constexpr std::int64_t kPieceBytes = std::int64_t{2} << 20;
constexpr std::int64_t kHeldBytes = std::int64_t{32} << 20;
constexpr int kThreads = 32;

// Its tasks wait for nothing but the network.
ThreadPool& FetchPool() {
  static ThreadPool pool(kThreads);
  return pool;
}

}  // namespace

ReadAheadFile::ReadAheadFile(std::string path, std::int64_t size_bytes, std::string end, Fetch fetch)
    : path_(std::move(path)),
      size_bytes_(size_bytes),
      end_(std::move(end)),
      fetch_(std::make_shared<const Fetch>(std::move(fetch))) {}

Status ReadAheadFile::ReadAt(std::int64_t offset, std::span<std::byte> buffer) const {
  const std::int64_t last = offset + std::ssize(buffer);
  if (offset < 0 || last > size_bytes_) {
    return Error(ErrorCode::kCorruption,
                 fmt::format("{} ends at byte {}, but bytes {} to {} are needed", path_, size_bytes_, offset, last));
  }
  if (last > end_offset() && !buffer.empty()) {
    const std::int64_t first = std::max(offset, end_offset());
    std::memcpy(buffer.data() + (first - offset), end_.data() + (first - end_offset()),
                static_cast<std::size_t>(last - first));
    buffer = buffer.first(static_cast<std::size_t>(first - offset));
  }
  if (std::ssize(buffer) >= kLargeReadBytes) return ReadInPieces(offset, buffer);
  while (!buffer.empty()) {
    BRAID_TRY_ASSIGN(const std::int64_t read, ReadFromExtent(offset, buffer));
    offset += read;
    buffer = buffer.subspan(static_cast<std::size_t>(read));
  }
  return Ok();
}

Status ReadAheadFile::ReadInPieces(std::int64_t offset, std::span<std::byte> buffer) const {
  const std::int64_t count = (std::ssize(buffer) + kPieceBytes - 1) / kPieceBytes;
  return ParallelFor(FetchPool(), count, [&](std::int64_t piece) -> Status {
    const std::int64_t first = piece * kPieceBytes;
    const std::int64_t byte_count = std::min(kPieceBytes, std::ssize(buffer) - first);
    BRAID_TRY_ASSIGN(const std::string bytes, (*fetch_)(offset + first, byte_count));
    std::memcpy(buffer.data() + first, bytes.data(), bytes.size());
    return Ok();
  });
}

Result<std::int64_t> ReadAheadFile::ReadFromExtent(std::int64_t offset, std::span<std::byte> buffer) const {
  std::function<void()> fetch_now;
  std::function<void()> fetch_ahead;
  Extent extent;
  {
    const std::lock_guard lock(mutex_);
    const Extent* found = Find(offset);
    if (found == nullptr) {
      const Extent* before = offset > 0 ? Find(offset - 1) : nullptr;
      const std::int64_t wanted = before != nullptr ? std::min(2 * before->byte_count, kLargestExtentBytes) : kFirstExtentBytes;
      fetch_now = Add(offset, std::min(wanted, end_offset() - offset), before != nullptr);
      found = &extents_.back();
    }
    extent = *found;
    MoveToBack(*found);
    // Whoever reads a second extent behind a first will want the third.
    const std::int64_t next = extent.offset + extent.byte_count;
    if (extent.follows_reader && next < end_offset() && Find(next) == nullptr) {
      fetch_ahead = Add(next, std::min({2 * extent.byte_count, kLargestExtentBytes, end_offset() - next}), true);
    }
  }
  if (fetch_ahead) FetchPool().Submit(std::move(fetch_ahead));
  if (fetch_now) fetch_now();
  const Bytes bytes = extent.bytes.get();
  if (!*bytes) {
    const std::lock_guard lock(mutex_);
    std::erase_if(extents_, [&](const Extent& kept) { return kept.offset == extent.offset; });
    return bytes->error();
  }
  const std::int64_t count = std::min(std::ssize(buffer), extent.offset + extent.byte_count - offset);
  std::memcpy(buffer.data(), (*bytes)->data() + (offset - extent.offset), static_cast<std::size_t>(count));
  return count;
}

void ReadAheadFile::MoveToBack(const Extent& used) const {
  const auto position = extents_.begin() + (&used - extents_.data());
  std::rotate(position, position + 1, extents_.end());
}

const ReadAheadFile::Extent* ReadAheadFile::Find(std::int64_t offset) const {
  const auto found = std::find_if(extents_.begin(), extents_.end(), [&](const Extent& extent) {
    return extent.offset <= offset && offset < extent.offset + extent.byte_count;
  });
  return found == extents_.end() ? nullptr : &*found;
}

std::function<void()> ReadAheadFile::Add(std::int64_t offset, std::int64_t byte_count, bool follows_reader) const {
  std::int64_t held = byte_count;
  for (const Extent& extent : extents_) held += extent.byte_count;
  while (held > kHeldBytes && !extents_.empty()) {
    held -= extents_.front().byte_count;
    extents_.erase(extents_.begin());
  }
  const auto promise = std::make_shared<std::promise<Bytes>>();
  extents_.push_back(
      {.offset = offset, .byte_count = byte_count, .bytes = promise->get_future().share(), .follows_reader = follows_reader});
  return [fetch = fetch_, promise, offset, byte_count] {
    promise->set_value(std::make_shared<const Result<std::string>>((*fetch)(offset, byte_count)));
  };
}

}  // namespace braid
