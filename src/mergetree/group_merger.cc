#include <algorithm>
#include <numeric>
#include <optional>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "mergetree/group_merger_internal.h"

namespace braid {
namespace {

std::shared_ptr<arrow::Int8Array> KindsColumn(std::vector<std::int8_t> kinds) {
  const auto is_insert = [](std::int8_t kind) { return kind == 0; };
  if (std::all_of(kinds.begin(), kinds.end(), is_insert)) return nullptr;
  const auto length = static_cast<std::int64_t>(kinds.size());
  return std::make_shared<arrow::Int8Array>(length, arrow::Buffer::FromVector(std::move(kinds)));
}

template <typename T>
void KeepElements(std::vector<T>& elements, std::span<const std::int32_t> kept) {
  for (std::size_t i = 0; i < kept.size(); ++i) elements[i] = elements[static_cast<std::size_t>(kept[i])];
  elements.resize(kept.size());
}

}  // namespace

void RowGroups::Clear() {
  row_sources.clear();
  positions.clear();
  group_ends.clear();
}

GroupMerger::GroupMerger(KeyValueSchema schema, std::shared_ptr<const MergeFunction> function, MergeOptions options)
    : schema_(std::move(schema)), function_(std::move(function)), options_(options) {
  if (options_.values_only) {
    for (std::size_t value = 0; value < schema_.requested_values; ++value) {
      outputs_.push_back({schema_.value_column(value), value, {}});
    }
    output_schema_ = ToArrowSchema(std::span(schema_.value_fields).first(schema_.requested_values));
  } else {
    for (std::size_t key = 0; key < schema_.key_count(); ++key) {
      const std::optional<std::size_t> value = schema_.KeyAmongValues(key);
      OutputColumn output{static_cast<int>(key), value, {}};
      if (value) output.same_as = schema_.value_column(*value);
      outputs_.push_back(output);
    }
    outputs_.push_back({schema_.sequence_number_column(), {}, {}});
    for (std::size_t value = 0; value < schema_.value_fields.size(); ++value) {
      outputs_.push_back({schema_.value_column(value), value, {}});
    }
    output_schema_ = schema_.BatchSchema();
  }
  columns_.resize(outputs_.size());
}

std::int32_t GroupMerger::AddSource(Batch batch, BatchOrigin origin) {
  MergeSource source;
  source.origin = std::move(origin);
  const auto& numbers = static_cast<const arrow::Int64Array&>(*batch.rows->column(schema_.sequence_number_column()));
  source.sequence_numbers = numbers.raw_values();
  source.kinds = batch.kinds == nullptr ? nullptr : batch.kinds->raw_values();
  for (std::size_t i = 0; i < outputs_.size(); ++i) columns_[i].push_back(batch.rows->column(outputs_[i].input));
  source.batch = std::move(batch);
  sources_.push_back(std::move(source));
  return static_cast<std::int32_t>(sources_.size()) - 1;
}

void GroupMerger::KeepSources(std::span<const std::int32_t> kept) {
  std::vector<MergeSource> sources;
  for (const std::int32_t index : kept) sources.push_back(std::move(sources_[static_cast<std::size_t>(index)]));
  sources_ = std::move(sources);
  for (auto& column : columns_) {
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const std::int32_t index : kept) arrays.push_back(std::move(column[static_cast<std::size_t>(index)]));
    column = std::move(arrays);
  }
}

void GroupMerger::DropSourcesFrom(std::int32_t index) {
  sources_.resize(static_cast<std::size_t>(index));
  for (auto& column : columns_) column.resize(static_cast<std::size_t>(index));
}

Status GroupMerger::MergeRows(const MergeChunk& chunk) {
  merged_.Clear();
  if (function_ != nullptr) return function_->Merge(chunk, merged_);
  const auto rows = static_cast<std::int32_t>(chunk.positions.size());
  for (std::int32_t row = 0; row < rows; ++row) merged_.Select(chunk, row);
  return Ok();
}

Status GroupMerger::DropRetractions() {
  std::vector<std::int32_t> kept;
  for (std::size_t i = 0; i < merged_.kinds.size(); ++i) {
    if (IsAdd(static_cast<RowKind>(merged_.kinds[i]))) kept.push_back(static_cast<std::int32_t>(i));
  }
  if (kept.size() == merged_.kinds.size()) return Ok();
  KeepElements(merged_.row_sources, kept);
  KeepElements(merged_.positions, kept);
  KeepElements(merged_.kinds, kept);
  KeepElements(merged_.sequence_numbers, kept);
  const std::vector<std::int32_t> zeros(kept.size(), 0);
  for (std::shared_ptr<arrow::Array>& column : merged_.columns) {
    if (column == nullptr) continue;
    BRAID_TRY_ASSIGN(column, Interleave(std::span(&column, 1), zeros, kept));
  }
  return Ok();
}

Result<std::shared_ptr<arrow::Array>> GroupMerger::OutputOf(const OutputColumn& column) const {
  if (column.value && !merged_.columns.empty() && merged_.columns[*column.value] != nullptr) {
    return merged_.columns[*column.value];
  }
  if (!options_.values_only && column.input == schema_.sequence_number_column()) {
    return std::make_shared<arrow::Int64Array>(static_cast<std::int64_t>(merged_.sequence_numbers.size()),
                                               arrow::Buffer::FromVector(merged_.sequence_numbers));
  }
  const auto output = static_cast<std::size_t>(&column - outputs_.data());
  return Interleave(columns_[output], merged_.row_sources, merged_.positions);
}

Result<Batch> GroupMerger::Merge(const RowGroups& groups) {
  BRAID_TRY(MergeRows({sources_, groups.row_sources, groups.positions, groups.group_ends}));
  if (options_.drop_retractions) BRAID_TRY(DropRetractions());
  return Output();
}

Result<Batch> GroupMerger::Output() {
  std::vector<std::shared_ptr<arrow::Array>> columns(outputs_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].same_as) continue;
    BRAID_TRY_ASSIGN(columns[i], OutputOf(outputs_[i]));
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].same_as) columns[i] = columns[static_cast<std::size_t>(*outputs_[i].same_as)];
  }
  const auto rows = static_cast<std::int64_t>(merged_.kinds.size());
  return Batch{arrow::RecordBatch::Make(output_schema_, rows, std::move(columns)),
               KindsColumn(std::move(merged_.kinds))};
}

Result<Batch> GroupMerger::PassThrough(const Batch& batch) const {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const OutputColumn& output : outputs_) columns.push_back(batch.rows->column(output.input));
  Batch result{arrow::RecordBatch::Make(output_schema_, batch.row_count(), std::move(columns)), batch.kinds};
  if (!options_.drop_retractions || batch.kinds == nullptr) return result;
  std::vector<std::int32_t> kept;
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    if (IsAdd(batch.kind(row))) kept.push_back(static_cast<std::int32_t>(row));
  }
  if (static_cast<std::int64_t>(kept.size()) == batch.row_count()) return result;
  return TakeRows(result, kept);
}

}  // namespace braid
