#include <bit>
#include <cstdint>
#include <limits>

#include "format/index_key_internal.h"

namespace braid {
namespace {

constexpr int kNanosOfMicro = 1000;

std::optional<IndexKey> KeyOfTimestamp(Timestamp value, int precision) {
  if (precision <= 3) return IndexKey{value.millis, value.nanos_of_milli == 0};
  std::int64_t micros = 0;
  if (__builtin_mul_overflow(value.millis, std::int64_t{1000}, &micros) ||
      __builtin_add_overflow(micros, value.nanos_of_milli / kNanosOfMicro, &micros)) {
    return std::nullopt;
  }
  return IndexKey{micros, precision <= 6 && value.nanos_of_milli % kNanosOfMicro == 0};
}

template <typename Number, typename Convert>
Result<Datum> ReadAs(BigEndianReader& in, const Convert& convert) {
  BRAID_TRY_ASSIGN(const auto number, in.Read<Number>());
  return Datum(convert(number));
}

}  // namespace

std::optional<IndexKey> IndexKeyOf(const Datum& value, const DataType& type) {
  if (type.is_timestamp()) return KeyOfTimestamp(value.as_timestamp(), type.precision());
  if (type.kind() != TypeKind::kDecimal) return IndexKey{value};
  const Int128 unscaled = value.as_decimal().unscaled;
  if (unscaled < std::numeric_limits<std::int64_t>::min() || unscaled > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return IndexKey{static_cast<std::int64_t>(unscaled)};
}

bool HasStoredKeys(const DataType& type) { return type.is_text() || StoredKeyBytes(type) > 0; }

int StoredKeyBytes(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kTinyInt: return 1;
    case TypeKind::kSmallInt: return 2;
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime:
    case TypeKind::kFloat: return 4;
    case TypeKind::kBigInt:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return 8;
    default: return 0;
  }
}

void AppendIndexKey(const Datum& key, const DataType& type, std::string& out) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return AppendBigEndian(static_cast<std::uint8_t>(key.as_bool()), out);
    case TypeKind::kFloat: return AppendBigEndian(std::bit_cast<std::uint32_t>(key.as_float()), out);
    case TypeKind::kDouble: return AppendBigEndian(std::bit_cast<std::uint64_t>(key.as_double()), out);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
      AppendBigEndian(static_cast<std::int32_t>(key.as_string().size()), out);
      out += key.as_string();
      return;
    default: break;
  }
  switch (StoredKeyBytes(type)) {
    case 1: return AppendBigEndian(static_cast<std::int8_t>(key.as_int()), out);
    case 2: return AppendBigEndian(static_cast<std::int16_t>(key.as_int()), out);
    case 4: return AppendBigEndian(static_cast<std::int32_t>(key.as_int()), out);
    default: return AppendBigEndian(key.as_int(), out);
  }
}

Result<Datum> ReadIndexKey(BigEndianReader& in, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return ReadAs<std::int8_t>(in, [](std::int8_t byte) { return byte != 0; });
    case TypeKind::kFloat:
      return ReadAs<std::uint32_t>(in, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    case TypeKind::kDouble:
      return ReadAs<std::uint64_t>(in, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
    case TypeKind::kChar:
    case TypeKind::kVarChar: {
      BRAID_TRY_ASSIGN(const auto length, in.Read<std::int32_t>());
      BRAID_TRY_ASSIGN(const std::string_view text, in.Take(length));
      return Datum(std::string(text));
    }
    default: break;
  }
  const auto widen = [](std::int64_t number) { return number; };
  switch (StoredKeyBytes(type)) {
    case 1: return ReadAs<std::int8_t>(in, widen);
    case 2: return ReadAs<std::int16_t>(in, widen);
    case 4: return ReadAs<std::int32_t>(in, widen);
    default: return ReadAs<std::int64_t>(in, widen);
  }
}

}  // namespace braid
