#include "table/row_id_lookup.h"

#include <optional>
#include <utility>

#include <arrow/api.h>

#include "table/data_file_reader.h"
#include "table/row_tracking.h"

namespace braid {

Result<std::shared_ptr<arrow::Array>> RowIdLookup::Find(const arrow::Int32Array& files, const arrow::Int64Array& positions) {
  std::vector<std::int64_t> ids;
  ids.reserve(static_cast<std::size_t>(files.length()));
  for (std::int64_t row = 0; row < files.length(); ++row) {
    const DataFileMeta& file = rows_->files()[static_cast<std::size_t>(files.Value(row))].meta;
    if (file.first_row_id && !StoresColumn(file, kRowIdColumn)) {
      ids.push_back(*file.first_row_id + positions.Value(row));
      continue;
    }
    BRAID_TRY_ASSIGN(const std::vector<std::int64_t>* stored, StoredIds(files.Value(row)));
    ids.push_back(stored->at(static_cast<std::size_t>(positions.Value(row))));
  }
  const auto count = static_cast<std::int64_t>(ids.size());
  return std::shared_ptr<arrow::Array>(std::make_shared<arrow::Int64Array>(count, arrow::Buffer::FromVector(std::move(ids))));
}

Result<const std::vector<std::int64_t>*> RowIdLookup::StoredIds(std::int32_t file) {
  if (const auto found = stored_.find(file); found != stored_.end()) return &found->second;
  const AddressedRows::File& of = rows_->files()[static_cast<std::size_t>(file)];
  DataFileReader files(rows_->table());
  BRAID_TRY_ASSIGN(const auto reader, files.Open(of.partition, of.bucket, of.meta, {RowIdField()}, nullptr));
  std::vector<std::int64_t> ids;
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->rows->column(0));
    for (std::int64_t row = 0; row < column.length(); ++row) ids.push_back(column.Value(row));
  }
  return &stored_.emplace(file, std::move(ids)).first->second;
}

}  // namespace braid
