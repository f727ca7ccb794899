// $audit_log, $binlog, $ro and $row_tracking: the table's rows, read in other ways.

#include <numeric>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "catalog/system_table_internal.h"
#include "table/file_scan.h"
#include "table/row_tracking.h"
#include "table/scan.h"
#include "types/row_kind.h"

namespace braid {

namespace {

/// How the row tables turn a batch of the table's rows into one of their own.
using ConvertBatch = Result<Batch> (*)(const Batch& batch, const std::vector<DataField>& fields);

class ConvertingReader : public BatchReader {
 public:
  ConvertingReader(std::unique_ptr<BatchReader> inner, ConvertBatch convert, std::vector<DataField> fields)
      : inner_(std::move(inner)), convert_(convert), fields_(std::move(fields)) {}

  Result<std::optional<Batch>> Next() override {
    BRAID_TRY_ASSIGN(const std::optional<Batch> batch, inner_->Next());
    if (!batch) return std::optional<Batch>();
    BRAID_TRY_ASSIGN(Batch converted, convert_(*batch, fields_));
    return std::optional(std::move(converted));
  }

 private:
  std::unique_ptr<BatchReader> inner_;
  ConvertBatch convert_;
  std::vector<DataField> fields_;
};

// The part of a filter that the table itself can use.
PredicatePtr OnTableColumns(const PredicatePtr& filter, const Table& table) {
  std::vector<std::string> columns;
  for (const DataField& field : table.schema().fields) columns.push_back(field.name);
  return ConjunctsOn(filter, columns);
}

// Every change that the batch read sees, retractions included.
class ChangesTable : public VirtualTable {
 public:
  ChangesTable(Table table, std::vector<DataField> fields, bool columns_keep_types, ConvertBatch convert)
      : table_(std::move(table)),
        fields_(std::move(fields)),
        columns_keep_types_(columns_keep_types),
        convert_(convert) {}

  const std::vector<DataField>& fields() const override { return fields_; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& request) const override {
    ReadRequest inner{.projection = {}, .filter = nullptr, .level = {}, .keep_retractions = true};
    if (columns_keep_types_) inner.filter = OnTableColumns(request.filter, table_);
    BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table_, inner));
    BRAID_TRY_ASSIGN(auto rows, ReadPlan(table_, plan, inner));
    return std::unique_ptr<BatchReader>(std::make_unique<ConvertingReader>(std::move(rows), convert_, fields_));
  }

 private:
  Table table_;
  std::vector<DataField> fields_;
  bool columns_keep_types_;
  ConvertBatch convert_;
};

Result<std::shared_ptr<arrow::Array>> RowKindColumn(const Batch& batch) {
  std::vector<Datum> kinds;
  kinds.reserve(static_cast<std::size_t>(batch.row_count()));
  for (std::int64_t row = 0; row < batch.row_count(); ++row)
    kinds.emplace_back(std::string(RowKindName(batch.kind(row))));
  return MakeColumn(kinds, DataType::String());
}

Batch BatchOf(const std::vector<DataField>& fields, std::vector<std::shared_ptr<arrow::Array>> columns,
              std::int64_t row_count) {
  return {.rows = arrow::RecordBatch::Make(ToArrowSchema(fields), row_count, std::move(columns)), .kinds = nullptr};
}

// The kind becomes a column; as rows of the log, all are insertions.
Result<Batch> ToAuditLog(const Batch& batch, const std::vector<DataField>& fields) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  BRAID_TRY_ASSIGN(auto kinds, RowKindColumn(batch));
  columns.push_back(std::move(kinds));
  for (const auto& column : batch.rows->columns()) columns.push_back(column);
  return BatchOf(fields, std::move(columns), batch.row_count());
}

// One list a row that holds the row's value.
std::shared_ptr<arrow::Array> AsLists(const std::shared_ptr<arrow::Array>& column, const DataType& list_type) {
  std::vector<std::int32_t> offsets(static_cast<std::size_t>(column->length()) + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  return std::make_shared<arrow::ListArray>(ToArrowType(list_type), column->length(),
                                            arrow::Buffer::FromVector(std::move(offsets)), column);
}

// A batch read has no pairs of -U and +U to put together: every list has one element.
Result<Batch> ToBinlog(const Batch& batch, const std::vector<DataField>& fields) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  BRAID_TRY_ASSIGN(auto kinds, RowKindColumn(batch));
  columns.push_back(std::move(kinds));
  for (int i = 0; i < batch.rows->num_columns(); ++i)
    columns.push_back(AsLists(batch.rows->column(i), fields[static_cast<std::size_t>(i) + 1].type));
  return BatchOf(fields, std::move(columns), batch.row_count());
}

// The kind is no column of the table: its id lies beyond theirs.
DataField RowKindField() {
  constexpr FieldId kRowKindId(2147483647 - 4);
  return {.id = kRowKindId, .name = "rowkind", .type = DataType::String(), .description = {}, .default_value = {}};
}

Status RefuseSequenceNumbers(const Table& table) {
  BRAID_TRY_ASSIGN(const bool wanted, table.options().GetBool("table-read.sequence-number.enabled", false));
  if (!wanted) return Ok();
  return Error(ErrorCode::kUnsupported,
               fmt::format("table {} wants sequence numbers in its changes, which are not read yet", table.name()))
      .Hint("read it with 'table-read.sequence-number.enabled'='false'");
}

class AuditLog : public SystemTableProvider {
 public:
  std::string_view name() const override { return "audit_log"; }

  Result<std::shared_ptr<const VirtualTable>> Open(const Table& table) const override {
    BRAID_TRY(RefuseSequenceNumbers(table));
    std::vector<DataField> fields = {RowKindField()};
    fields.insert(fields.end(), table.schema().fields.begin(), table.schema().fields.end());
    return std::shared_ptr<const VirtualTable>(
        std::make_shared<const ChangesTable>(table, std::move(fields), true, ToAuditLog));
  }
};

class Binlog : public SystemTableProvider {
 public:
  std::string_view name() const override { return "binlog"; }

  Result<std::shared_ptr<const VirtualTable>> Open(const Table& table) const override {
    BRAID_TRY(RefuseSequenceNumbers(table));
    std::vector<DataField> fields = {RowKindField()};
    for (DataField field : table.schema().fields) {
      field.type = DataType::Array(field.type.Nullable());
      fields.push_back(std::move(field));
    }
    return std::shared_ptr<const VirtualTable>(
        std::make_shared<const ChangesTable>(table, std::move(fields), false, ToBinlog));
  }
};

// What is fully compacted, without merging anything.
class TopLevelTable : public VirtualTable {
 public:
  TopLevelTable(Table table, std::int32_t level) : table_(std::move(table)), level_(level) {}

  const std::vector<DataField>& fields() const override { return table_.schema().fields; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& request) const override {
    const ReadRequest inner{.projection = {}, .filter = request.filter, .level = level_, .keep_retractions = false};
    BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table_, inner));
    return ReadPlan(table_, plan, inner);
  }

 private:
  Table table_;
  std::int32_t level_;
};

class ReadOptimized : public SystemTableProvider {
 public:
  std::string_view name() const override { return "ro"; }

  Result<std::shared_ptr<const VirtualTable>> Open(const Table& table) const override {
    BRAID_TRY_ASSIGN(const std::int64_t compaction_trigger,
                     table.options().GetInt("num-sorted-run.compaction-trigger", 5));
    BRAID_TRY_ASSIGN(const std::int64_t levels, table.options().GetInt("num-levels", compaction_trigger + 1));
    return std::shared_ptr<const VirtualTable>(
        std::make_shared<const TopLevelTable>(table, static_cast<std::int32_t>(levels - 1)));
  }
};

// The table's rows with their ids and sequence numbers.
class TrackedRowsTable : public VirtualTable {
 public:
  explicit TrackedRowsTable(Table table) : table_(std::move(table)), fields_(TrackedFields(table_.schema())) {}

  const std::vector<DataField>& fields() const override { return fields_; }

  Result<std::unique_ptr<BatchReader>> Open(const ReadRequest& request) const override {
    ReadRequest inner{.projection = std::vector<std::string>(), .filter = request.filter};
    for (const DataField& field : fields_) inner.projection->push_back(field.name);
    BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(table_, inner));
    return ReadPlan(table_, plan, inner);
  }

 private:
  Table table_;
  std::vector<DataField> fields_;
};

class RowTracking : public SystemTableProvider {
 public:
  std::string_view name() const override { return "row_tracking"; }

  Result<std::shared_ptr<const VirtualTable>> Open(const Table& table) const override {
    BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table));
    if (!tracks) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("{} does not track its rows", table.name()))
          .Hint("only tables created with 'row-tracking.enabled'='true' have row ids");
    }
    return std::shared_ptr<const VirtualTable>(std::make_shared<const TrackedRowsTable>(table));
  }
};

}  // namespace

SystemTableProviderPtr AuditLogTable() {
  return std::make_shared<const AuditLog>();
}
SystemTableProviderPtr BinlogTable() {
  return std::make_shared<const Binlog>();
}
SystemTableProviderPtr ReadOptimizedTable() {
  return std::make_shared<const ReadOptimized>();
}
SystemTableProviderPtr RowTrackingTable() {
  return std::make_shared<const RowTracking>();
}

}  // namespace braid
