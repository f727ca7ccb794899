#include "types/long_rows.h"

namespace braid {

MemoryBudget& LongRowMemory() {
  static auto* memory = new MemoryBudget(std::int64_t{128} << 20);  // never destroyed: threads may still read
  return *memory;
}

}  // namespace braid
