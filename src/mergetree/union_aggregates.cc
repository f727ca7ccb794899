// Aggregate functions that unite sets kept as bytes: rbm32 and rbm64, Roaring bitmaps; theta_sketch and hll_sketch,
// sketches of Apache DataSketches.

#include <algorithm>
#include <array>

#include "format/roaring_union.h"
#include "mergetree/datum_aggregate_internal.h"
#include "mergetree/sketch_unions_internal.h"

namespace braid {
namespace {

/// The union of what was accumulated with an input.
using Union = Result<std::string> (*)(std::string_view, std::string_view);

struct NamedUnion {
  std::string_view function;
  Union unite;
};

constexpr std::array<NamedUnion, 4> kUnions = {{{"rbm32", UnionRoaringBitmaps},
                                                {"rbm64", UnionRoaring64Bitmaps},
                                                {"theta_sketch", UnionThetaSketches},
                                                {"hll_sketch", UnionHllSketches}}};

class UnionOfBytes : public DatumFunction {
 public:
  explicit UnionOfBytes(Union unite) : unite_(unite) {}

  Result<Datum> Aggregate(Datum value, Datum input) const override {
    if (value.is_null()) return input;
    if (input.is_null()) return value;
    BRAID_TRY_ASSIGN(std::string both, unite_(value.as_string(), input.as_string()));
    return Datum(std::move(both));
  }

 private:
  Union unite_;
};

}  // namespace

Result<FieldAggregatePtr> MakeUnionAggregate(std::string_view function, const DataField& field,
                                             const Options& /*options*/) {
  const auto named = std::find_if(kUnions.begin(), kUnions.end(),
                                  [function](const NamedUnion& one) { return one.function == function; });
  if (named == kUnions.end()) return FieldAggregatePtr();
  if (field.type.kind() != TypeKind::kVarBinary) return TypeNotTaken(function, field, "VARBINARY");
  return MakeDatumAggregate(function, field, std::make_shared<const UnionOfBytes>(named->unite));
}

}  // namespace braid
