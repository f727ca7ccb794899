#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "format/orc_column_plan.h"
#include "format/orc_column_reader.h"
#include "format/orc_format.h"
#include "format/orc_open_stripe.h"
#include "format/orc_tail.h"
#include "io/storage_traits.h"
#include "types/batch_bytes.h"
#include "types/long_rows.h"
#include "types/parked_values.h"

namespace braid {
namespace {

/// Rows that take less than this in the file, compressed, fit into batches of as many rows as are wanted.
constexpr std::int64_t kWideRowBytes = 4096;

class OrcReader : public FileReader {
 public:
  /// `is_far`: each read is a request over a network.
  OrcReader(std::string path, FileReadRequest request, bool is_far)
      : path_(std::move(path)), request_(std::move(request)), is_far_(is_far) {}

  Status Open(std::unique_ptr<InputFile> file) {
    file_ = std::move(file);
    BRAID_TRY_ASSIGN(tail_, ReadOrcTail(*file_, path_));
    if (tail_.types.empty() || tail_.types[0].kind != OrcTypeKind::kStruct ||
        tail_.types[0].children.size() != tail_.types[0].names.size()) {
      return Error(ErrorCode::kCorruption, fmt::format("{} is damaged: its schema contradicts itself", path_));
    }
    return FindColumns().Context(fmt::format("while reading {}", path_));
  }

  Result<std::optional<Batch>> Next() override {
    while (rows_left_ == 0) {
      if (next_stripe_ >= tail_.stripes.size()) return std::optional<Batch>();
      BRAID_TRY(StartStripe());
    }
    return ReadBatch();
  }

  std::int64_t first_row_of_last_batch() const override { return first_row_; }

 private:
  Status FindColumns() {
    for (const DataField& field : request_.columns) {
      std::optional<OrcColumnPlan>& plan = plans_.emplace_back();
      const std::optional<std::uint32_t> column = FindOrcChild(tail_.types[0], field.name);
      if (!column) continue;
      if (*column == 0 || *column >= tail_.types.size()) {
        return Error(ErrorCode::kCorruption, fmt::format("the type of column {} contradicts itself", field.name));
      }
      BRAID_TRY_ASSIGN(plan, PlanOrcColumn(field.name, field.type, tail_.types, *column));
      AppendOrcColumns(*plan, wanted_columns_);
    }
    std::ranges::sort(wanted_columns_);
    if (std::ranges::adjacent_find(wanted_columns_) != wanted_columns_.end()) {
      return Error(ErrorCode::kCorruption, "its schema has one column in two places");
    }
    for (const std::uint32_t column : wanted_columns_)
      text_bytes_ += std::max<std::int64_t>(tail_.text_bytes[column], 0);
    return Ok();
  }

  Status StartStripe() {
    const OrcTail::Stripe& stripe = tail_.stripes[next_stripe_++];
    const std::int64_t first_row = std::exchange(next_stripe_first_row_, next_stripe_first_row_ + stripe.row_count);
    columns_.clear();
    if (request_.rows && !request_.rows->HasAny(first_row, stripe.row_count)) return Ok();
    BRAID_TRY(OpenColumns(stripe));
    next_row_ = first_row;
    rows_left_ = stripe.row_count;
    return Ok();
  }

  Status OpenColumns(const OrcTail::Stripe& stripe) {
    batch_rows_ = request_.batch_rows;
    long_row_bytes_ = 0;
    columns_.resize(plans_.size());
    if (wanted_columns_.empty()) return Ok();
    BRAID_TRY_ASSIGN(const OrcOpenStripe open,
                     OrcOpenStripe::Open(*file_, tail_, stripe, wanted_columns_, is_far_, path_));
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!plans_[i]) continue;
      BRAID_TRY_ASSIGN(columns_[i], MakeOrcColumnReader(*plans_[i], open));
    }
    SetRowBytes(open.wanted_bytes(), stripe.row_count);
    return Ok();
  }

  /// So many rows that a batch takes about as much as it may where rows are long: by their bytes in the file, which are
  /// compressed, and by what the file's statistics say of texts.
  void SetRowBytes(std::int64_t stripe_bytes, std::int64_t stripe_rows) {
    if (stripe_rows <= 0 || tail_.row_count <= 0) return;
    const std::int64_t row_bytes = std::max(stripe_bytes / stripe_rows, text_bytes_ / tail_.row_count);
    if (row_bytes < kWideRowBytes) return;
    batch_rows_ = std::clamp<std::int64_t>(kMaxBatchBytes / row_bytes, 1, request_.batch_rows);
    if (row_bytes >= kLongRowBytes) long_row_bytes_ = row_bytes;
  }

  Result<std::optional<Batch>> ReadBatch() {
    const MemoryShare share(long_row_bytes_ > 0 ? &LongRowMemory() : nullptr, long_row_bytes_);
    const std::int64_t row_count = std::min(rows_left_, batch_rows_);
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::shared_ptr<arrow::Array>& column = columns.emplace_back();
      if (columns_[i] == nullptr) {
        BRAID_TRY_ASSIGN(column, MakeConstantColumn(Datum(), request_.columns[i].type, row_count));
      } else {
        BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::ArrayData> data,
                         columns_[i]->Read({.row_count = row_count, .value_count = row_count}));
        column = arrow::MakeArray(data);
      }
    }
    first_row_ = std::exchange(next_row_, next_row_ + row_count);
    rows_left_ -= row_count;
    if (rows_left_ == 0) columns_.clear();
    Batch batch{.rows = arrow::RecordBatch::Make(ToArrowSchema(request_.columns), row_count, std::move(columns)),
                .kinds = nullptr};
    return std::optional(ParkLongValues(batch).batch);
  }

  std::string path_;
  FileReadRequest request_;
  bool is_far_;
  std::unique_ptr<InputFile> file_;
  OrcTail tail_;
  std::vector<std::optional<OrcColumnPlan>> plans_;  // by wanted column; nullopt: the file lacks it
  std::vector<std::uint32_t> wanted_columns_;        // of all levels
  std::int64_t text_bytes_ = 0;                      // of the wanted columns, in all rows
  std::size_t next_stripe_ = 0;
  std::int64_t next_stripe_first_row_ = 0;
  // The open stripe.
  std::vector<std::unique_ptr<OrcColumnReader>> columns_;  // as plans_; null where the file lacks the column
  std::int64_t batch_rows_ = 0;
  std::int64_t long_row_bytes_ = 0;  // of a row while it is read; 0 where rows are short
  std::int64_t rows_left_ = 0;
  std::int64_t next_row_ = 0;
  std::int64_t first_row_ = 0;
};

}  // namespace

Result<std::unique_ptr<FileReader>> OpenOrcReader(const FileSystem& file_system, std::string_view path,
                                                  const FileReadRequest& request) {
  BRAID_TRY_ASSIGN(std::unique_ptr<InputFile> file, file_system.Open(path));
  auto reader = std::make_unique<OrcReader>(std::string(path), request, ParallelCalls(file_system) > 1);
  BRAID_TRY(reader->Open(std::move(file)));
  return reader;
}

}  // namespace braid
