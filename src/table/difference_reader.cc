#include "table/difference_reader.h"

#include <utility>

#include <arrow/api.h>

#include "mergetree/merge_function.h"
#include "mergetree/merge_reader.h"

namespace braid {

namespace {

// The states that rows come from, told by the sequence number so that merging brings the older one first.
enum State : std::int64_t { kBefore = 0, kAfter = 1 };

// Stamps every row with its state.
class StampingReader : public BatchReader {
 public:
  StampingReader(std::unique_ptr<BatchReader> inner, State state, int sequence_column)
      : inner_(std::move(inner)), state_(state), sequence_column_(sequence_column) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, inner_->Next());
    if (!batch) return std::optional<Batch>();
    BRAID_TRY_ASSIGN(auto stamps, MakeConstantColumn(Datum(static_cast<std::int64_t>(state_)), DataType::BigInt().NotNull(), batch->row_count()));
    std::vector<std::shared_ptr<arrow::Array>> columns = batch->rows->columns();
    columns[static_cast<std::size_t>(sequence_column_)] = std::move(stamps);
    return std::optional(Batch{arrow::RecordBatch::Make(batch->rows->schema(), batch->row_count(), std::move(columns)), batch->kinds});
  }

 private:
  std::unique_ptr<BatchReader> inner_;
  State state_;
  int sequence_column_;
};

class DifferenceFunction : public MergeFunction {
 public:
  explicit DifferenceFunction(KeyValueSchema schema) : schema_(std::move(schema)) {}

  Status Merge(const MergeChunk& chunk, MergedRows& rows) const override {
    std::int32_t begin = 0;
    for (const std::int32_t end : chunk.group_ends) {
      const std::int32_t last = end - 1;
      const bool in_after = SequenceOf(chunk, last) == kAfter;
      const bool in_before = SequenceOf(chunk, begin) == kBefore;
      if (in_after && !(in_before && SameValues(chunk, begin, last))) rows.Select(chunk, last);
      begin = end;
    }
    return Ok();
  }

 private:
  static std::int64_t SequenceOf(const MergeChunk& chunk, std::int32_t row) {
    const auto i = static_cast<std::size_t>(row);
    return chunk.sources[static_cast<std::size_t>(chunk.row_sources[i])].sequence_numbers[chunk.positions[i]];
  }

  bool SameValues(const MergeChunk& chunk, std::int32_t a, std::int32_t b) const {
    const arrow::RecordBatch& rows_a = *chunk.sources[static_cast<std::size_t>(chunk.row_sources[static_cast<std::size_t>(a)])].batch.rows;
    const arrow::RecordBatch& rows_b = *chunk.sources[static_cast<std::size_t>(chunk.row_sources[static_cast<std::size_t>(b)])].batch.rows;
    const std::int64_t at_a = chunk.positions[static_cast<std::size_t>(a)];
    const std::int64_t at_b = chunk.positions[static_cast<std::size_t>(b)];
    // NaN equals itself here, as it does for Java's row comparison.
    const arrow::EqualOptions options = arrow::EqualOptions::Defaults().nans_equal(true);
    for (std::size_t value = 0; value < schema_.value_fields.size(); ++value) {
      const int column = schema_.value_column(value);
      if (!rows_a.column(column)->RangeEquals(*rows_b.column(column), at_a, at_a + 1, at_b, options)) return false;
    }
    return true;
  }

  KeyValueSchema schema_;
};

}  // namespace

Result<std::unique_ptr<BatchReader>> MakeDifferenceReader(const KeyValueSchema& schema, std::unique_ptr<BatchReader> before,
                                                          std::unique_ptr<BatchReader> after) {
  KeyValueSchema by_state = schema;
  by_state.sequence_fields.clear();  // the states alone decide the order
  std::vector<std::unique_ptr<BatchReader>> runs;
  runs.push_back(std::make_unique<StampingReader>(std::move(before), kBefore, schema.sequence_number_column()));
  runs.push_back(std::make_unique<StampingReader>(std::move(after), kAfter, schema.sequence_number_column()));
  auto function = std::make_shared<const DifferenceFunction>(by_state);
  return MakeMergeReader(std::move(by_state), std::move(runs), std::move(function), {.drop_retractions = false, .values_only = true, .batch_rows = 8192});
}

}  // namespace braid
