#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "base/options.h"
#include "base/result.h"
#include "mergetree/key_value.h"
#include "types/batch.h"

namespace braid {

/// Where the rows of a batch are from.
struct BatchOrigin {
  int level = 0;                                 ///< of the data file; 0 for rows of no file
  std::shared_ptr<const std::string> file = {};  ///< its name; null for rows of no file
  std::int64_t first_row = 0;                    ///< of the batch within the file, if positions were asked for
};

/// A batch that rows being merged lie in, with its frequently needed columns at hand.
struct MergeSource {
  Batch batch;                                     ///< a key-value batch
  const std::int64_t* sequence_numbers = nullptr;  ///< one a row
  const std::int8_t* kinds = nullptr;              ///< one a row; null: all +I
  BatchOrigin origin = {};

  RowKind kind(std::int32_t row) const {
    return kinds == nullptr ? RowKind::kInsert : static_cast<RowKind>(kinds[row]);
  }
};

/// Groups of rows with equal keys, ascending by key; in a group the rows stand in sequence order (spec data.md §4.2),
/// the last one newest. The i-th row is row `positions[i]` of `sources[row_sources[i]]`; group g ends before row
/// `group_ends[g]`.
struct MergeChunk {
  std::span<const MergeSource> sources;
  std::span<const std::int32_t> row_sources;
  std::span<const std::int32_t> positions;
  std::span<const std::int32_t> group_ends;
  /// One a group: whether it goes through the merge function even if it is of one row. Empty: none does.
  std::span<const std::uint8_t> forced = {};

  /// Whether a group is passed on as it is.
  bool PassesAsItIs(std::size_t group, std::int32_t row_count) const {
    return row_count == 1 && (forced.empty() || forced[group] == 0);
  }
  /// Whether a row may be other than +I.
  bool has_kinds() const {
    for (const MergeSource& source : sources) {
      if (source.kinds != nullptr) return true;
    }
    return false;
  }
  const MergeSource& source_of(std::int32_t row) const {
    return sources[static_cast<std::size_t>(row_sources[static_cast<std::size_t>(row)])];
  }
  std::int64_t sequence_number(std::int32_t row) const {
    return source_of(row).sequence_numbers[positions[static_cast<std::size_t>(row)]];
  }
  RowKind kind(std::int32_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return sources[static_cast<std::size_t>(row_sources[i])].kind(positions[i]);
  }
};

/// What the groups became: at most one row a group, in the order of the groups. A vector a property, one element a
/// result.
struct MergedRows {
  /// The row that key columns come from, and value columns unless `columns` says otherwise.
  std::vector<std::int32_t> row_sources;
  std::vector<std::int32_t> positions;
  std::vector<std::int8_t> kinds;
  std::vector<std::int64_t> sequence_numbers;
  /// The group of each result; empty: every group has one.
  std::vector<std::int32_t> groups;
  /// By value field, a computed column of one element a result; null: gathered from the rows above. Empty: all are
  /// gathered.
  std::vector<std::shared_ptr<arrow::Array>> columns;

  void Clear();
  /// Appends a row as it is.
  void Select(const MergeChunk& chunk, std::int32_t row) {
    const auto i = static_cast<std::size_t>(row);
    const MergeSource& source = chunk.sources[static_cast<std::size_t>(chunk.row_sources[i])];
    const std::int32_t position = chunk.positions[i];
    row_sources.push_back(chunk.row_sources[i]);
    positions.push_back(position);
    kinds.push_back(static_cast<std::int8_t>(source.kind(position)));
    sequence_numbers.push_back(source.sequence_numbers[position]);
  }
};

/// A merge engine: what rows of one key become (spec data.md §5). Stateless between chunks; immutable; any thread.
class MergeFunction {
 public:
  virtual ~MergeFunction() = default;
  /// Appends the results of all groups of the chunk to `rows`, which is empty. A group of one row is passed on as it
  /// is, even a retraction (§3.3), unless the chunk forces it: callers may spare such groups the call.
  virtual Status Merge(const MergeChunk& chunk, MergedRows& rows) const = 0;
};

/// Lets only rows of level 0 take part, and of those above it the one of the lowest level (spec data.md §4.2): lookup
/// compaction has already merged the rows of higher levels into it.
std::shared_ptr<const MergeFunction> MakeLookupMergeFunction(std::shared_ptr<const MergeFunction> function);

/// Whether the options ask for lookup compaction (§3.9).
Result<bool> NeedsLookup(const Options& options);

/// The engine that `merge-engine` names, configured by the options (`ignore-delete` …).
/// Errors: kUnsupported, naming an engine that this version lacks; kInvalidArgument for one that Paimon does not know.
Result<std::shared_ptr<const MergeFunction>> MakeMergeFunction(const Options& options, const KeyValueSchema& schema);

}  // namespace braid
