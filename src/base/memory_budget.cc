#include "base/memory_budget.h"

namespace braid {

std::int64_t MemoryBudget::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

bool MemoryBudget::TryReserve(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!Fits(bytes)) return false;
  used_bytes_ += bytes;
  return true;
}

void MemoryBudget::Reserve(std::int64_t bytes) {
  {
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = next_turn_++;
    changed_.wait(lock, [&] { return turn_ == turn && Fits(bytes); });
    used_bytes_ += bytes;
    ++turn_;
  }
  changed_.notify_all();
}

void MemoryBudget::Release(std::int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    used_bytes_ -= bytes;
  }
  changed_.notify_all();
}

}  // namespace braid
