#include "table/hash_index_merge.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "table/hash_index_file.h"

namespace braid {

namespace {

using Hashes = std::vector<std::int32_t>;  // sorted unless said otherwise

Hashes Sorted(Hashes hashes) {
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

// One partition's merge.
class Merging {
 public:
  Merging(const Table& table, const BinaryRow& partition, const HashIndexBase& base, const PartitionHashIndex& added,
          const PartitionHashIndex& latest, MetadataFileNames& names)
      : table_(table), partition_(partition), base_(base), added_(added), latest_(latest), names_(names) {}

  Result<HashIndexMerge> Run() {
    HashIndexMerge merge;
    BRAID_TRY_ASSIGN(const bool still_there, FindOthers());
    merge.moved = !still_there;
    if (merge.moved) return merge;
    for (const auto& [bucket, entry] : added_) {
      BRAID_TRY_ASSIGN(const Hashes hashes, NewHashes(bucket, entry));
      merge.moved = std::any_of(hashes.begin(), hashes.end(), [&, at = bucket](std::int32_t hash) {
        const auto theirs = others_.find(hash);
        return theirs != others_.end() && theirs->second != at;
      });
      if (merge.moved) break;
      BRAID_TRY(Take(bucket, entry, hashes, merge));
    }
    return merge;
  }

 private:
  bool IsUnchanged(std::int32_t bucket) const {
    const auto before = base_.files.find(bucket);
    const auto now = latest_.find(bucket);
    if (before == base_.files.end()) return now == latest_.end();
    return now != latest_.end() && now->second.file_name == before->second.name &&
           now->second.row_count == before->second.hash_count;
  }

  // Fills others_ and changed_. False if hashes that the writer went by are there no more.
  Result<bool> FindOthers() {
    for (const auto& [bucket, file] : base_.files) {
      if (!latest_.contains(bucket)) return false;
    }
    for (const auto& [bucket, entry] : latest_) {
      if (IsUnchanged(bucket)) continue;
      BRAID_TRY_ASSIGN(Hashes now, ReadHashIndex(table_, entry));
      BRAID_TRY_ASSIGN(const std::optional<Hashes> before, HashesBefore(bucket));
      if (!before) return false;
      const Hashes sorted = Sorted(now);
      if (!std::includes(sorted.begin(), sorted.end(), before->begin(), before->end())) return false;
      Hashes theirs;
      std::set_difference(sorted.begin(), sorted.end(), before->begin(), before->end(), std::back_inserter(theirs));
      for (const std::int32_t hash : theirs) others_.emplace(hash, bucket);
      changed_.emplace(bucket, std::move(now));
    }
    return true;
  }

  // What the writer knew of the bucket; nullopt: nobody can tell any more.
  Result<std::optional<Hashes>> HashesBefore(std::int32_t bucket) const {
    const auto file = base_.files.find(bucket);
    if (file == base_.files.end()) return std::optional(Hashes());
    IndexManifestEntry entry;
    entry.partition = partition_;
    entry.bucket = BucketId(bucket);
    entry.file_name = file->second.name;
    entry.external_path = file->second.external_path;
    entry.row_count = file->second.hash_count;
    Result<Hashes> hashes = ReadHashIndex(table_, entry);
    if (hashes) return std::optional(Sorted(*std::move(hashes)));
    if (hashes.error().code() == ErrorCode::kNotFound) return std::optional<Hashes>();
    return std::move(hashes).error();
  }

  Result<Hashes> NewHashes(std::int32_t bucket, const IndexManifestEntry& entry) const {
    BRAID_TRY_ASSIGN(Hashes hashes, ReadHashIndex(table_, entry));
    const auto before = base_.files.find(bucket);
    const std::int64_t known = before == base_.files.end() ? 0 : before->second.hash_count;
    if (known > static_cast<std::int64_t>(hashes.size()))
      return Error(ErrorCode::kInternal, "an index file has fewer hashes than the one that it goes on from");
    hashes.erase(hashes.begin(), hashes.begin() + known);
    return hashes;
  }

  // `hashes`: the bucket's new ones, none of which has another bucket.
  Status Take(std::int32_t bucket, const IndexManifestEntry& entry, const Hashes& hashes, HashIndexMerge& merge) {
    const auto changed = changed_.find(bucket);
    if (changed == changed_.end()) {
      merge.indexes.push_back(entry);
      return Ok();
    }
    Hashes both = changed->second;
    std::copy_if(hashes.begin(), hashes.end(), std::back_inserter(both),
                 [&](std::int32_t hash) { return !others_.contains(hash); });
    if (both.size() == changed->second.size()) return Ok();
    BRAID_TRY_ASSIGN(IndexManifestEntry made, WriteHashIndex(table_, partition_, BucketId(bucket), both, names_));
    merge.indexes.push_back(made);
    merge.made.push_back(std::move(made));
    return Ok();
  }

  const Table& table_;
  const BinaryRow& partition_;
  const HashIndexBase& base_;
  const PartitionHashIndex& added_;
  const PartitionHashIndex& latest_;
  MetadataFileNames& names_;
  std::unordered_map<std::int32_t, std::int32_t> others_;  // buckets that others gave hashes
  std::map<std::int32_t, Hashes> changed_;                 // buckets that others changed, in the order of the file
};

}  // namespace

Result<HashIndexMerge> MergeHashIndexes(const Table& table, const BinaryRow& partition, const HashIndexBase& base,
                                        const PartitionHashIndex& added, const PartitionHashIndex& latest,
                                        MetadataFileNames& names) {
  return Merging(table, partition, base, added, latest, names).Run();
}

}  // namespace braid
