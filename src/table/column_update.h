#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "table/addressed_rows.h"
#include "table/blob_input.h"
#include "table/commit.h"
#include "types/batch.h"

namespace braid {

/// Gives some columns of rows of a data-evolution table other values (spec data.md §8.3): for each range of rows with one
/// of them, a file with those columns alone, which takes the place of what older files hold. The new values stay in
/// memory until Finish. One thread.
class ColumnUpdate {
 public:
  /// Columns are written in the table's order. Errors: kUnsupported for BLOB columns whose values lie in `.blob` files, those of the partition and
  /// those with a global index.
  static Result<ColumnUpdate> Make(std::shared_ptr<const AddressedRows> rows, const std::vector<std::string>& columns);

  /// The columns that are written.
  const std::vector<DataField>& fields() const { return fields_; }

  /// Takes rows: their addresses, as AddressedRows has them, and the values of fields(). Errors: kInvalidArgument for
  /// NULL in a NOT NULL column.
  Status Add(const arrow::Int32Array& files, const arrow::Int64Array& positions, const Batch& values);

  /// Writes the files. What comes of committing them is kConflict if others have written files of the same rows
  /// meanwhile. A row that was added twice has the last value.
  Result<std::vector<CommitMessage>> Finish();

 private:
  /// Where the new values of a row are: number of the batch, and row.
  using ValuePlace = std::pair<std::size_t, std::int32_t>;
  using Changes = std::map<std::int64_t, ValuePlace>;  // by position in the range

  ColumnUpdate(std::shared_ptr<const AddressedRows> rows, std::vector<DataField> fields, std::unique_ptr<BlobInput> input)
      : rows_(std::move(rows)), fields_(std::move(fields)), input_(std::move(input)) {}

  Result<CommitMessage> WriteRange(const AddressedRows::File& range, const Changes& changes) const;
  Result<Batch> WithChanges(const Batch& before, std::int64_t first, const Changes& changes) const;

  std::shared_ptr<const AddressedRows> rows_;
  std::vector<DataField> fields_;
  std::unique_ptr<BlobInput> input_;
  std::vector<Batch> values_;  // as they are stored
  std::map<std::int32_t, Changes> changes_;  // by the number of the range
};

}  // namespace braid
