#include <utility>

#include "base/thread_pool.h"
#include "mergetree/key_value_file.h"
#include "table/bucket_writer.h"
#include "table/data_file_reader.h"
#include "table/file_statistics.h"
#include "table/key_value_reader.h"

namespace braid {

namespace {

// Opens a bucket's files for compaction, in the table's present columns. Deletion vectors are the compaction's business:
// it changes them.
class BucketFiles : public KeyValueReaderFactory {
 public:
  BucketFiles(const Table& table, BinaryRow partition, BucketId bucket, KeyValueSchema schema)
      : table_(table), reader_(table), partition_(std::move(partition)), bucket_(bucket), schema_(std::move(schema)) {}

  Result<std::unique_ptr<BatchReader>> Open(const DataFileMeta& file, bool /*merged*/) override {
    BRAID_TRY_ASSIGN(auto rows, OpenAllRows(file, schema_));
    return std::unique_ptr<BatchReader>(std::move(rows));
  }
  Result<std::unique_ptr<FileReader>> OpenAllRows(const DataFileMeta& file, const KeyValueSchema& schema) override {
    BRAID_TRY_ASSIGN(auto columns, reader_.Open(partition_, bucket_, file, KeyValueReadFields(schema), nullptr));
    return MakeKeyValueReader(std::move(columns), schema, file.file_name);
  }
  Result<Datum> LeastValue(const DataFileMeta& file, const DataField& field) override {
    BRAID_TRY_ASSIGN(std::vector<ColumnBounds> bounds, ValueBoundsReader(table_.schemas(), {field}).Read(file));
    return std::move(bounds[0].min);
  }

 private:
  Table table_;
  DataFileReader reader_;
  BinaryRow partition_;
  BucketId bucket_;
  KeyValueSchema schema_;
};

class KeyBucketWriter : public BucketWriter {
 public:
  explicit KeyBucketWriter(std::unique_ptr<MergeTreeWriter> writer) : writer_(std::move(writer)) {}

  Status Write(const Batch& rows) override { return writer_->Write(rows); }
  Result<BucketChanges> PrepareCommit(bool wait_compaction) override { return writer_->PrepareCommit(wait_compaction); }
  Status Compact(bool full) override { return writer_->Compact(full); }
  std::int64_t memory_bytes() const override { return writer_->memory_bytes(); }
  Status ReleaseMemory() override { return writer_->ReleaseMemory(); }

 private:
  std::unique_ptr<MergeTreeWriter> writer_;
};

}  // namespace

Result<std::unique_ptr<BucketWriter>> MakeKeyBucketWriter(BucketWriterConfig config) {
  const Table& table = config.table;
  BRAID_TRY_ASSIGN(const KeyValueSchema schema, KeyValueSchema::Make(table.schema(), table.options()));
  BRAID_TRY_ASSIGN(const std::string directory, BucketDirectory(table, config.partition, config.bucket));
  BRAID_TRY_ASSIGN(auto places, PlacesOf(table, config.partition, config.bucket));
  BRAID_TRY_ASSIGN(auto writers, MakeKeyValueWriterFactory({.file_system = table.shared_file_system(),
                                                            .bucket_directory = directory,
                                                            .schema = schema,
                                                            .schema_id = table.schema().id,
                                                            .options = table.options(),
                                                            .places = std::move(places)}));
  MergeTreeWriterConfig tree{.schema = schema,
                             .options = table.options(),
                             .files = std::move(config.files),
                             .deletions = std::move(config.deletions),
                             .readers = std::make_shared<BucketFiles>(table, config.partition, config.bucket, schema),
                             .writers = std::move(writers),
                             .spill_directory = config.spill_directory,
                             .compaction_pool = &CpuPool(),
                             .compaction_memory = config.compaction_memory};
  BRAID_TRY_ASSIGN(auto writer, MergeTreeWriter::Make(std::move(tree)));
  return std::unique_ptr<BucketWriter>(std::make_unique<KeyBucketWriter>(std::move(writer)));
}

}  // namespace braid
