#include "table/row_range_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "format/deletion_vector.h"
#include "mergetree/merge_reader.h"
#include "table/data_file_reader.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

// Some columns of all rows of a range, with where they belong among the columns wanted.
struct ColumnReader {
  std::unique_ptr<BatchReader> rows;
  std::vector<int> places;
};

// Reads several files row by row side by side.
class SideBySideReader : public BatchReader {
 public:
  SideBySideReader(std::vector<ColumnReader> readers, std::shared_ptr<arrow::Schema> schema, std::int64_t row_count,
                   std::optional<DeletionVector> deletions, std::string name)
      : readers_(std::move(readers)),
        current_(readers_.size()),
        schema_(std::move(schema)),
        row_count_(row_count),
        deletions_(std::move(deletions)),
        name_(std::move(name)) {}

  Result<std::optional<Batch>> Next() override {
    while (position_ < row_count_) {
      BRAID_TRY_ASSIGN(Batch batch, NextRows());
      const std::int64_t first = std::exchange(position_, position_ + batch.row_count());
      if (deletions_) {
        BRAID_TRY_ASSIGN(batch, WithoutDeleted(batch, first));
        if (batch.row_count() == 0) continue;
      }
      return std::optional(std::move(batch));
    }
    return std::optional<Batch>();
  }

 private:
  // As many rows as every file has at hand.
  Result<Batch> NextRows() {
    constexpr std::int64_t kMostRows = 8192;
    std::int64_t count = std::min(row_count_ - position_, kMostRows);
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      while (current_[i] == nullptr || current_[i]->num_rows() == 0) {
        BRAID_TRY_ASSIGN(const std::optional<Batch> next, readers_[i].rows->Next());
        if (!next) {
          return Error(ErrorCode::kCorruption,
                       fmt::format("{} and other files hold columns of the same {} rows, but one of them has only {}",
                                   name_, row_count_, position_));
        }
        current_[i] = next->rows;
      }
      count = std::min(count, current_[i]->num_rows());
    }
    std::vector<std::shared_ptr<arrow::Array>> columns(static_cast<std::size_t>(schema_->num_fields()));
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      for (std::size_t column = 0; column < readers_[i].places.size(); ++column) {
        columns[static_cast<std::size_t>(readers_[i].places[column])] =
            current_[i]->column(static_cast<int>(column))->Slice(0, count);
      }
      current_[i] = current_[i]->Slice(count);
    }
    return Batch{arrow::RecordBatch::Make(schema_, count, std::move(columns)), nullptr};
  }

  Result<Batch> WithoutDeleted(const Batch& batch, std::int64_t first) const {
    std::vector<std::int32_t> kept;
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (!deletions_->Contains(first + row)) kept.push_back(static_cast<std::int32_t>(row));
    }
    if (static_cast<std::int64_t>(kept.size()) == batch.row_count()) return batch;
    return TakeRows(batch, kept);
  }

  std::vector<ColumnReader> readers_;
  std::vector<std::shared_ptr<arrow::RecordBatch>> current_;  // what is left of each one's last batch
  std::shared_ptr<arrow::Schema> schema_;
  std::int64_t row_count_;
  std::optional<DeletionVector> deletions_;
  std::string name_;
  std::int64_t position_ = 0;
};

// Finds out which files hold what, and opens them.
class RangeOpener {
 public:
  RangeOpener(const Table& table, const BinaryRow& partition, BucketId bucket, const RowRange& range)
      : table_(table), reader_(table), partition_(partition), bucket_(bucket), range_(range) {}

  Result<std::vector<ColumnReader>> Open(const std::vector<DataField>& fields) {
    std::map<const DataFileMeta*, std::vector<int>> places;
    std::vector<ColumnReader> readers;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      BRAID_TRY_ASSIGN(const std::vector<const DataFileMeta*> blobs, BlobFilesOf(fields[i]));
      if (blobs.empty()) {
        BRAID_TRY_ASSIGN(const DataFileMeta* file, NewestWith(fields[i]));
        places[file].push_back(static_cast<int>(i));
      } else {
        readers.push_back({.rows = Concatenate(blobs, fields[i]), .places = {static_cast<int>(i)}});
      }
    }
    for (auto& [file, columns] : places) {
      std::vector<DataField> wanted;
      for (const int column : columns) wanted.push_back(fields[static_cast<std::size_t>(column)]);
      BRAID_TRY_ASSIGN(auto rows, reader_.Open(partition_, bucket_, *file, wanted, nullptr));
      readers.push_back({.rows = std::move(rows), .places = std::move(columns)});
    }
    return readers;
  }

 private:
  // A column that no file has is read from the newest, as NULL, and what only metadata know too.
  Result<const DataFileMeta*> NewestWith(const DataField& field) const {
    for (const DataFileMeta* file : range_.files) {
      BRAID_TRY_ASSIGN(const bool has, Has(*file, field));
      if (has) return file;
    }
    return range_.files.front();
  }

  Result<bool> Has(const DataFileMeta& file, const DataField& field) const {
    BRAID_TRY_ASSIGN(const auto schema, table_.schemas().Get(file.schema_id));
    const std::optional<std::size_t> position = FindField(schema->fields, field.id);
    return position && StoresColumn(file, schema->fields[*position].name);
  }

  // The files that hold the column of all rows one after the other. A newer file takes the place of an older one of the
  // same rows.
  Result<std::vector<const DataFileMeta*>> BlobFilesOf(const DataField& field) const {
    std::vector<const DataFileMeta*> files;
    std::int64_t next = range_.first_row_id;
    for (const DataFileMeta* blob : range_.blobs) {
      BRAID_TRY_ASSIGN(const bool has, Has(*blob, field));
      if (!has) continue;
      const std::int64_t first = *blob->first_row_id;
      if (!files.empty() && first == *files.back()->first_row_id && blob->row_count == files.back()->row_count) continue;
      if (first < next) {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("files of the BLOB column '{}' overlap in part, which this version does not read", field.name));
      }
      if (first > next) return Missing(field);
      next = first + blob->row_count;
      files.push_back(blob);
    }
    if (!files.empty() && next != range_.end_row_id()) return Missing(field);
    return files;
  }

  Error Missing(const DataField& field) const {
    return Error(ErrorCode::kCorruption, fmt::format("no file holds the column '{}' of some rows from {} to {}", field.name,
                                                     range_.first_row_id, range_.end_row_id() - 1));
  }

  std::unique_ptr<BatchReader> Concatenate(const std::vector<const DataFileMeta*>& blobs, const DataField& field) const {
    std::vector<OpenReader> readers;
    for (const DataFileMeta* blob : blobs) {
      readers.emplace_back([table = table_, partition = partition_, bucket = bucket_, file = *blob, field]() -> Result<std::unique_ptr<BatchReader>> {
        BRAID_TRY_ASSIGN(auto rows, DataFileReader(table).Open(partition, bucket, file, {field}, nullptr));
        return std::unique_ptr<BatchReader>(std::move(rows));
      });
    }
    return MakeConcatenatingReader(std::move(readers));
  }

  const Table& table_;
  DataFileReader reader_;
  const BinaryRow& partition_;
  BucketId bucket_;
  const RowRange& range_;
};

}  // namespace

const DataFileMeta& AnchorOf(const RowRange& range) {
  return **std::min_element(range.files.begin(), range.files.end(), [](const DataFileMeta* a, const DataFileMeta* b) {
    return std::tie(a->max_sequence_number, a->file_name) < std::tie(b->max_sequence_number, b->file_name);
  });
}

Result<std::unique_ptr<BatchReader>> ReadRowRange(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                  const RowRange& range, const std::vector<DataField>& fields,
                                                  const DeletionVectorRef& deletion_vector) {
  std::optional<DeletionVector> deletions;
  if (!deletion_vector.path.empty()) {
    BRAID_TRY_ASSIGN(deletions, ReadDeletionVector(table.file_system(), deletion_vector.path, deletion_vector.offset));
  }
  BRAID_TRY_ASSIGN(std::vector<ColumnReader> readers, RangeOpener(table, partition, bucket, range).Open(fields));
  std::vector<DataField> shown = fields;
  for (DataField& field : shown) {
    // No file may have it, and NULL stands there then, as in any file that lacks a column.
    if (field.id != RowIdField().id && field.id != RowSequenceField().id) field.type = field.type.Nullable();
  }
  return std::unique_ptr<BatchReader>(
      std::make_unique<SideBySideReader>(std::move(readers), ToArrowSchema(shown), range.row_count, std::move(deletions),
                                         range.files.front()->file_name));
}

}  // namespace braid
