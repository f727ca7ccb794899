#pragma once

#include <vector>

#include "base/result.h"
#include "types/batch.h"

namespace braid {

/// The default values of a table's columns, which stand in for NULL when rows are written (spec data.md §3.2).
/// Immutable; any thread.
class DefaultValues {
 public:
  /// Errors: kInvalidArgument, naming the column, for a default that is no value of the column's type.
  static Result<DefaultValues> Make(const std::vector<DataField>& fields);

  /// The same rows with each NULL replaced in columns that have a default. Columns without NULL are shared.
  Result<Batch> Fill(const Batch& batch) const;

 private:
  struct Column {
    int index;
    std::shared_ptr<arrow::Array> value;  // one row
  };
  std::vector<Column> columns_;
};

}  // namespace braid
