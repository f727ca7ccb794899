#pragma once

// How native functions go over the rows of their arguments; for this folder's sources that see DuckDB's headers.

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <duckdb/common/types/data_chunk.hpp>
#include <duckdb/function/scalar_function.hpp>

namespace braid {

/// Puts functions into the database's catalog while the engine opens. May throw as DuckDB does.
class FunctionRegistrar {
 public:
  explicit FunctionRegistrar(duckdb::ClientContext& context) : context_(context) {}

  void Add(duckdb::ScalarFunction function);
  /// A function that gives NULL for any NULL.
  void Add(const char* name, duckdb::vector<duckdb::LogicalType> arguments, duckdb::LogicalType result,
           duckdb::scalar_function_t body) {
    Add(duckdb::ScalarFunction(name, std::move(arguments), std::move(result), std::move(body)));
  }

 private:
  duckdb::ClientContext& context_;
};

/// What a body sees of an argument: text as string_view, else DuckDB's own value.
template <typename T>
struct ArgumentOf {
  using Stored = T;
  static const T& Read(const T& value) { return value; }
};
template <>
struct ArgumentOf<std::string_view> {
  using Stored = duckdb::string_t;
  static std::string_view Read(const duckdb::string_t& value) { return {value.GetData(), value.GetSize()}; }
};

/// Where a body puts its result: text into a string that is reused for every row, else a value.
template <typename T>
struct ResultOf {
  using Scratch = T;
  using Stored = T;
  static void Reset(T& value) { value = T{}; }
  static T Store(duckdb::Vector& /*vector*/, const T& value) { return value; }
};
template <>
struct ResultOf<std::string> {
  using Scratch = std::string;
  using Stored = duckdb::string_t;
  static void Reset(std::string& value) { value.clear(); }
  static duckdb::string_t Store(duckdb::Vector& vector, const std::string& value) {
    return duckdb::StringVector::AddStringOrBlob(vector, value.data(), value.size());
  }
};

/// Calls body(argument…, result&) for every row without NULL arguments; a body that gives bool says false for NULL.
/// Constant arguments give a constant result, computed once.
template <typename Result, typename... Arguments, typename Body>
void ForRows(duckdb::DataChunk& arguments, duckdb::Vector& result, Body&& body) {
  constexpr std::size_t kCount = sizeof...(Arguments);
  const bool constant = arguments.AllConstant();
  const duckdb::idx_t rows = constant ? 1 : arguments.size();
  std::array<duckdb::UnifiedVectorFormat, kCount> formats;
  for (std::size_t i = 0; i < kCount; ++i) arguments.data[i].ToUnifiedFormat(arguments.size(), formats[i]);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* values = duckdb::FlatVector::GetData<typename ResultOf<Result>::Stored>(result);
  duckdb::ValidityMask& validity = duckdb::FlatVector::Validity(result);
  typename ResultOf<Result>::Scratch scratch{};
  for (duckdb::idx_t row = 0; row < rows; ++row) {
    bool valid = true;
    for (const auto& format : formats) valid = valid && format.validity.RowIsValid(format.sel->get_index(row));
    if (valid) {
      ResultOf<Result>::Reset(scratch);
      valid = [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto call = [&]() -> decltype(auto) {
          return body(
              ArgumentOf<Arguments>::Read(duckdb::UnifiedVectorFormat::GetData<typename ArgumentOf<Arguments>::Stored>(
                  formats[I])[formats[I].sel->get_index(row)])...,
              scratch);
        };
        if constexpr (std::is_same_v<decltype(call()), bool>) {
          return call();
        } else {
          call();
          return true;
        }
      }(std::make_index_sequence<kCount>());
    }
    if (valid) {
      values[row] = ResultOf<Result>::Store(result, scratch);
    } else {
      validity.SetInvalid(row);
    }
  }
  if (constant) result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
}

/// A DuckDB function from a body of ForRows.
template <typename Result, typename... Arguments, typename Body>
duckdb::scalar_function_t RowFunction(Body body) {
  return [body](duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
    ForRows<Result, Arguments...>(arguments, result, body);
  };
}

// One for each family of functions; each adds its own.
void RegisterArithmeticFunctions(FunctionRegistrar& registrar);
void RegisterMathFunctions(FunctionRegistrar& registrar);
void RegisterStringFunctions(FunctionRegistrar& registrar);
void RegisterRegexFunctions(FunctionRegistrar& registrar);
void RegisterEncodingFunctions(FunctionRegistrar& registrar);
void RegisterTemporalFunctions(FunctionRegistrar& registrar);
void RegisterCastFunctions(FunctionRegistrar& registrar);
void RegisterCollectionFunctions(FunctionRegistrar& registrar);
void RegisterJsonFunctions(FunctionRegistrar& registrar);
void RegisterVariantFunctions(FunctionRegistrar& registrar);
void RegisterPrintFunctions(FunctionRegistrar& registrar);

}  // namespace braid
