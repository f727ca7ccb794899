#pragma once

#include <cstdint>
#include <vector>

#include "base/options.h"
#include "base/result.h"
#include "meta/manifest.h"

namespace braid {

/// Which small files of an append table are merged (spec data.md §8.1). An immutable value.
struct AppendCompaction {
  std::int64_t target_bytes = 0;     ///< `target-file-size`
  std::int64_t open_cost_bytes = 0;  ///< `source.split.open-file-cost`
  std::int64_t min_files = 0;        ///< `compaction.min.file-num`
  double small_ratio = 0.7;          ///< files below so much of the target are small

  /// Errors: kInvalidArgument.
  static Result<AppendCompaction> FromOptions(const Options& options);

  /// Groups of one bucket's files that are worth merging; with `full` every two small ones are. `ordered`: only
  /// neighbours in sequence order may be merged.
  std::vector<std::vector<DataFileMeta>> Pack(std::vector<DataFileMeta> files, bool full, bool ordered) const;
};

}  // namespace braid
