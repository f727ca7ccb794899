// Aggregate functions rbm32 and rbm64: unions of Roaring bitmaps kept as bytes.

#include <fmt/format.h>

#include "format/roaring_union.h"
#include "mergetree/datum_aggregate_internal.h"

namespace braid {
namespace {

class UnionOf32Bits : public DatumFunction {
 public:
  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null()) return value;
    BRAID_TRY_ASSIGN(std::string both, UnionRoaringBitmaps(value.as_string(), input.as_string()));
    return Datum(std::move(both));
  }
};

}  // namespace

Result<FieldAggregatePtr> MakeBitmapAggregate(std::string_view function, const DataField& field,
                                              const Options& /*options*/) {
  if (function != "rbm32" && function != "rbm64") return FieldAggregatePtr();
  if (field.type.kind() != TypeKind::kVarBinary) return TypeNotTaken(function, field, "VARBINARY");
  if (function == "rbm32") return MakeDatumAggregate(function, field, std::make_shared<const UnionOf32Bits>());
  return Error(
             ErrorCode::kUnsupported,
             fmt::format("aggregate function {} of column '{}' is not supported by this version", function, field.name))
      .Hint("leave the column out of the query, or merge the table with Flink or Spark");
}

}  // namespace braid
