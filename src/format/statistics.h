#pragma once

#include <cstddef>
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

/// Of texts longer than this their first bytes alone are kept, whole code points and a few more than so many, so that long
/// values do not stay in memory: a bound from below, but from above only once it is raised (MakeManifestStats).
inline constexpr std::size_t kLongestTextBound = std::size_t{64} << 10;

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
