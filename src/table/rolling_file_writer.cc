#include "table/rolling_file_writer.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>

#include "format/blob_format.h"
#include "mergetree/stored_file_index.h"
#include "meta/blob_columns.h"
#include "table/blob_input.h"
#include "table/bucket_writer.h"
#include "table/row_tracking.h"
#include "table/target_file_size.h"

namespace braid {

namespace {

bool IsBlobColumn(const std::vector<DataField>& fields, const Options& options) {
  return fields.size() == 1 && BlobColumns(options).HasOwnFiles(fields.front());
}

// A row as it is stored, where it may hold the descriptor of its value.
Result<Batch> WithInsertedBlob(BlobSource& source, const Batch& row) {
  const auto& values = static_cast<const arrow::BinaryArray&>(*row.rows->column(0));
  if (values.IsNull(0) || !IsBlobDescriptor(values.GetView(0))) return row;
  BRAID_TRY_ASSIGN(std::string value, InsertedBlob(source, values.GetView(0)));
  BRAID_TRY_ASSIGN(auto column, MakeConstantColumn(Datum(std::move(value)), DataType::Blob(), 1));
  return Batch{arrow::RecordBatch::Make(row.rows->schema(), 1, {std::move(column)}), nullptr};
}

}  // namespace

Result<FileContents> FileContents::NewRows(const Table& table, std::int64_t first_sequence_number) {
  FileContents contents{.fields = table.schema().fields};
  BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table));
  if (!tracks) contents.first_sequence_number = first_sequence_number;
  return contents;
}

Result<FileContents> FileContents::KnownRows(const Table& table, FileSource source, std::int64_t first_sequence_number) {
  BRAID_TRY_ASSIGN(FileContents contents, NewRows(table, first_sequence_number));
  contents.source = source;
  if (contents.first_sequence_number) return contents;
  contents.fields = TrackedFields(table.schema());
  contents.fields.back().type = contents.fields.back().type.Nullable();  // NULL: what the commit's snapshot is
  contents.names_fields = true;
  return contents;
}

FileContents FileContents::Columns(std::vector<DataField> fields) {
  return {.fields = std::move(fields), .names_fields = true};
}

Result<std::unique_ptr<RollingFileWriter>> RollingFileWriter::Make(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                                   FileContents contents) {
  std::unique_ptr<RollingFileWriter> writer(new RollingFileWriter(table, std::move(contents)));
  const std::vector<DataField>& fields = writer->contents_.fields;
  const Options& options = table.options();
  BRAID_TRY_ASSIGN(writer->places_, PlacesOf(table, partition, bucket));
  BRAID_TRY_ASSIGN(writer->target_bytes_, AppendTargetFileBytes(options));
  BRAID_TRY_ASSIGN(writer->files_options_, DataFileOptions::ForLevel(options, 0));
  if (IsBlobColumn(fields, options)) {
    writer->blobs_.emplace(BlobSource::OfInput(table));
    BRAID_TRY_ASSIGN(writer->target_bytes_, BlobTargetFileBytes(options));
    writer->files_options_.format = &BlobFormat();
    writer->files_options_.extension = BlobFormat().identifier();
  }
  BRAID_TRY_ASSIGN(writer->modes_, ResolveStatsModes(fields, options, writer->files_options_.stats_mode));
  BRAID_TRY_ASSIGN(writer->dense_, options.GetBool("metadata.stats-dense-store", true));
  // Options that cannot be followed are found before there are files.
  BRAID_TRY_ASSIGN(writer->index_options_, FileIndexOptions::Parse(options, table.schema().fields));
  std::erase_if(writer->index_options_.indexes, [&](const WantedFileIndex& index) { return !FindField(fields, index.column); });
  BRAID_TRY_ASSIGN(writer->indexes_, FileIndexWriter::Make(writer->index_options_, fields));
  writer->next_sequence_number_ = writer->contents_.first_sequence_number.value_or(0);
  return writer;
}

RollingFileWriter::~RollingFileWriter() {
  // Nobody has been told of these files; one that stays is an orphan, which cleaning removes.
  for (const std::string& path : paths_) {
    static_cast<void>(table_.file_system().Delete(path));
    static_cast<void>(table_.file_system().Delete(path + ".index"));
  }
}

Status RollingFileWriter::Write(const Batch& batch) {
  if (!blobs_) return WriteRows(batch);
  // A single value may fill a file.
  for (std::int64_t row = 0; row < batch.row_count(); ++row) {
    BRAID_TRY_ASSIGN(const Batch stored, WithInsertedBlob(*blobs_, {batch.rows->Slice(row, 1), nullptr}));
    BRAID_TRY(WriteRows(stored));
  }
  return Ok();
}

Status RollingFileWriter::WriteRows(const Batch& batch) {
  if (file_ == nullptr) BRAID_TRY(OpenFile());
  BRAID_TRY(file_->Write(batch));
  if (indexes_ != nullptr) indexes_->Add(batch.rows->columns());
  CountSequenceNumbers(batch);
  if (contents_.rolls && file_->estimated_bytes() >= target_bytes_) return CloseFile();
  return Ok();
}

Result<std::vector<DataFileMeta>> RollingFileWriter::Finish() {
  if (file_ != nullptr) BRAID_TRY(CloseFile());
  paths_.clear();
  return std::exchange(files_, {});
}

Status RollingFileWriter::OpenFile() {
  file_name_ = namer_.Next(files_options_);
  NewFilePlaces::Place place = places_->Next(file_name_);
  paths_.push_back(std::move(place.path));
  external_path_ = std::move(place.external_path);
  BRAID_TRY_ASSIGN(file_, files_options_.format->OpenWriter(table_.file_system(), paths_.back(), contents_.fields, files_options_.format_options));
  BRAID_TRY_ASSIGN(indexes_, FileIndexWriter::Make(index_options_, contents_.fields));
  return Ok();
}

Status RollingFileWriter::CloseFile() {
  BRAID_TRY_ASSIGN(const WrittenFile written, std::exchange(file_, nullptr)->Finish());
  DataFileMeta meta;
  meta.file_name = file_name_;
  meta.file_size = written.size_bytes;
  meta.row_count = written.row_count;
  ManifestStats stats = MakeManifestStats(contents_.fields, written.columns, modes_, dense_);
  meta.value_stats = std::move(stats.stats);
  meta.value_stats_cols = std::move(stats.columns);
  NumberRows(meta);
  meta.schema_id = table_.schema().id;
  meta.creation_time_ms = LocalTimeMs(SystemClock());
  meta.delete_row_count = 0;
  meta.file_source = contents_.source;
  meta.external_path = external_path_;
  if (contents_.names_fields) {
    std::vector<std::string> names;
    for (const DataField& field : contents_.fields) names.push_back(field.name);
    meta.write_cols = std::move(names);
  }
  if (indexes_ != nullptr) {
    BRAID_TRY_ASSIGN(const std::optional<std::string> index, indexes_->Finish());
    if (index) BRAID_TRY(StoreFileIndex(table_.file_system(), paths_.back(), *index, index_options_.max_embedded_bytes, meta));
  }
  files_.push_back(std::move(meta));
  return Ok();
}

void RollingFileWriter::CountSequenceNumbers(const Batch& batch) {
  if (contents_.fields.back().id != RowSequenceField().id) return;
  const auto& numbers = static_cast<const arrow::Int64Array&>(*batch.rows->column(batch.rows->num_columns() - 1));
  for (std::int64_t row = 0; row < numbers.length(); ++row) {
    if (numbers.IsNull(row)) {
      lacks_stored_ = true;
      continue;
    }
    least_stored_ = std::min(least_stored_.value_or(numbers.Value(row)), numbers.Value(row));
    greatest_stored_ = std::max(greatest_stored_, numbers.Value(row));
  }
}

// 0 stands for the snapshot that the file will come with.
void RollingFileWriter::NumberRows(DataFileMeta& meta) {
  if (contents_.first_sequence_number) {
    meta.min_sequence_number = next_sequence_number_;
    next_sequence_number_ += meta.row_count;
    meta.max_sequence_number = next_sequence_number_ - 1;
    return;
  }
  meta.min_sequence_number = std::exchange(least_stored_, std::nullopt).value_or(0);
  const std::int64_t greatest = std::exchange(greatest_stored_, 0);
  meta.max_sequence_number = std::exchange(lacks_stored_, false) ? 0 : greatest;
}

}  // namespace braid
