#pragma once

#include <atomic>
#include <cstdint>

namespace braid {

/// Where the time comes from; passed in so that tests tell it. All implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Milliseconds since 1970-01-01 UTC.
  virtual std::int64_t NowMs() const = 0;
};

/// The machine's wall clock; lives for the whole process.
const Clock& SystemClock();

/// Shows the time that it was told.
class ManualClock : public Clock {
 public:
  explicit ManualClock(std::int64_t now_ms) : now_ms_(now_ms) {}
  std::int64_t NowMs() const override { return now_ms_.load(); }
  void Advance(std::int64_t ms) { now_ms_ += ms; }

 private:
  std::atomic<std::int64_t> now_ms_;
};

}  // namespace braid
