#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "meta/table_schema.h"
#include "types/binary_row.h"
#include "types/predicate.h"

namespace braid {

/// The buckets that rows passing a filter can lie in, known when the filter pins every bucket key column to some
/// values. Thread-safe.
class BucketSelector {
 public:
  /// nullptr if the filter does not pin the bucket key, or the table hashes no rows into buckets.
  static Result<std::unique_ptr<BucketSelector>> Make(const TableSchema& schema, const Options& options,
                                                      const PredicatePtr& filter);

  /// The buckets, of `total_buckets`, that can hold such rows; nullptr where the number of buckets is unknown, so all
  /// may. Lives as long as this.
  Result<const std::set<std::int32_t>*> Buckets(std::int32_t total_buckets);

 private:
  BucketSelector(BucketFunction function, std::vector<DataType> types, std::vector<DatumList> keys);

  const BucketFunction function_;
  const std::vector<DataType> types_;
  const std::vector<DatumList> keys_;
  std::mutex mutex_;                                        // guards buckets_
  std::map<std::int32_t, std::set<std::int32_t>> buckets_;  // by number of buckets
};

}  // namespace braid
