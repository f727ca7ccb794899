#include "table/hash_bucket_assigner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "table/hash_index_file.h"
#include "table/index_manifest.h"

namespace braid {

namespace {

constexpr std::int32_t kMostBuckets = 32767;  // ids 0 … 32766

}  // namespace

Result<HashBucketAssigner> HashBucketAssigner::Make(const Table& table, const std::optional<Snapshot>& snapshot,
                                                    const std::optional<AssignerShare>& share) {
  BRAID_TRY_ASSIGN(const BucketAssigners assigners, BucketAssigners::Of(table, share));
  HashBucketAssigner assigner(table, assigners, share);
  BRAID_TRY_ASSIGN(assigner.target_rows_, table.options().GetInt("dynamic-bucket.target-row-num", 2'000'000));
  BRAID_TRY_ASSIGN(assigner.max_buckets_, table.options().GetInt("dynamic-bucket.max-buckets", -1));
  if (snapshot && snapshot->index_manifest) {
    BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> entries,
                     ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest));
    for (IndexManifestEntry& entry : entries) {
      if (entry.index_type == kHashIndex)
        assigner.stored_[std::string(entry.partition.bytes())].push_back(std::move(entry));
    }
  }
  return assigner;
}

Result<HashBucketAssigner::Partition*> HashBucketAssigner::Load(const BinaryRow& partition) {
  const auto [it, is_new] = partitions_.try_emplace(partition);
  Partition& loaded = it->second;
  if (!is_new) return &loaded;
  loaded.hash = HashBytesByWords(partition.bytes());
  const auto stored = stored_.find(std::string(partition.bytes()));
  if (stored == stored_.end()) return &loaded;
  for (IndexManifestEntry& entry : stored->second) {
    const std::int32_t id = entry.bucket.value();
    Result<std::vector<std::int32_t>> hashes = ReadHashIndex(table_, entry);
    if (!hashes) {
      partitions_.erase(it);  // an empty one would be taken for loaded
      return std::move(hashes).error();
    }
    for (const std::int32_t hash : *hashes) {
      // Those of other assigners are asked for by other writers, which need the memory.
      if (share_ && assigners_.ChannelOf(loaded.hash, hash) != share_->number) continue;
      loaded.bucket_of_hash.emplace(hash, id);
    }
    Bucket& bucket = loaded.buckets[id];
    bucket.size = static_cast<std::int64_t>(hashes->size());
    bucket.stored = std::move(entry);
  }
  stored_.erase(stored);
  return &loaded;
}

Result<std::int32_t> HashBucketAssigner::BucketWithRoom(Partition& partition, std::int32_t channel) const {
  std::int32_t& filling = partition.filling[assigners_.SetOf(channel)];
  for (auto it = partition.buckets.lower_bound(filling); it != partition.buckets.end(); ++it) {
    if (it->second.size >= target_rows_ || !assigners_.Owns(channel, it->first)) continue;
    filling = it->first;
    return it->first;
  }
  const std::int64_t limit = max_buckets_ > 0 ? std::min<std::int64_t>(max_buckets_, kMostBuckets) : kMostBuckets;
  for (std::int32_t bucket = 0; bucket < limit; ++bucket) {
    // Every bucket of its own before this one exists and is full, but buckets after it may not be.
    if (assigners_.Owns(channel, bucket) && !partition.buckets.contains(bucket)) return bucket;
  }
  if (max_buckets_ > 0) {
    // All buckets that the option allows are full: fill the emptiest further, of its own where it has any.
    const auto emptiest =
        std::min_element(partition.buckets.begin(), partition.buckets.end(), [&](const auto& a, const auto& b) {
          return std::pair(!assigners_.Owns(channel, a.first), a.second.size) <
                 std::pair(!assigners_.Owns(channel, b.first), b.second.size);
        });
    return emptiest == partition.buckets.end() ? 0 : emptiest->first;
  }
  return Error(ErrorCode::kInvalidArgument,
               fmt::format("a partition of {} has {} full buckets, the most there can be", table_.name(), kMostBuckets))
      .Hint("raise the option dynamic-bucket.target-row-num");
}

Result<BucketId> HashBucketAssigner::Assign(const BinaryRow& partition, std::int32_t key_hash) {
  BRAID_TRY_ASSIGN(Partition * loaded, Load(partition));
  if (const auto known = loaded->bucket_of_hash.find(key_hash); known != loaded->bucket_of_hash.end())
    return BucketId(known->second);
  const std::int32_t channel = assigners_.ChannelOf(loaded->hash, key_hash);
  if (share_ && channel != share_->number) {
    return Error(ErrorCode::kInvalidArgument, fmt::format("writer {} of {} got a row for {} that is writer {}'s",
                                                          share_->number, share_->count, table_.name(), channel));
  }
  BRAID_TRY_ASSIGN(const std::int32_t chosen, BucketWithRoom(*loaded, channel));
  Bucket& bucket = loaded->buckets[chosen];
  bucket.added.push_back(key_hash);
  ++bucket.size;
  loaded->bucket_of_hash.emplace(key_hash, chosen);
  return BucketId(chosen);
}

Result<std::vector<IndexManifestEntry>> HashBucketAssigner::WriteChangedIndexes(MetadataFileNames& names) {
  std::vector<IndexManifestEntry> written;
  for (auto& [partition, loaded] : partitions_) {
    loaded.base = {};
    for (auto& [id, bucket] : loaded.buckets) {
      if (bucket.stored) {
        loaded.base.files[id] = {.name = bucket.stored->file_name,
                                 .external_path = bucket.stored->external_path,
                                 .hash_count = bucket.stored->row_count};
      }
      if (bucket.added.empty()) continue;
      std::vector<std::int32_t> hashes;
      if (bucket.stored) {
        Result<std::vector<std::int32_t>> stored = ReadHashIndex(table_, *bucket.stored);
        if (!stored && stored.error().code() != ErrorCode::kNotFound) return std::move(stored).error();
        // Another commit replaced the file, and it has expired: what replaced it is added when this is committed.
        if (!stored) loaded.base.files[id].hash_count = 0;
        if (stored) hashes = *std::move(stored);
      }
      hashes.insert(hashes.end(), bucket.added.begin(), bucket.added.end());
      BRAID_TRY_ASSIGN(bucket.stored, WriteHashIndex(table_, partition, BucketId(id), hashes, names));
      bucket.added = {};
      written.push_back(*bucket.stored);
    }
  }
  return written;
}

std::optional<HashIndexBase> HashBucketAssigner::BaseOf(const BinaryRow& partition) const {
  const auto found = partitions_.find(partition);
  return found == partitions_.end() ? std::nullopt : std::optional(found->second.base);
}

}  // namespace braid
