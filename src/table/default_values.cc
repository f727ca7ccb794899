#include "table/default_values.h"

#include <cstdint>
#include <memory>
#include <utility>

#include <arrow/api.h>

#include "types/cast.h"

namespace braid {

namespace {

Result<std::shared_ptr<arrow::Array>> ReplaceNulls(const std::shared_ptr<arrow::Array>& column,
                                                   const std::shared_ptr<arrow::Array>& value) {
  const auto row_count = static_cast<std::size_t>(column->length());
  std::vector<std::int32_t> sources(row_count, 0);
  std::vector<std::int32_t> positions(row_count, 0);
  for (std::size_t row = 0; row < row_count; ++row) {
    if (column->IsNull(static_cast<std::int64_t>(row))) {
      sources[row] = 1;
    } else {
      positions[row] = static_cast<std::int32_t>(row);
    }
  }
  const std::vector<std::shared_ptr<arrow::Array>> columns = {column, value};
  return Interleave(columns, sources, positions);
}

}  // namespace

Result<DefaultValues> DefaultValues::Make(const std::vector<DataField>& fields) {
  DefaultValues defaults;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const DataField& field = fields[i];
    if (!field.default_value) continue;
    BRAID_TRY_ASSIGN(
        const Datum value,
        ParseDatum(*field.default_value, field.type).Context("while reading the default of column " + field.name));
    BRAID_TRY_ASSIGN(auto column, MakeConstantColumn(value, field.type, 1));
    defaults.columns_.push_back({.index = static_cast<int>(i), .value = std::move(column)});
  }
  return defaults;
}

Result<Batch> DefaultValues::Fill(const Batch& batch) const {
  Batch filled = batch;
  for (const Column& column : columns_) {
    const std::shared_ptr<arrow::Array>& before = batch.rows->column(column.index);
    if (before->null_count() == 0) continue;
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> after, ReplaceNulls(before, column.value));
    std::vector<std::shared_ptr<arrow::Array>> columns = filled.rows->columns();
    columns[static_cast<std::size_t>(column.index)] = std::move(after);
    filled.rows = arrow::RecordBatch::Make(filled.rows->schema(), filled.rows->num_rows(), std::move(columns));
  }
  return filled;
}

}  // namespace braid
