#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <arrow/adapters/orc/adapter.h>
#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "format/arrow_io.h"
#include "format/convert_column.h"
#include "format/orc_error.h"
#include "format/orc_format.h"
#include "format/orc_tail.h"
#include "format/orc_timestamps.h"
#include "types/batch_bytes.h"

namespace braid {
namespace {

constexpr std::int64_t kLongRowBytes = 4096;

using arrow::adapters::orc::ORCFileReader;

bool HasChar(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kChar: return true;
    case TypeKind::kArray:
    case TypeKind::kVector:
    case TypeKind::kMultiset: return HasChar(type.element());
    case TypeKind::kMap: return HasChar(type.key()) || HasChar(type.element());
    case TypeKind::kRow:
      return std::ranges::any_of(type.fields(), [](const DataField& field) { return HasChar(field.type); });
    default: return false;
  }
}

Result<std::shared_ptr<arrow::ArrayData>> TrimText(const arrow::ArrayData& data) {
  const arrow::StringArray texts(data.Copy());
  arrow::StringBuilder builder;
  arrow::Status status = builder.Reserve(texts.length());
  for (std::int64_t i = 0; status.ok() && i < texts.length(); ++i) {
    if (texts.IsNull(i)) {
      status = builder.AppendNull();
      continue;
    }
    const std::string_view text = texts.GetView(i);
    status = builder.Append(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  std::shared_ptr<arrow::Array> trimmed;
  if (status.ok()) status = builder.Finish(&trimmed);
  if (!status.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
  return trimmed->data();
}

/// CHAR values without the spaces that ORC fills them up with (as Java reads them). Precondition: the type's Arrow
/// layout.
Result<std::shared_ptr<arrow::ArrayData>> TrimChars(const std::shared_ptr<arrow::ArrayData>& data,
                                                    const DataType& type) {
  if (!HasChar(type)) return data;
  if (type.kind() == TypeKind::kChar) return TrimText(*data);
  std::shared_ptr<arrow::ArrayData> result = data->Copy();
  if (type.kind() == TypeKind::kRow) {
    for (std::size_t i = 0; i < type.fields().size(); ++i) {
      BRAID_TRY_ASSIGN(result->child_data[i], TrimChars(data->child_data[i], type.fields()[i].type));
    }
  } else if (type.kind() == TypeKind::kMap || type.kind() == TypeKind::kMultiset) {
    const bool map = type.kind() == TypeKind::kMap;
    std::shared_ptr<arrow::ArrayData> pairs = data->child_data[0]->Copy();
    BRAID_TRY_ASSIGN(pairs->child_data[0], TrimChars(pairs->child_data[0], map ? type.key() : type.element()));
    if (map) {
      BRAID_TRY_ASSIGN(pairs->child_data[1], TrimChars(pairs->child_data[1], type.element()));
    }
    result->child_data[0] = std::move(pairs);
  } else {
    BRAID_TRY_ASSIGN(result->child_data[0], TrimChars(data->child_data[0], type.element()));
  }
  return result;
}

class OrcReader : public FileReader {
 public:
  OrcReader(std::string path, FileReadRequest request) : path_(std::move(path)), request_(std::move(request)) {}

  /// Two handles of the same file: the adapter takes one for itself.
  Status Open(std::unique_ptr<InputFile> file, std::unique_ptr<InputFile> for_adapter) {
    return CatchOrc(ArrowTask::kReading, path_, failure_, [&]() -> Status {
      file_ = std::move(file);
      BRAID_TRY_ASSIGN(tail_, ReadOrcTail(*file_, path_));
      BRAID_ARROW_TRY_ASSIGN(
          reader_, ORCFileReader::Open(MakeArrowInput(std::move(for_adapter), &failure_), arrow::default_memory_pool()),
          ArrowTask::kReading, path_);
      BRAID_ARROW_TRY_ASSIGN(schema_, reader_->ReadSchema(), ArrowTask::kReading, path_);
      if (static_cast<std::size_t>(schema_->num_fields()) != tail_.root_columns.size()) {
        return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: its schema contradicts itself", path_));
      }
      return Ok();
    });
  }

  Result<std::optional<Batch>> Next() override {
    return CatchOrc(ArrowTask::kReading, path_, failure_, [&]() -> Result<std::optional<Batch>> {
      while (rows_left_ == 0) {
        if (next_stripe_ >= tail_.stripes.size()) return std::optional<Batch>();
        BRAID_TRY(StartStripe());
      }
      return ReadBatch();
    });
  }

  std::int64_t first_row_of_last_batch() const override { return first_row_; }

 private:
  Status StartStripe() {
    const OrcTail::Stripe& stripe = tail_.stripes[next_stripe_++];
    BRAID_TRY_ASSIGN(const OrcStripeFooter footer, ReadOrcStripeFooter(*file_, tail_, stripe, path_));
    batch_rows_ = BatchRowsOf(stripe);
    plain_.reset();
    plain_columns_.clear();
    timestamps_.clear();
    std::vector<std::pair<int, std::size_t>> plain;  // field of the file, wanted column
    for (std::size_t i = 0; i < request_.columns.size(); ++i) {
      const int field = schema_->GetFieldIndex(request_.columns[i].name);
      if (field < 0) continue;
      const arrow::DataType& type = *schema_->field(field)->type();
      const bool own = type.id() == arrow::Type::TIMESTAMP &&
                       (WritesUtc(footer) || !static_cast<const arrow::TimestampType&>(type).timezone().empty());
      if (own) {
        const std::uint32_t column = tail_.root_columns[static_cast<std::size_t>(field)];
        BRAID_TRY_ASSIGN(timestamps_[i], OrcTimestampReader::Open(*file_, tail_, footer, column, path_));
      } else {
        plain.emplace_back(field, i);
      }
    }
    std::ranges::sort(plain);
    if (!plain.empty()) {
      std::vector<int> fields;
      for (const auto& [field, column] : plain) {
        fields.push_back(field);
        plain_columns_.push_back(column);
      }
      BRAID_ARROW_TRY(reader_->Seek(next_row_), ArrowTask::kReading, path_);
      BRAID_ARROW_TRY_ASSIGN(plain_, reader_->NextStripeReader(batch_rows_, fields), ArrowTask::kReading, path_);
    }
    rows_left_ = stripe.row_count;
    return Ok();
  }

  /// So many rows that a batch takes about as much as it may where rows are long; the stripe's bytes are compressed, and
  /// some may be of columns that are not wanted.
  std::int64_t BatchRowsOf(const OrcTail::Stripe& stripe) const {
    if (stripe.row_count <= 0 || stripe.data_bytes / stripe.row_count < kLongRowBytes) return request_.batch_rows;
    return std::clamp<std::int64_t>(kMaxBatchBytes / (stripe.data_bytes / stripe.row_count), 1, request_.batch_rows);
  }

  Result<std::optional<Batch>> ReadBatch() {
    std::shared_ptr<arrow::RecordBatch> plain;
    std::int64_t row_count = std::min(rows_left_, batch_rows_);
    if (plain_ != nullptr) {
      BRAID_ARROW_TRY(plain_->ReadNext(&plain), ArrowTask::kReading, path_);
      if (plain == nullptr || plain->num_rows() == 0 || plain->num_rows() > rows_left_) {
        return Error(ErrorCode::kCorruption,
                     fmt::format("{} is damaged: a stripe has another number of rows than the footer says", path_));
      }
      row_count = plain->num_rows();
    }
    std::vector<std::shared_ptr<arrow::Array>> columns(request_.columns.size());
    for (std::size_t i = 0; i < plain_columns_.size(); ++i) {
      columns[plain_columns_[i]] = plain->column(static_cast<int>(i));
    }
    for (auto& [column, reader] : timestamps_) {
      BRAID_TRY_ASSIGN(columns[column], reader->Read(row_count, path_));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      BRAID_TRY_ASSIGN(columns[i], Finish(request_.columns[i], columns[i], row_count));
    }
    first_row_ = std::exchange(next_row_, next_row_ + row_count);
    rows_left_ -= row_count;
    return std::optional(
        Batch{.rows = arrow::RecordBatch::Make(ToArrowSchema(request_.columns), row_count, std::move(columns)),
              .kinds = nullptr});
  }

  /// The column as a batch has it; `column` is null if the file lacks it.
  Result<std::shared_ptr<arrow::Array>> Finish(const DataField& field, const std::shared_ptr<arrow::Array>& column,
                                               std::int64_t row_count) const {
    if (column == nullptr) return MakeConstantColumn(Datum(), field.type, row_count);
    BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> converted,
                     ConvertColumn(field.name, column, field.type).Context(fmt::format("while reading {}", path_)));
    BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::ArrayData> trimmed, TrimChars(converted->data(), field.type));
    return arrow::MakeArray(trimmed);
  }

  std::string path_;
  FileReadRequest request_;
  std::unique_ptr<InputFile> file_;
  OrcTail tail_;
  StorageFailure failure_;  // of the adapter's handle
  std::unique_ptr<ORCFileReader> reader_;
  std::shared_ptr<arrow::Schema> schema_;
  std::size_t next_stripe_ = 0;
  // The open stripe.
  std::int64_t batch_rows_ = 0;
  std::shared_ptr<arrow::RecordBatchReader> plain_;
  std::vector<std::size_t> plain_columns_;  // wanted columns that plain_ yields, in its order
  std::map<std::size_t, std::unique_ptr<OrcTimestampReader>> timestamps_;
  std::int64_t rows_left_ = 0;
  std::int64_t next_row_ = 0;
  std::int64_t first_row_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileReader>> OpenOrcReader(const FileSystem& file_system, std::string_view path,
                                                  const FileReadRequest& request) {
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, file_system.Open(path));
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> for_adapter, file_system.Open(path));
  auto reader = std::make_unique<OrcReader>(std::string(path), request);
  BRAID_TRY(reader->Open(std::move(file), std::move(for_adapter)));
  return reader;
}

}  // namespace braid
