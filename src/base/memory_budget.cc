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
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return Fits(bytes); });
  used_bytes_ += bytes;
}

void MemoryBudget::Release(std::int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    used_bytes_ -= bytes;
  }
  released_.notify_all();
}

}  // namespace braid
