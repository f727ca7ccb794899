#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "meta/blob_columns.h"
#include "table/blob_input.h"
#include "table/bucket_writer.h"
#include "table/data_file_reader.h"
#include "table/rolling_file_writer.h"
#include "types/column_selection.h"

namespace braid {

namespace {

// The rows of a bucket. BLOB columns go to files of their own, which hold rows of the one data file written beside them.
class RowsWriter {
 public:
  static Result<std::unique_ptr<RowsWriter>> Make(const Table& table, const BinaryRow& partition, BucketId bucket, FileContents contents) {
    std::unique_ptr<RowsWriter> writer(new RowsWriter());
    BRAID_TRY_ASSIGN(writer->input_, BlobInput::Make(table, contents.fields));
    const BlobColumns blobs(table.options());
    std::vector<DataField> fields;
    for (std::size_t i = 0; i < contents.fields.size(); ++i) {
      const auto column = static_cast<int>(i);
      const DataField& field = contents.fields[i];
      if (!blobs.HasOwnFiles(field)) {
        writer->columns_.push_back(column);
        fields.push_back(field);
        continue;
      }
      BRAID_TRY_ASSIGN(auto files, RollingFileWriter::Make(table, partition, bucket, FileContents::Columns({field})));
      writer->blobs_.push_back({.column = column, .files = std::move(files)});
    }
    contents.fields = std::move(fields);
    contents.names_fields = contents.names_fields || !writer->blobs_.empty();
    BRAID_TRY_ASSIGN(writer->files_, RollingFileWriter::Make(table, partition, bucket, std::move(contents)));
    return writer;
  }

  Status Write(const Batch& rows) {
    BRAID_TRY_ASSIGN(const Batch batch, input_->Convert(rows));
    if (blobs_.empty()) return files_->Write(batch);
    BRAID_TRY(files_->Write(TakeColumns(batch, columns_)));
    for (const BlobColumn& blob : blobs_) BRAID_TRY(blob.files->Write(TakeColumns(batch, std::span(&blob.column, 1))));
    // Rows of the next data file belong into the next files.
    return files_->has_open_file() ? Ok() : CollectFiles();
  }

  std::int64_t buffered_bytes() const {
    std::int64_t bytes = files_->buffered_bytes();
    for (const BlobColumn& blob : blobs_) bytes += blob.files->buffered_bytes();
    return bytes;
  }

  Status Flush() {
    BRAID_TRY(files_->Flush());
    for (const BlobColumn& blob : blobs_) BRAID_TRY(blob.files->Flush());
    return Ok();
  }

  // The files since the last call.
  Result<std::vector<DataFileMeta>> Finish() {
    BRAID_TRY(CollectFiles());
    BRAID_TRY(input_->Finish());
    return std::exchange(finished_, {});
  }

 private:
  struct BlobColumn {
    int column;
    std::unique_ptr<RollingFileWriter> files;
  };

  RowsWriter() = default;

  Status CollectFiles() {
    BRAID_TRY_ASSIGN(std::vector<DataFileMeta> files, files_->Finish());
    for (const BlobColumn& blob : blobs_) {
      BRAID_TRY_ASSIGN(std::vector<DataFileMeta> more, blob.files->Finish());
      files.insert(files.end(), more.begin(), more.end());
    }
    finished_.insert(finished_.end(), files.begin(), files.end());
    return Ok();
  }

  std::unique_ptr<BlobInput> input_;
  std::vector<int> columns_;  // those without files of their own
  std::unique_ptr<RollingFileWriter> files_;
  std::vector<BlobColumn> blobs_;
  std::vector<DataFileMeta> finished_;
};

class AppendBucketWriter : public BucketWriter {
 public:
  AppendBucketWriter(BucketWriterConfig config, std::unique_ptr<RowsWriter> writer) : config_(std::move(config)), writer_(std::move(writer)) {}

  Status Write(const Batch& rows) override {
    if (rows.kinds != nullptr) {
      for (std::int64_t row = 0; row < rows.row_count(); ++row) {
        if (!IsAdd(rows.kind(row))) {
          return Error(ErrorCode::kInvalidArgument, fmt::format("{} has no primary key, so a row of kind {} cannot be written to it", config_.table.name(), RowKindName(rows.kind(row))))
              .Hint("only insertions can be appended; give the table a primary key to update and delete rows");
        }
      }
    }
    return writer_->Write(rows);
  }

  Result<BucketChanges> PrepareCommit(bool /*wait_compaction*/) override {
    BucketChanges changes;
    BRAID_TRY_ASSIGN(changes.new_files, writer_->Finish());
    return changes;
  }

  // Files are merged by CompactTable, which sees those of all writers.
  Status Compact(bool /*full*/) override { return Ok(); }
  std::int64_t memory_bytes() const override { return writer_->buffered_bytes(); }
  Status ReleaseMemory() override { return writer_->Flush(); }

 private:
  BucketWriterConfig config_;
  std::unique_ptr<RowsWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<BucketWriter>> MakeAppendBucketWriter(BucketWriterConfig config) {
  std::int64_t first_sequence_number = 0;
  for (const DataFileMeta& file : config.files) first_sequence_number = std::max(first_sequence_number, file.max_sequence_number + 1);
  BRAID_TRY_ASSIGN(FileContents contents, config.rows_are_known ? FileContents::KnownRows(config.table, FileSource::kAppend, first_sequence_number)
                                                                 : FileContents::NewRows(config.table, first_sequence_number));
  BRAID_TRY_ASSIGN(auto writer, RowsWriter::Make(config.table, config.partition, config.bucket, std::move(contents)));
  return std::unique_ptr<BucketWriter>(std::make_unique<AppendBucketWriter>(std::move(config), std::move(writer)));
}

Result<std::vector<DataFileMeta>> RewriteAppendFiles(const Table& table, const BinaryRow& partition, BucketId bucket, const std::vector<DataFileMeta>& files,
                                                     const DeletionVectorIndex& deletions) {
  const std::vector<DeletionVectorRef> vectors = deletions.Find(partition, bucket, files);
  std::int64_t first_sequence_number = files.front().min_sequence_number;
  for (const DataFileMeta& file : files) first_sequence_number = std::min(first_sequence_number, file.min_sequence_number);
  BRAID_TRY_ASSIGN(FileContents contents, FileContents::KnownRows(table, FileSource::kCompact, first_sequence_number));
  const std::vector<DataField> fields = contents.fields;
  BRAID_TRY_ASSIGN(auto writer, RowsWriter::Make(table, partition, bucket, std::move(contents)));
  DataFileReader reader(table);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const DeletionVectorRef vector = vectors.empty() ? DeletionVectorRef{} : vectors[i];
    BRAID_TRY_ASSIGN(const auto rows, reader.Open(partition, bucket, files[i], fields, nullptr, vector));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
      if (!batch) break;
      BRAID_TRY(writer->Write(*batch));
    }
  }
  return writer->Finish();
}

}  // namespace braid
