// $manifests and $table_indexes.

#include "catalog/system_table_internal.h"
#include "catalog/value_text.h"
#include "meta/stores.h"
#include "table/time_travel.h"

namespace braid {

namespace {

Result<DatumList> ManifestRow(const ManifestFileMeta& manifest, const std::vector<DataField>& partition_fields) {
  BRAID_TRY_ASSIGN(std::string min_partition, PartitionRowText(manifest.partition_stats.min_values, partition_fields));
  BRAID_TRY_ASSIGN(std::string max_partition, PartitionRowText(manifest.partition_stats.max_values, partition_fields));
  return DatumList{
      manifest.file_name,         manifest.file_size,          manifest.num_added_files,
      manifest.num_deleted_files, manifest.schema_id.value(),  std::move(min_partition),
      std::move(max_partition),   OrNull(manifest.min_row_id), OrNull(manifest.max_row_id),
  };
}

Result<std::vector<DatumList>> ManifestRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToRead(table));
  if (!snapshot) return std::vector<DatumList>();
  std::vector<std::string> lists = {snapshot->base_manifest_list, snapshot->delta_manifest_list};
  if (snapshot->changelog_manifest_list) lists.push_back(*snapshot->changelog_manifest_list);
  const std::vector<DataField> partition_fields = table.schema().PartitionFields();
  std::vector<DatumList> rows;
  for (const std::string& list : lists) {
    BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests,
                     ReadManifestList(table.file_system(), table.paths(), list));
    for (const ManifestFileMeta& manifest : manifests) {
      BRAID_TRY_ASSIGN(DatumList row, ManifestRow(manifest, partition_fields));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

Datum VectorRanges(const IndexManifestEntry& entry) {
  if (!entry.deletion_vectors) return {};
  DatumList ranges;
  for (const DeletionVectorMeta& vector : *entry.deletion_vectors) {
    ranges.emplace_back(DatumList{vector.data_file_name, std::int64_t{vector.offset}, std::int64_t{vector.length},
                                  OrNull(vector.cardinality)});
  }
  return ranges;
}

Result<std::vector<DatumList>> IndexRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToRead(table));
  if (!snapshot || !snapshot->index_manifest) return std::vector<DatumList>();
  BRAID_TRY_ASSIGN(const std::vector<IndexManifestEntry> entries,
                   ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest));
  const std::vector<DataField> partition_fields = table.schema().PartitionFields();
  std::vector<DatumList> rows;
  for (const IndexManifestEntry& entry : entries) {
    BRAID_TRY_ASSIGN(std::string partition, PartitionRowText(entry.partition, partition_fields));
    rows.push_back({std::move(partition), std::int64_t{entry.bucket.value()}, entry.index_type, entry.file_name,
                    entry.file_size, entry.row_count, VectorRanges(entry)});
  }
  return rows;
}

}  // namespace

SystemTableProviderPtr ManifestsTable() {
  return MakeMetadataTable("manifests",
                           MakeFields({{"file_name", DataType::String().NotNull()},
                                       {"file_size", DataType::BigInt().NotNull()},
                                       {"num_added_files", DataType::BigInt().NotNull()},
                                       {"num_deleted_files", DataType::BigInt().NotNull()},
                                       {"schema_id", DataType::BigInt().NotNull()},
                                       {"min_partition_stats", DataType::String()},
                                       {"max_partition_stats", DataType::String()},
                                       {"min_row_id", DataType::BigInt()},
                                       {"max_row_id", DataType::BigInt()}}),
                           ManifestRows);
}

SystemTableProviderPtr TableIndexesTable() {
  const DataType range = DataType::Row(MakeFields({{"f0", DataType::String().NotNull()},
                                                   {"f1", DataType::Int().NotNull()},
                                                   {"f2", DataType::Int().NotNull()},
                                                   {"_CARDINALITY", DataType::BigInt()}}));
  return MakeMetadataTable("table_indexes",
                           MakeFields({{"partition", DataType::String()},
                                       {"bucket", DataType::Int().NotNull()},
                                       {"index_type", DataType::String().NotNull()},
                                       {"file_name", DataType::String().NotNull()},
                                       {"file_size", DataType::BigInt().NotNull()},
                                       {"row_count", DataType::BigInt().NotNull()},
                                       {"dv_ranges", DataType::Array(range)}}),
                           IndexRows);
}

}  // namespace braid
