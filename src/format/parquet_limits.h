#pragma once

#include <cstdint>
#include <string>

#include <arrow/memory_pool.h>
#include <arrow/status.h>
#include <parquet/metadata.h>

#include "base/result.h"
#include "io/file_system.h"

namespace braid {

/// The pool for the pages of one Parquet file. It refuses what no page of the file can need, since the library takes as
/// much as a page's header says before it looks at the page. That is not "out of memory", but says that the file is
/// damaged. Any thread, as soon as the limit is set; must outlive its buffers.
class PagePool : public arrow::MemoryPool {
 public:
  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  /// Everything is granted before.
  void set_limit_bytes(std::int64_t bytes) { limit_bytes_ = bytes; }

  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** pointer) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
  int64_t bytes_allocated() const override;
  int64_t total_bytes_allocated() const override;
  int64_t num_allocations() const override;
  std::string backend_name() const override;

 private:
  arrow::Status Check(std::int64_t size) const;

  std::int64_t limit_bytes_ = INT64_MAX;
};

/// The most that a page of the file can take in memory, by what the footer says about its column chunks.
std::int64_t LargestPageBytes(const parquet::FileMetaData& metadata);

/// The most elements that a list in the file's footer can have: each takes a byte. The library makes room for as many
/// as a list claims, up to a kilobyte for each. Errors: those of InputFile::ReadAt.
Result<std::int32_t> LongestFooterList(const InputFile& file);

}  // namespace braid
