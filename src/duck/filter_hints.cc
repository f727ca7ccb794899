#include <cmath>
#include <optional>
#include <utility>

#include <duckdb/planner/filter/conjunction_filter.hpp>
#include <duckdb/planner/filter/constant_filter.hpp>
#include <duckdb/planner/filter/dynamic_filter.hpp>
#include <duckdb/planner/filter/in_filter.hpp>
#include <duckdb/planner/filter/optional_filter.hpp>

#include "duck/engine_internal.h"
#include "types/predicate.h"

namespace braid {
namespace {

using duckdb::ExpressionType;
using duckdb::TableFilterType;

Int128 ToInt128(duckdb::hugeint_t value) {
  return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
}

Timestamp FromUnits(std::int64_t value, std::int64_t per_milli) {
  const std::int64_t millis = value / per_milli - (value % per_milli < 0 ? 1 : 0);
  return Timestamp{millis, static_cast<std::int32_t>((value - millis * per_milli) * (1'000'000 / per_milli))};
}

std::optional<Datum> DecimalDatum(const duckdb::Value& value) {
  switch (value.type().InternalType()) {
    case duckdb::PhysicalType::INT16: return Datum(Decimal{value.GetValueUnsafe<std::int16_t>()});
    case duckdb::PhysicalType::INT32: return Datum(Decimal{value.GetValueUnsafe<std::int32_t>()});
    case duckdb::PhysicalType::INT64: return Datum(Decimal{value.GetValueUnsafe<std::int64_t>()});
    case duckdb::PhysicalType::INT128: return Datum(Decimal{ToInt128(value.GetValueUnsafe<duckdb::hugeint_t>())});
    default: return std::nullopt;
  }
}

/// DuckDB's constant as a value of the column's type, or nullopt if a comparison with it may not mean the same to
/// Braid's readers as to DuckDB.
std::optional<Datum> ToDatum(const duckdb::Value& value, const DataType& type) {
  if (value.IsNull()) return std::nullopt;
  switch (type.kind()) {
    case TypeKind::kBoolean: return Datum(duckdb::BooleanValue::Get(value));
    case TypeKind::kTinyInt:
    case TypeKind::kSmallInt:
    case TypeKind::kInt:
    case TypeKind::kBigInt: return Datum(value.GetValue<std::int64_t>());
    case TypeKind::kFloat: return Datum(duckdb::FloatValue::Get(value));
    case TypeKind::kDouble: return Datum(duckdb::DoubleValue::Get(value));
    case TypeKind::kDecimal: return DecimalDatum(value);
    case TypeKind::kChar:
    case TypeKind::kVarChar:
    case TypeKind::kBinary:
    case TypeKind::kVarBinary: return Datum(duckdb::StringValue::Get(value));
    case TypeKind::kDate: return Datum(std::int64_t{duckdb::DateValue::Get(value).days});
    case TypeKind::kTime: {
      const std::int64_t micros = duckdb::TimeValue::Get(value).micros;
      return micros % 1000 == 0 ? std::optional(Datum(micros / 1000)) : std::nullopt;
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: {
      const bool nanos = value.type().id() == duckdb::LogicalTypeId::TIMESTAMP_NS;
      return Datum(FromUnits(value.GetValueUnsafe<std::int64_t>(), nanos ? 1'000'000 : 1000));
    }
    default: return std::nullopt;
  }
}

bool IsFloating(const DataType& type) {
  return type.kind() == TypeKind::kFloat || type.kind() == TypeKind::kDouble;
}

/// Statistics order -0.0 before 0.0 and know nothing of NaN, which DuckDB puts above all numbers; so only comparisons
/// that neither touches become hints.
bool IsSafeFloating(ExpressionType comparison, const Datum& literal) {
  const double value = std::holds_alternative<float>(literal) ? literal.as_float() : literal.as_double();
  if (std::isnan(value) || value == 0) return false;
  return comparison == ExpressionType::COMPARE_EQUAL || comparison == ExpressionType::COMPARE_LESSTHAN ||
         comparison == ExpressionType::COMPARE_LESSTHANOREQUALTO;
}

std::optional<Predicate::Op> ToOp(ExpressionType comparison) {
  switch (comparison) {
    case ExpressionType::COMPARE_EQUAL: return Predicate::Op::kEqual;
    case ExpressionType::COMPARE_NOTEQUAL: return Predicate::Op::kNotEqual;
    case ExpressionType::COMPARE_LESSTHAN: return Predicate::Op::kLess;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO: return Predicate::Op::kLessOrEqual;
    case ExpressionType::COMPARE_GREATERTHAN: return Predicate::Op::kGreater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO: return Predicate::Op::kGreaterOrEqual;
    default: return std::nullopt;
  }
}

PredicatePtr FromComparison(const duckdb::ConstantFilter& filter, const DataField& column) {
  const std::optional<Predicate::Op> op = ToOp(filter.comparison_type);
  std::optional<Datum> literal = ToDatum(filter.constant, column.type);
  if (!op || !literal) return nullptr;
  if (IsFloating(column.type) && !IsSafeFloating(filter.comparison_type, *literal)) return nullptr;
  return Predicate::Leaf(*op, column.name, column.type, {*std::move(literal)});
}

PredicatePtr FromIn(const duckdb::InFilter& filter, const DataField& column) {
  std::vector<Datum> literals;
  for (const duckdb::Value& value : filter.values) {
    std::optional<Datum> literal = ToDatum(value, column.type);
    if (!literal || (IsFloating(column.type) && !IsSafeFloating(ExpressionType::COMPARE_EQUAL, *literal)))
      return nullptr;
    literals.push_back(*std::move(literal));
  }
  return Predicate::Leaf(Predicate::Op::kIn, column.name, column.type, std::move(literals));
}

PredicatePtr FromAnd(const duckdb::ConjunctionAndFilter& filter, const DataField& column) {
  std::vector<PredicatePtr> known;
  for (const auto& child : filter.child_filters) {
    if (PredicatePtr hint = HintFromFilter(*child, column)) known.push_back(std::move(hint));
  }
  if (known.empty()) return nullptr;
  return known.size() == 1 ? known.front() : Predicate::And(std::move(known));
}

PredicatePtr FromOr(const duckdb::ConjunctionOrFilter& filter, const DataField& column) {
  std::vector<PredicatePtr> branches;
  for (const auto& child : filter.child_filters) {
    PredicatePtr hint = HintFromFilter(*child, column);
    if (!hint) return nullptr;
    branches.push_back(std::move(hint));
  }
  return Predicate::Or(std::move(branches));
}

PredicatePtr FromDynamic(const duckdb::DynamicFilter& filter, const DataField& column) {
  if (!filter.filter_data || !filter.filter_data->initialized) return nullptr;
  const std::lock_guard<std::mutex> guard(filter.filter_data->lock);
  return filter.filter_data->filter ? FromComparison(*filter.filter_data->filter, column) : nullptr;
}

}  // namespace

PredicatePtr HintFromFilter(const duckdb::TableFilter& filter, const DataField& column) {
  switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: return FromComparison(filter.Cast<duckdb::ConstantFilter>(), column);
    case TableFilterType::IS_NULL: return Predicate::Leaf(Predicate::Op::kIsNull, column.name, column.type);
    case TableFilterType::IS_NOT_NULL: return Predicate::Leaf(Predicate::Op::kIsNotNull, column.name, column.type);
    case TableFilterType::CONJUNCTION_AND: return FromAnd(filter.Cast<duckdb::ConjunctionAndFilter>(), column);
    case TableFilterType::CONJUNCTION_OR: return FromOr(filter.Cast<duckdb::ConjunctionOrFilter>(), column);
    case TableFilterType::IN_FILTER: return FromIn(filter.Cast<duckdb::InFilter>(), column);
    case TableFilterType::DYNAMIC_FILTER: return FromDynamic(filter.Cast<duckdb::DynamicFilter>(), column);
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& child = filter.Cast<duckdb::OptionalFilter>().child_filter;
      return child ? HintFromFilter(*child, column) : nullptr;
    }
    default: return nullptr;
  }
}

}  // namespace braid
