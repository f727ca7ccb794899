#include "table/blob_values.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/text.h"
#include "format/arrow_io.h"
#include "meta/blob_columns.h"
#include "table/blob_source.h"

namespace braid {

namespace {

constexpr std::int64_t kMaxBatchBytes = std::int64_t{32} << 20;

class BlobValueReader : public BatchReader {
 public:
  BlobValueReader(BlobSource source, std::string table, bool as_descriptors, std::vector<int> columns,
                  std::unique_ptr<BatchReader> rows)
      : source_(std::move(source)),
        table_(std::move(table)),
        as_descriptors_(as_descriptors),
        columns_(std::move(columns)),
        rows_(std::move(rows)) {}

  Result<std::optional<Batch>> Next() override {
    while (batch_.rows == nullptr || next_ == batch_.row_count()) {
      BRAID_TRY_ASSIGN(std::optional<Batch> batch, rows_->Next());
      if (!batch) return std::optional<Batch>();
      batch_ = *std::move(batch);
      next_ = 0;
    }
    std::vector<arrow::BinaryBuilder> values(columns_.size());
    const std::int64_t first = next_;
    for (std::int64_t bytes = 0; next_ < batch_.row_count() && bytes < kMaxBatchBytes; ++next_) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        BRAID_TRY_ASSIGN(const std::int64_t size, Append(columns_[i], values[i]));
        bytes += size;
      }
    }
    std::vector<std::shared_ptr<arrow::Array>> columns = batch_.rows->Slice(first, next_ - first)->columns();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      BRAID_ARROW_TRY(values[i].Finish(&columns[static_cast<std::size_t>(columns_[i])]), ArrowTask::kReading, table_);
    }
    Batch shown{arrow::RecordBatch::Make(batch_.rows->schema(), next_ - first, std::move(columns)), nullptr};
    if (batch_.kinds != nullptr) {
      shown.kinds = std::static_pointer_cast<arrow::Int8Array>(batch_.kinds->Slice(first, next_ - first));
    }
    return std::optional(std::move(shown));
  }

 private:
  // The column's value in the next row. Returns its bytes.
  Result<std::int64_t> Append(int column, arrow::BinaryBuilder& values) {
    const auto& stored = static_cast<const arrow::BinaryArray&>(*batch_.rows->column(column));
    if (stored.IsNull(next_)) {
      BRAID_ARROW_TRY(values.AppendNull(), ArrowTask::kReading, table_);
      return std::int64_t{0};
    }
    BRAID_TRY_ASSIGN(const BlobDescriptor descriptor, ParseBlobDescriptor(stored.GetView(next_)));
    std::string value;
    if (as_descriptors_) {
      value = PrintBlobDescriptor(descriptor);
    } else {
      BRAID_TRY_ASSIGN(value, source_.Read(descriptor));
    }
    BRAID_ARROW_TRY(values.Append(value), ArrowTask::kReading, table_);
    return static_cast<std::int64_t>(value.size());
  }

  BlobSource source_;
  std::string table_;
  bool as_descriptors_;
  std::vector<int> columns_;
  std::unique_ptr<BatchReader> rows_;
  Batch batch_{};
  std::int64_t next_ = 0;  // row of the batch
};

}  // namespace

Result<std::unique_ptr<BatchReader>> WithBlobValues(const Table& table, const std::vector<DataField>& fields,
                                                    std::unique_ptr<BatchReader> rows) {
  const BlobColumns blobs(table.options());
  std::vector<int> columns;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (blobs.IsDescribed(fields[i])) columns.push_back(static_cast<int>(i));
  }
  if (columns.empty()) return rows;
  BRAID_TRY_ASSIGN(const bool as_descriptors, table.options().GetBool("blob-as-descriptor", false));
  return std::unique_ptr<BatchReader>(std::make_unique<BlobValueReader>(
      BlobSource::OfTable(table), table.name(), as_descriptors, std::move(columns), std::move(rows)));
}

Status CheckBlobsAreReadable(const Table& table, const std::vector<DataField>& fields) {
  const bool any = std::any_of(fields.begin(), fields.end(),
                               [](const DataField& field) { return field.type.kind() == TypeKind::kBlob; });
  if (!any || !table.options().Has("blob-view-field")) return Ok();
  return Error(ErrorCode::kUnsupported,
               fmt::format("BLOB columns of {} cannot be read: it has the option 'blob-view-field', which Paimon 1.4 has not", table.name()))
      .Hint("the other columns can be read");
}

}  // namespace braid
