#include "table/bucket_files.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace braid {

void FilesByBucket::SortByFirstFile() {
  std::sort(buckets.begin(), buckets.end(), [](const BucketFiles& a, const BucketFiles& b) {
    return a.files.front().position < b.files.front().position;
  });
}

FilesByBucket GroupByBucket(std::vector<ManifestEntry> entries) {
  FilesByBucket grouped;
  auto owner = std::make_shared<const std::vector<ManifestEntry>>(std::move(entries));
  std::unordered_map<BucketRef, std::size_t, BucketRefHash> positions;
  for (const ManifestEntry& entry : *owner) {
    const auto [it, is_new] =
        positions.try_emplace(BucketRef::Of(entry.partition, entry.bucket), grouped.buckets.size());
    if (is_new) grouped.buckets.push_back({.partition = entry.partition, .bucket = entry.bucket, .files = {}});
    ScannedFile& file =
        grouped.buckets[it->second].files.emplace_back(ScannedFile::Of(entry.file, entry.total_buckets));
    file.position = static_cast<std::uint32_t>(&entry - owner->data());
  }
  grouped.owner = std::move(owner);
  return grouped;
}

}  // namespace braid
