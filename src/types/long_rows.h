#pragma once

#include <cstdint>

#include "base/memory_budget.h"

namespace braid {

/// A row of so many bytes is read, merged and written by itself. Batches whose rows take that on average have long
/// rows.
inline constexpr std::int64_t kLongRowBytes = std::int64_t{4} << 20;

/// What long rows take while they are decoded or encoded, of all readers and writers of the process: 128 MiB together,
/// or one row that takes more, alone. Taken for one row at a time, in one piece and in the order of asking; who holds
/// it waits for nothing but the file that the row comes from or goes to. So whoever waits gets it, whatever the number
/// of threads and the size of rows. Lives as long as the process; any thread.
MemoryBudget& LongRowMemory();

}  // namespace braid
