#include <cstdint>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "types/cast.h"
#include "types/cast_internal.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/variant_json.h"

namespace braid {

namespace {

void AppendDate(std::int64_t days, std::string& out) {
  const CivilDate date = CivilFromDays(days);
  // Java writes four digits by division alone: the last ones of later years, odd characters for years before 0.
  for (const std::int64_t weight : {1000, 100, 10, 1}) out += static_cast<char>('0' + date.year / weight % 10);
  fmt::format_to(std::back_inserter(out), "-{:02}-{:02}", date.month, date.day);
}

void AppendTime(std::int64_t millis, int precision, std::string& out) {
  AppendHourMinuteSecond(FloorModulo(millis, kMillisPerDay), out);
  if (precision == 0) return;
  out += '.';
  // At least one digit, no more than the precision, and no zeros after the last that counts.
  std::int64_t rest = FloorModulo(millis, 1000);
  do {
    out += static_cast<char>('0' + rest / 100);
    rest = rest % 100 * 10;
  } while (--precision > 0 && rest != 0);
}

void AppendTimestamp(const Timestamp& timestamp, int precision, std::string& out) {
  AppendDate(FloorDivide(timestamp.millis, kMillisPerDay), out);
  out += ' ';
  AppendHourMinuteSecond(FloorModulo(timestamp.millis, kMillisPerDay), out);
  std::string fraction = fmt::format("{:09}", NanosOfSecond(timestamp));
  while (fraction.size() > static_cast<std::size_t>(precision) && fraction.back() == '0') fraction.pop_back();
  if (!fraction.empty()) out += '.' + fraction;
}

void AppendList(const DatumList& values, const DataType& element, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    AppendDatumText(values[i], element, out);
  }
  out += ']';
}

void AppendMap(const DatumList& entries, const DataType& key, const DataType& value, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) out += ", ";
    AppendDatumText(entries[i].as_list()[0], key, out);
    out += " -> ";
    AppendDatumText(entries[i].as_list()[1], value, out);
  }
  out += '}';
}

void AppendRow(const DatumList& values, std::span<const DataField> fields, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    AppendDatumText(values[i], fields[i].type, out);
  }
  out += '}';
}

void AppendVariant(const DatumList& parts, std::string& out) {
  const Result<std::string> json = VariantToJson(parts[0].as_string(), parts[1].as_string());
  out += json ? *json : "0x" + ToHex(parts[0].as_string());
}

std::optional<Datum> ParseIsoForm(std::string_view text, const DataType& type) {
  if (!type.is_timestamp()) return std::nullopt;
  std::optional<Timestamp> timestamp = ParseIsoTimestamp(text, type.kind() == TypeKind::kTimestampLtz);
  if (!timestamp) return std::nullopt;
  std::int32_t unit = 1;
  for (int digit = type.precision(); digit < 9; ++digit) unit *= 10;
  const std::int32_t excess = NanosOfSecond(*timestamp) % unit;
  timestamp->millis -= excess / 1'000'000;
  timestamp->nanos_of_milli -= excess % 1'000'000;
  return Datum(*timestamp);
}

}  // namespace

void AppendDatumText(const Datum& value, const DataType& type, std::string& out) {
  if (value.is_null()) {
    out += "null";
    return;
  }
  switch (type.kind()) {
    case TypeKind::kBoolean: out += value.as_bool() ? "true" : "false"; break;
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: out += std::to_string(value.as_int()); break;
    case TypeKind::kFloat: AppendJavaNumber(value.as_float(), out); break;
    case TypeKind::kDouble: AppendJavaNumber(value.as_double(), out); break;
    case TypeKind::kDecimal: AppendDecimal(value.as_decimal().unscaled, type.scale(), out); break;
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: out += value.as_string(); break;
    case TypeKind::kDate: AppendDate(value.as_int(), out); break;
    case TypeKind::kTime: AppendTime(value.as_int(), type.precision(), out); break;
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: AppendTimestamp(value.as_timestamp(), type.precision(), out); break;
    case TypeKind::kVariant: AppendVariant(value.as_list(), out); break;
    case TypeKind::kArray:
    case TypeKind::kVector: AppendList(value.as_list(), type.element(), out); break;
    case TypeKind::kMultiset: AppendMap(value.as_list(), type.element(), DataType::Int(), out); break;
    case TypeKind::kMap: AppendMap(value.as_list(), type.key(), type.element(), out); break;
    case TypeKind::kRow: AppendRow(value.as_list(), type.fields(), out); break;
  }
}

std::string FormatDatum(const Datum& value, const DataType& type) {
  std::string out;
  AppendDatumText(value, type, out);
  return out;
}

Result<Datum> ParseDatum(std::string_view text, const DataType& type) {
  if (std::optional<Datum> parsed = ParseIsoForm(text, type)) return *std::move(parsed);
  BRAID_TRY_ASSIGN(Datum value, CastDatum(Datum(std::string(text)), DataType::String(), type));
  if (value.is_null()) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' does not fit into {}", text, type.Nullable().ToString()));
  }
  return value;
}

}  // namespace braid
