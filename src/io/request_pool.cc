#include "io/request_pool.h"

#include "io/storage_traits.h"

namespace braid {

ThreadPool& PoolFor(const FileSystem& file_system) {
  if (ParallelCalls(file_system) <= 1) return CpuPool();
  static ThreadPool pool(64);
  return pool;
}

Status CallForEach(const FileSystem& file_system, std::int64_t count, const std::function<Status(std::int64_t)>& call) {
  if (ParallelCalls(file_system) > 1) return ParallelFor(PoolFor(file_system), count, call);
  for (std::int64_t i = 0; i < count; ++i) BRAID_TRY(call(i));
  return Ok();
}

}  // namespace braid
