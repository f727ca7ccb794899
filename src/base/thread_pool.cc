#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <optional>

namespace braid {

ThreadPool::ThreadPool(int threads) {
  threads_.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void ThreadPool::Submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  arrived_.notify_one();
}

void ThreadPool::Work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, stop, [&] { return !tasks_.empty(); });
    if (tasks_.empty()) return;  // stopped and drained
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

Status ParallelFor(ThreadPool& pool, std::int64_t count, const std::function<Status(std::int64_t)>& body) {
  if (count <= 0) return Ok();
  if (count == 1) return body(0);
  const int helpers = static_cast<int>(std::min<std::int64_t>(count - 1, pool.thread_count()));
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;  // guards first_error
  std::optional<Error> first_error;
  const auto run = [&] {
    while (!failed) {
      const std::int64_t index = next.fetch_add(1);
      if (index >= count) return;
      Status status = body(index);
      if (status) continue;
      failed = true;
      const std::lock_guard lock(mutex);
      if (!first_error) first_error = std::move(status).error();
    }
  };
  std::latch done(helpers);
  for (int i = 0; i < helpers; ++i) {
    pool.Submit([&] {
      run();
      done.count_down();
    });
  }
  run();
  done.wait();
  if (first_error) return *std::move(first_error);
  return Ok();
}

ThreadPool& CpuPool() {
  static ThreadPool pool(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  return pool;
}

ThreadPool& IoPool() {
  static ThreadPool pool(16);
  return pool;
}

}  // namespace braid
