#include <chrono>
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

/// Bytes of the texts of a row on average, if rows are long; else 0.
std::int64_t LongRowBytesOf(duckdb::DataChunk& chunk) {
  if (chunk.size() == 0 || chunk.size() > kMostLongRows) return 0;
  std::int64_t bytes = 0;
  for (duckdb::Vector& vector : chunk.data) {
    if (vector.GetType().InternalType() != duckdb::PhysicalType::VARCHAR) continue;
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(chunk.size(), format);
    const auto* texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
    RowList::First(chunk.size()).ForEach(format, [&](duckdb::idx_t index) {
      if (format.validity.RowIsValid(index)) bytes += static_cast<std::int64_t>(texts[index].GetSize());
    });
  }
  const std::int64_t row_bytes = bytes / static_cast<std::int64_t>(chunk.size());
  return row_bytes >= kLongRowBytes ? row_bytes : 0;
}

/// Collects the rows of one thread.
class ChunkCollector : public duckdb::LocalSinkState {
 public:
  explicit ChunkCollector(std::shared_ptr<const ResultShape> shape) : shape_(std::move(shape)) {
    for (const ResultColumn& column : shape_->columns)
      collectors_.push_back(ValueOrThrow(MakeColumnCollector(column.type)));
  }

  void Append(duckdb::DataChunk& chunk) {
    if (!shape_->late.empty() && HasLateValues(chunk)) return AppendLate(chunk);
    if (const std::int64_t row_bytes = LongRowBytesOf(chunk); row_bytes > 0) return AppendLong(chunk, row_bytes);
    AppendRows(chunk, RowList::First(chunk.size()));
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
  void AppendRows(duckdb::DataChunk& chunk, const RowList& rows) {
    for (std::size_t i = 0; i < collectors_.size(); ++i) {
      const Status appended = AppendColumn(i, chunk.data[i], chunk.size(), rows);
      if (!appended) ThrowError(appended.error());
    }
    row_count_ += static_cast<std::int64_t>(rows.size());
  }

  bool HasLateValues(duckdb::DataChunk& chunk) const {
    for (const LateColumn& column : LateColumnsOf(chunk)) {
      for (duckdb::idx_t row = 0; row < chunk.size(); ++row) {
        if (column.ValueAt(row) != nullptr) return true;
      }
    }
    return false;
  }

  // Rows with late values each in a batch of its own, where these take the place of their references.
  void AppendLate(duckdb::DataChunk& chunk) {
    const std::vector<LateColumn> columns = LateColumnsOf(chunk);
    for (duckdb::idx_t row = 0; row < chunk.size(); ++row) {
      std::vector<std::pair<int, std::shared_ptr<arrow::Array>>> values;
      for (const LateColumn& column : columns) {
        if (auto value = column.ValueAt(row)) values.emplace_back(column.position, std::move(value));
      }
      const std::vector<duckdb::idx_t> rows = {row};
      if (!values.empty() && row_count_ > 0) finished_.push_back(Collected());
      AppendRows(chunk, RowList(rows));
      if (values.empty()) continue;
      Batch batch = Collected();
      for (auto& [position, value] : values) {
        auto replaced = batch.rows->SetColumn(position, batch.rows->schema()->field(position), std::move(value));
        if (!replaced.ok()) ThrowError(Error(ErrorCode::kInternal, replaced.status().ToString()));
        batch.rows = *std::move(replaced);
      }
      finished_.push_back(ParkLongValues(batch).batch);
    }
  }

  // A column that may hold references.
  struct LateColumn {
    int position;
    duckdb::UnifiedVectorFormat texts;
    const std::vector<std::shared_ptr<const LateValues>>* late;

    /// Null if there is another text, or none.
    std::shared_ptr<arrow::Array> ValueAt(duckdb::idx_t row) const {
      const duckdb::idx_t index = texts.sel->get_index(row);
      if (!texts.validity.RowIsValid(index)) return nullptr;
      const duckdb::string_t& text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(texts)[index];
      for (const auto& values : *late) {
        if (auto value = values->Find({text.GetData(), text.GetSize()})) return value;
      }
      return nullptr;
    }
  };

  std::vector<LateColumn> LateColumnsOf(duckdb::DataChunk& chunk) const {
    std::vector<LateColumn> columns;
    for (std::size_t i = 0; i < chunk.data.size(); ++i) {
      if (chunk.data[i].GetType().InternalType() != duckdb::PhysicalType::VARCHAR) continue;
      columns.push_back({.position = static_cast<int>(i), .texts = {}, .late = &shape_->late});
      chunk.data[i].ToUnifiedFormat(chunk.size(), columns.back().texts);
    }
    return columns;
  }

  // Each in a batch of its own, which waits outside of memory.
  void AppendLong(duckdb::DataChunk& chunk, std::int64_t row_bytes) {
    if (row_count_ > 0) finished_.push_back(Collected());
    for (duckdb::idx_t row = 0; row < chunk.size(); ++row) {
      const std::vector<duckdb::idx_t> rows = {row};
      const MemoryShare share(&LongRowMemory(), row_bytes);
      AppendRows(chunk, RowList(rows));
      finished_.push_back(ParkLongValues(Collected()).batch);
    }
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
