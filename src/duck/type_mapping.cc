#include "duck/type_mapping.h"

#include <utility>
#include <vector>

#include <duckdb/common/types.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "duck/types_internal.h"

namespace braid {
namespace {

Result<duckdb::LogicalType> ToStruct(const DataType& type) {
  duckdb::child_list_t<duckdb::LogicalType> children;
  for (const DataField& field : type.fields()) {
    for (const auto& [name, unused] : children) {
      if (EqualsIgnoreCase(name, field.name)) {
        return Error(ErrorCode::kUnsupported,
                     fmt::format("the query engine cannot hold {}: its fields {} and {} differ in case only",
                                 type.ToString(), name, field.name));
      }
    }
    BRAID_TRY_ASSIGN(duckdb::LogicalType child, ToLogicalType(field.type));
    children.emplace_back(field.name, std::move(child));
  }
  return duckdb::LogicalType::STRUCT(std::move(children));
}

Result<DataType> FromStruct(const duckdb::LogicalType& type) {
  std::vector<DataField> fields;
  std::int32_t id = 0;
  for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
    BRAID_TRY_ASSIGN(DataType field_type, FromLogicalType(child));
    fields.push_back(DataField{
        .id = FieldId(id++), .name = name, .type = std::move(field_type), .description = {}, .default_value = {}});
  }
  return DataType::Row(std::move(fields));
}

}  // namespace

Result<duckdb::LogicalType> ToLogicalType(const DataType& type) {
  using duckdb::LogicalType;
  switch (type.kind()) {
    case TypeKind::kBoolean: return LogicalType(LogicalType::BOOLEAN);
    case TypeKind::kTinyInt: return LogicalType(LogicalType::TINYINT);
    case TypeKind::kSmallInt: return LogicalType(LogicalType::SMALLINT);
    case TypeKind::kInt: return LogicalType(LogicalType::INTEGER);
    case TypeKind::kBigInt: return LogicalType(LogicalType::BIGINT);
    case TypeKind::kFloat: return LogicalType(LogicalType::FLOAT);
    case TypeKind::kDouble: return LogicalType(LogicalType::DOUBLE);
    case TypeKind::kDecimal:
      return LogicalType::DECIMAL(static_cast<std::uint8_t>(type.precision()), static_cast<std::uint8_t>(type.scale()));
    case TypeKind::kChar:
    case TypeKind::kVarChar: return LogicalType(LogicalType::VARCHAR);
    case TypeKind::kBinary:
    case TypeKind::kVarBinary:
    case TypeKind::kBlob: return LogicalType(LogicalType::BLOB);
    case TypeKind::kDate: return LogicalType(LogicalType::DATE);
    case TypeKind::kTime: return LogicalType(LogicalType::TIME);
    case TypeKind::kTimestamp:
      return LogicalType(type.precision() <= 6 ? LogicalType::TIMESTAMP : LogicalType::TIMESTAMP_NS);
    case TypeKind::kTimestampLtz: return LogicalType(LogicalType::TIMESTAMP_TZ);
    case TypeKind::kVariant: return LogicalType::STRUCT({{"value", LogicalType::BLOB}, {"metadata", LogicalType::BLOB}});
    case TypeKind::kArray:
    case TypeKind::kVector: {
      BRAID_TRY_ASSIGN(LogicalType element, ToLogicalType(type.element()));
      return LogicalType::LIST(element);
    }
    case TypeKind::kMultiset: {
      BRAID_TRY_ASSIGN(LogicalType element, ToLogicalType(type.element()));
      return LogicalType::MAP(std::move(element), LogicalType::INTEGER);
    }
    case TypeKind::kMap: {
      BRAID_TRY_ASSIGN(LogicalType key, ToLogicalType(type.key()));
      BRAID_TRY_ASSIGN(LogicalType value, ToLogicalType(type.element()));
      return LogicalType::MAP(std::move(key), std::move(value));
    }
    case TypeKind::kRow: return ToStruct(type);
  }
  return Error(ErrorCode::kInternal, fmt::format("no type of the query engine holds {}", type.ToString()));
}

Result<DataType> FromLogicalType(const duckdb::LogicalType& type) {
  using duckdb::LogicalTypeId;
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN: return DataType::Boolean();
    case LogicalTypeId::TINYINT: return DataType::TinyInt();
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::UTINYINT: return DataType::SmallInt();
    case LogicalTypeId::SQLNULL:  // an untyped NULL; DuckDB itself makes it INTEGER when it has to choose
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::USMALLINT: return DataType::Int();
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UINTEGER: return DataType::BigInt();
    case LogicalTypeId::UBIGINT: return DataType::Decimal(20, 0);
    case LogicalTypeId::HUGEINT: return DataType::Decimal(38, 0);
    case LogicalTypeId::FLOAT: return DataType::Float();
    case LogicalTypeId::DOUBLE: return DataType::Double();
    case LogicalTypeId::DECIMAL:
      return DataType::Decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::ENUM: return DataType::String();
    case LogicalTypeId::UUID: return DataType::Char(36);
    case LogicalTypeId::BLOB: return DataType::Bytes();
    case LogicalTypeId::DATE: return DataType::Date();
    case LogicalTypeId::TIME: return DataType::Time(3);
    case LogicalTypeId::TIMESTAMP_SEC: return DataType::Timestamp(0);
    case LogicalTypeId::TIMESTAMP_MS: return DataType::Timestamp(3);
    case LogicalTypeId::TIMESTAMP: return DataType::Timestamp(6);
    case LogicalTypeId::TIMESTAMP_NS: return DataType::Timestamp(9);
    case LogicalTypeId::TIMESTAMP_TZ: return DataType::TimestampLtz(6);
    case LogicalTypeId::LIST: {
      BRAID_TRY_ASSIGN(DataType element, FromLogicalType(duckdb::ListType::GetChildType(type)));
      return DataType::Array(std::move(element));
    }
    case LogicalTypeId::MAP: {
      BRAID_TRY_ASSIGN(DataType key, FromLogicalType(duckdb::MapType::KeyType(type)));
      BRAID_TRY_ASSIGN(DataType value, FromLogicalType(duckdb::MapType::ValueType(type)));
      return DataType::Map(std::move(key), std::move(value));
    }
    case LogicalTypeId::STRUCT: return FromStruct(type);
    default:
      return Error(ErrorCode::kUnsupported,
                   fmt::format("no column type matches the query engine's type {}", type.ToString()))
          .Hint("cast the expression to a type of Flink SQL");
  }
}

Result<std::string> ToDuckType(const DataType& type) {
  BRAID_TRY_ASSIGN(const duckdb::LogicalType logical, ToLogicalType(type));
  return logical.ToString();
}

std::string QuoteDuckIdentifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + '"';
}

std::string QuoteDuckText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += c;
    quoted += c;
  }
  return quoted + '\'';
}

}  // namespace braid
