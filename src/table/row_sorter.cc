#include "table/row_sorter.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

namespace braid {

namespace {

constexpr std::string_view kPlaceColumn = "_PLACE";

// The rows without what they were sorted by.
class SortedRows : public BatchReader {
 public:
  SortedRows(std::unique_ptr<BatchReader> sorted, int first_column, std::shared_ptr<arrow::Schema> schema)
      : sorted_(std::move(sorted)), first_column_(first_column), schema_(std::move(schema)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, sorted_->Next());
    if (!batch) return batch;
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (int i = 0; i < schema_->num_fields(); ++i) columns.push_back(batch->rows->column(first_column_ + i));
    return std::optional(
        Batch{.rows = arrow::RecordBatch::Make(schema_, batch->row_count(), std::move(columns)), .kinds = nullptr});
  }

 private:
  std::unique_ptr<BatchReader> sorted_;
  int first_column_;
  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace

RowSorter::RowSorter(std::vector<std::size_t> columns, std::optional<CurveKey> curve, KeyValueSchema schema,
                     SortBufferOptions options)
    : columns_(std::move(columns)),
      curve_(std::move(curve)),
      schema_(std::move(schema)),
      buffer_(schema_, std::move(options)) {}

Result<std::unique_ptr<RowSorter>> RowSorter::Make(std::vector<DataField> fields, std::span<const std::string> columns,
                                                   SortStrategy strategy, const Options& options,
                                                   const std::string& spill_directory) {
  BRAID_TRY_ASSIGN(SortBufferOptions buffer, SortBufferOptions::FromOptions(options, spill_directory));
  buffer.spillable = true;  // `write-buffer-spillable` is about writers, which can do without
  std::vector<std::size_t> positions;
  std::vector<DataField> key_fields;
  for (const std::string& column : columns) {
    const std::optional<std::size_t> position = FindField(fields, column);
    BRAID_CHECK(position.has_value());
    positions.push_back(*position);
    key_fields.push_back(fields[*position]);
  }
  // Which columns have an order is the same for all strategies.
  BRAID_TRY_ASSIGN(const std::int64_t text_bytes, options.GetInt("zorder.var-length-contribution", 8));
  const SpaceCurve shape = strategy == SortStrategy::kHilbert ? SpaceCurve::kHilbert : SpaceCurve::kZOrder;
  BRAID_TRY_ASSIGN(std::optional<CurveKey> curve, CurveKey::Make(key_fields, shape, static_cast<int>(text_bytes)));
  const std::size_t requested = fields.size();
  if (strategy == SortStrategy::kOrder) {
    curve.reset();
  } else {
    fields.push_back({.id = FieldId(HighestFieldId(fields) + 1),
                      .name = std::string(kPlaceColumn),
                      .type = DataType::Bytes().NotNull(),
                      .description = {},
                      .default_value = {}});
    key_fields = {fields.back()};
  }
  KeyValueSchema schema{.key_fields = std::move(key_fields),
                        .value_fields = std::move(fields),
                        .sequence_fields = {},
                        .requested_values = requested};
  return std::unique_ptr<RowSorter>(
      new RowSorter(std::move(positions), std::move(curve), std::move(schema), std::move(buffer)));
}

Status RowSorter::Add(const Batch& rows) {
  Batch keyed = rows;
  if (curve_) {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const std::size_t column : columns_) columns.push_back(rows.rows->column(static_cast<int>(column)));
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> places, curve_->Encode(columns, rows.row_count()));
    columns = rows.rows->columns();
    columns.push_back(std::move(places));
    keyed.rows = arrow::RecordBatch::Make(ToArrowSchema(schema_.value_fields), rows.row_count(), std::move(columns));
  }
  if (buffer_.is_full()) {
    BRAID_TRY_ASSIGN(bool spilled, buffer_.Spill());
    if (!spilled) {
      BRAID_TRY_ASSIGN(const bool merged, buffer_.MergeSpilled());
      if (merged) {
        BRAID_TRY_ASSIGN(spilled, buffer_.Spill());
      }
    }
    if (!spilled) {
      return Error(ErrorCode::kUnavailable, "the rows to be sorted take more local disk space than is allowed")
          .Hint("raise 'write-buffer-spill.max-disk-size', or choose fewer partitions");
    }
  }
  BRAID_TRY(buffer_.Add(keyed, next_number_));
  next_number_ += rows.row_count();
  return Ok();
}

Result<std::unique_ptr<BatchReader>> RowSorter::Sorted() {
  BRAID_TRY_ASSIGN(std::unique_ptr<BatchReader> sorted, buffer_.Sorted(nullptr));
  const std::span<const DataField> fields(schema_.value_fields.data(), schema_.requested_values);
  return std::unique_ptr<BatchReader>(
      std::make_unique<SortedRows>(std::move(sorted), schema_.value_column(0), ToArrowSchema(fields)));
}

void RowSorter::Clear() {
  buffer_.Clear();
}

}  // namespace braid
