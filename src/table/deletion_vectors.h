#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "meta/snapshot.h"
#include "table/scan.h"
#include "table/table.h"

namespace braid {

/// The deletion vectors of one snapshot by data file (spec data.md §7.6). An immutable value.
class DeletionVectorIndex {
 public:
  DeletionVectorIndex() = default;
  static Result<DeletionVectorIndex> Read(const Table& table, const Snapshot& snapshot);

  /// One slot a file; empty if none of the files has a vector.
  std::vector<DeletionVectorRef> Find(const BinaryRow& partition, BucketId bucket, std::span<const DataFileMeta> files) const;

 private:
  using BucketKey = std::pair<std::string, std::int32_t>;
  std::map<BucketKey, std::map<std::string, DeletionVectorRef>> vectors_;  // by bucket, then by data file name
};

}  // namespace braid
