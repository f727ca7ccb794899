#include "jobs/weighted_scan.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "jobs/job_source.h"

namespace braid {

namespace {

std::vector<DataField> WithWeight(std::vector<DataField> fields) {
  fields.push_back({.id = FieldId(-1),
                    .name = kWeightColumn,
                    .type = DataType::BigInt().NotNull(),
                    .description = {},
                    .default_value = {}});
  return fields;
}

// Which of the wanted columns is the weight, and which are the table's.
struct WantedColumns {
  std::vector<std::string> names;                   // of the table's
  std::vector<std::optional<std::size_t>> sources;  // of each wanted column, its position in names; none: the weight
};

WantedColumns ColumnsOf(const std::vector<DataField>& fields, const std::vector<std::size_t>& wanted) {
  WantedColumns columns;
  for (const std::size_t column : wanted) {
    if (column + 1 == fields.size()) {
      columns.sources.emplace_back();
      continue;
    }
    columns.sources.emplace_back(columns.names.size());
    columns.names.push_back(fields[column].name);
  }
  return columns;
}

Result<std::shared_ptr<arrow::Array>> Weights(const Batch& batch, std::int64_t weight) {
  if (batch.kinds == nullptr) return MakeConstantColumn(Datum(weight), DataType::BigInt(), batch.row_count());
  arrow::Int64Builder builder;
  const Error failed(ErrorCode::kUnavailable, "too little memory for the rows of a source");
  if (!builder.Reserve(batch.row_count()).ok()) return failed;
  for (std::int64_t row = 0; row < batch.row_count(); ++row)
    builder.UnsafeAppend(IsAdd(batch.kind(row)) ? weight : -weight);
  std::shared_ptr<arrow::Array> column;
  if (!builder.Finish(&column).ok()) return failed;
  return column;
}

// Puts the weight where it is wanted.
class WeightedReader : public BatchReader {
 public:
  WeightedReader(std::unique_ptr<BatchReader> rows, WantedColumns columns, std::int64_t weight)
      : rows_(std::move(rows)), columns_(std::move(columns)), weight_(weight) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, rows_->Next());
    if (!batch) return std::optional<Batch>();
    arrow::ArrayVector arrays;
    arrow::FieldVector fields;
    for (const std::optional<std::size_t>& source : columns_.sources) {
      if (source) {
        arrays.push_back(batch->rows->column(static_cast<int>(*source)));
        fields.push_back(batch->rows->schema()->field(static_cast<int>(*source)));
      } else {
        BRAID_TRY_ASSIGN(auto weights, Weights(*batch, weight_));
        arrays.push_back(std::move(weights));
        fields.push_back(arrow::field(kWeightColumn, arrow::int64()));
      }
    }
    return std::optional(
        Batch{.rows = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch->row_count(), std::move(arrays)),
              .kinds = nullptr});
  }

 private:
  std::unique_ptr<BatchReader> rows_;
  WantedColumns columns_;
  std::int64_t weight_;
};

class SplitsPlan : public ScanPlan {
 public:
  SplitsPlan(std::shared_ptr<const std::vector<WeightedSplits>> parts, WantedColumns columns, std::string any_column)
      : parts_(std::move(parts)), columns_(std::move(columns)), any_column_(std::move(any_column)) {
    for (std::size_t part = 0; part < parts_->size(); ++part) {
      for (std::size_t split = 0; split < (*parts_)[part].splits.size(); ++split) partitions_.emplace_back(part, split);
    }
  }

  std::size_t partition_count() const override { return partitions_.size(); }

  Result<std::unique_ptr<BatchReader>> Open(std::size_t partition, const PredicatePtr& /*filter*/) const override {
    const auto [part, split] = partitions_[partition];
    const WeightedSplits& splits = (*parts_)[part];
    ReadRequest request{.projection = columns_.names, .filter = nullptr};
    if (request.projection->empty()) request.projection->push_back(any_column_);
    BRAID_TRY_ASSIGN(auto rows, ReadSplit(splits.table, splits.splits[split], request));
    return std::unique_ptr<BatchReader>(new WeightedReader(std::move(rows), columns_, splits.weight));
  }

 private:
  std::shared_ptr<const std::vector<WeightedSplits>> parts_;
  WantedColumns columns_;
  std::string any_column_;  // read where no column is wanted, to count
  std::vector<std::pair<std::size_t, std::size_t>> partitions_;
};

class WeightedSource : public ScanSource {
 public:
  WeightedSource(std::string name, std::vector<DataField> fields, std::vector<WeightedSplits> parts)
      : name_(std::move(name)),
        fields_(WithWeight(std::move(fields))),
        parts_(std::make_shared<std::vector<WeightedSplits>>(std::move(parts))) {}

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return name_; }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const override {
    return std::unique_ptr<ScanPlan>(new SplitsPlan(parts_, ColumnsOf(fields_, request.columns), fields_.front().name));
  }

 private:
  std::string name_;
  std::vector<DataField> fields_;
  std::shared_ptr<const std::vector<WeightedSplits>> parts_;
};

// Rows of all columns, of which some are wanted.
class SelectingReader : public BatchReader {
 public:
  SelectingReader(std::unique_ptr<BatchReader> rows, std::vector<int> columns)
      : rows_(std::move(rows)), columns_(std::move(columns)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, rows_->Next());
    if (!batch) return batch;
    auto selected = batch->rows->SelectColumns(columns_);
    if (!selected.ok()) return Error(ErrorCode::kInternal, selected.status().ToString());
    batch->rows = *std::move(selected);
    return batch;
  }

 private:
  std::unique_ptr<BatchReader> rows_;
  std::vector<int> columns_;
};

// What is left of the stream for its only scan.
struct SharedStream {
  std::mutex mutex;  // guards the reader
  std::unique_ptr<BatchReader> rows;
};

class StreamPlan : public ScanPlan {
 public:
  StreamPlan(std::shared_ptr<SharedStream> stream, std::vector<DataField> fields, std::vector<std::size_t> wanted)
      : stream_(std::move(stream)), fields_(std::move(fields)), wanted_(std::move(wanted)) {}

  std::size_t partition_count() const override { return 1; }

  Result<std::unique_ptr<BatchReader>> Open(std::size_t /*partition*/, const PredicatePtr& /*filter*/) const override {
    std::unique_ptr<BatchReader> rows;
    {
      const std::scoped_lock lock(stream_->mutex);
      rows = std::move(stream_->rows);
    }
    if (rows == nullptr) return Error(ErrorCode::kInternal, "the rows of a stream were scanned twice");
    WantedColumns columns = ColumnsOf(fields_, wanted_);
    std::vector<int> positions;
    for (const std::size_t column : wanted_) {
      if (column + 1 < fields_.size()) positions.push_back(static_cast<int>(column));
    }
    return std::unique_ptr<BatchReader>(new WeightedReader(
        std::make_unique<SelectingReader>(std::move(rows), std::move(positions)), std::move(columns), 1));
  }

 private:
  std::shared_ptr<SharedStream> stream_;
  std::vector<DataField> fields_;
  std::vector<std::size_t> wanted_;
};

class StreamSource : public ScanSource {
 public:
  StreamSource(std::string name, std::vector<DataField> fields, std::unique_ptr<BatchReader> rows)
      : name_(std::move(name)), fields_(WithWeight(std::move(fields))), stream_(std::make_shared<SharedStream>()) {
    stream_->rows = std::move(rows);
  }

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return name_; }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const override {
    return std::unique_ptr<ScanPlan>(new StreamPlan(stream_, fields_, request.columns));
  }

 private:
  std::string name_;
  std::vector<DataField> fields_;
  std::shared_ptr<SharedStream> stream_;
};

}  // namespace

std::shared_ptr<const ScanSource> MakeWeightedScan(std::string name, std::vector<DataField> fields,
                                                   std::vector<WeightedSplits> parts) {
  return std::make_shared<WeightedSource>(std::move(name), std::move(fields), std::move(parts));
}

std::shared_ptr<const ScanSource> MakeWeightedStream(std::string name, std::vector<DataField> fields,
                                                     std::unique_ptr<BatchReader> rows) {
  return std::make_shared<StreamSource>(std::move(name), std::move(fields), std::move(rows));
}

std::string ScanSql(DuckEngine& engine, const std::shared_ptr<const ScanSource>& source, LateFields late,
                    std::vector<ScanRegistration>& registrations) {
  registrations.push_back(engine.Register(source, std::move(late)));
  std::string names;
  for (std::size_t i = 0; i + 1 < source->fields().size(); ++i) names += fmt::format("f{}, ", i);
  return fmt::format("{} AS t({}{})", registrations.back().sql(), names, kWeightColumn);
}

}  // namespace braid
