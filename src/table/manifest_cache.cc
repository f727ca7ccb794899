#include "table/manifest_cache.h"

#include <functional>
#include <utility>

namespace braid {

namespace {

// What an allocation takes beside the bytes asked for, about.
constexpr std::int64_t kAllocationBytes = 16;
// After so many manifests a cache forgets which were wanted: a megabyte or two.
constexpr std::size_t kWantedAtMost = 1 << 15;
// BinaryRow keeps its bytes behind as many of its own.
constexpr std::int64_t kRowBytes = kAllocationBytes + 16;

template <typename Item>
std::int64_t VectorBytes(const std::vector<Item>& items) {
  return static_cast<std::int64_t>(items.capacity() * sizeof(Item)) + kAllocationBytes;
}

std::int64_t TextBytes(const std::string& text) {
  return text.capacity() <= std::string().capacity() ? 0
                                                     : static_cast<std::int64_t>(text.capacity()) + kAllocationBytes;
}

std::int64_t TextsBytes(const std::vector<std::string>& texts) {
  std::int64_t bytes = VectorBytes(texts);
  for (const std::string& text : texts) bytes += TextBytes(text);
  return bytes;
}

// Beside the value itself.
std::int64_t OwnedBytes(const DataFileMeta& file) {
  std::int64_t bytes = TextBytes(file.file_name);
  for (const BinaryRow* row : {&file.min_key, &file.max_key}) {
    if (row->arity() > 0) bytes += static_cast<std::int64_t>(row->bytes().size()) + kRowBytes;
  }
  if (!file.extra_files.empty()) bytes += TextsBytes(file.extra_files);
  if (file.embedded_index) bytes += TextBytes(*file.embedded_index) + kAllocationBytes;
  if (file.external_path) bytes += TextBytes(*file.external_path) + kAllocationBytes;
  if (file.write_cols) bytes += TextsBytes(*file.write_cols) + kAllocationBytes;
  if (file.write_cols_sequences) bytes += VectorBytes(*file.write_cols_sequences) + kAllocationBytes;
  return bytes;
}

}  // namespace

std::int64_t ManifestFiles::MemoryBytes() const {
  std::int64_t bytes = VectorBytes(parts);
  for (const Part& part : parts) bytes += part.memory_bytes;
  return bytes;
}

void ManifestPartBuilder::Add(ManifestEntry& entry, bool may_match) {
  const BucketRef bucket = BucketRef::Of(entry.partition, entry.bucket);
  auto it = positions_.find(bucket);
  if (it == positions_.end()) {
    // The key borrows from the row that the part keeps, not from the entry, which is overwritten.
    part_.buckets.push_back({.partition = entry.partition, .bucket = entry.bucket, .added = {}, .deleted = {}});
    it =
        positions_.emplace(BucketRef::Of(part_.buckets.back().partition, entry.bucket), part_.buckets.size() - 1).first;
  }
  pending_.push_back(
      {.bucket = it->second, .kind = entry.kind, .total_buckets = entry.total_buckets, .may_match = may_match});
  part_.metas.push_back(std::move(entry.file));
}

ManifestFiles::Part ManifestPartBuilder::Finish() {
  std::vector<std::uint32_t> added(part_.buckets.size());
  for (const Pending& pending : pending_) added[pending.bucket] += pending.kind == FileKind::kDelete ? 0 : 1;
  for (std::size_t bucket = 0; bucket < added.size(); ++bucket) part_.buckets[bucket].added.reserve(added[bucket]);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending& pending = pending_[i];
    ManifestFiles::Bucket& bucket = part_.buckets[pending.bucket];
    if (pending.kind == FileKind::kDelete) {
      bucket.deleted.push_back(&part_.metas[i]);
      continue;
    }
    ScannedFile& file = bucket.added.emplace_back(ScannedFile::Of(part_.metas[i], pending.total_buckets));
    file.position = static_cast<std::uint32_t>(i);
    file.may_match = pending.may_match;
  }
  // Counted here, by many threads and while it is at hand.
  part_.memory_bytes = VectorBytes(part_.metas) + VectorBytes(part_.buckets);
  for (const DataFileMeta& file : part_.metas) part_.memory_bytes += OwnedBytes(file);
  for (const ManifestFiles::Bucket& bucket : part_.buckets) {
    part_.memory_bytes += VectorBytes(bucket.added) + VectorBytes(bucket.deleted);
  }
  return std::move(part_);
}

bool ManifestCache::WantedBefore(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (wanted_.size() >= kWantedAtMost) wanted_.clear();
  return !wanted_.insert(std::hash<std::string>()(path)).second;
}

std::shared_ptr<const ManifestFiles> ManifestCache::Find(const std::shared_ptr<FileSystem>& fs,
                                                         const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end() || found->second->fs.lock() != fs) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->files;
}

void ManifestCache::Insert(const std::shared_ptr<FileSystem>& fs, const std::string& path,
                           std::shared_ptr<const ManifestFiles> files) {
  const std::int64_t bytes = files->MemoryBytes();
  if (bytes > max_bytes_) return;
  std::list<Kept> dropped;  // freed when the lock is
  const std::lock_guard lock(mutex_);
  if (const auto found = by_path_.find(path); found != by_path_.end()) Drop(found->second, dropped);
  while (!kept_.empty() && used_bytes_ + bytes > max_bytes_) Drop(std::prev(kept_.end()), dropped);
  kept_.push_front({.path = path, .fs = fs, .files = std::move(files), .bytes = bytes});
  by_path_.emplace(kept_.front().path, kept_.begin());
  used_bytes_ += bytes;
}

std::int64_t ManifestCache::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

void ManifestCache::Drop(std::list<Kept>::iterator kept, std::list<Kept>& dropped) {
  used_bytes_ -= kept->bytes;
  by_path_.erase(kept->path);
  dropped.splice(dropped.end(), kept_, kept);
}

ManifestCache& ProcessManifestCache() {
  static ManifestCache cache(std::int64_t{128} << 20);
  return cache;
}

}  // namespace braid
