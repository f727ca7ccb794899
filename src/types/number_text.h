#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "types/datum.h"

namespace braid {

/// Shortest text that reads back to the same number, as std::to_chars, with ".0" where that would look like an
/// integer: 1.5, 1e+22, -0.0; NaN, Infinity, -Infinity without quotes.
void AppendShortest(float value, std::string& out);
void AppendShortest(double value, std::string& out);

/// As Float.toString and Double.toString of Java up to 18: 100.0, 1.0E7, 9.9E-4. One double in ten thousand outside
/// 10^-3 … 10^15 gets fewer digits than there; Java 19 and later always print the fewest.
void AppendJavaNumber(float value, std::string& out);
void AppendJavaNumber(double value, std::string& out);

/// A decimal number with exactly `scale` fraction digits.
void AppendDecimal(Int128 unscaled, int scale, std::string& out);

/// 10 to the power of `exponent`, 0 ≤ exponent ≤ 38.
Int128 PowerOfTen(int exponent);
/// The same number with another scale, rounded half up; nullopt if it has more than `precision` digits then.
std::optional<Decimal> RescaleDecimal(Decimal value, int from_scale, int precision, int scale);
/// Reads "-1.255", "+.5", "5.", "1e-3" and rounds half up to the scale; the inner nullopt means that the number has more
/// than `precision` digits. The outer nullopt means that the text is no number.
std::optional<std::optional<Decimal>> ParseDecimal(std::string_view text, int precision, int scale);

/// As Java's Double.parseDouble and Float.parseFloat: blanks around, a sign, NaN, Infinity, hexadecimal "0x1p3" and a
/// final d or f are accepted; too large numbers become infinite. nullopt if the text is no number.
template <typename Number>
std::optional<Number> ParseJavaFloating(std::string_view text);

/// As Java's casts: a sign, digits, and optionally '.' and digits that are dropped. nullopt for anything else and on overflow
/// of `bits` (8, 16, 32, 64).
std::optional<std::int64_t> ParseJavaInteger(std::string_view text, int bits);

}  // namespace braid
