#include "table/hash_bucket_assigner.h"

#include <utility>

#include <fmt/format.h>

#include "table/index_manifest.h"

namespace braid {

namespace {

constexpr std::int32_t kMostBuckets = 32767;  // ids 0 … 32766

// A HASH index file: big-endian 32-bit hashes, nothing else (spec metadata.md §7.4).
Result<std::vector<std::int32_t>> ReadHashes(const FileSystem& fs, const std::string& path) {
  BRAID_TRY_ASSIGN(const std::string bytes, fs.ReadAll(path));
  if (bytes.size() % 4 != 0) return Error(ErrorCode::kCorruption, fmt::format("the hash index {} has {} bytes, which is no multiple of 4", path, bytes.size()));
  std::vector<std::int32_t> hashes;
  hashes.reserve(bytes.size() / 4);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    hashes.push_back(static_cast<std::int32_t>(value));
  }
  return hashes;
}

std::string EncodeHashes(const std::vector<std::int32_t>& hashes) {
  std::string bytes;
  bytes.reserve(hashes.size() * 4);
  for (const std::int32_t hash : hashes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(static_cast<std::uint32_t>(hash) >> shift);
  }
  return bytes;
}

}  // namespace

Result<HashBucketAssigner> HashBucketAssigner::Make(const Table& table, const std::optional<Snapshot>& snapshot) {
  BRAID_TRY_ASSIGN(const std::int64_t target_rows, table.options().GetInt("dynamic-bucket.target-row-num", 2'000'000));
  BRAID_TRY_ASSIGN(const std::int64_t max_buckets, table.options().GetInt("dynamic-bucket.max-buckets", -1));
  HashBucketAssigner assigner(table, target_rows, max_buckets);
  if (snapshot && snapshot->index_manifest) {
    BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> entries, ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest));
    for (IndexManifestEntry& entry : entries) {
      if (entry.index_type == kHashIndex) assigner.stored_[std::string(entry.partition.bytes())].push_back(std::move(entry));
    }
  }
  return assigner;
}

Result<HashBucketAssigner::Partition*> HashBucketAssigner::Load(const BinaryRow& partition) {
  const auto [it, is_new] = partitions_.try_emplace(partition);
  Partition& loaded = it->second;
  if (!is_new) return &loaded;
  const auto stored = stored_.find(std::string(partition.bytes()));
  if (stored == stored_.end()) return &loaded;
  for (const IndexManifestEntry& entry : stored->second) {
    BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table_, entry));
    BRAID_TRY_ASSIGN(std::vector<std::int32_t> hashes, ReadHashes(table_.file_system(), path));
    for (const std::int32_t hash : hashes) loaded.bucket_of_hash.emplace(hash, entry.bucket.value());
    loaded.buckets[entry.bucket.value()].hashes = std::move(hashes);
  }
  return &loaded;
}

Result<std::int32_t> HashBucketAssigner::BucketWithRoom(Partition& partition) const {
  const auto has_room = [&](const Bucket& bucket) { return static_cast<std::int64_t>(bucket.hashes.size()) < target_rows_; };
  for (auto it = partition.buckets.lower_bound(partition.filling); it != partition.buckets.end(); ++it) {
    if (!has_room(it->second)) continue;
    partition.filling = it->first;
    return it->first;
  }
  const std::int64_t limit = max_buckets_ > 0 ? std::min<std::int64_t>(max_buckets_, kMostBuckets) : kMostBuckets;
  for (std::int32_t bucket = 0; bucket < limit; ++bucket) {
    if (partition.buckets.contains(bucket)) continue;
    // Every bucket before this one exists and is full, but buckets after it may not be.
    return bucket;
  }
  if (max_buckets_ > 0) {
    // All buckets that the option allows are full: fill the emptiest further.
    auto emptiest = partition.buckets.begin();
    for (auto it = partition.buckets.begin(); it != partition.buckets.end(); ++it) {
      if (it->second.hashes.size() < emptiest->second.hashes.size()) emptiest = it;
    }
    return emptiest->first;
  }
  return Error(ErrorCode::kInvalidArgument, fmt::format("a partition of {} has {} full buckets, the most there can be", table_.name(), kMostBuckets))
      .Hint("raise the option dynamic-bucket.target-row-num");
}

Result<BucketId> HashBucketAssigner::Assign(const BinaryRow& partition, std::int32_t key_hash) {
  BRAID_TRY_ASSIGN(Partition * loaded, Load(partition));
  if (const auto known = loaded->bucket_of_hash.find(key_hash); known != loaded->bucket_of_hash.end()) return BucketId(known->second);
  BRAID_TRY_ASSIGN(const std::int32_t chosen, BucketWithRoom(*loaded));
  Bucket& bucket = loaded->buckets[chosen];
  bucket.hashes.push_back(key_hash);
  bucket.changed = true;
  loaded->bucket_of_hash.emplace(key_hash, chosen);
  return BucketId(chosen);
}

Result<std::vector<IndexManifestEntry>> HashBucketAssigner::WriteChangedIndexes(MetadataFileNames& names) {
  std::vector<IndexManifestEntry> written;
  for (auto& [partition, loaded] : partitions_) {
    for (auto& [id, bucket] : loaded.buckets) {
      if (!bucket.changed) continue;
      const std::string bytes = EncodeHashes(bucket.hashes);
      IndexManifestEntry entry;
      entry.partition = partition;
      entry.bucket = BucketId(id);
      entry.index_type = kHashIndex;
      entry.file_name = names.NextIndex();
      entry.file_size = static_cast<std::int64_t>(bytes.size());
      entry.row_count = static_cast<std::int64_t>(bucket.hashes.size());
      BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table_, entry));
      BRAID_TRY_ASSIGN(const auto file, table_.file_system().Create(path));
      BRAID_TRY(file->Append(bytes));
      BRAID_TRY(file->Close());
      bucket.changed = false;
      written.push_back(std::move(entry));
    }
  }
  return written;
}

}  // namespace braid
