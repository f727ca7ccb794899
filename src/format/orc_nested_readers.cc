#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/type.h>

#include "format/orc_column_reader.h"
#include "format/orc_value_buffers.h"
#include "types/batch.h"

namespace braid {
namespace {

using Children = std::vector<std::unique_ptr<OrcColumnReader>>;

class RowColumn : public OrcColumnReader {
 public:
  RowColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe, Children children)
      : OrcColumnReader(plan, stripe), children_(std::move(children)) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    std::vector<std::shared_ptr<arrow::ArrayData>> fields;
    for (const auto& child : children_) {
      BRAID_TRY_ASSIGN(std::shared_ptr<arrow::ArrayData> field, child->Read(rows));
      fields.push_back(std::move(field));
    }
    return arrow::ArrayData::Make(ToArrowType(type()), rows.row_count, {rows.bits}, std::move(fields),
                                  rows.null_count());
  }

 private:
  Children children_;
};

/// ARRAY, MAP and MULTISET: how many elements each has, and the elements of all one after the other.
class ListColumn : public OrcColumnReader {
 public:
  ListColumn(const OrcColumnPlan& plan, const OrcOpenStripe& stripe, Children children)
      : OrcColumnReader(plan, stripe),
        children_(std::move(children)),
        lengths_(stripe.Stream(plan.column, OrcStreamKind::kLength), stripe.HasVersionTwo(plan.column),
                 /*is_signed=*/false) {}

 protected:
  Result<std::shared_ptr<arrow::ArrayData>> ReadValues(const OrcPresence& rows) override {
    BRAID_TRY_ASSIGN(Offsets offsets, ReadOffsets(lengths_, rows));
    const OrcPresence elements{.row_count = offsets.total, .value_count = offsets.total};
    std::shared_ptr<arrow::DataType> arrow_type = ToArrowType(type());
    std::shared_ptr<arrow::ArrayData> values;
    if (type().kind() == TypeKind::kArray) {
      BRAID_TRY_ASSIGN(values, children_[0]->Read(elements));
    } else {
      BRAID_TRY_ASSIGN(values, ReadPairs(elements, static_cast<const arrow::MapType&>(*arrow_type).value_type()));
    }
    return arrow::ArrayData::Make(std::move(arrow_type), rows.row_count, {rows.bits, std::move(offsets.buffer)},
                                  {std::move(values)}, rows.null_count());
  }

 private:
  Result<std::shared_ptr<arrow::ArrayData>> ReadPairs(const OrcPresence& pairs,
                                                      const std::shared_ptr<arrow::DataType>& pair_type) {
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::ArrayData> keys, children_[0]->Read(pairs));
    if (keys->null_count != 0) return Damaged("a NULL key");
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::ArrayData> values, children_[1]->Read(pairs));
    return arrow::ArrayData::Make(pair_type, pairs.row_count, {nullptr}, {std::move(keys), std::move(values)}, 0);
  }

  Children children_;
  OrcIntegerReader lengths_;
};

}  // namespace

Result<std::unique_ptr<OrcColumnReader>> MakeOrcNestedReader(const OrcColumnPlan& plan, const OrcOpenStripe& stripe) {
  Children children;
  for (const OrcColumnPlan& child : plan.children) {
    BRAID_TRY_ASSIGN(std::unique_ptr<OrcColumnReader> reader, MakeOrcColumnReader(child, stripe));
    children.push_back(std::move(reader));
  }
  if (plan.type.kind() == TypeKind::kRow)
    return std::unique_ptr<OrcColumnReader>(std::make_unique<RowColumn>(plan, stripe, std::move(children)));
  return std::unique_ptr<OrcColumnReader>(std::make_unique<ListColumn>(plan, stripe, std::move(children)));
}

}  // namespace braid
