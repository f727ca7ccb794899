#include "io/request_pool.h"

#include "io/storage_traits.h"

namespace braid {

ThreadPool& PoolFor(const FileSystem& file_system) {
  if (ParallelCalls(file_system) <= 1) return CpuPool();
  static ThreadPool pool(64);
  return pool;
}

}  // namespace braid
