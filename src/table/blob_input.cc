#include "table/blob_input.h"

#include <cstddef>
#include <span>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "format/arrow_io.h"
#include "format/blob_format.h"
#include "mergetree/data_file_options.h"
#include "meta/blob_columns.h"
#include "table/target_file_size.h"

namespace braid {

// The files that hold the values of one external column.
class BlobInput::ExternalFiles {
 public:
  static Result<std::unique_ptr<ExternalFiles>> Make(const Table& table, const DataField& field, const std::string& folder) {
    if (!IsInStorageOf(table, folder)) {
      return Error(ErrorCode::kUnsupported, fmt::format("'blob-external-storage-path' of {} is '{}', which is in another storage than the table",
                                                        table.name(), folder))
          .Hint("give an absolute path in the table's own storage");
    }
    std::unique_ptr<ExternalFiles> files(new ExternalFiles(table.shared_file_system(), field, folder));
    BRAID_TRY_ASSIGN(files->target_bytes_, BlobTargetFileBytes(table.options()));
    BRAID_TRY_ASSIGN(files->options_, DataFileOptions::ForLevel(table.options(), 0));
    files->options_.extension = BlobFormat().identifier();
    return files;
  }

  ~ExternalFiles() {
    // No row refers to them; what cannot be deleted stays, as with Java.
    for (const std::string& path : paths_) static_cast<void>(file_system_->Delete(path));
  }

  Result<BlobDescriptor> Write(const std::string& value) {
    if (file_ == nullptr) {
      paths_.push_back(JoinPath(folder_, namer_.Next(options_)));
      BRAID_TRY_ASSIGN(file_, BlobFormat().OpenWriter(*file_system_, paths_.back(), std::span(&field_, 1), options_.format_options));
      position_ = 0;
    }
    const auto length = static_cast<std::int64_t>(value.size());
    BlobDescriptor descriptor{.uri = paths_.back(), .offset = position_ + kBlobRecordHeadBytes, .length = length};
    arrow::BinaryBuilder builder;
    std::shared_ptr<arrow::Array> column;
    BRAID_ARROW_TRY(builder.Append(value), ArrowTask::kWriting, paths_.back());
    BRAID_ARROW_TRY(builder.Finish(&column), ArrowTask::kWriting, paths_.back());
    BRAID_TRY(file_->Write({arrow::RecordBatch::Make(ToArrowSchema(std::span(&field_, 1)), 1, {column}), nullptr}));
    position_ += length + kBlobRecordExtraBytes;
    if (position_ >= target_bytes_) BRAID_TRY(CloseFile());
    return descriptor;
  }

  Status Finish() {
    if (file_ != nullptr) BRAID_TRY(CloseFile());
    BRAID_TRY(file_system_->SyncFiles(paths_));
    paths_.clear();
    return Ok();
  }

 private:
  ExternalFiles(std::shared_ptr<FileSystem> file_system, DataField field, std::string folder)
      : file_system_(std::move(file_system)), field_(std::move(field)), folder_(std::move(folder)) {}

  Status CloseFile() {
    const Result<WrittenFile> written = std::exchange(file_, nullptr)->Finish();
    return written ? Ok() : Status(written.error());
  }

  std::shared_ptr<FileSystem> file_system_;
  DataField field_;
  std::string folder_;
  std::int64_t target_bytes_ = 0;
  DataFileOptions options_;
  DataFileNamer namer_;
  std::unique_ptr<FileWriter> file_;
  std::int64_t position_ = 0;  // in the open file
  std::vector<std::string> paths_;  // those that Finish has not completed
};

BlobInput::BlobInput(const Table& table) : table_(table.name()), source_(BlobSource::OfInput(table)) {}

BlobInput::~BlobInput() = default;

Result<std::unique_ptr<BlobInput>> BlobInput::Make(const Table& table, const std::vector<DataField>& fields) {
  std::unique_ptr<BlobInput> input(new BlobInput(table));
  const BlobColumns blobs(table.options());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!blobs.IsDescribed(fields[i])) continue;
    Column column{.index = static_cast<int>(i), .name = fields[i].name, .files = nullptr};
    if (blobs.external.contains(fields[i].name)) {
      BRAID_TRY_ASSIGN(column.files, ExternalFiles::Make(table, fields[i], blobs.external_path));
    }
    input->columns_.push_back(std::move(column));
  }
  return input;
}

Result<std::string> BlobInput::Stored(const Column& column, std::string_view value) {
  if (column.files != nullptr) {
    BRAID_TRY_ASSIGN(const std::string bytes, InsertedBlob(source_, value));
    BRAID_TRY_ASSIGN(const BlobDescriptor descriptor, column.files->Write(bytes));
    return PrintBlobDescriptor(descriptor);
  }
  if (!IsBlobDescriptor(value)) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("column '{}' of {} takes descriptors of BLOB values ('blob-descriptor-field'), but a row has other bytes",
                             column.name, table_))
        .Hint("'blob-external-storage-field' makes a column that takes values");
  }
  BRAID_TRY_ASSIGN(const BlobDescriptor descriptor, ParseBlobDescriptor(value));
  return PrintBlobDescriptor(descriptor);
}

Result<Batch> BlobInput::Convert(const Batch& batch) {
  if (columns_.empty()) return batch;
  std::vector<std::shared_ptr<arrow::Array>> stored = batch.rows->columns();
  for (const Column& column : columns_) {
    std::shared_ptr<arrow::Array>& array = stored[static_cast<std::size_t>(column.index)];
    const auto& values = static_cast<const arrow::BinaryArray&>(*batch.rows->column(column.index));
    arrow::BinaryBuilder builder;
    for (std::int64_t row = 0; row < values.length(); ++row) {
      if (values.IsNull(row)) {
        BRAID_ARROW_TRY(builder.AppendNull(), ArrowTask::kWriting, table_);
        continue;
      }
      BRAID_TRY_ASSIGN(const std::string bytes, Stored(column, values.GetView(row)));
      BRAID_ARROW_TRY(builder.Append(bytes), ArrowTask::kWriting, table_);
    }
    BRAID_ARROW_TRY(builder.Finish(&array), ArrowTask::kWriting, table_);
  }
  return Batch{arrow::RecordBatch::Make(batch.rows->schema(), batch.row_count(), std::move(stored)), batch.kinds};
}

Status BlobInput::Finish() {
  for (const Column& column : columns_) {
    if (column.files != nullptr) BRAID_TRY(column.files->Finish());
  }
  return Ok();
}

Result<std::string> InsertedBlob(BlobSource& source, std::string_view bytes) {
  if (!IsBlobDescriptor(bytes)) return std::string(bytes);
  BRAID_TRY_ASSIGN(const BlobDescriptor descriptor, ParseBlobDescriptor(bytes));
  return source.Read(descriptor);
}

}  // namespace braid
