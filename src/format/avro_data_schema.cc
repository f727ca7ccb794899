#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "format/avro_format.h"

namespace braid {
namespace {

constexpr std::string_view kRecordName = "record";
constexpr std::string_view kNamespace = "org.apache.paimon.avro.generated";

bool IsAvroName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); });
}

/// Writes schemas in Java's words; `name` is what the records in a type are called.
class SchemaText {
 public:
  Result<std::string> Record(std::string_view name, std::string_view name_space, std::span<const DataField> fields) {
    std::string text = fmt::format(R"({{"type":"record","name":"{}",)", name);
    if (!name_space.empty()) text += fmt::format(R"("namespace":"{}",)", name_space);
    text += R"("fields":[)";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!IsAvroName(fields[i].name)) {
        return Error(ErrorCode::kUnsupported, fmt::format("Avro files cannot have a column named '{}'", fields[i].name))
            .Hint("Avro takes letters, digits and '_'; rename the column or set file.format to parquet");
      }
      BRAID_TRY_ASSIGN(const std::string type, Type(fmt::format("{}_{}", name, fields[i].name), fields[i].type));
      if (i > 0) text += ',';
      text += Field(fields[i].name, type, fields[i].type.nullable());
    }
    return text + "]}";
  }

 private:
  static std::string Field(std::string_view name, std::string_view type, bool null_default) {
    return fmt::format(R"({{"name":"{}","type":{}{}}})", name, type, null_default ? R"(,"default":null)" : "");
  }

  Result<std::string> Type(const std::string& name, const DataType& type) {
    BRAID_TRY_ASSIGN(std::string text, NotNullType(name, type));
    return type.nullable() ? fmt::format(R"(["null",{}])", text) : text;
  }

  Result<std::string> NotNullType(const std::string& name, const DataType& type) {
    switch (type.kind()) {
      case TypeKind::kBoolean: return Quoted("boolean");
      case TypeKind::kTinyInt:
      case TypeKind::kSmallInt:
      case TypeKind::kInt: return Quoted("int");
      case TypeKind::kBigInt: return Quoted("long");
      case TypeKind::kFloat: return Quoted("float");
      case TypeKind::kDouble: return Quoted("double");
      case TypeKind::kChar:
      case TypeKind::kVarChar: return Quoted("string");
      case TypeKind::kBinary:
      case TypeKind::kVarBinary:
      case TypeKind::kBlob: return Quoted("bytes");
      case TypeKind::kDecimal:
        return fmt::format(R"({{"type":"bytes","logicalType":"decimal","precision":{},"scale":{}}})", type.precision(),
                           type.scale());
      case TypeKind::kDate: return Logical("int", "date");
      case TypeKind::kTime:
        if (type.precision() > 3) return Unsupported(type);
        return Logical("int", "time-millis");
      case TypeKind::kTimestamp:
      case TypeKind::kTimestampLtz: return TimestampType(type);
      case TypeKind::kArray:
      case TypeKind::kVector: {
        BRAID_TRY_ASSIGN(const std::string items, Type(name, type.element()));
        return fmt::format(R"({{"type":"array","items":{}}})", items);
      }
      case TypeKind::kMap: return MapType(name, type.key(), type.element());
      case TypeKind::kMultiset: return MapType(name, type.element(), DataType::Int());
      case TypeKind::kRow: return Record(name, {}, type.fields());
      case TypeKind::kVariant: break;
    }
    return Unsupported(type);
  }

  /// Avro's names for the two kinds of timestamps stand the wrong way round, in every file.
  Result<std::string> TimestampType(const DataType& type) {
    if (type.precision() > 6) return Unsupported(type);
    const std::string_view unit = type.precision() <= 3 ? "millis" : "micros";
    const std::string_view prefix = type.kind() == TypeKind::kTimestamp ? "timestamp" : "local-timestamp";
    return Logical("long", fmt::format("{}-{}", prefix, unit));
  }

  Result<std::string> MapType(const std::string& name, const DataType& key, const DataType& value) {
    if (key.is_text()) {
      BRAID_TRY_ASSIGN(const std::string values, Type(name, value));
      return fmt::format(R"({{"type":"map","values":{}}})", values);
    }
    BRAID_TRY_ASSIGN(const std::string key_type, Type(name + "_key", key));
    BRAID_TRY_ASSIGN(const std::string value_type, Type(name + "_value", value));
    return fmt::format(
        R"({{"type":"array","items":{{"type":"record","name":"{}","fields":[{},{}]}},"logicalType":"map"}})", name,
        Field("key", key_type, false), Field("value", value_type, value.nullable()));
  }

  static std::string Quoted(std::string_view text) { return fmt::format(R"("{}")", text); }
  static std::string Logical(std::string_view type, std::string_view logical_type) {
    return fmt::format(R"({{"type":"{}","logicalType":"{}"}})", type, logical_type);
  }
  static Error Unsupported(const DataType& type) {
    return Error(ErrorCode::kUnsupported, fmt::format("Avro files cannot hold the type {}", type.ToString()))
        .Hint("set file.format to parquet");
  }
};

}  // namespace

Result<std::string> MakeAvroSchemaJson(std::span<const DataField> fields) {
  return SchemaText().Record(kRecordName, kNamespace, fields);
}

}  // namespace braid
