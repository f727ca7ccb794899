#pragma once

#include <cstddef>
#include <span>

#include "table/scan.h"

namespace braid {

/// Says to a far storage which data files come next: those of the split at `next` and some behind it, about as many as are
/// worth having under way. Does nothing on local files.
void ExpectSplits(const Table& table, std::span<const DataSplit> splits, std::size_t next);

}  // namespace braid
