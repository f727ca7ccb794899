// $schemas, $options, $aggregation_fields and $statistics.

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "types/local_time.h"
#include "catalog/system_table_internal.h"
#include "meta/statistics.h"
#include "meta/stores.h"
#include "table/time_travel.h"
#include "types/data_type_json.h"

namespace braid {

namespace {

Json ToJson(const std::vector<std::string>& texts) {
  Json::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

std::uint32_t JavaHash(const std::string& key) {
  // String.hashCode of ASCII keys; others only move within the listing.
  std::uint32_t hash = 0;
  for (const char c : key) hash = 31 * hash + static_cast<unsigned char>(c);
  return hash ^ (hash >> 16);
}

// Options in the order of a Java HashMap, in which Java lists them.
std::vector<std::pair<std::string, std::string>> InJavaOrder(const Options& options) {
  std::vector<std::pair<std::string, std::string>> entries(options.values().begin(), options.values().end());
  const auto table_size =
      std::bit_ceil(std::max<std::size_t>(16, (entries.size() * 4 + 2) / 3));  // three quarters may be full
  const auto mask = static_cast<std::uint32_t>(table_size - 1);
  std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
    return (JavaHash(a.first) & mask) < (JavaHash(b.first) & mask);
  });
  return entries;
}

DatumList SchemaRow(const TableSchema& schema) {
  Json options = Json::Object();
  for (auto& [key, value] : InJavaOrder(schema.options)) options.Add(std::move(key), std::move(value));
  return {
      schema.id.value(),
      PrintJson(DataFieldsToJson(schema.fields)),
      PrintJson(ToJson(schema.partition_keys)),
      PrintJson(ToJson(schema.primary_keys)),
      PrintJson(options),
      OrNull(schema.comment),
      ToLocalTime(schema.time_millis),
  };
}

Result<std::vector<DatumList>> SchemaRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<SchemaId> ids, ListSchemas(table.file_system(), table.paths()));
  std::vector<DatumList> rows;
  for (const SchemaId id : ids) {
    BRAID_TRY_ASSIGN(const TableSchema schema, ReadSchema(table.file_system(), table.paths(), id));
    rows.push_back(SchemaRow(schema));
  }
  return rows;
}

// Options do not travel in time: they are the latest schema's.
Result<TableSchema> LatestSchemaOf(const Table& table) {
  BRAID_TRY_ASSIGN(std::optional<TableSchema> schema, ReadLatestSchema(table.file_system(), table.paths()));
  if (!schema) return Error(ErrorCode::kNotFound, fmt::format("table {} does not exist any more", table.name()));
  return *std::move(schema);
}

Result<std::vector<DatumList>> OptionRows(const Table& table) {
  BRAID_TRY_ASSIGN(const TableSchema schema, LatestSchemaOf(table));
  std::vector<DatumList> rows;
  for (const auto& [key, value] : schema.options.values()) rows.push_back({key, value});
  return rows;
}

// "[a, b]" of the options "fields.<column>.<…>" of one column.
struct FieldOptions {
  std::vector<std::string> keys;
  std::vector<std::string> values;
};

std::string ListText(const std::vector<std::string>& texts) {
  return "[" + Join(texts, ", ") + "]";
}

Result<std::vector<DatumList>> AggregationFieldRows(const Table& table) {
  BRAID_TRY_ASSIGN(const TableSchema schema, LatestSchemaOf(table));
  std::map<std::string, FieldOptions> by_column;
  for (auto& [key, value] : InJavaOrder(schema.options)) {
    const std::vector<std::string> parts = Split(key, '.');
    if (parts.size() <= 2 || parts.front() != "fields") continue;
    FieldOptions& options = by_column[parts[1]];
    options.keys.push_back(std::move(key));
    options.values.push_back(std::move(value));
  }
  std::vector<DatumList> rows;
  for (const DataField& field : schema.fields) {
    const FieldOptions& options = by_column[field.name];
    rows.push_back({field.name, field.type.ToString(), ListText(options.values), ListText(options.keys),
                    OrNull(field.description)});
  }
  return rows;
}

Result<std::vector<DatumList>> StatisticsRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToRead(table));
  if (!snapshot || !snapshot->statistics) return std::vector<DatumList>();
  BRAID_TRY_ASSIGN(const TableStatistics statistics,
                   ReadStatistics(table.file_system(), table.paths(), *snapshot->statistics));
  return std::vector<DatumList>{{statistics.snapshot_id.value(), statistics.schema_id.value(),
                                 OrNull(statistics.merged_record_count), OrNull(statistics.merged_record_size),
                                 statistics.column_stats}};
}

}  // namespace

SystemTableProviderPtr SchemasTable() {
  return MakeMetadataTable("schemas",
                           MakeFields({{"schema_id", DataType::BigInt().NotNull()},
                                       {"fields", DataType::String().NotNull()},
                                       {"partition_keys", DataType::String().NotNull()},
                                       {"primary_keys", DataType::String().NotNull()},
                                       {"options", DataType::String().NotNull()},
                                       {"comment", DataType::String()},
                                       {"update_time", DataType::Timestamp(3).NotNull()}}),
                           SchemaRows);
}

SystemTableProviderPtr OptionsTable() {
  return MakeMetadataTable("options",
                           MakeFields({{"key", DataType::String().NotNull()}, {"value", DataType::String().NotNull()}}),
                           OptionRows);
}

SystemTableProviderPtr AggregationFieldsTable() {
  return MakeMetadataTable("aggregation_fields",
                           MakeFields({{"field_name", DataType::String().NotNull()},
                                       {"field_type", DataType::String().NotNull()},
                                       {"function", DataType::String()},
                                       {"function_options", DataType::String()},
                                       {"comment", DataType::String()}}),
                           AggregationFieldRows);
}

SystemTableProviderPtr StatisticsTable() {
  return MakeMetadataTable("statistics",
                           MakeFields({{"snapshot_id", DataType::BigInt().NotNull()},
                                       {"schema_id", DataType::BigInt().NotNull()},
                                       {"mergedRecordCount", DataType::BigInt()},
                                       {"mergedRecordSize", DataType::BigInt()},
                                       {"colstat", DataType::String()}}),
                           StatisticsRows);
}

}  // namespace braid
