// Compaction of whole tables in commits of their own.

#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/append_compaction.h"
#include "table/bucket_writer.h"
#include "table/clustering.h"
#include "table/clustering_options.h"
#include "table/conflict_check.h"
#include "table/deletion_vectors.h"
#include "table/live_files.h"
#include "table/postpone_compaction.h"
#include "table/row_range_compaction.h"
#include "table/row_tracking.h"
#include "table/write.h"

namespace braid {

namespace {

// A compaction that loses its files to others is begun again so often.
constexpr int kMaxLostCompactions = 5;

Result<std::vector<CommitMessage>> CompactAppendTable(const Table& table, const Snapshot& snapshot, const LiveFilesOfBuckets& buckets, bool full) {
  BRAID_TRY_ASSIGN(const DeletionVectorIndex deletions, DeletionVectorIndex::Read(table, snapshot));
  MetadataFileNames names;
  BRAID_TRY_ASSIGN(const AppendCompaction compaction, AppendCompaction::FromOptions(table.options()));
  BRAID_TRY_ASSIGN(const std::int64_t bucket_count, table.options().GetInt("bucket", -1));
  std::vector<CommitMessage> messages;
  for (const auto& [key, files] : buckets) {
    CommitMessage message;
    message.partition = key.first;
    message.bucket = key.second;
    message.total_buckets = static_cast<std::int32_t>(bucket_count);
    for (std::vector<DataFileMeta>& group : compaction.Pack(files, full, bucket_count > 0)) {
      BRAID_TRY_ASSIGN(std::vector<DataFileMeta> merged, RewriteAppendFiles(table, key.first, key.second, group, deletions));
      message.compact_before.insert(message.compact_before.end(), group.begin(), group.end());
      message.compact_after.insert(message.compact_after.end(), merged.begin(), merged.end());
    }
    if (message.is_empty()) continue;
    // Files that were merged lose their deletion vectors with the rows.
    BRAID_TRY_ASSIGN(DroppedVectors dropped, DropDeletionVectors(table, snapshot, deletions, message, message.compact_before, names));
    message.compact_deletion_base = std::move(dropped.base);
    message.compact_new_index_files = std::move(dropped.indexes.added);
    message.compact_deleted_index_files = std::move(dropped.indexes.removed);
    messages.push_back(std::move(message));
  }
  return messages;
}

Result<std::vector<CommitMessage>> CompactKeyTable(const Table& table, const LiveFilesOfBuckets& buckets, bool full, const std::string& commit_user) {
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = commit_user, .spill_directory = {}, .ignore_previous_files = false, .compacts_fully_when_due = false}));
  for (const auto& [key, unused] : buckets) BRAID_TRY(writer->Compact(key.first, key.second, full));
  return writer->PrepareCommit(true, kBatchCommitIdentifier);
}

Result<std::vector<CommitMessage>> CompactEvolvingTable(const Table& table, bool full, const PredicatePtr& partition_filter) {
  BRAID_TRY_ASSIGN(const AppendCompaction compaction, AppendCompaction::FromOptions(table.options()));
  BRAID_TRY_ASSIGN(const auto rows, AddressedRows::Make(table, partition_filter));
  return CompactRowRanges(*rows, {.target_bytes = compaction.target_bytes, .min_files = full ? 2 : compaction.min_files});
}

Result<std::vector<CommitMessage>> CompactFiles(const Table& table, const Snapshot& snapshot, bool full, const PredicatePtr& partition_filter,
                                                const std::string& commit_user, const Clock& clock) {
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) return CompactEvolvingTable(table, full, partition_filter);
  BRAID_TRY_ASSIGN(const bool clusters, ClustersIncrementally(table));
  if (clusters) return ClusterFiles(table, snapshot, full, partition_filter, commit_user, clock);
  BRAID_TRY_ASSIGN(const LiveFilesOfBuckets buckets, ReadLiveFiles(table, snapshot, partition_filter));
  if (table.schema().has_primary_key()) return CompactKeyTable(table, buckets, full, commit_user);
  return CompactAppendTable(table, snapshot, buckets, full);
}

Result<std::vector<Snapshot>> CompactOnce(const Table& table, bool full, const PredicatePtr& partition_filter, const std::string& commit_user, const Clock& clock) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return std::vector<Snapshot>();
  // A table whose own writers must not compact is compacted here all the same.
  Options not_write_only;
  not_write_only.Set("write-only", "false");
  BRAID_TRY_ASSIGN(const Table compacting, table.With(not_write_only));
  BRAID_TRY_ASSIGN(const std::int64_t bucket_count, table.options().GetInt("bucket", -1));
  Committable committable;
  if (bucket_count == -2) {
    BRAID_TRY_ASSIGN(committable.messages, CompactPostponed(compacting, *snapshot, partition_filter, commit_user));
    return TableCommit(compacting, commit_user, clock).Commit(committable);
  }
  BRAID_TRY_ASSIGN(committable.messages, CompactFiles(compacting, *snapshot, full, partition_filter, commit_user, clock));
  TableCommit commit(compacting, commit_user, clock);
  auto snapshots = commit.Commit(committable);
  // A compaction is one snapshot: where it failed for certain, nothing names the new files.
  if (!snapshots && snapshots.error().code() != ErrorCode::kCommitUnknown) static_cast<void>(commit.Abort(committable.messages));
  return snapshots;
}

}  // namespace

Result<std::vector<Snapshot>> CompactTable(const Table& table, bool full, const PredicatePtr& partition_filter, const std::string& commit_user, const Clock& clock) {
  for (int attempt = 0;; ++attempt) {
    auto snapshots = CompactOnce(table, full, partition_filter, commit_user, clock);
    if (snapshots || !LostFiles(snapshots.error()) || attempt == kMaxLostCompactions) return snapshots;
  }
}

}  // namespace braid
