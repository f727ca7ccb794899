#include "types/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace braid {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Appends NaN or an infinity; false if the number is finite.
template <typename Number>
bool AppendSpecial(Number value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    return false;
  }
  return true;
}

template <typename Number>
void AppendShortestNumber(Number value, std::string& out) {
  if (AppendSpecial(value, out)) return;
  std::array<char, 512> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

/// Significant digits of a finite number that is not zero, and the power of ten of the first one.
struct Digits {
  std::string text;  // at least two
  int exponent = 0;
};

/// Java up to 18 prints whole numbers below 2^63 by their exact digits, without those that surely mean nothing; that may be
/// more than are needed to read the same number back.
template <typename Number>
Digits WholeDigits(Number magnitude) {
  const int bits_beyond = std::ilogb(magnitude) - std::numeric_limits<Number>::digits - 1;
  // As many as 2^bits_beyond has after its first.
  const int dropped = bits_beyond > 1 ? static_cast<int>(bits_beyond * 0.30103) : 0;
  const auto unit = static_cast<std::int64_t>(PowerOfTen(dropped));
  const auto whole = static_cast<std::int64_t>(magnitude);
  Digits digits;
  digits.text = std::to_string(whole / unit + (whole % unit >= unit / 2 && dropped > 0 ? 1 : 0));
  digits.exponent = static_cast<int>(digits.text.size()) - 1 + dropped;
  while (digits.text.size() > 2 && digits.text.back() == '0') digits.text.pop_back();
  return digits;
}

template <typename Number>
Digits JavaDigits(Number magnitude) {
  const bool whole = magnitude >= std::ldexp(Number{1}, std::numeric_limits<Number>::digits);
  if (whole && magnitude < std::ldexp(Number{1}, 63)) return WholeDigits(magnitude);
  std::array<char, 64> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific).ptr;
  if (buffer[1] == 'e') {
    // Java prints two digits at least and then takes the nearest of these: 4.9E-324, not 5.0E-324.
    end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific, 1).ptr;
  }
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  Digits digits;
  digits.text = std::string(text.substr(0, 1)) + std::string(text.substr(2, e - 2));
  const char* exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent, text.data() + text.size(), digits.exponent);
  return digits;
}

template <typename Number>
void AppendAsJava(Number value, std::string& out) {
  if (AppendSpecial(value, out)) return;
  if (std::signbit(value)) out += '-';
  if (value == 0) {
    out += "0.0";
    return;
  }
  Digits digits = JavaDigits(std::abs(value));
  if (digits.exponent >= 7 || digits.exponent < -3) {
    out += digits.text[0];
    out += '.';
    out.append(digits.text, 1);
    out += 'E';
    out += std::to_string(digits.exponent);
    return;
  }
  if (digits.exponent < 0) {
    // The second of two digits may be a filler.
    if (digits.text.size() == 2 && digits.text[1] == '0') digits.text.pop_back();
    out += "0.";
    out.append(static_cast<std::size_t>(-digits.exponent - 1), '0');
    out += digits.text;
    return;
  }
  const std::size_t integer_digits = static_cast<std::size_t>(digits.exponent) + 1;
  if (digits.text.size() <= integer_digits) digits.text.append(integer_digits + 1 - digits.text.size(), '0');
  out.append(digits.text, 0, integer_digits);
  out += '.';
  out.append(digits.text, integer_digits);
}

/// A number's text taken apart: digits times ten to the power of exponent.
struct Scientific {
  bool negative = false;
  std::string digits;  // without leading zeros
  std::int64_t exponent = 0;
};

/// Reads an exponent's digits, bounded so that sums of them cannot overflow; false unless all of the text is one.
bool ReadExponent(std::string_view text, std::int64_t& exponent) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 10) return false;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
    value = value * 10 + (c - '0');
  }
  exponent += negative ? -value : value;
  return true;
}

std::optional<Scientific> ReadScientific(std::string_view text) {
  Scientific number;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  bool any = false;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < text.size() && (IsDigit(text[i]) || (text[i] == '.' && !fraction)); ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    any = true;
    if (fraction) --number.exponent;
    if (text[i] != '0' || !number.digits.empty()) number.digits += text[i];
  }
  if (!any) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    if (!ReadExponent(text.substr(i + 1), number.exponent)) return std::nullopt;
  }
  return number;
}

/// Hexadecimal digits, optionally with a point, and a binary exponent, after "0x".
template <typename Number>
std::optional<Number> ParseHexadecimal(std::string_view text) {
  if (text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  return value;
}

template <typename Number>
std::optional<Number> ParseUnsigned(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<Number>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<Number>::infinity();
  if (!text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos &&
      !text.starts_with("0x")) {
    text.remove_suffix(1);
  }
  if (text.starts_with("0x") || text.starts_with("0X")) return ParseHexadecimal<Number>(text.substr(2));
  if (text.empty() || text.front() == '+' || text.front() == '-') return std::nullopt;
  const std::optional<Scientific> number = ReadScientific(text);
  if (!number) return std::nullopt;
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    const bool large = static_cast<std::int64_t>(number->digits.size()) + number->exponent > 0;
    return large ? std::numeric_limits<Number>::infinity() : Number{0};
  }
  return value;
}

}  // namespace

void AppendShortest(float value, std::string& out) { AppendShortestNumber(value, out); }
void AppendShortest(double value, std::string& out) { AppendShortestNumber(value, out); }
void AppendJavaNumber(float value, std::string& out) { AppendAsJava(value, out); }
void AppendJavaNumber(double value, std::string& out) { AppendAsJava(value, out); }

void AppendDecimal(Int128 unscaled, int scale, std::string& out) {
  __extension__ using UInt128 = unsigned __int128;
  UInt128 magnitude = static_cast<UInt128>(unscaled);
  if (unscaled < 0) {
    out += '-';
    magnitude = -magnitude;
  }
  std::array<char, 48> buffer;
  std::size_t at = buffer.size();
  int digits = 0;
  do {
    if (digits == scale && scale > 0) buffer[--at] = '.';
    buffer[--at] = static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
    ++digits;
  } while (magnitude != 0 || digits <= scale);
  out.append(buffer.data() + at, buffer.size() - at);
}

Int128 PowerOfTen(int exponent) {
  static const auto kPowers = [] {
    std::array<Int128, 39> powers{};
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
  }();
  return kPowers[static_cast<std::size_t>(exponent)];
}

std::optional<Decimal> RescaleDecimal(Decimal value, int from_scale, int precision, int scale) {
  Int128 unscaled = value.unscaled;
  if (scale > from_scale) {
    const Int128 limit = PowerOfTen(38 - (scale - from_scale));
    if (unscaled >= limit || unscaled <= -limit) return std::nullopt;
    unscaled *= PowerOfTen(scale - from_scale);
  } else if (scale < from_scale) {
    const Int128 divisor = PowerOfTen(from_scale - scale);
    const Int128 rest = unscaled % divisor;
    unscaled /= divisor;
    // Comparing with the missing part keeps clear of doubling, which 128 bits may not hold.
    if (rest > 0 && rest >= divisor - rest) ++unscaled;
    if (rest < 0 && -rest >= divisor + rest) --unscaled;
  }
  const Int128 limit = PowerOfTen(precision);
  if (unscaled >= limit || unscaled <= -limit) return std::nullopt;
  return Decimal{unscaled};
}

std::optional<std::optional<Decimal>> ParseDecimal(std::string_view text, int precision, int scale) {
  const std::optional<Scientific> number = ReadScientific(text);
  if (!number) return std::nullopt;
  if (number->digits.empty()) return Decimal{0};
  const std::int64_t shift = number->exponent + scale;
  const std::int64_t kept = static_cast<std::int64_t>(number->digits.size()) + shift;
  if (kept < 0) return Decimal{0};
  if (kept > 38) return std::optional<Decimal>();
  Int128 unscaled = 0;
  for (std::int64_t i = 0; i < kept; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    unscaled = unscaled * 10 + (at < number->digits.size() ? number->digits[at] - '0' : 0);
  }
  if (shift < 0 && number->digits[static_cast<std::size_t>(kept)] >= '5') ++unscaled;
  if (unscaled >= PowerOfTen(precision)) return std::optional<Decimal>();
  return Decimal{number->negative ? -unscaled : unscaled};
}

template <typename Number>
std::optional<Number> ParseJavaFloating(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const std::optional<Number> magnitude = ParseUnsigned<Number>(text);
  if (!magnitude) return std::nullopt;
  return negative ? -*magnitude : *magnitude;
}

template std::optional<float> ParseJavaFloating<float>(std::string_view);
template std::optional<double> ParseJavaFloating<double>(std::string_view);

std::optional<std::int64_t> ParseJavaInteger(std::string_view text, int bits) {
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const std::size_t point = std::min(text.find('.'), text.size());
  const Int128 limit = (Int128{1} << (bits - 1)) - (negative ? 0 : 1);
  Int128 magnitude = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == point) continue;
    if (!IsDigit(text[i])) return std::nullopt;
    if (i > point) continue;
    magnitude = magnitude * 10 + (text[i] - '0');
    if (magnitude > limit) return std::nullopt;
  }
  return static_cast<std::int64_t>(negative ? -magnitude : magnitude);
}

}  // namespace braid
