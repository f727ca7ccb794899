#include "table/rescale.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/commit.h"
#include "table/file_scan.h"
#include "table/kept_rows.h"
#include "table/partitions.h"
#include "table/row_tracking.h"
#include "table/scan.h"
#include "table/write.h"

namespace braid {

namespace {

// The partitions with another number of buckets, as one snapshot has them.
class OldBuckets {
 public:
  static Result<OldBuckets> Find(const Table& table, const RescaleRequest& request, std::int32_t bucket_count) {
    OldBuckets old(table);
    BRAID_TRY_ASSIGN(old.snapshot_, ReadLatestSnapshot(table.file_system(), table.paths()));
    if (!old.snapshot_) return old;
    BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, ScanScope{.filter = request.partitions}));
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> live, scan->LiveFiles(*old.snapshot_));
    for (ManifestEntry& entry : live) {
      if (entry.total_buckets == bucket_count) continue;
      CommitMessage& message = old.messages_[{entry.partition, entry.bucket}];
      message.partition = entry.partition;
      message.bucket = entry.bucket;
      message.total_buckets = entry.total_buckets;
      message.deleted_files.push_back(std::move(entry.file));
    }
    return old;
  }

  bool empty() const { return messages_.empty(); }

  Result<std::vector<RescaledPartition>> Describe() const {
    std::vector<RescaledPartition> partitions;
    const std::vector<DataType> types = PartitionTypes(table_.layout());
    const BinaryRow* last = nullptr;
    for (const auto& [bucket, message] : messages_) {
      if (last == nullptr || *last != bucket.first) {
        BRAID_TRY_ASSIGN(const DatumList values, bucket.first.ToDatums(types));
        partitions.push_back(
            {.name = table_.layout().PartitionPath(values), .bucket_count = *message.total_buckets, .file_count = 0});
      }
      last = &bucket.first;
      partitions.back().file_count += static_cast<std::int64_t>(message.deleted_files.size());
    }
    return partitions;
  }

  // Of all of them, at the snapshot.
  Result<PredicatePtr> Filter() const {
    const std::vector<DataType> types = PartitionTypes(table_.layout());
    std::vector<PredicatePtr> tests;
    for (const BinaryRow& partition : Partitions()) {
      BRAID_TRY_ASSIGN(PredicatePtr test, IsPartition(partition, table_.layout().partition_fields, types));
      tests.push_back(std::move(test));
    }
    return tests.size() == 1 ? tests.front() : Predicate::Or(std::move(tests));
  }
  const Snapshot& snapshot() const { return *snapshot_; }

  // What takes their files and indexes away.
  Result<std::vector<CommitMessage>> Deletions() const {
    std::vector<CommitMessage> messages;
    for (const auto& [bucket, message] : messages_) messages.push_back(message);
    if (!snapshot_->index_manifest) return messages;
    BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> indexes,
                     ReadIndexManifest(table_.file_system(), table_.paths(), *snapshot_->index_manifest));
    const std::set<BinaryRow> partitions = Partitions();
    for (IndexManifestEntry& index : indexes) {
      if (partitions.contains(index.partition)) messages.front().deleted_index_files.push_back(std::move(index));
    }
    return messages;
  }

 private:
  explicit OldBuckets(const Table& table) : table_(table) {}

  std::set<BinaryRow> Partitions() const {
    std::set<BinaryRow> partitions;
    for (const auto& [bucket, message] : messages_) partitions.insert(bucket.first);
    return partitions;
  }

  const Table& table_;
  std::optional<Snapshot> snapshot_;
  std::map<std::pair<BinaryRow, BucketId>, CommitMessage> messages_;
};

// The rows of the old buckets, written to new ones.
Result<std::vector<CommitMessage>> WriteAnew(const Table& table, const OldBuckets& old,
                                             const std::string& commit_user) {
  BRAID_TRY_ASSIGN(const Table pinned,
                   table.With(Options(Options::Map{{"scan.snapshot-id", fmt::format("{}", old.snapshot().id)}})));
  ReadRequest request;
  BRAID_TRY_ASSIGN(request.filter, old.Filter());
  BRAID_TRY_ASSIGN(const Plan plan, PlanBatch(pinned, request));
  BRAID_TRY_ASSIGN(const auto rows, ReadPlan(pinned, plan, request));
  BRAID_TRY_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = commit_user,
                                                                .spill_directory = {},
                                                                .ignore_previous_files = true,
                                                                .compacts_fully_when_due = false}));
  for (;;) {
    BRAID_TRY_ASSIGN(std::optional<Batch> batch, rows->Next());
    if (!batch) break;
    batch->kinds = nullptr;  // merged rows: each is the key's only one
    BRAID_TRY(writer->Write(*batch));
  }
  return writer->PrepareCommit(true, kBatchCommitIdentifier);
}

Status CheckRescalable(const Table& table) {
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  BRAID_TRY_ASSIGN(const bool tracks, TracksRows(table));
  const char* reason = buckets < 1 ? "it has no fixed number of buckets" : tracks ? "its rows are tracked" : nullptr;
  if (reason == nullptr) return Ok();
  return Error(ErrorCode::kUnsupported, fmt::format("the buckets of {} cannot be changed: {}", table.name(), reason));
}

}  // namespace

Result<Rescaling> RescaleTable(const Table& table, const RescaleRequest& request, const std::string& commit_user,
                               const Clock& clock) {
  BRAID_TRY(CheckRescalable(table));
  BRAID_TRY_ASSIGN(const std::int64_t own, table.options().GetInt("bucket", -1));
  Rescaling rescaling{
      .bucket_count = request.bucket_count.value_or(static_cast<std::int32_t>(own)), .partitions = {}, .snapshot = {}};
  if (rescaling.bucket_count < 1) return Error(ErrorCode::kInvalidArgument, "a table has at least one bucket");
  // No change of a row is to be told: the rows stay the same.
  BRAID_TRY_ASSIGN(const Table target,
                   table.With(Options(Options::Map{{"bucket", std::to_string(rescaling.bucket_count)},
                                                   {"changelog-producer", "none"}})));
  BRAID_TRY_ASSIGN(const std::int64_t max_retries, table.options().GetInt("commit.max-retries", 10));
  for (std::int64_t attempt = 0;; ++attempt) {
    BRAID_TRY_ASSIGN(const OldBuckets old, OldBuckets::Find(table, request, rescaling.bucket_count));
    BRAID_TRY_ASSIGN(rescaling.partitions, old.Describe());
    if (old.empty() || request.dry_run) return rescaling;
    Committable committable;
    committable.properties.emplace(kKeptRowsProperty, commit_user);
    BRAID_TRY_ASSIGN(committable.messages, old.Deletions());
    BRAID_TRY_ASSIGN(std::vector<CommitMessage> written, WriteAnew(target, old, commit_user));
    committable.messages.insert(committable.messages.end(), written.begin(), written.end());
    TableCommit commit(target, commit_user, clock);
    const auto snapshots = commit.Commit(committable);
    if (snapshots) {
      rescaling.snapshot = snapshots->back().id;
      return rescaling;
    }
    if (snapshots.error().code() == ErrorCode::kCommitUnknown) return snapshots.error();
    BRAID_TRY(commit.Abort(written));
    if (snapshots.error().code() != ErrorCode::kConflict || attempt >= max_retries) return snapshots.error();
  }
}

}  // namespace braid
