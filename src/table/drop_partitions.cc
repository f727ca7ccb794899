#include "table/drop_partitions.h"

#include "meta/stores.h"
#include "table/file_scan.h"
#include "table/partitions.h"

namespace braid {

Result<HeldFiles> FilesOfPartitions(const Table& table, const PredicatePtr& filter) {
  HeldFiles held;
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return held;
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.filter = filter, .postponed_buckets = true}));
  BRAID_TRY_ASSIGN(const FilesByBucket files, scan->Files(*snapshot));
  for (const BucketFiles& bucket : files.buckets) {
    held.rows.insert(bucket.partition);
    held.file_count += static_cast<std::int64_t>(bucket.files.size());
    for (const ScannedFile& file : bucket.files) held.bytes += file.size_bytes;
  }
  const std::vector<DataType> types = PartitionTypes(table.layout());
  for (const BinaryRow& partition : held.rows) {
    BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(types));
    held.partitions.push_back(table.layout().PartitionPath(values));
  }
  return held;
}

}  // namespace braid
