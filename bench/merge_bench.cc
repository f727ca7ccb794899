// Merging and writing one bucket of a key table on one core, all in memory: five overlapping sorted runs of seven
// columns, each with a random half of the keys.
//
//   merge_bench [rows a run] [engine]
//
// A line a stage: its name, rows taken in, seconds by the clock and of the processor, millions of rows in one of the
// latter.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "io/memory_file_system.h"
#include "mergetree/key_value_file.h"
#include "mergetree/merge_reader.h"
#include "mergetree/merge_tree_writer.h"

namespace braid {
namespace {

constexpr int kRuns = 5;
constexpr std::int64_t kBatchRows = 8192;
constexpr char kBucket[] = "/bench/bucket-0";

template <typename T>
T Must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "error: {}\n", result.error().ToString());
    std::exit(1);
  }
  return std::move(result).value();
}
void Must(const Status& status) {
  if (status) return;
  fmt::print(stderr, "error: {}\n", status.error().ToString());
  std::exit(1);
}

DataField Column(std::int32_t id, std::string name, DataType type) {
  return {FieldId(id), std::move(name), std::move(type), std::nullopt, std::nullopt};
}

KeyValueSchema BenchSchema() {
  KeyValueSchema schema;
  schema.value_fields = {Column(0, "k", DataType::BigInt().NotNull()), Column(1, "i", DataType::Int()),
                         Column(2, "d", DataType::Double()),           Column(3, "s", DataType::String()),
                         Column(4, "t", DataType::String()),           Column(5, "ts", DataType::Timestamp(6)),
                         Column(6, "dec", DataType::Decimal(12, 2))};
  schema.key_fields = {schema.value_fields[0]};
  schema.requested_values = schema.value_fields.size();
  return schema;
}

/// Value columns for these keys.
Batch MakeValues(const KeyValueSchema& schema, const std::vector<std::int64_t>& keys, std::mt19937_64& random) {
  const auto rows = static_cast<std::int64_t>(keys.size());
  std::vector<std::int32_t> ints;
  std::vector<double> doubles;
  std::vector<std::int64_t> times;
  arrow::StringBuilder s;
  arrow::StringBuilder t;
  arrow::Decimal128Builder decimals(arrow::decimal128(12, 2));
  for (std::int64_t i = 0; i < rows; ++i) {
    ints.push_back(static_cast<std::int32_t>(random()));
    doubles.push_back(static_cast<double>(random() % 1'000'000) / 100);
    times.push_back(1'700'000'000'000'000 + static_cast<std::int64_t>(random() % 1'000'000'000'000));
    (void)s.Append(fmt::format("string-{:010}", random() % 5'000'000));
    (void)t.Append(fmt::format("category-{:05}", random() % 1000));
    (void)decimals.Append(arrow::Decimal128(static_cast<std::int64_t>(random() % 10'000'000)));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns = {
      std::make_shared<arrow::Int64Array>(rows, arrow::Buffer::FromVector(keys)),
      std::make_shared<arrow::Int32Array>(rows, arrow::Buffer::FromVector(std::move(ints))),
      std::make_shared<arrow::DoubleArray>(rows, arrow::Buffer::FromVector(std::move(doubles))),
      *s.Finish(),
      *t.Finish(),
      std::make_shared<arrow::TimestampArray>(arrow::timestamp(arrow::TimeUnit::MICRO), rows,
                                              arrow::Buffer::FromVector(std::move(times))),
      *decimals.Finish()};
  return Batch{arrow::RecordBatch::Make(ToArrowSchema(schema.value_fields), rows, std::move(columns)), nullptr};
}

std::vector<std::vector<Batch>> MakeRuns(const KeyValueSchema& schema, std::int64_t rows) {
  std::mt19937_64 random(42);
  std::vector<std::vector<Batch>> runs;
  std::int64_t sequence = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<std::int64_t> keys;
    std::int64_t key = 0;
    std::vector<Batch> batches;
    for (std::int64_t row = 0; row < rows; ++row) {
      key += 1 + static_cast<std::int64_t>(random() % 3);
      keys.push_back(key);
      if (static_cast<std::int64_t>(keys.size()) < kBatchRows && row + 1 < rows) continue;
      batches.push_back(Must(NumberRows(schema, MakeValues(schema, keys, random), sequence)));
      sequence += static_cast<std::int64_t>(keys.size());
      keys.clear();
    }
    runs.push_back(std::move(batches));
  }
  return runs;
}

class Stage {
 public:
  Stage(const char* name, std::int64_t rows) : name_(name), rows_(rows) {}
  ~Stage() {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double cpu = static_cast<double>(std::clock() - cpu_start_) / CLOCKS_PER_SEC;
    fmt::print("stage={} rows={} seconds={:.3f} cpu_seconds={:.3f} mrows_per_cpu_second={:.2f}\n", name_, rows_,
               seconds, cpu, static_cast<double>(rows_) / cpu / 1e6);
  }

 private:
  const char* name_;
  std::int64_t rows_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_start_ = std::clock();
};

std::int64_t Drain(BatchReader& reader) {
  std::int64_t rows = 0;
  while (const std::optional<Batch> batch = Must(reader.Next())) rows += batch->row_count();
  return rows;
}

void Run(std::int64_t rows, const Options& options) {
  const KeyValueSchema schema = BenchSchema();
  const auto function = Must(MakeMergeFunction(options, schema));
  const std::vector<std::vector<Batch>> runs = MakeRuns(schema, rows);
  const MergeOptions read{.drop_retractions = true, .values_only = true};
  {
    std::vector<std::unique_ptr<BatchReader>> readers;
    for (const auto& run : runs) readers.push_back(MakeBatchReader(run));
    const Stage stage("merge-memory", kRuns * rows);
    Drain(*Must(MakeMergeReader(schema, std::move(readers), function, read)));
  }

  const auto fs = std::make_shared<MemoryFileSystem>();
  const auto writers = Must(MakeKeyValueWriterFactory({fs, kBucket, schema, SchemaId(0), options}));
  PlainKeyValueReaderFactory readers(fs, kBucket, schema);
  std::vector<DataFileMeta> files;
  {
    const Stage stage("write-parquet", kRuns * rows);
    for (const auto& run : runs) {
      const auto writer = Must(writers->OpenData(0, FileSource::kAppend));
      for (const Batch& batch : run) Must(writer->Write(batch));
      for (DataFileMeta& file : Must(writer->Finish())) files.push_back(std::move(file));
    }
  }
  {
    const Stage stage("scan-parquet", kRuns * rows);
    for (const DataFileMeta& file : files) Drain(*Must(readers.Open(file, false)));
  }
  {
    const Stage stage("merge-parquet", kRuns * rows);
    Drain(*Must(ReadSections(schema, Must(PartitionIntoSections(files, schema.key_fields)), readers, function, read)));
  }
}

void RunWriter(std::int64_t rows, const Options& options) {
  const KeyValueSchema schema = BenchSchema();
  std::mt19937_64 random(7);
  std::vector<Batch> batches;
  for (std::int64_t row = 0; row < kRuns * rows; row += kBatchRows) {
    std::vector<std::int64_t> keys;
    for (std::int64_t i = 0; i < kBatchRows; ++i) keys.push_back(static_cast<std::int64_t>(random() % 5'000'000));
    batches.push_back(MakeValues(schema, keys, random));
  }
  const auto fs = std::make_shared<MemoryFileSystem>();
  MergeTreeWriterConfig config;
  config.schema = schema;
  config.options = options;
  config.readers = std::make_shared<PlainKeyValueReaderFactory>(fs, kBucket, schema);
  config.writers = Must(MakeKeyValueWriterFactory({fs, kBucket, schema, SchemaId(0), options}));
  const auto writer = Must(MergeTreeWriter::Make(config));
  const auto all = static_cast<std::int64_t>(batches.size()) * kBatchRows;
  {
    const Stage stage("buffer", all);
    for (const Batch& batch : batches) Must(writer->Write(batch));
  }
  const Stage stage("flush", all);
  Must(writer->PrepareCommit(true));
}

}  // namespace
}  // namespace braid

int main(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const braid::Options options(
      braid::Options::Map{{"merge-engine", argc > 2 ? argv[2] : "deduplicate"}, {"write-buffer-size", "2 gb"}});
  braid::Run(rows, options);
  braid::RunWriter(rows, options);
  return 0;
}
