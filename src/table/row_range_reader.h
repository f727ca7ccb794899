#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "table/row_range.h"
#include "table/scan.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// The rows of a range, put together from its files (spec data.md §1.6): each column comes from the newest file that
/// has it and is NULL if none has, and only files with wanted columns are opened. `fields`: as DataFileReader takes
/// them; `_SEQUENCE_NUMBER` is that of the newest file. Rows that `deletion_vector` names are left out; it is the vector
/// of the range's oldest normal file. The files that the range names are copied.
///
/// Errors: kCorruption if files have not the rows that they should; kUnsupported for `.blob` files of a column that
/// overlap in part.
Result<std::unique_ptr<BatchReader>> ReadRowRange(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                  const RowRange& range, const std::vector<DataField>& fields,
                                                  const DeletionVectorRef& deletion_vector);

/// The file that stands for a range where its deletion vector is concerned: the oldest normal one.
const DataFileMeta& AnchorOf(const RowRange& range);

}  // namespace braid
