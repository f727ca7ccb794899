#include "meta/schema_json.h"

#include <utility>

#include <fmt/format.h>

#include "meta/json_layout_internal.h"
#include "types/data_type_json.h"

namespace braid {
namespace {

constexpr std::int64_t kNewestVersion = 3;

Result<std::int32_t> ReadInt32(const Json& json, std::string_view key) {
  BRAID_TRY_ASSIGN(const std::int64_t value, json.GetInteger(key));
  if (!std::in_range<std::int32_t>(value))
    return Error(ErrorCode::kCorruption, fmt::format("'{}' is {}, which is too large", key, value));
  return static_cast<std::int32_t>(value);
}

Result<std::int32_t> ReadVersion(const Json& json) {
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> version, json.FindInteger("version"));
  if (version.value_or(1) <= kNewestVersion) return static_cast<std::int32_t>(version.value_or(1));
  return Error(ErrorCode::kUnsupported,
               fmt::format("the schema has format version {}; this program reads up to {}", *version, kNewestVersion))
      .Hint("use a newer braid");
}

Result<std::vector<std::string>> ReadNames(const Json& json, std::string_view key) {
  std::vector<std::string> names;
  const Json* array = json.Find(key);
  if (array == nullptr || array->is_null()) return names;
  const Error malformed(ErrorCode::kCorruption, fmt::format("'{}' is no array of column names", key));
  if (!array->is_array()) return malformed;
  for (const Json& name : array->as_array()) {
    if (!name.is_string()) return malformed;
    names.push_back(name.as_string());
  }
  return names;
}

Result<Options> ReadOptions(const Json& json) {
  Options options;
  const Json* object = json.Find("options");
  if (object == nullptr || object->is_null()) return options;
  if (!object->is_object()) return Error(ErrorCode::kCorruption, "'options' is no object");
  for (const auto& [key, value] : object->as_object()) {
    options.Set(key, value.is_string() ? value.as_string() : PrintJson(value));
  }
  return options;
}

void MakeOldDefaultsExplicit(std::int32_t version, Options& options) {
  if (version <= 1 && !options.Has("bucket")) options.Set("bucket", "1");
  if (version <= 2 && !options.Has("file.format")) options.Set("file.format", "orc");
}

Json NamesToJson(const std::vector<std::string>& names) {
  Json::Array array;
  for (const std::string& name : names) array.emplace_back(name);
  return array;
}

}  // namespace

Result<TableSchema> TableSchemaFromJson(const Json& json) {
  if (!json.is_object()) return Error(ErrorCode::kCorruption, "a schema must be a JSON object");
  TableSchema schema;
  BRAID_TRY_ASSIGN(schema.version, ReadVersion(json));
  BRAID_TRY_ASSIGN(const std::int32_t id, ReadInt32(json, "id"));
  schema.id = SchemaId(id);
  const Json* fields = json.Find("fields");
  if (fields == nullptr) return Error(ErrorCode::kCorruption, "a schema must have 'fields'");
  BRAID_TRY_ASSIGN(schema.fields, DataFieldsFromJson(*fields));
  BRAID_TRY_ASSIGN(schema.highest_field_id, ReadInt32(json, "highestFieldId"));
  BRAID_TRY_ASSIGN(schema.partition_keys, ReadNames(json, "partitionKeys"));
  BRAID_TRY_ASSIGN(schema.primary_keys, ReadNames(json, "primaryKeys"));
  BRAID_TRY_ASSIGN(schema.options, ReadOptions(json));
  MakeOldDefaultsExplicit(schema.version, schema.options);
  BRAID_TRY_ASSIGN(schema.comment, json.FindString("comment"));
  BRAID_TRY_ASSIGN(const std::optional<std::int64_t> time_millis, json.FindInteger("timeMillis"));
  schema.time_millis = time_millis.value_or(0);
  for (const std::vector<std::string>* keys : {&schema.partition_keys, &schema.primary_keys}) {
    for (const std::string& key : *keys) {
      if (schema.FindColumn(key) == nullptr)
        return Error(ErrorCode::kCorruption, fmt::format("key column '{}' is no column", key));
    }
  }
  return schema;
}

Result<TableSchema> ParseTableSchema(std::string_view text) {
  BRAID_TRY_ASSIGN(const Json json, ParseJson(text));
  return TableSchemaFromJson(json);
}

Json TableSchemaToJson(const TableSchema& schema) {
  Json json;
  json.Add("version", schema.version);
  json.Add("id", schema.id.value());
  json.Add("fields", DataFieldsToJson(schema.fields));
  json.Add("highestFieldId", schema.highest_field_id);
  json.Add("partitionKeys", NamesToJson(schema.partition_keys));
  json.Add("primaryKeys", NamesToJson(schema.primary_keys));
  Json::Object options;
  for (const auto& [key, value] : schema.options.values()) options.emplace_back(key, value);
  json.Add("options", std::move(options));
  if (schema.comment) json.Add("comment", *schema.comment);
  json.Add("timeMillis", schema.time_millis);
  return json;
}

std::string PrintTableSchema(const TableSchema& schema) {
  return PrintLikeJava(TableSchemaToJson(schema));
}

}  // namespace braid
