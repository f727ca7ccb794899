#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "mergetree/key_value.h"
#include "mergetree/merge_function.h"
#include "types/batch.h"

namespace braid {

struct MergeOptions {
  /// Leaves out rows whose result is a retraction: reads and compactions to the top do, others must keep them.
  bool drop_retractions = false;
  /// Yields the requested value columns alone, with their kinds; else key-value batches.
  bool values_only = false;
  bool read_ahead = false;     ///< each run of files is read ahead (read_ahead.h)
  std::int64_t batch_rows = 8192;  ///< at most; fewer where they take more than kMaxBatchBytes
};

/// A sorted run being read: key-value batches ascending by key.
class RunReader : public BatchReader {
 public:
  /// Where the last batch's rows are from.
  virtual BatchOrigin origin() const = 0;
};

/// Merges runs of key-value batches, each ascending by key, into one stream ascending by key, in which `function` has
/// made one row of the rows of each key (spec data.md §4.2). Rows of one key may also repeat within a run, in sequence
/// order.
/// A null `function` keeps every row.
Result<std::unique_ptr<BatchReader>> MakeMergeReader(KeyValueSchema schema,
                                                     std::vector<std::unique_ptr<BatchReader>> runs,
                                                     std::shared_ptr<const MergeFunction> function,
                                                     MergeOptions options);

/// The same for runs that tell where their rows are from.
Result<std::unique_ptr<BatchReader>> MakeMergeReader(KeyValueSchema schema,
                                                     std::vector<std::unique_ptr<RunReader>> runs,
                                                     std::shared_ptr<const MergeFunction> function,
                                                     MergeOptions options);

/// A run of rows that are of no file.
std::unique_ptr<RunReader> MakeUnfiledRun(std::unique_ptr<BatchReader> rows);

/// One reader after the other, each opened when its turn comes and destroyed at its end.
using OpenReader = std::function<Result<std::unique_ptr<BatchReader>>()>;
std::unique_ptr<BatchReader> MakeConcatenatingReader(std::vector<OpenReader> readers);

}  // namespace braid
