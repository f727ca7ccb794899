// Writing data files of key tables with their metadata.

#include <algorithm>
#include <limits>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "format/file_format.h"
#include "format/file_index_writer.h"
#include "mergetree/data_file_options.h"
#include "meta/column_stats.h"
#include "mergetree/key_value_file.h"
#include "mergetree/stored_file_index.h"

namespace braid {
namespace {

constexpr std::int64_t kSliceRows = 8192;  // how often a file's size is looked at

/// What all files of one kind share. Immutable.
struct FilePlan {
  DataFileOptions options;
  bool thin = false;
  bool dense = true;
  std::int64_t target_bytes = 0;
  std::int64_t target_rows = std::numeric_limits<std::int64_t>::max();
  std::vector<DataField> fields;  // of the file
  std::shared_ptr<arrow::Schema> arrow_schema;
  std::vector<StatsMode> key_modes;
  std::vector<StatsMode> value_modes;
  FileIndexOptions indexes;
};

bool IsAvro(const FilePlan& plan) {
  return plan.options.format->identifier() == "avro";
}

Result<FilePlan> MakePlan(const KeyValueWriterConfig& config, DataFileOptions file_options) {
  const KeyValueSchema& schema = config.schema;
  FilePlan plan;
  plan.options = std::move(file_options);
  BRAID_TRY_ASSIGN(plan.thin, config.options.GetBool("data-file.thin-mode", false));
  BRAID_TRY_ASSIGN(plan.dense, config.options.GetBool("metadata.stats-dense-store", true));
  BRAID_TRY_ASSIGN(plan.target_bytes, config.options.GetMemorySize("target-file-size", std::int64_t{128} << 20));
  BRAID_TRY_ASSIGN(plan.target_rows, config.options.GetInt("target-file-row-num", plan.target_rows));
  if (plan.target_rows < 1) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("option target-file-row-num is {}, but must be at least 1", plan.target_rows));
  }
  plan.fields = KeyValueFileFields(schema, plan.thin);
  plan.arrow_schema = ToArrowSchema(plan.fields);
  std::vector<std::string> thin_keys;
  if (plan.thin) {
    for (const DataField& key : schema.key_fields) thin_keys.push_back(key.name);
  }
  BRAID_TRY_ASSIGN(plan.value_modes, ResolveStatsModes(schema.value_fields, config.options, plan.options.stats_mode, thin_keys,
                                                       plan.options.format->identifier()));
  // Keys are found by their statistics whatever the table's mode; Java does without this for Avro.
  BRAID_TRY_ASSIGN(const StatsMode table_mode, ParseStatsMode(plan.options.stats_mode));
  plan.key_modes.assign(schema.key_count(), IsAvro(plan) ? table_mode : kKeyStatsMode);
  if (plan.thin) {
    for (std::size_t key = 0; key < schema.key_count(); ++key) plan.key_modes[key] = plan.value_modes[*schema.KeyAmongValues(key)];
  }
  return plan;
}

/// One file being written and what its metadata need.
class OpenDataFile {
 public:
  /// `indexes` may be null.
  OpenDataFile(const KeyValueSchema& schema, const FilePlan& plan, NewFilePlaces::Place place,
               std::unique_ptr<FileWriter> writer, std::unique_ptr<FileIndexWriter> indexes)
      : schema_(schema),
        plan_(plan),
        place_(std::move(place)),
        name_(BaseName(place_.path)),
        writer_(std::move(writer)),
        indexes_(std::move(indexes)) {}

  const std::string& path() const { return place_.path; }
  bool is_full() const { return writer_->estimated_bytes() >= plan_.target_bytes || row_count_ >= plan_.target_rows; }
  std::int64_t rows_left() const { return plan_.target_rows - row_count_; }
  std::int64_t buffered_bytes() const { return writer_->buffered_bytes(); }
  Status Flush() { return writer_->Flush(); }

  Status Write(const Batch& batch) {
    const std::int64_t rows = batch.row_count();
    if (row_count_ == 0) min_key_ = KeyAt(batch, 0);
    max_key_ = KeyAt(batch, rows - 1);
    row_count_ += rows;
    const auto& numbers = static_cast<const arrow::Int64Array&>(*batch.rows->column(schema_.sequence_number_column()));
    const std::int64_t* raw = numbers.raw_values();
    const auto [least, greatest] = std::minmax_element(raw, raw + rows);
    min_sequence_ = std::min(min_sequence_, *least);
    max_sequence_ = std::max(max_sequence_, *greatest);
    if (batch.kinds != nullptr) {
      const std::int8_t* kinds = batch.kinds->raw_values();
      delete_count_ +=
          std::count_if(kinds, kinds + rows, [](std::int8_t kind) { return !IsAdd(static_cast<RowKind>(kind)); });
    }
    const std::shared_ptr<arrow::RecordBatch> columns = FileColumns(batch);
    if (indexes_ != nullptr) {
      const std::vector<std::shared_ptr<arrow::Array>> all = columns->columns();
      indexes_->Add(std::span(all).last(schema_.value_fields.size()));
    }
    return writer_->Write(Batch{columns, nullptr});
  }

  Result<DataFileMeta> Finish(const KeyValueWriterConfig& config, int level, FileSource source) {
    BRAID_TRY_ASSIGN(const WrittenFile written, writer_->Finish());
    DataFileMeta meta;
    meta.file_name = name_;
    meta.file_size = written.size_bytes;
    meta.row_count = row_count_;
    std::vector<DataType> key_types;
    for (const DataField& key : schema_.key_fields) key_types.push_back(key.type);
    meta.min_key = BinaryRow::Make(key_types, min_key_);
    meta.max_key = BinaryRow::Make(key_types, max_key_);
    FillStatistics(written, meta);
    meta.min_sequence_number = min_sequence_;
    meta.max_sequence_number = max_sequence_;
    meta.schema_id = config.schema_id;
    meta.level = level;
    meta.creation_time_ms = LocalTimeMs(*config.clock);
    meta.delete_row_count = delete_count_;
    meta.file_source = source;
    meta.external_path = place_.external_path;
    BRAID_TRY(StoreIndexes(*config.file_system, meta));
    return meta;
  }

 private:
  DatumList KeyAt(const Batch& batch, std::int64_t row) const {
    DatumList key;
    for (std::size_t i = 0; i < schema_.key_count(); ++i) {
      key.push_back(DatumAt(*batch.rows->column(static_cast<int>(i)), row, schema_.key_fields[i].type));
    }
    return key;
  }

  std::shared_ptr<arrow::RecordBatch> FileColumns(const Batch& batch) const {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t key = 0; !plan_.thin && key < schema_.key_count(); ++key) {
      columns.push_back(batch.rows->column(static_cast<int>(key)));
    }
    columns.push_back(batch.rows->column(schema_.sequence_number_column()));
    if (batch.kinds != nullptr) {
      columns.push_back(batch.kinds);
    } else {
      std::vector<std::int8_t> inserts(static_cast<std::size_t>(batch.row_count()), 0);
      columns.push_back(
          std::make_shared<arrow::Int8Array>(batch.row_count(), arrow::Buffer::FromVector(std::move(inserts))));
    }
    for (std::size_t value = 0; value < schema_.value_fields.size(); ++value) {
      columns.push_back(batch.rows->column(schema_.value_column(value)));
    }
    return arrow::RecordBatch::Make(plan_.arrow_schema, batch.row_count(), std::move(columns));
  }

  Status StoreIndexes(FileSystem& file_system, DataFileMeta& meta) const {
    if (indexes_ == nullptr) return Ok();
    BRAID_TRY_ASSIGN(const std::optional<std::string> index, indexes_->Finish());
    return index ? StoreFileIndex(file_system, place_.path, *index, plan_.indexes.max_embedded_bytes, meta) : Ok();
  }

  void FillStatistics(const WrittenFile& written, DataFileMeta& meta) const {
    const std::size_t keys = plan_.thin ? 0 : schema_.key_count();
    const std::span<const ColumnStatistics> columns = written.columns;
    const std::span<const ColumnStatistics> values = columns.subspan(keys + 2);
    std::vector<ColumnStatistics> key_columns;
    for (std::size_t key = 0; key < schema_.key_count(); ++key) {
      key_columns.push_back(plan_.thin ? values[*schema_.KeyAmongValues(key)] : columns[key]);
    }
    meta.key_stats = MakeManifestStats(schema_.key_fields, key_columns, plan_.key_modes, false).stats;
    ManifestStats value_stats = MakeManifestStats(schema_.value_fields, values, plan_.value_modes, plan_.dense);
    meta.value_stats = std::move(value_stats.stats);
    meta.value_stats_cols = std::move(value_stats.columns);
  }

  const KeyValueSchema& schema_;  // the factory's, which outlives the file
  const FilePlan& plan_;          // the rolling writer's
  NewFilePlaces::Place place_;
  std::string name_;
  std::unique_ptr<FileWriter> writer_;
  std::unique_ptr<FileIndexWriter> indexes_;  // may be null
  DatumList min_key_;
  DatumList max_key_;
  std::int64_t row_count_ = 0;
  std::int64_t delete_count_ = 0;
  std::int64_t min_sequence_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_sequence_ = std::numeric_limits<std::int64_t>::min();
};

// With what lies beside it.
Status DeleteFile(const KeyValueWriterConfig& config, const DataFileMeta& file) {
  const std::string path = file.external_path.value_or(JoinPath(config.bucket_directory, file.file_name));
  for (const std::string& extra : file.extra_files) {
    BRAID_TRY(config.file_system->Delete(JoinPath(DirectoryName(path), extra)));
  }
  return config.file_system->Delete(path);
}

class RollingWriter : public KeyValueRollingWriter {
 public:
  RollingWriter(std::shared_ptr<const KeyValueWriterConfig> config, std::shared_ptr<DataFileNamer> namer, FilePlan plan,
                int level, FileSource source)
      : config_(std::move(config)), namer_(std::move(namer)), plan_(std::move(plan)), level_(level), source_(source) {}

  ~RollingWriter() override {
    if (finished_) return;
    // Nobody knows of these files yet; one that cannot be deleted is an orphan for cleaning to find.
    const std::string current = file_ == nullptr ? "" : file_->path();
    file_.reset();
    if (!current.empty()) {
      (void)config_->file_system->Delete(current);
      (void)config_->file_system->Delete(current + ".index");
    }
    for (const DataFileMeta& done : done_) (void)DeleteFile(*config_, done);
  }

  Status Write(const Batch& batch) override {
    for (std::int64_t offset = 0; offset < batch.row_count();) {
      if (file_ == nullptr) BRAID_TRY(StartFile());
      const std::int64_t rows = std::min({kSliceRows, batch.row_count() - offset, file_->rows_left()});
      BRAID_TRY(file_->Write(Slice(batch, offset, rows)));
      offset += rows;
      if (file_->is_full()) BRAID_TRY(FinishFile());
    }
    return Ok();
  }

  std::int64_t buffered_bytes() const override { return file_ == nullptr ? 0 : file_->buffered_bytes(); }
  Status Flush() override { return file_ == nullptr ? Ok() : file_->Flush(); }

  Result<std::vector<DataFileMeta>> Finish() override {
    if (file_ != nullptr) BRAID_TRY(FinishFile());
    finished_ = true;
    return std::move(done_);
  }

 private:
  static Batch Slice(const Batch& batch, std::int64_t offset, std::int64_t rows) {
    if (rows == batch.row_count()) return batch;
    Batch slice{batch.rows->Slice(offset, rows), nullptr};
    if (batch.kinds != nullptr) {
      slice.kinds = std::static_pointer_cast<arrow::Int8Array>(batch.kinds->Slice(offset, rows));
    }
    return slice;
  }

  Status StartFile() {
    const std::string name = namer_->Next(plan_.options);
    NewFilePlaces::Place place;
    if (config_->places != nullptr) {
      place = config_->places->Next(name);
    } else {
      place.path = JoinPath(config_->bucket_directory, name);
    }
    BRAID_TRY_ASSIGN(std::unique_ptr<FileWriter> writer,
                     plan_.options.format->OpenWriter(*config_->file_system, place.path, plan_.fields,
                                                      plan_.options.format_options));
    BRAID_TRY_ASSIGN(auto indexes, FileIndexWriter::Make(plan_.indexes, config_->schema.value_fields));
    file_ =
        std::make_unique<OpenDataFile>(config_->schema, plan_, std::move(place), std::move(writer), std::move(indexes));
    return Ok();
  }

  Status FinishFile() {
    BRAID_TRY_ASSIGN(DataFileMeta meta, file_->Finish(*config_, level_, source_));
    done_.push_back(std::move(meta));
    file_.reset();
    return Ok();
  }

  std::shared_ptr<const KeyValueWriterConfig> config_;
  std::shared_ptr<DataFileNamer> namer_;
  FilePlan plan_;
  int level_;
  FileSource source_;
  std::unique_ptr<OpenDataFile> file_;
  std::vector<DataFileMeta> done_;
  bool finished_ = false;
};

class FileFormatWriterFactory : public KeyValueWriterFactory {
 public:
  explicit FileFormatWriterFactory(KeyValueWriterConfig config)
      : config_(std::make_shared<const KeyValueWriterConfig>(std::move(config))),
        namer_(std::make_shared<DataFileNamer>()) {}

  Result<std::unique_ptr<KeyValueRollingWriter>> OpenData(int level, FileSource source) override {
    BRAID_TRY_ASSIGN(DataFileOptions options, DataFileOptions::ForLevel(config_->options, level));
    BRAID_TRY_ASSIGN(FileIndexOptions indexes, FileIndexOptions::Parse(config_->options, config_->schema.value_fields));
    return Open(std::move(options), level, source, std::move(indexes));
  }

  Result<std::unique_ptr<KeyValueRollingWriter>> OpenChangelog(int level) override {
    BRAID_TRY_ASSIGN(DataFileOptions options, DataFileOptions::ForChangelog(config_->options));
    return Open(std::move(options), level, FileSource::kAppend, {});
  }

  Status Delete(const DataFileMeta& file) override { return DeleteFile(*config_, file); }

 private:
  Result<std::unique_ptr<KeyValueRollingWriter>> Open(DataFileOptions options, int level, FileSource source,
                                                      FileIndexOptions indexes) {
    BRAID_TRY_ASSIGN(FilePlan plan, MakePlan(*config_, std::move(options)));
    plan.indexes = std::move(indexes);
    std::unique_ptr<KeyValueRollingWriter> writer =
        std::make_unique<RollingWriter>(config_, namer_, std::move(plan), level, source);
    return writer;
  }

  std::shared_ptr<const KeyValueWriterConfig> config_;
  std::shared_ptr<DataFileNamer> namer_;
};

}  // namespace

Result<std::shared_ptr<KeyValueWriterFactory>> MakeKeyValueWriterFactory(KeyValueWriterConfig config) {
  // Options that cannot be followed are found now rather than at the first flush.
  BRAID_TRY_ASSIGN(DataFileOptions options, DataFileOptions::ForLevel(config.options, 0));
  BRAID_TRY(MakePlan(config, std::move(options)));
  BRAID_TRY_ASSIGN(const FileIndexOptions indexes, FileIndexOptions::Parse(config.options, config.schema.value_fields));
  BRAID_TRY(FileIndexWriter::Make(indexes, config.schema.value_fields));
  return std::shared_ptr<KeyValueWriterFactory>(std::make_shared<FileFormatWriterFactory>(std::move(config)));
}

}  // namespace braid
