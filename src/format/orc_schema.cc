#include "format/orc_schema.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "format/field_ids.h"
#include "format/orc_proto.h"

namespace braid {
namespace {

OrcTypeKind KindOf(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean: return OrcTypeKind::kBoolean;
    case TypeKind::kTinyInt: return OrcTypeKind::kByte;
    case TypeKind::kSmallInt: return OrcTypeKind::kShort;
    case TypeKind::kInt:
    case TypeKind::kTime: return OrcTypeKind::kInt;
    case TypeKind::kBigInt: return OrcTypeKind::kLong;
    case TypeKind::kFloat: return OrcTypeKind::kFloat;
    case TypeKind::kDouble: return OrcTypeKind::kDouble;
    case TypeKind::kDecimal: return OrcTypeKind::kDecimal;
    case TypeKind::kChar: return OrcTypeKind::kChar;
    case TypeKind::kVarChar:
      return type.length() == DataType::kMaxLength ? OrcTypeKind::kString : OrcTypeKind::kVarChar;
    case TypeKind::kDate: return OrcTypeKind::kDate;
    case TypeKind::kTimestamp: return OrcTypeKind::kTimestamp;
    case TypeKind::kTimestampLtz: return OrcTypeKind::kTimestampInstant;
    case TypeKind::kArray: return OrcTypeKind::kList;
    case TypeKind::kMap:
    case TypeKind::kMultiset: return OrcTypeKind::kMap;
    case TypeKind::kRow: return OrcTypeKind::kStruct;
    default: return OrcTypeKind::kBinary;
  }
}

class TypeEncoder {
 public:
  /// `id` is the column's own; below it unnamed parts count their depth from the nearest field.
  void Add(const DataType& type, std::optional<std::int32_t> id, std::int32_t field_id, int depth) {
    const std::size_t column = types_.size();
    types_.emplace_back();
    std::vector<std::uint64_t> children;
    const auto add_child = [&](const DataType& child, std::int32_t child_id) {
      children.push_back(types_.size());
      Add(child, child_id, field_id, depth + 1);
    };
    switch (type.kind()) {
      case TypeKind::kArray: add_child(type.element(), ElementFieldId(field_id, depth + 1)); break;
      case TypeKind::kMap:
        add_child(type.key(), KeyFieldId(field_id, depth + 1));
        add_child(type.element(), ElementFieldId(field_id, depth + 1));
        break;
      case TypeKind::kMultiset:
        add_child(type.element(), KeyFieldId(field_id, depth + 1));
        add_child(DataType::Int(), ElementFieldId(field_id, depth + 1));
        break;
      case TypeKind::kRow: children = AddFields(type.fields()); break;
      default: break;
    }
    types_[column] = Encode(type, id, children);
  }

  /// A struct without an id.
  void AddRoot(std::span<const DataField> fields) {
    types_.emplace_back();
    const std::vector<std::uint64_t> children = AddFields(fields);
    OrcMessageWriter message;
    AddStruct(fields, children, message);
    types_[0] = message.bytes();
  }

  std::vector<std::string> Take() { return std::move(types_); }

 private:
  std::vector<std::uint64_t> AddFields(std::span<const DataField> fields) {
    std::vector<std::uint64_t> columns;
    for (const DataField& field : fields) {
      columns.push_back(types_.size());
      Add(field.type, field.id.value(), field.id.value(), 0);
    }
    return columns;
  }

  static void AddStruct(std::span<const DataField> fields, std::span<const std::uint64_t> children,
                        OrcMessageWriter& message) {
    message.AddNumber(1, static_cast<std::uint64_t>(OrcTypeKind::kStruct));
    message.AddPacked(2, children);
    for (const DataField& field : fields) message.AddBytes(3, field.name);
  }

  static std::string Encode(const DataType& type, std::optional<std::int32_t> id,
                            std::span<const std::uint64_t> children) {
    OrcMessageWriter message;
    const OrcTypeKind kind = KindOf(type);
    if (kind == OrcTypeKind::kStruct) {
      AddStruct(type.fields(), children, message);
    } else {
      message.AddNumber(1, static_cast<std::uint64_t>(kind));
      if (!children.empty()) message.AddPacked(2, children);
    }
    if (kind == OrcTypeKind::kChar || kind == OrcTypeKind::kVarChar)
      message.AddNumber(4, static_cast<std::uint64_t>(type.length()));
    if (kind == OrcTypeKind::kDecimal) {
      message.AddNumber(5, static_cast<std::uint64_t>(type.precision()));
      message.AddNumber(6, static_cast<std::uint64_t>(type.scale()));
    }
    if (id) {
      OrcMessageWriter attribute;
      attribute.AddBytes(1, "paimon.id");
      attribute.AddBytes(2, std::to_string(*id));
      message.AddBytes(7, attribute.bytes());
    }
    return message.bytes();
  }

  std::vector<std::string> types_;
};

}  // namespace

Status CheckOrcType(std::string_view column, const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kVariant:
    case TypeKind::kVector:
      return Error(ErrorCode::kUnsupported,
                   fmt::format("column {} has a type that ORC files cannot hold: {}", column, type.ToString()))
          .Hint("set file.format to parquet");
    case TypeKind::kArray:
    case TypeKind::kMultiset: return CheckOrcType(column, type.element());
    case TypeKind::kMap: BRAID_TRY(CheckOrcType(column, type.key())); return CheckOrcType(column, type.element());
    case TypeKind::kRow:
      for (const DataField& field : type.fields()) BRAID_TRY(CheckOrcType(column, field.type));
      return Ok();
    default: return Ok();
  }
}

std::vector<std::string> EncodeOrcTypes(std::span<const DataField> fields) {
  TypeEncoder encoder;
  encoder.AddRoot(fields);
  return encoder.Take();
}

std::string OrcType::ToString() const {
  constexpr std::array<std::string_view, 19> kNames = {"boolean",
                                                       "tinyint",
                                                       "smallint",
                                                       "int",
                                                       "bigint",
                                                       "float",
                                                       "double",
                                                       "string",
                                                       "binary",
                                                       "timestamp",
                                                       "array",
                                                       "map",
                                                       "struct",
                                                       "union",
                                                       "decimal",
                                                       "date",
                                                       "varchar",
                                                       "char",
                                                       "timestamp with local time zone"};
  const auto number = static_cast<std::size_t>(kind);
  if (number >= kNames.size()) return "a type of a later version of ORC";
  if (kind == OrcTypeKind::kDecimal) return fmt::format("decimal({},{})", precision, scale);
  return std::string(kNames[number]);
}

std::optional<OrcType> DecodeOrcType(std::string_view message) {
  OrcType type{.kind = OrcTypeKind::kBoolean};  // as protobuf has what is not told
  OrcMessageReader reader(message);
  while (const auto field = reader.Next()) {
    const auto value = static_cast<std::uint32_t>(std::min<std::uint64_t>(field->value, UINT32_MAX));
    switch (field->number) {
      case 1:
        type.kind = value <= static_cast<std::uint32_t>(OrcTypeKind::kTimestampInstant)
                        ? static_cast<OrcTypeKind>(value)
                        : OrcTypeKind::kUnknown;
        break;
      case 2: {
        if (field->bytes.empty()) {
          type.children.push_back(value);
          break;
        }
        OrcMessageReader packed(field->bytes);
        while (!packed.empty() && !packed.broken())
          type.children.push_back(static_cast<std::uint32_t>(packed.Varint()));
        break;
      }
      case 3: type.names.emplace_back(field->bytes); break;
      case 5: type.precision = value; break;
      case 6: type.scale = value; break;
      default: break;
    }
  }
  if (reader.broken()) return std::nullopt;
  return type;
}

}  // namespace braid
