#include "types/buffer_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

#include <arrow/memory_pool.h>
#include <arrow/status.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>

namespace braid {
namespace {

constexpr std::int64_t kMappedBytes = std::int64_t{4} << 20;
constexpr std::int64_t kPageBytes = 4096;  // or a multiple of it

class MappingPool : public arrow::MemoryPool {
 public:
  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(IsMapped(size, alignment) ? Map(size, out) : small_.Allocate(size, alignment, out));
    stats_.DidAllocateBytes(size);
    RaisePeak();
    return arrow::Status::OK();
  }

  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** pointer) override {
    const bool was_mapped = IsMapped(old_size, alignment);
    if (was_mapped != IsMapped(new_size, alignment)) return Move(old_size, new_size, alignment, pointer);
    if (!was_mapped) {
      ARROW_RETURN_NOT_OK(small_.Reallocate(old_size, new_size, alignment, pointer));
    } else {
      void* moved = mremap(*pointer, static_cast<std::size_t>(old_size), static_cast<std::size_t>(new_size), MREMAP_MAYMOVE);
      if (moved == MAP_FAILED) return NoMemory(new_size);
      *pointer = static_cast<uint8_t*>(moved);
    }
    stats_.DidReallocateBytes(old_size, new_size);
    RaisePeak();
    return arrow::Status::OK();
  }

  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override {
    if (IsMapped(size, alignment)) {
      munmap(buffer, static_cast<std::size_t>(size));
    } else {
      small_.Free(buffer, size, alignment);
    }
    stats_.DidFreeBytes(size);
  }

  void ReleaseUnused() override { small_.ReleaseUnused(); }
  int64_t bytes_allocated() const override { return stats_.bytes_allocated(); }
  int64_t max_memory() const override { return stats_.max_memory(); }
  int64_t total_bytes_allocated() const override { return stats_.total_bytes_allocated(); }
  int64_t num_allocations() const override { return stats_.num_allocations(); }
  std::string backend_name() const override { return small_.backend_name(); }

  void ForgetPeak() { peak_ = stats_.bytes_allocated(); }
  std::int64_t peak() const { return peak_; }

 private:
  void RaisePeak() {
    const std::int64_t now = stats_.bytes_allocated();
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }

  static bool IsMapped(int64_t size, int64_t alignment) { return size >= kMappedBytes && alignment <= kPageBytes; }

  static arrow::Status NoMemory(int64_t size) {
    return arrow::Status::OutOfMemory(fmt::format("{} bytes cannot be had", size));
  }

  static arrow::Status Map(int64_t size, uint8_t** out) {
    void* mapped = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return NoMemory(size);
    *out = static_cast<uint8_t*>(mapped);
    return arrow::Status::OK();
  }

  // Between a small buffer and one of its own.
  arrow::Status Move(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** pointer) {
    uint8_t* moved = nullptr;
    ARROW_RETURN_NOT_OK(Allocate(new_size, alignment, &moved));
    std::memcpy(moved, *pointer, static_cast<std::size_t>(std::min(old_size, new_size)));
    Free(*pointer, old_size, alignment);
    *pointer = moved;
    return arrow::Status::OK();
  }

  arrow::MemoryPool& small_ = *arrow::default_memory_pool();
  arrow::internal::MemoryPoolStats stats_;
  std::atomic<std::int64_t> peak_ = 0;  // since ForgetPeak
};

MappingPool* Pool() {
  static auto* pool = new MappingPool();  // never destroyed: buffers may outlive what else is
  return pool;
}

}  // namespace

arrow::MemoryPool* BufferPool() {
  return Pool();
}

void ReleaseFreedMemory() {
  Pool()->ReleaseUnused();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

BufferPeak::BufferPeak() : before_(Pool()->bytes_allocated()) {
  Pool()->ForgetPeak();
}

std::int64_t BufferPeak::bytes() const {
  return std::max<std::int64_t>(0, Pool()->peak() - before_);
}

}  // namespace braid
