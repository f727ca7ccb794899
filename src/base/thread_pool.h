#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"

namespace braid {

/// A fixed number of threads that run tasks in the order of arrival. Thread-safe; the destructor finishes all tasks.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const { return static_cast<int>(threads_.size()); }
  void Submit(std::function<void()> task);

 private:
  void Work(const std::stop_token& stop);

  std::mutex mutex_;  // guards tasks_
  std::condition_variable_any arrived_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::jthread> threads_;
};

/// Calls body(0) … body(count - 1) on the pool's threads and the caller's, at most one call an index, and waits for all. After the
/// first error no further index is started; that error is returned. Must not be called from a task of the same pool.
Status ParallelFor(ThreadPool& pool, std::int64_t count, const std::function<Status(std::int64_t)>& body);

/// The process's pool for computing, as wide as the machine, and the one for waiting on storage (16 threads).
ThreadPool& CpuPool();
ThreadPool& IoPool();

}  // namespace braid
