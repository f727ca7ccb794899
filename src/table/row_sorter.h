#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "mergetree/sort_buffer.h"
#include "table/sort_strategy.h"
#include "types/batch.h"
#include "types/curve_key.h"

namespace braid {

/// Sorts rows, in memory up to a bound and beyond it in local files; rows that are equal there stay in their order. One
/// thread.
class RowSorter {
 public:
  /// `fields` are those of the rows, `columns` those to sort by, the names of some of them. Errors: kUnsupported for a
  /// column without an order; kInvalidArgument for options that are none.
  static Result<std::unique_ptr<RowSorter>> Make(std::vector<DataField> fields, std::span<const std::string> columns,
                                                 SortStrategy strategy, const Options& options,
                                                 const std::string& spill_directory);

  /// Errors: kUnavailable if neither memory nor local files take more.
  Status Add(const Batch& rows);
  /// All rows, sorted. The reader must not outlive the sorter or its next change.
  Result<std::unique_ptr<BatchReader>> Sorted();
  /// Forgets all rows.
  void Clear();

 private:
  RowSorter(std::vector<std::size_t> columns, std::optional<CurveKey> curve, KeyValueSchema schema,
            SortBufferOptions options);

  std::vector<std::size_t> columns_;  // positions among the fields
  std::optional<CurveKey> curve_;     // nullopt: they are the key themselves
  KeyValueSchema schema_;             // of rows with their key
  SortBuffer buffer_;
  std::int64_t next_number_ = 0;
};

}  // namespace braid
