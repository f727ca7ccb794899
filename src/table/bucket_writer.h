#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_budget.h"
#include "base/result.h"
#include "mergetree/merge_tree_writer.h"
#include "meta/manifest.h"
#include "meta/new_file_places.h"
#include "table/deletion_vectors.h"
#include "table/table.h"
#include "types/batch.h"

namespace braid {

/// Writes the rows of one bucket. One thread at a time. Destroying it deletes the files that no PrepareCommit has returned.
class BucketWriter {
 public:
  virtual ~BucketWriter() = default;
  /// Rows of all the table's columns, with their kinds.
  virtual Status Write(const Batch& rows) = 0;
  virtual Result<BucketChanges> PrepareCommit(bool wait_compaction) = 0;
  virtual Status Compact(bool full) = 0;
  /// Bytes of rows that wait in memory.
  virtual std::int64_t memory_bytes() const = 0;
  virtual Status ReleaseMemory() = 0;
};

struct BucketWriterConfig {
  Table table;
  BinaryRow partition;
  BucketId bucket;
  std::vector<DataFileMeta> files;  ///< what the bucket holds already; empty when previous files do not matter
  BucketDeletions deletions;        ///< deletion vectors of those files; key tables only
  std::string spill_directory;
  std::string commit_user;
  MemoryBudget* compaction_memory = nullptr;  ///< as MergeTreeWriterConfig's
  /// The table has had the rows before: if it tracks rows, they come with RowIdField and RowSequenceField, the latter
  /// NULL where the row was changed.
  bool rows_are_known = false;
};

/// A writer of a key table's bucket (spec data.md §3). Errors: kUnsupported for what this version must not write.
Result<std::unique_ptr<BucketWriter>> MakeKeyBucketWriter(BucketWriterConfig config);

/// A writer of an append table's bucket (§8). Only `Compact(true)` of fixed buckets merges files.
Result<std::unique_ptr<BucketWriter>> MakeAppendBucketWriter(BucketWriterConfig config);

/// A writer of a key table's bucket -2 (§9.4). Errors: kUnsupported as MakeKeyBucketWriter.
Result<std::unique_ptr<BucketWriter>> MakePostponedBucketWriter(BucketWriterConfig config);

/// Rewrites these files of an append table's bucket, in this order, as few new ones (source COMPACT), without the rows that
/// `deletions` name.
Result<std::vector<DataFileMeta>> RewriteAppendFiles(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                     const std::vector<DataFileMeta>& files,
                                                     const DeletionVectorIndex& deletions);

/// Where the bucket's new files go. Errors: those of NewFilePlaces::Make.
Result<std::shared_ptr<NewFilePlaces>> PlacesOf(const Table& table, const BinaryRow& partition, BucketId bucket);

/// The bucket's folder, absolute.
Result<std::string> BucketDirectory(const Table& table, const BinaryRow& partition, BucketId bucket);

}  // namespace braid
