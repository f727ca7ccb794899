#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "types/binary_row.h"

namespace braid {

namespace {

constexpr std::array<std::pair<std::string_view, BucketFunction>, 3> kFunctions = {{
    {"default", BucketFunction::kDefault},
    {"mod", BucketFunction::kMod},
    {"hive", BucketFunction::kHive},
}};

std::uint32_t Fold(std::uint64_t value) { return static_cast<std::uint32_t>(value ^ (value >> 32)); }

std::uint32_t HiveHash(std::string_view bytes) {
  std::uint32_t hash = 0;
  for (const char byte : bytes) hash = 31 * hash + static_cast<std::uint32_t>(static_cast<signed char>(byte));
  return hash;
}

std::uint32_t HiveHash(float value) {
  if (value == 0) return 0;  // both zeros
  return std::isnan(value) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value);
}

std::uint32_t HiveHash(double value) {
  if (value == 0) return 0;
  return Fold(std::isnan(value) ? 0x7ff8000000000000U : std::bit_cast<std::uint64_t>(value));
}

/// Java's BigDecimal.hashCode of the number without trailing zeros, its scale never below 0.
std::uint32_t HiveHash(Int128 unscaled, int scale) {
  if (unscaled == 0) return 0;
  while (scale > 0 && unscaled % 10 == 0) {
    unscaled /= 10;
    --scale;
  }
  __extension__ using UInt128 = unsigned __int128;
  const auto bits = static_cast<UInt128>(unscaled);
  const UInt128 magnitude = unscaled < 0 ? -bits : bits;
  std::uint32_t hash = 0;
  // Leading words of zero add nothing.
  for (int shift = 96; shift >= 0; shift -= 32) hash = 31 * hash + static_cast<std::uint32_t>(magnitude >> shift);
  if (unscaled < 0) hash = -hash;
  return 31 * hash + static_cast<std::uint32_t>(scale);
}

Result<std::uint32_t> HiveHash(const Datum& value, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return value.is_null() ? 0U : static_cast<std::uint32_t>(value.as_bool());
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kDate:
    case TypeKind::kTime: return value.is_null() ? 0U : static_cast<std::uint32_t>(value.as_int());
    case TypeKind::kBigInt: return value.is_null() ? 0U : Fold(static_cast<std::uint64_t>(value.as_int()));
    case TypeKind::kFloat: return value.is_null() ? 0U : HiveHash(value.as_float());
    case TypeKind::kDouble: return value.is_null() ? 0U : HiveHash(value.as_double());
    case TypeKind::kDecimal: return value.is_null() ? 0U : HiveHash(value.as_decimal().unscaled, type.scale());
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return value.is_null() ? 0U : HiveHash(std::string_view(value.as_string()));
    default:
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("the bucket function hive does not take columns of type {}", type.ToString()))
          .Hint("choose other columns as bucket-key");
  }
}

Result<std::int32_t> HiveBucket(std::span<const DataType> types, std::span<const Datum> key, std::int32_t bucket_count) {
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    BRAID_TRY_ASSIGN(const std::uint32_t column_hash, HiveHash(key[i], types[i]));
    hash = 31 * hash + column_hash;
  }
  return static_cast<std::int32_t>(hash & 0x7fffffffU) % bucket_count;
}

Result<std::int32_t> ModBucket(std::span<const DataType> types, std::span<const Datum> key, std::int32_t bucket_count) {
  if (types.size() != 1 || (types[0].kind() != TypeKind::kInt && types[0].kind() != TypeKind::kBigInt)) {
    return Error(ErrorCode::kInvalidArgument, "the bucket function mod takes one column of type INT or BIGINT")
        .Hint("choose one such column as bucket-key");
  }
  // Java reads the zeros of a NULL slot.
  const std::int64_t rest = key[0].is_null() ? 0 : key[0].as_int() % bucket_count;
  return static_cast<std::int32_t>(rest < 0 ? rest + bucket_count : rest);
}

}  // namespace

Result<BucketFunction> ParseBucketFunction(std::string_view name) {
  for (const auto& [known, function] : kFunctions) {
    if (EqualsIgnoreCase(known, name)) return function;
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("there is no bucket function {}", name))
      .Hint("the bucket functions are default, mod and hive");
}

std::int32_t DefaultBucket(std::int32_t hash, std::int32_t bucket_count) { return std::abs(hash % bucket_count); }

Result<std::int32_t> BucketOf(BucketFunction function, std::span<const DataType> types, std::span<const Datum> key,
                              std::int32_t bucket_count) {
  BRAID_CHECK(bucket_count > 0 && types.size() == key.size());
  switch (function) {
    case BucketFunction::kDefault: return DefaultBucket(BinaryRow::Make(types, key).Hash(), bucket_count);
    case BucketFunction::kMod: return ModBucket(types, key, bucket_count);
    case BucketFunction::kHive: return HiveBucket(types, key, bucket_count);
  }
  return Error(ErrorCode::kInternal, "a bucket function without an implementation");
}

}  // namespace braid
