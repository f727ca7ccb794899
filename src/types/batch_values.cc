// Single values out of columns, and columns out of single values.

#include <cstring>
#include <limits>
#include <utility>

#include <arrow/api.h>
#include <fmt/format.h>

#include "types/arrow_status_internal.h"
#include "types/batch.h"

namespace braid {

namespace {

template <typename ArrayType>
std::int64_t IntAt(const arrow::Array& column, std::int64_t row) {
  return static_cast<const ArrayType&>(column).Value(row);
}

Decimal DecimalAt(const arrow::Array& column, std::int64_t row) {
  Decimal decimal;
  std::memcpy(&decimal.unscaled, static_cast<const arrow::Decimal128Array&>(column).GetValue(row), 16);
  return decimal;
}

Timestamp TimestampAt(const arrow::Array& column, std::int64_t row, int precision) {
  if (precision <= 3) return {IntAt<arrow::TimestampArray>(column, row), 0};
  if (precision <= 6) {
    const std::int64_t micros = IntAt<arrow::TimestampArray>(column, row);
    const std::int64_t rest = ((micros % 1000) + 1000) % 1000;
    return {(micros - rest) / 1000, static_cast<std::int32_t>(rest * 1000)};
  }
  const auto& parts = static_cast<const arrow::StructArray&>(column);
  return {IntAt<arrow::Int64Array>(*parts.field(0), row),
          static_cast<std::int32_t>(IntAt<arrow::Int32Array>(*parts.field(1), row))};
}

DatumList ListAt(const arrow::Array& column, std::int64_t row, const DataType& element) {
  const auto& list = static_cast<const arrow::ListArray&>(column);
  DatumList out;
  out.reserve(static_cast<std::size_t>(list.value_length(row)));
  for (std::int64_t i = list.value_offset(row); i < list.value_offset(row + 1); ++i) {
    out.push_back(DatumAt(*list.values(), i, element));
  }
  return out;
}

DatumList MapAt(const arrow::Array& column, std::int64_t row, const DataType& key, const DataType& value) {
  const auto& map = static_cast<const arrow::MapArray&>(column);
  DatumList out;
  out.reserve(static_cast<std::size_t>(map.value_length(row)));
  for (std::int64_t i = map.value_offset(row); i < map.value_offset(row + 1); ++i) {
    out.emplace_back(DatumList{DatumAt(*map.keys(), i, key), DatumAt(*map.items(), i, value)});
  }
  return out;
}

DatumList RowAt(const arrow::Array& column, std::int64_t row, std::span<const DataField> fields) {
  const auto& structs = static_cast<const arrow::StructArray&>(column);
  DatumList out;
  out.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out.push_back(DatumAt(*structs.field(static_cast<int>(i)), row, fields[i].type));
  }
  return out;
}

DatumList VariantAt(const arrow::Array& column, std::int64_t row) {
  const auto& parts = static_cast<const arrow::StructArray&>(column);
  return {DatumAt(*parts.field(0), row, DataType::Bytes()), DatumAt(*parts.field(1), row, DataType::Bytes())};
}

}  // namespace

Datum DatumAt(const arrow::Array& column, std::int64_t row, const DataType& type) {
  if (column.IsNull(row)) return {};
  switch (type.kind()) {
    case TypeKind::kBoolean: return static_cast<const arrow::BooleanArray&>(column).Value(row);
    case TypeKind::kTinyInt: return IntAt<arrow::Int8Array>(column, row);
    case TypeKind::kSmallInt: return IntAt<arrow::Int16Array>(column, row);
    case TypeKind::kInt: return IntAt<arrow::Int32Array>(column, row);
    case TypeKind::kBigInt: return IntAt<arrow::Int64Array>(column, row);
    case TypeKind::kFloat: return static_cast<const arrow::FloatArray&>(column).Value(row);
    case TypeKind::kDouble: return static_cast<const arrow::DoubleArray&>(column).Value(row);
    case TypeKind::kDecimal: return DecimalAt(column, row);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return std::string(static_cast<const arrow::BinaryArray&>(column).GetView(row));
    case TypeKind::kDate: return IntAt<arrow::Date32Array>(column, row);
    case TypeKind::kTime: return IntAt<arrow::Time32Array>(column, row);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return TimestampAt(column, row, type.precision());
    case TypeKind::kVariant: return VariantAt(column, row);
    case TypeKind::kArray:
    case TypeKind::kVector: return ListAt(column, row, type.element());
    case TypeKind::kMap: return MapAt(column, row, type.key(), type.element());
    case TypeKind::kMultiset: return MapAt(column, row, type.element(), DataType::Int());
    case TypeKind::kRow: return RowAt(column, row, type.fields());
  }
  return {};
}

namespace {

using DatumPointers = std::vector<const Datum*>;
using ArrayResult = Result<std::shared_ptr<arrow::Array>>;

ArrayResult BuildColumn(const DatumPointers& values, const DataType& type);

Error Misfit(const DataType& type, std::string_view why = "is of another type") {
  return Error(ErrorCode::kInvalidArgument, fmt::format("a value {} and does not fit {}", why, type.ToString()));
}

/// Builds a column whose elements `append(builder, value)` adds one by one; `Value` is the values' alternative.
template <typename Value, typename Builder, typename Append>
ArrayResult BuildLeaf(const DatumPointers& values, const DataType& type, const Append& append) {
  Builder builder(ToArrowType(type), arrow::default_memory_pool());
  BRAID_TRY(CheckArrow(builder.Reserve(static_cast<std::int64_t>(values.size()))));
  for (const Datum* value : values) {
    if (value->is_null()) {
      builder.UnsafeAppendNull();
      continue;
    }
    const Value* found = std::get_if<Value>(static_cast<const Datum::Base*>(value));
    if (found == nullptr) return Misfit(type);
    BRAID_TRY(append(builder, *found));
  }
  return CheckArrow(builder.Finish());
}

template <typename Builder>
ArrayResult BuildInts(const DatumPointers& values, const DataType& type) {
  using Number = typename Builder::value_type;
  return BuildLeaf<std::int64_t, Builder>(values, type, [&type](Builder& builder, std::int64_t value) -> Status {
    if (!std::in_range<Number>(value)) return Misfit(type, fmt::format("is {}", value));
    builder.UnsafeAppend(static_cast<Number>(value));
    return Ok();
  });
}

template <typename Builder>
ArrayResult BuildFloats(const DatumPointers& values, const DataType& type) {
  using Number = typename Builder::value_type;
  return BuildLeaf<Number, Builder>(values, type, [](Builder& builder, Number value) {
    builder.UnsafeAppend(value);
    return Ok();
  });
}

template <typename Builder>
ArrayResult BuildBytes(const DatumPointers& values, const DataType& type) {
  return BuildLeaf<std::string, Builder>(values, type, [](Builder& builder, const std::string& value) {
    return CheckArrow(builder.Append(value));
  });
}

ArrayResult BuildBooleans(const DatumPointers& values, const DataType& type) {
  return BuildLeaf<bool, arrow::BooleanBuilder>(values, type, [](arrow::BooleanBuilder& builder, bool value) {
    builder.UnsafeAppend(value);
    return Ok();
  });
}

ArrayResult BuildDecimals(const DatumPointers& values, const DataType& type) {
  Int128 limit = 1;
  for (int i = 0; i < type.precision(); ++i) limit *= 10;
  const auto append = [limit, &type](arrow::Decimal128Builder& builder, Decimal value) -> Status {
    if (value.unscaled >= limit || value.unscaled <= -limit) return Misfit(type, "has too many digits");
    builder.UnsafeAppend(arrow::Decimal128(static_cast<std::int64_t>(value.unscaled >> 64),
                                           static_cast<std::uint64_t>(value.unscaled)));
    return Ok();
  };
  return BuildLeaf<Decimal, arrow::Decimal128Builder>(values, type, append);
}

Result<std::int64_t> ToMicros(Timestamp value, const DataType& type) {
  std::int64_t micros = 0;
  if (__builtin_mul_overflow(value.millis, std::int64_t{1000}, &micros) ||
      __builtin_add_overflow(micros, std::int64_t{value.nanos_of_milli / 1000}, &micros)) {
    return Misfit(type, "is a time too far from 1970");
  }
  return micros;
}

/// TIMESTAMP(0) to TIMESTAMP(6).
ArrayResult BuildTimestamps(const DatumPointers& values, const DataType& type) {
  const bool is_millis = type.precision() <= 3;
  const auto append = [is_millis, &type](arrow::TimestampBuilder& builder, Timestamp value) -> Status {
    if (value.nanos_of_milli % (is_millis ? 1'000'000 : 1000) != 0) return Misfit(type, "has too fine a fraction of a second");
    std::int64_t number = value.millis;
    if (!is_millis) {
      BRAID_TRY_ASSIGN(number, ToMicros(value, type));
    }
    builder.UnsafeAppend(number);
    return Ok();
  };
  return BuildLeaf<Timestamp, arrow::TimestampBuilder>(values, type, append);
}

struct Validity {
  std::shared_ptr<arrow::Buffer> bits;  // null if all are valid
  std::int64_t null_count = 0;
};

Result<Validity> BuildValidity(const DatumPointers& values) {
  Validity validity;
  arrow::TypedBufferBuilder<bool> builder;
  BRAID_TRY(CheckArrow(builder.Reserve(static_cast<std::int64_t>(values.size()))));
  for (const Datum* value : values) builder.UnsafeAppend(!value->is_null());
  validity.null_count = builder.false_count();
  if (validity.null_count == 0) return validity;
  BRAID_TRY_ASSIGN(validity.bits, CheckArrow(builder.Finish()));
  return validity;
}

/// A column of structs from one list of values a child; NULL rows have NULL children.
ArrayResult AssembleStruct(const DatumPointers& rows, const DataType& type,
                           const std::vector<std::shared_ptr<arrow::Array>>& children) {
  BRAID_TRY_ASSIGN(const Validity validity, BuildValidity(rows));
  std::vector<std::shared_ptr<arrow::ArrayData>> child_data;
  for (const auto& child : children) child_data.push_back(child->data());
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), static_cast<std::int64_t>(rows.size()),
                                                 {validity.bits}, std::move(child_data), validity.null_count));
}

/// TIMESTAMP(7) to TIMESTAMP(9).
ArrayResult BuildWideTimestamps(const DatumPointers& values, const DataType& type) {
  arrow::Int64Builder millis;
  arrow::Int32Builder nanos;
  BRAID_TRY(CheckArrow(millis.Reserve(static_cast<std::int64_t>(values.size()))));
  BRAID_TRY(CheckArrow(nanos.Reserve(static_cast<std::int64_t>(values.size()))));
  for (const Datum* value : values) {
    if (!value->is_null() && !std::holds_alternative<Timestamp>(*value)) return Misfit(type);
    // The parts of NULL are zero since they are declared not null.
    const Timestamp time = value->is_null() ? Timestamp{} : value->as_timestamp();
    millis.UnsafeAppend(time.millis);
    nanos.UnsafeAppend(time.nanos_of_milli);
  }
  BRAID_TRY_ASSIGN(auto millis_column, CheckArrow(millis.Finish()));
  BRAID_TRY_ASSIGN(auto nanos_column, CheckArrow(nanos.Finish()));
  return AssembleStruct(values, type, {std::move(millis_column), std::move(nanos_column)});
}

/// The lists behind the values, null for NULL.
Result<std::vector<const DatumList*>> ListsOf(const DatumPointers& values, const DataType& type) {
  std::vector<const DatumList*> lists;
  lists.reserve(values.size());
  for (const Datum* value : values) {
    const DatumList* list = std::get_if<DatumList>(static_cast<const Datum::Base*>(value));
    if (list == nullptr && !value->is_null()) return Misfit(type);
    lists.push_back(list);
  }
  return lists;
}

/// `children` are the types of the parts of a ROW or VARIANT.
ArrayResult BuildStructs(const DatumPointers& values, const DataType& type, const std::vector<DataType>& children) {
  static const Datum kNull;
  BRAID_TRY_ASSIGN(const std::vector<const DatumList*> rows, ListsOf(values, type));
  for (const DatumList* row : rows) {
    if (row != nullptr && row->size() != children.size()) return Misfit(type, fmt::format("has {} parts", row->size()));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t i = 0; i < children.size(); ++i) {
    DatumPointers parts;
    parts.reserve(rows.size());
    for (const DatumList* row : rows) parts.push_back(row == nullptr ? &kNull : &(*row)[i]);
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> column, BuildColumn(parts, children[i]));
    columns.push_back(std::move(column));
  }
  return AssembleStruct(values, type, columns);
}

Result<std::shared_ptr<arrow::Buffer>> BuildOffsets(const std::vector<const DatumList*>& lists) {
  arrow::TypedBufferBuilder<std::int32_t> offsets;
  BRAID_TRY(CheckArrow(offsets.Reserve(static_cast<std::int64_t>(lists.size()) + 1)));
  std::size_t end = 0;
  offsets.UnsafeAppend(0);
  for (const DatumList* list : lists) {
    end += list == nullptr ? 0 : list->size();
    if (!std::in_range<std::int32_t>(end)) return FromArrow(arrow::Status::CapacityError(""));
    offsets.UnsafeAppend(static_cast<std::int32_t>(end));
  }
  return CheckArrow(offsets.Finish());
}

/// A list or map column around the column of all its elements.
ArrayResult AssembleList(const DatumPointers& values, const DataType& type, const std::vector<const DatumList*>& lists,
                         std::shared_ptr<arrow::ArrayData> elements) {
  BRAID_TRY_ASSIGN(const Validity validity, BuildValidity(values));
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Buffer> offsets, BuildOffsets(lists));
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrowType(type), static_cast<std::int64_t>(values.size()),
                                                 {validity.bits, std::move(offsets)}, {std::move(elements)},
                                                 validity.null_count));
}

ArrayResult BuildLists(const DatumPointers& values, const DataType& type) {
  BRAID_TRY_ASSIGN(const std::vector<const DatumList*> lists, ListsOf(values, type));
  DatumPointers elements;
  for (const DatumList* list : lists) {
    if (list == nullptr) continue;
    if (type.kind() == TypeKind::kVector && list->size() != static_cast<std::size_t>(type.length())) {
      return Misfit(type, fmt::format("has {} elements", list->size()));
    }
    for (const Datum& element : *list) elements.push_back(&element);
  }
  BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> column, BuildColumn(elements, type.element()));
  return AssembleList(values, type, lists, column->data());
}

ArrayResult BuildMaps(const DatumPointers& values, const DataType& type, const DataType& key, const DataType& value) {
  BRAID_TRY_ASSIGN(const std::vector<const DatumList*> maps, ListsOf(values, type));
  DatumPointers keys;
  DatumPointers items;
  for (const DatumList* map : maps) {
    if (map == nullptr) continue;
    for (const Datum& entry : *map) {
      const DatumList* pair = std::get_if<DatumList>(static_cast<const Datum::Base*>(&entry));
      if (pair == nullptr || pair->size() != 2) return Misfit(type);
      // Arrow's maps have no NULL keys, nor can Parquet store them.
      if ((*pair)[0].is_null()) return Misfit(type, "has a NULL key");
      keys.push_back(&(*pair)[0]);
      items.push_back(&(*pair)[1]);
    }
  }
  BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> key_column, BuildColumn(keys, key));
  BRAID_TRY_ASSIGN(const std::shared_ptr<arrow::Array> item_column, BuildColumn(items, value));
  const std::shared_ptr<arrow::DataType> entry_type = ToArrowType(type)->field(0)->type();
  return AssembleList(values, type, maps,
                      arrow::ArrayData::Make(entry_type, static_cast<std::int64_t>(keys.size()), {nullptr},
                                             {key_column->data(), item_column->data()}, 0));
}

ArrayResult BuildRows(const DatumPointers& values, const DataType& type) {
  std::vector<DataType> children;
  for (const DataField& field : type.fields()) children.push_back(field.type);
  return BuildStructs(values, type, children);
}

ArrayResult BuildColumn(const DatumPointers& values, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return BuildBooleans(values, type);
    case TypeKind::kTinyInt: return BuildInts<arrow::Int8Builder>(values, type);
    case TypeKind::kSmallInt: return BuildInts<arrow::Int16Builder>(values, type);
    case TypeKind::kInt: return BuildInts<arrow::Int32Builder>(values, type);
    case TypeKind::kBigInt: return BuildInts<arrow::Int64Builder>(values, type);
    case TypeKind::kFloat: return BuildFloats<arrow::FloatBuilder>(values, type);
    case TypeKind::kDouble: return BuildFloats<arrow::DoubleBuilder>(values, type);
    case TypeKind::kDecimal: return BuildDecimals(values, type);
    case TypeKind::kChar:
    case TypeKind::kVarChar: return BuildBytes<arrow::StringBuilder>(values, type);
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return BuildBytes<arrow::BinaryBuilder>(values, type);
    case TypeKind::kDate: return BuildInts<arrow::Date32Builder>(values, type);
    case TypeKind::kTime: return BuildInts<arrow::Time32Builder>(values, type);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return type.precision() <= 6 ? BuildTimestamps(values, type) : BuildWideTimestamps(values, type);
    case TypeKind::kVariant: return BuildStructs(values, type, {DataType::Bytes(), DataType::Bytes()});
    case TypeKind::kArray:
    case TypeKind::kVector: return BuildLists(values, type);
    case TypeKind::kMap: return BuildMaps(values, type, type.key(), type.element());
    case TypeKind::kMultiset: return BuildMaps(values, type, type.element(), DataType::Int().NotNull());
    case TypeKind::kRow: return BuildRows(values, type);
  }
  return Misfit(type);
}

}  // namespace

Result<std::shared_ptr<arrow::Array>> MakeColumn(std::span<const Datum> values, const DataType& type) {
  DatumPointers pointers;
  pointers.reserve(values.size());
  for (const Datum& value : values) pointers.push_back(&value);
  return BuildColumn(pointers, type);
}

Result<std::shared_ptr<arrow::Array>> MakeConstantColumn(const Datum& value, const DataType& type, std::int64_t count) {
  BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> one, BuildColumn({&value}, type));
  const std::vector<std::int32_t> zeros(static_cast<std::size_t>(count), 0);
  return Interleave(std::span(&one, 1), zeros, zeros);
}

Result<Batch> MakeBatch(std::span<const DataField> fields, std::span<const DatumList> rows, std::span<const RowKind> kinds) {
  if (!kinds.empty() && kinds.size() != rows.size()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} row kinds for {} rows", kinds.size(), rows.size()));
  }
  for (const DatumList& row : rows) {
    if (row.size() == fields.size()) continue;
    return Error(ErrorCode::kInvalidArgument, fmt::format("a row has {} values for {} columns", row.size(), fields.size()));
  }
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    DatumPointers values;
    values.reserve(rows.size());
    for (const DatumList& row : rows) values.push_back(&row[i]);
    BRAID_TRY_ASSIGN(std::shared_ptr<arrow::Array> column,
                     BuildColumn(values, fields[i].type).Context(fmt::format("while filling column {}", fields[i].name)));
    columns.push_back(std::move(column));
  }
  Batch batch;
  batch.rows = arrow::RecordBatch::Make(ToArrowSchema(fields), static_cast<std::int64_t>(rows.size()), std::move(columns));
  if (kinds.empty()) return batch;
  arrow::Int8Builder builder;
  BRAID_TRY(CheckArrow(builder.Reserve(static_cast<std::int64_t>(kinds.size()))));
  for (const RowKind kind : kinds) builder.UnsafeAppend(static_cast<std::int8_t>(kind));
  BRAID_TRY(CheckArrow(builder.Finish(&batch.kinds)));
  return batch;
}

}  // namespace braid
