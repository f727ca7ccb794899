#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "duck/scan_function.h"

namespace braid {
namespace {

using Batches = std::shared_ptr<const std::vector<Batch>>;

class BatchPlan : public ScanPlan {
 public:
  BatchPlan(Batches batches, std::vector<std::size_t> columns)
      : batches_(std::move(batches)), columns_(std::move(columns)) {}

  std::size_t partition_count() const override { return batches_->size(); }

  Result<std::unique_ptr<BatchReader>> Open(std::size_t partition, const PredicatePtr& /*filter*/) const override {
    const Batch& batch = (*batches_)[partition];
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    for (const std::size_t column : columns_) {
      fields.push_back(batch.rows->schema()->field(static_cast<int>(column)));
      columns.push_back(batch.rows->column(static_cast<int>(column)));
    }
    std::vector<Batch> projected = {
        Batch{.rows = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), batch.row_count(), std::move(columns)),
              .kinds = nullptr}};
    return MakeBatchReader(std::move(projected));
  }

 private:
  Batches batches_;
  std::vector<std::size_t> columns_;
};

class BatchSource : public ScanSource {
 public:
  BatchSource(std::string name, std::vector<DataField> fields, Batches batches)
      : name_(std::move(name)), fields_(std::move(fields)), batches_(std::move(batches)) {}

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return name_; }
  std::optional<std::int64_t> exact_row_count() const override {
    std::int64_t count = 0;
    for (const Batch& batch : *batches_) count += batch.row_count();
    return count;
  }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const override {
    return std::unique_ptr<ScanPlan>(new BatchPlan(batches_, request.columns));
  }

 private:
  std::string name_;
  std::vector<DataField> fields_;
  Batches batches_;
};

}  // namespace

std::shared_ptr<const ScanSource> MakeBatchSource(std::string name, std::vector<DataField> fields,
                                                  std::vector<Batch> batches) {
  return std::make_shared<BatchSource>(std::move(name), std::move(fields),
                                       std::make_shared<const std::vector<Batch>>(std::move(batches)));
}

}  // namespace braid
