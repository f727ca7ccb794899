#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>

#include "base/options.h"
#include "base/result.h"
#include "mergetree/merge_function.h"
#include "types/data_type.h"

namespace braid {

/// What one row does to the value that a column has gathered so far in its group.
enum class FoldStep : std::uint8_t {
  kAggregate,           ///< value := aggregate(value, row's)
  kAggregateReversed,   ///< the row is older than the value: mostly aggregate(row's, value)
  kRetract,             ///< value := value without row's
  kReplace,             ///< value := row's, also NULL
  kReplaceIfPresent,    ///< value := row's unless that is NULL
  kReplaceThenRetract,  ///< kReplace, then kRetract of the same row
  kClear,               ///< value := NULL
  kSkip,                ///< nothing
};

/// The aggregate function of one column (spec data.md §5.5). Every group starts from NULL. Immutable; any thread.
class FieldAggregate {
 public:
  virtual ~FieldAggregate() = default;

  /// The column's value for each group of the chunk. `column`: of a key-value batch. `steps`: one a row of the chunk;
  /// empty: kAggregate for each row of groups of several rows, and rows alone in their group as they are. Nullptr: what
  /// each group's last row holds.
  /// Errors: kInvalidArgument if the function cannot take a row back, naming column and function.
  virtual Result<std::shared_ptr<arrow::Array>> Fold(const MergeChunk& chunk, int column,
                                                     std::span<const FoldStep> steps) const = 0;
};
using FieldAggregatePtr = std::shared_ptr<const FieldAggregate>;

/// The function of that name for a column, set up by its options `fields.<column>.…`. Errors: kInvalidArgument for an
/// unknown function or a column whose type it does not take; kUnsupported for one that this version lacks.
Result<FieldAggregatePtr> MakeFieldAggregate(std::string_view function, const DataField& field, const Options& options);

/// Names of functions that aggregates are given without an option.
inline constexpr std::string_view kLastValue = "last_value";
inline constexpr std::string_view kLastNonNullValue = "last_non_null_value";
inline constexpr std::string_view kPrimaryKeyValue = "primary-key";

/// `fields.<column>.<what>`.
std::string FieldOption(std::string_view column, std::string_view what);
/// The function that the options set for a column: its own, else the default; empty if there is neither.
std::string ConfiguredAggregate(const Options& options, std::string_view column);

// Makers by kind of function, each in a file of its own; nullptr: none of theirs. Registered in field_aggregate.cc.
Result<FieldAggregatePtr> MakeSelectingAggregate(std::string_view function, const DataField& field,
                                                 const Options& options);
Result<FieldAggregatePtr> MakeArithmeticAggregate(std::string_view function, const DataField& field,
                                                  const Options& options);
Result<FieldAggregatePtr> MakeTextAggregate(std::string_view function, const DataField& field, const Options& options);
Result<FieldAggregatePtr> MakeCollectionAggregate(std::string_view function, const DataField& field,
                                                  const Options& options);
Result<FieldAggregatePtr> MakeNestedAggregate(std::string_view function, const DataField& field,
                                              const Options& options);
Result<FieldAggregatePtr> MakeBitmapAggregate(std::string_view function, const DataField& field,
                                              const Options& options);

/// An error for a column's type. `wanted`: what the function takes, such as "a number".
Error TypeNotTaken(std::string_view function, const DataField& field, std::string_view wanted);
/// An error of functions without retraction.
Error RetractionNotTaken(std::string_view function, std::string_view column);

/// Which rows of a column are NULL, for a chunk that outlives this.
class ChunkNulls {
 public:
  ChunkNulls(const MergeChunk& chunk, int column) : chunk_(chunk) {
    for (const MergeSource& source : chunk.sources) {
      const arrow::Array& array = *source.batch.rows->column(column);
      const bool nulls = array.null_count() > 0;
      has_nulls_ = has_nulls_ || nulls;
      bits_.push_back({nulls ? array.null_bitmap_data() : nullptr, array.offset()});
    }
  }

  bool has_nulls() const { return has_nulls_; }
  bool IsNull(std::int32_t row) const {
    if (!has_nulls_) return false;
    const auto i = static_cast<std::size_t>(row);
    const Bits& bits = bits_[static_cast<std::size_t>(chunk_.row_sources[i])];
    const auto bit = static_cast<std::uint64_t>(bits.offset + chunk_.positions[i]);
    return bits.validity != nullptr && !arrow::bit_util::GetBit(bits.validity, bit);
  }

 private:
  struct Bits {
    const std::uint8_t* validity;
    std::int64_t offset;
  };
  const MergeChunk& chunk_;
  std::vector<Bits> bits_;
  bool has_nulls_ = false;
};

/// Values of a column of fixed width, for a chunk that outlives this. T is as wide as an element.
template <typename T>
class ChunkValues {
 public:
  ChunkValues(const MergeChunk& chunk, int column) : chunk_(chunk) {
    for (const MergeSource& source : chunk.sources) {
      values_.push_back(source.batch.rows->column(column)->data()->GetValues<T>(1));
    }
  }
  const T& At(std::int32_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return values_[static_cast<std::size_t>(chunk_.row_sources[i])][chunk_.positions[i]];
  }

 private:
  const MergeChunk& chunk_;
  std::vector<const T*> values_;
};

/// Plays the steps of each group on `fold`, which has Start(), one function a step that takes the row, and Finish().
template <typename Fold>
void FoldGroups(const MergeChunk& chunk, std::span<const FoldStep> steps, Fold& fold) {
  std::int32_t row = 0;
  for (const std::int32_t end : chunk.group_ends) {
    fold.Start();
    if (steps.empty()) {
      if (end - row == 1) {
        fold.Replace(row++);
      } else {
        for (; row < end; ++row) fold.Aggregate(row);
      }
    } else {
      for (; row < end; ++row) {
        switch (steps[static_cast<std::size_t>(row)]) {
          case FoldStep::kAggregate: fold.Aggregate(row); break;
          case FoldStep::kAggregateReversed: fold.AggregateReversed(row); break;
          case FoldStep::kRetract: fold.Retract(row); break;
          case FoldStep::kReplace: fold.Replace(row); break;
          case FoldStep::kReplaceIfPresent: fold.ReplaceIfPresent(row); break;
          case FoldStep::kReplaceThenRetract:
            fold.Replace(row);
            fold.Retract(row);
            break;
          case FoldStep::kClear: fold.Clear(); break;
          case FoldStep::kSkip: break;
        }
      }
    }
    fold.Finish();
  }
}

}  // namespace braid
