#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/result.h"
#include "mergetree/key_value.h"
#include "mergetree/merge_function.h"
#include "mergetree/merge_reader.h"
#include "types/batch.h"

namespace braid {

/// Row references in merge order, with group ends: a MergeChunk being filled.
struct RowGroups {
  std::vector<std::int32_t> row_sources;
  std::vector<std::int32_t> positions;
  std::vector<std::int32_t> group_ends;

  bool empty() const { return positions.empty(); }
  std::int32_t row_count() const { return static_cast<std::int32_t>(positions.size()); }
  void Clear();
};

/// Turns groups of row references into output batches: asks the merge function, then gathers columns. Holds the batches
/// that rows refer to. One thread.
class GroupMerger {
 public:
  GroupMerger(GroupMerger&&) = default;
  virtual ~GroupMerger() = default;
  /// A null function keeps every row.
  GroupMerger(KeyValueSchema schema, std::shared_ptr<const MergeFunction> function, MergeOptions options);

  /// Takes a key-value batch; its index as a source.
  std::int32_t AddSource(Batch batch, BatchOrigin origin = {});
  /// Forgets all sources but these, which become sources 0, 1, ….
  void KeepSources(std::span<const std::int32_t> kept);
  const MergeSource& source(std::int32_t index) const { return sources_[static_cast<std::size_t>(index)]; }

  /// The output of these groups; without rows if nothing is left of them.
  virtual Result<Batch> Merge(const RowGroups& groups);
  /// The output of a key-value batch in which every row is a group of its own.
  Result<Batch> PassThrough(const Batch& batch) const;

 protected:
  /// Lets the function make `merged_` of the chunk, whose sources are those of this.
  Status MergeRows(const MergeChunk& chunk);
  /// A batch of `merged_`, whose kinds it takes.
  Result<Batch> Output();
  /// Forgets the sources from this index on.
  void DropSourcesFrom(std::int32_t index);

  const KeyValueSchema& schema() const { return schema_; }
  std::span<const MergeSource> sources() const { return sources_; }
  const MergedRows& merged() const { return merged_; }
  bool drops_retractions() const { return options_.drop_retractions; }

 private:
  struct OutputColumn {
    int input = 0;                     // column of a key-value batch
    std::optional<std::size_t> value;  // the value field that it holds
    std::optional<int> same_as;        // an output column with the same content
  };

  Status DropRetractions();
  Result<std::shared_ptr<arrow::Array>> OutputOf(const OutputColumn& column) const;

  KeyValueSchema schema_;
  std::shared_ptr<const MergeFunction> function_;
  MergeOptions options_;
  std::vector<OutputColumn> outputs_;
  std::shared_ptr<arrow::Schema> output_schema_;
  std::vector<MergeSource> sources_;
  std::vector<std::vector<std::shared_ptr<arrow::Array>>> columns_;  // by output column, of each source
  MergedRows merged_;
};

/// Merges runs with a merger of the caller's, which sees every group, of one row too, of at most `batch_rows` groups at
/// a time.
Result<std::unique_ptr<BatchReader>> MakeMergeReader(const KeyValueSchema& schema,
                                                     std::vector<std::unique_ptr<RunReader>> runs,
                                                     std::unique_ptr<GroupMerger> merger, std::int64_t batch_rows);

}  // namespace braid
