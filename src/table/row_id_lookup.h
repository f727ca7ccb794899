#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "table/addressed_rows.h"

namespace braid {

/// Tells the ids of rows of a table that tracks them, by their addresses. Reads the ids of a file that stores them once
/// and keeps them. One thread.
class RowIdLookup {
 public:
  explicit RowIdLookup(std::shared_ptr<const AddressedRows> rows) : rows_(std::move(rows)) {}

  /// `files` and `positions`: INT and BIGINT columns without NULL, as AddressedRows has them. Returns a BIGINT column.
  Result<std::shared_ptr<arrow::Array>> Find(const arrow::Int32Array& files, const arrow::Int64Array& positions);

 private:
  Result<const std::vector<std::int64_t>*> StoredIds(std::int32_t file);

  std::shared_ptr<const AddressedRows> rows_;
  std::map<std::int32_t, std::vector<std::int64_t>> stored_;  // by the file's number
};

}  // namespace braid
