#include "duck/decimal_arithmetic.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace braid {
namespace {

constexpr int kMaxPrecision = 38;
constexpr int kKeptScale = 6;  // digits that multiplication and division keep when precision runs out

using Unsigned = unsigned __int128;

/// Cuts precision to 38, giving up fraction digits down to six first.
DecimalShape Fit(int precision, int scale) {
  if (precision <= kMaxPrecision) return {precision, scale};
  const int integer_digits = precision - scale;
  const int kept = std::min(scale, kKeptScale);
  return {kMaxPrecision, std::max(kMaxPrecision - integer_digits, kept)};
}

/// An unsigned integer of 384 bits, enough for a product of two decimals times a power of ten up to 10^38.
class Wide {
 public:
  static constexpr std::size_t kWords = 12;

  explicit Wide(Unsigned value) {
    for (std::size_t i = 0; i < 4; ++i) words_[i] = static_cast<std::uint32_t>(value >> (32 * i));
  }

  void Multiply(Unsigned factor) {
    std::array<std::uint32_t, 4> parts{};
    for (std::size_t i = 0; i < 4; ++i) parts[i] = static_cast<std::uint32_t>(factor >> (32 * i));
    std::array<std::uint32_t, kWords> product{};
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < kWords; ++j) {
        const std::uint64_t sum = std::uint64_t{parts[i]} * words_[j] + product[i + j] + carry;
        product[i + j] = static_cast<std::uint32_t>(sum);
        carry = sum >> 32;
      }
    }
    words_ = product;
  }

  void Add(Unsigned value) {
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint64_t part = i < 4 ? static_cast<std::uint32_t>(value >> (32 * i)) : 0;
      const std::uint64_t sum = std::uint64_t{words_[i]} + part + carry;
      words_[i] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
  }

  /// Divides and returns the remainder. Precondition: divisor < 2^127.
  Unsigned Divide(Unsigned divisor) {
    Unsigned rest = 0;
    for (std::size_t bit = kWords * 32; bit-- > 0;) {
      rest = (rest << 1) | ((words_[bit / 32] >> (bit % 32)) & 1U);
      words_[bit / 32] &= ~(1U << (bit % 32));
      if (rest >= divisor) {
        rest -= divisor;
        words_[bit / 32] |= 1U << (bit % 32);
      }
    }
    return rest;
  }

  /// nullopt if it does not fit 127 bits.
  std::optional<Unsigned> Narrow() const {
    for (std::size_t i = 4; i < kWords; ++i) {
      if (words_[i] != 0) return std::nullopt;
    }
    Unsigned value = 0;
    for (std::size_t i = 4; i-- > 0;) value = (value << 32) | words_[i];
    if (value >> 127 != 0) return std::nullopt;
    return value;
  }

 private:
  std::array<std::uint32_t, kWords> words_{};
};

Unsigned PowerOf10(int exponent) {
  Unsigned power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

void Scale(Wide& value, int digits) {
  for (; digits > 0; digits -= std::min(digits, kMaxPrecision))
    value.Multiply(PowerOf10(std::min(digits, kMaxPrecision)));
}

Unsigned Magnitude(Int128 value) {
  return value < 0 ? Unsigned{0} - static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
}

std::optional<Int128> WithSign(const Wide& magnitude, bool negative, DecimalShape result) {
  const std::optional<Unsigned> value = magnitude.Narrow();
  if (!value || *value >= PowerOf10(result.precision)) return std::nullopt;
  return negative ? -static_cast<Int128>(*value) : static_cast<Int128>(*value);
}

/// value / divisor, rounded half up away from zero.
void DivideRounding(Wide& value, Unsigned divisor) {
  const Unsigned rest = value.Divide(divisor);
  if (rest >= divisor - rest) value.Add(1);
}

/// A number of scale `from` as one of scale result.scale.
std::optional<Int128> Rescale(Wide magnitude, bool negative, int from, DecimalShape result) {
  if (from < result.scale) Scale(magnitude, result.scale - from);
  for (int surplus = from - result.scale; surplus > 0;) {
    // Two steps would round twice; only the last digit decides, so cut all but the last step.
    const int step = std::min(surplus, 37);
    if (step < surplus) {
      const Unsigned rest = magnitude.Divide(PowerOf10(step));
      static_cast<void>(rest);
    } else {
      DivideRounding(magnitude, PowerOf10(step));
    }
    surplus -= step;
  }
  return WithSign(magnitude, negative, result);
}

}  // namespace

DecimalShape SumShape(DecimalShape a, DecimalShape b) {
  const int scale = std::max(a.scale, b.scale);
  return Fit(std::max(a.precision - a.scale, b.precision - b.scale) + scale + 1, scale);
}

DecimalShape ProductShape(DecimalShape a, DecimalShape b) {
  return Fit(a.precision + b.precision + 1, a.scale + b.scale);
}

DecimalShape QuotientShape(DecimalShape a, DecimalShape b) {
  const int scale = std::max(kKeptScale, a.scale + b.precision + 1);
  return Fit(a.precision - a.scale + b.scale + scale, scale);
}

DecimalShape RemainderShape(DecimalShape a, DecimalShape b) {
  const int scale = std::max(a.scale, b.scale);
  return Fit(std::min(a.precision - a.scale, b.precision - b.scale) + scale, scale);
}

DecimalShape CommonShape(DecimalShape a, DecimalShape b) {
  const int scale = std::max(a.scale, b.scale);
  const int integer_digits = std::max(a.precision - a.scale, b.precision - b.scale);
  if (integer_digits + scale <= kMaxPrecision) return {integer_digits + scale, scale};
  return {kMaxPrecision, std::max(0, kMaxPrecision - integer_digits)};
}

DecimalShape RoundedShape(DecimalShape value, int digits) {
  if (digits >= value.scale) return value;
  if (digits < 0) return {std::min(kMaxPrecision, 1 + value.precision - value.scale), 0};
  return {1 + value.precision - value.scale + digits, digits};
}

std::optional<Int128> AddDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result) {
  const int scale = std::max(a_scale, b_scale);
  Wide left(Magnitude(a));
  Wide right(Magnitude(b));
  Scale(left, scale - a_scale);
  Scale(right, scale - b_scale);
  // At most 38 + 38 digits each. Subtract by magnitude where the signs differ.
  if ((a < 0) == (b < 0)) {
    const std::optional<Unsigned> low = right.Narrow();
    if (low) {
      left.Add(*low);
    } else {
      const std::optional<Unsigned> other = left.Narrow();
      if (!other) return std::nullopt;
      right.Add(*other);
      left = right;
    }
    return Rescale(left, a < 0, scale, result);
  }
  const std::optional<Unsigned> x = left.Narrow();
  const std::optional<Unsigned> y = right.Narrow();
  if (!x || !y) return std::nullopt;
  return *x >= *y ? Rescale(Wide(*x - *y), a < 0, scale, result) : Rescale(Wide(*y - *x), b < 0, scale, result);
}

std::optional<Int128> MultiplyDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result) {
  Wide product(Magnitude(a));
  product.Multiply(Magnitude(b));
  return Rescale(product, (a < 0) != (b < 0), a_scale + b_scale, result);
}

std::optional<Int128> DivideDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result) {
  Wide quotient(Magnitude(a));
  // a / b = (a_digits * 10^(b_scale - a_scale)) / b_digits; add the result's scale and bring surplus to the divisor's
  // side.
  const int shift = result.scale + b_scale - a_scale;
  if (shift >= 0) {
    Scale(quotient, shift);
    DivideRounding(quotient, Magnitude(b));
    return WithSign(quotient, (a < 0) != (b < 0), result);
  }
  Wide divisor(Magnitude(b));
  Scale(divisor, -shift);
  const std::optional<Unsigned> narrow = divisor.Narrow();
  if (!narrow) return Int128{0};  // a has at most 38 digits, so the quotient is below one half
  DivideRounding(quotient, *narrow);
  return WithSign(quotient, (a < 0) != (b < 0), result);
}

std::optional<Int128> RemainderOfDecimals(Int128 a, int a_scale, Int128 b, int b_scale, DecimalShape result) {
  const int scale = std::max(a_scale, b_scale);
  Wide left(Magnitude(a));
  Wide right(Magnitude(b));
  Scale(left, scale - a_scale);
  Scale(right, scale - b_scale);
  const std::optional<Unsigned> divisor = right.Narrow();
  const Unsigned rest = divisor ? left.Divide(*divisor) : left.Narrow().value_or(0);
  return Rescale(Wide(rest), a < 0, scale, result);
}

std::optional<Int128> RoundDecimal(Int128 value, int scale, int digits, bool cut, DecimalShape result) {
  Wide magnitude(Magnitude(value));
  const int dropped = scale - digits;
  if (dropped > kMaxPrecision) return Int128{0};
  if (dropped <= 0) return Rescale(magnitude, value < 0, scale, result);
  if (cut) {
    magnitude.Divide(PowerOf10(dropped));
  } else if (dropped == kMaxPrecision) {
    if (Magnitude(value) < PowerOf10(kMaxPrecision) / 2) return Int128{0};
    magnitude = Wide(1);
  } else {
    DivideRounding(magnitude, PowerOf10(dropped));
  }
  Scale(magnitude, std::max(0, -digits));
  return Rescale(magnitude, value < 0, std::max(0, digits), result);
}

}  // namespace braid
