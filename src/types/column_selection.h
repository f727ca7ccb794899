#pragma once

#include <span>

#include "types/batch.h"

namespace braid {

/// Columns of a batch at these positions, in this order; the kinds stay.
Batch TakeColumns(const Batch& batch, std::span<const int> positions);

}  // namespace braid
