#include "format/shredded_variant.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <fmt/format.h>

#include "types/batch.h"
#include "types/variant_builder.h"

namespace braid {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using AppendCell = void (*)(const arrow::Array& column, std::int64_t row, VariantBuilder& out);

template <typename ArrayType>
void AppendIntegerCell(const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
  out.AppendInteger(static_cast<const ArrayType&>(column).Value(row));
}

template <bool is_local>
void AppendTimestampCell(const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
  const std::int64_t value = static_cast<const arrow::TimestampArray&>(column).Value(row);
  const bool is_millis = static_cast<const arrow::TimestampType&>(*column.type()).unit() == arrow::TimeUnit::MILLI;
  // Milliseconds that microseconds cannot count wrap around, as Java's do.
  out.AppendTimestamp(is_millis ? static_cast<std::int64_t>(static_cast<std::uint64_t>(value) * 1000) : value,
                      is_local);
}

void AppendDecimalCell(const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
  const auto& type = static_cast<const arrow::DecimalType&>(*column.type());
  out.AppendDecimal(DatumAt(column, row, DataType::Decimal(type.precision(), type.scale())).as_decimal().unscaled,
                    type.scale());
}

/// How values of a column become values of a VARIANT; null if Paimon shreds no such values.
AppendCell AppenderOf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return [](const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
        out.AppendBoolean(static_cast<const arrow::BooleanArray&>(column).Value(row));
      };
    case arrow::Type::INT8: return AppendIntegerCell<arrow::Int8Array>;
    case arrow::Type::INT16: return AppendIntegerCell<arrow::Int16Array>;
    case arrow::Type::INT32: return AppendIntegerCell<arrow::Int32Array>;
    case arrow::Type::INT64: return AppendIntegerCell<arrow::Int64Array>;
    case arrow::Type::FLOAT:
      return [](const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
        out.AppendFloat(static_cast<const arrow::FloatArray&>(column).Value(row));
      };
    case arrow::Type::DOUBLE:
      return [](const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
        out.AppendDouble(static_cast<const arrow::DoubleArray&>(column).Value(row));
      };
    case arrow::Type::DECIMAL128: return AppendDecimalCell;
    case arrow::Type::STRING:
      return [](const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
        out.AppendText(static_cast<const arrow::StringArray&>(column).GetView(row));
      };
    case arrow::Type::BINARY:
      return [](const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
        out.AppendBinary(static_cast<const arrow::BinaryArray&>(column).GetView(row));
      };
    case arrow::Type::DATE32:
      return [](const arrow::Array& column, std::int64_t row, VariantBuilder& out) {
        out.AppendDate(static_cast<const arrow::Date32Array&>(column).Value(row));
      };
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      if (timestamp.unit() != arrow::TimeUnit::MILLI && timestamp.unit() != arrow::TimeUnit::MICRO) return nullptr;
      return timestamp.timezone().empty() ? AppendTimestampCell<false> : AppendTimestampCell<true>;
    }
    default: return nullptr;
  }
}

/// The value that a level of the column has in one row lies in `typed_value`, or else in `value`, or is missing.
class ShreddedLevel {
 public:
  static Result<ShreddedLevel> Make(std::string path, const ArrayPtr& group) {
    ShreddedLevel level(std::move(path));
    if (group->type_id() != arrow::Type::STRUCT) return level.Unknown(*group->type());
    const auto& columns = static_cast<const arrow::StructArray&>(*group);
    level.group_ = group;
    level.value_ = columns.GetFieldByName("value");
    level.typed_ = columns.GetFieldByName("typed_value");
    if (level.value_ != nullptr && level.value_->type_id() != arrow::Type::BINARY)
      return level.Unknown(*level.value_->type());
    BRAID_TRY(level.OpenTyped());
    return level;
  }

  bool IsMissing(std::int64_t row) const { return !IsIn(typed_, row) && !IsIn(value_, row); }

  Status Append(std::int64_t row, std::string_view metadata, VariantBuilder& out) const {
    if (IsIn(typed_, row)) {
      if (append_cell_ != nullptr) {
        append_cell_(*typed_, row, out);
        return Ok();
      }
      return typed_->type_id() == arrow::Type::LIST ? AppendArray(row, metadata, out)
                                                    : AppendObject(row, metadata, out);
    }
    if (!IsIn(value_, row)) return MalformedVariant(fmt::format("{} has no value", path_));
    BRAID_TRY_ASSIGN(VariantReader rest, VariantReader::Open(ValueAt(row), metadata));
    return out.AppendVariant(rest, 0, 0);
  }

 private:
  explicit ShreddedLevel(std::string path) : path_(std::move(path)) {}

  static bool IsIn(const ArrayPtr& column, std::int64_t row) { return column != nullptr && column->IsValid(row); }

  std::string_view ValueAt(std::int64_t row) const {
    return static_cast<const arrow::BinaryArray&>(*value_).GetView(row);
  }

  Error Unknown(const arrow::DataType& type) const {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("{} of a shredded VARIANT is {}, which cannot be read", path_, type.ToString()))
        .Hint("rewrite the table with another parquet.variant.shreddingSchema, or none");
  }

  Status OpenTyped() {
    if (typed_ == nullptr) return Ok();
    if (typed_->type_id() == arrow::Type::STRUCT) {
      const auto& object = static_cast<const arrow::StructArray&>(*typed_);
      for (int i = 0; i < object.num_fields(); ++i) {
        const std::string& name = object.type()->field(i)->name();
        BRAID_TRY_ASSIGN(ShreddedLevel child, Make(fmt::format("{}.{}", path_, name), object.field(i)));
        names_.push_back(name);
        children_.push_back(std::move(child));
      }
      return Ok();
    }
    if (typed_->type_id() == arrow::Type::LIST) {
      BRAID_TRY_ASSIGN(ShreddedLevel element,
                       Make(path_ + "[]", static_cast<const arrow::ListArray&>(*typed_).values()));
      children_.push_back(std::move(element));
      return Ok();
    }
    append_cell_ = AppenderOf(*typed_->type());
    return append_cell_ != nullptr ? Ok() : Status(Unknown(*typed_->type()));
  }

  Status AppendArray(std::int64_t row, std::string_view metadata, VariantBuilder& out) const {
    const auto& list = static_cast<const arrow::ListArray&>(*typed_);
    const std::size_t begin = out.position();
    std::vector<std::uint64_t> offsets;
    for (std::int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
      offsets.push_back(out.position() - begin);
      BRAID_TRY(children_[0].Append(i, metadata, out));
    }
    out.FinishArray(begin, offsets);
    return Ok();
  }

  Status AppendObject(std::int64_t row, std::string_view metadata, VariantBuilder& out) const {
    const std::size_t begin = out.position();
    std::vector<VariantBuilder::Member> members;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const ShreddedLevel& child = children_[i];
      if (!IsIn(child.group_, row)) return MalformedVariant(fmt::format("{} is NULL", child.path_));
      if (child.IsMissing(row)) continue;
      members.push_back({.name_id = out.NameId(names_[i]), .offset = out.position() - begin});
      BRAID_TRY(child.Append(row, metadata, out));
    }
    if (IsIn(value_, row)) BRAID_TRY(AppendRest(row, metadata, begin, members, out));
    return out.FinishObject(begin, std::move(members));
  }

  /// The members that have no columns of their own.
  Status AppendRest(std::int64_t row, std::string_view metadata, std::size_t begin,
                    std::vector<VariantBuilder::Member>& members, VariantBuilder& out) const {
    BRAID_TRY_ASSIGN(VariantReader rest, VariantReader::Open(ValueAt(row), metadata));
    BRAID_TRY_ASSIGN(const VariantValue object, rest.At(0, 0));
    if (object.layout != VariantLayout::kObject)
      return MalformedVariant(fmt::format("the rest of {} is no object", path_));
    for (std::uint64_t i = 0; i < object.count; ++i) {
      BRAID_TRY_ASSIGN(const std::string_view name, rest.NameOf(object, i));
      if (std::ranges::find(names_, name) != names_.end()) {
        return MalformedVariant(
            fmt::format("the rest of {} has a member '{}', which has columns of its own", path_, name));
      }
      BRAID_TRY_ASSIGN(const std::size_t position, rest.PositionOf(object, i));
      members.push_back({.name_id = out.NameId(name), .offset = out.position() - begin});
      BRAID_TRY(out.AppendVariant(rest, position, 1));
    }
    return Ok();
  }

  std::string path_;  // in errors
  ArrayPtr group_;
  ArrayPtr value_;  // null if the level has no such column
  ArrayPtr typed_;
  AppendCell append_cell_ = nullptr;     // of scalars
  std::vector<std::string> names_;       // of an object's members
  std::vector<ShreddedLevel> children_;  // one a member; the elements of an array
};

Error NoMemory() {
  return Error(ErrorCode::kUnavailable, "out of memory for a column");
}

}  // namespace

Result<ArrayPtr> RebuildVariants(std::string_view name, const arrow::StructArray& column, const DataType& type) {
  BRAID_TRY_ASSIGN(const ShreddedLevel top, ShreddedLevel::Make(std::string(name), arrow::MakeArray(column.data())));
  const ArrayPtr metadata_column = column.GetFieldByName("metadata");
  if (metadata_column == nullptr || metadata_column->type_id() != arrow::Type::BINARY) {
    return Error(ErrorCode::kCorruption, fmt::format("column {}.metadata is missing", name));
  }
  const auto& metadata = static_cast<const arrow::BinaryArray&>(*metadata_column);
  arrow::BinaryBuilder values;
  arrow::BinaryBuilder names;
  arrow::TypedBufferBuilder<bool> validity;
  VariantBuilder variant;
  for (std::int64_t row = 0; row < column.length(); ++row) {
    variant.Clear();
    const bool is_null = column.IsNull(row);
    if (!is_null) {
      BRAID_TRY(top.Append(row, metadata.GetView(row), variant)
                    .Context(fmt::format("in column {}, row {} of the batch", name, row)));
    }
    const bool ok = values.Append(is_null ? std::string_view() : std::string_view(variant.value())).ok() &&
                    names.Append(is_null ? std::string() : variant.Metadata()).ok() && validity.Append(!is_null).ok();
    if (!ok) return NoMemory();
  }
  const std::int64_t null_count = validity.false_count();
  ArrayPtr value_array;
  ArrayPtr name_array;
  std::shared_ptr<arrow::Buffer> bits;
  if (!values.Finish(&value_array).ok() || !names.Finish(&name_array).ok() || !validity.Finish(&bits).ok())
    return NoMemory();
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), column.length(), {std::move(bits)},
                                                 {value_array->data(), name_array->data()}, null_count));
}

}  // namespace braid
