#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "table/table.h"

namespace braid {

/// One of several writers that share a table with dynamic buckets out among them.
struct AssignerShare {
  std::int32_t number = 0;  ///< from 0
  std::int32_t count = 1;   ///< of all that write; all must be told the same
};

/// Which assigner gives a new key its bucket, and which buckets it may choose from (spec data.md §9.2). Keys that have
/// a bucket keep it, whoever asks.
class BucketAssigners {
 public:
  /// Channels: the writers of `share`, or `dynamic-bucket.assigner-parallelism` (1) where one writer is all of them.
  /// Assigners: `dynamic-bucket.initial-buckets`, at most as many as channels; unset: as many. Errors:
  /// kInvalidArgument for numbers below 1 and a share that is none.
  static Result<BucketAssigners> Of(const Table& table, const std::optional<AssignerShare>& share);

  /// The channel that rows of this key go to: the number of a share.
  std::int32_t ChannelOf(std::int32_t partition_hash, std::int32_t key_hash) const;
  /// The set of buckets, of `sets`, that new keys of the channel go to: bucket b is in set b % sets. Where there are
  /// fewer assigners than channels, Java lets some channels share a set; of writers that share a table each has its
  /// own.
  std::int32_t SetOf(std::int32_t channel) const { return channel % sets_; }
  bool Owns(std::int32_t channel, std::int32_t bucket) const { return bucket % sets_ == SetOf(channel); }
  std::int32_t assigners() const { return assigners_; }

 private:
  BucketAssigners(std::int32_t channels, std::int32_t assigners, std::int32_t sets)
      : channels_(channels), assigners_(assigners), sets_(sets) {}
  std::int32_t channels_;
  std::int32_t assigners_;
  std::int32_t sets_;
};

}  // namespace braid
