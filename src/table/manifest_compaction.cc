#include "table/manifest_compaction.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "meta/stores.h"
#include "table/commit_attempt.h"
#include "table/file_scan.h"
#include "table/manifest_merger.h"
#include "table/upkeep.h"

namespace braid {

namespace {

Result<std::vector<ManifestFileMeta>> ManifestsOf(const Table& table, const Snapshot& snapshot) {
  BRAID_TRY_ASSIGN(auto manifests, ReadManifestList(table.file_system(), table.paths(), snapshot.base_manifest_list));
  BRAID_TRY_ASSIGN(const auto delta,
                   ReadManifestList(table.file_system(), table.paths(), snapshot.delta_manifest_list));
  manifests.insert(manifests.end(), delta.begin(), delta.end());
  return manifests;
}

ManifestTotals TotalsOf(const std::vector<ManifestFileMeta>& manifests) {
  ManifestTotals totals;
  for (const ManifestFileMeta& manifest : manifests) {
    ++totals.files;
    totals.bytes += manifest.file_size;
    totals.entries += manifest.num_added_files + manifest.num_deleted_files;
  }
  return totals;
}

bool IsWorthwhile(const std::vector<ManifestFileMeta>& manifests, std::int64_t target_bytes) {
  const auto is_small = [&](const ManifestFileMeta& manifest) { return manifest.file_size < target_bytes; };
  return std::ranges::count_if(manifests, is_small) > 1 ||
         std::ranges::any_of(manifests,
                             [](const ManifestFileMeta& manifest) { return manifest.num_deleted_files > 0; });
}

Result<SnapshotChanges> Rewritten(const Table& table, const Snapshot& latest) {
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.postponed_buckets = true}));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> live, scan->LiveFiles(latest));
  std::ranges::stable_sort(live, [](const ManifestEntry& a, const ManifestEntry& b) {
    return std::tie(a.partition, a.bucket, a.file.level) < std::tie(b.partition, b.bucket, b.file.level);
  });
  SnapshotChanges changes;
  changes.kind = CommitKind::kCompact;
  changes.base = std::move(live);
  return changes;
}

}  // namespace

Result<ManifestCompaction> CompactManifests(const Table& table, bool dry_run, const std::string& commit_user,
                                            const Clock& clock) {
  ManifestCompaction compaction;
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return compaction;
  BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, ManifestsOf(table, *snapshot));
  BRAID_TRY_ASSIGN(const ManifestMergeOptions options, ManifestMergeOptions::FromOptions(table.options()));
  compaction.before = TotalsOf(manifests);
  compaction.worthwhile = IsWorthwhile(manifests, options.target_file_bytes);
  if (dry_run) return compaction;
  compaction.after = compaction.before;
  if (!compaction.worthwhile) return compaction;
  const CommitIdentity identity{
      .user = commit_user, .identifier = kBatchCommitIdentifier, .watermark = {}, .properties = {}};
  const auto make = [&](const std::optional<Snapshot>& newest) { return Rewritten(table, newest.value_or(*snapshot)); };
  MetadataFileNames names;
  BRAID_TRY_ASSIGN(const Snapshot made, CommitSnapshot(table, identity, make, names, clock));
  compaction.snapshot = made.id;
  BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> rewritten, ManifestsOf(table, made));
  compaction.after = TotalsOf(rewritten);
  MaintainAfterCommit(table, /*is_batch=*/true, clock);
  return compaction;
}

}  // namespace braid
