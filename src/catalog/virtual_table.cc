#include "catalog/virtual_table.h"

#include <utility>

#include <arrow/api.h>

#include "types/column_selection.h"

namespace braid {

namespace {

class ComputedTable : public VirtualTable {
 public:
  ComputedTable(std::vector<DataField> fields, ComputeRows compute)
      : fields_(std::move(fields)), compute_(std::move(compute)) {}

  const std::vector<DataField>& fields() const override { return fields_; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& /*request*/) const override {
    BRAID_TRY_ASSIGN(const std::vector<DatumList> rows, compute_());
    BRAID_TRY_ASSIGN(Batch batch, MakeBatch(fields_, rows));
    std::vector<Batch> batches;
    batches.push_back(std::move(batch));
    return MakeBatchReader(std::move(batches));
  }

 private:
  std::vector<DataField> fields_;
  ComputeRows compute_;
};

// Filters on all columns, then keeps those asked for.
class SelectingReader : public BatchReader {
 public:
  SelectingReader(std::unique_ptr<BatchReader> inner, PredicatePtr filter, std::vector<int> columns)
      : inner_(std::move(inner)), filter_(std::move(filter)), columns_(std::move(columns)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, inner_->Next());
    if (!batch) return std::optional<Batch>();
    Batch kept = *std::move(batch);
    if (filter_ != nullptr) {
      BRAID_TRY_ASSIGN(const std::vector<std::int32_t> passing, filter_->Select(kept));
      BRAID_TRY_ASSIGN(kept, TakeRows(kept, passing));
    }
    return std::optional(TakeColumns(kept, columns_));
  }

 private:
  std::unique_ptr<BatchReader> inner_;
  PredicatePtr filter_;
  std::vector<int> columns_;
};

}  // namespace

Result<std::unique_ptr<BatchReader>> ReadVirtualTable(const VirtualTable& table, const ReadRequest& request) {
  std::vector<int> columns;
  if (request.projection) {
    for (const std::string& name : *request.projection) {
      const auto position = FindField(table.fields(), name);
      if (!position) return Error(ErrorCode::kNotFound, "the table has no column '" + name + "'");
      columns.push_back(static_cast<int>(*position));
    }
  } else {
    for (std::size_t i = 0; i < table.fields().size(); ++i) columns.push_back(static_cast<int>(i));
  }
  BRAID_TRY_ASSIGN(auto rows, table.Open(request));
  return std::unique_ptr<BatchReader>(
      std::make_unique<SelectingReader>(std::move(rows), request.filter, std::move(columns)));
}

std::shared_ptr<const VirtualTable> MakeComputedTable(std::vector<DataField> fields, ComputeRows compute) {
  return std::make_shared<const ComputedTable>(std::move(fields), std::move(compute));
}

std::shared_ptr<const VirtualTable> MakeRowsTable(std::vector<DataField> fields, std::vector<DatumList> rows) {
  return MakeComputedTable(std::move(fields),
                           [rows = std::move(rows)]() -> Result<std::vector<DatumList>> { return rows; });
}

}  // namespace braid
