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

/// Positions of rows in a vector.
class RowList {
 public:
  /// 0 … count - 1.
  static RowList First(duckdb::idx_t count) { return RowList(nullptr, count); }
  /// The list outlives this view of it.
  explicit RowList(const std::vector<duckdb::idx_t>& rows) : RowList(rows.data(), rows.size()) {}

  duckdb::idx_t size() const { return count_; }

  /// Calls visit(position of the value) for each row, in order.
  template <typename Visit>
  void ForEach(const duckdb::UnifiedVectorFormat& format, Visit&& visit) const {
    if (IsDense(format)) {
      for (duckdb::idx_t i = 0; i < count_; ++i) visit(i);
    } else {
      for (duckdb::idx_t i = 0; i < count_; ++i) visit(format.sel->get_index(rows_ == nullptr ? i : rows_[i]));
    }
  }
  /// Whether the values lie one after the other from the vector's first on.
  bool IsDense(const duckdb::UnifiedVectorFormat& format) const { return rows_ == nullptr && !format.sel->IsSet(); }

 private:
  RowList(const duckdb::idx_t* rows, duckdb::idx_t count) : rows_(rows), count_(count) {}

  const duckdb::idx_t* rows_;
  duckdb::idx_t count_;
};

/// Collects vectors of one type into an Arrow column.
class ColumnCollector {
 public:
  virtual ~ColumnCollector() = default;
  /// Appends these rows of a vector of type ToLogicalType(type). Errors: kInvalidArgument for values that the type
  /// cannot hold.
  virtual Status Append(const duckdb::RecursiveUnifiedVectorFormat& vector, const RowList& rows) = 0;
  /// Bytes of the texts collected so far, at every level; what else rows take does not depend on them.
  virtual std::int64_t text_bytes() const { return 0; }
  /// The column of all rows so far, of type ToArrowType(type); the collector starts anew.
  virtual Result<std::shared_ptr<arrow::Array>> Finish() = 0;
};

/// A collector of columns of this type.
Result<std::unique_ptr<ColumnCollector>> MakeColumnCollector(const DataType& type);

}  // namespace braid
