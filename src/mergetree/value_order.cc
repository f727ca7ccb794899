#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "mergetree/value_order_internal.h"
#include "types/datum.h"

namespace braid {
namespace {

template <typename T>
int Compare(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

/// Java's order: -0.0 before 0.0, NaN last.
template <typename T>
int CompareFloats(T a, T b) {
  if (a < b) return -1;
  if (a > b) return 1;
  if (std::isnan(a) || std::isnan(b)) return Compare(std::isnan(a), std::isnan(b));
  return Compare(std::signbit(b), std::signbit(a));
}

template <typename T>
int CompareFixed(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j) {
  const T left = a.data()->GetValues<T>(1)[i];
  const T right = b.data()->GetValues<T>(1)[j];
  if constexpr (std::is_floating_point_v<T>)
    return CompareFloats(left, right);
  else
    return Compare(left, right);
}

int CompareBooleans(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j) {
  return Compare(static_cast<const arrow::BooleanArray&>(a).Value(i),
                 static_cast<const arrow::BooleanArray&>(b).Value(j));
}

int CompareDecimals(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j) {
  Int128 left;
  Int128 right;
  std::memcpy(&left, static_cast<const arrow::FixedSizeBinaryArray&>(a).GetValue(i), sizeof(left));
  std::memcpy(&right, static_cast<const arrow::FixedSizeBinaryArray&>(b).GetValue(j), sizeof(right));
  return Compare(left, right);
}

int CompareBytes(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j) {
  return static_cast<const arrow::BinaryArray&>(a).GetView(i).compare(
      static_cast<const arrow::BinaryArray&>(b).GetView(j));
}

/// Timestamps with nanoseconds: milliseconds, then what is beyond them.
int CompareNanoTimestamps(const arrow::Array& a, std::int64_t i, const arrow::Array& b, std::int64_t j) {
  const auto& left = static_cast<const arrow::StructArray&>(a);
  const auto& right = static_cast<const arrow::StructArray&>(b);
  const int millis = CompareFixed<std::int64_t>(*left.field(0), i, *right.field(0), j);
  return millis != 0 ? millis : CompareFixed<std::int32_t>(*left.field(1), i, *right.field(1), j);
}

}  // namespace

Result<ValueOrder> ValueOrderOf(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return ValueOrder(CompareBooleans);
    case TypeKind::kTinyInt: return ValueOrder(CompareFixed<std::int8_t>);
    case TypeKind::kSmallInt: return ValueOrder(CompareFixed<std::int16_t>);
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime: return ValueOrder(CompareFixed<std::int32_t>);
    case TypeKind::kBigInt: return ValueOrder(CompareFixed<std::int64_t>);
    case TypeKind::kFloat: return ValueOrder(CompareFixed<float>);
    case TypeKind::kDouble: return ValueOrder(CompareFixed<double>);
    case TypeKind::kDecimal: return ValueOrder(CompareDecimals);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return ValueOrder(CompareBytes);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz:
      return type.precision() <= 6 ? ValueOrder(CompareFixed<std::int64_t>) : ValueOrder(CompareNanoTimestamps);
    default: return Error(ErrorCode::kUnsupported, fmt::format("values of type {} have no order", type.ToString()));
  }
}

}  // namespace braid
