#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace braid {

/// A line of /proc/PROCESS/status in mebibytes; 0 if there is none. `process` is a number, or "self".
std::int64_t StatusMebibytes(std::string_view process, std::string_view name);

/// The process of the worker of the job whose folder is in this one; empty if there is none.
std::string WorkerOf(const std::string& state_directory);

/// Looks at a process every millisecond, for the system keeps no greatest value of its own memory.
class MemoryWatch {
 public:
  /// `process` gives the process to look at, or nothing as long as there is none; called on a thread of the watch.
  explicit MemoryWatch(std::function<std::string()> process);

  /// The greatest so far, in mebibytes: memory of its own (RssAnon), and with pages of files (VmHWM).
  std::int64_t own_mb() const { return own_; }
  std::int64_t all_mb() const { return all_; }

 private:
  void Watch(const std::stop_token& stop);

  std::function<std::string()> process_;
  std::atomic<std::int64_t> own_ = 0;
  std::atomic<std::int64_t> all_ = 0;
  std::jthread thread_;
};

}  // namespace braid
