#include "table/compaction_preview.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "mergetree/compaction_picker.h"
#include "mergetree/data_file_options.h"
#include "mergetree/levels.h"
#include "meta/stores.h"
#include "table/append_compaction.h"
#include "table/clustering.h"
#include "table/clustering_options.h"
#include "table/file_scan.h"
#include "table/partitions.h"
#include "table/row_tracking.h"

namespace braid {

namespace {

constexpr BucketId kPostponedBucket{-2};

// The newest snapshot's files by bucket; nullopt without one.
Result<std::optional<FilesByBucket>> NewestFiles(const Table& table, const PredicatePtr& partition_filter) {
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return std::optional<FilesByBucket>();
  BRAID_TRY_ASSIGN(const auto scan,
                   FileScan::Make(table, ScanScope{.filter = partition_filter, .postponed_buckets = true}));
  BRAID_TRY_ASSIGN(FilesByBucket files, scan->Files(*snapshot));
  return std::optional(std::move(files));
}

std::vector<DataFileMeta> MetasOf(const BucketFiles& bucket) {
  std::vector<DataFileMeta> metas;
  for (const ScannedFile& file : bucket.files) metas.push_back(*file.meta);
  return metas;
}

class Preview {
 public:
  static Result<Preview> Make(const Table& table, bool full, const Clock& clock) {
    Preview preview(table, full, clock);
    BRAID_TRY_ASSIGN(preview.append_, AppendCompaction::FromOptions(table.options()));
    BRAID_TRY_ASSIGN(preview.levels_, CompactionOptions::FromOptions(table.options()));
    BRAID_TRY_ASSIGN(preview.bucket_count_, table.options().GetInt("bucket", -1));
    return preview;
  }

  // Those of the bucket's files that would be read.
  Result<std::vector<DataFileMeta>> FilesOf(const BucketFiles& bucket) const {
    if (bucket_count_ == kPostponedBucket.value()) {
      return bucket.bucket == kPostponedBucket ? MetasOf(bucket) : std::vector<DataFileMeta>();
    }
    return table_.schema().has_primary_key() ? FilesOfLevels(bucket) : FilesOfGroups(bucket);
  }

 private:
  Preview(const Table& table, bool full, const Clock& clock) : table_(table), full_(full), clock_(clock) {}

  Result<std::vector<DataFileMeta>> FilesOfGroups(const BucketFiles& bucket) const {
    std::vector<DataFileMeta> files;
    for (std::vector<DataFileMeta>& group : append_.Pack(MetasOf(bucket), full_, bucket_count_ > 0)) {
      files.insert(files.end(), std::make_move_iterator(group.begin()), std::make_move_iterator(group.end()));
    }
    return files;
  }

  Result<std::vector<DataFileMeta>> FilesOfLevels(const BucketFiles& bucket) const {
    BRAID_TRY_ASSIGN(const Levels levels,
                     Levels::Make(table_.schema().TrimmedPrimaryKeyFields(), levels_.level_count, MetasOf(bucket)));
    CompactionPicker picker(levels_, clock_);
    const std::vector<LevelRun> runs = levels.Runs();
    std::optional<CompactUnit> unit =
        full_ ? picker.PickFull(levels.level_count(), runs) : picker.Pick(levels.level_count(), runs);
    return unit ? std::move(unit->files) : std::vector<DataFileMeta>();
  }

  const Table& table_;
  bool full_;
  const Clock& clock_;
  AppendCompaction append_;
  CompactionOptions levels_;
  std::int64_t bucket_count_ = -1;
};

CompactionCandidate CandidateOf(const BinaryRow& partition, BucketId bucket, const std::vector<DataFileMeta>& files) {
  CompactionCandidate candidate{.partition = partition, .bucket = bucket, .file_count = 0, .bytes = 0};
  candidate.file_count = static_cast<std::int64_t>(files.size());
  for (const DataFileMeta& file : files) candidate.bytes += file.file_size;
  return candidate;
}

Result<std::vector<CompactionCandidate>> PreviewClustering(const Table& table, bool full,
                                                           const PredicatePtr& partition_filter, const Clock& clock) {
  std::vector<CompactionCandidate> candidates;
  BRAID_TRY_ASSIGN(const std::optional<Snapshot> snapshot, ReadLatestSnapshot(table.file_system(), table.paths()));
  if (!snapshot) return candidates;
  BRAID_TRY_ASSIGN(const std::vector<ClusteringUnit> units,
                   PlanClustering(table, *snapshot, full, partition_filter, clock));
  for (const ClusteringUnit& unit : units) {
    candidates.push_back(CandidateOf(unit.partition, unit.bucket, unit.files.files));
  }
  return candidates;
}

}  // namespace

Result<std::vector<CompactionCandidate>> PreviewCompaction(const Table& table, bool full,
                                                           const PredicatePtr& partition_filter, const Clock& clock) {
  BRAID_TRY_ASSIGN(const bool evolves, EvolvesData(table));
  if (evolves) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("what a compaction of {} would do cannot be told before: it has data evolution",
                             table.name()))
        .Hint("compact it without --dry-run");
  }
  BRAID_TRY_ASSIGN(const bool clusters, ClustersIncrementally(table));
  if (clusters) return PreviewClustering(table, full, partition_filter, clock);
  std::vector<CompactionCandidate> candidates;
  BRAID_TRY_ASSIGN(const std::optional<FilesByBucket> files, NewestFiles(table, partition_filter));
  if (!files) return candidates;
  BRAID_TRY_ASSIGN(const Preview preview, Preview::Make(table, full, clock));
  for (const BucketFiles& bucket : files->buckets) {
    BRAID_TRY_ASSIGN(const std::vector<DataFileMeta> chosen, preview.FilesOf(bucket));
    if (chosen.empty()) continue;
    candidates.push_back(CandidateOf(bucket.partition, bucket.bucket, chosen));
  }
  return candidates;
}

Result<PredicatePtr> IdlePartitions(const Table& table, const PredicatePtr& partition_filter,
                                    std::chrono::milliseconds idle, const Clock& clock) {
  BRAID_TRY_ASSIGN(const std::optional<FilesByBucket> files, NewestFiles(table, partition_filter));
  if (!files) return PredicatePtr();
  std::map<BinaryRow, std::int64_t> newest;
  for (const BucketFiles& bucket : files->buckets) {
    std::int64_t& newest_ms = newest[bucket.partition];
    for (const ScannedFile& file : bucket.files)
      newest_ms = std::max(newest_ms, UtcOfLocalTimeMs(file.meta->creation_time_ms.value_or(0)));
  }
  const std::vector<DataType> types = PartitionTypes(table.layout());
  std::vector<PredicatePtr> partitions;
  for (const auto& [partition, newest_ms] : newest) {
    if (newest_ms > clock.NowMs() - idle.count()) continue;
    BRAID_TRY_ASSIGN(PredicatePtr test, IsPartition(partition, table.layout().partition_fields, types));
    partitions.push_back(std::move(test));
  }
  return partitions.empty() ? PredicatePtr() : Predicate::Or(std::move(partitions));
}

}  // namespace braid
