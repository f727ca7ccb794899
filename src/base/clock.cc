#include "base/clock.h"

#include <chrono>

namespace braid {

const Clock& SystemClock() {
  class Wall : public Clock {
   public:
    std::int64_t NowMs() const override {
      return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    }
  };
  static const Wall clock;
  return clock;
}

}  // namespace braid
