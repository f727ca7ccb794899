#include "meta/table_schema.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "meta/field_ids_internal.h"
#include "meta/schema_rules_internal.h"

namespace braid {

std::vector<std::string> TableSchema::TrimmedPrimaryKeys() const {
  std::vector<std::string> trimmed;
  for (const std::string& key : primary_keys) {
    if (std::find(partition_keys.begin(), partition_keys.end(), key) == partition_keys.end()) trimmed.push_back(key);
  }
  return trimmed;
}

std::vector<std::string> TableSchema::BucketKeys() const {
  std::vector<std::string> keys = SplitNames(options.Get("bucket-key", ""));
  return keys.empty() ? TrimmedPrimaryKeys() : keys;
}

std::vector<DataField> TableSchema::Project(std::span<const std::string> columns) const {
  std::vector<DataField> projected;
  projected.reserve(columns.size());
  for (const std::string& column : columns) {
    const DataField* field = FindColumn(column);
    BRAID_CHECK(field != nullptr);
    projected.push_back(*field);
  }
  return projected;
}

const DataField* TableSchema::FindColumn(std::string_view name) const {
  const std::optional<std::size_t> position = FindField(fields, name);
  return position ? &fields[*position] : nullptr;
}

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names = Split(text, ',');
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

Result<TableSchema> NewTableSchema(const TableDefinition& definition, std::int64_t now_ms) {
  TableSchema schema;
  schema.fields = definition.fields;
  schema.partition_keys = definition.partition_keys;
  schema.primary_keys = definition.primary_keys;
  schema.options = definition.options;
  schema.comment = definition.comment;
  schema.time_millis = now_ms;
  BRAID_TRY(NormalizeKeys(schema.fields, schema.partition_keys, schema.primary_keys, schema.options));
  for (DataField& field : schema.fields) {
    // A column's own id comes before those nested in it, unlike within a ROW.
    field.id = FieldId(++schema.highest_field_id);
    field.type = ReassignFieldIds(field.type, schema.highest_field_id);
  }
  BRAID_TRY(ValidateSchema(schema));
  return schema;
}

Status ValidateSchema(const TableSchema& schema) {
  BRAID_TRY(CheckColumnsAndKeys(schema));
  return CheckOptions(schema);
}

}  // namespace braid
