#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <arrow/api.h>
#include <duckdb.hpp>
#include <duckdb/common/vector_operations/vector_operations.hpp>
#include <duckdb/execution/physical_plan_generator.hpp>
#include <duckdb/main/materialized_query_result.hpp>
#include <duckdb/main/prepared_statement_data.hpp>
#include <fmt/format.h>

#include "duck/batch_collector_internal.h"
#include "duck/errors_internal.h"
#include "duck/types_internal.h"
#include "types/batch_bytes.h"
#include "types/long_rows.h"
#include "types/parked_values.h"

namespace braid {

namespace {

// DuckDB's vectors hold 2,048 rows; writers and printers want fewer, larger batches.
constexpr std::int64_t kRowsPerBatch = 16 * 2048;
// Batches that wait for the reader. With less DuckDB's threads stop all the time, and a scan runs on one thread.
constexpr std::int64_t kQueueBytes = 32 << 20;
constexpr auto kLongestWait = std::chrono::milliseconds(1);

/// Makes lists' elements flat too, so that rows of nested vectors can be found by position alone.
void FlattenDeep(duckdb::Vector& vector, duckdb::idx_t count) {
  switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::LIST:
      vector.Flatten(count);
      FlattenDeep(duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector));
      return;
    case duckdb::PhysicalType::STRUCT:
      vector.Flatten(count);
      for (auto& child : duckdb::StructVector::GetEntries(vector)) FlattenDeep(*child, count);
      return;
    default: return;
  }
}

/// Chunks of more rows than this have no long ones on average: a text would be over 1 GiB.
constexpr duckdb::idx_t kMostLongRows = 256;

/// Collects the rows of one thread.
class ChunkCollector : public duckdb::LocalSinkState {
 public:
  explicit ChunkCollector(std::shared_ptr<const ResultShape> shape) : shape_(std::move(shape)) {
    for (const ResultColumn& column : shape_->columns)
      collectors_.push_back(ValueOrThrow(MakeColumnCollector(column.type)));
  }

  void Append(duckdb::DataChunk& chunk) {
    if (chunk.size() <= kMostLongRows || !shape_->late.empty()) {
      const std::vector<TextColumn> texts = TextColumnsOf(chunk);
      const bool has_long_rows = HasLongRows(texts, chunk.size());
      if (has_long_rows || HasLateValues(texts, chunk.size())) return AppendOneByOne(chunk, texts, has_long_rows);
    }
    AppendRows(chunk, RowList::First(chunk.size()), {});
  }

  bool IsFull() const {
    std::int64_t bytes = 0;
    for (const auto& collector : collectors_) bytes += collector->text_bytes();
    return !finished_.empty() || row_count_ >= kRowsPerBatch || bytes >= kMaxBatchBytes;
  }

  /// All rows so far, in their order; it starts anew.
  std::vector<Batch> Finish() {
    if (row_count_ > 0) finished_.push_back(Collected());
    return std::exchange(finished_, {});
  }

 private:
  // A column whose values may lie outside of DuckDB, or go there.
  struct TextColumn {
    std::size_t position;
    duckdb::UnifiedVectorFormat format;

    /// nullopt: NULL.
    std::optional<std::string_view> At(duckdb::idx_t row) const {
      const duckdb::idx_t index = format.sel->get_index(row);
      if (!format.validity.RowIsValid(index)) return std::nullopt;
      const duckdb::string_t& text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format)[index];
      return std::string_view(text.GetData(), text.GetSize());
    }
  };

  std::vector<TextColumn> TextColumnsOf(duckdb::DataChunk& chunk) const {
    std::vector<TextColumn> columns;
    for (std::size_t i = 0; i < chunk.data.size(); ++i) {
      const duckdb::LogicalType& type = chunk.data[i].GetType();
      if (type.InternalType() != duckdb::PhysicalType::VARCHAR || type != shape_->types[i]) continue;
      columns.push_back({.position = i, .format = {}});
      chunk.data[i].ToUnifiedFormat(chunk.size(), columns.back().format);
    }
    return columns;
  }

  /// Whether the texts of a row are long on average.
  static bool HasLongRows(const std::vector<TextColumn>& columns, duckdb::idx_t row_count) {
    if (row_count == 0 || row_count > kMostLongRows) return false;
    std::int64_t bytes = 0;
    for (const TextColumn& column : columns) {
      for (duckdb::idx_t row = 0; row < row_count; ++row)
        bytes += static_cast<std::int64_t>(column.At(row).value_or(std::string_view()).size());
    }
    return bytes / static_cast<std::int64_t>(row_count) >= kLongRowBytes;
  }

  std::shared_ptr<arrow::Array> FindLate(std::string_view text) const {
    for (const auto& values : shape_->late) {
      if (auto value = values->Find(text)) return value;
    }
    return nullptr;
  }

  bool HasLateValues(const std::vector<TextColumn>& columns, duckdb::idx_t row_count) const {
    if (shape_->late.empty()) return false;
    for (const TextColumn& column : columns) {
      for (duckdb::idx_t row = 0; row < row_count; ++row) {
        const auto text = column.At(row);
        if (text && FindLate(*text) != nullptr) return true;
      }
    }
    return false;
  }

  // Values of a row, by column, that do not go through the collectors.
  using OutsideValues = std::map<std::size_t, std::shared_ptr<arrow::Array>>;

  // Long rows and those with late values are each a batch, which waits outside of memory.
  void AppendOneByOne(duckdb::DataChunk& chunk, const std::vector<TextColumn>& texts, bool are_long) {
    for (duckdb::idx_t row = 0; row < chunk.size(); ++row) {
      OutsideValues outside;
      std::int64_t inside_bytes = 0;
      for (const TextColumn& column : texts) {
        const auto text = column.At(row);
        if (!text) continue;
        std::shared_ptr<arrow::Array> value = FindLate(*text);
        const bool is_long = static_cast<std::int64_t>(text->size()) >= kParkedBytes;
        if (value == nullptr && is_long)
          value = ParkValue(*text, shape_->schema->field(static_cast<int>(column.position))->type());
        if (value == nullptr) inside_bytes += static_cast<std::int64_t>(text->size());
        if (value != nullptr) outside.emplace(column.position, std::move(value));
      }
      const bool is_alone = are_long || !outside.empty();
      if (is_alone && row_count_ > 0) finished_.push_back(Collected());
      std::optional<MemoryShare> share;
      if (inside_bytes >= kLongRowBytes) share.emplace(&LongRowMemory(), inside_bytes);
      const std::vector<duckdb::idx_t> rows = {row};
      AppendRows(chunk, RowList(rows), outside);
      if (is_alone) finished_.push_back(ParkLongValues(WithValues(Collected(), outside)).batch);
    }
  }

  static Batch WithValues(Batch batch, const OutsideValues& values) {
    arrow::ArrayVector columns = batch.rows->columns();
    for (const auto& [position, value] : values) columns[position] = value;
    batch.rows = arrow::RecordBatch::Make(batch.rows->schema(), batch.row_count(), std::move(columns));
    return batch;
  }

  void AppendRows(duckdb::DataChunk& chunk, const RowList& rows, const OutsideValues& outside) {
    for (std::size_t i = 0; i < collectors_.size(); ++i) {
      Status appended;
      if (outside.contains(i)) {
        duckdb::Vector nothing(shape_->types[i]);
        nothing.Reference(duckdb::Value(shape_->types[i]));
        appended = AppendSame(i, nothing, chunk.size(), rows);
      } else {
        appended = AppendColumn(i, chunk.data[i], chunk.size(), rows);
      }
      if (!appended) ThrowError(appended.error());
    }
    row_count_ += static_cast<std::int64_t>(rows.size());
  }

  Batch Collected() {
    arrow::ArrayVector arrays;
    for (const auto& collector : collectors_) arrays.push_back(ValueOrThrow(collector->Finish()));
    return {.rows = arrow::RecordBatch::Make(shape_->schema, std::exchange(row_count_, 0), std::move(arrays)),
            .kinds = nullptr};
  }

  Status AppendColumn(std::size_t i, duckdb::Vector& vector, duckdb::idx_t count, const RowList& rows) {
    if (vector.GetType() == shape_->types[i]) return AppendSame(i, vector, count, rows);
    duckdb::Vector converted(shape_->types[i]);
    std::string message;
    if (!duckdb::VectorOperations::DefaultTryCast(vector, converted, count, &message, true)) {
      const ResultColumn& column = shape_->columns[i];
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("column {} cannot be given as {}: {}", column.name, column.type.ToString(), message));
    }
    return AppendSame(i, converted, count, rows);
  }

  Status AppendSame(std::size_t i, duckdb::Vector& vector, duckdb::idx_t count, const RowList& rows) {
    FlattenDeep(vector, count);
    duckdb::RecursiveUnifiedVectorFormat format;
    duckdb::Vector::RecursiveToUnifiedFormat(vector, count, format);
    return collectors_[i]->Append(format, rows);
  }

  std::shared_ptr<const ResultShape> shape_;
  std::vector<std::unique_ptr<ColumnCollector>> collectors_;
  std::int64_t row_count_ = 0;   // in the collectors
  std::vector<Batch> finished_;  // the rows before these
};

}  // namespace

Result<ResultShape> ResultShape::Make(const duckdb::vector<duckdb::LogicalType>& types,
                                      const duckdb::vector<std::string>& names, std::span<const DataType> wanted) {
  if (!wanted.empty() && wanted.size() != types.size()) {
    return Error(ErrorCode::kInternal,
                 fmt::format("a query gives {} columns where {} are wanted", types.size(), wanted.size()));
  }
  ResultShape shape;
  std::vector<DataField> fields;
  for (std::size_t i = 0; i < types.size(); ++i) {
    DataType type = DataType::Int();
    if (wanted.empty()) {
      BRAID_TRY_ASSIGN(type, FromLogicalType(types[i]).Context(fmt::format("in column {} of the result", names[i])));
    } else {
      type = wanted[i];
    }
    BRAID_TRY_ASSIGN(duckdb::LogicalType logical, ToLogicalType(type));
    shape.columns.push_back({names[i], types[i].ToString(), type});
    shape.types.push_back(std::move(logical));
    fields.push_back(
        {.id = FieldId(0), .name = names[i], .type = std::move(type), .description = {}, .default_value = {}});
  }
  shape.schema = ToArrowSchema(fields);
  return shape;
}

bool BatchQueue::TakeTurn(const duckdb::InterruptState& task) {
  const std::lock_guard lock(mutex_);
  if (bytes_ < kQueueBytes) return true;
  blocked_.push_back(task);
  return false;
}

void BatchQueue::Push(Batch batch) {
  const std::int64_t bytes = BytesOf(*batch.rows).held;
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(batch), bytes});
  bytes_ += bytes;
  pushed_.notify_one();
}

std::optional<Batch> BatchQueue::Pop() {
  std::vector<duckdb::InterruptState> awake;
  std::optional<Batch> batch;
  {
    const std::lock_guard lock(mutex_);
    if (entries_.empty()) return std::nullopt;
    bytes_ -= entries_.front().bytes;
    batch = std::move(entries_.front().batch);
    entries_.pop_front();
    if (bytes_ < kQueueBytes) awake.swap(blocked_);
  }
  for (const duckdb::InterruptState& task : awake) task.Callback();
  return batch;
}

bool BatchQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty();
}

void BatchQueue::Wait() const {
  std::unique_lock lock(mutex_);
  pushed_.wait_for(lock, kLongestWait, [this] { return !entries_.empty(); });
}

BatchCollector::BatchCollector(duckdb::ClientContext& context, duckdb::PreparedStatementData& data,
                               std::shared_ptr<const ResultShape> shape, std::shared_ptr<BatchQueue> queue)
    : PhysicalResultCollector(*data.physical_plan, data),
      is_parallel_(!duckdb::PhysicalPlanGenerator::PreserveInsertionOrder(context, data.physical_plan->Root())),
      shape_(std::move(shape)),
      queue_(std::move(queue)) {}

duckdb::SinkResultType BatchCollector::Sink(duckdb::ExecutionContext& /*context*/, duckdb::DataChunk& chunk,
                                            duckdb::OperatorSinkInput& input) const {
  auto& collector = input.local_state.Cast<ChunkCollector>();
  if (collector.IsFull()) {
    if (!queue_->TakeTurn(input.interrupt_state)) return duckdb::SinkResultType::BLOCKED;
    for (Batch& batch : collector.Finish()) queue_->Push(std::move(batch));
  }
  collector.Append(chunk);
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType BatchCollector::Combine(duckdb::ExecutionContext& /*context*/,
                                                      duckdb::OperatorSinkCombineInput& input) const {
  auto& collector = input.local_state.Cast<ChunkCollector>();
  for (Batch& batch : collector.Finish()) queue_->Push(std::move(batch));
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::unique_ptr<duckdb::LocalSinkState> BatchCollector::GetLocalSinkState(
    duckdb::ExecutionContext& /*context*/) const {
  return duckdb::make_uniq<ChunkCollector>(shape_);
}

duckdb::unique_ptr<duckdb::GlobalSinkState> BatchCollector::GetGlobalSinkState(
    duckdb::ClientContext& /*context*/) const {
  return duckdb::make_uniq<duckdb::GlobalSinkState>();
}

duckdb::unique_ptr<duckdb::QueryResult> BatchCollector::GetResult(duckdb::GlobalSinkState& /*state*/) const {
  auto no_rows = duckdb::make_uniq<duckdb::ColumnDataCollection>(duckdb::Allocator::DefaultAllocator(), types);
  return duckdb::make_uniq<duckdb::MaterializedQueryResult>(statement_type, properties, names, std::move(no_rows),
                                                            duckdb::ClientProperties());
}

}  // namespace braid
