#include "types/row_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <arrow/api.h>
#include <fmt/format.h>

#include "base/json.h"
#include "base/long_text.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/utf8.h"
#include "types/variant_json.h"

namespace braid {

namespace {

void AppendInteger(std::int64_t value, std::string& out) { fmt::format_to(std::back_inserter(out), "{}", value); }

template <typename Number>
void AppendFloating(Number value, std::string& out) {
  const bool finite = std::isfinite(value);
  if (!finite) out += '"';
  AppendShortest(value, out);
  if (!finite) out += '"';
}

/// A fraction with so many digits; with all nine if the value holds more.
void AppendFraction(std::int32_t nanos, int digits, std::string& out) {
  std::int32_t unit = 1;
  for (int i = digits; i < 9; ++i) unit *= 10;
  if (nanos % unit != 0) {
    fmt::format_to(std::back_inserter(out), ".{:09}", nanos);
  } else if (digits > 0) {
    fmt::format_to(std::back_inserter(out), ".{:0{}}", nanos / unit, digits);
  }
}

void AppendDate(std::int64_t days, std::string& out) {
  out += '"';
  AppendIsoDate(days, out);
  out += '"';
}

void AppendTime(std::int64_t millis, int precision, std::string& out) {
  out += '"';
  AppendHourMinuteSecond(millis, out);
  AppendFraction(static_cast<std::int32_t>(FloorModulo(millis, 1000)) * 1'000'000, std::min(precision, 3), out);
  out += '"';
}

void AppendTimestamp(const Timestamp& timestamp, const DataType& type, std::string& out) {
  out += '"';
  // Java keeps the days of a timestamp in 32 bits.
  AppendIsoDate(static_cast<std::int32_t>(FloorDivide(timestamp.millis, kMillisPerDay)), out);
  out += 'T';
  AppendHourMinuteSecond(FloorModulo(timestamp.millis, kMillisPerDay), out);
  AppendFraction(NanosOfSecond(timestamp), type.precision(), out);
  if (type.kind() == TypeKind::kTimestampLtz) out += 'Z';
  out += '"';
}

void AppendDecimalText(Int128 unscaled, int scale, std::string& out) {
  out += '"';
  AppendDecimal(unscaled, scale, out);
  out += '"';
}

void AppendVariant(std::string_view value, std::string_view metadata, std::string& out) {
  const Result<std::string> json = VariantToJson(value, metadata);
  if (json) {
    out += "{\"variant\":";
    AppendTextJson(*json, out);
  } else {
    // Damaged bytes are shown as they are rather than hidden.
    out += "{\"malformed_variant\":";
    AppendBytesJson(value, out);
    out += ",\"metadata\":";
    AppendBytesJson(metadata, out);
  }
  out += '}';
}

/// Appends "[key,value]" pairs, sorted by the bytes of their text.
void AppendPairs(std::vector<std::string> pairs, std::string& out) {
  std::sort(pairs.begin(), pairs.end());
  out += '[';
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i > 0) out += ',';
    out += pairs[i];
  }
  out += ']';
}

const DataType& CountType() {
  static const DataType kType = DataType::Int().NotNull();
  return kType;
}

const DataType& KeyType(const DataType& type) { return type.kind() == TypeKind::kMap ? type.key() : type.element(); }
const DataType& ValueType(const DataType& type) { return type.kind() == TypeKind::kMap ? type.element() : CountType(); }

void AppendDatumPairs(const DatumList& entries, const DataType& type, std::string& out) {
  std::vector<std::string> pairs;
  pairs.reserve(entries.size());
  for (const Datum& entry : entries) {
    std::string& pair = pairs.emplace_back("[");
    AppendDatumJson(entry.as_list()[0], KeyType(type), pair);
    pair += ',';
    AppendDatumJson(entry.as_list()[1], ValueType(type), pair);
    pair += ']';
  }
  AppendPairs(std::move(pairs), out);
}

void AppendDatumList(const DatumList& elements, const DataType& type, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ',';
    AppendDatumJson(elements[i], type.element(), out);
  }
  out += ']';
}

void AppendDatumRow(const DatumList& values, const DataType& type, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendTextJson(type.fields()[i].name, out);
    out += ':';
    AppendDatumJson(values[i], type.fields()[i].type, out);
  }
  out += '}';
}

template <typename ArrayType>
auto ValueAt(const arrow::Array& column, std::int64_t row) {
  return static_cast<const ArrayType&>(column).GetView(row);
}

Timestamp TimestampAt(const arrow::Array& column, std::int64_t row, int precision) {
  if (precision <= 3) return {.millis = ValueAt<arrow::TimestampArray>(column, row)};
  if (precision <= 6) {
    const std::int64_t micros = ValueAt<arrow::TimestampArray>(column, row);
    return {FloorDivide(micros, 1000), static_cast<std::int32_t>(FloorModulo(micros, 1000) * 1000)};
  }
  const auto& parts = static_cast<const arrow::StructArray&>(column);
  return {ValueAt<arrow::Int64Array>(*parts.field(0), row), ValueAt<arrow::Int32Array>(*parts.field(1), row)};
}

Int128 UnscaledAt(const arrow::Array& column, std::int64_t row) {
  const arrow::Decimal128 value(static_cast<const arrow::Decimal128Array&>(column).GetValue(row));
  return static_cast<Int128>(value.high_bits()) * (Int128{1} << 64) + value.low_bits();
}

void AppendCell(const arrow::Array& column, std::int64_t row, const DataType& type, std::string& out);

void AppendMapCell(const arrow::MapArray& column, std::int64_t row, const DataType& type, std::string& out) {
  std::vector<std::string> pairs;
  for (std::int64_t i = column.value_offset(row); i < column.value_offset(row + 1); ++i) {
    std::string& pair = pairs.emplace_back("[");
    AppendCell(*column.keys(), i, KeyType(type), pair);
    pair += ',';
    AppendCell(*column.items(), i, ValueType(type), pair);
    pair += ']';
  }
  AppendPairs(std::move(pairs), out);
}

void AppendListCell(const arrow::ListArray& column, std::int64_t row, const DataType& type, std::string& out) {
  out += '[';
  for (std::int64_t i = column.value_offset(row); i < column.value_offset(row + 1); ++i) {
    if (i > column.value_offset(row)) out += ',';
    AppendCell(*column.values(), i, type.element(), out);
  }
  out += ']';
}

void AppendRowCell(const arrow::StructArray& column, std::int64_t row, const DataType& type, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < type.fields().size(); ++i) {
    if (i > 0) out += ',';
    AppendTextJson(type.fields()[i].name, out);
    out += ':';
    AppendCell(*column.field(static_cast<int>(i)), row, type.fields()[i].type, out);
  }
  out += '}';
}

void AppendCell(const arrow::Array& column, std::int64_t row, const DataType& type, std::string& out) {
  if (column.IsNull(row)) {
    out += "null";
    return;
  }
  switch (type.kind()) {
    case TypeKind::kBoolean: out += ValueAt<arrow::BooleanArray>(column, row) ? "true" : "false"; break;
    case TypeKind::kTinyInt: AppendInteger(ValueAt<arrow::Int8Array>(column, row), out); break;
    case TypeKind::kSmallInt: AppendInteger(ValueAt<arrow::Int16Array>(column, row), out); break;
    case TypeKind::kInt: AppendInteger(ValueAt<arrow::Int32Array>(column, row), out); break;
    case TypeKind::kBigInt: AppendInteger(ValueAt<arrow::Int64Array>(column, row), out); break;
    case TypeKind::kFloat: AppendFloating(ValueAt<arrow::FloatArray>(column, row), out); break;
    case TypeKind::kDouble: AppendFloating(ValueAt<arrow::DoubleArray>(column, row), out); break;
    case TypeKind::kDecimal: AppendDecimalText(UnscaledAt(column, row), type.scale(), out); break;
    case TypeKind::kChar:
    case TypeKind::kVarChar: AppendTextJson(ValueAt<arrow::StringArray>(column, row), out); break;
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: AppendBytesJson(ValueAt<arrow::BinaryArray>(column, row), out); break;
    case TypeKind::kDate: AppendDate(ValueAt<arrow::Date32Array>(column, row), out); break;
    case TypeKind::kTime: AppendTime(ValueAt<arrow::Time32Array>(column, row), type.precision(), out); break;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: AppendTimestamp(TimestampAt(column, row, type.precision()), type, out); break;
    case TypeKind::kVariant: {
      const auto& parts = static_cast<const arrow::StructArray&>(column);
      AppendVariant(ValueAt<arrow::BinaryArray>(*parts.field(0), row), ValueAt<arrow::BinaryArray>(*parts.field(1), row),
                    out);
      break;
    }
    case TypeKind::kArray:
    case TypeKind::kVector: AppendListCell(static_cast<const arrow::ListArray&>(column), row, type, out); break;
    case TypeKind::kMultiset:
    case TypeKind::kMap: AppendMapCell(static_cast<const arrow::MapArray&>(column), row, type, out); break;
    case TypeKind::kRow: AppendRowCell(static_cast<const arrow::StructArray&>(column), row, type, out); break;
  }
}

}  // namespace

void AppendTextJson(std::string_view text, std::string& out) {
  if (IsUtf8(text)) {
    AppendJsonString(text, out);
  } else {
    AppendJsonString(RepairUtf8(text), out);
  }
}

void AppendBytesJson(std::string_view bytes, std::string& out) {
  out += '"';
  AppendHex(bytes, out);
  out += '"';
}

void AppendDatumJson(const Datum& value, const DataType& type, std::string& out) {
  if (value.is_null()) {
    out += "null";
    return;
  }
  switch (type.kind()) {
    case TypeKind::kBoolean: out += value.as_bool() ? "true" : "false"; break;
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: AppendInteger(value.as_int(), out); break;
    case TypeKind::kFloat: AppendFloating(value.as_float(), out); break;
    case TypeKind::kDouble: AppendFloating(value.as_double(), out); break;
    case TypeKind::kDecimal: AppendDecimalText(value.as_decimal().unscaled, type.scale(), out); break;
    case TypeKind::kChar:
    case TypeKind::kVarChar: AppendTextJson(value.as_string(), out); break;
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: AppendBytesJson(value.as_string(), out); break;
    case TypeKind::kDate: AppendDate(value.as_int(), out); break;
    case TypeKind::kTime: AppendTime(value.as_int(), type.precision(), out); break;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: AppendTimestamp(value.as_timestamp(), type, out); break;
    case TypeKind::kVariant: AppendVariant(value.as_list()[0].as_string(), value.as_list()[1].as_string(), out); break;
    case TypeKind::kArray:
    case TypeKind::kVector: AppendDatumList(value.as_list(), type, out); break;
    case TypeKind::kMultiset:
    case TypeKind::kMap: AppendDatumPairs(value.as_list(), type, out); break;
    case TypeKind::kRow: AppendDatumRow(value.as_list(), type, out); break;
  }
}

void AppendRowJson(const Batch& batch, std::int64_t row, std::span<const DataField> fields, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    AppendTextJson(fields[i].name, out);
    out += ':';
    AppendCell(*batch.rows->column(static_cast<int>(i)), row, fields[i].type, out);
  }
  out += '}';
}

}  // namespace braid
