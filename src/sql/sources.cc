#include "sql/sources.h"

#include <algorithm>
#include <utility>

#include <arrow/api.h>

#include "table/key_ranges.h"
#include "table/split_expectation.h"

namespace braid {
namespace {

/// Gives the batches that DuckDB asked for: without retractions, and without columns if only their number counts.
class RequestedReader : public BatchReader {
 public:
  RequestedReader(std::unique_ptr<BatchReader> reader, bool counts_only)
      : reader_(std::move(reader)), counts_only_(counts_only) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, reader_->Next());
    if (!batch) return std::optional<Batch>();
    if (batch->kinds != nullptr) {
      BRAID_TRY_ASSIGN(batch, KeepAdded(*batch));
    }
    if (counts_only_)
      batch->rows =
          arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector()), batch->row_count(), arrow::ArrayVector());
    batch->kinds = nullptr;
    return batch;
  }

 private:
  static Result<Batch> KeepAdded(const Batch& batch) {
    std::vector<std::int32_t> added;
    for (std::int64_t row = 0; row < batch.row_count(); ++row) {
      if (IsAdd(batch.kind(row))) added.push_back(static_cast<std::int32_t>(row));
    }
    if (static_cast<std::int64_t>(added.size()) == batch.row_count()) return batch;
    return TakeRows(batch, added);
  }

  std::unique_ptr<BatchReader> reader_;
  bool counts_only_;
};

/// The cheapest column to count rows by: fixed and narrow before text.
const DataField& CountingField(std::span<const DataField> fields) {
  const auto cost = [](const DataField& field) {
    const DataType& type = field.type;
    return type.is_nested() ? 3 : (type.is_text() || type.is_bytes() ? 2 : (type.kind() <= TypeKind::kDouble ? 0 : 1));
  };
  return *std::min_element(fields.begin(), fields.end(),
                           [&](const DataField& a, const DataField& b) { return cost(a) < cost(b); });
}

ReadRequest RequestOf(std::span<const DataField> fields, const std::vector<std::size_t>& columns, PredicatePtr filter) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(fields[column].name);
  if (names.empty()) names.push_back(CountingField(fields).name);
  return ReadRequest{.projection = std::move(names), .filter = std::move(filter)};
}

Result<std::unique_ptr<BatchReader>> Requested(Result<std::unique_ptr<BatchReader>> reader, bool counts_only) {
  if (!reader) return reader;
  return std::unique_ptr<BatchReader>(new RequestedReader(*std::move(reader), counts_only));
}

class TablePlan : public ScanPlan {
 public:
  /// `units`: the plan's splits divided among readers; none: they are not.
  TablePlan(Table table, std::shared_ptr<const Plan> plan, std::vector<ReadUnit> units, ReadRequest request,
            bool counts_only)
      : table_(std::move(table)),
        plan_(std::move(plan)),
        units_(std::move(units)),
        request_(std::move(request)),
        counts_only_(counts_only) {}

  std::size_t partition_count() const override { return units_.empty() ? plan_->splits.size() : units_.size(); }

  Result<std::unique_ptr<BatchReader>> Open(std::size_t partition, const PredicatePtr& filter) const override {
    ReadRequest request = request_;
    request.filter = units_.empty() ? filter : Both(filter, units_[partition].keys);
    if (units_.empty()) ExpectSplits(table_, plan_->splits, partition);
    const DataSplit& split = units_.empty() ? plan_->splits[partition] : units_[partition].split;
    return Requested(ReadSplit(table_, split, request), counts_only_);
  }

 private:
  static PredicatePtr Both(const PredicatePtr& a, const PredicatePtr& b) {
    if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
    return Predicate::And({a, b});
  }

  Table table_;
  std::shared_ptr<const Plan> plan_;
  std::vector<ReadUnit> units_;
  ReadRequest request_;
  bool counts_only_;
};

class TableSource : public ScanSource {
 public:
  TableSource(std::string name, std::shared_ptr<const PinnedScan> scan, std::vector<DataField> fields)
      : name_(std::move(name)), scan_(std::move(scan)), fields_(std::move(fields)) {}

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return name_; }
  std::optional<std::int64_t> exact_row_count() const override { return scan_->exact_row_count(); }
  std::optional<std::int64_t> estimated_row_count() const override { return scan_->estimated_row_count(); }

  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const override {
    BRAID_TRY_ASSIGN(std::shared_ptr<const braid::Plan> plan, scan_->MakePlan(request.filter));
    std::vector<ReadUnit> units;
    if (plan->splits.size() < request.threads) {
      BRAID_TRY_ASSIGN(units, DivideAmongReaders(scan_->table(), plan->splits, request.threads));
    }
    ReadRequest wanted = RequestOf(fields_, request.columns, request.filter);
    wanted.read_ahead = std::max(plan->splits.size(), units.size()) < request.threads;
    return std::unique_ptr<ScanPlan>(
        new TablePlan(scan_->table(), std::move(plan), std::move(units), std::move(wanted), request.columns.empty()));
  }

 private:
  std::string name_;
  std::shared_ptr<const PinnedScan> scan_;
  std::vector<DataField> fields_;
};

class VirtualPlan : public ScanPlan {
 public:
  VirtualPlan(std::shared_ptr<const VirtualTable> table, ReadRequest request, bool counts_only)
      : table_(std::move(table)), request_(std::move(request)), counts_only_(counts_only) {}

  std::size_t partition_count() const override { return 1; }
  Result<std::unique_ptr<BatchReader>> Open(std::size_t /*partition*/, const PredicatePtr& filter) const override {
    ReadRequest request = request_;
    request.filter = filter;
    return Requested(ReadVirtualTable(*table_, request), counts_only_);
  }

 private:
  std::shared_ptr<const VirtualTable> table_;
  ReadRequest request_;
  bool counts_only_;
};

class VirtualSource : public ScanSource {
 public:
  VirtualSource(std::string name, std::shared_ptr<const VirtualTable> table, std::vector<DataField> fields)
      : name_(std::move(name)), table_(std::move(table)), fields_(std::move(fields)) {}

  std::span<const DataField> fields() const override { return fields_; }
  std::string name() const override { return name_; }
  Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const override {
    return std::unique_ptr<ScanPlan>(
        new VirtualPlan(table_, RequestOf(fields_, request.columns, request.filter), request.columns.empty()));
  }

 private:
  std::string name_;
  std::shared_ptr<const VirtualTable> table_;
  std::vector<DataField> fields_;
};

}  // namespace

std::shared_ptr<const ScanSource> MakeTableSource(std::string name, std::shared_ptr<const PinnedScan> scan,
                                                  std::vector<DataField> fields) {
  return std::make_shared<TableSource>(std::move(name), std::move(scan), std::move(fields));
}

std::shared_ptr<const ScanSource> MakeVirtualSource(std::string name, std::shared_ptr<const VirtualTable> table,
                                                    std::vector<DataField> fields) {
  return std::make_shared<VirtualSource>(std::move(name), std::move(table), std::move(fields));
}

}  // namespace braid
