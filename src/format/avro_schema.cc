#include "format/avro_schema.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"

namespace braid {
namespace {

constexpr std::array<std::string_view, 14> kKindNames = {"null",   "boolean", "int",    "long",  "float",
                                                         "double", "bytes",   "string", "fixed", "enum",
                                                         "array",  "map",     "union",  "record"};

std::optional<AvroKind> KindOf(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name && name != "union") return static_cast<AvroKind>(i);
  }
  if (name == "error") return AvroKind::kRecord;
  return std::nullopt;
}

bool IsPrimitive(AvroKind kind) {
  return kind <= AvroKind::kString;
}

Error SchemaError(std::string what) {
  return {ErrorCode::kCorruption, fmt::format("the Avro schema is not valid: {}", what)};
}

}  // namespace

std::string_view AvroKindName(AvroKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

/// Turns the JSON form into nodes, depth first; a named type gets its node before its fields, so that they can refer to
/// it.
class AvroSchemaParser {
 public:
  Result<AvroSchema> Run(const Json& json) {
    BRAID_TRY_ASSIGN(schema_.root_, ParseType(json, ""));
    schema_.FindEmptyTypes();
    return std::move(schema_);
  }

 private:
  std::int32_t Add(AvroKind kind) {
    schema_.nodes_.push_back({.kind = kind});
    return static_cast<std::int32_t>(schema_.nodes_.size() - 1);
  }
  AvroNode& node(std::int32_t position) { return schema_.nodes_[static_cast<std::size_t>(position)]; }

  Result<std::int32_t> ParseType(const Json& json, const std::string& space) {
    if (json.is_string()) return ParseName(json.as_string(), space);
    if (json.is_array()) return ParseUnion(json.as_array(), space);
    const Json* type = json.Find("type");
    if (type == nullptr) return SchemaError("a type is neither a name, a union nor an object with a \"type\"");
    if (!type->is_string()) return ParseType(*type, space);
    const std::optional<AvroKind> kind = KindOf(type->as_string());
    if (!kind) return ParseName(type->as_string(), space);
    if (IsPrimitive(*kind)) {
      const std::int32_t position = Add(*kind);
      BRAID_TRY(ReadLogicalType(json, position));
      return position;
    }
    if (*kind == AvroKind::kArray) return ParseContainer(*kind, json, "items", space);
    if (*kind == AvroKind::kMap) return ParseContainer(*kind, json, "values", space);
    return ParseNamed(*kind, json, space);
  }

  Result<std::int32_t> ParseName(const std::string& name, const std::string& space) {
    if (const std::optional<AvroKind> kind = KindOf(name); kind && IsPrimitive(*kind)) return Add(*kind);
    auto found = named_.find(FullName(name, space));
    if (found == named_.end()) found = named_.find(name);
    if (found == named_.end()) return SchemaError(fmt::format("there is no type {}", name));
    return found->second;
  }

  Result<std::int32_t> ParseUnion(const Json::Array& branches, const std::string& space) {
    const std::int32_t position = Add(AvroKind::kUnion);
    for (const Json& branch : branches) {
      BRAID_TRY_ASSIGN(const std::int32_t child, ParseType(branch, space));
      node(position).children.push_back(child);
    }
    if (branches.empty()) return SchemaError("a union has no branch");
    return position;
  }

  Result<std::int32_t> ParseContainer(AvroKind kind, const Json& json, std::string_view key, const std::string& space) {
    const std::int32_t position = Add(kind);
    const Json* element = json.Find(key);
    if (element == nullptr) return SchemaError(fmt::format("an {} has no \"{}\"", AvroKindName(kind), key));
    BRAID_TRY_ASSIGN(const std::int32_t child, ParseType(*element, space));
    node(position).children.push_back(child);
    BRAID_TRY(ReadLogicalType(json, position));
    return position;
  }

  Result<std::int32_t> ParseNamed(AvroKind kind, const Json& json, const std::string& outer_space) {
    BRAID_TRY_ASSIGN(const std::string name, json.GetString("name"));
    BRAID_TRY_ASSIGN(const std::optional<std::string> own_space, json.FindString("namespace"));
    const std::string full_name = FullName(name, own_space.value_or(outer_space));
    const std::string space =
        full_name.substr(0, full_name.find_last_of('.') == std::string::npos ? 0 : full_name.find_last_of('.'));
    const std::int32_t position = Add(kind);
    node(position).name = full_name;
    named_[full_name] = position;
    if (kind == AvroKind::kRecord) {
      BRAID_TRY(ReadFields(json, position, space));
    } else if (kind == AvroKind::kEnum) {
      BRAID_TRY(ReadSymbols(json, position));
    } else {
      BRAID_TRY_ASSIGN(const std::int64_t size, json.GetInteger("size"));
      if (size < 0) return SchemaError("a fixed has a negative size");
      node(position).fixed_size = size;
    }
    BRAID_TRY(ReadLogicalType(json, position));
    return position;
  }

  Status ReadFields(const Json& json, std::int32_t position, const std::string& space) {
    const Json* fields = json.Find("fields");
    if (fields == nullptr || !fields->is_array()) return SchemaError("a record has no \"fields\"");
    for (const Json& field : fields->as_array()) {
      BRAID_TRY_ASSIGN(std::string name, field.GetString("name"));
      const Json* type = field.Find("type");
      if (type == nullptr) return SchemaError(fmt::format("field {} has no type", name));
      BRAID_TRY_ASSIGN(const std::int32_t child, ParseType(*type, space));
      node(position).names.push_back(std::move(name));
      node(position).children.push_back(child);
    }
    return Ok();
  }

  Status ReadSymbols(const Json& json, std::int32_t position) {
    const Json* symbols = json.Find("symbols");
    if (symbols == nullptr || !symbols->is_array()) return SchemaError("an enum has no \"symbols\"");
    for (const Json& symbol : symbols->as_array()) {
      if (!symbol.is_string()) return SchemaError("a symbol of an enum is no text");
      node(position).names.push_back(symbol.as_string());
    }
    return Ok();
  }

  Status ReadLogicalType(const Json& json, std::int32_t position) {
    const Json* logical = json.Find("logicalType");
    if (logical == nullptr || !logical->is_string()) return Ok();
    node(position).logical_type = logical->as_string();
    if (logical->as_string() != "decimal") return Ok();
    BRAID_TRY_ASSIGN(const std::int64_t precision, json.GetInteger("precision"));
    BRAID_TRY_ASSIGN(const std::optional<std::int64_t> scale, json.FindInteger("scale"));
    if (precision < 1 || precision > 1000 || scale.value_or(0) < 0 || scale.value_or(0) > precision) {
      return SchemaError("a decimal's precision or scale is out of range");
    }
    node(position).precision = static_cast<std::int32_t>(precision);
    node(position).scale = static_cast<std::int32_t>(scale.value_or(0));
    return Ok();
  }

  static std::string FullName(const std::string& name, const std::string& space) {
    if (space.empty() || name.find('.') != std::string::npos) return name;
    return fmt::format("{}.{}", space, name);
  }

  AvroSchema schema_;
  std::map<std::string, std::int32_t> named_;
};

Result<AvroSchema> AvroSchema::Parse(std::string_view json) {
  BRAID_TRY_ASSIGN(const Json document, ParseJson(json));
  return AvroSchemaParser().Run(document);
}

void AvroSchema::FindEmptyTypes() {
  for (AvroNode& node : nodes_) {
    node.takes_bytes = node.kind == AvroKind::kFixed ? node.fixed_size > 0
                                                     : node.kind != AvroKind::kNull && node.kind != AvroKind::kRecord;
  }
  // A record takes bytes if any field does; fields come after their record, but may also be earlier records.
  for (bool changed = true; changed;) {
    changed = false;
    for (AvroNode& record : nodes_) {
      if (record.takes_bytes || record.kind != AvroKind::kRecord) continue;
      for (const std::int32_t child : record.children) {
        if (node(child).takes_bytes) changed = record.takes_bytes = true;
      }
    }
  }
}

}  // namespace braid
