// Aggregate functions nested_update and nested_partial_update: a table within a column.

#include <algorithm>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "base/option_lists.h"
#include "mergetree/datum_aggregate_internal.h"

namespace braid {
namespace {

/// Rows by key in the order in which their keys first came.
class KeyedRows {
 public:
  explicit KeyedRows(std::span<const std::size_t> key) : key_(key) {}

  void Put(const Datum& row) {
    const auto [found, is_new] = positions_.try_emplace(KeyOf(row), rows_.size());
    if (is_new)
      rows_.push_back(row);
    else
      rows_[found->second] = row;
  }
  /// Fields that are not NULL replace those of the row with that key.
  void Update(const Datum& row) {
    const auto [found, is_new] = positions_.try_emplace(KeyOf(row), rows_.size());
    if (is_new) {
      rows_.push_back(row);
      return;
    }
    DatumList fields = rows_[found->second].as_list();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!row.as_list()[i].is_null()) fields[i] = row.as_list()[i];
    }
    rows_[found->second] = Datum(std::move(fields));
  }
  void Remove(const Datum& row) {
    const auto found = positions_.find(KeyOf(row));
    if (found == positions_.end()) return;
    rows_[found->second] = Datum();
    positions_.erase(found);
  }
  Datum Finish() && {
    std::erase_if(rows_, [](const Datum& row) { return row.is_null(); });
    return Datum(std::move(rows_));
  }

 private:
  Datum KeyOf(const Datum& row) const {
    DatumList key;
    for (const std::size_t field : key_) key.push_back(row.as_list()[field]);
    return Datum(std::move(key));
  }

  std::span<const std::size_t> key_;
  DatumList rows_;
  std::unordered_map<Datum, std::size_t, DatumHash, DatumEqual> positions_;
};

/// Rows of all arrays, a later one replacing an earlier one of the same key if there is a key.
class NestedUpdate : public DatumFunction {
 public:
  NestedUpdate(std::vector<std::size_t> key, std::size_t count_limit)
      : key_(std::move(key)), count_limit_(count_limit) {}

  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null() || value.as_list().size() >= count_limit_) return value;
    const std::size_t room = count_limit_ - value.as_list().size();
    DatumList rows = Present(value.as_list(), count_limit_);
    DatumList more = Present(input.as_list(), room);
    std::move(more.begin(), more.end(), std::back_inserter(rows));
    if (key_.empty()) return Datum(std::move(rows));
    KeyedRows keyed(key_);
    for (const Datum& row : rows) keyed.Put(row);
    return std::move(keyed).Finish();
  }

  /// Takes out the rows with the keys of those to go, or without a key all that are equal to one.
  Result<std::optional<Datum>> Retract(Datum value, Datum input) const override {
    if (value.is_null() || input.is_null()) return std::optional(std::move(value));
    DatumList rows = Present(value.as_list(), std::numeric_limits<std::size_t>::max());
    const DatumList gone = Present(input.as_list(), std::numeric_limits<std::size_t>::max());
    if (key_.empty()) {
      std::erase_if(rows, [&](const Datum& row) {
        return std::any_of(gone.begin(), gone.end(), [&](const Datum& other) { return SameValue(row, other); });
      });
      return std::optional(Datum(std::move(rows)));
    }
    KeyedRows keyed(key_);
    for (const Datum& row : rows) keyed.Put(row);
    for (const Datum& row : gone) keyed.Remove(row);
    return std::optional(std::move(keyed).Finish());
  }

 private:
  static DatumList Present(const DatumList& array, std::size_t limit) {
    DatumList rows;
    for (const Datum& row : array) {
      if (rows.size() >= limit) break;
      if (!row.is_null()) rows.push_back(row);
    }
    return rows;
  }

  std::vector<std::size_t> key_;
  std::size_t count_limit_;
};

/// Rows of all arrays; of those with one key, each field's last value that is not NULL.
class NestedPartialUpdate : public DatumFunction {
 public:
  explicit NestedPartialUpdate(std::vector<std::size_t> key) : key_(std::move(key)) {}

  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null()) return value;
    KeyedRows keyed(key_);
    for (const Datum* array : {&value, &input}) {
      for (const Datum& row : array->as_list()) {
        if (!row.is_null()) keyed.Update(row);
      }
    }
    return std::move(keyed).Finish();
  }

 private:
  std::vector<std::size_t> key_;
};

/// Positions of the fields that `fields.<column>.nested-key` names.
Result<std::vector<std::size_t>> NestedKey(const DataField& field, const Options& options) {
  std::vector<std::size_t> key;
  const std::string option = FieldOption(field.name, "nested-key");
  const std::optional<std::string> names = options.Find(option);
  if (!names) return key;
  for (const std::string& name : ParseList(*names)) {
    const std::optional<std::size_t> found = FindField(field.type.element().fields(), name);
    if (!found) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("option {} names '{}', which is no field of column '{}'", option, name, field.name));
    }
    key.push_back(*found);
  }
  return key;
}

}  // namespace

Result<FieldAggregatePtr> MakeNestedAggregate(std::string_view function, const DataField& field,
                                              const Options& options) {
  const bool partial = function == "nested_partial_update";
  if (!partial && function != "nested_update") return FieldAggregatePtr();
  if (field.type.kind() != TypeKind::kArray || field.type.element().kind() != TypeKind::kRow) {
    return TypeNotTaken(function, field, "ARRAY of ROWs");
  }
  BRAID_TRY_ASSIGN(std::vector<std::size_t> key, NestedKey(field, options));
  if (partial) {
    if (key.empty()) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("aggregate function {} of column '{}' needs option {}", function, field.name,
                               FieldOption(field.name, "nested-key")));
    }
    return MakeDatumAggregate(function, field, std::make_shared<const NestedPartialUpdate>(std::move(key)));
  }
  for (const char* later : {"nested-sequence-field", "nested-key-null-strategy"}) {
    if (!options.Has(FieldOption(field.name, later))) continue;
    return Error(ErrorCode::kUnsupported,
                 fmt::format("option {} is not supported by this version", FieldOption(field.name, later)))
        .Hint("merge the table with Flink or Spark");
  }
  BRAID_TRY_ASSIGN(const std::int64_t limit,
                   options.GetInt(FieldOption(field.name, "count-limit"), std::numeric_limits<std::int32_t>::max()));
  const auto count_limit = static_cast<std::size_t>(std::max<std::int64_t>(limit, 0));
  return MakeDatumAggregate(function, field, std::make_shared<const NestedUpdate>(std::move(key), count_limit));
}

}  // namespace braid
