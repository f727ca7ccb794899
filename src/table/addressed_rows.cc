#include "table/addressed_rows.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "meta/stores.h"
#include "table/blob_values.h"
#include "table/data_file_reader.h"
#include "table/deletion_vectors.h"
#include "table/file_scan.h"
#include "table/row_range.h"
#include "table/row_range_reader.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

using BucketKey = std::pair<BinaryRow, BucketId>;

std::shared_ptr<arrow::Array> PositionColumn(std::int64_t first, const std::vector<std::int32_t>& rows) {
  std::vector<std::int64_t> positions;
  positions.reserve(rows.size());
  for (const std::int32_t row : rows) positions.push_back(first + row);
  const auto count = static_cast<std::int64_t>(positions.size());
  return std::make_shared<arrow::Int64Array>(count, arrow::Buffer::FromVector(std::move(positions)));
}

// Reads the files one after the other.
class AddressedReader : public BatchReader {
 public:
  /// `numbers`: those of the files, as addresses have them.
  AddressedReader(std::shared_ptr<const AddressedRows> rows, std::vector<AddressedRows::File> files,
                  std::vector<std::int32_t> numbers, std::vector<DataField> fields, PredicatePtr filter)
      : rows_(std::move(rows)),
        files_(std::move(files)),
        numbers_(std::move(numbers)),
        fields_(std::move(fields)),
        filter_(std::move(filter)) {}

  Result<std::optional<Batch>> Next() override {
    for (;;) {
      if (open_ == nullptr) {
        if (next_ == files_.size()) return std::optional<Batch>();
        const AddressedRows::File& file = files_[next_++];
        BRAID_TRY_ASSIGN(open_, rows_->ReadValues(file, fields_, filter_));
      }
      BRAID_TRY_ASSIGN(const std::optional<Batch> batch, open_->Next());
      if (!batch) {
        open_ = nullptr;
        continue;
      }
      BRAID_TRY_ASSIGN(Batch addressed, WithAddresses(*batch, open_->first_row_of_last_batch()));
      if (addressed.row_count() > 0) return std::optional(std::move(addressed));
    }
  }

 private:
  Result<Batch> WithAddresses(const Batch& batch, std::int64_t first) const {
    const DeletionVector& deleted = files_[next_ - 1].deleted;
    std::vector<std::int32_t> there;
    there.reserve(static_cast<std::size_t>(batch.row_count()));
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (!deleted.Contains(first + row)) there.push_back(static_cast<std::int32_t>(row));
    }
    const auto count = static_cast<std::int64_t>(there.size());
    Batch kept = batch;
    if (count < batch.row_count()) {
      BRAID_TRY_ASSIGN(kept, TakeRows(batch, there));
    }
    arrow::FieldVector fields = kept.rows->schema()->fields();
    std::vector<std::shared_ptr<arrow::Array>> columns = kept.rows->columns();
    BRAID_TRY_ASSIGN(auto numbers, MakeConstantColumn(Datum(numbers_[next_ - 1]), DataType::Int().NotNull(), count));
    fields.push_back(arrow::field("file", arrow::int32(), false));
    columns.push_back(std::move(numbers));
    fields.push_back(arrow::field("position", arrow::int64(), false));
    columns.push_back(PositionColumn(first, there));
    return Batch{arrow::RecordBatch::Make(arrow::schema(std::move(fields)), count, std::move(columns)), nullptr};
  }

  std::shared_ptr<const AddressedRows> rows_;
  std::vector<AddressedRows::File> files_;
  std::vector<std::int32_t> numbers_;  // of the files
  std::vector<DataField> fields_;
  PredicatePtr filter_;
  std::size_t next_ = 0;
  std::unique_ptr<FileReader> open_;  // of the file before `next_`
};

// The rows of a range with their positions in it.
class RangeReader : public FileReader {
 public:
  explicit RangeReader(std::unique_ptr<BatchReader> rows) : rows_(std::move(rows)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, rows_->Next());
    if (!batch) return std::optional<Batch>();
    first_ = std::exchange(next_, next_ + batch->row_count());
    return batch;
  }
  std::int64_t first_row_of_last_batch() const override { return first_; }

 private:
  std::unique_ptr<BatchReader> rows_;
  std::int64_t first_ = 0;
  std::int64_t next_ = 0;
};

Result<std::vector<RowRange>> RangesOf(const std::vector<DataFileMeta>& files) {
  std::vector<const DataFileMeta*> pointers;
  for (const DataFileMeta& file : files) pointers.push_back(&file);
  return GroupByRowRange(pointers);
}

// One for each range of rows, named for its newest file.
Result<std::vector<AddressedRows::File>> ByRowRange(const Table& table, std::vector<AddressedRows::File> files) {
  std::map<BucketKey, std::vector<AddressedRows::File>> buckets;
  for (AddressedRows::File& file : files) {
    if (!file.deleted.empty()) {
      return Error(ErrorCode::kUnsupported, fmt::format("rows of {} cannot be changed: it has 'data-evolution.enabled'='true' and "
                                                        "deletion vectors", table.name()))
          .Hint("change them with Spark");
    }
    buckets[{file.partition, file.bucket}].push_back(std::move(file));
  }
  std::vector<AddressedRows::File> grouped;
  for (const auto& [key, of_bucket] : buckets) {
    std::vector<DataFileMeta> metas;
    for (const AddressedRows::File& file : of_bucket) metas.push_back(file.meta);
    BRAID_TRY_ASSIGN(const std::vector<RowRange> ranges, RangesOf(metas));
    for (const RowRange& range : ranges) {
      AddressedRows::File& file = grouped.emplace_back(of_bucket.front());
      file.meta = *range.files.front();
      for (const auto* part : {&range.files, &range.blobs}) {
        for (const DataFileMeta* meta : *part) file.of_range.push_back(*meta);
      }
    }
  }
  return grouped;
}

}  // namespace

Result<std::shared_ptr<const AddressedRows>> AddressedRows::Make(const Table& table,
                                                                    const PredicatePtr& partitions) {
  if (table.schema().has_primary_key()) {
    return Error(
        ErrorCode::kUnsupported,
        fmt::format("{} has a primary key: its rows are changed by writing rows of other kinds", table.name()));
  }
  BRAID_TRY_ASSIGN(std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return std::shared_ptr<const AddressedRows>(new AddressedRows(table, std::nullopt, {}));
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, partitions));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, scan->LiveFiles(*snapshot));
  BRAID_TRY_ASSIGN(const DeletionVectorIndex index, DeletionVectorIndex::Read(table, *snapshot));
  std::map<BucketKey, BucketDeletions> vectors;
  std::vector<File> files;
  files.reserve(entries.size());
  for (ManifestEntry& entry : entries) {
    const BucketKey key{entry.partition, entry.bucket};
    if (!vectors.contains(key)) {
      BRAID_TRY_ASSIGN(vectors[key], index.ReadBucket(table.file_system(), key.first, key.second));
    }
    const BucketDeletions& bucket = vectors[key];
    const auto vector = bucket.find(entry.file.file_name);
    files.push_back({.partition = std::move(entry.partition),
                     .bucket = entry.bucket,
                     .total_buckets = entry.total_buckets,
                     .meta = std::move(entry.file),
                     .deleted = vector == bucket.end() ? DeletionVector() : vector->second});
  }
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) {
    BRAID_TRY_ASSIGN(files, ByRowRange(table, std::move(files)));
  }
  return std::shared_ptr<const AddressedRows>(new AddressedRows(table, std::move(snapshot), std::move(files)));
}

Result<std::unique_ptr<FileReader>> AddressedRows::ReadFile(const File& file, const std::vector<DataField>& fields,
                                                            const PredicatePtr& filter) const {
  if (file.of_range.empty()) return DataFileReader(table_).Open(file.partition, file.bucket, file.meta, fields, filter);
  BRAID_TRY_ASSIGN(const std::vector<RowRange> range, RangesOf(file.of_range));
  BRAID_TRY_ASSIGN(auto rows, ReadRowRange(table_, file.partition, file.bucket, range.front(), fields, {}));
  return std::unique_ptr<FileReader>(std::make_unique<RangeReader>(std::move(rows)));
}

Result<std::unique_ptr<FileReader>> AddressedRows::ReadValues(const File& file, const std::vector<DataField>& fields,
                                                              const PredicatePtr& filter) const {
  BRAID_TRY_ASSIGN(auto stored, ReadFile(file, fields, filter));
  if (file.of_range.empty()) return stored;
  BRAID_TRY(CheckBlobsAreReadable(table_, fields));
  BRAID_TRY_ASSIGN(auto rows, WithBlobValues(table_, fields, std::move(stored)));
  return std::unique_ptr<FileReader>(std::make_unique<RangeReader>(std::move(rows)));
}

Result<std::unique_ptr<BatchReader>> AddressedRows::Read(std::vector<DataField> fields,
                                                         const PredicatePtr& filter) const {
  std::optional<std::set<std::string>> matching;  // names of the files that the filter may match
  if (filter != nullptr && snapshot_) {
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table_, filter));
    BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> entries, scan->LiveFiles(*snapshot_));
    matching.emplace();
    for (const ManifestEntry& entry : entries) matching->insert(entry.file.file_name);
  }
  std::vector<File> files;
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (matching && !matching->contains(files_[i].meta.file_name)) continue;
    files.push_back(files_[i]);
    numbers.push_back(static_cast<std::int32_t>(i));
  }
  // Files are read for their number of rows too, for which some column is needed.
  if (fields.empty()) fields.push_back(table_.schema().fields.front());
  return std::unique_ptr<BatchReader>(
      std::make_unique<AddressedReader>(shared_from_this(), std::move(files), std::move(numbers), std::move(fields), filter));
}

}  // namespace braid
