// How values of results are printed: as JSON for programs, and as Flink's SQL client prints them for people.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <arrow/array.h>
#include <fmt/format.h>

#include "base/json.h"
#include "base/long_text.h"
#include "base/text.h"
#include "sql/result.h"
#include "types/cast.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/row_json.h"
#include "types/time_zone.h"

namespace braid {

namespace {

// Digits of the second, as many as the type has.
void AppendFraction(std::int32_t nanos, int digits, std::string& out) {
  if (digits <= 0) return;
  std::int32_t unit = 1;
  for (int i = digits; i < 9; ++i) unit *= 10;
  fmt::format_to(std::back_inserter(out), ".{:0{}}", nanos / unit, digits);
}

void AppendDateTime(const Timestamp& timestamp, int precision, char separator, std::string& out) {
  AppendIsoDate(FloorDivide(timestamp.millis, kMillisPerDay), out);
  out += separator;
  AppendHourMinuteSecond(FloorModulo(timestamp.millis, kMillisPerDay), out);
  AppendFraction(NanosOfSecond(timestamp), precision, out);
}

void AppendTimeOfDay(std::int64_t millis, int precision, std::string& out) {
  AppendHourMinuteSecond(millis, out);
  AppendFraction(static_cast<std::int32_t>(FloorModulo(millis, 1000)) * 1'000'000, std::min(precision, 3), out);
}

template <typename Number>
void AppendJsonFloating(Number value, std::string& out) {
  const bool finite = std::isfinite(value);
  if (!finite) out += '"';
  AppendJavaNumber(value, out);
  if (!finite) out += '"';
}

void AppendJsonData(const Datum& value, const DataType& type, std::string& out);

// What the two halves of an entry of a MAP or MULTISET have as types.
std::pair<DataType, DataType> EntryTypes(const DataType& type) {
  if (type.kind() == TypeKind::kMap) return {type.key(), type.element()};
  return {type.element(), DataType::Int()};
}

void AppendJsonPairs(const DatumList& entries, const DataType& type, std::string& out) {
  const auto [key_type, value_type] = EntryTypes(type);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Datum& entry : entries) {
    auto& [key, value] = pairs.emplace_back();
    AppendJsonData(entry.as_list()[0], key_type, key);
    AppendJsonData(entry.as_list()[1], value_type, value);
  }
  std::sort(pairs.begin(), pairs.end());
  out += '[';
  for (std::size_t i = 0; i < pairs.size(); ++i)
    out += fmt::format("{}[{},{}]", i > 0 ? "," : "", pairs[i].first, pairs[i].second);
  out += ']';
}

void AppendJsonList(const DatumList& elements, const DataType& type, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonData(elements[i], type.element(), out);
  }
  out += ']';
}

void AppendJsonRow(const DatumList& values, const DataType& type, std::string& out) {
  out += '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendTextJson(type.fields()[i].name, out);
    out += ':';
    AppendJsonData(values[i], type.fields()[i].type, out);
  }
  out += '}';
}

void AppendJsonData(const Datum& value, const DataType& type, std::string& out) {
  if (value.is_null()) {
    out += "null";
    return;
  }
  switch (type.kind()) {
    case TypeKind::kBoolean: out += value.as_bool() ? "true" : "false"; return;
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: fmt::format_to(std::back_inserter(out), "{}", value.as_int()); return;
    case TypeKind::kFloat: AppendJsonFloating(value.as_float(), out); return;
    case TypeKind::kDouble: AppendJsonFloating(value.as_double(), out); return;
    case TypeKind::kChar:
    case TypeKind::kVarChar: AppendTextJson(value.as_string(), out); return;
    case TypeKind::kArray:
    case TypeKind::kVector: AppendJsonList(value.as_list(), type, out); return;
    case TypeKind::kMap:
    case TypeKind::kMultiset: AppendJsonPairs(value.as_list(), type, out); return;
    case TypeKind::kRow: AppendJsonRow(value.as_list(), type, out); return;
    case TypeKind::kVariant: AppendTextJson(FormatDatum(value, type), out); return;
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: AppendBytesJson(value.as_string(), out); return;
    default: break;
  }
  out += '"';
  switch (type.kind()) {
    case TypeKind::kDecimal: AppendDecimal(value.as_decimal().unscaled, type.scale(), out); break;
    case TypeKind::kDate: AppendIsoDate(value.as_int(), out); break;
    case TypeKind::kTime: AppendTimeOfDay(value.as_int(), type.precision(), out); break;
    case TypeKind::kTimestamp: AppendDateTime(value.as_timestamp(), type.precision(), 'T', out); break;
    case TypeKind::kTimestampLtz:
      AppendDateTime(value.as_timestamp(), type.precision(), 'T', out);
      out += 'Z';
      break;
    default: break;
  }
  out += '"';
}

// "+1-02" of 14 months.
std::string MonthsText(std::int64_t months) {
  const std::int64_t size = std::llabs(months);
  return fmt::format("{}{}-{:02}", months < 0 ? '-' : '+', size / 12, size % 12);
}

// "+1 02:03:04.005".
std::string MillisText(std::int64_t millis) {
  const std::int64_t size = std::llabs(millis);
  const std::int64_t rest = size % kMillisPerDay;
  return fmt::format("{}{} {:02}:{:02}:{:02}.{:03}", millis < 0 ? '-' : '+', size / kMillisPerDay, rest / 3'600'000,
                     rest / 60'000 % 60, rest / 1000 % 60, rest % 1000);
}

// Prints values as the client does.
class Display {
 public:
  explicit Display(const TimeZone& zone) : zone_(zone) {}

  void Append(const Datum& value, const DataType& type, std::string& out) const {
    if (value.is_null()) {
      out += "NULL";
      return;
    }
    switch (type.kind()) {
      case TypeKind::kBoolean: out += value.as_bool() ? "TRUE" : "FALSE"; return;
      case TypeKind::kTinyInt:
      case TypeKind::kSmallInt:
      case TypeKind::kInt:
      case TypeKind::kBigInt: fmt::format_to(std::back_inserter(out), "{}", value.as_int()); return;
      case TypeKind::kFloat: AppendJavaNumber(value.as_float(), out); return;
      case TypeKind::kDouble: AppendJavaNumber(value.as_double(), out); return;
      case TypeKind::kDecimal: AppendDecimal(value.as_decimal().unscaled, type.scale(), out); return;
      case TypeKind::kChar:
      case TypeKind::kVarChar: out += value.as_string(); return;
      case TypeKind::kBinary:
      case TypeKind::kVarBinary:
      case TypeKind::kBlob: out += "x'" + ToHex(value.as_string()) + "'"; return;
      case TypeKind::kVariant: out += FormatDatum(value, type); return;
      case TypeKind::kDate: AppendIsoDate(value.as_int(), out); return;
      case TypeKind::kTime: AppendTimeOfDay(value.as_int(), type.precision(), out); return;
      case TypeKind::kTimestamp: AppendDateTime(value.as_timestamp(), type.precision(), ' ', out); return;
      case TypeKind::kTimestampLtz: AppendDateTime(Local(value.as_timestamp()), type.precision(), ' ', out); return;
      case TypeKind::kArray:
      case TypeKind::kVector:
        AppendAll(value.as_list(), "[", "]", out, [&](const Datum& element) { Append(element, type.element(), out); });
        return;
      case TypeKind::kMap:
      case TypeKind::kMultiset: {
        const auto [key_type, value_type] = EntryTypes(type);
        AppendAll(value.as_list(), "{", "}", out, [&, &key = key_type, &count = value_type](const Datum& entry) {
          Append(entry.as_list()[0], key, out);
          out += '=';
          Append(entry.as_list()[1], count, out);
        });
        return;
      }
      case TypeKind::kRow: {
        std::size_t i = 0;
        AppendAll(value.as_list(), "(", ")", out,
                  [&](const Datum& field) { Append(field, type.fields()[i++].type, out); });
        return;
      }
    }
  }

 private:
  template <typename AppendOne>
  static void AppendAll(const DatumList& values, std::string_view open, std::string_view close, std::string& out,
                        const AppendOne& one) {
    out += open;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out += ", ";
      one(values[i]);
    }
    out += close;
  }

  Timestamp Local(const Timestamp& instant) const {
    const std::int64_t offset_seconds = zone_.OffsetAt(FloorDivide(instant.millis, 1000));
    return {.millis = instant.millis + offset_seconds * 1000, .nanos_of_milli = instant.nanos_of_milli};
  }

  const TimeZone& zone_;  // outlives this, which lives for one value
};

}  // namespace

void AppendJsonValue(const Datum& value, const SqlType& type, std::string& out) {
  if (value.is_null() || !type.is_interval()) {
    AppendJsonData(value, StorageType(type), out);
    return;
  }
  const char* unit = type.kind() == SqlType::Kind::kMonths ? "months" : "millis";
  fmt::format_to(std::back_inserter(out), "{{\"{}\":{}}}", unit, value.as_int());
}

void AppendJsonValue(const arrow::Array& column, std::int64_t row, const SqlType& type, std::string& out) {
  const DataType stored = StorageType(type);
  if (column.IsNull(row) || !(column.type_id() == arrow::Type::STRING || column.type_id() == arrow::Type::BINARY)) {
    AppendJsonValue(DatumAt(column, row, stored), type, out);
  } else if (stored.is_bytes()) {
    AppendBytesJson(static_cast<const arrow::BinaryArray&>(column).GetView(row), out);
  } else {
    AppendTextJson(static_cast<const arrow::BinaryArray&>(column).GetView(row), out);
  }
}

Result<std::string> DisplayText(const Datum& value, const SqlType& type, std::string_view zone) {
  if (value.is_null()) return "<NULL>";
  if (type.kind() == SqlType::Kind::kMonths) return MonthsText(value.as_int());
  if (type.kind() == SqlType::Kind::kMillis) return MillisText(value.as_int());
  BRAID_TRY_ASSIGN(const auto time_zone, TimeZone::Find(zone));
  std::string text;
  Display(*time_zone).Append(value, StorageType(type), text);
  return text;
}

Result<std::string> DisplayText(const arrow::Array& column, std::int64_t row, const SqlType& type,
                                std::string_view zone) {
  const DataType stored = StorageType(type);
  // A text may be long: it is not copied on the way.
  if (stored.is_text() && column.IsValid(row) && column.type_id() == arrow::Type::STRING)
    return std::string(static_cast<const arrow::BinaryArray&>(column).GetView(row));
  return DisplayText(DatumAt(column, row, stored), type, zone);
}

}  // namespace braid
