// Writer of bucket -2: rows wait there, as they came, until a compaction moves them into real buckets (spec data.md §9.4).

#include <random>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "format/avro_format.h"
#include "mergetree/ignored_kinds.h"
#include "mergetree/key_value_file.h"
#include "mergetree/merge_function.h"
#include "table/bucket_writer.h"

namespace braid {

namespace {

constexpr std::int64_t kUnknownSequenceNumber = -1;

// Files in Avro without statistics, if Avro has all the column types, and without indexes. Files of one writer are told by
// their names.
Options FileOptions(const Table& table, const std::string& commit_user) {
  std::random_device random;
  Options options = table.options();
  options.Set("data-file.prefix", fmt::format("{}-u-{}-s-{}-w-", options.Get("data-file.prefix", "data-"), commit_user, random() & 0x7fffffff));
  if (MakeAvroSchemaJson(table.schema().fields)) {
    options.Set("file.format", "avro");
    options.Set("metadata.stats-mode", "none");
  }
  for (const auto& [key, value] : table.options().values()) {
    if (key.starts_with("file-index.")) options.Remove(key);
  }
  return options;
}

class PostponedBucketWriter : public BucketWriter {
 public:
  PostponedBucketWriter(KeyValueSchema schema, std::shared_ptr<KeyValueWriterFactory> files, std::shared_ptr<const MergeFunction> function,
                        IgnoredKinds ignored)
      : schema_(std::move(schema)), files_(std::move(files)), function_(std::move(function)), ignored_(ignored) {}

  Status Write(const Batch& rows) override {
    BRAID_TRY_ASSIGN(const Batch accepted, ignored_.Drop(rows));
    if (accepted.row_count() == 0) return Ok();
    BRAID_TRY_ASSIGN(Batch batch, NumberRows(schema_, accepted, 0));
    BRAID_TRY(CheckRetractions(batch));
    BRAID_TRY_ASSIGN(auto unknown, MakeConstantColumn(Datum(kUnknownSequenceNumber), DataType::BigInt().NotNull(), batch.row_count()));
    std::vector<std::shared_ptr<arrow::Array>> columns = batch.rows->columns();
    columns[static_cast<std::size_t>(schema_.sequence_number_column())] = std::move(unknown);
    batch.rows = arrow::RecordBatch::Make(batch.rows->schema(), batch.row_count(), std::move(columns));
    if (writer_ == nullptr) {
      BRAID_TRY_ASSIGN(writer_, files_->OpenData(0, FileSource::kAppend));
    }
    return writer_->Write(batch);
  }

  Result<BucketChanges> PrepareCommit(bool /*wait_compaction*/) override {
    BucketChanges changes;
    if (writer_ == nullptr) return changes;
    BRAID_TRY_ASSIGN(changes.new_files, std::exchange(writer_, nullptr)->Finish());
    return changes;
  }

  // CompactTable moves the rows of all writers.
  Status Compact(bool /*full*/) override { return Ok(); }
  std::int64_t memory_bytes() const override { return writer_ == nullptr ? 0 : writer_->buffered_bytes(); }
  Status ReleaseMemory() override { return writer_ == nullptr ? Ok() : writer_->Flush(); }

 private:
  // A kind that the merge engine does not take is refused now, not when the rows are moved.
  Status CheckRetractions(const Batch& batch) {
    if (retractions_taken_ || batch.kinds == nullptr) return Ok();
    for (std::int32_t row = 0; row < batch.row_count(); ++row) {
      if (IsAdd(batch.kind(row))) continue;
      MergeSource source;
      source.batch = batch;
      source.kinds = batch.kinds->raw_values();
      source.sequence_numbers = static_cast<const arrow::Int64Array&>(*batch.rows->column(schema_.sequence_number_column())).raw_values();
      const std::int32_t index = 0;
      const std::int32_t end = 1;
      const std::uint8_t forced = 1;
      MergedRows merged;
      BRAID_TRY(function_->Merge({std::span(&source, 1), std::span(&index, 1), std::span(&row, 1), std::span(&end, 1), std::span(&forced, 1)}, merged));
      retractions_taken_ = true;
      return Ok();
    }
    return Ok();
  }

  KeyValueSchema schema_;
  std::shared_ptr<KeyValueWriterFactory> files_;
  std::shared_ptr<const MergeFunction> function_;
  IgnoredKinds ignored_;
  std::unique_ptr<KeyValueRollingWriter> writer_;
  bool retractions_taken_ = false;
};

}  // namespace

Result<std::unique_ptr<BucketWriter>> MakePostponedBucketWriter(BucketWriterConfig config) {
  const Table& table = config.table;
  BRAID_TRY_ASSIGN(const KeyValueSchema schema, KeyValueSchema::Make(table.schema(), table.options()));
  BRAID_TRY_ASSIGN(const std::string directory, BucketDirectory(table, config.partition, config.bucket));
  BRAID_TRY_ASSIGN(auto places, PlacesOf(table, config.partition, config.bucket));
  BRAID_TRY_ASSIGN(auto files, MakeKeyValueWriterFactory({.file_system = table.shared_file_system(),
                                                          .bucket_directory = directory,
                                                          .schema = schema,
                                                          .schema_id = table.schema().id,
                                                          .options = FileOptions(table, config.commit_user),
                                                          .places = std::move(places)}));
  BRAID_TRY_ASSIGN(auto function, MakeMergeFunction(table.options(), schema));
  BRAID_TRY_ASSIGN(const IgnoredKinds ignored, IgnoredKinds::FromOptions(table.options()));
  return std::unique_ptr<BucketWriter>(std::make_unique<PostponedBucketWriter>(schema, std::move(files), std::move(function), ignored));
}

}  // namespace braid
