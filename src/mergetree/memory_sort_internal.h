#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "mergetree/key_value.h"
#include "mergetree/merge_function.h"
#include "mergetree/merge_reader.h"
#include "types/batch.h"

namespace braid {

/// Bytes that sorting takes for each row, besides the row.
inline constexpr std::int64_t kSortBytesPerRow = 40;

/// Sorts key-value batches, whose rows are numbered in the order of arrival, and yields them merged by `function`, or
/// every row if that is null. The batches are shared, not copied.
Result<std::unique_ptr<BatchReader>> SortInMemory(const KeyValueSchema& schema, std::vector<Batch> batches,
                                                  std::shared_ptr<const MergeFunction> function,
                                                  const MergeOptions& options);

}  // namespace braid
