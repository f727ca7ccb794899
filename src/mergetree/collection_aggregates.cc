// Aggregate functions collect, merge_map and merge_map_with_keytime.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "mergetree/datum_aggregate_internal.h"

namespace braid {
namespace {

/// Elements of all arrays; with `distinct` each once, in the order in which they first came.
class Collect : public DatumFunction {
 public:
  Collect(bool distinct, bool reverses) : distinct_(distinct), reverses_(reverses) {}

  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null() && (input.is_null() || !distinct_)) return input;
    if (input.is_null() && !distinct_) return value;
    DatumList elements;
    std::unordered_set<Datum, DatumHash, DatumEqual> known;
    for (const Datum* array : {&value, &input}) {
      if (array->is_null()) continue;
      for (const Datum& element : array->as_list()) {
        if (!distinct_ || known.insert(element).second) elements.push_back(element);
      }
    }
    return Datum(std::move(elements));
  }

  Result<Datum> AggregateReversed(Datum value, Datum input) const override {
    return reverses_ ? Aggregate(std::move(input), std::move(value)) : Aggregate(std::move(value), std::move(input));
  }

  /// Takes out one equal element for each that is to go.
  Result<std::optional<Datum>> Retract(Datum value, Datum input) const override {
    if (value.is_null() || input.is_null() || input.as_list().empty()) return std::optional(std::move(value));
    std::unordered_map<Datum, std::int64_t, DatumHash, DatumEqual> to_go;
    for (const Datum& element : input.as_list()) ++to_go[element];
    DatumList left;
    for (const Datum& element : value.as_list()) {
      const auto found = to_go.find(element);
      if (found != to_go.end() && found->second > 0) {
        --found->second;
      } else {
        left.push_back(element);
      }
    }
    return std::optional(Datum(std::move(left)));
  }

 private:
  bool distinct_;
  bool reverses_;  // whether an older array goes before the present one
};

/// Entries of a map in the order in which their keys first came.
class MapEntries {
 public:
  explicit MapEntries(const DatumList& map) {
    for (const Datum& entry : map) Put(entry.as_list()[0], entry.as_list()[1]);
  }

  void Put(const Datum& key, const Datum& value) {
    const auto [found, is_new] = positions_.try_emplace(key, entries_.size());
    if (is_new) {
      entries_.push_back({key, value});
    } else {
      entries_[found->second] = {key, value};
    }
  }
  void Remove(const Datum& key) {
    const auto found = positions_.find(key);
    if (found == positions_.end()) return;
    entries_[found->second].clear();
    positions_.erase(found);
  }
  const Datum* Find(const Datum& key) const {
    const auto found = positions_.find(key);
    return found == positions_.end() ? nullptr : &entries_[found->second][1];
  }
  Datum Finish() && {
    DatumList map;
    for (DatumList& entry : entries_) {
      if (!entry.empty()) map.emplace_back(std::move(entry));
    }
    return Datum(std::move(map));
  }

 private:
  std::vector<DatumList> entries_;  // key and value; empty: removed
  std::unordered_map<Datum, std::size_t, DatumHash, DatumEqual> positions_;
};

/// Entries of all maps, a later one replacing an earlier one of the same key.
class MergeMap : public DatumFunction {
 public:
  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null()) return value;
    MapEntries entries(value.as_list());
    for (const Datum& entry : input.as_list()) entries.Put(entry.as_list()[0], entry.as_list()[1]);
    return std::move(entries).Finish();
  }

  Result<std::optional<Datum>> Retract(Datum value, Datum input) const override {
    if (value.is_null() || input.is_null() || input.as_list().empty()) return std::optional(std::move(value));
    MapEntries entries(value.as_list());
    for (const Datum& entry : input.as_list()) entries.Remove(entry.as_list()[0]);
    return std::optional(std::move(entries).Finish());
  }
};

/// The same, where an entry only replaces one whose time is less, compared as text; NULL removes its key.
class MergeMapWithKeyTime : public DatumFunction {
 public:
  explicit MergeMapWithKeyTime(std::size_t time_field) : time_field_(time_field) {}

  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null()) return value;
    MapEntries entries(value.as_list());
    for (const Datum& entry : input.as_list()) {
      const Datum& key = entry.as_list()[0];
      const Datum& row = entry.as_list()[1];
      if (row.is_null()) {
        entries.Remove(key);
      } else if (!TimeOf(row).is_null() && IsNewer(row, entries.Find(key))) {
        entries.Put(key, row);
      }
    }
    return std::move(entries).Finish();
  }

 private:
  const Datum& TimeOf(const Datum& row) const { return row.as_list()[time_field_]; }
  bool IsNewer(const Datum& row, const Datum* present) const {
    if (present == nullptr || present->is_null() || TimeOf(*present).is_null()) return true;
    return TimeOf(row).as_string() > TimeOf(*present).as_string();
  }

  std::size_t time_field_;
};

Result<FieldAggregatePtr> MakeMergeMapWithKeyTime(std::string_view function, const DataField& field,
                                                  const Options& options) {
  const bool takes = field.type.kind() == TypeKind::kMap && field.type.element().kind() == TypeKind::kRow &&
                     field.type.element().fields().size() >= 2;
  if (!takes) return TypeNotTaken(function, field, "MAP with ROWs of two fields or more");
  const std::span<const DataField> fields = field.type.element().fields();
  std::size_t time_field = fields.size() - 1;
  if (const auto name = options.Find(FieldOption(field.name, "ts-field"))) {
    const std::optional<std::size_t> found = FindField(fields, *name);
    if (!found) {
      return Error(ErrorCode::kInvalidArgument, fmt::format("option {} names '{}', which is no field of column '{}'",
                                                            FieldOption(field.name, "ts-field"), *name, field.name));
    }
    time_field = *found;
  }
  if (!fields[time_field].type.is_text()) {
    return TypeNotTaken(function, field, fmt::format("ROWs whose time '{}' is text", fields[time_field].name));
  }
  return MakeDatumAggregate(function, field, std::make_shared<const MergeMapWithKeyTime>(time_field));
}

}  // namespace

Result<FieldAggregatePtr> MakeCollectionAggregate(std::string_view function, const DataField& field,
                                                  const Options& options) {
  if (function == "collect") {
    if (field.type.kind() != TypeKind::kArray) return TypeNotTaken(function, field, "ARRAY");
    BRAID_TRY_ASSIGN(const bool distinct, options.GetBool(FieldOption(field.name, "distinct"), false));
    // Java's wrapper for ignore-retract forgets that collect does not reverse.
    BRAID_TRY_ASSIGN(const bool reverses, options.GetBool(FieldOption(field.name, "ignore-retract"), false));
    return MakeDatumAggregate(function, field, std::make_shared<const Collect>(distinct, reverses));
  }
  if (function == "merge_map") {
    if (field.type.kind() != TypeKind::kMap) return TypeNotTaken(function, field, "MAP");
    return MakeDatumAggregate(function, field, std::make_shared<const MergeMap>());
  }
  if (function == "merge_map_with_keytime") return MakeMergeMapWithKeyTime(function, field, options);
  return FieldAggregatePtr();
}

}  // namespace braid
