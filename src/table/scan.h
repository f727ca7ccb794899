#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/table.h"
#include "types/batch.h"
#include "types/predicate.h"

namespace braid {

/// What a query wants of a table.
struct ReadRequest {
  /// Top-level columns in output order; nullopt: all.
  std::optional<std::vector<std::string>> projection;
  /// Rows that do not match are left out, exactly. May be null.
  PredicatePtr filter;
};

/// The unit of reading: files of one bucket that are read, and in key tables merged, together (spec data.md §10.5).
struct Split {
  BinaryRow partition;
  BucketId bucket;
  std::int32_t total_buckets = 0;
  std::vector<DataFileMeta> files;
  /// Deletion vectors of the files, by position; shorter or empty if there are none.
  std::vector<std::optional<DeletionVectorMeta>> deletion_vectors;
  std::vector<std::string> deletion_vector_paths;
  /// The files' rows are the answer as they are: no merging, no deletion vector, no schema difference.
  bool raw_convertible = false;
  /// A change read (streaming, incremental): rows come with their kinds, unmerged with older files.
  bool is_changes = false;
  /// Rows before this snapshot's changes are being subtracted (`incremental-between` in diff mode); else nullopt.
  std::optional<SnapshotId> snapshot;
};

/// The splits of one scan.
struct Plan {
  std::optional<SnapshotId> snapshot;  ///< what was read; nullopt for a table without snapshots
  std::optional<std::int64_t> watermark;
  std::vector<Split> splits;
};

/// Plans a batch read, by the table's scan options (spec data.md §10.1): latest, `scan.snapshot-id`, `scan.tag-name`,
/// `scan.timestamp-millis`, `scan.timestamp`, `scan.watermark`, `incremental-between` …. Prunes by partition, bucket, key
/// and value statistics. Errors: kNotFound, kInvalidArgument, kUnsupported, kCorruption.
Result<Plan> PlanBatch(const Table& table, const ReadRequest& request);

/// Reads a split: rows of the projected columns with their kinds, filtered exactly. Any number of splits may be read at
/// once, each reader by one thread.
Result<std::unique_ptr<BatchReader>> ReadSplit(const Table& table, const Split& split, const ReadRequest& request);

/// All splits of a plan, one after the other.
Result<std::unique_ptr<BatchReader>> ReadPlan(const Table& table, const Plan& plan, const ReadRequest& request);

/// Fields of the rows that a request yields.
Result<std::vector<DataField>> OutputFields(const Table& table, const ReadRequest& request);

/// A streaming read: first what the startup mode says, then the changes of each later snapshot (spec data.md §10.2).
/// One thread at a time.
class StreamScan {
 public:
  /// `from`: begin with the changes of this snapshot, whatever the scan options say.
  static Result<std::unique_ptr<StreamScan>> Open(const Table& table, const ReadRequest& request, std::optional<SnapshotId> from);
  virtual ~StreamScan() = default;
  /// The next snapshot's splits, possibly none; nullopt if no newer snapshot is there yet.
  /// Errors: kNotFound if the snapshot has expired, with the earliest one left as hint.
  virtual Result<std::optional<Plan>> Next() = 0;
  /// The snapshot that Next would look at.
  virtual SnapshotId next_snapshot() const = 0;
};

}  // namespace braid
