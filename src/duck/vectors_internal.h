#pragma once

// Conversions between Arrow columns and DuckDB's vectors, for this folder's sources that see DuckDB's headers.

#include <cstdint>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>
#include <duckdb/common/types/vector.hpp>

#include "base/result.h"
#include "types/data_type.h"

namespace braid {

/// Fills a vector of type ToLogicalType(type) with `count` rows of a column from row `offset` on. Fixed-width values of
/// equal layout and texts are borrowed: the vector keeps the column alive. The vector has room for `count` rows and is
/// as DuckDB hands it out (flat, nothing valid in it yet). Errors: kInvalidArgument for a timestamp that DuckDB cannot
/// hold, naming the value; kInternal if the column has another Arrow type than ToArrowType(type).
Status FillVector(const std::shared_ptr<arrow::Array>& column, const DataType& type, std::int64_t offset,
                  std::int64_t count, duckdb::Vector& vector);

/// Collects vectors of one type into an Arrow column.
class ColumnCollector {
 public:
  virtual ~ColumnCollector() = default;
  /// Appends these rows of a vector of type ToLogicalType(type). Errors: kInvalidArgument for values that the type
  /// cannot hold.
  virtual Status Append(const duckdb::RecursiveUnifiedVectorFormat& vector, const std::vector<duckdb::idx_t>& rows) = 0;
  /// The column of all rows so far, of type ToArrowType(type); the collector starts anew.
  virtual Result<std::shared_ptr<arrow::Array>> Finish() = 0;
};

/// A collector of columns of this type. Errors: kUnsupported for VARIANT.
Result<std::unique_ptr<ColumnCollector>> MakeColumnCollector(const DataType& type);

}  // namespace braid
