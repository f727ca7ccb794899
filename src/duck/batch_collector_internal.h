#pragma once

// How rows leave DuckDB: its threads turn them into batches, each on its own, and put them into a queue from which the
// reader of the result takes them. For this folder's sources that see DuckDB's headers.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <duckdb/execution/operator/helper/physical_result_collector.hpp>
#include <duckdb/parallel/interrupt.hpp>

#include "base/result.h"
#include "duck/engine.h"
#include "duck/late_values.h"
#include "duck/vectors_internal.h"
#include "types/batch.h"

namespace braid {

/// The columns of a result's batches.
struct ResultShape {
  std::vector<ResultColumn> columns;
  duckdb::vector<duckdb::LogicalType> types;  // of the collectors; values of other types are cast
  std::shared_ptr<arrow::Schema> schema;
  std::vector<std::shared_ptr<const LateValues>> late;  // whose references may be in the rows

  /// `wanted` as for DuckConnection::Query.
  static Result<ResultShape> Make(const duckdb::vector<duckdb::LogicalType>& types,
                                  const duckdb::vector<std::string>& names, std::span<const DataType> wanted);
};

/// Batches on their way from DuckDB's threads to the reader. Thread-safe.
class BatchQueue {
 public:
  /// Whether a task shall put something in now. If not, the task is noted and shall end as blocked; Pop wakes it.
  bool TakeTurn(const duckdb::InterruptState& task);
  void Push(Batch batch);
  /// The oldest batch, if there is one.
  std::optional<Batch> Pop();
  bool empty() const;
  /// Waits until there is a batch, or a short while.
  void Wait() const;

 private:
  struct Entry {
    Batch batch;
    std::int64_t bytes;
  };

  mutable std::mutex mutex_;  // guards the fields below
  mutable std::condition_variable pushed_;
  std::deque<Entry> entries_;
  std::int64_t bytes_ = 0;
  std::vector<duckdb::InterruptState> blocked_;
};

/// The last operator of a plan. Several threads collect rows at once unless their order counts.
class BatchCollector : public duckdb::PhysicalResultCollector {
 public:
  BatchCollector(duckdb::ClientContext& context, duckdb::PreparedStatementData& data,
                 std::shared_ptr<const ResultShape> shape, std::shared_ptr<BatchQueue> queue);

  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext& context,
                                        duckdb::OperatorSinkCombineInput& input) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext& context) const override;
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext& context) const override;
  /// A result without rows: they are in the queue.
  duckdb::unique_ptr<duckdb::QueryResult> GetResult(duckdb::GlobalSinkState& state) const override;

  bool ParallelSink() const override { return is_parallel_; }
  bool SinkOrderDependent() const override { return true; }
  /// So that DuckDB does not wait for tasks that wait for the reader.
  bool IsStreaming() const override { return true; }

 private:
  bool is_parallel_;
  std::shared_ptr<const ResultShape> shape_;
  std::shared_ptr<BatchQueue> queue_;
};

}  // namespace braid
