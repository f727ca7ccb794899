#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mergetree/field_aggregate_internal.h"
#include "types/datum.h"

namespace braid {

/// An aggregate function on single values, for types that are not worth treating in columns: texts, nested values,
/// bitmaps. Immutable; any thread.
class DatumFunction {
 public:
  virtual ~DatumFunction() = default;
  /// `value` with `input` put in; either may be NULL. Errors: kCorruption for an input that is not what it should be.
  virtual Result<Datum> Aggregate(Datum value, Datum input) const = 0;
  /// The same where the input is the older one.
  virtual Result<Datum> AggregateReversed(Datum value, Datum input) const {
    return Aggregate(std::move(input), std::move(value));
  }
  /// `value` with `input` taken out; nullopt: this function cannot.
  virtual Result<std::optional<Datum>> Retract(Datum value, Datum input) const;
};

FieldAggregatePtr MakeDatumAggregate(std::string_view function, const DataField& field,
                                     std::shared_ptr<const DatumFunction> values);

/// Equality of values of one type, nested ones too; NULLs are equal to each other.
bool SameValue(const Datum& a, const Datum& b);
/// A hash that equal values share.
struct DatumHash {
  std::size_t operator()(const Datum& value) const;
};
struct DatumEqual {
  bool operator()(const Datum& a, const Datum& b) const { return SameValue(a, b); }
};

}  // namespace braid
