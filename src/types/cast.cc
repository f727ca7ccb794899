#include "types/cast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "types/cast_internal.h"
#include "types/date_time.h"
#include "types/number_text.h"
#include "types/utf8.h"

namespace braid {

namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the first `count` code points, or npos if there are fewer.
std::size_t BytesOfCodePoints(std::string_view text, std::int64_t count) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!IsContinuation(text[i]) && count-- == 0) return i;
  }
  return count == 0 ? text.size() : std::string_view::npos;
}

std::int64_t CodePoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); });
}

std::int64_t IntegerBits(TypeKind kind) {
  switch (kind) {
    case TypeKind::kTinyInt: return 8;
    case TypeKind::kSmallInt: return 16;
    case TypeKind::kInt: return 32;
    default: return 64;
  }
}

double ToDouble(const Datum& value, const DataType& type) {
  if (type.kind() == TypeKind::kFloat) return static_cast<double>(value.as_float());
  if (type.kind() == TypeKind::kDouble) return value.as_double();
  return static_cast<double>(value.as_int());
}

Datum CastPrimitive(const Datum& value, const DataType& from, const DataType& to) {
  if (to.kind() == TypeKind::kFloat) {
    // Integers round once, straight to a float.
    return from.is_integer() ? static_cast<float>(value.as_int()) : static_cast<float>(ToDouble(value, from));
  }
  if (to.kind() == TypeKind::kDouble) return ToDouble(value, from);
  if (from.is_integer()) return NarrowInteger(value.as_int(), to.kind());
  return NarrowFloating(ToDouble(value, from), to.kind());
}

Datum OrNull(const std::optional<Decimal>& value) { return value ? Datum(*value) : Datum(); }

Result<Datum> CastPrimitiveToDecimal(const Datum& value, const DataType& from, const DataType& to) {
  if (from.is_integer()) return OrNull(RescaleDecimal({value.as_int()}, 0, to.precision(), to.scale()));
  std::string text;
  AppendJavaNumber(ToDouble(value, from), text);
  const auto decimal = ParseDecimal(text, to.precision(), to.scale());
  if (!decimal) return CannotCast(text, to);
  return OrNull(*decimal);
}

Datum CastDecimalToPrimitive(const Datum& value, const DataType& from, const DataType& to) {
  if (to.is_integer()) {
    const Int128 whole = value.as_decimal().unscaled / PowerOfTen(from.scale());
    return NarrowInteger(static_cast<std::int64_t>(whole), to.kind());
  }
  std::string text;
  AppendDecimal(value.as_decimal().unscaled, from.scale(), text);
  if (to.kind() == TypeKind::kFloat) return *ParseJavaFloating<float>(text);
  return *ParseJavaFloating<double>(text);
}

Datum CastBooleanToNumber(bool value, const DataType& to) {
  switch (to.kind()) {
    case TypeKind::kFloat: return value ? 1.0F : 0.0F;
    case TypeKind::kDouble: return value ? 1.0 : 0.0;
    case TypeKind::kDecimal: return OrNull(RescaleDecimal({value ? 1 : 0}, 0, to.precision(), to.scale()));
    default: return std::int64_t{value ? 1 : 0};
  }
}

Datum CastTimestampToInteger(const Timestamp& timestamp, const DataType& to) {
  return NarrowInteger(timestamp.millis / 1000, to.kind());
}

Datum CastIntegerToTimestamp(std::int64_t seconds) {
  // Java's multiplication wraps around.
  return Timestamp{static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) * 1000U)};
}

Datum CastTimestamp(const Timestamp& timestamp, const DataType& from, const DataType& to) {
  return to.precision() < from.precision() ? TruncateTimestamp(timestamp, to.precision()) : timestamp;
}

template <typename Parsed>
Result<Datum> ParsedOrError(const std::optional<Parsed>& parsed, std::string_view text, const DataType& to) {
  if (!parsed) return CannotCast(text, to);
  return Datum(*parsed);
}

template <>
Result<Datum> ParsedOrError(const std::optional<std::int32_t>& parsed, std::string_view text, const DataType& to) {
  if (!parsed) return CannotCast(text, to);
  return Datum(std::int64_t{*parsed});
}

Result<Datum> CastTextToBoolean(std::string_view text, const DataType& to) {
  constexpr std::array<std::string_view, 5> kTrue = {"t", "true", "y", "yes", "1"};
  constexpr std::array<std::string_view, 5> kFalse = {"f", "false", "n", "no", "0"};
  const std::string lower = ToLower(text);
  if (std::find(kTrue.begin(), kTrue.end(), lower) != kTrue.end()) return Datum(true);
  if (std::find(kFalse.begin(), kFalse.end(), lower) != kFalse.end()) return Datum(false);
  return CannotCast(text, to);
}

Result<Datum> CastTextToNumber(std::string_view text, const DataType& to) {
  switch (to.kind()) {
    case TypeKind::kFloat: return ParsedOrError(ParseJavaFloating<float>(text), text, to);
    case TypeKind::kDouble: return ParsedOrError(ParseJavaFloating<double>(text), text, to);
    case TypeKind::kDecimal: {
      const auto decimal = ParseDecimal(text, to.precision(), to.scale());
      if (!decimal) return CannotCast(text, to);
      return OrNull(*decimal);
    }
    default: return ParsedOrError(ParseJavaInteger(text, static_cast<int>(IntegerBits(to.kind()))), text, to);
  }
}

Result<Datum> CastText(std::string_view text, CastRule rule, const DataType& to) {
  switch (rule) {
    case CastRule::kTextToText: return Datum(FitText(text, to));
    case CastRule::kTextToBytes: return Datum(FitBytes(text, to));
    case CastRule::kTextToBoolean: return CastTextToBoolean(text, to);
    case CastRule::kTextToDate: return ParsedOrError(ParseJavaDate(text), text, to);
    case CastRule::kTextToTime: return ParsedOrError(ParseJavaTime(text), text, to);
    case CastRule::kTextToTimestamp:
      return ParsedOrError(ParseJavaTimestamp(text, to.precision(), to.kind() == TypeKind::kTimestampLtz), text, to);
    default: return CastTextToNumber(text, to);
  }
}

Result<Datum> CastRow(const DatumList& values, const DataType& from, const DataType& to) {
  DatumList out;
  for (const DataField& field : to.fields()) {
    const std::optional<std::size_t> at = FindField(from.fields(), field.id);
    if (!at) {
      out.emplace_back();
      continue;
    }
    BRAID_TRY_ASSIGN(Datum child, CastDatum(values[*at], from.fields()[*at].type, field.type));
    out.push_back(std::move(child));
  }
  return Datum(std::move(out));
}

Result<Datum> CastNested(const Datum& value, const DataType& from, const DataType& to) {
  if (from.kind() == TypeKind::kRow) return CastRow(value.as_list(), from, to);
  const bool is_map = from.kind() == TypeKind::kMap;
  DatumList out;
  for (const Datum& element : value.as_list()) {
    const Datum& old = is_map ? element.as_list()[1] : element;
    BRAID_TRY_ASSIGN(Datum child, CastDatum(old, from.element(), to.element()));
    out.push_back(is_map ? Datum(DatumList{element.as_list()[0], std::move(child)}) : std::move(child));
  }
  return Datum(std::move(out));
}

}  // namespace

Error CannotCast(std::string_view text, const DataType& to) {
  return Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is no value of type {}", text, to.Nullable().ToString()));
}

std::int64_t NarrowInteger(std::int64_t value, TypeKind kind) {
  switch (kind) {
    case TypeKind::kTinyInt: return static_cast<std::int8_t>(value);
    case TypeKind::kSmallInt: return static_cast<std::int16_t>(value);
    case TypeKind::kInt: return static_cast<std::int32_t>(value);
    default: return value;
  }
}

std::int64_t NarrowFloating(double value, TypeKind kind) {
  using Limits64 = std::numeric_limits<std::int64_t>;
  using Limits32 = std::numeric_limits<std::int32_t>;
  if (std::isnan(value)) return 0;
  if (kind == TypeKind::kBigInt) {
    if (value >= 0x1p63) return Limits64::max();
    return value <= -0x1p63 ? Limits64::min() : static_cast<std::int64_t>(value);
  }
  std::int32_t whole = 0;
  if (value >= 0x1p31) {
    whole = Limits32::max();
  } else if (value <= -0x1p31) {
    whole = Limits32::min();
  } else {
    whole = static_cast<std::int32_t>(value);
  }
  return NarrowInteger(whole, kind);
}

Timestamp TruncateTimestamp(const Timestamp& timestamp, int precision) {
  const std::int32_t nanos = NanosOfSecond(timestamp);
  // Java counts the digits without leading zeros, so that small fractions survive.
  std::int64_t limit = 1;
  for (int digit = 0; digit < precision; ++digit) limit *= 10;
  if (nanos < limit) return timestamp;
  std::int32_t unit = 1;
  for (int digit = precision; digit < (precision <= 3 ? 3 : 9); ++digit) unit *= 10;
  if (precision <= 3) return {.millis = timestamp.millis / unit * unit};
  return {timestamp.millis, timestamp.nanos_of_milli / unit * unit};
}

std::int64_t TimestampToDays(const Timestamp& timestamp, TypeKind kind) {
  return kind == TypeKind::kTimestampLtz ? FloorDivide(timestamp.millis, kMillisPerDay)
                                         : timestamp.millis / kMillisPerDay;
}

bool TextFits(std::string_view text, const DataType& type) {
  const auto length = static_cast<std::size_t>(type.length());
  if (type.kind() == TypeKind::kVarChar && text.size() <= length) return true;
  const std::int64_t points = CodePoints(text);
  return type.kind() == TypeKind::kChar ? points == type.length() : points <= type.length();
}

std::string FitText(std::string_view text, const DataType& type) {
  const std::size_t cut = BytesOfCodePoints(text, type.length());
  if (cut != std::string_view::npos) return std::string(text.substr(0, cut));
  std::string out(text);
  if (type.kind() == TypeKind::kChar) out.append(static_cast<std::size_t>(type.length() - CodePoints(text)), ' ');
  return out;
}

std::string FitBytes(std::string_view bytes, const DataType& type) {
  const auto length = static_cast<std::size_t>(type.length());
  std::string out(bytes.substr(0, length));
  if (type.kind() == TypeKind::kBinary) out.resize(length, '\0');
  return out;
}

Result<Datum> CastDatum(const Datum& value, const DataType& from, const DataType& to) {
  const CastRule rule = FindCastRule(from, to);
  if (rule == CastRule::kNone) {
    return Error(ErrorCode::kUnsupported, fmt::format("{} cannot be converted to {}", from.ToString(), to.ToString()));
  }
  if (value.is_null() || rule == CastRule::kSame) return value;
  switch (rule) {
    case CastRule::kPrimitive: return CastPrimitive(value, from, to);
    case CastRule::kPrimitiveToDecimal: return CastPrimitiveToDecimal(value, from, to);
    case CastRule::kDecimalToPrimitive: return CastDecimalToPrimitive(value, from, to);
    case CastRule::kDecimalToDecimal:
      return OrNull(RescaleDecimal(value.as_decimal(), from.scale(), to.precision(), to.scale()));
    case CastRule::kBooleanToNumber: return CastBooleanToNumber(value.as_bool(), to);
    case CastRule::kIntegerToBoolean: return Datum(value.as_int() != 0);
    case CastRule::kIntegerToTimestamp: return CastIntegerToTimestamp(value.as_int());
    case CastRule::kTimestampToInteger: return CastTimestampToInteger(value.as_timestamp(), to);
    case CastRule::kTimestampToTimestamp: return CastTimestamp(value.as_timestamp(), from, to);
    case CastRule::kTimestampToDate: return Datum(TimestampToDays(value.as_timestamp(), from.kind()));
    case CastRule::kTimestampToTime: return Datum(FloorModulo(value.as_timestamp().millis, kMillisPerDay));
    case CastRule::kDateToTimestamp: return Datum(Timestamp{value.as_int() * kMillisPerDay});
    case CastRule::kTimeToTimestamp: return Datum(Timestamp{value.as_int()});
    case CastRule::kAtomToText: return Datum(FitText(FormatDatum(value, from), to));
    // Neither is cut to the length of its type. Java keeps broken text as it is and repairs it whenever it is decoded.
    case CastRule::kNestedToText:
    case CastRule::kBytesToText: return Datum(RepairUtf8(FormatDatum(value, from)));
    case CastRule::kBytesToBytes: return Datum(FitBytes(value.as_string(), to));
    case CastRule::kNested: return CastNested(value, from, to);
    default: return CastText(value.as_string(), rule, to);
  }
}

}  // namespace braid
