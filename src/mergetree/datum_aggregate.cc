#include <functional>

#include <fmt/format.h>

#include "mergetree/datum_aggregate_internal.h"

namespace braid {
namespace {

/// One value a group.
class DatumFold {
 public:
  DatumFold(const MergeChunk& chunk, int column, const DataType& type, const DatumFunction& function)
      : chunk_(chunk), type_(type), function_(function) {
    for (const MergeSource& source : chunk.sources) arrays_.push_back(source.batch.rows->column(column).get());
  }

  void Start() { value_ = Datum(); }
  void Replace(std::int32_t row) { value_ = At(row); }
  void ReplaceIfPresent(std::int32_t row) {
    Datum input = At(row);
    if (!input.is_null()) value_ = std::move(input);
  }
  void Clear() { value_ = Datum(); }
  void Aggregate(std::int32_t row) { Take(function_.Aggregate(std::move(value_), At(row))); }
  void AggregateReversed(std::int32_t row) { Take(function_.AggregateReversed(std::move(value_), At(row))); }
  void Retract(std::int32_t row) {
    Result<std::optional<Datum>> left = function_.Retract(std::move(value_), At(row));
    if (!left) {
      Take(left.error());
    } else if (*left) {
      value_ = **std::move(left);
    } else {
      took_back_ = true;
    }
  }
  void Finish() { results_.push_back(std::move(value_)); }

  const Status& status() const { return status_; }
  bool took_back() const { return took_back_; }
  const std::vector<Datum>& results() const { return results_; }

 private:
  Datum At(std::int32_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return DatumAt(*arrays_[static_cast<std::size_t>(chunk_.row_sources[i])], chunk_.positions[i], type_);
  }
  void Take(Result<Datum> value) {
    if (value) {
      value_ = *std::move(value);
    } else {
      value_ = Datum();
      if (status_) status_ = value.error();
    }
  }

  const MergeChunk& chunk_;
  const DataType& type_;
  const DatumFunction& function_;
  std::vector<const arrow::Array*> arrays_;
  Datum value_;
  bool took_back_ = false;
  Status status_ = Ok();
  std::vector<Datum> results_;
};

class DatumAggregate : public FieldAggregate {
 public:
  DatumAggregate(std::string_view function, const DataField& field, std::shared_ptr<const DatumFunction> values)
      : function_(function), column_(field.name), type_(field.type), values_(std::move(values)) {}

  Result<std::shared_ptr<arrow::Array>> Fold(const MergeChunk& chunk, int column,
                                             std::span<const FoldStep> steps) const override {
    DatumFold fold(chunk, column, type_, *values_);
    FoldGroups(chunk, steps, fold);
    if (fold.took_back()) return RetractionNotTaken(function_, column_);
    if (!fold.status()) return fold.status().error().Context(fmt::format("while merging column '{}'", column_));
    return MakeColumn(fold.results(), type_);
  }

 private:
  std::string function_;
  std::string column_;
  DataType type_;
  std::shared_ptr<const DatumFunction> values_;
};

}  // namespace

Result<std::optional<Datum>> DatumFunction::Retract(Datum /*value*/, Datum /*input*/) const {
  return std::optional<Datum>();
}

FieldAggregatePtr MakeDatumAggregate(std::string_view function, const DataField& field,
                                     std::shared_ptr<const DatumFunction> values) {
  return std::make_shared<const DatumAggregate>(function, field, std::move(values));
}

bool SameValue(const Datum& a, const Datum& b) {
  if (a.index() != b.index()) return false;
  if (a.is_null()) return true;
  const auto* list = std::get_if<DatumList>(&a);
  if (list == nullptr) return CompareDatums(a, b) == std::strong_ordering::equal;
  const DatumList& other = b.as_list();
  return list->size() == other.size() && std::equal(list->begin(), list->end(), other.begin(), SameValue);
}

std::size_t DatumHash::operator()(const Datum& value) const {
  struct Visitor {
    std::size_t operator()(std::monostate) const { return 0; }
    std::size_t operator()(bool truth) const { return truth ? 1 : 2; }
    std::size_t operator()(std::int64_t number) const { return std::hash<std::int64_t>()(number); }
    std::size_t operator()(float number) const { return number == number ? std::hash<float>()(number) : 3; }
    std::size_t operator()(double number) const { return number == number ? std::hash<double>()(number) : 3; }
    std::size_t operator()(const std::string& text) const { return std::hash<std::string>()(text); }
    std::size_t operator()(const Decimal& decimal) const {
      return std::hash<std::int64_t>()(static_cast<std::int64_t>(decimal.unscaled));
    }
    std::size_t operator()(const Timestamp& time) const {
      return std::hash<std::int64_t>()(time.millis) * 31 + static_cast<std::size_t>(time.nanos_of_milli);
    }
    std::size_t operator()(const DatumList& list) const {
      std::size_t hash = list.size();
      for (const Datum& element : list) hash = hash * 31 + DatumHash()(element);
      return hash;
    }
  };
  return std::visit(Visitor{}, static_cast<const Datum::Base&>(value));
}

}  // namespace braid
