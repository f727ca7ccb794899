#include "table/missing_manifests.h"

#include <algorithm>
#include <utility>

#include "io/request_pool.h"
#include "meta/stores.h"
#include "table/commit_attempt.h"
#include "table/file_scan.h"

namespace braid {

namespace {

struct Manifests {
  std::vector<ManifestFileMeta> there;
  std::vector<ManifestFileMeta> missing;

  static Result<Manifests> Of(const Table& table, const Snapshot& snapshot) {
    const FileSystem& fs = table.file_system();
    BRAID_TRY_ASSIGN(auto named, ReadManifestList(fs, table.paths(), snapshot.base_manifest_list));
    BRAID_TRY_ASSIGN(const auto delta, ReadManifestList(fs, table.paths(), snapshot.delta_manifest_list));
    named.insert(named.end(), delta.begin(), delta.end());
    std::vector<std::uint8_t> exists(named.size());  // not bool: written by several threads
    BRAID_TRY(ParallelFor(PoolFor(fs), std::ssize(named), [&](std::int64_t index) -> Status {
      const auto i = static_cast<std::size_t>(index);
      BRAID_TRY_ASSIGN(const bool is_there, fs.Exists(table.paths().ManifestFile(named[i].file_name)));
      exists[i] = is_there ? 1 : 0;
      return Ok();
    }));
    Manifests manifests;
    for (std::size_t i = 0; i < named.size(); ++i) {
      (exists[i] != 0 ? manifests.there : manifests.missing).push_back(std::move(named[i]));
    }
    return manifests;
  }
};

// The live files by those manifests that are there.
Result<SnapshotChanges> WithoutMissing(const Table& table, const Snapshot& latest) {
  BRAID_TRY_ASSIGN(const Manifests manifests, Manifests::Of(table, latest));
  std::vector<ManifestEntry> entries;
  for (const ManifestFileMeta& manifest : manifests.there) {
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> read,
                     ReadManifest(table.file_system(), table.paths(), manifest.file_name));
    entries.insert(entries.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
  }
  SnapshotChanges changes;
  changes.kind = CommitKind::kOverwrite;
  changes.base = MergeEntries(std::move(entries));  // without deletions of files that a missing one added
  changes.total_record_count = 0;
  for (const ManifestEntry& entry : *changes.base) *changes.total_record_count += entry.file.row_count;
  return changes;
}

}  // namespace

Result<MissingManifests> RemoveMissingManifests(const Table& table, bool dry_run, const std::string& commit_user,
                                                const Clock& clock) {
  MissingManifests missing;
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return missing;
  BRAID_TRY_ASSIGN(const Manifests manifests, Manifests::Of(table, *snapshot));
  for (const ManifestFileMeta& manifest : manifests.missing) {
    missing.names.push_back(manifest.file_name);
    missing.added_files += manifest.num_added_files;
    missing.deleted_files += manifest.num_deleted_files;
  }
  if (dry_run || missing.names.empty()) return missing;
  const CommitIdentity identity{
      .user = commit_user, .identifier = kBatchCommitIdentifier, .watermark = {}, .properties = {}};
  const auto make = [&](const std::optional<Snapshot>& newest) {
    return WithoutMissing(table, newest.value_or(*snapshot));
  };
  MetadataFileNames names;
  BRAID_TRY_ASSIGN(const Snapshot made, CommitSnapshot(table, identity, make, names, clock));
  missing.snapshot = made.id;
  return missing;
}

}  // namespace braid
