#include "format/convert_column.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <arrow/array.h>
#include <arrow/array/concatenate.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/type_traits.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include "format/shredded_variant.h"
#include "types/batch.h"

namespace braid {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using BufferPtr = std::shared_ptr<arrow::Buffer>;

Error Mismatch(std::string_view name, const arrow::DataType& found, const DataType& type) {
  return Error(ErrorCode::kCorruption, fmt::format("column {} is stored as {}, which cannot be read as {}", name,
                                                   found.ToString(), type.ToString()));
}

Error OutOfRange(std::string_view name, const DataType& type) {
  return Error(ErrorCode::kCorruption,
               fmt::format("column {} stores a value that {} cannot hold", name, type.ToString()));
}

/// The array's validity, starting at bit 0; null if every value is there.
Result<BufferPtr> CopyValidity(const arrow::Array& array) {
  if (array.null_count() == 0) return BufferPtr();
  if (array.null_bitmap_data() != nullptr && array.offset() == 0) return array.null_bitmap();
  auto buffer = arrow::AllocateBitmap(array.length());
  if (!buffer.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
  BufferPtr bitmap = std::move(buffer).ValueUnsafe();
  for (std::int64_t i = 0; i < array.length(); ++i) {
    arrow::bit_util::SetBitTo(bitmap->mutable_data(), i, array.IsValid(i));
  }
  return bitmap;
}

template <typename T>
Result<BufferPtr> AllocateValues(std::int64_t count) {
  auto buffer = arrow::AllocateBuffer(count * static_cast<std::int64_t>(sizeof(T)));
  if (!buffer.ok()) return Error(ErrorCode::kUnavailable, "out of memory for a column");
  return BufferPtr(std::move(buffer).ValueUnsafe());
}

/// The same values under another Arrow type of the same layout.
ArrayPtr Relabel(const arrow::Array& array, std::shared_ptr<arrow::DataType> type) {
  std::shared_ptr<arrow::ArrayData> data = array.data()->Copy();
  data->type = std::move(type);
  return arrow::MakeArray(data);
}

/// A fixed-width column of type To computed value by value; `convert` returns nullopt for what does not fit.
template <typename To, typename Convert>
Result<ArrayPtr> MapValues(std::string_view name, const arrow::Array& source, const DataType& type, Convert convert) {
  BRAID_TRY_ASSIGN(BufferPtr values, AllocateValues<To>(source.length()));
  auto* out = values->mutable_data_as<To>();
  const bool has_nulls = source.null_count() > 0;
  for (std::int64_t i = 0; i < source.length(); ++i) {
    if (has_nulls && source.IsNull(i)) {
      out[i] = To{};
      continue;
    }
    const std::optional<To> value = convert(i);
    if (!value) return OutOfRange(name, type);
    out[i] = *value;
  }
  BRAID_TRY_ASSIGN(BufferPtr validity, CopyValidity(source));
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), source.length(),
                                                 {std::move(validity), std::move(values)}, source.null_count()));
}

template <typename To, typename FromArray>
Result<ArrayPtr> NarrowIntegers(std::string_view name, const arrow::Array& source, const DataType& type) {
  const auto* values = static_cast<const FromArray&>(source).raw_values();
  return MapValues<To>(name, source, type, [values](std::int64_t i) -> std::optional<To> {
    if (!std::in_range<To>(values[i])) return std::nullopt;
    return static_cast<To>(values[i]);
  });
}

template <typename To>
Result<ArrayPtr> ConvertInteger(std::string_view name, const arrow::Array& source, const DataType& type) {
  switch (source.type_id()) {
    case arrow::Type::INT8: return NarrowIntegers<To, arrow::Int8Array>(name, source, type);
    case arrow::Type::INT16: return NarrowIntegers<To, arrow::Int16Array>(name, source, type);
    case arrow::Type::INT32: return NarrowIntegers<To, arrow::Int32Array>(name, source, type);
    case arrow::Type::INT64: return NarrowIntegers<To, arrow::Int64Array>(name, source, type);
    case arrow::Type::UINT8: return NarrowIntegers<To, arrow::UInt8Array>(name, source, type);
    case arrow::Type::UINT16: return NarrowIntegers<To, arrow::UInt16Array>(name, source, type);
    case arrow::Type::UINT32: return NarrowIntegers<To, arrow::UInt32Array>(name, source, type);
    case arrow::Type::UINT64: return NarrowIntegers<To, arrow::UInt64Array>(name, source, type);
    default: return Mismatch(name, *source.type(), type);
  }
}

/// DATE and TIME: an integer of days or of a unit of the day.
Result<ArrayPtr> ConvertDateOrTime(std::string_view name, const arrow::Array& source, const DataType& type) {
  const bool date = type.kind() == TypeKind::kDate;
  if (source.type_id() == arrow::Type::INT32) return Relabel(source, ToArrowType(type));
  std::int64_t divisor = 0;
  if (date && source.type_id() == arrow::Type::DATE64) divisor = 86'400'000;
  if (!date && source.type_id() == arrow::Type::TIME64) {
    divisor = static_cast<const arrow::Time64Type&>(*source.type()).unit() == arrow::TimeUnit::MICRO ? 1000 : 1'000'000;
  }
  if (divisor == 0) return Mismatch(name, *source.type(), type);
  const auto* values = source.data()->GetValues<std::int64_t>(1);
  return MapValues<std::int32_t>(name, source, type, [=](std::int64_t i) -> std::optional<std::int32_t> {
    const std::int64_t value = values[i] / divisor;
    if (!std::in_range<std::int32_t>(value)) return std::nullopt;
    return static_cast<std::int32_t>(value);
  });
}

Result<ArrayPtr> ConvertDecimal(std::string_view name, const arrow::Array& source, const DataType& type) {
  if (source.type_id() != arrow::Type::DECIMAL128) return Mismatch(name, *source.type(), type);
  const auto& decimal = static_cast<const arrow::Decimal128Type&>(*source.type());
  if (decimal.scale() != type.scale()) return Mismatch(name, decimal, type);
  if (decimal.precision() > type.precision()) {
    const auto& values = static_cast<const arrow::Decimal128Array&>(source);
    for (std::int64_t i = 0; i < values.length(); ++i) {
      if (values.IsValid(i) && !arrow::Decimal128(values.Value(i)).FitsInPrecision(type.precision())) {
        return OutOfRange(name, type);
      }
    }
  }
  return Relabel(source, ToArrowType(type));
}

/// Text and byte strings from arrays that do not keep 32-bit offsets and one buffer of bytes.
template <typename FromArray>
Result<ArrayPtr> CopyStrings(const arrow::Array& source, const DataType& type) {
  const auto& strings = static_cast<const FromArray&>(source);
  arrow::BinaryBuilder builder;
  arrow::Status status = builder.Reserve(source.length());
  for (std::int64_t i = 0; status.ok() && i < source.length(); ++i) {
    status = strings.IsNull(i) ? builder.AppendNull() : builder.Append(strings.GetView(i));
  }
  std::shared_ptr<arrow::Array> result;
  if (status.ok()) status = builder.Finish(&result);
  if (!status.ok())
    return Error(ErrorCode::kUnavailable, fmt::format("cannot hold the texts of a batch: {}", status.message()));
  return Relabel(*result, ToArrowType(type));
}

Result<ArrayPtr> ConvertString(std::string_view name, const arrow::Array& source, const DataType& type) {
  switch (source.type_id()) {
    case arrow::Type::STRING:
    case arrow::Type::BINARY: return Relabel(source, ToArrowType(type));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY: return CopyStrings<arrow::LargeBinaryArray>(source, type);
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW: return CopyStrings<arrow::BinaryViewArray>(source, type);
    case arrow::Type::FIXED_SIZE_BINARY: return CopyStrings<arrow::FixedSizeBinaryArray>(source, type);
    default: return Mismatch(name, *source.type(), type);
  }
}

/// Reads a timestamp of any unit, or in milliseconds and nanoseconds of the millisecond.
class InstantReader {
 public:
  explicit InstantReader(const arrow::Array& source) {
    if (source.type_id() == arrow::Type::STRUCT) {
      millis_ = source.data()->child_data[0]->GetValues<std::int64_t>(1) + source.offset();
      nanos_ = source.data()->child_data[1]->GetValues<std::int32_t>(1) + source.offset();
    } else {
      unit_ = static_cast<const arrow::TimestampType&>(*source.type()).unit();
      values_ = source.data()->GetValues<std::int64_t>(1);
    }
  }

  Timestamp Read(std::int64_t row) const {
    if (values_ == nullptr) return {millis_[row], nanos_[row]};
    const std::int64_t value = values_[row];
    switch (unit_) {
      case arrow::TimeUnit::SECOND: return {value * 1000, 0};
      case arrow::TimeUnit::MILLI: return {value, 0};
      case arrow::TimeUnit::MICRO: return Split(value, 1000);
      case arrow::TimeUnit::NANO: break;
    }
    return Split(value, 1'000'000);
  }

 private:
  /// Of a count of units, so many of which make a millisecond.
  static Timestamp Split(std::int64_t value, std::int64_t units) {
    const std::int64_t millis = value / units - (value % units < 0 ? 1 : 0);
    return {millis, static_cast<std::int32_t>((value - millis * units) * (1'000'000 / units))};
  }

  arrow::TimeUnit::type unit_ = arrow::TimeUnit::NANO;
  const std::int64_t* values_ = nullptr;  // null: the next two hold the values
  const std::int64_t* millis_ = nullptr;
  const std::int32_t* nanos_ = nullptr;
};

Result<ArrayPtr> ConvertWideTimestamp(const arrow::Array& source, const InstantReader& reader, const DataType& type) {
  const std::int64_t count = source.length();
  BRAID_TRY_ASSIGN(BufferPtr millis, AllocateValues<std::int64_t>(count));
  BRAID_TRY_ASSIGN(BufferPtr nanos, AllocateValues<std::int32_t>(count));
  auto* millis_out = millis->mutable_data_as<std::int64_t>();
  auto* nanos_out = nanos->mutable_data_as<std::int32_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    const Timestamp value = source.IsValid(i) ? reader.Read(i) : Timestamp{};
    millis_out[i] = value.millis;
    nanos_out[i] = value.nanos_of_milli;
  }
  BRAID_TRY_ASSIGN(BufferPtr validity, CopyValidity(source));
  return arrow::MakeArray(
      arrow::ArrayData::Make(ToArrowType(type), count, {std::move(validity)},
                             {arrow::ArrayData::Make(arrow::int64(), count, {nullptr, std::move(millis)}, 0),
                              arrow::ArrayData::Make(arrow::int32(), count, {nullptr, std::move(nanos)}, 0)},
                             source.null_count()));
}

Result<ArrayPtr> ConvertTimestamp(std::string_view name, const arrow::Array& source, const DataType& type) {
  if (source.type_id() == arrow::Type::INT64 && type.precision() <= 6) return Relabel(source, ToArrowType(type));
  const bool wide = source.type()->Equals(*ToArrowType(DataType::Timestamp(9)));
  if (!wide && source.type_id() != arrow::Type::TIMESTAMP) return Mismatch(name, *source.type(), type);
  const InstantReader reader(source);
  if (type.precision() > 6) return ConvertWideTimestamp(source, reader, type);
  const auto wanted = type.precision() <= 3 ? arrow::TimeUnit::MILLI : arrow::TimeUnit::MICRO;
  // UTC or no zone at all: both hold the same number.
  if (!wide && static_cast<const arrow::TimestampType&>(*source.type()).unit() == wanted) {
    return Relabel(source, ToArrowType(type));
  }
  return MapValues<std::int64_t>(name, source, type, [&reader, wanted](std::int64_t i) -> std::optional<std::int64_t> {
    const Timestamp value = reader.Read(i);
    if (wanted == arrow::TimeUnit::MILLI) return value.millis;
    const Int128 micros = static_cast<Int128>(value.millis) * 1000 + value.nanos_of_milli / 1000;
    if (micros < std::numeric_limits<std::int64_t>::min() || micros > std::numeric_limits<std::int64_t>::max()) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(micros);
  });
}

/// Offsets and values of any list array, with offsets into exactly these values.
struct ListParts {
  BufferPtr offsets;
  std::int64_t offset = 0;
  ArrayPtr values;
};

template <typename FromArray>
Result<ListParts> CopyListParts(std::string_view name, const arrow::Array& source, const DataType& type) {
  const auto& list = static_cast<const FromArray&>(source);
  BRAID_TRY_ASSIGN(BufferPtr offsets, AllocateValues<std::int32_t>(source.length() + 1));
  auto* out = offsets->mutable_data_as<std::int32_t>();
  for (std::int64_t i = 0; i <= source.length(); ++i) {
    const std::int64_t value = list.value_offset(i);
    if (!std::in_range<std::int32_t>(value)) return OutOfRange(name, type);
    out[i] = static_cast<std::int32_t>(value);
  }
  return ListParts{.offsets = std::move(offsets), .values = list.values()};
}

Result<ListParts> PartsOf(std::string_view name, const arrow::Array& source, const DataType& type) {
  switch (source.type_id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return ListParts{.offsets = source.data()->buffers[1],
                       .offset = source.offset(),
                       .values = static_cast<const arrow::ListArray&>(source).values()};
    case arrow::Type::LARGE_LIST: return CopyListParts<arrow::LargeListArray>(name, source, type);
    case arrow::Type::FIXED_SIZE_LIST: return CopyListParts<arrow::FixedSizeListArray>(name, source, type);
    default: return Mismatch(name, *source.type(), type);
  }
}

Result<ArrayPtr> ConvertList(std::string_view name, const arrow::Array& source, const DataType& type) {
  BRAID_TRY_ASSIGN(ListParts parts, PartsOf(name, source, type));
  BRAID_TRY_ASSIGN(ArrayPtr values, ConvertColumn(name, parts.values, type.element()));
  std::vector<BufferPtr> buffers = {source.null_bitmap(), parts.offsets};
  if (parts.offset == 0) {
    BRAID_TRY_ASSIGN(buffers[0], CopyValidity(source));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), source.length(), std::move(buffers),
                                                 {values->data()}, source.null_count(), parts.offset));
}

Result<ArrayPtr> ConvertMap(std::string_view name, const arrow::Array& source, const DataType& type) {
  if (source.type_id() != arrow::Type::MAP && source.type_id() != arrow::Type::LIST)
    return Mismatch(name, *source.type(), type);
  const ArrayPtr pairs_array = static_cast<const arrow::ListArray&>(source).values();
  if (pairs_array->type_id() != arrow::Type::STRUCT || pairs_array->data()->child_data.size() != 2) {
    return Mismatch(name, *source.type(), type);
  }
  const auto& pairs = static_cast<const arrow::StructArray&>(*pairs_array);
  const bool multiset = type.kind() == TypeKind::kMultiset;
  BRAID_TRY_ASSIGN(ArrayPtr keys, ConvertColumn(name, pairs.field(0), multiset ? type.element() : type.key()));
  if (keys->null_count() != 0)
    return Error(ErrorCode::kCorruption, fmt::format("a map in column {} has a NULL key", name));
  BRAID_TRY_ASSIGN(ArrayPtr values,
                   ConvertColumn(name, pairs.field(1), multiset ? DataType::Int().NotNull() : type.element()));
  const std::shared_ptr<arrow::DataType> target = ToArrowType(type);
  const auto entries = arrow::ArrayData::Make(static_cast<const arrow::MapType&>(*target).value_type(), pairs.length(),
                                              {nullptr}, {keys->data(), values->data()}, 0);
  return arrow::MakeArray(arrow::ArrayData::Make(target, source.length(),
                                                 {source.null_bitmap(), source.data()->buffers[1]}, {entries},
                                                 source.null_count(), source.offset()));
}

/// Children of a struct by name, converted; the struct's own offset is taken out.
Result<ArrayPtr> ConvertStruct(std::string_view name, const arrow::Array& source, const DataType& type,
                               const std::vector<DataField>& fields) {
  if (source.type_id() != arrow::Type::STRUCT) return Mismatch(name, *source.type(), type);
  const auto& row = static_cast<const arrow::StructArray&>(source);
  std::vector<std::shared_ptr<arrow::ArrayData>> children;
  for (const DataField& field : fields) {
    const ArrayPtr child = row.GetFieldByName(field.name);
    const std::string path = fmt::format("{}.{}", name, field.name);
    if (child == nullptr) return Error(ErrorCode::kCorruption, fmt::format("column {} is missing", path));
    BRAID_TRY_ASSIGN(const ArrayPtr converted, ConvertColumn(path, child, field.type));
    children.push_back(converted->data());
  }
  BRAID_TRY_ASSIGN(BufferPtr validity, CopyValidity(source));
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), source.length(), {std::move(validity)},
                                                 std::move(children), source.null_count()));
}

Result<ArrayPtr> ConvertVariant(std::string_view name, const arrow::Array& source, const DataType& type) {
  if (source.type_id() != arrow::Type::STRUCT) return Mismatch(name, *source.type(), type);
  if (static_cast<const arrow::StructType&>(*source.type()).GetFieldIndex("typed_value") >= 0) {
    return RebuildVariants(name, static_cast<const arrow::StructArray&>(source), type);
  }
  const std::vector<DataField> fields = {{FieldId(0), "value", DataType::Bytes().NotNull(), {}, {}},
                                         {FieldId(1), "metadata", DataType::Bytes().NotNull(), {}, {}}};
  return ConvertStruct(name, source, type, fields);
}

Result<ArrayPtr> ConvertDictionary(std::string_view name, const arrow::DictionaryArray& source, const DataType& type) {
  BRAID_TRY_ASSIGN(const ArrayPtr values, ConvertColumn(name, source.dictionary(), type));
  std::vector<std::int32_t> positions(static_cast<std::size_t>(source.length()));
  std::vector<std::int32_t> arrays(positions.size(), 0);
  BRAID_TRY_ASSIGN(const ArrayPtr null, MakeConstantColumn(Datum(), type, 1));
  for (std::int64_t i = 0; i < source.length(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (source.IsNull(i)) {
      arrays[at] = 1;
    } else {
      positions[at] = static_cast<std::int32_t>(source.GetValueIndex(i));
      if (positions[at] < 0 || positions[at] >= values->length()) return OutOfRange(name, type);
    }
  }
  const std::vector<ArrayPtr> columns = {values, null};
  return Interleave(columns, arrays, positions);
}

Result<ArrayPtr> ConvertFloat(std::string_view name, const arrow::Array& source, const DataType& type) {
  if (type.kind() != TypeKind::kDouble || source.type_id() != arrow::Type::FLOAT)
    return Mismatch(name, *source.type(), type);
  const auto* values = static_cast<const arrow::FloatArray&>(source).raw_values();
  return MapValues<double>(name, source, type, [values](std::int64_t i) -> std::optional<double> { return values[i]; });
}

}  // namespace

Result<ArrayPtr> ConvertColumn(std::string_view name, const ArrayPtr& column, const DataType& type) {
  if (column->type()->Equals(*ToArrowType(type))) return column;
  if (column->type_id() == arrow::Type::NA) return MakeConstantColumn(Datum(), type, column->length());
  if (column->type_id() == arrow::Type::DICTIONARY) {
    return ConvertDictionary(name, static_cast<const arrow::DictionaryArray&>(*column), type);
  }
  switch (type.kind()) {
    case TypeKind::kTinyInt: return ConvertInteger<std::int8_t>(name, *column, type);
    case TypeKind::kSmallInt: return ConvertInteger<std::int16_t>(name, *column, type);
    case TypeKind::kInt: return ConvertInteger<std::int32_t>(name, *column, type);
    case TypeKind::kBigInt: return ConvertInteger<std::int64_t>(name, *column, type);
    case TypeKind::kFloat:
    case TypeKind::kDouble: return ConvertFloat(name, *column, type);
    case TypeKind::kDecimal: return ConvertDecimal(name, *column, type);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return ConvertString(name, *column, type);
    case TypeKind::kDate:
    case TypeKind::kTime: return ConvertDateOrTime(name, *column, type);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return ConvertTimestamp(name, *column, type);
    case TypeKind::kVariant: return ConvertVariant(name, *column, type);
    case TypeKind::kArray:
    case TypeKind::kVector: return ConvertList(name, *column, type);
    case TypeKind::kMap:
    case TypeKind::kMultiset: return ConvertMap(name, *column, type);
    case TypeKind::kRow: return ConvertStruct(name, *column, type, {type.fields().begin(), type.fields().end()});
    case TypeKind::kBoolean: break;
  }
  return Mismatch(name, *column->type(), type);
}

}  // namespace braid
