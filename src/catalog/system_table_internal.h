#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalog/virtual_table.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/data_type.h"
#include "types/datum.h"

namespace braid {

using SystemTableProviderPtr = std::shared_ptr<const SystemTableProvider>;

/// Fields with the ids 0, 1, ….
std::vector<DataField> MakeFields(std::initializer_list<std::pair<const char*, DataType>> columns);

/// A system table whose rows all come from the table's metadata.
using RowsOfTable = Result<std::vector<DatumList>> (*)(const Table& table);
SystemTableProviderPtr MakeMetadataTable(std::string name, std::vector<DataField> fields, RowsOfTable rows);

/// A value that may be absent.
template <typename T>
Datum OrNull(const std::optional<T>& value) {
  return value ? Datum(*value) : Datum();
}

// What is stored beside the data: snapshot_tables.cc, schema_tables.cc.
SystemTableProviderPtr SnapshotsTable();
SystemTableProviderPtr TagsTable();
SystemTableProviderPtr BranchesTable();
SystemTableProviderPtr MergesTable();
SystemTableProviderPtr ConsumersTable();
SystemTableProviderPtr SchemasTable();
SystemTableProviderPtr OptionsTable();
SystemTableProviderPtr AggregationFieldsTable();
SystemTableProviderPtr StatisticsTable();

// What manifests say: manifest_tables.cc, total_tables.cc, file_tables.cc.
SystemTableProviderPtr ManifestsTable();
SystemTableProviderPtr TableIndexesTable();
SystemTableProviderPtr PartitionsTable();
SystemTableProviderPtr BucketsTable();
SystemTableProviderPtr FilesTable();
SystemTableProviderPtr FileKeyRangesTable();

// The table's own rows in another form: row_tables.cc.
SystemTableProviderPtr AuditLogTable();
SystemTableProviderPtr BinlogTable();
SystemTableProviderPtr ReadOptimizedTable();
SystemTableProviderPtr RowTrackingTable();

}  // namespace braid
