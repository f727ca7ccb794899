#include "mergetree/sort_buffer.h"

#include <algorithm>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>

#include "mergetree/memory_sort_internal.h"
#include "mergetree/spill_file_internal.h"
#include "types/batch_bytes.h"
#include "types/buffer_pool.h"
#include "types/parked_values.h"

namespace braid {
namespace {

/// Batches below this many rows and bytes are put together first: gathering visits every batch for each column of its
/// output.
constexpr std::int64_t kSmallBatchRows = 8192;
constexpr std::int64_t kSmallBatchBytes = std::int64_t{1} << 20;
constexpr std::int64_t kCoalescedRows = 65536;
constexpr std::int64_t kMuchBytes = std::int64_t{32} << 20;  // for an allocator to keep

Result<std::shared_ptr<arrow::Array>> ConcatenateColumns(const std::vector<std::shared_ptr<arrow::Array>>& parts) {
  auto result = arrow::Concatenate(parts, BufferPool());
  if (result.ok()) return std::move(result).MoveValueUnsafe();
  return Error(result.status().IsOutOfMemory() ? ErrorCode::kUnavailable : ErrorCode::kInternal,
               fmt::format("putting batches together failed: {}", result.status().message()));
}

std::shared_ptr<arrow::Array> KindsOf(const Batch& batch) {
  if (batch.kinds != nullptr) return batch.kinds;
  std::vector<std::int8_t> inserts(static_cast<std::size_t>(batch.row_count()), 0);
  return std::make_shared<arrow::Int8Array>(batch.row_count(), arrow::Buffer::FromVector(std::move(inserts)));
}

Result<Batch> ConcatenateBatches(const KeyValueSchema& schema, const std::vector<Batch>& batches) {
  const auto concatenate = [&](int column) {
    std::vector<std::shared_ptr<arrow::Array>> parts;
    for (const Batch& batch : batches) parts.push_back(batch.rows->column(column));
    return ConcatenateColumns(parts);
  };
  std::vector<std::shared_ptr<arrow::Array>> columns(static_cast<std::size_t>(batches[0].rows->num_columns()));
  for (std::size_t i = schema.key_count(); i < columns.size(); ++i) {
    BRAID_TRY_ASSIGN(columns[i], concatenate(static_cast<int>(i)));
  }
  for (std::size_t key = 0; key < schema.key_count(); ++key) {
    columns[key] = columns[static_cast<std::size_t>(schema.value_column(*schema.KeyAmongValues(key)))];
  }
  Batch result;
  const auto has_kinds = [](const Batch& batch) { return batch.kinds != nullptr; };
  if (std::any_of(batches.begin(), batches.end(), has_kinds)) {
    std::vector<std::shared_ptr<arrow::Array>> parts;
    for (const Batch& batch : batches) parts.push_back(KindsOf(batch));
    BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> kinds, ConcatenateColumns(parts));
    result.kinds = std::static_pointer_cast<arrow::Int8Array>(kinds);
  }
  const std::int64_t rows = columns[0]->length();
  result.rows = arrow::RecordBatch::Make(batches[0].rows->schema(), rows, std::move(columns));
  return result;
}

}  // namespace

Result<SortBufferOptions> SortBufferOptions::FromOptions(const Options& options, std::string spill_directory) {
  SortBufferOptions result;
  result.spill_directory = std::move(spill_directory);
  BRAID_TRY_ASSIGN(result.memory_bytes, options.GetMemorySize("write-buffer-size", result.memory_bytes));
  BRAID_TRY_ASSIGN(result.spillable, options.GetBool("write-buffer-spillable", result.spillable));
  result.compression = options.Get("spill-compression", result.compression);
  BRAID_TRY_ASSIGN(const std::int64_t level, options.GetInt("spill-compression.zstd-level", result.zstd_level));
  result.zstd_level = static_cast<int>(level);
  BRAID_TRY_ASSIGN(result.max_disk_bytes, options.GetMemorySize("write-buffer-spill.max-disk-size", INT64_MAX));
  BRAID_TRY_ASSIGN(const std::int64_t files, options.GetInt("local-sort.max-num-file-handles", result.max_spill_files));
  if (files < 2) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("option local-sort.max-num-file-handles is {}, but must be at least 2", files));
  }
  result.max_spill_files = static_cast<int>(files);
  return result;
}

SortBuffer::SortBuffer(KeyValueSchema schema, SortBufferOptions options)
    : schema_(std::move(schema)), options_(std::move(options)) {}

SortBuffer::~SortBuffer() = default;

std::int64_t SortBuffer::row_count() const {
  std::int64_t rows = memory_rows_ + parked_rows_;
  for (const auto& file : spilled_) rows += file->row_count();
  return rows;
}

std::int64_t SortBuffer::memory_bytes() const {
  return data_bytes_ + (memory_rows_ + parked_rows_) * kSortBytesPerRow;
}

bool SortBuffer::CanSpill() const {
  return options_.spillable && !options_.spill_directory.empty();
}

std::int64_t SortBuffer::disk_bytes() const {
  std::int64_t bytes = parked_bytes_;
  for (const auto& file : spilled_) bytes += file->size_bytes();
  return bytes;
}

Status SortBuffer::Add(const Batch& values, std::int64_t first_sequence_number) {
  const std::int64_t rows = values.row_count();
  if (rows == 0) return Ok();
  const std::int64_t long_bytes = CanSpill() ? LongValueBytes(values) : 0;
  if (long_bytes > 0 && long_bytes <= options_.max_disk_bytes - disk_bytes()) {
    const ParkedBatch parked = ParkLongValues(values);
    if (parked.parked_bytes == long_bytes) {
      BRAID_TRY_ASSIGN(Batch batch, NumberRows(schema_, parked.batch, first_sequence_number));
      parked_.push_back(std::move(batch));
      parked_rows_ += rows;
      parked_bytes_ += parked.parked_bytes;
      return Ok();
    }
  }
  const RowBytes bytes = BytesOf(*values.rows);
  BRAID_TRY_ASSIGN(Batch batch, NumberRows(schema_, values, first_sequence_number));
  memory_rows_ += rows;
  data_bytes_ += bytes.used + rows * std::int64_t{sizeof(std::int64_t)};
  // A slice of something larger is copied soon, lest it holds what is not counted.
  const bool is_large = rows >= kSmallBatchRows || bytes.used >= kSmallBatchBytes;
  if (is_large && bytes.held <= 2 * bytes.used) {
    // Rows must stay in the order of their arrival.
    BRAID_TRY(Coalesce());
    batches_.push_back(std::move(batch));
    return Ok();
  }
  small_.push_back(std::move(batch));
  small_rows_ += rows;
  small_held_bytes_ += bytes.held;
  if (small_rows_ >= kCoalescedRows || small_held_bytes_ >= options_.memory_bytes / 8) return Coalesce();
  return Ok();
}

Status SortBuffer::Coalesce() {
  if (small_.empty()) return Ok();
  BRAID_TRY_ASSIGN(Batch batch, ConcatenateBatches(schema_, small_));
  batches_.push_back(std::move(batch));
  small_.clear();
  small_rows_ = 0;
  small_held_bytes_ = 0;
  return Ok();
}

Result<bool> SortBuffer::Spill() {
  if (!CanSpill()) return false;
  if (static_cast<int>(spilled_.size()) + 1 >= options_.max_spill_files) return false;
  // What the next file will take is not known; its size in memory is the safe guess.
  if (data_bytes_ > options_.max_disk_bytes - disk_bytes()) return false;
  if (memory_rows_ == 0) return true;
  BRAID_TRY(Coalesce());
  BRAID_TRY_ASSIGN(std::unique_ptr<BatchReader> rows, SortInMemory(schema_, batches_, nullptr, MergeOptions{}));
  BRAID_TRY_ASSIGN(std::unique_ptr<SpillFile> file, WriteFile(*rows));
  spilled_.push_back(std::move(file));
  rows.reset();  // which refers to the batches
  ForgetBatches();
  return true;
}

Result<std::unique_ptr<SpillFile>> SortBuffer::WriteFile(BatchReader& rows) const {
  return SpillFile::Write(schema_, options_.spill_directory, SpillCodec{options_.compression, options_.zstd_level},
                          rows);
}

Result<bool> SortBuffer::MergeSpilled() {
  const std::size_t merged = std::max<std::size_t>(2, spilled_.size() / 2);
  if (spilled_.size() < merged) return false;
  std::sort(spilled_.begin(), spilled_.end(),
            [](const auto& a, const auto& b) { return a->size_bytes() < b->size_bytes(); });
  const auto end = spilled_.begin() + static_cast<std::ptrdiff_t>(merged);
  std::int64_t bytes = 0;
  std::vector<std::unique_ptr<BatchReader>> runs;
  for (auto file = spilled_.begin(); file != end; ++file) {
    bytes += (*file)->size_bytes();
    BRAID_TRY_ASSIGN(std::unique_ptr<BatchReader> run, (*file)->Open());
    runs.push_back(std::move(run));
  }
  if (bytes > options_.max_disk_bytes - disk_bytes()) return false;
  BRAID_TRY_ASSIGN(const auto rows, MakeMergeReader(schema_, std::move(runs), nullptr, MergeOptions{}));
  BRAID_TRY_ASSIGN(std::unique_ptr<SpillFile> file, WriteFile(*rows));
  spilled_.erase(spilled_.begin(), end);
  spilled_.push_back(std::move(file));
  return true;
}

Result<std::unique_ptr<BatchReader>> SortBuffer::Sorted(std::shared_ptr<const MergeFunction> function) {
  BRAID_TRY(Coalesce());
  if (spilled_.empty() && parked_.empty()) return SortInMemory(schema_, batches_, std::move(function), MergeOptions{});
  std::vector<std::unique_ptr<BatchReader>> runs;
  for (const auto& file : spilled_) {
    BRAID_TRY_ASSIGN(std::unique_ptr<BatchReader> run, file->Open());
    runs.push_back(std::move(run));
  }
  for (const std::vector<Batch>* batches : {&batches_, &parked_}) {
    if (batches->empty()) continue;
    BRAID_TRY_ASSIGN(std::unique_ptr<BatchReader> run, SortInMemory(schema_, *batches, nullptr, MergeOptions{}));
    runs.push_back(std::move(run));
  }
  return MakeMergeReader(schema_, std::move(runs), std::move(function), MergeOptions{});
}

void SortBuffer::ForgetBatches() {
  const bool is_much = data_bytes_ >= kMuchBytes;
  batches_.clear();
  small_.clear();
  small_rows_ = 0;
  small_held_bytes_ = 0;
  memory_rows_ = 0;
  data_bytes_ = 0;
  // Compactions begin now, on other threads, which could not use what this one keeps.
  if (is_much) ReleaseFreedMemory();
}

void SortBuffer::Clear() {
  ForgetBatches();
  parked_.clear();
  parked_rows_ = 0;
  parked_bytes_ = 0;
  spilled_.clear();
}

}  // namespace braid
