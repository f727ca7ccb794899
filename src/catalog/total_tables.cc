// $partitions and $buckets: sums over data files.

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "catalog/file_totals.h"
#include "catalog/system_table_internal.h"
#include "catalog/value_text.h"
#include "meta/stores.h"
#include "table/time_travel.h"
#include "types/cast.h"

namespace braid {

namespace {

// NULL and blank text share the name of the default partition, as in paths.
std::string PartitionKeyText(const Datum& value, const DataType& type, const DataLayout& layout) {
  const bool is_blank = type.is_text() && !value.is_null() && Trim(value.as_string()).empty();
  return value.is_null() || is_blank ? layout.default_partition_name : FormatDatum(value, type);
}

// "dt=2024-01-01/h=5". Unlike a path it escapes nothing and shows dates as such.
Result<std::string> PartitionName(const BinaryRow& partition, const DataLayout& layout) {
  std::string name;
  for (std::size_t i = 0; i < layout.partition_fields.size(); ++i) {
    const DataField& field = layout.partition_fields[i];
    BRAID_TRY_ASSIGN(const Datum value, partition.Get(static_cast<int>(i), field.type));
    if (i > 0) name += '/';
    name += field.name + "=" + PartitionKeyText(value, field.type, layout);
  }
  return name;
}

Timestamp StoredLocalTime(std::int64_t millis) {
  return {.millis = millis, .nanos_of_milli = 0};
}

Result<std::vector<FileTotals>> PartitionsOf(const Table& table) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, SnapshotToRead(table));
  if (!snapshot) return std::vector<FileTotals>();
  return TotalsByPartition(table, *snapshot);
}

// Partitions that the table lacks are those of its fallback branch (spec metadata.md §11.6); with a primary branch it
// is the other way round.
Result<std::vector<FileTotals>> PartitionsWithFallback(const Table& table) {
  BRAID_TRY_ASSIGN(std::vector<FileTotals> partitions, PartitionsOf(table));
  const std::optional<std::string> primary = table.options().Find("scan.primary-branch");
  const std::optional<std::string> branch = primary ? primary : table.options().Find("scan.fallback-branch");
  if (!branch || *branch == table.paths().branch()) return partitions;
  BRAID_TRY_ASSIGN(const Table other,
                   Table::Open(table.shared_file_system(), table.paths().root(), table.name(), *branch));
  BRAID_TRY_ASSIGN(std::vector<FileTotals> others, PartitionsOf(other));
  if (primary) std::swap(partitions, others);
  std::set<BinaryRow> present;
  for (const FileTotals& total : partitions) present.insert(total.partition);
  for (FileTotals& total : others) {
    if (!present.contains(total.partition)) partitions.push_back(std::move(total));
  }
  return partitions;
}

Result<std::vector<DatumList>> PartitionRows(const Table& table) {
  BRAID_TRY_ASSIGN(const std::vector<FileTotals> partitions, PartitionsWithFallback(table));
  std::vector<DatumList> rows;
  for (const FileTotals& total : partitions) {
    BRAID_TRY_ASSIGN(std::string name, PartitionName(total.partition, table.layout()));
    // Who made a partition is known to metastores alone.
    rows.push_back({std::move(name), total.record_count, total.file_size, total.file_count,
                    StoredLocalTime(total.last_creation_ms), Datum(), Datum(), Datum(), Datum()});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const DatumList& a, const DatumList& b) { return a[0].as_string() < b[0].as_string(); });
  return rows;
}

Result<std::vector<DatumList>> BucketRows(const Table& table) {
  // Java shows the latest snapshot's buckets whatever the scan options say.
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return std::vector<DatumList>();
  BRAID_TRY_ASSIGN(const std::vector<FileTotals> buckets, TotalsByBucket(table, *snapshot));
  std::vector<DatumList> rows;
  for (const FileTotals& total : buckets) {
    BRAID_TRY_ASSIGN(std::string partition, PartitionRowText(total.partition, table.layout().partition_fields));
    rows.push_back({std::move(partition), std::int64_t{total.bucket.value()}, total.record_count, total.file_size,
                    total.file_count, StoredLocalTime(total.last_creation_ms)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const DatumList& a, const DatumList& b) {
    return std::pair(a[0].as_string(), a[1].as_int()) < std::pair(b[0].as_string(), b[1].as_int());
  });
  return rows;
}

}  // namespace

SystemTableProviderPtr PartitionsTable() {
  return MakeMetadataTable("partitions",
                           MakeFields({{"partition", DataType::String()},
                                       {"record_count", DataType::BigInt().NotNull()},
                                       {"file_size_in_bytes", DataType::BigInt().NotNull()},
                                       {"file_count", DataType::BigInt().NotNull()},
                                       {"last_update_time", DataType::Timestamp(3)},
                                       {"created_at", DataType::Timestamp(3)},
                                       {"created_by", DataType::String()},
                                       {"updated_by", DataType::String()},
                                       {"options", DataType::String()}}),
                           PartitionRows);
}

SystemTableProviderPtr BucketsTable() {
  return MakeMetadataTable("buckets",
                           MakeFields({{"partition", DataType::String()},
                                       {"bucket", DataType::Int().NotNull()},
                                       {"record_count", DataType::BigInt().NotNull()},
                                       {"file_size_in_bytes", DataType::BigInt().NotNull()},
                                       {"file_count", DataType::BigInt().NotNull()},
                                       {"last_update_time", DataType::Timestamp(3)}}),
                           BucketRows);
}

}  // namespace braid
