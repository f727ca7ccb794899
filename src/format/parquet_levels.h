#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// One leaf of a column, shredded as Parquet stores it.
struct ParquetLeaf {
  std::vector<std::int16_t> definition_levels;  ///< empty if the leaf and all above it are NOT NULL and not repeated
  std::vector<std::int16_t> repetition_levels;  ///< empty if nothing above the leaf is repeated
  std::int64_t level_count = 0;
  /// The leaf's values with a slot for each NULL within the innermost repetition (what
  /// parquet::ColumnWriter::WriteArrow takes).
  std::shared_ptr<arrow::Array> values;
  bool nullable = false;  ///< whether such a slot may be NULL
};

/// Shreds a column of a batch into its leaves, in the order of the Parquet schema of that type (MakeParquetSchema).
/// Errors: kInvalidArgument, naming the column, for a NULL where the type says NOT NULL or for a NULL key of a map.
Result<std::vector<ParquetLeaf>> ShredColumn(std::string_view name, const DataType& type,
                                             const std::shared_ptr<arrow::Array>& column);

}  // namespace braid
