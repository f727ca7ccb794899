#include "io/request_pool.h"

#include <thread>
#include <vector>

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

Status CallTogether(const FileSystem& file_system, std::span<const std::function<Status()>> calls) {
  if (ParallelCalls(file_system) <= 1) {
    for (const std::function<Status()>& call : calls) BRAID_TRY(call());
    return Ok();
  }
  std::vector<Status> results(calls.size());
  {
    std::vector<std::jthread> threads;  // waited for at the end of the block
    for (std::size_t i = 1; i < calls.size(); ++i) threads.emplace_back([&, i] { results[i] = calls[i](); });
    if (!calls.empty()) results[0] = calls[0]();
  }
  for (Status& result : results) BRAID_TRY(std::move(result));
  return Ok();
}

}  // namespace braid
