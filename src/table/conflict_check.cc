#include "table/conflict_check.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "mergetree/sorted_run.h"
#include "table/file_scan.h"
#include "table/partitions.h"

namespace braid {

namespace {

std::string Describe(const Table& table, const BinaryRow& partition, BucketId bucket) {
  const Result<DatumList> values = partition.ToDatums(PartitionTypes(table.layout()));
  return values ? table.layout().BucketDirectory(*values, bucket) : fmt::format("bucket {}", bucket);
}

// The live files of the partitions that the changes touch.
Result<FilesByBucket> FilesAround(const Table& table, const Snapshot& snapshot,
                                  const std::vector<ManifestEntry>& delta) {
  std::set<BinaryRow> partitions;
  for (const ManifestEntry& entry : delta) partitions.insert(entry.partition);
  BRAID_TRY_ASSIGN(const auto scan,
                   FileScan::Make(table, ScanScope{.partitions = std::move(partitions), .postponed_buckets = true}));
  return scan->Files(snapshot);
}

// A bucket that the changes touch, as it is once they are applied.
struct TouchedBucket {
  struct File {
    const DataFileMeta* meta;
    std::int32_t total_buckets;
  };
  BinaryRow partition;
  BucketId bucket;
  std::unordered_map<std::string, File> live;  // by identity
};
using TouchedBuckets =
    std::unordered_map<BucketRef, TouchedBucket, BucketRefHash>;  // keys borrow from `base` and `delta`

TouchedBuckets FindTouched(const FilesByBucket& base, const std::vector<ManifestEntry>& delta) {
  TouchedBuckets touched;
  for (const ManifestEntry& entry : delta) {
    touched.try_emplace(BucketRef::Of(entry.partition, entry.bucket), TouchedBucket{entry.partition, entry.bucket, {}});
  }
  for (const BucketFiles& bucket : base.buckets) {
    const auto found = touched.find(BucketRef::Of(bucket.partition, bucket.bucket));
    if (found == touched.end()) continue;
    for (const ScannedFile& file : bucket.files)
      found->second.live.emplace(FileIdentity(*file.meta), TouchedBucket::File{file.meta, file.total_buckets});
  }
  return touched;
}

// Applies the changes in order.
Status Apply(const Table& table, const std::vector<ManifestEntry>& delta, TouchedBuckets& touched) {
  for (const ManifestEntry& entry : delta) {
    TouchedBucket& bucket = touched.at(BucketRef::Of(entry.partition, entry.bucket));
    std::string identity = FileIdentity(entry.file);
    if (entry.kind == FileKind::kAdd) {
      if (bucket.live.try_emplace(std::move(identity), TouchedBucket::File{&entry.file, entry.total_buckets}).second)
        continue;
      return Error(ErrorCode::kConflict,
                   fmt::format("{} already holds the file {}", Describe(table, entry.partition, entry.bucket),
                               entry.file.file_name))
          .Hint("these changes were committed before");
    }
    if (bucket.live.erase(identity) > 0) continue;
    return Error(ErrorCode::kConflict,
                 fmt::format("another commit has already removed {} from {}", entry.file.file_name,
                             Describe(table, entry.partition, entry.bucket)))
        .Hint("run it again on the new state; to let several jobs write, give all but one 'write-only'='true'");
  }
  return Ok();
}

// A partition keeps the number of buckets that its files were written with.
class BucketCounts {
 public:
  explicit BucketCounts(const Table& table) : table_(table) {}

  Status Check(const BinaryRow& partition, BucketId bucket, std::int32_t total_buckets) {
    if (total_buckets <= 0) return Ok();
    const auto [it, is_new] = counts_.emplace(partition.bytes(), total_buckets);
    if (is_new || it->second == total_buckets) return Ok();
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{} has files of {} buckets and of {}", Describe(table_, partition, bucket), it->second,
                             total_buckets))
        .Hint("after changing the option 'bucket', `braid table rescale`, CALL sys.rescale or INSERT OVERWRITE rewrites the partition");
  }

 private:
  const Table& table_;
  std::unordered_map<std::string_view, std::int32_t> counts_;  // by the partition's bytes, borrowed
};

Status CheckBucketCounts(const Table& table, const FilesByBucket& base, const TouchedBuckets& touched) {
  BucketCounts counts(table);
  for (const BucketFiles& bucket : base.buckets) {
    if (touched.contains(BucketRef::Of(bucket.partition, bucket.bucket))) continue;  // as it is now, below
    for (const ScannedFile& file : bucket.files)
      BRAID_TRY(counts.Check(bucket.partition, bucket.bucket, file.total_buckets));
  }
  for (const auto& [key, bucket] : touched) {
    for (const auto& [identity, file] : bucket.live)
      BRAID_TRY(counts.Check(bucket.partition, bucket.bucket, file.total_buckets));
  }
  return Ok();
}

// Above level 0 a level is one sorted run.
Status CheckLevels(const Table& table, const TouchedBuckets& touched) {
  if (!table.schema().has_primary_key()) return Ok();
  const std::vector<DataField> key_fields = table.schema().TrimmedPrimaryKeyFields();
  for (const auto& [key, bucket] : touched) {
    std::map<std::int32_t, std::vector<DataFileMeta>> levels;
    for (const auto& [identity, file] : bucket.live) {
      if (file.meta->level > 0) levels[file.meta->level].push_back(*file.meta);
    }
    for (auto& [level, files] : levels) {
      if (files.size() < 2) continue;
      const Result<SortedRun> run = SortedRun::Make(std::move(files), key_fields);
      if (run) continue;
      return Error(ErrorCode::kConflict,
                   fmt::format("two jobs compacted bucket {} at once: {}", bucket.bucket, run.error().message()))
          .Hint("run it again on the new state; let one job compact and give the others 'write-only'='true'");
    }
  }
  return Ok();
}

// A compaction that deletes older rows by deletion vectors must have looked for them in every file that is read.
Status CheckLookedThrough(const Table& table, const FilesByBucket& base, const std::vector<DeletionVectorBase>& bases) {
  for (const DeletionVectorBase& looked : bases) {
    if (!looked.files) continue;
    for (const BucketFiles& bucket : base.buckets) {
      if (bucket.bucket != looked.bucket || bucket.partition != looked.partition) continue;
      for (const ScannedFile& file : bucket.files) {
        if (file.meta->level == 0 || looked.files->contains(file.meta->file_name)) continue;
        return Error(ErrorCode::kConflict, fmt::format("another job has compacted {} meanwhile",
                                                       Describe(table, looked.partition, looked.bucket)))
            .Hint("run it again on the new state; to let several jobs write, give all but one 'write-only'='true'");
      }
    }
  }
  return Ok();
}

}  // namespace

bool LostFiles(const Error& error) {
  return error.code() == ErrorCode::kConflict && error.id().empty();
}

Status CheckConflicts(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta,
                      CommitKind kind, const std::vector<DeletionVectorBase>& bases) {
  if (delta.empty()) return Ok();
  BRAID_TRY_ASSIGN(const FilesByBucket base, FilesAround(table, latest, delta));
  BRAID_TRY(CheckLookedThrough(table, base, bases));
  TouchedBuckets touched = FindTouched(base, delta);
  BRAID_TRY(Apply(table, delta, touched));
  if (kind != CommitKind::kOverwrite) BRAID_TRY(CheckBucketCounts(table, base, touched));
  return CheckLevels(table, touched);
}

}  // namespace braid
