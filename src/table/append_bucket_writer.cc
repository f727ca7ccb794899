#include <algorithm>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "format/file_format.h"
#include "format/file_index_writer.h"
#include "mergetree/data_file_options.h"
#include "mergetree/stored_file_index.h"
#include "meta/column_stats.h"
#include "table/bucket_writer.h"
#include "table/data_file_reader.h"

namespace braid {

namespace {

constexpr std::int64_t kDefaultTargetBytes = std::int64_t{256} << 20;

// Writes rows to as many files as `target-file-size` asks for.
class RollingWriter {
 public:
  static Result<std::unique_ptr<RollingWriter>> Make(const Table& table, const BinaryRow& partition, BucketId bucket, FileSource source,
                                                     std::int64_t first_sequence_number) {
    std::unique_ptr<RollingWriter> writer(new RollingWriter(table, source, first_sequence_number));
    const Options& options = table.options();
    BRAID_TRY_ASSIGN(writer->directory_, BucketDirectory(table, partition, bucket));
    BRAID_TRY_ASSIGN(writer->target_bytes_, options.GetMemorySize("target-file-size", kDefaultTargetBytes));
    BRAID_TRY_ASSIGN(writer->files_options_, DataFileOptions::ForLevel(options, 0));
    BRAID_TRY_ASSIGN(writer->modes_, ResolveStatsModes(table.schema().fields, options, writer->files_options_.stats_mode));
    BRAID_TRY_ASSIGN(writer->dense_, options.GetBool("metadata.stats-dense-store", true));
    BRAID_TRY_ASSIGN(writer->index_options_, FileIndexOptions::Parse(options, table.schema().fields));
    // Options that cannot be followed are found before there are files.
    BRAID_TRY_ASSIGN(writer->indexes_, FileIndexWriter::Make(writer->index_options_, table.schema().fields));
    return writer;
  }
  RollingWriter(const RollingWriter&) = delete;
  RollingWriter& operator=(const RollingWriter&) = delete;
  ~RollingWriter() {
    // Nobody has been told of these files; one that stays is an orphan, which cleaning removes.
    for (const std::string& path : paths_) {
      static_cast<void>(table_.file_system().Delete(path));
      static_cast<void>(table_.file_system().Delete(path + ".index"));
    }
  }

  Status Write(const Batch& batch) {
    if (file_ == nullptr) BRAID_TRY(OpenFile());
    BRAID_TRY(file_->Write(batch));
    if (indexes_ != nullptr) indexes_->Add(batch.rows->columns());
    if (file_->estimated_bytes() >= target_bytes_) return CloseFile();
    return Ok();
  }

  // The files since the last call.
  Result<std::vector<DataFileMeta>> Finish() {
    if (file_ != nullptr) BRAID_TRY(CloseFile());
    paths_.clear();
    return std::exchange(files_, {});
  }

 private:
  RollingWriter(const Table& table, FileSource source, std::int64_t first_sequence_number)
      : table_(table), source_(source), next_sequence_number_(first_sequence_number) {}

  Status OpenFile() {
    file_name_ = namer_.Next(files_options_);
    paths_.push_back(JoinPath(directory_, file_name_));
    BRAID_TRY_ASSIGN(file_, files_options_.format->OpenWriter(table_.file_system(), paths_.back(), table_.schema().fields, files_options_.format_options));
    BRAID_TRY_ASSIGN(indexes_, FileIndexWriter::Make(index_options_, table_.schema().fields));
    return Ok();
  }

  Status CloseFile() {
    BRAID_TRY_ASSIGN(const WrittenFile written, std::exchange(file_, nullptr)->Finish());
    DataFileMeta meta;
    meta.file_name = file_name_;
    meta.file_size = written.size_bytes;
    meta.row_count = written.row_count;
    ManifestStats stats = MakeManifestStats(table_.schema().fields, written.columns, modes_, dense_);
    meta.value_stats = std::move(stats.stats);
    meta.value_stats_cols = std::move(stats.columns);
    meta.min_sequence_number = next_sequence_number_;
    next_sequence_number_ += written.row_count;
    meta.max_sequence_number = next_sequence_number_ - 1;
    meta.schema_id = table_.schema().id;
    meta.creation_time_ms = LocalTimeMs(SystemClock());
    meta.delete_row_count = 0;
    meta.file_source = source_;
    if (indexes_ != nullptr) {
      BRAID_TRY_ASSIGN(const std::optional<std::string> index, indexes_->Finish());
      if (index) BRAID_TRY(StoreFileIndex(table_.file_system(), paths_.back(), *index, index_options_.max_embedded_bytes, meta));
    }
    files_.push_back(std::move(meta));
    return Ok();
  }

  Table table_;
  FileSource source_;
  std::int64_t next_sequence_number_;
  std::string directory_;
  std::int64_t target_bytes_ = kDefaultTargetBytes;
  DataFileOptions files_options_;
  DataFileNamer namer_;
  std::vector<StatsMode> modes_;
  bool dense_ = true;
  FileIndexOptions index_options_;
  std::unique_ptr<FileWriter> file_;
  std::unique_ptr<FileIndexWriter> indexes_;  // of the open file; null if the table wants none
  std::string file_name_;
  std::vector<std::string> paths_;  // written, but not handed out yet
  std::vector<DataFileMeta> files_;
};

class AppendBucketWriter : public BucketWriter {
 public:
  AppendBucketWriter(BucketWriterConfig config, std::unique_ptr<RollingWriter> writer) : config_(std::move(config)), writer_(std::move(writer)) {}

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
  std::int64_t memory_bytes() const override { return 0; }
  Status ReleaseMemory() override { return Ok(); }

 private:
  BucketWriterConfig config_;
  std::unique_ptr<RollingWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<BucketWriter>> MakeAppendBucketWriter(BucketWriterConfig config) {
  std::int64_t first_sequence_number = 0;
  for (const DataFileMeta& file : config.files) first_sequence_number = std::max(first_sequence_number, file.max_sequence_number + 1);
  BRAID_TRY_ASSIGN(auto writer, RollingWriter::Make(config.table, config.partition, config.bucket, FileSource::kAppend, first_sequence_number));
  return std::unique_ptr<BucketWriter>(std::make_unique<AppendBucketWriter>(std::move(config), std::move(writer)));
}

Result<std::vector<DataFileMeta>> RewriteAppendFiles(const Table& table, const BinaryRow& partition, BucketId bucket, const std::vector<DataFileMeta>& files,
                                                     const DeletionVectorIndex& deletions) {
  const std::vector<DeletionVectorRef> vectors = deletions.Find(partition, bucket, files);
  std::int64_t first_sequence_number = files.front().min_sequence_number;
  for (const DataFileMeta& file : files) first_sequence_number = std::min(first_sequence_number, file.min_sequence_number);
  BRAID_TRY_ASSIGN(auto writer, RollingWriter::Make(table, partition, bucket, FileSource::kCompact, first_sequence_number));
  DataFileReader reader(table);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const DeletionVectorRef vector = vectors.empty() ? DeletionVectorRef{} : vectors[i];
    BRAID_TRY_ASSIGN(const auto rows, reader.Open(partition, bucket, files[i], table.schema().fields, nullptr, vector));
    for (;;) {
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows->Next());
      if (!batch) break;
      BRAID_TRY(writer->Write(*batch));
    }
  }
  return writer->Finish();
}

}  // namespace braid
