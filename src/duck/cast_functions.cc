#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/function/scalar_function.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "duck/errors_internal.h"
#include "duck/flink_text.h"
#include "duck/rows_internal.h"
#include "duck/utf8_internal.h"
#include "types/number_text.h"

namespace braid {
namespace {

using duckdb::LogicalType;
using Text = std::string_view;

[[noreturn]] void ThrowBadText(Text text, std::string_view type) {
  ThrowError(Error(ErrorCode::kInvalidArgument, fmt::format("'{}' cannot be cast to {}", text, type))
                 .Hint("TRY_CAST gives NULL instead"));
}

/// Two functions from one parser: flink_cast_X, which fails, and flink_try_X, which gives NULL.
template <typename Stored, typename Parse>
void AddParser(FunctionRegistrar& registrar, const std::string& name, const LogicalType& type, std::string sql_name,
               Parse parse) {
  registrar.Add(("flink_try_" + name).c_str(), {LogicalType::VARCHAR}, type,
                RowFunction<Stored, Text>([parse](Text text, Stored& out) {
                  const std::optional<Stored> value = parse(text);
                  if (value) out = *value;
                  return value.has_value();
                }));
  registrar.Add(("flink_cast_" + name).c_str(), {LogicalType::VARCHAR}, type,
                RowFunction<Stored, Text>([parse, sql_name = std::move(sql_name)](Text text, Stored& out) {
                  const std::optional<Stored> value = parse(text);
                  if (!value) ThrowBadText(text, sql_name);
                  out = *value;
                }));
}

template <typename T>
void AddIntegerParser(FunctionRegistrar& registrar, const std::string& name, const LogicalType& type,
                      std::string sql_name) {
  AddParser<T>(registrar, name, type, std::move(sql_name), [](Text text) -> std::optional<T> {
    const std::optional<std::int64_t> value = ParseJavaInteger(Trim(text), 8 * sizeof(T));
    return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
  });
}

void RegisterParsers(FunctionRegistrar& registrar) {
  AddIntegerParser<std::int8_t>(registrar, "tinyint", LogicalType::TINYINT, "TINYINT");
  AddIntegerParser<std::int16_t>(registrar, "smallint", LogicalType::SMALLINT, "SMALLINT");
  AddIntegerParser<std::int32_t>(registrar, "int", LogicalType::INTEGER, "INT");
  AddIntegerParser<std::int64_t>(registrar, "bigint", LogicalType::BIGINT, "BIGINT");
  AddParser<float>(registrar, "float", LogicalType::FLOAT, "FLOAT",
                   [](Text text) { return ParseJavaFloating<float>(text); });
  AddParser<double>(registrar, "double", LogicalType::DOUBLE, "DOUBLE",
                    [](Text text) { return ParseJavaFloating<double>(text); });
  AddParser<bool>(registrar, "boolean", LogicalType::BOOLEAN, "BOOLEAN", ParseFlinkBoolean);
  AddParser<duckdb::date_t>(registrar, "date", LogicalType::DATE, "DATE",
                            [](Text text) -> std::optional<duckdb::date_t> {
                              const auto days = ParseFlinkDate(text);
                              return days ? std::optional(duckdb::date_t(*days)) : std::nullopt;
                            });
  AddParser<duckdb::dtime_t>(registrar, "time", LogicalType::TIME, "TIME",
                             [](Text text) -> std::optional<duckdb::dtime_t> {
                               const auto micros = ParseFlinkTime(text);
                               return micros ? std::optional(duckdb::dtime_t(*micros)) : std::nullopt;
                             });
  AddParser<duckdb::timestamp_t>(
      registrar, "timestamp", LogicalType::TIMESTAMP, "TIMESTAMP", [](Text text) -> std::optional<duckdb::timestamp_t> {
        const auto value = ParseFlinkTimestamp(text);
        return value ? std::optional(duckdb::timestamp_t(value->seconds * 1'000'000 + value->nanos / 1000))
                     : std::nullopt;
      });
  AddParser<duckdb::timestamp_ns_t>(registrar, "timestamp_ns", LogicalType::TIMESTAMP_NS, "TIMESTAMP",
                                    [](Text text) -> std::optional<duckdb::timestamp_ns_t> {
                                      const auto value = ParseFlinkTimestamp(text);
                                      if (!value) return std::nullopt;
                                      // Nanoseconds in 64 bits end in 1677 and 2262. NULL would not be what Flink gives.
                                      if (value->seconds > 9'223'372'035 || value->seconds < -9'223'372'036) {
                                        ThrowError(Error(ErrorCode::kUnsupported,
                                                         fmt::format("'{}' lies outside 1677-09-21 to 2262-04-11, which "
                                                                     "is all that queries know of TIMESTAMP(7) to (9)",
                                                                     text))
                                                       .Hint("TIMESTAMP(6) reaches further"));
                                      }
                                      duckdb::timestamp_ns_t result;
                                      result.value = value->seconds * 1'000'000'000 + value->nanos;
                                      return result;
                                    });
}

/// flink_cast_decimal and flink_try_decimal (text, precision, scale).
template <bool Try>
void ParseDecimals(duckdb::DataChunk& arguments, duckdb::ExpressionState& /*state*/, duckdb::Vector& result) {
  duckdb::UnifiedVectorFormat format;
  arguments.data[0].ToUnifiedFormat(arguments.size(), format);
  const int precision = duckdb::DecimalType::GetWidth(result.GetType());
  const int scale = duckdb::DecimalType::GetScale(result.GetType());
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  for (duckdb::idx_t row = 0; row < arguments.size(); ++row) {
    const duckdb::idx_t index = format.sel->get_index(row);
    std::optional<Decimal> value;
    if (format.validity.RowIsValid(index)) {
      const Text text = ArgumentOf<Text>::Read(duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format)[index]);
      const auto parsed = ParseDecimal(Trim(text), precision, scale);
      value = parsed ? *parsed : std::nullopt;
      if (!value && !Try) ThrowBadText(text, fmt::format("DECIMAL({}, {})", precision, scale));
    }
    if (!value) {
      duckdb::FlatVector::SetNull(result, row, true);
      continue;
    }
    switch (result.GetType().InternalType()) {
      case duckdb::PhysicalType::INT16:
        duckdb::FlatVector::GetData<std::int16_t>(result)[row] = static_cast<std::int16_t>(value->unscaled);
        break;
      case duckdb::PhysicalType::INT32:
        duckdb::FlatVector::GetData<std::int32_t>(result)[row] = static_cast<std::int32_t>(value->unscaled);
        break;
      case duckdb::PhysicalType::INT64:
        duckdb::FlatVector::GetData<std::int64_t>(result)[row] = static_cast<std::int64_t>(value->unscaled);
        break;
      default: {
        duckdb::hugeint_t wide;
        wide.lower = static_cast<std::uint64_t>(value->unscaled);
        wide.upper = static_cast<std::int64_t>(value->unscaled >> 64);
        duckdb::FlatVector::GetData<duckdb::hugeint_t>(result)[row] = wide;
      }
    }
  }
}

duckdb::unique_ptr<duckdb::FunctionData> BindDecimal(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  const auto constant = [&](std::size_t i) {
    return duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[i]).GetValue<std::uint8_t>();
  };
  function.SetReturnType(LogicalType::DECIMAL(constant(1), constant(2)));
  return nullptr;
}

/// Java's narrowing: floating numbers saturate at the ends of INT or BIGINT, and wider integers lose their high bits.
template <typename To>
To Saturate(double value) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (value >= static_cast<double>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <typename To>
void AddNarrowing(FunctionRegistrar& registrar, const char* name, const LogicalType& type) {
  registrar.Add(name, {LogicalType::BIGINT}, type,
                RowFunction<To, std::int64_t>([](std::int64_t value, To& out) { out = static_cast<To>(value); }));
  registrar.Add(name, {LogicalType::DOUBLE}, type, RowFunction<To, double>([](double value, To& out) {
                  if constexpr (sizeof(To) == 8) {
                    out = Saturate<std::int64_t>(value);
                  } else {
                    out = static_cast<To>(Saturate<std::int32_t>(value));
                  }
                }));
}

/// CHAR(n): pads with blanks and cuts.
void PadText(Text text, std::int32_t length, std::string& out) {
  out = text.substr(0, OffsetOfCodePoint(text, length));
  out.append(static_cast<std::size_t>(std::max<std::int64_t>(0, length - CountCodePoints(out))), ' ');
}

void PadBytes(Text bytes, std::int32_t length, std::string& out) {
  out = bytes.substr(0, static_cast<std::size_t>(length));
  out.resize(static_cast<std::size_t>(length), '\0');
}

void CutBytes(Text bytes, std::int32_t length, std::string& out) {
  out = bytes.substr(0, static_cast<std::size_t>(length));
}

void RegisterPrinters(FunctionRegistrar& registrar) {
  const LogicalType text = LogicalType::VARCHAR;
  registrar.Add("flink_months_text", {LogicalType::BIGINT}, text,
                RowFunction<std::string, std::int64_t>(
                    [](std::int64_t months, std::string& out) { AppendFlinkMonths(months, out); }));
  registrar.Add("flink_millis_text", {LogicalType::BIGINT}, text,
                RowFunction<std::string, std::int64_t>(
                    [](std::int64_t millis, std::string& out) { AppendFlinkMillis(millis, out); }));
  registrar.Add("flink_char", {text, LogicalType::INTEGER}, text,
                RowFunction<std::string, Text, std::int32_t>(PadText));
  registrar.Add("flink_binary", {LogicalType::BLOB, LogicalType::INTEGER}, LogicalType::BLOB,
                RowFunction<std::string, Text, std::int32_t>(PadBytes));
  registrar.Add("flink_varbinary", {LogicalType::BLOB, LogicalType::INTEGER}, LogicalType::BLOB,
                RowFunction<std::string, Text, std::int32_t>(CutBytes));
}

}  // namespace

void RegisterCastFunctions(FunctionRegistrar& registrar) {
  RegisterParsers(registrar);
  RegisterPrinters(registrar);
  for (const bool is_try : {false, true}) {
    duckdb::ScalarFunction function(is_try ? "flink_try_decimal" : "flink_cast_decimal",
                                    {LogicalType::VARCHAR, LogicalType::INTEGER, LogicalType::INTEGER},
                                    LogicalType::DECIMAL(38, 0), is_try ? ParseDecimals<true> : ParseDecimals<false>,
                                    BindDecimal);
    registrar.Add(std::move(function));
  }
  AddNarrowing<std::int8_t>(registrar, "flink_to_tinyint", LogicalType::TINYINT);
  AddNarrowing<std::int16_t>(registrar, "flink_to_smallint", LogicalType::SMALLINT);
  AddNarrowing<std::int32_t>(registrar, "flink_to_int", LogicalType::INTEGER);
  AddNarrowing<std::int64_t>(registrar, "flink_to_bigint", LogicalType::BIGINT);
  // Java prints a double first and then reads the decimal, so that 1.015 rounds to 1.02.
  registrar.Add("flink_double_text", {LogicalType::DOUBLE}, LogicalType::VARCHAR,
                RowFunction<std::string, double>([](double value, std::string& out) { AppendJavaNumber(value, out); }));
  registrar.Add("flink_double_text", {LogicalType::FLOAT}, LogicalType::VARCHAR,
                RowFunction<std::string, float>([](float value, std::string& out) { AppendJavaNumber(value, out); }));
}

}  // namespace braid
