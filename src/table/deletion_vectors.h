#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "mergetree/bucket_deletions.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// The deletion vectors of one snapshot by data file (spec data.md §7.6). An immutable value.
class DeletionVectorIndex {
 public:
  DeletionVectorIndex() = default;
  static Result<DeletionVectorIndex> Read(const Table& table, const Snapshot& snapshot);

  /// One slot a file; empty if none of the files has a vector.
  std::vector<DeletionVectorRef> Find(const BinaryRow& partition, BucketId bucket, const DataFileList& files) const;

  /// All vectors of a bucket, read. Errors: kCorruption, kNotFound.
  Result<BucketDeletions> ReadBucket(const FileSystem& fs, const BinaryRow& partition, BucketId bucket) const;
  /// Name of the bucket's index file; of buckets that have one file each.
  std::optional<std::string> IndexFileOf(const BinaryRow& partition, BucketId bucket) const;

 private:
  using BucketKey = std::pair<std::string, std::int32_t>;
  std::map<BucketKey, std::map<std::string, DeletionVectorRef>> vectors_;  // by bucket, then by data file name
  std::map<BucketKey, std::string> index_files_;
};

/// Writes the vectors of a bucket to one new index file, unsynced, as a table's options say (`deletion-vectors.bitmap64`).
/// No vectors make an index without any, which takes the place of one with some (spec data.md §7.3).
Result<IndexManifestEntry> WriteDeletionVectors(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                const BucketDeletions& deletions, MetadataFileNames& names);

/// Whether the vectors that a commit adds to an append table are of data files that are there, in the latest snapshot or by the
/// commit itself. Errors: kConflict.
Status CheckVectorsNameLiveFiles(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta,
                                 const std::vector<IndexManifestEntry>& indexes);

/// Whether files that a commit takes out of an append table lose their vectors with it, as the latest snapshot has
/// them: if others deleted rows of them meanwhile, these would come back. Errors: kConflict.
Status CheckRemovedFilesLoseVectors(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta,
                                    const std::vector<IndexManifestEntry>& indexes);

/// Index files that come and go in one commit.
struct IndexChanges {
  std::vector<IndexManifestEntry> added;
  std::vector<IndexManifestEntry> removed;
};

/// Gives data files of one bucket of a snapshot other deletion vectors; an empty one takes a file's vector away. In tables
/// with unaware buckets only the index files that hold vectors of these files are written anew (§7.5).
Result<IndexChanges> ReplaceDeletionVectors(const Table& table, const Snapshot& snapshot, const BinaryRow& partition, BucketId bucket,
                                            const BucketDeletions& changes, MetadataFileNames& names);

/// What takes the vectors of data files away that leave the table.
struct DroppedVectors {
  IndexChanges indexes;
  /// What the change goes by, in tables with one index file a bucket, where there was a vector.
  std::optional<DeletionVectorBase> base = std::nullopt;
};
/// `message` tells the bucket; `files` are its files that go.
Result<DroppedVectors> DropDeletionVectors(const Table& table, const Snapshot& snapshot, const DeletionVectorIndex& vectors,
                                           const CommitMessage& message, const std::vector<DataFileMeta>& files,
                                           MetadataFileNames& names);

}  // namespace braid
