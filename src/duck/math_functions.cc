#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include <duckdb/function/scalar_function.hpp>

#include "duck/decimal_arithmetic.h"
#include "duck/rows_internal.h"

namespace braid {
namespace {

using duckdb::LogicalType;

template <double (*Function)(double)>
void Unary(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  duckdb::UnaryExecutor::Execute<double, double>(arguments.data[0], result, arguments.size(), Function);
}
template <double (*Function)(double, double)>
void Binary(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  duckdb::BinaryExecutor::Execute<double, double, double>(arguments.data[0], arguments.data[1], result,
                                                          arguments.size(), Function);
}

// Java's results at the edges, where DuckDB raises errors: NaN and infinities.
double Sqrt(double x) {
  return std::sqrt(x);
}
double Exp(double x) {
  return std::exp(x);
}
double Ln(double x) {
  return std::log(x);
}
double Log10(double x) {
  return std::log10(x);
}
double Log2(double x) {
  return std::log(x) / std::numbers::ln2;
}
double Log(double base, double x) {
  return std::log(x) / std::log(base);
}
double Sin(double x) {
  return std::sin(x);
}
double Cos(double x) {
  return std::cos(x);
}
double Tan(double x) {
  return std::tan(x);
}
double Cot(double x) {
  return 1.0 / std::tan(x);
}
double Asin(double x) {
  return std::asin(x);
}
double Acos(double x) {
  return std::acos(x);
}
double Atan(double x) {
  return std::atan(x);
}
double Sinh(double x) {
  return std::sinh(x);
}
double Cosh(double x) {
  return std::cosh(x);
}
double Tanh(double x) {
  return std::tanh(x);
}
double Degrees(double x) {
  return x * (180.0 / std::numbers::pi);
}
double Radians(double x) {
  return x / 180.0 * std::numbers::pi;
}
double Sign(double x) {
  return x > 0 ? 1.0 : (x < 0 ? -1.0 : x);
}
double Floor(double x) {
  return std::floor(x);
}
double Ceil(double x) {
  return std::ceil(x);
}
double Power(double x, double y) {
  return std::pow(x, y);
}

/// The digits of a number as its shortest decimal text says them: value = digits * 10^exponent.
struct ShortestDigits {
  std::int64_t digits;  // at most 17 of them
  int exponent;
};

template <typename T>
ShortestDigits Shortest(T value) {
  char text[64];
  const char* end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  ShortestDigits result{0, 0};
  const char* c = text;
  bool fraction = false;
  for (; c < end && *c != 'e'; ++c) {
    if (*c == '.') {
      fraction = true;
    } else {
      result.digits = result.digits * 10 + (*c - '0');
      if (fraction) --result.exponent;
    }
  }
  if (c < end) ++c;
  if (c < end && *c == '+') ++c;
  int exponent = 0;
  std::from_chars(c, end, exponent);
  result.exponent += exponent;
  return result;
}

/// Rounds half up, or cuts, in the number's decimal text, as Java's BigDecimal.valueOf does: 1.005 to 2 digits is 1.01.
template <typename T>
T RoundByText(T value, std::int32_t places, bool cut) {
  if (!std::isfinite(value) || value == 0) return value;
  const ShortestDigits number = Shortest(std::fabs(value));
  const int dropped = -number.exponent - places;
  if (dropped <= 0) return value;
  std::int64_t kept = 0;
  if (dropped <= 18) {
    std::int64_t power = 1;
    for (int i = 0; i < dropped; ++i) power *= 10;
    kept = number.digits / power;
    if (!cut && (number.digits % power) * 2 >= power) ++kept;
  }
  char text[64];
  char* end = std::to_chars(text, text + 24, kept).ptr;
  *end++ = 'e';
  end = std::to_chars(end, text + sizeof(text), -places).ptr;
  T rounded = 0;
  std::from_chars(text, end, rounded);
  return std::copysign(rounded, value);
}

std::int64_t RoundInteger(std::int64_t value, std::int32_t places, bool cut) {
  if (places >= 0) return value;
  const auto rounded = RoundDecimal(value, 0, places, cut, {38, 0});
  return rounded ? static_cast<std::int64_t>(*rounded) : 0;
}

template <typename T>
void RegisterRounding(FunctionRegistrar& registrar, const LogicalType& type) {
  for (const bool cut : {false, true}) {
    registrar.Add(cut ? "flink_truncate" : "flink_round", {type, LogicalType::INTEGER}, type,
                  RowFunction<T, T, std::int32_t>([cut](T value, std::int32_t places, T& result) {
                    if constexpr (std::is_integral_v<T>) {
                      result = static_cast<T>(RoundInteger(value, places, cut));
                    } else {
                      result = RoundByText(value, places, cut);
                    }
                  }));
  }
}

}  // namespace

void RegisterMathFunctions(FunctionRegistrar& registrar) {
  struct One {
    const char* name;
    void (*body)(duckdb::DataChunk&, duckdb::ExpressionState&, duckdb::Vector&);
  };
  for (const One& one :
       {One{"flink_sqrt", Unary<Sqrt>},    {"flink_exp", Unary<Exp>},         {"flink_ln", Unary<Ln>},
        {"flink_log10", Unary<Log10>},     {"flink_log2", Unary<Log2>},       {"flink_sin", Unary<Sin>},
        {"flink_cos", Unary<Cos>},         {"flink_tan", Unary<Tan>},         {"flink_cot", Unary<Cot>},
        {"flink_asin", Unary<Asin>},       {"flink_acos", Unary<Acos>},       {"flink_atan", Unary<Atan>},
        {"flink_sinh", Unary<Sinh>},       {"flink_cosh", Unary<Cosh>},       {"flink_tanh", Unary<Tanh>},
        {"flink_degrees", Unary<Degrees>}, {"flink_radians", Unary<Radians>}, {"flink_sign", Unary<Sign>},
        {"flink_floor", Unary<Floor>},     {"flink_ceil", Unary<Ceil>}}) {
    registrar.Add(one.name, {LogicalType::DOUBLE}, LogicalType::DOUBLE, one.body);
  }
  registrar.Add("flink_log", {LogicalType::DOUBLE, LogicalType::DOUBLE}, LogicalType::DOUBLE, Binary<Log>);
  registrar.Add("flink_power", {LogicalType::DOUBLE, LogicalType::DOUBLE}, LogicalType::DOUBLE, Binary<Power>);
  RegisterRounding<std::int8_t>(registrar, LogicalType::TINYINT);
  RegisterRounding<std::int16_t>(registrar, LogicalType::SMALLINT);
  RegisterRounding<std::int32_t>(registrar, LogicalType::INTEGER);
  RegisterRounding<std::int64_t>(registrar, LogicalType::BIGINT);
  RegisterRounding<float>(registrar, LogicalType::FLOAT);
  RegisterRounding<double>(registrar, LogicalType::DOUBLE);
}

}  // namespace braid
