// Aggregate functions sum and product.

#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include <arrow/buffer.h>
#include <arrow/util/decimal.h>
#include <fmt/format.h>

#include "mergetree/field_aggregate_internal.h"
#include "types/datum.h"
#include "types/number_text.h"

namespace braid {
namespace {

/// Arithmetic as Java does it: integers wrap around. nullopt: NULL, by overflow of a decimal.
template <typename T>
struct Numbers {
  explicit Numbers(const DataType& /*type*/) {}

  // Unsigned numbers as wide as 64 bits wrap without being undefined.
  static T Wrap(std::uint64_t value) { return static_cast<T>(value); }
  static std::uint64_t Wide(T value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); }

  std::optional<T> Add(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return Wrap(Wide(a) + Wide(b));
    else
      return a + b;
  }
  std::optional<T> Subtract(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return Wrap(Wide(a) - Wide(b));
    else
      return a - b;
  }
  std::optional<T> Negate(T a) const {
    if constexpr (std::is_integral_v<T>)
      return Wrap(0 - Wide(a));
    else
      return -a;
  }
  std::optional<T> Multiply(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return Wrap(Wide(a) * Wide(b));
    else
      return a * b;
  }
  /// Errors: kInvalidArgument where Java has none either.
  Result<std::optional<T>> Divide(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return Error(ErrorCode::kInvalidArgument, "a product cannot be divided by 0");
      if (b == -1) return Negate(a);
      return std::optional<T>(static_cast<T>(a / b));
    } else {
      return std::optional<T>(a / b);
    }
  }
};

arrow::Decimal256 Widen(Int128 value) {
  return arrow::Decimal256(
      arrow::Decimal128(static_cast<std::int64_t>(value >> 64), static_cast<std::uint64_t>(value)));
}

/// Decimals of one precision and scale; a result with more digits is NULL.
template <>
struct Numbers<Int128> {
  explicit Numbers(const DataType& type)
      : compact(type.precision() <= 18), limit(PowerOfTen(type.precision())), scale(type.scale()) {}

  bool compact;  // kept in 64 bits, whose overflow alone is looked at when adding
  Int128 limit;
  int scale;

  std::optional<Int128> Checked(Int128 value) const {
    if (value >= limit || value <= -limit) return std::nullopt;
    return value;
  }
  std::optional<Int128> Sum(Int128 value) const {
    if (compact && value == static_cast<std::int64_t>(value)) return value;
    return Checked(value);
  }
  // 38 digits and 38 digits can be more than 127 bits.
  std::optional<Int128> Add(Int128 a, Int128 b) const {
    Int128 sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return Sum(sum);
  }
  std::optional<Int128> Subtract(Int128 a, Int128 b) const {
    Int128 difference = 0;
    if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
    return Sum(difference);
  }
  std::optional<Int128> Negate(Int128 a) const { return Checked(-a); }
  std::optional<Int128> Multiply(Int128 a, Int128 b) const {
    return Rounded(Widen(a) * Widen(b), Widen(PowerOfTen(scale)));
  }
  /// Errors: also where the quotient has no end, such as 1/3.
  Result<std::optional<Int128>> Divide(Int128 a, Int128 b) const {
    if (b == 0) return Error(ErrorCode::kInvalidArgument, "a product cannot be divided by 0");
    if (!Ends(a, b)) {
      return Error(ErrorCode::kInvalidArgument,
                   "a product cannot be divided by a number where the quotient's digits have no end");
    }
    return Rounded(Widen(a) * Widen(PowerOfTen(scale)), Widen(b));
  }

 private:
  /// a / b to the nearest whole number, halves away from zero.
  std::optional<Int128> Rounded(const arrow::Decimal256& a, const arrow::Decimal256& b) const {
    const arrow::Result<std::pair<arrow::Decimal256, arrow::Decimal256>> divided = a.Divide(b);
    if (!divided.ok()) return std::nullopt;
    auto [quotient, remainder] = *divided;
    const bool negative = a.IsNegative() != b.IsNegative();
    if (arrow::Decimal256::Abs(remainder) * arrow::Decimal256(2) >= arrow::Decimal256::Abs(b)) {
      quotient += arrow::Decimal256(negative ? -1 : 1);
    }
    if (arrow::Decimal256::Abs(quotient) >= Widen(limit)) return std::nullopt;
    const auto words = quotient.little_endian_array();
    return static_cast<Int128>(static_cast<unsigned __int128>(words[1]) << 64 | words[0]);
  }

  static bool Ends(Int128 a, Int128 b) {
    if (a == 0) return true;
    Int128 divisor = b < 0 ? -b : b;
    Int128 x = a < 0 ? -a : a;
    Int128 y = divisor;
    while (y != 0) x = std::exchange(y, x % y);
    divisor /= x;
    while (divisor % 2 == 0) divisor /= 2;
    while (divisor % 5 == 0) divisor /= 5;
    return divisor == 1;
  }
};

/// Values of a result column, in the making.
template <typename T>
class ColumnOfNumbers {
 public:
  explicit ColumnOfNumbers(std::size_t rows) { values_.reserve(rows); }

  void Append(const std::optional<T>& value) {
    if (!value) nulls_.push_back(static_cast<std::int64_t>(values_.size()));
    values_.push_back(value.value_or(T{}));
  }
  std::shared_ptr<arrow::Array> Finish(const std::shared_ptr<arrow::DataType>& type) {
    const auto length = static_cast<std::int64_t>(values_.size());
    std::shared_ptr<arrow::Buffer> validity;
    if (!nulls_.empty()) {
      std::vector<std::uint8_t> bits(static_cast<std::size_t>(arrow::bit_util::BytesForBits(length)), 0xff);
      for (const std::int64_t row : nulls_) arrow::bit_util::ClearBit(bits.data(), row);
      validity = arrow::Buffer::FromVector(std::move(bits));
    }
    const auto null_count = static_cast<std::int64_t>(nulls_.size());
    return arrow::MakeArray(arrow::ArrayData::Make(
        type, length, {std::move(validity), arrow::Buffer::FromVector(std::move(values_))}, null_count));
  }

 private:
  std::vector<T> values_;
  std::vector<std::int64_t> nulls_;
};

/// A running sum or product.
template <typename T, bool kProduct>
class Running {
 public:
  Running(const MergeChunk& chunk, int column, const DataType& type)
      : numbers_(type), nulls_(chunk, column), values_(chunk, column), results_(chunk.group_ends.size()) {}

  void Start() { value_.reset(); }
  void Replace(std::int32_t row) { value_ = At(row); }
  void ReplaceIfPresent(std::int32_t row) {
    if (!nulls_.IsNull(row)) value_ = values_.At(row);
  }
  void Clear() { value_.reset(); }
  void Aggregate(std::int32_t row) {
    if (nulls_.IsNull(row)) return;
    const T& input = values_.At(row);
    if (!value_) {
      value_ = input;
    } else {
      value_ = kProduct ? numbers_.Multiply(*value_, input) : numbers_.Add(*value_, input);
    }
  }
  void AggregateReversed(std::int32_t row) { Aggregate(row); }
  void Retract(std::int32_t row) {
    if (nulls_.IsNull(row)) return;
    const T& input = values_.At(row);
    if constexpr (kProduct) {
      if (!value_) return;
      Result<std::optional<T>> quotient = numbers_.Divide(*value_, input);
      if (quotient)
        value_ = *quotient;
      else if (status_)
        status_ = quotient.error();
    } else {
      value_ = value_ ? numbers_.Subtract(*value_, input) : numbers_.Negate(input);
    }
  }
  void Finish() { results_.Append(value_); }

  const Status& status() const { return status_; }
  std::shared_ptr<arrow::Array> Column(const std::shared_ptr<arrow::DataType>& type) { return results_.Finish(type); }

 private:
  std::optional<T> At(std::int32_t row) const {
    return nulls_.IsNull(row) ? std::nullopt : std::optional<T>(values_.At(row));
  }

  Numbers<T> numbers_;
  ChunkNulls nulls_;
  ChunkValues<T> values_;
  std::optional<T> value_;
  Status status_ = Ok();
  ColumnOfNumbers<T> results_;
};

template <typename T, bool kProduct>
class Arithmetic : public FieldAggregate {
 public:
  explicit Arithmetic(const DataField& field) : column_(field.name), type_(field.type) {}

  Result<std::shared_ptr<arrow::Array>> Fold(const MergeChunk& chunk, int column,
                                             std::span<const FoldStep> steps) const override {
    Running<T, kProduct> running(chunk, column, type_);
    FoldGroups(chunk, steps, running);
    if (!running.status()) return running.status().error().Context(fmt::format("while merging column '{}'", column_));
    return running.Column(ToArrowType(type_));
  }

 private:
  std::string column_;
  DataType type_;
};

template <bool kProduct>
Result<FieldAggregatePtr> MakeArithmetic(std::string_view function, const DataField& field) {
  switch (field.type.kind()) {
    case TypeKind::kTinyInt: return FieldAggregatePtr(std::make_shared<const Arithmetic<std::int8_t, kProduct>>(field));
    case TypeKind::kSmallInt:
      return FieldAggregatePtr(std::make_shared<const Arithmetic<std::int16_t, kProduct>>(field));
    case TypeKind::kInt: return FieldAggregatePtr(std::make_shared<const Arithmetic<std::int32_t, kProduct>>(field));
    case TypeKind::kBigInt: return FieldAggregatePtr(std::make_shared<const Arithmetic<std::int64_t, kProduct>>(field));
    case TypeKind::kFloat: return FieldAggregatePtr(std::make_shared<const Arithmetic<float, kProduct>>(field));
    case TypeKind::kDouble: return FieldAggregatePtr(std::make_shared<const Arithmetic<double, kProduct>>(field));
    case TypeKind::kDecimal: return FieldAggregatePtr(std::make_shared<const Arithmetic<Int128, kProduct>>(field));
    default: return TypeNotTaken(function, field, "a number");
  }
}

}  // namespace

Result<FieldAggregatePtr> MakeArithmeticAggregate(std::string_view function, const DataField& field,
                                                  const Options& /*options*/) {
  if (function == "sum") return MakeArithmetic<false>(function, field);
  if (function == "product") return MakeArithmetic<true>(function, field);
  return FieldAggregatePtr();
}

}  // namespace braid
