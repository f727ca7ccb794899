#include "table/column_update.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "meta/blob_columns.h"
#include "meta/stores.h"
#include "table/rolling_file_writer.h"
#include "table/row_range.h"

namespace braid {

namespace {

Status CheckUpdatable(const Table& table, const DataField& field) {
  const std::vector<std::string>& keys = table.schema().partition_keys;
  const auto refuse = [&](std::string_view what) {
    return Error(ErrorCode::kUnsupported, fmt::format("column '{}' of {} cannot be set: {}", field.name, table.name(), what))
        .Hint("rows of a table with 'data-evolution.enabled'='true' stay where they are; INSERT new ones");
  };
  if (std::find(keys.begin(), keys.end(), field.name) != keys.end()) return refuse("it is part of the partition");
  if (BlobColumns(table.options()).HasOwnFiles(field)) return refuse("values in `.blob` files stay as they are");
  return Ok();
}

// An index over the whole table would go on telling the old values.
Status CheckNotIndexed(const AddressedRows& rows, const std::vector<DataField>& fields) {
  if (!rows.snapshot() || !rows.snapshot()->index_manifest) return Ok();
  const Table& table = rows.table();
  BRAID_TRY_ASSIGN(const std::vector<IndexManifestEntry> indexes, ReadIndexManifest(table.file_system(), table.paths(), *rows.snapshot()->index_manifest));
  for (const DataField& field : fields) {
    const bool indexed = std::any_of(indexes.begin(), indexes.end(), [&](const IndexManifestEntry& index) {
      return index.global_index && index.global_index->index_field_id == field.id.value();
    });
    if (!indexed) continue;
    return Error(ErrorCode::kUnsupported, fmt::format("column '{}' of {} cannot be set: it has a global index", field.name, table.name()))
        .Hint("drop the index first, or change the rows with Spark");
  }
  return Ok();
}

}  // namespace

Result<ColumnUpdate> ColumnUpdate::Make(std::shared_ptr<const AddressedRows> rows, const std::vector<std::string>& columns) {
  std::vector<DataField> fields;
  for (const DataField& field : rows->table().schema().fields) {
    if (std::find(columns.begin(), columns.end(), field.name) == columns.end()) continue;
    BRAID_TRY(CheckUpdatable(rows->table(), field));
    fields.push_back(field);
  }
  BRAID_TRY(CheckNotIndexed(*rows, fields));
  BRAID_TRY_ASSIGN(auto input, BlobInput::Make(rows->table(), fields));
  return ColumnUpdate(std::move(rows), std::move(fields), std::move(input));
}

Status ColumnUpdate::Add(const arrow::Int32Array& files, const arrow::Int64Array& positions, const Batch& values) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].type.nullable() || values.rows->column(static_cast<int>(i))->null_count() == 0) continue;
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("column '{}' of {} is NOT NULL, but a row has NULL there", fields_[i].name, rows_->table().name()));
  }
  for (std::int64_t row = 0; row < values.row_count(); ++row) {
    changes_[files.Value(row)][positions.Value(row)] = {values_.size(), static_cast<std::int32_t>(row)};
  }
  BRAID_TRY_ASSIGN(Batch stored, input_->Convert(values));
  values_.push_back(std::move(stored));
  return Ok();
}

Result<std::vector<CommitMessage>> ColumnUpdate::Finish() {
  std::vector<CommitMessage> messages;
  if (fields_.empty()) return messages;
  BRAID_TRY(input_->Finish());
  for (const auto& [number, changes] : changes_) {
    Result<CommitMessage> message = WriteRange(rows_->files()[static_cast<std::size_t>(number)], changes);
    if (!message) {
      // Nobody will commit the others. What cannot be deleted is an orphan.
      static_cast<void>(TableCommit(rows_->table(), "").Abort(messages));
      return std::move(message).error();
    }
    messages.push_back(*std::move(message));
  }
  return messages;
}

Result<CommitMessage> ColumnUpdate::WriteRange(const AddressedRows::File& range, const Changes& changes) const {
  FileContents contents = FileContents::Columns(fields_);
  contents.rolls = false;  // a file of the range holds all of its rows
  BRAID_TRY_ASSIGN(const auto writer, RollingFileWriter::Make(rows_->table(), range.partition, range.bucket, std::move(contents)));
  BRAID_TRY_ASSIGN(const auto reader, rows_->ReadFile(range, fields_));
  for (;;) {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, reader->Next());
    if (!batch) break;
    BRAID_TRY_ASSIGN(const Batch changed, WithChanges(*batch, reader->first_row_of_last_batch(), changes));
    BRAID_TRY(writer->Write(changed));
  }
  CommitMessage message;
  message.partition = range.partition;
  message.bucket = range.bucket;
  message.total_buckets = range.total_buckets;
  BRAID_TRY_ASSIGN(message.new_files, writer->Finish());
  message.new_files.front().first_row_id = range.meta.first_row_id;
  message.row_range_base = RowRangeBase{.first_row_id = *range.meta.first_row_id, .row_count = range.meta.row_count, .files = {}};
  for (const DataFileMeta& file : range.of_range) message.row_range_base->files.insert(file.file_name);
  return message;
}

Result<Batch> ColumnUpdate::WithChanges(const Batch& before, std::int64_t first, const Changes& changes) const {
  const auto count = static_cast<std::size_t>(before.row_count());
  std::vector<std::int32_t> sources(count, 0);
  std::vector<std::int32_t> positions(count);
  for (std::size_t row = 0; row < count; ++row) positions[row] = static_cast<std::int32_t>(row);
  std::map<std::size_t, std::int32_t> source_of_batch;  // those that change something here, after the old values
  std::vector<const Batch*> sources_used = {&before};
  const auto end = changes.lower_bound(first + before.row_count());
  for (auto change = changes.lower_bound(first); change != end; ++change) {
    const auto [batch, row] = change->second;
    const auto [source, is_new] = source_of_batch.try_emplace(batch, static_cast<std::int32_t>(sources_used.size()));
    if (is_new) sources_used.push_back(&values_[batch]);
    const auto at = static_cast<std::size_t>(change->first - first);
    sources[at] = source->second;
    positions[at] = row;
  }
  if (sources_used.size() == 1) return before;
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int column = 0; column < before.rows->num_columns(); ++column) {
    std::vector<std::shared_ptr<arrow::Array>> choices;
    for (const Batch* source : sources_used) choices.push_back(source->rows->column(column));
    BRAID_TRY_ASSIGN(auto merged, Interleave(choices, sources, positions));
    columns.push_back(std::move(merged));
  }
  return Batch{arrow::RecordBatch::Make(before.rows->schema(), before.row_count(), std::move(columns)), nullptr};
}

}  // namespace braid
