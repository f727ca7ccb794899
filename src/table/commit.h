#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/stores.h"
#include "table/table.h"

namespace braid {

/// The index file of deletion vectors that a deletion or compaction in a bucket went by: if another has taken its place, rows
/// that the other deleted would come back.
struct DeletionVectorBase {
  BinaryRow partition;
  BucketId bucket;
  std::optional<std::string> index_file;  ///< nullopt: there was none
  /// Names of the bucket's files in which a compaction looked for older rows of its keys; nullopt: in none. If others
  /// have come above level 0, keys may be in both.
  std::optional<std::set<std::string>> files{};
};

/// The files of a range of rows that new columns of these rows, or their compaction, go by (spec metadata.md §8.5, C5): if
/// others were added or the rows were compacted, what these hold would be hidden.
struct RowRangeBase {
  std::int64_t first_row_id = 0;
  std::int64_t row_count = 0;
  std::set<std::string> files{};  ///< names of all with some of the rows
};

/// The HASH index of a partition (spec data.md §9.2) that a writer gave keys buckets by: if others have changed it
/// since, a key may have got another bucket from them.
struct HashIndexBase {
  struct File {
    std::string name;
    std::optional<std::string> external_path = std::nullopt;
    /// How many of its hashes a new index file of the bucket begins with; the rest of that are new.
    std::int64_t hash_count = 0;
    friend bool operator==(const File&, const File&) = default;
  };
  std::map<std::int32_t, File> files{};  ///< by bucket
  friend bool operator==(const HashIndexBase&, const HashIndexBase&) = default;
};

/// The snapshot whose keys a writer went by that moves rows from partition to partition (spec data.md §9.3).
struct KeysBase {
  SnapshotId snapshot;   ///< 0: there was none
  std::string identity;  ///< SnapshotIdentity of it
  friend bool operator==(const KeysBase&, const KeysBase&) = default;
};

/// What one writer did to one bucket, handed to the commit (spec metadata.md §8.1). All files are written and closed.
struct CommitMessage {
  BinaryRow partition;
  BucketId bucket;
  std::optional<std::int32_t> total_buckets;

  std::vector<DataFileMeta> new_files;
  std::vector<DataFileMeta> deleted_files;
  std::vector<DataFileMeta> changelog_files;
  std::vector<DataFileMeta> compact_before;
  std::vector<DataFileMeta> compact_after;
  std::vector<DataFileMeta> compact_changelog_files;
  std::vector<IndexManifestEntry> new_index_files;
  std::vector<IndexManifestEntry> deleted_index_files;
  /// Index files that come and go with the compaction.
  std::vector<IndexManifestEntry> compact_new_index_files = {};
  std::vector<IndexManifestEntry> compact_deleted_index_files = {};
  /// Deletion vectors as the deletion or the compaction found them, in tables with one index file a bucket.
  std::optional<DeletionVectorBase> deletion_base = std::nullopt;
  std::optional<DeletionVectorBase> compact_deletion_base = std::nullopt;
  /// Of new columns of rows that are there, or of their compaction.
  std::optional<RowRangeBase> row_range_base = std::nullopt;
  /// Of the message's whole partition; on one message of each partition of a table with dynamic buckets.
  std::optional<HashIndexBase> hash_base = std::nullopt;
  /// Of all messages; on one of them, in tables whose keys lack a partition column.
  std::optional<KeysBase> keys_base = std::nullopt;

  bool is_empty() const;
};

/// A whole commit: the messages of all writers under one identifier.
struct Committable {
  std::int64_t identifier = kBatchCommitIdentifier;
  std::optional<std::int64_t> watermark;
  std::map<std::string, std::string> properties;  ///< go into the snapshot; lineage lives here
  std::vector<CommitMessage> messages;
};

/// What INSERT OVERWRITE replaces.
struct OverwriteTarget {
  /// Partition values that rows to be replaced have (column → text); empty: the whole table, or with `dynamic` the
  /// partitions that the new files lie in.
  std::map<std::string, std::string> partition;
  bool dynamic = false;
};

/// Commits to one table on its branch under one commit user (spec metadata.md §8). Threads: one call at a time; any number
/// of TableCommits, in any processes, on the same table.
class TableCommit {
 public:
  TableCommit(Table table, std::string commit_user, const Clock& clock = SystemClock());

  /// Commits; returns the snapshots made, in order (none if there was nothing to commit and `commit_empty` is false):
  /// one for what was written and one for what was compacted. Lost races are retried as `commit.max-retries` and the
  /// like say. Keys that others gave a bucket or partition meanwhile get theirs anew (placed_keys.h); a compaction
  /// whose files others compacted is done again, or left to a later commit, if rows were written with it. Errors:
  /// kConflict if a file to be deleted is gone or retries are used up; kCommitUnknown if it cannot be told whether the
  /// snapshot landed (nothing has been cleaned up; commit the same identifier again, after FilterUncommitted).
  Result<std::vector<Snapshot>> Commit(const Committable& committable, bool commit_empty = false);

  /// Replaces what `target` says by the new files, in one snapshot of kind OVERWRITE; a compaction follows in its own.
  Result<std::vector<Snapshot>> Overwrite(const Committable& committable, const OverwriteTarget& target);

  /// Those of the identifiers that this user has not committed yet: what is left to do after a crash.
  Result<std::vector<std::int64_t>> FilterUncommitted(const std::vector<std::int64_t>& identifiers) const;

  /// Deletes the files of messages that will not be committed.
  Status Abort(const std::vector<CommitMessage>& messages);

 private:
  Table table_;
  std::string commit_user_;
  const Clock* clock_;  // outlives this
  MetadataFileNames names_;
};

/// Deletes every row, or those of these partitions (OVERWRITE snapshots).
Result<std::vector<Snapshot>> TruncateTable(const Table& table, const std::string& commit_user);
Result<std::vector<Snapshot>> DropPartitions(const Table& table, const std::vector<std::map<std::string, std::string>>& partitions,
                                             const std::string& commit_user);

}  // namespace braid
