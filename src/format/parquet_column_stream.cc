#include "format/parquet_column_stream.h"

#include <utility>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>

#include "format/arrow_io.h"
#include "format/parquet_flat_column.h"
#include "format/parquet_int96.h"
#include "format/parquet_long_value.h"
#include "types/buffer_pool.h"

namespace braid {
namespace {

/// What the library reads.
class LibraryColumn : public PiecewiseColumnStream {
 public:
  LibraryColumn(std::string path, std::unique_ptr<arrow::RecordBatchReader> rows)
      : PiecewiseColumnStream(std::move(path)), rows_(std::move(rows)) {}

 protected:
  Result<std::shared_ptr<arrow::Array>> NextPiece() override {
    std::shared_ptr<arrow::RecordBatch> batch;
    BRAID_ARROW_TRY(rows_->ReadNext(&batch), ArrowTask::kReading, path());
    return batch == nullptr ? nullptr : batch->column(0);
  }

 private:
  std::unique_ptr<arrow::RecordBatchReader> rows_;
};

/// The one value of a row group.
class LongColumn : public PiecewiseColumnStream {
 public:
  LongColumn(OpenParquetFile& file, int row_group, int leaf)
      : PiecewiseColumnStream(file.path), file_(file), row_group_(row_group), leaf_(leaf) {}

 protected:
  Result<std::shared_ptr<arrow::Array>> NextPiece() override {
    if (std::exchange(is_read_, true)) return std::shared_ptr<arrow::Array>();
    parquet::ParquetFileReader& reader = *file_.reader->parquet_reader();
    const auto pages = reader.RowGroup(row_group_)->GetColumnPageReader(leaf_);
    BRAID_ARROW_TRY_ASSIGN(auto value, ReadLongValue(*pages, *reader.metadata()->schema()->Column(leaf_), file_.page_pool),
                           ArrowTask::kReading, path());
    return value;
  }

 private:
  OpenParquetFile& file_;
  int row_group_;
  int leaf_;
  bool is_read_ = false;
};

/// The type that the library gives a leaf.
std::shared_ptr<arrow::DataType> TypeOfLeaf(const parquet::arrow::FileReader& reader, int leaf) {
  const parquet::arrow::SchemaField* field = nullptr;
  if (!reader.manifest().GetColumnField(leaf, &field).ok()) return nullptr;
  return field->field->type();
}

}  // namespace

Status ParquetColumnStream::Skip(std::int64_t rows) {
  if (rows > 0) BRAID_TRY(Read(rows));
  return Ok();
}

Result<std::shared_ptr<arrow::Array>> ParquetColumnStream::ReadSome(std::span<const std::int32_t> offsets, std::int64_t rows) {
  BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> all, Read(rows));
  arrow::ArrayVector runs;
  BRAID_TRY(ForEachRun(offsets, [&](std::int64_t first, std::int64_t count) {
    runs.push_back(all->Slice(first, count));
    return Ok();
  }));
  if (runs.empty()) return all->Slice(0, 0);
  if (runs.size() == 1) return runs.front();
  BRAID_ARROW_TRY_ASSIGN(auto some, arrow::Concatenate(runs, BufferPool()), ArrowTask::kReading, path());
  return some;
}

Result<std::shared_ptr<arrow::Array>> PiecewiseColumnStream::Read(std::int64_t rows) {
  while (ahead_ == nullptr || ahead_->length() < rows) {
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> next, NextPiece());
    if (next == nullptr || next->length() == 0) {
      return Error(ErrorCode::kCorruption,
                   fmt::format("{} is damaged: a column has fewer rows than its row group", path()));
    }
    if (ahead_ == nullptr || ahead_->length() == 0) {
      ahead_ = std::move(next);
    } else {
      BRAID_ARROW_TRY_ASSIGN(ahead_, arrow::Concatenate({ahead_, next}, BufferPool()), ArrowTask::kReading, path());
    }
  }
  const bool takes_all = ahead_->length() == rows;
  std::shared_ptr<arrow::Array> result = takes_all ? ahead_ : ahead_->Slice(0, rows);
  ahead_ = takes_all ? nullptr : ahead_->Slice(rows);
  return result;
}

Result<std::unique_ptr<ParquetColumnStream>> OpenParquetColumn(OpenParquetFile& file, int row_group,
                                                               const std::vector<int>& leaves, bool by_page) {
  using Stream = std::unique_ptr<ParquetColumnStream>;
  if (by_page) return Stream(std::make_unique<LongColumn>(file, row_group, leaves.front()));
  parquet::ParquetFileReader& reader = *file.reader->parquet_reader();
  if (HasInt96(*reader.metadata()->schema(), leaves)) {
    BRAID_ARROW_TRY_ASSIGN(auto int96, Int96ColumnReader::Open(*file.reader, row_group, leaves, file.path),
                           ArrowTask::kReading, file.path);
    return Stream(std::move(int96));
  }
  if (const auto type = leaves.size() == 1 ? TypeOfLeaf(*file.reader, leaves.front()) : nullptr) {
    Stream flat = OpenFlatColumn(file.path, *reader.RowGroup(row_group), leaves.front(), type);
    if (flat != nullptr) return flat;
  }
  BRAID_ARROW_TRY_ASSIGN(auto rows, file.reader->GetRecordBatchReader({row_group}, leaves), ArrowTask::kReading, file.path);
  return Stream(std::make_unique<LibraryColumn>(file.path, std::move(rows)));
}

}  // namespace braid
