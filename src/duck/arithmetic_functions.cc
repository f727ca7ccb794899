#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/scalar_function.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <fmt/format.h>

#include "duck/decimal_arithmetic.h"
#include "duck/errors_internal.h"
#include "duck/rows_internal.h"

namespace braid {
namespace {

using duckdb::LogicalType;

[[noreturn]] void ThrowDivisionByZero() {
  ThrowError(Error(ErrorCode::kInvalidArgument, "division by zero"));
}

// Integers wrap as Java's do: compute without sign, where overflow is defined.
template <typename T>
T WrapAdd(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <typename T>
T WrapSubtract(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
template <typename T>
T WrapMultiply(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <typename T>
T Divide(T a, T b) {
  if (b == 0) ThrowDivisionByZero();
  return b == -1 ? WrapSubtract(T{0}, a) : static_cast<T>(a / b);
}
template <typename T>
T Remainder(T a, T b) {
  if (b == 0) ThrowDivisionByZero();
  return b == -1 ? T{0} : static_cast<T>(a % b);
}

template <typename T, T (*Operation)(T, T)>
void Binary(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  duckdb::BinaryExecutor::Execute<T, T, T>(arguments.data[0], arguments.data[1], result, arguments.size(), Operation);
}

template <typename T>
void RegisterIntegers(FunctionRegistrar& registrar, const LogicalType& type) {
  registrar.Add("flink_add", {type, type}, type, Binary<T, WrapAdd<T>>);
  registrar.Add("flink_subtract", {type, type}, type, Binary<T, WrapSubtract<T>>);
  registrar.Add("flink_multiply", {type, type}, type, Binary<T, WrapMultiply<T>>);
  registrar.Add("flink_divide", {type, type}, type, Binary<T, Divide<T>>);
  registrar.Add("flink_remainder", {type, type}, type, Binary<T, Remainder<T>>);
  registrar.Add("flink_negate", {type}, type,
                [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
                  duckdb::UnaryExecutor::Execute<T, T>(arguments.data[0], result, arguments.size(),
                                                       [](T value) { return WrapSubtract(T{0}, value); });
                });
  registrar.Add(
      "flink_abs", {type}, type, [](duckdb::DataChunk& arguments, duckdb::ExpressionState&, duckdb::Vector& result) {
        duckdb::UnaryExecutor::Execute<T, T>(arguments.data[0], result, arguments.size(),
                                             [](T value) { return value < 0 ? WrapSubtract(T{0}, value) : value; });
      });
}

/// A divisor that is an exact number may not be zero; others give Infinity or NaN.
void DivideByExact(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  duckdb::BinaryExecutor::Execute<double, double, double>(arguments.data[0], arguments.data[1], result,
                                                          arguments.size(), [](double a, double b) {
                                                            if (b == 0) ThrowDivisionByZero();
                                                            return a / b;
                                                          });
}

Int128 ToInt128(duckdb::hugeint_t value) {
  return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
}

duckdb::hugeint_t ToHugeInt(Int128 value) {
  duckdb::hugeint_t result;
  result.lower = static_cast<std::uint64_t>(value);
  result.upper = static_cast<std::int64_t>(value >> 64);
  return result;
}

/// Any decimal vector's values as 128-bit integers.
class DecimalReader {
 public:
  DecimalReader(duckdb::Vector& vector, duckdb::idx_t count) : type_(vector.GetType().InternalType()) {
    vector.ToUnifiedFormat(count, format_);
  }

  bool IsNull(duckdb::idx_t row) const { return !format_.validity.RowIsValid(format_.sel->get_index(row)); }
  Int128 Get(duckdb::idx_t row) const {
    const duckdb::idx_t index = format_.sel->get_index(row);
    switch (type_) {
      case duckdb::PhysicalType::INT16: return duckdb::UnifiedVectorFormat::GetData<std::int16_t>(format_)[index];
      case duckdb::PhysicalType::INT32: return duckdb::UnifiedVectorFormat::GetData<std::int32_t>(format_)[index];
      case duckdb::PhysicalType::INT64: return duckdb::UnifiedVectorFormat::GetData<std::int64_t>(format_)[index];
      default: return ToInt128(duckdb::UnifiedVectorFormat::GetData<duckdb::hugeint_t>(format_)[index]);
    }
  }

 private:
  duckdb::PhysicalType type_;
  duckdb::UnifiedVectorFormat format_;
};

void SetDecimal(duckdb::Vector& result, duckdb::idx_t row, Int128 value) {
  switch (result.GetType().InternalType()) {
    case duckdb::PhysicalType::INT16:
      duckdb::FlatVector::GetData<std::int16_t>(result)[row] = static_cast<std::int16_t>(value);
      return;
    case duckdb::PhysicalType::INT32:
      duckdb::FlatVector::GetData<std::int32_t>(result)[row] = static_cast<std::int32_t>(value);
      return;
    case duckdb::PhysicalType::INT64:
      duckdb::FlatVector::GetData<std::int64_t>(result)[row] = static_cast<std::int64_t>(value);
      return;
    default: duckdb::FlatVector::GetData<duckdb::hugeint_t>(result)[row] = ToHugeInt(value); return;
  }
}

DecimalShape ShapeOf(const LogicalType& type) {
  return {duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type)};
}

/// Binds flink_decimal_…(a, b, precision, scale): two decimals of any shape and the result's shape as constants.
duckdb::unique_ptr<duckdb::FunctionData> BindDecimals(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto constant = [&](std::size_t i) {
    return duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i]).GetValue<std::uint8_t>();
  };
  const std::size_t last = arguments.size();
  for (std::size_t i = 0; i + 2 < last; ++i) {
    if (arguments[i]->return_type.id() == duckdb::LogicalTypeId::DECIMAL)
      function.arguments[i] = arguments[i]->return_type;
  }
  function.SetReturnType(LogicalType::DECIMAL(constant(last - 2), constant(last - 1)));
  return nullptr;
}

using DecimalOperation = std::optional<Int128> (*)(Int128, int, Int128, int, DecimalShape);

template <DecimalOperation Operation, bool DividesBySecond>
void DecimalBinary(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  const duckdb::idx_t rows = arguments.AllConstant() ? 1 : arguments.size();
  const int a_scale = ShapeOf(arguments.data[0].GetType()).scale;
  const int b_scale = ShapeOf(arguments.data[1].GetType()).scale;
  const DecimalShape shape = ShapeOf(result.GetType());
  const DecimalReader a(arguments.data[0], arguments.size());
  const DecimalReader b(arguments.data[1], arguments.size());
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < rows; ++row) {
    std::optional<Int128> value;
    if (!a.IsNull(row) && !b.IsNull(row)) {
      if (DividesBySecond && b.Get(row) == 0) ThrowDivisionByZero();
      value = Operation(a.Get(row), a_scale, b.Get(row), b_scale, shape);
    }
    if (value) {
      SetDecimal(result, row, *value);
    } else {
      duckdb::FlatVector::SetNull(result, row, true);
    }
  }
  if (arguments.AllConstant()) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

/// flink_decimal_round(value, digits, precision, scale).
template <bool Cut>
void DecimalRound(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  const int scale = ShapeOf(arguments.data[0].GetType()).scale;
  const DecimalShape shape = ShapeOf(result.GetType());
  const DecimalReader values(arguments.data[0], arguments.size());
  duckdb::UnifiedVectorFormat digits;
  arguments.data[1].ToUnifiedFormat(arguments.size(), digits);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    const duckdb::idx_t index = digits.sel->get_index(row);
    std::optional<Int128> value;
    if (!values.IsNull(row) && digits.validity.RowIsValid(index)) {
      value = RoundDecimal(values.Get(row), scale, duckdb::UnifiedVectorFormat::GetData<std::int32_t>(digits)[index],
                           Cut, shape);
    }
    if (value) {
      SetDecimal(result, row, *value);
    } else {
      duckdb::FlatVector::SetNull(result, row, true);
    }
  }
}

std::optional<Int128> FloorDecimal(Int128 value, int scale, DecimalShape shape) {
  const std::optional<Int128> cut = RoundDecimal(value, scale, 0, true, {38, 0});
  const std::optional<Int128> back = cut ? RoundDecimal(*cut, 0, scale, true, {38, scale}) : std::nullopt;
  if (!back) return std::nullopt;
  const Int128 floored = *back > value ? *cut - 1 : *cut;
  return RoundDecimal(floored, 0, 0, true, shape);
}

/// flink_decimal_floor and _ceil (value, precision, scale).
template <bool Up>
void DecimalFloor(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  const int scale = ShapeOf(arguments.data[0].GetType()).scale;
  const DecimalShape shape = ShapeOf(result.GetType());
  const DecimalReader values(arguments.data[0], arguments.size());
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    std::optional<Int128> value;
    if (!values.IsNull(row)) {
      value = FloorDecimal(Up ? -values.Get(row) : values.Get(row), scale, shape);
    }
    if (value) {
      SetDecimal(result, row, Up ? -*value : *value);
    } else {
      duckdb::FlatVector::SetNull(result, row, true);
    }
  }
}

void AddDecimalFunction(FunctionRegistrar& registrar, const char* name, duckdb::vector<LogicalType> arguments,
                        duckdb::scalar_function_t body) {
  duckdb::ScalarFunction function(name, std::move(arguments), LogicalType::DECIMAL(38, 0), std::move(body),
                                  BindDecimals);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);  // NULL also for values that do not fit
  registrar.Add(std::move(function));
}

void RegisterDecimals(FunctionRegistrar& registrar) {
  const LogicalType decimal(duckdb::LogicalTypeId::DECIMAL);
  const LogicalType digits = LogicalType::INTEGER;
  AddDecimalFunction(registrar, "flink_decimal_add", {decimal, decimal, digits, digits},
                     DecimalBinary<AddDecimals, false>);
  AddDecimalFunction(registrar, "flink_decimal_multiply", {decimal, decimal, digits, digits},
                     DecimalBinary<MultiplyDecimals, false>);
  AddDecimalFunction(registrar, "flink_decimal_divide", {decimal, decimal, digits, digits},
                     DecimalBinary<DivideDecimals, true>);
  AddDecimalFunction(registrar, "flink_decimal_remainder", {decimal, decimal, digits, digits},
                     DecimalBinary<RemainderOfDecimals, true>);
  AddDecimalFunction(registrar, "flink_decimal_round", {decimal, digits, digits, digits}, DecimalRound<false>);
  AddDecimalFunction(registrar, "flink_decimal_truncate", {decimal, digits, digits, digits}, DecimalRound<true>);
  AddDecimalFunction(registrar, "flink_decimal_floor", {decimal, digits, digits}, DecimalFloor<false>);
  AddDecimalFunction(registrar, "flink_decimal_ceil", {decimal, digits, digits}, DecimalFloor<true>);
}

}  // namespace

void RegisterArithmeticFunctions(FunctionRegistrar& registrar) {
  RegisterIntegers<std::int8_t>(registrar, LogicalType::TINYINT);
  RegisterIntegers<std::int16_t>(registrar, LogicalType::SMALLINT);
  RegisterIntegers<std::int32_t>(registrar, LogicalType::INTEGER);
  RegisterIntegers<std::int64_t>(registrar, LogicalType::BIGINT);
  registrar.Add("flink_divide_exact", {LogicalType::DOUBLE, LogicalType::DOUBLE}, LogicalType::DOUBLE, DivideByExact);
  RegisterDecimals(registrar);
}

}  // namespace braid
