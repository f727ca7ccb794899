// Aggregate functions whose result is one of the values that came: first, last, least, greatest and the like.

#include <algorithm>
#include <type_traits>
#include <utility>

#include "mergetree/field_aggregate_internal.h"
#include "mergetree/value_order_internal.h"

namespace braid {
namespace {

constexpr std::int32_t kNone = -1;

/// Tells which of two rows holds the greater value.
class RowOrder {
 public:
  RowOrder(const MergeChunk& chunk, int column, ValueOrder order) : chunk_(chunk), order_(order) {
    for (const MergeSource& source : chunk.sources) arrays_.push_back(source.batch.rows->column(column).get());
  }
  int Compare(std::int32_t a, std::int32_t b) const {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    return order_(*arrays_[static_cast<std::size_t>(chunk_.row_sources[i])], chunk_.positions[i],
                  *arrays_[static_cast<std::size_t>(chunk_.row_sources[j])], chunk_.positions[j]);
  }

 private:
  const MergeChunk& chunk_;
  std::vector<const arrow::Array*> arrays_;
  ValueOrder order_;
};

/// The row whose value a group has so far, or kNone; a row whose value is NULL is as good as none.
class Selection {
 public:
  Selection(const MergeChunk& chunk, int column) : nulls_(chunk, column) { chosen_.reserve(chunk.group_ends.size()); }

  void Start() { current_ = kNone; }
  void Replace(std::int32_t row) { current_ = row; }
  void ReplaceIfPresent(std::int32_t row) {
    if (!nulls_.IsNull(row)) current_ = row;
  }
  void Clear() { current_ = kNone; }
  void Finish() { chosen_.push_back(current_); }

  const std::vector<std::int32_t>& chosen() const { return chosen_; }
  bool took_back() const { return took_back_; }

 protected:
  bool IsNull(std::int32_t row) const { return row == kNone || nulls_.IsNull(row); }

  ChunkNulls nulls_;
  std::int32_t current_ = kNone;
  bool took_back_ = false;  // a row was to be retracted by a function that cannot

 private:
  std::vector<std::int32_t> chosen_;
};

class LastValue : public Selection {
 public:
  LastValue(const MergeChunk& chunk, int column, ValueOrder /*order*/) : Selection(chunk, column) {}
  void Aggregate(std::int32_t row) { current_ = row; }
  void AggregateReversed(std::int32_t /*row*/) {}
  void Retract(std::int32_t /*row*/) { current_ = kNone; }
};

class PrimaryKeyValue : public LastValue {
 public:
  using LastValue::LastValue;
  void Retract(std::int32_t row) { current_ = row; }
};

class LastNonNullValue : public Selection {
 public:
  LastNonNullValue(const MergeChunk& chunk, int column, ValueOrder /*order*/) : Selection(chunk, column) {}
  void Aggregate(std::int32_t row) { ReplaceIfPresent(row); }
  void AggregateReversed(std::int32_t row) {
    if (IsNull(current_)) current_ = row;
  }
  void Retract(std::int32_t row) {
    if (!IsNull(row)) current_ = kNone;
  }
};

class FirstValue : public Selection {
 public:
  FirstValue(const MergeChunk& chunk, int column, ValueOrder /*order*/) : Selection(chunk, column) {}
  void Start() {
    Selection::Start();
    initialized_ = false;
  }
  void Aggregate(std::int32_t row) {
    if (!std::exchange(initialized_, true)) current_ = row;
  }
  void AggregateReversed(std::int32_t row) {
    if (std::exchange(initialized_, true)) current_ = row;
  }
  void Retract(std::int32_t /*row*/) { took_back_ = true; }

 private:
  bool initialized_ = false;
};

class FirstNonNullValue : public Selection {
 public:
  FirstNonNullValue(const MergeChunk& chunk, int column, ValueOrder /*order*/) : Selection(chunk, column) {}
  void Start() {
    Selection::Start();
    initialized_ = false;
  }
  void Aggregate(std::int32_t row) {
    if (initialized_ || IsNull(row)) return;
    initialized_ = true;
    current_ = row;
  }
  void AggregateReversed(std::int32_t row) {
    if (!initialized_ && !IsNull(current_)) {
      initialized_ = true;
    } else {
      current_ = row;
    }
  }
  void Retract(std::int32_t /*row*/) { took_back_ = true; }

 private:
  bool initialized_ = false;
};

/// Greatest or least value; NULLs do not count.
template <bool kGreatest>
class ExtremeValue : public Selection {
 public:
  ExtremeValue(const MergeChunk& chunk, int column, ValueOrder order)
      : Selection(chunk, column), order_(chunk, column, order) {}
  void Aggregate(std::int32_t row) {
    if (IsNull(row)) return;
    if (IsNull(current_)) {
      current_ = row;
      return;
    }
    const bool less = order_.Compare(current_, row) < 0;
    if (less == kGreatest) current_ = row;
  }
  void AggregateReversed(std::int32_t row) { Aggregate(row); }
  void Retract(std::int32_t /*row*/) { took_back_ = true; }

 private:
  RowOrder order_;
};

/// The same with numbers compared where they lie.
template <bool kGreatest, typename T>
class ExtremeNumber : public Selection {
 public:
  ExtremeNumber(const MergeChunk& chunk, int column, ValueOrder /*order*/)
      : Selection(chunk, column), values_(chunk, column) {}
  void Aggregate(std::int32_t row) {
    if (IsNull(row)) return;
    if (IsNull(current_) || (values_.At(current_) < values_.At(row)) == kGreatest) current_ = row;
  }
  void AggregateReversed(std::int32_t row) { Aggregate(row); }
  void Retract(std::int32_t /*row*/) { took_back_ = true; }

 private:
  ChunkValues<T> values_;
};

/// The chosen rows' values; nullptr if each is its group's last row.
Result<std::shared_ptr<arrow::Array>> ValuesOf(const MergeChunk& chunk, int column,
                                               const std::vector<std::int32_t>& chosen) {
  bool all_last = true;
  for (std::size_t group = 0; group < chosen.size(); ++group) {
    all_last = all_last && chosen[group] == chunk.group_ends[group] - 1;
  }
  if (all_last) return std::shared_ptr<arrow::Array>();
  std::vector<std::shared_ptr<arrow::Array>> arrays;
  for (const MergeSource& source : chunk.sources) arrays.push_back(source.batch.rows->column(column));
  std::vector<std::int32_t> sources(chosen.size());
  std::vector<std::int32_t> positions(chosen.size());
  std::int32_t null_source = kNone;
  for (std::size_t group = 0; group < chosen.size(); ++group) {
    if (chosen[group] != kNone) {
      const auto row = static_cast<std::size_t>(chosen[group]);
      sources[group] = chunk.row_sources[row];
      positions[group] = chunk.positions[row];
      continue;
    }
    if (null_source == kNone) {
      arrow::Result<std::shared_ptr<arrow::Array>> null = arrow::MakeArrayOfNull(arrays[0]->type(), 1);
      if (!null.ok()) return Error(ErrorCode::kInternal, null.status().ToString());
      null_source = static_cast<std::int32_t>(arrays.size());
      arrays.push_back(*std::move(null));
    }
    sources[group] = null_source;
    positions[group] = 0;
  }
  return Interleave(arrays, sources, positions);
}

/// Each group's last row without NULL, found from behind; the last one if all are NULL.
std::vector<std::int32_t> LastPresentRows(const MergeChunk& chunk, const ChunkNulls& nulls) {
  std::vector<std::int32_t> chosen;
  chosen.reserve(chunk.group_ends.size());
  std::int32_t begin = 0;
  for (const std::int32_t end : chunk.group_ends) {
    std::int32_t row = end - 1;
    while (row >= begin && nulls.IsNull(row)) --row;
    chosen.push_back(row >= begin ? row : end - 1);
    begin = end;
  }
  return chosen;
}

template <typename Rule>
class Selecting : public FieldAggregate {
 public:
  Selecting(std::string_view function, std::string column, ValueOrder order)
      : function_(function), column_(std::move(column)), order_(order) {}

  Result<std::shared_ptr<arrow::Array>> Fold(const MergeChunk& chunk, int column,
                                             std::span<const FoldStep> steps) const override {
    if (steps.empty()) {
      if constexpr (std::is_base_of_v<LastValue, Rule>) return std::shared_ptr<arrow::Array>();
      if constexpr (std::is_same_v<LastNonNullValue, Rule>) {
        const ChunkNulls nulls(chunk, column);
        if (!nulls.has_nulls()) return std::shared_ptr<arrow::Array>();
        return ValuesOf(chunk, column, LastPresentRows(chunk, nulls));
      }
    }
    Rule rule(chunk, column, order_);
    FoldGroups(chunk, steps, rule);
    if (rule.took_back()) return RetractionNotTaken(function_, column_);
    return ValuesOf(chunk, column, rule.chosen());
  }

 private:
  std::string function_;
  std::string column_;
  ValueOrder order_;
};

template <typename Rule>
FieldAggregatePtr MakeSelecting(std::string_view function, const DataField& field, ValueOrder order = {}) {
  return std::make_shared<const Selecting<Rule>>(function, field.name, order);
}

template <bool kGreatest>
Result<FieldAggregatePtr> MakeExtreme(std::string_view function, const DataField& field) {
  switch (field.type.kind()) {
    case TypeKind::kTinyInt: return MakeSelecting<ExtremeNumber<kGreatest, std::int8_t>>(function, field);
    case TypeKind::kSmallInt: return MakeSelecting<ExtremeNumber<kGreatest, std::int16_t>>(function, field);
    case TypeKind::kInt:
    case TypeKind::kDate: return MakeSelecting<ExtremeNumber<kGreatest, std::int32_t>>(function, field);
    case TypeKind::kBigInt: return MakeSelecting<ExtremeNumber<kGreatest, std::int64_t>>(function, field);
    default: break;
  }
  const Result<ValueOrder> order = ValueOrderOf(field.type);
  if (!order) return TypeNotTaken(function, field, "a type with an order");
  return MakeSelecting<ExtremeValue<kGreatest>>(function, field, *order);
}

}  // namespace

Result<FieldAggregatePtr> MakeSelectingAggregate(std::string_view function, const DataField& field,
                                                 const Options& /*options*/) {
  if (function == kLastValue) return MakeSelecting<LastValue>(function, field);
  if (function == kLastNonNullValue) return MakeSelecting<LastNonNullValue>(function, field);
  if (function == kPrimaryKeyValue) return MakeSelecting<PrimaryKeyValue>(function, field);
  if (function == "first_value") return MakeSelecting<FirstValue>(function, field);
  if (function == "first_non_null_value" || function == "first_not_null_value") {
    return MakeSelecting<FirstNonNullValue>(function, field);
  }
  if (function == "max") return MakeExtreme<true>(function, field);
  if (function == "min") return MakeExtreme<false>(function, field);
  // Of truth values, "and" is the least and "or" the greatest.
  const bool is_and = function == "bool_and";
  if (!is_and && function != "bool_or") return FieldAggregatePtr();
  if (field.type.kind() != TypeKind::kBoolean) return TypeNotTaken(function, field, "BOOLEAN");
  return is_and ? MakeExtreme<false>(function, field) : MakeExtreme<true>(function, field);
}

}  // namespace braid
