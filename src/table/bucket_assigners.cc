#include "table/bucket_assigners.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

namespace braid {

namespace {

constexpr std::int64_t kMostAssigners = 32767;  // as many as there can be buckets

Result<std::int64_t> CountOf(const Table& table, const char* option, std::int64_t unset) {
  BRAID_TRY_ASSIGN(const std::int64_t count, table.options().GetInt(option, unset));
  if (count >= 1 && count <= kMostAssigners) return count;
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("option '{}' of {} is {}, not from 1 to {}", option, table.name(), count, kMostAssigners));
}

}  // namespace

Result<BucketAssigners> BucketAssigners::Of(const Table& table, const std::optional<AssignerShare>& share) {
  if (share &&
      (share->count < 1 || share->count > kMostAssigners || share->number < 0 || share->number >= share->count)) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("there is no writer {} of {}", share->number, share->count));
  }
  std::int64_t channels = share ? share->count : 1;
  if (!share) {
    BRAID_TRY_ASSIGN(channels, CountOf(table, "dynamic-bucket.assigner-parallelism", 1));
  }
  BRAID_TRY_ASSIGN(const std::int64_t initial, CountOf(table, "dynamic-bucket.initial-buckets", channels));
  const std::int64_t assigners = std::min(initial, channels);
  return BucketAssigners(static_cast<std::int32_t>(channels), static_cast<std::int32_t>(assigners),
                         static_cast<std::int32_t>(share ? channels : assigners));
}

std::int32_t BucketAssigners::ChannelOf(std::int32_t partition_hash, std::int32_t key_hash) const {
  return (std::abs(partition_hash % channels_) + std::abs(key_hash % assigners_)) % channels_;
}

}  // namespace braid
