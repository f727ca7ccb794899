#pragma once

#include <memory>

#include "mergetree/merge_reader.h"
#include "types/batch.h"

namespace braid {

/// Reads the next batch on the CPU pool while the last one is in use. For few readers on many processors: each holds a
/// batch more. Batches that take more than kMaxBatchBytes are not read ahead. The pool may call `reader` until the
/// result is gone, at most one thread at a time; `reader` must not wait for the pool.
std::unique_ptr<RunReader> ReadAhead(std::unique_ptr<RunReader> reader);
std::unique_ptr<BatchReader> ReadAhead(std::unique_ptr<BatchReader> reader);

}  // namespace braid
