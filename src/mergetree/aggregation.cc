#include <algorithm>

#include "mergetree/field_aggregate_internal.h"
#include "mergetree/merge_engines_internal.h"

namespace braid {
namespace {

/// Each column by its own aggregate function (spec data.md §5.5).
class Aggregation : public MergeFunction {
 public:
  Aggregation(KeyValueSchema schema, std::vector<FieldAggregatePtr> aggregates, bool removes)
      : schema_(std::move(schema)), aggregates_(std::move(aggregates)), removes_(removes) {}

  Status Merge(const MergeChunk& chunk, MergedRows& rows) const override {
    std::vector<FoldStep> steps;
    if (chunk.has_kinds() || !chunk.forced.empty()) {
      steps = StepsOf(chunk, rows);
    } else {
      for (const std::int32_t end : chunk.group_ends) rows.Select(chunk, end - 1);
    }
    rows.columns.resize(aggregates_.size());
    for (std::size_t value = 0; value < aggregates_.size(); ++value) {
      if (aggregates_[value] == nullptr) continue;
      BRAID_TRY_ASSIGN(rows.columns[value], aggregates_[value]->Fold(chunk, schema_.value_column(value), steps));
    }
    return Ok();
  }

 private:
  /// What each row does; `rows` gets each group's last row with the kind of the result.
  std::vector<FoldStep> StepsOf(const MergeChunk& chunk, MergedRows& rows) const {
    std::vector<FoldStep> steps;
    steps.reserve(chunk.positions.size());
    std::int32_t row = 0;
    for (std::size_t group = 0; group < chunk.group_ends.size(); ++group) {
      const std::int32_t end = chunk.group_ends[group];
      rows.Select(chunk, end - 1);
      if (chunk.PassesAsItIs(group, end - row)) {
        steps.push_back(FoldStep::kReplace);
        ++row;
        continue;
      }
      bool deleted = false;
      for (; row < end; ++row) {
        const RowKind kind = chunk.kind(row);
        deleted = removes_ && kind == RowKind::kDelete;
        steps.push_back(deleted ? FoldStep::kReplace : IsAdd(kind) ? FoldStep::kAggregate : FoldStep::kRetract);
      }
      rows.kinds.back() = static_cast<std::int8_t>(deleted ? RowKind::kDelete : RowKind::kInsert);
    }
    return steps;
  }

  KeyValueSchema schema_;
  std::vector<FieldAggregatePtr> aggregates_;  // by value field; null: the last row's, as in key columns
  bool removes_;                               // `aggregation.remove-record-on-delete`
};

}  // namespace

Result<std::shared_ptr<const MergeFunction>> MakeAggregation(const Options& options, const KeyValueSchema& schema) {
  BRAID_TRY_ASSIGN(const bool removes, options.GetBool("aggregation.remove-record-on-delete", false));
  std::vector<FieldAggregatePtr> aggregates;
  for (std::size_t value = 0; value < schema.value_fields.size(); ++value) {
    const DataField& field = schema.value_fields[value];
    const bool orders =
        std::find(schema.sequence_fields.begin(), schema.sequence_fields.end(), value) != schema.sequence_fields.end();
    std::string function = ConfiguredAggregate(options, field.name);
    if (function.empty()) function = kLastNonNullValue;
    if (orders) function = kLastValue;
    if (!orders && schema.IsPrimaryKey(field.name)) {
      aggregates.push_back(nullptr);
      continue;
    }
    BRAID_TRY_ASSIGN(FieldAggregatePtr aggregate, MakeFieldAggregate(function, field, options));
    aggregates.push_back(std::move(aggregate));
  }
  return std::make_shared<const Aggregation>(schema, std::move(aggregates), removes);
}

}  // namespace braid
