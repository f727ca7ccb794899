#include "catalog/global_tables.h"

#include <functional>
#include <optional>
#include <utility>

#include "base/secret_option.h"
#include "base/text.h"
#include "catalog/file_totals.h"
#include "io/request_pool.h"
#include "types/local_time.h"
#include "catalog/system_table_internal.h"
#include "table/time_travel.h"

namespace braid {

namespace {

struct StoredTable {
  std::string database;
  std::string name;
  Table table;
};

// All tables of the warehouse, by database and name. Those dropped meanwhile are left out.
Result<std::vector<StoredTable>> OpenAll(const WarehouseFolder& warehouse) {
  std::vector<StoredTable> all;
  BRAID_TRY_ASSIGN(const std::vector<std::string> databases, warehouse.ListDatabases());
  for (const std::string& database : databases) {
    BRAID_TRY_ASSIGN(const std::vector<std::string> tables, warehouse.ListTables(database));
    std::vector<std::optional<Table>> opened(tables.size());
    BRAID_TRY(CallForEach(*warehouse.file_system(), std::ssize(tables), [&](std::int64_t i) -> Status {
      const std::string& name = tables[static_cast<std::size_t>(i)];
      Result<Table> table =
          Table::Open(warehouse.file_system(), warehouse.TablePath(database, name), database + "." + name);
      if (!table && table.error().code() == ErrorCode::kNotFound) return Ok();
      if (!table) return std::move(table).error().Context("while listing the tables of the warehouse");
      opened[static_cast<std::size_t>(i)] = *std::move(table);
      return Ok();
    }));
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (opened[i]) all.push_back({database, tables[i], *std::move(opened[i])});
    }
  }
  return all;
}

using RowsOfWarehouse = Status (*)(const StoredTable& stored, std::vector<DatumList>& rows);

std::shared_ptr<const VirtualTable> MakeTableOfTables(const WarehouseFolder& warehouse, std::vector<DataField> fields,
                                                      RowsOfWarehouse add_rows) {
  return MakeComputedTable(std::move(fields), [warehouse, add_rows]() -> Result<std::vector<DatumList>> {
    BRAID_TRY_ASSIGN(const std::vector<StoredTable> tables, OpenAll(warehouse));
    std::vector<DatumList> rows;
    for (const StoredTable& stored : tables) BRAID_TRY(add_rows(stored, rows));
    return rows;
  });
}

Status AddOptionRows(const StoredTable& stored, std::vector<DatumList>& rows) {
  Options options({{"path", stored.table.paths().root()}});
  options = options.With(stored.table.options());
  for (const auto& [key, value] : options.values()) rows.push_back({stored.database, stored.name, key, value});
  return Ok();
}

Datum NumberOrNull(const std::optional<std::string>& text) {
  return text ? OrNull(ParseInt64(*text)) : Datum();
}

Status AddTableRow(const StoredTable& stored, std::vector<DatumList>& rows) {
  const TableSchema& schema = stored.table.schema();
  const Options& options = stored.table.options();
  // Owners, times and sizes are known to metastores alone.
  rows.push_back({stored.database, stored.name, options.Get("type", "table"), schema.is_partitioned(),
                  schema.has_primary_key(), OrNull(options.Find("owner")), NumberOrNull(options.Find("createdAt")),
                  OrNull(options.Find("createdBy")), NumberOrNull(options.Find("updatedAt")),
                  OrNull(options.Find("updatedBy")), Datum(), Datum(), Datum(), Datum()});
  return Ok();
}

Result<std::string> PartitionName(const Table& table, const BinaryRow& partition) {
  const DataLayout& layout = table.layout();
  std::string name;
  for (std::size_t i = 0; i < layout.partition_fields.size(); ++i) {
    const DataField& field = layout.partition_fields[i];
    BRAID_TRY_ASSIGN(const Datum value, partition.Get(static_cast<int>(i), field.type));
    if (i > 0) name += '/';
    name += field.name + "=" +
            PartitionValueText(value, field.type, layout.legacy_partition_names, layout.default_partition_name);
  }
  return name;
}

Status AddPartitionRows(const StoredTable& stored, std::vector<DatumList>& rows) {
  const Table& table = stored.table;
  if (!table.schema().is_partitioned()) return Ok();
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToRead(table));
  if (!snapshot) return Ok();
  BRAID_TRY_ASSIGN(const std::vector<FileTotals> partitions, TotalsByPartition(table, *snapshot));
  for (const FileTotals& total : partitions) {
    BRAID_TRY_ASSIGN(std::string name, PartitionName(table, total.partition));
    const std::int64_t created_ms = FromLocalTime({.millis = total.last_creation_ms, .nanos_of_milli = 0});
    rows.push_back({stored.database, stored.name, std::move(name), total.record_count, total.file_size,
                    total.file_count, created_ms, false});
  }
  return Ok();
}

std::vector<DataField> TablesFields() {
  return MakeFields({{"database_name", DataType::String()},
                     {"table_name", DataType::String()},
                     {"table_type", DataType::String()},
                     {"partitioned", DataType::Boolean()},
                     {"primary_key", DataType::Boolean()},
                     {"owner", DataType::String()},
                     {"created_at", DataType::BigInt()},
                     {"created_by", DataType::String()},
                     {"updated_at", DataType::BigInt()},
                     {"updated_by", DataType::String()},
                     {"record_count", DataType::BigInt()},
                     {"file_size_in_bytes", DataType::BigInt()},
                     {"file_count", DataType::BigInt()},
                     {"last_file_creation_time", DataType::BigInt()}});
}

std::vector<DataField> PartitionsFields() {
  return MakeFields({{"database_name", DataType::String()},
                     {"table_name", DataType::String()},
                     {"partition_name", DataType::String()},
                     {"record_count", DataType::BigInt()},
                     {"file_size_in_bytes", DataType::BigInt()},
                     {"file_count", DataType::BigInt()},
                     {"last_file_creation_time", DataType::BigInt()},
                     {"done", DataType::Boolean()}});
}

}  // namespace

Catalog::VirtualDatabase GlobalSystemTables(const WarehouseFolder& warehouse, const Options& catalog_options) {
  std::vector<DatumList> option_rows;
  for (const auto& [key, value] : catalog_options.values()) option_rows.push_back({key, IsSecretOption(key) ? std::string("******") : value});
  return {
      {"all_table_options", MakeTableOfTables(warehouse,
                                              MakeFields({{"database_name", DataType::String()},
                                                          {"table_name", DataType::String()},
                                                          {"key", DataType::String()},
                                                          {"value", DataType::String()}}),
                                              AddOptionRows)},
      {"catalog_options",
       MakeRowsTable(MakeFields({{"key", DataType::String().NotNull()}, {"value", DataType::String().NotNull()}}),
                     std::move(option_rows))},
      {"tables", MakeTableOfTables(warehouse, TablesFields(), AddTableRow)},
      {"partitions", MakeTableOfTables(warehouse, PartitionsFields(), AddPartitionRows)},
  };
}

}  // namespace braid
