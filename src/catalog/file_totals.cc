#include "catalog/file_totals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "meta/stores.h"

namespace braid {

namespace {

using TotalsByKey = std::map<std::pair<std::string, std::int32_t>, FileTotals>;

// Manifests are summed entry by entry, deletions negatively: nothing needs to be matched, and deleted files count in
// times.
Status AddManifests(const Table& table, const std::string& manifest_list, bool by_bucket, TotalsByKey& totals) {
  BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests,
                   ReadManifestList(table.file_system(), table.paths(), manifest_list));
  for (const ManifestFileMeta& manifest : manifests) {
    BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> entries,
                     ReadManifest(table.file_system(), table.paths(), manifest.file_name));
    for (const ManifestEntry& entry : entries) {
      if (!by_bucket && entry.bucket.value() < 0) continue;
      FileTotals& total = totals[{std::string(entry.partition.bytes()), by_bucket ? entry.bucket.value() : 0}];
      const std::int64_t sign = entry.kind == FileKind::kAdd ? 1 : -1;
      total.partition = entry.partition;
      if (by_bucket) total.bucket = entry.bucket;
      total.record_count += sign * entry.file.row_count;
      total.file_size += sign * entry.file.file_size;
      total.file_count += sign;
      total.last_creation_ms = std::max(total.last_creation_ms, entry.file.creation_time_ms.value_or(0));
    }
  }
  return Ok();
}

Result<std::vector<FileTotals>> Totals(const Table& table, const Snapshot& snapshot, bool by_bucket) {
  TotalsByKey totals;
  BRAID_TRY(AddManifests(table, snapshot.base_manifest_list, by_bucket, totals));
  BRAID_TRY(AddManifests(table, snapshot.delta_manifest_list, by_bucket, totals));
  std::vector<FileTotals> live;
  for (auto& [key, total] : totals) {
    if (total.file_count > 0) live.push_back(std::move(total));
  }
  return live;
}

}  // namespace

Result<std::vector<FileTotals>> TotalsByPartition(const Table& table, const Snapshot& snapshot) {
  return Totals(table, snapshot, false);
}
Result<std::vector<FileTotals>> TotalsByBucket(const Table& table, const Snapshot& snapshot) {
  return Totals(table, snapshot, true);
}

}  // namespace braid
