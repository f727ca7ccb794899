#include <algorithm>
#include <numeric>
#include <utility>

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>

#include "mergetree/changelog_merger_internal.h"
#include "mergetree/value_order_internal.h"

namespace braid {
namespace {

/// Rows of a changelog, gathered from sources and results.
struct ChangelogRows {
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> positions;
  std::vector<std::int8_t> kinds;

  void Add(std::int32_t source, std::int32_t position, RowKind kind) {
    sources.push_back(source);
    positions.push_back(position);
    kinds.push_back(static_cast<std::int8_t>(kind));
  }
};

}  // namespace

ChangelogMerger::ChangelogMerger(const KeyValueSchema& schema, std::shared_ptr<const MergeFunction> function,
                                 ChangelogMergeConfig config, KeyLookup* lookup, KeyEncoder keys)
    : GroupMerger(schema, std::move(function), MergeOptions{}),
      config_(std::move(config)),
      lookup_(lookup),
      key_encoder_(std::move(keys)) {}

Result<std::unique_ptr<ChangelogMerger>> ChangelogMerger::Make(const KeyValueSchema& schema,
                                                               std::shared_ptr<const MergeFunction> function,
                                                               ChangelogMergeConfig config, KeyLookup* lookup) {
  BRAID_TRY_ASSIGN(KeyEncoder keys, KeyEncoder::Make(schema.key_fields));
  return std::unique_ptr<ChangelogMerger>(
      new ChangelogMerger(schema, std::move(function), std::move(config), lookup, std::move(keys)));
}

Result<Batch> ChangelogMerger::Merge(const RowGroups& groups) {
  const auto own_sources = static_cast<std::int32_t>(sources().size());
  chosen_.Clear();
  forced_.clear();
  before_.assign(groups.group_ends.size(), {});
  if (config_.rule == ChangelogRule::kFullCompaction) {
    PrepareFullCompaction(groups);
  } else {
    BRAID_TRY(Prepare(groups));
  }
  BRAID_TRY(MergeRows({sources(), chosen_.row_sources, chosen_.positions, chosen_.group_ends, forced_}));
  std::vector<std::int32_t> result_groups = merged().groups;
  if (result_groups.empty()) {
    result_groups.resize(merged().kinds.size());
    std::iota(result_groups.begin(), result_groups.end(), 0);
  }
  BRAID_TRY_ASSIGN(Batch results, Output());
  if (config_.on_changelog != nullptr) BRAID_TRY(EmitChangelog(results, result_groups));
  DropSourcesFrom(own_sources);
  lookup_sources_.clear();
  return WithoutDropped(std::move(results), result_groups);
}

void ChangelogMerger::PrepareFullCompaction(const RowGroups& groups) {
  chosen_ = groups;
  std::int32_t begin = 0;
  for (std::size_t group = 0; group < groups.group_ends.size(); ++group) {
    const std::int32_t end = groups.group_ends[group];
    Before& before = before_[group];
    before.counts = true;
    for (std::int32_t row = begin; row < end; ++row) {
      const auto i = static_cast<std::size_t>(row);
      if (source(groups.row_sources[i]).origin.level != config_.max_level) continue;
      before.row = {groups.row_sources[i], groups.positions[i]};
      before.counts = end - begin > 1;  // the top level's row alone is no change
    }
    begin = end;
  }
}

Result<EncodedKeys> ChangelogMerger::KeysOf(const RowGroups& groups) const {
  std::vector<std::int32_t> row_sources;
  std::vector<std::int32_t> positions;
  for (const std::int32_t end : groups.group_ends) {
    row_sources.push_back(groups.row_sources[static_cast<std::size_t>(end - 1)]);
    positions.push_back(groups.positions[static_cast<std::size_t>(end - 1)]);
  }
  std::vector<std::shared_ptr<arrow::Array>> keys;
  for (std::size_t key = 0; key < schema().key_count(); ++key) {
    std::vector<std::shared_ptr<arrow::Array>> columns;
    for (const MergeSource& from : sources()) columns.push_back(from.batch.rows->column(static_cast<int>(key)));
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> column, Interleave(columns, row_sources, positions));
    keys.push_back(std::move(column));
  }
  return key_encoder_.Encode(keys, static_cast<std::int64_t>(positions.size()));
}

Status ChangelogMerger::Prepare(const RowGroups& groups) {
  EncodedKeys keys;
  if (lookup_ != nullptr) {
    BRAID_TRY_ASSIGN(keys, KeysOf(groups));
  }
  std::int32_t begin = 0;
  for (std::size_t group = 0; group < groups.group_ends.size(); ++group) {
    const std::int32_t end = groups.group_ends[group];
    Before& before = before_[group];
    std::int32_t high = kNone;
    for (std::int32_t row = begin; row < end; ++row) {
      const int level = source(groups.row_sources[static_cast<std::size_t>(row)]).origin.level;
      if (level == 0) before.counts = true;
      const bool lower =
          high == kNone || level < source(groups.row_sources[static_cast<std::size_t>(high)]).origin.level;
      if (level > 0 && lower) high = row;
    }
    RowRef looked_up;
    if (high != kNone) {
      before.row = {groups.row_sources[static_cast<std::size_t>(high)],
                    groups.positions[static_cast<std::size_t>(high)]};
      before.counts = before.counts && config_.rule != ChangelogRule::kFirstRow;
    } else if (lookup_ != nullptr) {
      BRAID_TRY(LookUp(keys, group, before));
      looked_up = before.row;
    }
    if (config_.rule == ChangelogRule::kFirstRow) {
      for (std::int32_t row = begin; row < end; ++row) AddRow(groups, row);
      before.counts = before.counts && !before.is_there;
    } else if (looked_up.source != kNone) {
      AddRowsWith(groups, begin, end, looked_up);
    } else {
      for (std::int32_t row = begin; row < end; ++row) {
        const bool above = source(groups.row_sources[static_cast<std::size_t>(row)]).origin.level > 0;
        if (!above || row == high) AddRow(groups, row);
      }
    }
    chosen_.group_ends.push_back(chosen_.row_count());
    forced_.push_back(1);
    begin = end;
  }
  return Ok();
}

Status ChangelogMerger::LookUp(const EncodedKeys& keys, std::size_t group, Before& before) {
  BRAID_TRY_ASSIGN(const std::optional<LookupHit> hit, lookup_->Find(keys, static_cast<std::int64_t>(group)));
  if (!hit) return Ok();
  before.is_there = true;
  if (config_.on_replaced != nullptr) config_.on_replaced(*hit->batch->origin.file, hit->position());
  if (config_.merges_lookups) before.row = {SourceOf(*hit), hit->row};
  return Ok();
}

std::int32_t ChangelogMerger::SourceOf(const LookupHit& hit) {
  const auto found = lookup_sources_.find(hit.batch);
  if (found != lookup_sources_.end()) return found->second;
  const std::int32_t added = AddSource(hit.batch->batch, hit.batch->origin);
  lookup_sources_.emplace(hit.batch, added);
  return added;
}

void ChangelogMerger::AddRow(const RowGroups& groups, std::int32_t row) {
  chosen_.row_sources.push_back(groups.row_sources[static_cast<std::size_t>(row)]);
  chosen_.positions.push_back(groups.positions[static_cast<std::size_t>(row)]);
}

/// All rows of the group, which are of level 0, with the looked-up one at its place in sequence order.
void ChangelogMerger::AddRowsWith(const RowGroups& groups, std::int32_t begin, std::int32_t end, const RowRef& high) {
  bool added = false;
  for (std::int32_t row = begin; row <= end; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (!added && (row == end || ComesBefore(high, groups.row_sources[i], groups.positions[i]))) {
      chosen_.row_sources.push_back(high.source);
      chosen_.positions.push_back(high.position);
      added = true;
    }
    if (row < end) AddRow(groups, row);
  }
}

bool ChangelogMerger::ComesBefore(const RowRef& a, std::int32_t source_index, std::int32_t position) const {
  const MergeSource& left = source(a.source);
  const MergeSource& right = source(source_index);
  for (const std::size_t value : schema().sequence_fields) {
    const arrow::Array& left_column = *left.batch.rows->column(schema().value_column(value));
    const arrow::Array& right_column = *right.batch.rows->column(schema().value_column(value));
    const bool left_null = left_column.IsNull(a.position);
    const bool right_null = right_column.IsNull(position);
    if (left_null != right_null) return left_null;  // NULL first, in either order
    if (left_null) continue;
    const Result<ValueOrder> order = ValueOrderOf(schema().value_fields[value].type);
    BRAID_CHECK(order.has_value());  // the schema was made with an order for these fields
    const int compared = (*order)(left_column, a.position, right_column, position);
    if (compared != 0) return (compared < 0) != schema().sequence_descending;
  }
  return left.sequence_numbers[a.position] < right.sequence_numbers[position];
}

Status ChangelogMerger::EmitChangelog(const Batch& results, const std::vector<std::int32_t>& result_groups) {
  const auto result_source = static_cast<std::int32_t>(sources().size());
  ChangelogRows rows;
  for (std::size_t result = 0; result < result_groups.size(); ++result) {
    const Before& before = before_[static_cast<std::size_t>(result_groups[result])];
    if (!before.counts) continue;
    const auto position = static_cast<std::int32_t>(result);
    const RowKind kind = results.kind(position);
    if (config_.rule == ChangelogRule::kFirstRow) {
      rows.Add(result_source, position, kind);
      continue;
    }
    const RowRef& old = before.row;
    const bool was_there = old.source != kNone && (config_.rule == ChangelogRule::kFullCompaction ||
                                                   IsAdd(source(old.source).kind(old.position)));
    if (!was_there) {
      if (IsAdd(kind)) rows.Add(result_source, position, RowKind::kInsert);
    } else if (!IsAdd(kind)) {
      rows.Add(old.source, old.position, RowKind::kDelete);
    } else if (!config_.deduplicates || !SameValues(old, results, position)) {
      rows.Add(old.source, old.position, RowKind::kUpdateBefore);
      rows.Add(result_source, position, RowKind::kUpdateAfter);
    }
  }
  if (rows.kinds.empty()) return Ok();

  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (int column = 0; column < results.rows->num_columns(); ++column) {
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const MergeSource& from : sources()) arrays.push_back(from.batch.rows->column(column));
    arrays.push_back(results.rows->column(column));
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> gathered, Interleave(arrays, rows.sources, rows.positions));
    columns.push_back(std::move(gathered));
  }
  const auto count = static_cast<std::int64_t>(rows.kinds.size());
  const Batch batch{arrow::RecordBatch::Make(results.rows->schema(), count, std::move(columns)),
                    std::make_shared<arrow::Int8Array>(count, arrow::Buffer::FromVector(std::move(rows.kinds)))};
  return config_.on_changelog(batch);
}

bool ChangelogMerger::SameValues(const RowRef& before, const Batch& results, std::int64_t result) const {
  const arrow::RecordBatch& old = *source(before.source).batch.rows;
  return std::all_of(config_.compared_values.begin(), config_.compared_values.end(), [&](std::size_t value) {
    const int column = schema().value_column(value);
    return old.column(column)->RangeEquals(before.position, before.position + 1, result, results.rows->column(column));
  });
}

Result<Batch> ChangelogMerger::WithoutDropped(Batch results, const std::vector<std::int32_t>& result_groups) const {
  std::vector<std::int32_t> kept;
  for (std::size_t result = 0; result < result_groups.size(); ++result) {
    const auto row = static_cast<std::int32_t>(result);
    const bool replaced =
        config_.rule == ChangelogRule::kFirstRow && before_[static_cast<std::size_t>(result_groups[result])].is_there;
    const bool retracted = config_.drop_retractions && !IsAdd(results.kind(row));
    if (!replaced && !retracted) kept.push_back(row);
  }
  if (static_cast<std::int64_t>(kept.size()) == results.row_count()) return results;
  return TakeRows(results, kept);
}

}  // namespace braid
