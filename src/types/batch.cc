#include "types/batch.h"

#include <utility>

#include <arrow/api.h>

namespace braid {

std::int64_t Batch::row_count() const { return rows == nullptr ? 0 : rows->num_rows(); }

RowKind Batch::kind(std::int64_t row) const {
  return kinds == nullptr ? RowKind::kInsert : static_cast<RowKind>(kinds->Value(row));
}

namespace {

std::shared_ptr<arrow::DataType> TimestampType(int precision, const std::string& zone) {
  if (precision <= 3) return arrow::timestamp(arrow::TimeUnit::MILLI, zone);
  if (precision <= 6) return arrow::timestamp(arrow::TimeUnit::MICRO, zone);
  return arrow::struct_({arrow::field("millis", arrow::int64(), false), arrow::field("nanos", arrow::int32(), false)});
}

std::shared_ptr<arrow::Field> ToArrowField(const std::string& name, const DataType& type) {
  return arrow::field(name, ToArrowType(type), type.nullable());
}

std::vector<std::shared_ptr<arrow::Field>> ToArrowFields(std::span<const DataField> fields) {
  std::vector<std::shared_ptr<arrow::Field>> out;
  out.reserve(fields.size());
  for (const DataField& field : fields) out.push_back(ToArrowField(field.name, field.type));
  return out;
}

}  // namespace

std::shared_ptr<arrow::DataType> ToArrowType(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return arrow::boolean();
    case TypeKind::kTinyInt: return arrow::int8();
    case TypeKind::kSmallInt: return arrow::int16();
    case TypeKind::kInt: return arrow::int32();
    case TypeKind::kBigInt: return arrow::int64();
    case TypeKind::kFloat: return arrow::float32();
    case TypeKind::kDouble: return arrow::float64();
    case TypeKind::kDecimal: return arrow::decimal128(type.precision(), type.scale());
    case TypeKind::kChar:
    case TypeKind::kVarChar: return arrow::utf8();
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return arrow::binary();
    case TypeKind::kDate: return arrow::date32();
    case TypeKind::kTime: return arrow::time32(arrow::TimeUnit::MILLI);
    case TypeKind::kTimestamp: return TimestampType(type.precision(), "");
    case TypeKind::kTimestampLtz: return TimestampType(type.precision(), "UTC");
    case TypeKind::kVariant:
      return arrow::struct_({arrow::field("value", arrow::binary()), arrow::field("metadata", arrow::binary())});
    case TypeKind::kArray:
    case TypeKind::kVector: return arrow::list(ToArrowField("element", type.element()));
    case TypeKind::kMap: return arrow::map(ToArrowType(type.key()), ToArrowField("value", type.element()));
    case TypeKind::kMultiset:
      return arrow::map(ToArrowType(type.element()), arrow::field("value", arrow::int32(), false));
    case TypeKind::kRow: return arrow::struct_(ToArrowFields(type.fields()));
  }
  return nullptr;
}

std::shared_ptr<arrow::Schema> ToArrowSchema(std::span<const DataField> fields) {
  return arrow::schema(ToArrowFields(fields));
}

namespace {

class ListedBatches : public BatchReader {
 public:
  explicit ListedBatches(std::vector<Batch> batches) : batches_(std::move(batches)) {}

  Result<std::optional<Batch>> Next() override {
    if (next_ == batches_.size()) return std::optional<Batch>();
    // Moved out, so that a batch is freed as soon as its reader is done with it.
    return std::optional<Batch>(std::move(batches_[next_++]));
  }

 private:
  std::vector<Batch> batches_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<BatchReader> MakeBatchReader(std::vector<Batch> batches) {
  return std::make_unique<ListedBatches>(std::move(batches));
}

Result<std::vector<Batch>> ReadAllBatches(BatchReader& reader) {
  std::vector<Batch> batches;
  while (true) {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, reader.Next());
    if (!batch) return batches;
    batches.push_back(*std::move(batch));
  }
}

}  // namespace braid
