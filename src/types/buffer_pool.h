#pragma once

#include <cstdint>

#include <arrow/type_fwd.h>

namespace braid {

/// Where buffers of rows and of files being written come from: Arrow's default pool, but that a buffer of 4 MiB and more
/// is mapped by itself. Such a buffer grows without being copied, so it is never there twice, and the system has its
/// memory back as soon as it is freed; the default pool keeps what is freed for a second, in which a writer can free as
/// much as it holds. Counts the bytes in use and their greatest number. Any thread; lives as long as the process.
arrow::MemoryPool* BufferPool();

/// Gives back to the system what the allocators keep of memory that was freed, of this thread and of none; to be called
/// where much was freed at once, which may take some milliseconds.
void ReleaseFreedMemory();

/// The greatest number of bytes of BufferPool that were in use since this was made, beyond those in use then. Of all
/// threads; one at a time.
class BufferPeak {
 public:
  BufferPeak();
  std::int64_t bytes() const;

 private:
  std::int64_t before_;
};

}  // namespace braid
