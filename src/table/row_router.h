#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "meta/fork_record.h"
#include "meta/snapshot.h"
#include "table/global_bucket_assigner.h"
#include "table/hash_bucket_assigner.h"
#include "table/table.h"
#include "types/batch.h"
#include "types/binary_row.h"

namespace braid {

/// Rows of a batch that go to one bucket.
struct RoutedRows {
  BinaryRow partition;
  BucketId bucket;
  Batch rows;
};

/// Finds the partition and bucket of rows (spec data.md §9). One thread at a time.
class RowRouter {
 public:
  /// `snapshot`: where dynamic buckets go on from; nullopt begins anew. Errors: kUnsupported for kinds of buckets that
  /// this version does not write; kInvalidArgument. `directory`: local, for what does not fit into memory. `share`: of
  /// dynamic buckets, if several writers have them.
  static Result<std::unique_ptr<RowRouter>> Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                                 const std::string& directory,
                                                 const std::optional<AssignerShare>& share = std::nullopt);

  /// The batch's rows by bucket, each part in the order of the batch. Columns are the table's.
  Result<std::vector<RoutedRows>> Route(const Batch& batch);

  /// What `_TOTAL_BUCKETS` of new files says.
  std::int32_t total_buckets() const { return total_buckets_; }
  /// New index files of dynamic buckets since the last call.
  Result<std::vector<IndexManifestEntry>> WriteChangedIndexes(MetadataFileNames& names);
  /// Notes in the messages of what WriteChangedIndexes ended what buckets were found by.
  void AddBases(std::vector<CommitMessage>& messages) const;
  /// As TableWriter::CommittedUpTo.
  void CommittedUpTo(const Snapshot& snapshot) { keys_base_ = {snapshot.id, SnapshotIdentity(snapshot)}; }

 private:
  RowRouter(const Table& table, std::int32_t total_buckets, BucketFunction function);
  std::int32_t NumberOf(const BinaryRow& partition);
  Result<std::vector<std::int32_t>> PartitionsOf(const Batch& batch);
  Result<std::vector<RoutedRows>> RouteAcrossPartitions(const Batch& batch);
  Result<std::vector<std::int32_t>> BucketsOf(const Batch& batch, const std::vector<std::int32_t>& partitions);

  Table table_;
  std::int32_t total_buckets_;
  BucketFunction function_;
  std::vector<DataField> bucket_key_fields_;
  std::vector<int> bucket_key_columns_;
  std::vector<int> partition_columns_;
  std::optional<HashBucketAssigner> assigner_;
  std::unique_ptr<GlobalBucketAssigner> global_assigner_;  // of keys that may change partition
  KeysBase keys_base_;                                     // what it went by
  std::vector<BinaryRow> partitions_;  // every partition seen, by number
  std::unordered_map<std::string, std::int32_t> partition_numbers_;
};

}  // namespace braid
