// Casts of whole columns. What files of an older schema need often (numbers, timestamps, text) runs over Arrow's
// buffers; the rest converts value by value.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <arrow/api.h>
#include <arrow/util/bitmap_ops.h>
#include <fmt/format.h>

#include "types/arrow_status_internal.h"
#include "types/batch.h"
#include "types/cast.h"
#include "types/cast_internal.h"
#include "types/date_time.h"

namespace braid {

namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

/// The validity bitmap of an array without its offset; null if no value is NULL.
Result<std::shared_ptr<arrow::Buffer>> CopyValidity(const arrow::Array& column) {
  if (column.null_bitmap_data() == nullptr || column.null_count() == 0) return std::shared_ptr<arrow::Buffer>();
  if (column.offset() == 0) return column.null_bitmap();
  return CheckArrow(arrow::internal::CopyBitmap(arrow::default_memory_pool(), column.null_bitmap_data(), column.offset(),
                                               column.length()));
}

/// An array of fixed-width values, each made from the value at the same place of `column`; `convert` also sees what lies
/// under NULLs.
template <typename In, typename Out, typename Convert>
Result<ArrayPtr> MapValues(const arrow::Array& column, const DataType& to, Convert convert) {
  const auto length = column.length();
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> validity, CopyValidity(column));
  BRAID_TRY_ASSIGN(std::unique_ptr<arrow::Buffer> values,
                   CheckArrow(arrow::AllocateBuffer(length * static_cast<std::int64_t>(sizeof(Out)))));
  const In* in = column.data()->GetValues<In>(1);
  Out* out = values->mutable_data_as<Out>();
  for (std::int64_t i = 0; i < length; ++i) out[i] = convert(in[i]);
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(to), length, {std::move(validity), std::move(values)}));
}

template <typename In, typename Out>
Out ConvertPrimitive(In value, [[maybe_unused]] TypeKind kind) {
  if constexpr (std::is_floating_point_v<In> && std::is_integral_v<Out>) {
    return static_cast<Out>(NarrowFloating(static_cast<double>(value), kind));
  } else {
    return static_cast<Out>(value);
  }
}

template <typename In>
Result<ArrayPtr> CastPrimitivesFrom(const arrow::Array& column, const DataType& to) {
  const auto map = [&]<typename Out>(Out) {
    const TypeKind kind = to.kind();
    return MapValues<In, Out>(column, to, [kind](In value) { return ConvertPrimitive<In, Out>(value, kind); });
  };
  switch (to.kind()) {
    case TypeKind::kTinyInt: return map(std::int8_t{});
    case TypeKind::kSmallInt: return map(std::int16_t{});
    case TypeKind::kInt: return map(std::int32_t{});
    case TypeKind::kBigInt: return map(std::int64_t{});
    case TypeKind::kFloat: return map(float{});
    default: return map(double{});
  }
}

Result<ArrayPtr> CastPrimitives(const arrow::Array& column, const DataType& from, const DataType& to) {
  switch (from.kind()) {
    case TypeKind::kTinyInt: return CastPrimitivesFrom<std::int8_t>(column, to);
    case TypeKind::kSmallInt: return CastPrimitivesFrom<std::int16_t>(column, to);
    case TypeKind::kInt: return CastPrimitivesFrom<std::int32_t>(column, to);
    case TypeKind::kBigInt: return CastPrimitivesFrom<std::int64_t>(column, to);
    case TypeKind::kFloat: return CastPrimitivesFrom<float>(column, to);
    default: return CastPrimitivesFrom<double>(column, to);
  }
}

/// Whether values of the type are 64-bit counts of a unit, not two numbers.
bool IsSingleCount(const DataType& type) { return type.precision() <= 6; }

Timestamp FromCount(std::int64_t count, int precision) {
  if (precision <= 3) return {.millis = count};
  return {FloorDivide(count, 1000), static_cast<std::int32_t>(FloorModulo(count, 1000) * 1000)};
}

std::int64_t ToCount(const Timestamp& timestamp, int precision) {
  if (precision <= 3) return timestamp.millis;
  // Wraps around like Java's arithmetic, for values beyond the year 294,000.
  const std::uint64_t micros = static_cast<std::uint64_t>(timestamp.millis) * 1000U +
                               static_cast<std::uint64_t>(timestamp.nanos_of_milli / 1000);
  return static_cast<std::int64_t>(micros);
}

Result<ArrayPtr> CastTimestamps(const arrow::Array& column, const DataType& from, const DataType& to) {
  const int old_precision = from.precision();
  const int precision = to.precision();
  return MapValues<std::int64_t, std::int64_t>(column, to, [old_precision, precision](std::int64_t count) {
    const Timestamp timestamp = FromCount(count, old_precision);
    return ToCount(precision < old_precision ? TruncateTimestamp(timestamp, precision) : timestamp, precision);
  });
}

Result<ArrayPtr> CastTimestampsToDates(const arrow::Array& column, const DataType& from, const DataType& to) {
  const int precision = from.precision();
  const TypeKind kind = from.kind();
  return MapValues<std::int64_t, std::int32_t>(column, to, [precision, kind](std::int64_t count) {
    return static_cast<std::int32_t>(TimestampToDays(FromCount(count, precision), kind));
  });
}

Result<ArrayPtr> CastDatesToTimestamps(const arrow::Array& column, const DataType& to) {
  const int precision = to.precision();
  return MapValues<std::int32_t, std::int64_t>(
      column, to, [precision](std::int32_t days) { return ToCount({days * kMillisPerDay}, precision); });
}

/// The column itself if every text of it fits, else a new one.
Result<ArrayPtr> FitTexts(const ArrayPtr& column, const DataType& to) {
  const auto& texts = static_cast<const arrow::StringArray&>(*column);
  std::int64_t row = 0;
  while (row < texts.length() && (texts.IsNull(row) || TextFits(texts.GetView(row), to))) ++row;
  if (row == texts.length()) return column;
  arrow::StringBuilder builder;
  for (row = 0; row < texts.length(); ++row) {
    BRAID_TRY(CheckArrow(texts.IsNull(row) ? builder.AppendNull() : builder.Append(FitText(texts.GetView(row), to))));
  }
  return CheckArrow(builder.Finish());
}

/// Without the nanoseconds that Java keeps in some timestamps of low precision but a column has no room for.
Datum FitTimestamp(const Datum& value, const DataType& type) {
  if (value.is_null() || !IsSingleCount(type)) return value;
  return FromCount(ToCount(value.as_timestamp(), type.precision()), type.precision());
}

Result<ArrayPtr> CastValueByValue(const arrow::Array& column, const DataType& from, const DataType& to) {
  std::vector<Datum> values;
  values.reserve(static_cast<std::size_t>(column.length()));
  for (std::int64_t row = 0; row < column.length(); ++row) {
    BRAID_TRY_ASSIGN(Datum value, CastDatum(DatumAt(column, row, from), from, to));
    values.push_back(to.is_timestamp() ? FitTimestamp(value, to) : std::move(value));
  }
  return MakeColumn(values, to);
}

Result<ArrayPtr> CastRows(const arrow::StructArray& column, const DataType& from, const DataType& to) {
  std::vector<ArrayPtr> children;
  for (const DataField& field : to.fields()) {
    const std::optional<std::size_t> at = FindField(from.fields(), field.id);
    if (!at) {
      BRAID_TRY_ASSIGN(ArrayPtr absent, CheckArrow(arrow::MakeArrayOfNull(ToArrowType(field.type), column.length())));
      children.push_back(std::move(absent));
      continue;
    }
    // Flattened, so that nothing that lies under a NULL row is converted.
    BRAID_TRY_ASSIGN(const ArrayPtr old, CheckArrow(column.GetFlattenedField(static_cast<int>(*at))));
    BRAID_TRY_ASSIGN(ArrayPtr child, CastColumn(old, from.fields()[*at].type, field.type));
    children.push_back(std::move(child));
  }
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> validity, CopyValidity(column));
  return std::make_shared<arrow::StructArray>(ToArrowType(to), column.length(), std::move(children), std::move(validity));
}

Result<ArrayPtr> CastNested(const ArrayPtr& column, const DataType& from, const DataType& to) {
  if (from.kind() == TypeKind::kRow) return CastRows(static_cast<const arrow::StructArray&>(*column), from, to);
  const arrow::ArrayData& data = *column->data();
  if (from.kind() == TypeKind::kMap) {
    const auto& map = static_cast<const arrow::MapArray&>(*column);
    BRAID_TRY_ASSIGN(ArrayPtr items, CastColumn(map.items(), from.element(), to.element()));
    return std::make_shared<arrow::MapArray>(ToArrowType(to), data.length, data.buffers[1], map.keys(), std::move(items),
                                             data.buffers[0], data.null_count, data.offset);
  }
  const auto& list = static_cast<const arrow::ListArray&>(*column);
  BRAID_TRY_ASSIGN(ArrayPtr elements, CastColumn(list.values(), from.element(), to.element()));
  return std::make_shared<arrow::ListArray>(ToArrowType(to), data.length, data.buffers[1], std::move(elements),
                                            data.buffers[0], data.null_count, data.offset);
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> CastColumn(const std::shared_ptr<arrow::Array>& column, const DataType& from,
                                                 const DataType& to) {
  const CastRule rule = FindCastRule(from, to);
  switch (rule) {
    case CastRule::kNone:
      return Error(ErrorCode::kUnsupported, fmt::format("{} cannot be converted to {}", from.ToString(), to.ToString()));
    case CastRule::kSame: return column;
    case CastRule::kPrimitive: return CastPrimitives(*column, from, to);
    case CastRule::kTextToText: return FitTexts(column, to);
    case CastRule::kNested: return CastNested(column, from, to);
    case CastRule::kTimestampToTimestamp:
      if (IsSingleCount(from) && IsSingleCount(to)) return CastTimestamps(*column, from, to);
      break;
    case CastRule::kTimestampToDate:
      if (IsSingleCount(from)) return CastTimestampsToDates(*column, from, to);
      break;
    case CastRule::kDateToTimestamp:
      if (IsSingleCount(to)) return CastDatesToTimestamps(*column, to);
      break;
    default: break;
  }
  return CastValueByValue(*column, from, to);
}

}  // namespace braid
