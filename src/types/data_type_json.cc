#include "types/data_type_json.h"

#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace braid {

Result<FieldId> FieldNumbering::Next(std::optional<std::int64_t> stored_id) {
  if (stored_id.has_value() ? next_id_ > 0 : has_stored_ids_) {
    return Error(ErrorCode::kCorruption, "some fields of a schema have an id and some have none");
  }
  if (!stored_id) return FieldId(next_id_++);
  if (!std::in_range<std::int32_t>(*stored_id)) {
    return Error(ErrorCode::kCorruption, fmt::format("{} is no id of a field", *stored_id));
  }
  has_stored_ids_ = true;
  return FieldId(static_cast<std::int32_t>(*stored_id));
}

namespace {

Json::Object Constructed(std::string_view name, const DataType& type) {
  return {{"type", Json(type.nullable() ? std::string(name) : std::string(name) + " NOT NULL")}};
}

}  // namespace

Json DataTypeToJson(const DataType& type) {
  Json::Object out;
  switch (type.kind()) {
    case TypeKind::kArray:
      out = Constructed("ARRAY", type);
      out.emplace_back("element", DataTypeToJson(type.element()));
      return out;
    case TypeKind::kMultiset:
      out = Constructed("MULTISET", type);
      out.emplace_back("element", DataTypeToJson(type.element()));
      return out;
    case TypeKind::kMap:
      out = Constructed("MAP", type);
      out.emplace_back("key", DataTypeToJson(type.key()));
      out.emplace_back("value", DataTypeToJson(type.element()));
      return out;
    case TypeKind::kRow:
      out = Constructed("ROW", type);
      out.emplace_back("fields", DataFieldsToJson(type.fields()));
      return out;
    case TypeKind::kVector:
      out = Constructed("VECTOR", type);
      out.emplace_back("element", DataTypeToJson(type.element()));
      out.emplace_back("length", type.length());
      return out;
    default: return type.ToString();
  }
}

Json DataFieldToJson(const DataField& field) {
  Json::Object out = {{"id", field.id.value()}, {"name", field.name}, {"type", DataTypeToJson(field.type)}};
  if (field.description) out.emplace_back("description", *field.description);
  if (field.default_value) out.emplace_back("defaultValue", *field.default_value);
  return out;
}

Json DataFieldsToJson(std::span<const DataField> fields) {
  Json::Array out;
  out.reserve(fields.size());
  for (const DataField& field : fields) out.push_back(DataFieldToJson(field));
  return out;
}

namespace {

Error NoType(const Json& json) {
  return Error(ErrorCode::kCorruption, fmt::format("{} is no type of a column", PrintJson(json)));
}

Result<DataType> TypeFromText(const std::string& text) {
  Result<DataType> type = ParseDataType(text);
  if (!type) {
    // Stored text is at fault, not a request.
    const Error& error = type.error();
    const bool is_unsupported = error.code() == ErrorCode::kUnsupported;
    return Error(is_unsupported ? ErrorCode::kUnsupported : ErrorCode::kCorruption, error.message());
  }
  // Fields in text have no ids that the document could know of.
  const DataField probe{FieldId(-1), "", *type, std::nullopt, std::nullopt};
  if (HighestFieldId(std::span(&probe, 1)) >= 0) return NoType(text);
  return type;
}

Result<std::vector<DataField>> FieldsFromJson(const Json& json, FieldNumbering& numbering) {
  if (!json.is_array()) return Error(ErrorCode::kCorruption, "the fields of a schema or ROW are no JSON array");
  std::vector<DataField> fields;
  fields.reserve(json.as_array().size());
  for (const Json& field_json : json.as_array()) {
    BRAID_TRY_ASSIGN(DataField field, DataFieldFromJson(field_json, numbering));
    fields.push_back(std::move(field));
  }
  return fields;
}

/// The type under a key of a constructed type.
Result<DataType> ChildType(const Json& json, std::string_view key, FieldNumbering& numbering) {
  const Json* child = json.Find(key);
  if (child == nullptr) return NoType(json);
  return DataTypeFromJson(*child, numbering);
}

Result<DataType> VectorFromJson(const Json& json, FieldNumbering& numbering) {
  BRAID_TRY_ASSIGN(DataType element, ChildType(json, "element", numbering));
  BRAID_TRY_ASSIGN(const std::int64_t length, json.GetInteger("length"));
  if (length < 1 || length > DataType::kMaxLength || element.kind() > TypeKind::kDouble) return NoType(json);
  return DataType::Vector(std::move(element), static_cast<std::int32_t>(length));
}

/// Matches the kind by its prefix, as Java does.
Result<DataType> Construct(std::string_view name, const Json& json, FieldNumbering& numbering) {
  if (name.starts_with("ARRAY")) {
    BRAID_TRY_ASSIGN(DataType element, ChildType(json, "element", numbering));
    return DataType::Array(std::move(element));
  }
  if (name.starts_with("MULTISET")) {
    BRAID_TRY_ASSIGN(DataType element, ChildType(json, "element", numbering));
    return DataType::Multiset(std::move(element));
  }
  if (name.starts_with("MAP")) {
    BRAID_TRY_ASSIGN(DataType key, ChildType(json, "key", numbering));
    BRAID_TRY_ASSIGN(DataType value, ChildType(json, "value", numbering));
    return DataType::Map(std::move(key), std::move(value));
  }
  if (name.starts_with("ROW")) {
    const Json* fields_json = json.Find("fields");
    if (fields_json == nullptr) return NoType(json);
    BRAID_TRY_ASSIGN(std::vector<DataField> fields, FieldsFromJson(*fields_json, numbering));
    return DataType::Row(std::move(fields));
  }
  if (name.starts_with("VECTOR")) return VectorFromJson(json, numbering);
  return NoType(json);
}

}  // namespace

Result<DataType> DataTypeFromJson(const Json& json, FieldNumbering& numbering) {
  if (json.is_string()) return TypeFromText(json.as_string());
  const Json* name = json.Find("type");
  if (name == nullptr || !name->is_string()) return NoType(json);
  BRAID_TRY_ASSIGN(DataType type, Construct(name->as_string(), json, numbering));
  return type.WithNullability(name->as_string().find("NOT NULL") == std::string::npos);
}

Result<DataType> DataTypeFromJson(const Json& json) {
  FieldNumbering numbering;
  return DataTypeFromJson(json, numbering);
}

Result<DataField> DataFieldFromJson(const Json& json, FieldNumbering& numbering) {
  BRAID_TRY_ASSIGN(std::string name, json.GetString("name"));
  const std::string context = fmt::format("while reading field {}", name);
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> stored_id, json.FindInteger("id").Context(context));
  // A field's own id comes before those of the fields within it.
  BRAID_TRY_ASSIGN(const FieldId id, numbering.Next(stored_id).Context(context));
  BRAID_TRY_ASSIGN(DataType type, ChildType(json, "type", numbering).Context(context));
  BRAID_TRY_ASSIGN(std::optional<std::string> description, json.FindString("description").Context(context));
  BRAID_TRY_ASSIGN(std::optional<std::string> default_value, json.FindString("defaultValue").Context(context));
  return DataField{id, std::move(name), std::move(type), std::move(description), std::move(default_value)};
}

Result<std::vector<DataField>> DataFieldsFromJson(const Json& json) {
  FieldNumbering numbering;
  return FieldsFromJson(json, numbering);
}

}  // namespace braid
