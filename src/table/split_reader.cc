// Reading of splits: files one after the other where that is the answer, else merged by key.

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "mergetree/key_value_file.h"
#include "mergetree/merge_function.h"
#include "mergetree/merge_reader.h"
#include "mergetree/read_ahead.h"
#include "meta/blob_columns.h"
#include "table/blob_values.h"
#include "table/data_file_reader.h"
#include "table/difference_reader.h"
#include "table/file_scan.h"
#include "table/key_value_reader.h"
#include "table/row_range.h"
#include "table/row_range_reader.h"
#include "table/row_tracking.h"
#include "table/scan.h"
#include "table/snapshot_hold.h"
#include "table/split_expectation.h"
#include "types/column_selection.h"

namespace braid {

namespace {

// Keeps the columns at these positions.
class ProjectingReader : public BatchReader {
 public:
  ProjectingReader(std::unique_ptr<BatchReader> inner, std::vector<int> columns) : inner_(std::move(inner)), columns_(std::move(columns)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, inner_->Next());
    if (!batch) return std::optional<Batch>();
    return std::optional(TakeColumns(*batch, columns_));
  }

 private:
  std::unique_ptr<BatchReader> inner_;
  std::vector<int> columns_;
};

// Keeps the columns asked for, in their order, of rows that the filter lets pass.
class FilteringReader : public BatchReader {
 public:
  FilteringReader(std::unique_ptr<BatchReader> inner, PredicatePtr filter, std::size_t column_count)
      : inner_(std::move(inner)), filter_(std::move(filter)), column_count_(static_cast<int>(column_count)) {}

  Result<std::optional<Batch>> Next() override {
    for (;;) {
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, inner_->Next());
      if (!batch) return std::optional<Batch>();
      std::optional<std::vector<std::int32_t>> passing;
      if (filter_ != nullptr) {
        BRAID_TRY_ASSIGN(passing, filter_->Select(*batch));
        if (passing->empty()) continue;
      }
      Batch shown = WithoutAddedColumns(*batch);
      if (!passing || static_cast<std::int64_t>(passing->size()) == shown.row_count()) return std::optional(std::move(shown));
      BRAID_TRY_ASSIGN(Batch taken, TakeRows(shown, *passing));
      return std::optional(std::move(taken));
    }
  }

 private:
  Batch WithoutAddedColumns(const Batch& batch) const {
    if (batch.rows->num_columns() == column_count_) return batch;
    std::vector<int> kept(static_cast<std::size_t>(column_count_));
    std::iota(kept.begin(), kept.end(), 0);
    return TakeColumns(batch, kept);
  }

  std::unique_ptr<BatchReader> inner_;
  PredicatePtr filter_;
  int column_count_;
};

// Opens the files of a split with everything that the table knows about them.
class SplitFiles : public KeyValueReaderFactory {
 public:
  SplitFiles(const Table& table, BinaryRow partition, BucketId bucket, const DataFileList& files,
             std::vector<DeletionVectorRef> vectors, KeyValueSchema schema, PredicatePtr filter)
      : reader_(table), partition_(std::move(partition)), bucket_(bucket), schema_(std::move(schema)), filter_(std::move(filter)) {
    std::vector<std::string> keys;
    for (const DataField& field : schema_.key_fields) keys.push_back(field.name);
    key_filter_ = ConjunctsOn(filter_, keys);
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors_.emplace(files[i].file_name, std::move(vectors[i]));
  }

  Result<std::unique_ptr<BatchReader>> Open(const DataFileMeta& file, bool merged) override {
    BRAID_TRY_ASSIGN(auto inner, reader_.Open(partition_, bucket_, file, KeyValueReadFields(schema_), merged ? key_filter_ : filter_, VectorOf(file), true));
    return std::unique_ptr<BatchReader>(MakeKeyValueReader(std::move(inner), schema_, file.file_name));
  }
  Result<std::unique_ptr<FileReader>> OpenAllRows(const DataFileMeta& file, const KeyValueSchema& schema) override {
    BRAID_TRY_ASSIGN(auto inner, reader_.Open(partition_, bucket_, file, KeyValueReadFields(schema), nullptr));
    return MakeKeyValueReader(std::move(inner), schema, file.file_name);
  }

  // The values alone, all of them insertions.
  Result<std::unique_ptr<BatchReader>> OpenValues(const DataFileMeta& file) {
    BRAID_TRY_ASSIGN(auto values, reader_.Open(partition_, bucket_, file, schema_.value_fields, filter_, VectorOf(file), true));
    return std::unique_ptr<BatchReader>(std::move(values));
  }

 private:
  DeletionVectorRef VectorOf(const DataFileMeta& file) const {
    const auto it = vectors_.find(file.file_name);
    return it == vectors_.end() ? DeletionVectorRef{} : it->second;
  }

  DataFileReader reader_;
  BinaryRow partition_;
  BucketId bucket_;
  KeyValueSchema schema_;
  PredicatePtr filter_;
  PredicatePtr key_filter_;
  std::map<std::string, DeletionVectorRef> vectors_;
};

// A reader with what it reads from: destroyed in the right order.
class OwningReader : public BatchReader {
 public:
  OwningReader(std::shared_ptr<void> owned, std::unique_ptr<BatchReader> inner) : owned_(std::move(owned)), inner_(std::move(inner)) {}
  Result<std::optional<Batch>> Next() override { return inner_->Next(); }

 private:
  std::shared_ptr<void> owned_;
  std::unique_ptr<BatchReader> inner_;
};

// Columns to read: those asked for, then those that only the filter needs.
Result<std::vector<std::string>> ColumnsToRead(const Table& table, const ReadRequest& request, const std::vector<DataField>& output) {
  std::vector<std::string> columns;
  for (const DataField& field : output) columns.push_back(field.name);
  if (request.filter == nullptr) return columns;
  for (std::string& column : request.filter->Columns()) {
    BRAID_TRY_ASSIGN(const DataField* field, FindReadableColumn(table, column));
    if (field == nullptr) return Error(ErrorCode::kNotFound, "the filter names the unknown column '" + column + "'");
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(std::move(column));
  }
  return columns;
}

std::unique_ptr<BatchReader> Filtering(std::unique_ptr<BatchReader> inner, const ReadRequest& request, std::size_t column_count) {
  return std::make_unique<FilteringReader>(std::move(inner), request.filter, column_count);
}

std::unique_ptr<BatchReader> ConcatenateValues(const std::shared_ptr<SplitFiles>& files, const DataFileList& metas, bool read_ahead) {
  std::vector<OpenReader> readers;
  for (const DataFileMeta& file : metas) readers.emplace_back([files, file] { return files->OpenValues(file); });
  auto rows = MakeConcatenatingReader(std::move(readers));
  return read_ahead ? ReadAhead(std::move(rows)) : std::move(rows);
}

// The part of a filter that holds for what data files hold: not that over values which they only describe.
PredicatePtr OnStoredValues(const Table& table, const PredicatePtr& filter) {
  const BlobColumns blobs(table.options());
  if (filter == nullptr || blobs.described.empty()) return filter;
  std::vector<std::string> stored = filter->Columns();
  const bool all = std::erase_if(stored, [&](const std::string& column) { return blobs.described.contains(column); }) == 0;
  return all ? filter : ConjunctsOn(filter, stored);
}

// Rows of a data-evolution table, whose files hold some columns each.
Result<std::unique_ptr<BatchReader>> ConcatenateRanges(const Table& table, const DataSplit& split, const std::shared_ptr<SplitFiles>& files,
                                                       const std::vector<DataField>& fields, const PredicatePtr& filter) {
  BRAID_TRY(CheckBlobsAreReadable(table, fields));
  std::map<std::string, DeletionVectorRef> vectors;
  for (std::size_t i = 0; i < split.deletion_vectors.size(); ++i) vectors.emplace(split.files[i].file_name, split.deletion_vectors[i]);
  const std::string row_id(kRowIdColumn);
  const PredicatePtr on_row_ids = ConjunctsOn(filter, std::span(&row_id, 1));
  std::vector<const DataFileMeta*> metas;
  for (const DataFileMeta& file : split.files) metas.push_back(&file);
  BRAID_TRY_ASSIGN(std::vector<RowRange> ranges, GroupByRowRange(metas));
  std::vector<OpenReader> readers;
  for (RowRange& range : ranges) {
    const ColumnBounds row_ids{.min = range.first_row_id, .max = range.end_row_id() - 1, .null_count = 0};
    if (on_row_ids != nullptr && !on_row_ids->MayMatch(std::span(&RowIdField(), 1), std::span(&row_ids, 1), range.row_count)) continue;
    if (range.files.size() == 1 && range.blobs.empty()) {
      readers.emplace_back([files, file = *range.files.front()] { return files->OpenValues(file); });
      continue;
    }
    // The list of the split owns what the range points to.
    readers.emplace_back([table, list = split.files, partition = split.partition, bucket = split.bucket, range = std::move(range), fields, vectors] {
      const auto vector = vectors.find(AnchorOf(range).file_name);
      return ReadRowRange(table, partition, bucket, range, fields, vector == vectors.end() ? DeletionVectorRef{} : vector->second);
    });
  }
  return MakeConcatenatingReader(std::move(readers));
}

// Every row of the files with its kind, in file order.
Result<std::unique_ptr<BatchReader>> ReadChanges(const std::shared_ptr<SplitFiles>& files, const DataSplit& split, const KeyValueSchema& schema) {
  std::vector<OpenReader> readers;
  for (const DataFileMeta& file : split.files) {
    readers.emplace_back([files, file, schema]() -> Result<std::unique_ptr<BatchReader>> {
      std::vector<std::unique_ptr<BatchReader>> run;
      BRAID_TRY_ASSIGN(auto reader, files->Open(file, false));
      run.push_back(std::move(reader));
      return MakeMergeReader(schema, std::move(run), nullptr, {.drop_retractions = false, .values_only = true, .batch_rows = 8192});
    });
  }
  return MakeConcatenatingReader(std::move(readers));
}

Result<std::unique_ptr<BatchReader>> MergeFiles(const Table& table, const KeyValueSchema& schema, const std::shared_ptr<SplitFiles>& files,
                                                const DataFileList& metas, const MergeOptions& options) {
  BRAID_TRY_ASSIGN(std::vector<Section> sections, PartitionIntoSections(metas.ToVector(), schema.key_fields));
  BRAID_TRY_ASSIGN(auto function, MakeMergeFunction(table.options(), schema));
  BRAID_TRY_ASSIGN(auto merged, ReadSections(schema, std::move(sections), *files, std::move(function), options));
  return std::unique_ptr<BatchReader>(std::make_unique<OwningReader>(files, std::move(merged)));
}

// Rows of the split that the state before did not hold; comparing takes every column, so all are read.
Result<std::unique_ptr<BatchReader>> ReadDifference(const Table& table, const DataSplit& split, const std::vector<std::string>& columns) {
  BRAID_TRY_ASSIGN(const KeyValueSchema schema, KeyValueSchema::Make(table.schema(), table.options()));
  const MergeOptions with_keys{.drop_retractions = true, .values_only = false, .batch_rows = 8192};
  const auto read = [&](const DataFileList& metas, const std::vector<DeletionVectorRef>& vectors) {
    auto files = std::make_shared<SplitFiles>(table, split.partition, split.bucket, metas, vectors, schema, nullptr);
    return MergeFiles(table, schema, files, metas, with_keys);
  };
  BRAID_TRY_ASSIGN(auto before, read(split.before_files, split.before_deletion_vectors));
  BRAID_TRY_ASSIGN(auto after, read(split.files, split.deletion_vectors));
  BRAID_TRY_ASSIGN(auto difference, MakeDifferenceReader(schema, std::move(before), std::move(after)));
  std::vector<int> positions;
  for (const std::string& column : columns) positions.push_back(static_cast<int>(*FindField(table.schema().fields, column)));
  return std::unique_ptr<BatchReader>(std::make_unique<ProjectingReader>(std::move(difference), std::move(positions)));
}

// Takes rows back: each as -D.
class RetractingReader : public BatchReader {
 public:
  explicit RetractingReader(std::unique_ptr<BatchReader> inner) : inner_(std::move(inner)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, inner_->Next());
    if (!batch) return std::optional<Batch>();
    std::vector<std::int8_t> kinds(static_cast<std::size_t>(batch->row_count()), static_cast<std::int8_t>(RowKind::kDelete));
    batch->kinds = std::make_shared<arrow::Int8Array>(batch->row_count(), arrow::Buffer::FromVector(std::move(kinds)));
    return batch;
  }

 private:
  std::unique_ptr<BatchReader> inner_;
};

// What an overwrite did to a bucket: its rows of before, taken back, then those of now.
std::unique_ptr<BatchReader> ReadReplaced(const Table& table, const DataSplit& split, const KeyValueSchema& schema, const PredicatePtr& filter) {
  const auto read = [table, split, schema, filter](const DataFileList& metas, const std::vector<DeletionVectorRef>& vectors) {
    auto files = std::make_shared<SplitFiles>(table, split.partition, split.bucket, metas, vectors, schema, filter);
    return MergeFiles(table, schema, files, metas, {.drop_retractions = true, .values_only = true, .batch_rows = 8192});
  };
  std::vector<OpenReader> readers;
  readers.emplace_back([read, split]() -> Result<std::unique_ptr<BatchReader>> {
    BRAID_TRY_ASSIGN(auto before, read(split.before_files, split.before_deletion_vectors));
    return std::unique_ptr<BatchReader>(std::make_unique<RetractingReader>(std::move(before)));
  });
  if (!split.files.empty()) readers.emplace_back([read, split] { return read(split.files, split.deletion_vectors); });
  return MakeConcatenatingReader(std::move(readers));
}

bool KnowsItsRetractions(const DataFileMeta& file) { return file.delete_row_count.has_value(); }

Result<std::unique_ptr<BatchReader>> OpenSplit(const Table& table, const DataSplit& split, const ReadRequest& request) {
  BRAID_TRY_ASSIGN(const std::vector<DataField> output, OutputFields(table, request));
  BRAID_TRY_ASSIGN(const std::vector<std::string> columns, ColumnsToRead(table, request, output));
  if (!split.before_files.empty() && !split.is_changes) {
    BRAID_TRY_ASSIGN(auto difference, ReadDifference(table, split, columns));
    return Filtering(std::move(difference), request, output.size());
  }
  const bool has_key = table.schema().has_primary_key();
  KeyValueSchema schema;
  if (has_key) {
    BRAID_TRY_ASSIGN(schema, KeyValueSchema::Make(table.schema(), table.options(), columns));
  } else {
    for (const std::string& column : columns) {
      BRAID_TRY_ASSIGN(const DataField* field, FindReadableColumn(table, column));
      schema.value_fields.push_back(*field);
    }
  }
  const PredicatePtr on_stored = OnStoredValues(table, request.filter);
  auto files = std::make_shared<SplitFiles>(table, split.partition, split.bucket, split.files, split.deletion_vectors, schema, on_stored);
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) {
    BRAID_TRY_ASSIGN(auto ranges, ConcatenateRanges(table, split, files, schema.value_fields, request.filter));
    if (on_stored != request.filter) {
      BRAID_TRY_ASSIGN(ranges, WithBlobValues(table, schema.value_fields, std::move(ranges)));
      return Filtering(std::move(ranges), request, output.size());
    }
    // Only values of rows that stay are looked up.
    return WithBlobValues(table, output, Filtering(std::move(ranges), request, output.size()));
  }
  if (!has_key) return Filtering(ConcatenateValues(files, split.files, request.read_ahead), request, output.size());
  if (split.is_changes && !split.before_files.empty()) {
    return Filtering(ReadReplaced(table, split, schema, request.filter), request, output.size());
  }
  if (split.is_changes) {
    BRAID_TRY_ASSIGN(auto changes, ReadChanges(files, split, schema));
    return Filtering(std::move(changes), request, output.size());
  }
  if (split.raw_convertible && std::all_of(split.files.begin(), split.files.end(), KnowsItsRetractions)) {
    return Filtering(ConcatenateValues(files, split.files, request.read_ahead), request, output.size());
  }
  BRAID_TRY_ASSIGN(auto merged, MergeFiles(table, schema, files, split.files,
                                             {.drop_retractions = !request.keep_retractions, .values_only = true, .read_ahead = request.read_ahead}));
  return Filtering(std::move(merged), request, output.size());
}

}  // namespace

Result<std::unique_ptr<BatchReader>> ReadSplit(const Table& table, const DataSplit& split, const ReadRequest& request) {
  if (split.branch) {
    BRAID_TRY_ASSIGN(const Table other, Table::Open(table.shared_file_system(), table.paths().root(), table.name(), *split.branch));
    DataSplit own = split;
    own.branch.reset();
    return ReadSplit(other, own, request);
  }
  BRAID_TRY_ASSIGN(auto reader, OpenSplit(table, split, request));
  return split.hold == nullptr ? std::move(reader) : MakeHoldingReader(split.hold, std::move(reader));
}

Result<std::unique_ptr<BatchReader>> ReadPlan(const Table& table, const Plan& plan, const ReadRequest& request) {
  std::vector<OpenReader> readers;
  const auto splits = std::make_shared<const std::vector<DataSplit>>(plan.splits);
  ReadRequest alone = request;
  alone.read_ahead = true;
  for (std::size_t i = 0; i < splits->size(); ++i) {
    readers.emplace_back([table, splits, i, alone] {
      ExpectSplits(table, *splits, i);
      return ReadSplit(table, (*splits)[i], alone);
    });
  }
  return MakeConcatenatingReader(std::move(readers));
}

}  // namespace braid
