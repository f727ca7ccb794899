#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace braid {

/// Bytes that the parts of a process share. Whoever finds no room waits or spills; nothing fails. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t total_bytes) : total_bytes_(total_bytes) {}

  std::int64_t total_bytes() const { return total_bytes_; }
  std::int64_t used_bytes() const;
  /// Takes the bytes if they are free; false if not. More than the whole budget is granted when nothing else is in use,
  /// since one record may be larger than any budget.
  bool TryReserve(std::int64_t bytes);
  /// Waits until the bytes are free, in the order of calls, so that whoever needs much is not passed over for ever by
  /// those who need little.
  void Reserve(std::int64_t bytes);
  void Release(std::int64_t bytes);

 private:
  bool Fits(std::int64_t bytes) const { return used_bytes_ == 0 || used_bytes_ + bytes <= total_bytes_; }

  const std::int64_t total_bytes_;
  mutable std::mutex mutex_;  // guards what follows but the condition
  std::condition_variable changed_;
  std::int64_t used_bytes_ = 0;
  std::uint64_t next_turn_ = 0;  // of the next call of Reserve
  std::uint64_t turn_ = 0;       // whose it is
};

/// Bytes of a budget that it holds as long as it lives, once it has got them. Who holds some must not wait for anybody
/// who may be waiting for the same budget.
class MemoryShare {
 public:
  /// Waits until the bytes are free. `budget` may be null: nothing is counted; else it outlives this.
  MemoryShare(MemoryBudget* budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) {
    if (budget_ != nullptr) budget_->Reserve(bytes_);
  }
  ~MemoryShare() {
    if (budget_ != nullptr) budget_->Release(bytes_);
  }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

 private:
  MemoryBudget* budget_;
  std::int64_t bytes_;
};

}  // namespace braid
