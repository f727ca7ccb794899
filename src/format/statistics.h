#pragma once

#include <memory>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "format/file_format.h"

namespace braid {

/// Which columns of a format have statistics, as Java records them (spec data.md §2.6 and the golden manifests).
///
/// Byte strings, nested types, VARIANT and BLOB never have bounds.
struct StatisticsRule {
  bool wide_timestamp_bounds = true;  ///< TIMESTAMP(7–9); Parquet's INT96 has none
  bool nested_null_counts = true;     ///< null counts of nested columns; Parquet's footer has none
};

/// Collects bounds and null counts of columns while they are written. One thread at a time.
///
/// The order is that of CompareDatums: Java's Double.compare for FLOAT and DOUBLE, so NaN is a maximum.
class StatisticsCollector {
 public:
  StatisticsCollector(std::span<const DataField> fields, StatisticsRule rule);
  StatisticsCollector(StatisticsCollector&&) noexcept;
  ~StatisticsCollector();

  /// Takes rows into account; the batch's columns are the fields.
  void Update(const arrow::RecordBatch& rows);
  /// In the order of the fields.
  std::vector<ColumnStatistics> Finish() const;

  class Column;

 private:
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace braid
