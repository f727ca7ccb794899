#include <array>

#include <fmt/format.h>

#include "mergetree/field_aggregate_internal.h"

namespace braid {
namespace {

using Maker = Result<FieldAggregatePtr> (*)(std::string_view, const DataField&, const Options&);

constexpr std::array<Maker, 6> kMakers = {MakeSelectingAggregate,  MakeArithmeticAggregate, MakeTextAggregate,
                                          MakeCollectionAggregate, MakeNestedAggregate,     MakeUnionAggregate};

/// A function for which rows that take values back do nothing (`fields.<column>.ignore-retract`).
class IgnoringRetractions : public FieldAggregate {
 public:
  explicit IgnoringRetractions(FieldAggregatePtr inner) : inner_(std::move(inner)) {}

  Result<std::shared_ptr<arrow::Array>> Fold(const MergeChunk& chunk, int column,
                                             std::span<const FoldStep> steps) const override {
    std::vector<FoldStep> kept(steps.begin(), steps.end());
    for (FoldStep& step : kept) {
      if (step == FoldStep::kRetract) step = FoldStep::kSkip;
      if (step == FoldStep::kReplaceThenRetract) step = FoldStep::kReplace;
    }
    return inner_->Fold(chunk, column, kept);
  }

 private:
  FieldAggregatePtr inner_;
};

}  // namespace

std::string FieldOption(std::string_view column, std::string_view what) {
  return fmt::format("fields.{}.{}", column, what);
}

std::string ConfiguredAggregate(const Options& options, std::string_view column) {
  return options.Get(FieldOption(column, "aggregate-function"), options.Get("fields.default-aggregate-function", ""));
}

Error TypeNotTaken(std::string_view function, const DataField& field, std::string_view wanted) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("aggregate function {} takes {}, but column '{}' is {}",
                                                        function, wanted, field.name, field.type.ToString()))
      .Hint(
          fmt::format("set the table's option {} to another function", FieldOption(field.name, "aggregate-function")));
}

Error RetractionNotTaken(std::string_view function, std::string_view column) {
  return Error(ErrorCode::kInvalidArgument,
               fmt::format(
                   "a row of kind -U or -D came, but aggregate function {} of column '{}' cannot take values back",
                   function, column))
      .Hint(fmt::format("set the table's option {} to true to leave the column alone then",
                        FieldOption(column, "ignore-retract")));
}

Result<FieldAggregatePtr> MakeFieldAggregate(std::string_view function, const DataField& field,
                                             const Options& options) {
  BRAID_TRY_ASSIGN(const bool ignore_retract, options.GetBool(FieldOption(field.name, "ignore-retract"), false));
  BRAID_TRY_ASSIGN(const bool removes, options.GetBool("aggregation.remove-record-on-delete", false));
  if (ignore_retract && removes) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("options aggregation.remove-record-on-delete and {} exclude each other",
                             FieldOption(field.name, "ignore-retract")))
        .Hint("remove one of the two options from the table");
  }
  for (const Maker make : kMakers) {
    BRAID_TRY_ASSIGN(FieldAggregatePtr aggregate, make(function, field, options));
    if (aggregate == nullptr) continue;
    if (ignore_retract) aggregate = std::make_shared<const IgnoringRetractions>(std::move(aggregate));
    return aggregate;
  }
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("there is no aggregate function '{}', which column '{}' is to have", function, field.name))
      .Hint(fmt::format("correct the table's option {}", FieldOption(field.name, "aggregate-function")));
}

}  // namespace braid
