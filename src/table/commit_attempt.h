#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "meta/stores.h"
#include "table/commit.h"
#include "table/table.h"

namespace braid {

/// What new columns of a bucket's rows go by.
struct RowRangeOfBucket {
  BinaryRow partition;
  BucketId bucket;
  RowRangeBase base;
};

/// The changes that one snapshot brings.
struct SnapshotChanges {
  CommitKind kind = CommitKind::kAppend;
  std::vector<ManifestEntry> delta;
  std::vector<ManifestEntry> changelog;
  std::vector<IndexManifestEntry> indexes;
  bool check_conflicts = false;
  /// Live files that the base list names in manifests of its own instead of those carried over: for commits that bring
  /// back files which an earlier one deleted, since readers take a deletion for final.
  std::optional<std::vector<ManifestEntry>> base = std::nullopt;
  /// Rows that the snapshot says the table has; nullopt: the latest one's and what the delta adds.
  std::optional<std::int64_t> total_record_count = std::nullopt;
  /// The statistics file that the snapshot names; nullopt: the latest one's, as long as the columns are the same.
  std::optional<std::string> statistics = std::nullopt;
  std::vector<DeletionVectorBase> vector_bases = {};
  std::vector<RowRangeOfBucket> row_range_bases = {};
};

/// What stays the same over all attempts at one snapshot.
struct CommitIdentity {
  std::string user;
  std::int64_t identifier = kBatchCommitIdentifier;
  std::optional<std::int64_t> watermark;
  std::map<std::string, std::string> properties;
};

/// Gives the changes on top of the latest snapshot; called once an attempt, so that an overwrite sees what others added.
using MakeChanges = std::function<Result<SnapshotChanges>(const std::optional<Snapshot>& latest)>;

/// Makes one snapshot, trying until it wins the race for its id (spec metadata.md §8.3). Errors as TableCommit::Commit.
Result<Snapshot> CommitSnapshot(const Table& table, const CommitIdentity& identity, const MakeChanges& make_changes,
                                MetadataFileNames& names, const Clock& clock);

}  // namespace braid
