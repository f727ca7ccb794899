// Which system tables there are, and what they have in common.

#include <utility>

#include "catalog/catalog.h"
#include "catalog/system_table_internal.h"

namespace braid {

namespace {

class MetadataTable : public SystemTableProvider {
 public:
  MetadataTable(std::string name, std::vector<DataField> fields, RowsOfTable rows)
      : name_(std::move(name)), fields_(std::move(fields)), rows_(rows) {}

  std::string_view name() const override { return name_; }

  Result<std::shared_ptr<const VirtualTable>> Open(const Table& table) const override {
    return MakeComputedTable(fields_, [table, rows = rows_] { return rows(table); });
  }

 private:
  std::string name_;
  std::vector<DataField> fields_;
  RowsOfTable rows_;
};

}  // namespace

std::vector<DataField> MakeFields(std::initializer_list<std::pair<const char*, DataType>> columns) {
  std::vector<DataField> fields;
  for (const auto& [name, type] : columns) {
    fields.push_back({.id = FieldId(static_cast<std::int32_t>(fields.size())),
                      .name = name,
                      .type = type,
                      .description = {},
                      .default_value = {}});
  }
  return fields;
}

SystemTableProviderPtr MakeMetadataTable(std::string name, std::vector<DataField> fields, RowsOfTable rows) {
  return std::make_shared<const MetadataTable>(std::move(name), std::move(fields), rows);
}

std::vector<SystemTableProviderPtr> StandardSystemTables() {
  return {
      SnapshotsTable(),  SchemasTable(),           OptionsTable(),       TagsTable(),
      BranchesTable(), MergesTable(),   ConsumersTable(),         FilesTable(),         FileKeyRangesTable(),
      ManifestsTable(),  PartitionsTable(),        BucketsTable(),       TableIndexesTable(),
      StatisticsTable(), AggregationFieldsTable(), ReadOptimizedTable(), AuditLogTable(),
      BinlogTable(),     RowTrackingTable(),
  };
}

}  // namespace braid
