#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "types/batch.h"
#include "types/data_type.h"
#include "types/predicate.h"

namespace braid {

/// What one scan wants.
struct ScanRequest {
  /// Positions in ScanSource::fields(), in the order of the batches' columns, each once. Empty: only the number of rows
  /// matters, and batches have no columns.
  std::vector<std::size_t> columns;
  /// A hint for pruning: rows that do not pass may be left out, rows that pass may not. DuckDB tests every row again
  /// itself, so a source need not evaluate it. Null: none. It reads only columns of the source, not necessarily of
  /// `columns`.
  PredicatePtr filter;
  /// How many threads DuckDB has, at least 1: a source may make that many partitions of what is one.
  std::size_t threads = 1;
};

/// One execution of a scan: its partitions are read once each, several at once by different threads. Thread-safe.
class ScanPlan {
 public:
  virtual ~ScanPlan() = default;
  /// Units of work; at most this many threads read.
  virtual std::size_t partition_count() const = 0;
  /// Opens one partition. `filter` is the request's with whatever joins have learned since then, a hint as there. Runs
  /// on a thread of DuckDB: never wait for another of its threads. Batches have exactly the requested columns, any
  /// number of rows; row kinds are ignored.
  virtual Result<std::unique_ptr<BatchReader>> Open(std::size_t partition, const PredicatePtr& filter) const = 0;
};

/// A table that SQL can read. Immutable; any thread.
class ScanSource {
 public:
  virtual ~ScanSource() = default;
  /// All columns.
  virtual std::span<const DataField> fields() const = 0;
  /// What EXPLAIN and errors call it, e.g. "shop.orders".
  virtual std::string name() const = 0;
  /// Number of rows if it is known exactly: COUNT(*) without a condition is then answered without a scan.
  virtual std::optional<std::int64_t> exact_row_count() const { return std::nullopt; }
  /// Expected number of rows, for the order of joins.
  virtual std::optional<std::int64_t> estimated_row_count() const { return exact_row_count(); }
  /// Plans one scan; called when the query starts, after filters are known.
  virtual Result<std::unique_ptr<ScanPlan>> Plan(const ScanRequest& request) const = 0;
};

/// A source over batches in memory, all with the columns of `fields`: every batch is a partition.
std::shared_ptr<const ScanSource> MakeBatchSource(std::string name, std::vector<DataField> fields,
                                                  std::vector<Batch> batches);

}  // namespace braid
