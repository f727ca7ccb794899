#include "table/manifest_merger.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "table/partitions.h"

namespace braid {

namespace {

class Merger {
 public:
  Merger(const Table& table, MetadataFileNames& names, const ManifestMergeOptions& merge, const ManifestWriteOptions& write)
      : table_(table), names_(names), merge_(merge), write_(write), partition_types_(PartitionTypes(table.layout())) {}

  Result<MergedManifests> Run(const std::vector<ManifestFileMeta>& manifests) {
    BRAID_TRY_ASSIGN(const bool full, TryFull(manifests));
    if (!full) BRAID_TRY(Minor(manifests));
    return std::move(result_);
  }

 private:
  bool MustChange(const ManifestFileMeta& manifest) const {
    return manifest.num_deleted_files > 0 || manifest.file_size < merge_.target_file_bytes;
  }

  Result<std::vector<ManifestEntry>> Read(const ManifestFileMeta& manifest) const {
    return ReadManifest(table_.file_system(), table_.paths(), manifest.file_name);
  }

  Status Write(const std::vector<ManifestEntry>& entries) {
    BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> written,
                     WriteManifests(table_.file_system(), table_.paths(), names_, entries, partition_types_, write_));
    for (ManifestFileMeta& manifest : written) {
      result_.written.push_back(manifest.file_name);
      result_.manifests.push_back(std::move(manifest));
    }
    return Ok();
  }

  // Rewrites everything that is small or holds deletions; false if too little is there to be worth it.
  Result<bool> TryFull(const std::vector<ManifestFileMeta>& manifests) {
    std::int64_t changing_bytes = 0;
    for (const ManifestFileMeta& manifest : manifests) {
      if (MustChange(manifest)) changing_bytes += manifest.file_size;
    }
    if (changing_bytes < merge_.full_threshold_bytes) return false;

    std::unordered_set<std::string> deleted;
    for (const ManifestFileMeta& manifest : manifests) {
      if (manifest.num_deleted_files == 0) continue;
      BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> entries, Read(manifest));
      for (const ManifestEntry& entry : entries) {
        if (entry.kind == FileKind::kDelete) deleted.insert(EntryIdentity(entry));
      }
    }
    std::vector<ManifestFileMeta> to_process;
    std::vector<ManifestFileMeta> kept;
    for (const ManifestFileMeta& manifest : manifests) {
      (deleted.empty() && !MustChange(manifest) ? kept : to_process).push_back(manifest);
    }
    if (to_process.size() <= 1) return false;

    std::vector<ManifestEntry> merged;
    for (const ManifestFileMeta& manifest : to_process) {
      BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, Read(manifest));
      const std::size_t before = entries.size();
      std::erase_if(entries, [&](const ManifestEntry& entry) {
        return entry.kind == FileKind::kDelete || deleted.contains(EntryIdentity(entry));
      });
      if (!MustChange(manifest) && entries.size() == before) {
        kept.push_back(manifest);
      } else {
        merged.insert(merged.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
      }
    }
    result_.manifests = std::move(kept);
    BRAID_TRY(Write(merged));
    return true;
  }

  // Merges runs of manifests that together reach the target size, and a long enough tail.
  Status Minor(const std::vector<ManifestFileMeta>& manifests) {
    std::vector<ManifestFileMeta> batch;
    std::int64_t batch_bytes = 0;
    for (const ManifestFileMeta& manifest : manifests) {
      batch.push_back(manifest);
      batch_bytes += manifest.file_size;
      if (batch_bytes < merge_.target_file_bytes) continue;
      BRAID_TRY(MergeBatch(batch));
      batch.clear();
      batch_bytes = 0;
    }
    if (static_cast<std::int64_t>(batch.size()) >= merge_.min_count) return MergeBatch(batch);
    result_.manifests.insert(result_.manifests.end(), batch.begin(), batch.end());
    return Ok();
  }

  Status MergeBatch(const std::vector<ManifestFileMeta>& batch) {
    if (batch.size() == 1) {
      result_.manifests.push_back(batch.front());
      return Ok();
    }
    std::vector<ManifestEntry> entries;
    for (const ManifestFileMeta& manifest : batch) {
      BRAID_TRY_ASSIGN(std::vector<ManifestEntry> read, Read(manifest));
      entries.insert(entries.end(), std::make_move_iterator(read.begin()), std::make_move_iterator(read.end()));
    }
    return Write(Cancel(std::move(entries)));
  }

  // Removes pairs of an addition and its deletion; a deletion whose addition lies in another manifest stays.
  static std::vector<ManifestEntry> Cancel(std::vector<ManifestEntry> entries) {
    std::unordered_map<std::string, std::size_t> open;
    std::vector<bool> dropped(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      std::string identity = EntryIdentity(entries[i]);
      if (entries[i].kind == FileKind::kAdd) {
        open.insert_or_assign(std::move(identity), i);
      } else if (const auto it = open.find(identity); it != open.end()) {
        dropped[i] = dropped[it->second] = true;
        open.erase(it);
      }
    }
    std::vector<ManifestEntry> kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!dropped[i]) kept.push_back(std::move(entries[i]));
    }
    return kept;
  }

  const Table& table_;
  MetadataFileNames& names_;
  const ManifestMergeOptions& merge_;
  const ManifestWriteOptions& write_;
  std::vector<DataType> partition_types_;
  MergedManifests result_;
};

}  // namespace

Result<ManifestMergeOptions> ManifestMergeOptions::FromOptions(const Options& options) {
  ManifestMergeOptions merge;
  BRAID_TRY_ASSIGN(merge.target_file_bytes, options.GetMemorySize("manifest.target-file-size", merge.target_file_bytes));
  BRAID_TRY_ASSIGN(merge.full_threshold_bytes, options.GetMemorySize("manifest.full-compaction-threshold-size", merge.full_threshold_bytes));
  BRAID_TRY_ASSIGN(merge.min_count, options.GetInt("manifest.merge-min-count", merge.min_count));
  return merge;
}

Result<MergedManifests> MergeManifests(const Table& table, const std::vector<ManifestFileMeta>& manifests, MetadataFileNames& names,
                                       const ManifestMergeOptions& merge, const ManifestWriteOptions& write) {
  return Merger(table, names, merge, write).Run(manifests);
}

}  // namespace braid
