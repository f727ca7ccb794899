#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "mergetree/field_aggregate_internal.h"
#include "mergetree/merge_engines_internal.h"
#include "mergetree/sequence_groups_internal.h"
#include "mergetree/value_order_internal.h"

namespace braid {
namespace {

constexpr std::int32_t kNone = -1;

/// Which of the steps of a row a column follows.
enum class ColumnRole : std::uint8_t {
  kFree,        ///< in no group: values that are there replace
  kAggregated,  ///< in no group, with an aggregate function
  kOrdering,    ///< orders a group
  kProtected,   ///< protected by a group: values replace, NULLs too
  kGathered,    ///< protected by a group, with an aggregate function
};
constexpr std::size_t kRoleCount = 5;

struct ColumnRule {
  ColumnRole role = ColumnRole::kFree;
  std::size_t group = 0;
  /// Plays the steps; also for columns without a function of their own.
  FieldAggregatePtr aggregate = nullptr;
  bool is_key = false;  ///< the same in all rows of a group
};

/// A sequence group's ordering columns among the value fields.
struct Ordering {
  std::vector<std::size_t> columns;
  std::vector<ValueOrder> orders;
  bool removes = false;  ///< named by `partial-update.remove-record-on-sequence-group`
};

struct PartialUpdateRules {
  KeyValueSchema schema;
  std::vector<ColumnRule> columns;  // by value field
  std::vector<Ordering> groups;
  bool table_has_groups = false;  // also where no column of theirs is read
  bool ignore_delete = false;
  bool removes = false;  // `partial-update.remove-record-on-delete`
};

/// Compares rows by the ordering columns of one group.
class GroupOrder {
 public:
  GroupOrder(const PartialUpdateRules& rules, const Ordering& ordering, const MergeChunk& chunk)
      : ordering_(ordering), chunk_(chunk) {
    for (const std::size_t column : ordering.columns) {
      std::vector<const arrow::Array*> arrays;
      for (const MergeSource& source : chunk.sources) {
        arrays.push_back(source.batch.rows->column(rules.schema.value_column(column)).get());
      }
      arrays_.push_back(std::move(arrays));
    }
  }

  bool IsEmpty(std::int32_t row) const {
    for (std::size_t column = 0; column < arrays_.size(); ++column) {
      if (!Array(column, row).IsNull(Position(row))) return false;
    }
    return true;
  }

  /// Whether a row that is not empty is at least as new as `current`, which may be kNone.
  bool IsAsNew(std::int32_t row, std::int32_t current) const {
    if (current == kNone) return true;
    for (std::size_t column = 0; column < arrays_.size(); ++column) {
      const arrow::Array& left = Array(column, row);
      const arrow::Array& right = Array(column, current);
      const bool left_null = left.IsNull(Position(row));
      const bool right_null = right.IsNull(Position(current));
      if (left_null != right_null) return right_null;
      if (left_null) continue;
      const int order = ordering_.orders[column](left, Position(row), right, Position(current));
      if (order != 0) return order > 0;
    }
    return true;
  }

 private:
  std::int64_t Position(std::int32_t row) const { return chunk_.positions[static_cast<std::size_t>(row)]; }
  const arrow::Array& Array(std::size_t column, std::int32_t row) const {
    return *arrays_[column][static_cast<std::size_t>(chunk_.row_sources[static_cast<std::size_t>(row)])];
  }

  const Ordering& ordering_;
  const MergeChunk& chunk_;
  std::vector<std::vector<const arrow::Array*>> arrays_;
};

/// Steps of all rows of a chunk, by role of the column.
class StepPlan {
 public:
  StepPlan(const PartialUpdateRules& rules, const MergeChunk& chunk) : rules_(rules), chunk_(chunk) {
    steps_.resize((rules.groups.size() + 1) * kRoleCount);
    for (auto& steps : steps_) steps.reserve(chunk.positions.size());
    for (const Ordering& ordering : rules.groups) orders_.emplace_back(rules, ordering, chunk);
    current_.resize(rules.groups.size());
  }

  /// Plans all groups; `rows` gets each group's last row with the kind and sequence number of the result.
  Status Make(MergedRows& rows) {
    std::int32_t row = 0;
    for (std::size_t group = 0; group < chunk_.group_ends.size(); ++group) {
      const std::int32_t end = chunk_.group_ends[group];
      rows.Select(chunk_, end - 1);
      if (chunk_.PassesAsItIs(group, end - row)) {
        AddToAll(FoldStep::kReplace);
        ++row;
        continue;
      }
      StartGroup();
      for (; row < end; ++row) BRAID_TRY(AddRow(row));
      rows.kinds.back() = static_cast<std::int8_t>(deleted_ || !met_insert_ ? RowKind::kDelete : RowKind::kInsert);
      rows.sequence_numbers.back() = latest_sequence_;
    }
    return Ok();
  }

  std::span<const FoldStep> StepsOf(const ColumnRule& rule) const {
    const bool free = rule.role == ColumnRole::kFree || rule.role == ColumnRole::kAggregated;
    return steps_[IndexOf(free ? rules_.groups.size() : rule.group, rule.role)];
  }

 private:
  static std::size_t IndexOf(std::size_t group, ColumnRole role) {
    return group * kRoleCount + static_cast<std::size_t>(role);
  }
  void Add(std::size_t group, ColumnRole role, FoldStep step) { steps_[IndexOf(group, role)].push_back(step); }
  void AddToGroup(std::size_t group, FoldStep ordering, FoldStep protected_step, FoldStep gathered) {
    Add(group, ColumnRole::kOrdering, ordering);
    Add(group, ColumnRole::kProtected, protected_step);
    Add(group, ColumnRole::kGathered, gathered);
  }
  void AddToFree(FoldStep free, FoldStep aggregated) {
    Add(rules_.groups.size(), ColumnRole::kFree, free);
    Add(rules_.groups.size(), ColumnRole::kAggregated, aggregated);
  }
  void AddToAll(FoldStep step) {
    for (std::size_t group = 0; group < rules_.groups.size(); ++group) AddToGroup(group, step, step, step);
    AddToFree(step, step);
  }

  void StartGroup() {
    std::fill(current_.begin(), current_.end(), kNone);
    deleted_ = false;
    met_insert_ = false;
    filled_ = false;
    latest_sequence_ = 0;
  }

  Status AddRow(std::int32_t row) {
    deleted_ = false;
    if (!IsAdd(chunk_.kind(row))) return AddRetraction(row);
    latest_sequence_ = chunk_.sequence_number(row);
    for (std::size_t group = 0; group < rules_.groups.size(); ++group) {
      if (orders_[group].IsEmpty(row)) {
        AddToGroup(group, FoldStep::kSkip, FoldStep::kSkip, FoldStep::kSkip);
      } else if (orders_[group].IsAsNew(row, current_[group])) {
        current_[group] = row;
        AddToGroup(group, FoldStep::kReplace, FoldStep::kReplace, FoldStep::kAggregate);
      } else {
        AddToGroup(group, FoldStep::kSkip, FoldStep::kSkip, FoldStep::kAggregateReversed);
      }
    }
    AddToFree(FoldStep::kReplaceIfPresent, FoldStep::kAggregate);
    met_insert_ = true;
    filled_ = true;
    return Ok();
  }

  /// The first row of a key fills all columns, even a retraction.
  Status AddRetraction(std::int32_t row) {
    const bool fills = !std::exchange(filled_, true);
    const FoldStep otherwise = fills ? FoldStep::kReplace : FoldStep::kSkip;
    if (fills) std::fill(current_.begin(), current_.end(), row);
    if (rules_.ignore_delete) {
      AddToAll(otherwise);
      return Ok();
    }
    latest_sequence_ = chunk_.sequence_number(row);
    if (rules_.table_has_groups) {
      RetractGroups(row, fills, otherwise);
      return Ok();
    }
    if (!rules_.removes) return NotTaken(chunk_.kind(row));
    deleted_ = chunk_.kind(row) == RowKind::kDelete;
    AddToAll(deleted_ ? FoldStep::kReplace : otherwise);
    return Ok();
  }

  void RetractGroups(std::int32_t row, bool fills, FoldStep otherwise) {
    if (Removes(row)) {
      deleted_ = true;
      std::fill(current_.begin(), current_.end(), row);
      AddToAll(FoldStep::kReplace);
      return;
    }
    for (std::size_t group = 0; group < rules_.groups.size(); ++group) {
      const FoldStep retract = fills ? FoldStep::kReplaceThenRetract : FoldStep::kRetract;
      if (orders_[group].IsEmpty(row)) {
        AddToGroup(group, otherwise, otherwise, otherwise);
      } else if (orders_[group].IsAsNew(row, current_[group])) {
        current_[group] = row;
        AddToGroup(group, FoldStep::kReplace, FoldStep::kClear, retract);
      } else {
        AddToGroup(group, FoldStep::kSkip, FoldStep::kSkip, FoldStep::kRetract);
      }
    }
    AddToFree(otherwise, otherwise);
  }

  /// Whether a row deletes the record by one of the groups that are to do so.
  bool Removes(std::int32_t row) const {
    if (chunk_.kind(row) != RowKind::kDelete) return false;
    for (std::size_t group = 0; group < rules_.groups.size(); ++group) {
      if (rules_.groups[group].removes && !orders_[group].IsEmpty(row) &&
          orders_[group].IsAsNew(row, current_[group])) {
        return true;
      }
    }
    return false;
  }

  static Error NotTaken(RowKind kind) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("merge engine partial-update cannot take a row of kind {} as the table is set up",
                             RowKindName(kind)))
        .Hint(
            "set the table's option ignore-delete to true to drop such rows, or "
            "partial-update.remove-record-on-delete to true to let them delete, or define sequence groups");
  }

  const PartialUpdateRules& rules_;
  const MergeChunk& chunk_;
  std::vector<std::vector<FoldStep>> steps_;
  std::vector<GroupOrder> orders_;
  // Of the group of rows being planned:
  std::vector<std::int32_t> current_;  // by sequence group, the row that its ordering columns are from
  bool deleted_ = false;
  bool met_insert_ = false;
  bool filled_ = false;
  std::int64_t latest_sequence_ = 0;
};

/// Columns filled in one after the other: values that are there replace, in sequence groups only those of rows that are
/// new enough (spec data.md §5.4).
class PartialUpdate : public MergeFunction {
 public:
  explicit PartialUpdate(PartialUpdateRules rules) : rules_(std::move(rules)) {}

  Status Merge(const MergeChunk& chunk, MergedRows& rows) const override {
    rows.columns.resize(rules_.columns.size());
    if (rules_.groups.empty() && !chunk.has_kinds() && chunk.forced.empty()) {
      for (const std::int32_t end : chunk.group_ends) rows.Select(chunk, end - 1);
      return Fold(chunk, nullptr, rows);
    }
    StepPlan plan(rules_, chunk);
    BRAID_TRY(plan.Make(rows));
    return Fold(chunk, &plan, rows);
  }

 private:
  Status Fold(const MergeChunk& chunk, const StepPlan* plan, MergedRows& rows) const {
    for (std::size_t value = 0; value < rules_.columns.size(); ++value) {
      const ColumnRule& rule = rules_.columns[value];
      if (rule.is_key) continue;
      const std::span<const FoldStep> steps = plan == nullptr ? std::span<const FoldStep>() : plan->StepsOf(rule);
      BRAID_TRY_ASSIGN(rows.columns[value], rule.aggregate->Fold(chunk, rules_.schema.value_column(value), steps));
    }
    return Ok();
  }

  PartialUpdateRules rules_;
};

Result<Ordering> OrderingOf(const SequenceGroup& group, const KeyValueSchema& schema) {
  Ordering ordering;
  for (const std::string& name : group.ordering) {
    const std::optional<std::size_t> column = FindField(schema.value_fields, name);
    if (!column) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("a sequence group is ordered by '{}', which is no column", name))
          .Hint("correct the table's options fields.….sequence-group");
    }
    BRAID_TRY_ASSIGN(const ValueOrder order, ValueOrderOf(schema.value_fields[*column].type));
    ordering.columns.push_back(*column);
    ordering.orders.push_back(order);
  }
  return ordering;
}

/// What a column does; `group`: that it is in, an index into the rules' groups.
Result<ColumnRule> RuleOf(const DataField& field, const Options& options, const KeyValueSchema& schema,
                          const SequenceGroup* group, std::size_t group_index) {
  ColumnRule rule;
  rule.group = group_index;
  rule.is_key = schema.IsPrimaryKey(field.name);
  const bool orders = group != nullptr &&
                      std::find(group->ordering.begin(), group->ordering.end(), field.name) != group->ordering.end();
  std::string function = orders || rule.is_key ? "" : ConfiguredAggregate(options, field.name);
  if (!function.empty() && group == nullptr && function != kLastNonNullValue) {
    return Error(
               ErrorCode::kInvalidArgument,
               fmt::format("column '{}' has aggregate function {}, but is in no sequence group", field.name, function))
        .Hint(
            "merge engine partial-update aggregates columns of sequence groups only: name the column in an option "
            "fields.….sequence-group");
  }
  if (orders) {
    rule.role = ColumnRole::kOrdering;
  } else if (group != nullptr) {
    rule.role = function.empty() ? ColumnRole::kProtected : ColumnRole::kGathered;
  } else {
    rule.role = function.empty() ? ColumnRole::kFree : ColumnRole::kAggregated;
  }
  BRAID_TRY_ASSIGN(rule.aggregate, MakeFieldAggregate(function.empty() ? kLastNonNullValue : std::string_view(function),
                                                      field, options));
  return rule;
}

Status CheckExclusions(const PartialUpdateRules& rules, const Options& options) {
  const bool removes_by_group = options.Has("partial-update.remove-record-on-sequence-group");
  const auto exclude = [](std::string_view a, std::string_view b) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("options {} and {} exclude each other", a, b))
        .Hint("remove one of the two options from the table");
  };
  if (rules.removes && rules.ignore_delete) return exclude("ignore-delete", "partial-update.remove-record-on-delete");
  if (removes_by_group && rules.ignore_delete) {
    return exclude("ignore-delete", "partial-update.remove-record-on-sequence-group");
  }
  if (rules.removes && rules.table_has_groups) {
    return exclude("fields.….sequence-group", "partial-update.remove-record-on-delete");
  }
  return Ok();
}

}  // namespace

Result<std::shared_ptr<const MergeFunction>> MakePartialUpdate(const Options& options, const KeyValueSchema& schema) {
  BRAID_TRY_ASSIGN(const std::vector<SequenceGroup> groups, SequenceGroupsOf(options));
  BRAID_TRY_ASSIGN(const std::vector<std::string> removing, RemovingColumns(options, groups));
  PartialUpdateRules rules;
  rules.schema = schema;
  rules.table_has_groups = !groups.empty();
  BRAID_TRY_ASSIGN(rules.ignore_delete, IgnoresDelete(options));
  BRAID_TRY_ASSIGN(rules.removes, options.GetBool("partial-update.remove-record-on-delete", false));
  BRAID_TRY(CheckExclusions(rules, options));

  std::vector<const SequenceGroup*> read_groups;
  for (const SequenceGroup& group : groups) {
    const auto reads = [&](const DataField& field) { return group.Holds(field.name); };
    if (std::none_of(schema.value_fields.begin(), schema.value_fields.end(), reads)) continue;
    BRAID_TRY_ASSIGN(Ordering ordering, OrderingOf(group, schema));
    ordering.removes = std::any_of(removing.begin(), removing.end(), [&](const std::string& column) {
      return std::find(group.ordering.begin(), group.ordering.end(), column) != group.ordering.end();
    });
    rules.groups.push_back(std::move(ordering));
    read_groups.push_back(&group);
  }
  for (const DataField& field : schema.value_fields) {
    const auto holds = [&](const SequenceGroup* group) { return group->Holds(field.name); };
    const auto found = std::find_if(read_groups.begin(), read_groups.end(), holds);
    const SequenceGroup* group = found == read_groups.end() ? nullptr : *found;
    BRAID_TRY_ASSIGN(ColumnRule rule,
                     RuleOf(field, options, schema, group, static_cast<std::size_t>(found - read_groups.begin())));
    rules.columns.push_back(std::move(rule));
  }
  return std::make_shared<const PartialUpdate>(std::move(rules));
}

}  // namespace braid
