#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "meta/manifest.h"
#include "meta/snapshot.h"
#include "table/data_file_list.h"
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
  /// Batch reads of key tables: only data files of this level (read-optimized, `t$ro`); nullopt: all.
  std::optional<std::int32_t> level = std::nullopt;
  /// Batch reads of key tables: deleted keys appear too, as the retraction that deleted them (`t$audit_log`).
  bool keep_retractions = false;
  /// Only rows of this bucket; nullopt: of all.
  std::optional<BucketId> bucket = std::nullopt;
  /// What comes next is decoded on the CPU pool meanwhile: for fewer readers at once than there are processors.
  bool read_ahead = false;
};

class SnapshotHold;

/// Where the deletion vector of one data file lies; an empty path: it has none.
struct DeletionVectorRef {
  std::string path;
  std::int64_t offset = 0;
  std::optional<std::int64_t> cardinality;
};

/// The unit of reading: files of one bucket that are read, and in key tables merged, together (spec data.md §10.5).
struct DataSplit {
  BinaryRow partition;
  BucketId bucket;
  std::int32_t total_buckets = 0;
  DataFileList files;
  /// Deletion vectors, one slot a file; empty if no file has any.
  std::vector<DeletionVectorRef> deletion_vectors;
  /// The files can be read one after the other: no key lies in two of them and none holds retractions.
  bool raw_convertible = false;
  /// A change read (streaming, incremental): every row of the files as it is, with its kind.
  bool is_changes = false;
  /// Files of the state to compare with (`incremental-between` in diff mode): rows equal to theirs are left out. In a
  /// change read the files that an overwrite replaced: their rows are taken back before the others come.
  DataFileList before_files;
  std::vector<DeletionVectorRef> before_deletion_vectors;
  /// The branch whose schemas the files follow, where it is not the table's own (`scan.fallback-branch`).
  std::optional<std::string> branch;
  /// Keeps the files from being removed while they are read (snapshot_hold.h); may be null.
  std::shared_ptr<SnapshotHold> hold = nullptr;
};

/// The splits of one scan.
struct Plan {
  std::optional<SnapshotId> snapshot;  ///< what was read; nullopt for a table without snapshots
  std::optional<std::int64_t> watermark;
  std::vector<DataSplit> splits;
};

/// Plans a batch read, by the table's scan options (spec data.md §10.1): latest, `scan.snapshot-id`, `scan.tag-name`,
/// `scan.timestamp-millis`, `scan.timestamp`, `scan.watermark`, `incremental-between` …. Prunes by partition, bucket, key
/// and value statistics. Errors: kNotFound, kInvalidArgument, kUnsupported, kCorruption.
Result<Plan> PlanBatch(const Table& table, const ReadRequest& request);

/// Reads a split: rows of the projected columns with their kinds, filtered exactly. Any number of splits may be read at
/// once, each reader by one thread.
Result<std::unique_ptr<BatchReader>> ReadSplit(const Table& table, const DataSplit& split, const ReadRequest& request);

/// All splits of a plan, one after the other, read ahead.
Result<std::unique_ptr<BatchReader>> ReadPlan(const Table& table, const Plan& plan, const ReadRequest& request);

/// Fields of the rows that a request yields.
Result<std::vector<DataField>> OutputFields(const Table& table, const ReadRequest& request);

/// A streaming read: first what the startup mode says, then the changes of each later snapshot (spec data.md §10.2).
/// One thread at a time.
class StreamScan {
 public:
  /// Errors: kInvalidArgument for a startup mode that streams do not have.
  static Result<std::unique_ptr<StreamScan>> Open(const Table& table, const ReadRequest& request);
  virtual ~StreamScan() = default;
  /// The next snapshot's splits, possibly none; nullopt if no newer snapshot is there yet, or the stream has ended.
  /// Errors: kNotFound if the snapshot has expired, with the earliest one left as hint.
  virtual Result<std::optional<Plan>> Next() = 0;
  /// The snapshot that Next would look at: the state to go on from after a restart. 0 before the first call where the
  /// startup mode has yet to find it.
  virtual SnapshotId next_snapshot() const = 0;
  /// Whether `scan.bounded.watermark` was passed: nothing will come any more.
  virtual bool ended() const = 0;
};

}  // namespace braid
