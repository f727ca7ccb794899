#include "table/deletion_vectors.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "meta/stores.h"
#include "table/file_scan.h"
#include "table/index_manifest.h"

namespace braid {

namespace {

constexpr char kIndexVersion = 1;
constexpr std::int64_t kDefaultTargetBytes = std::int64_t{2} << 20;

// An index file in the making.
class IndexFileBuilder {
 public:
  Status Add(const std::string& data_file, const DeletionVector& vector, bool bitmap64) {
    BRAID_TRY_ASSIGN(const EncodedDeletionVector encoded, EncodeDeletionVector(vector, bitmap64).Context("while writing the deletion vector of " + data_file));
    metas_.push_back({.data_file_name = data_file,
                      .offset = static_cast<std::int32_t>(bytes_.size()),
                      .length = encoded.length,
                      .cardinality = vector.cardinality()});
    bytes_ += encoded.bytes;
    return Ok();
  }
  std::int64_t size_bytes() const { return static_cast<std::int64_t>(bytes_.size()); }

  Result<IndexManifestEntry> Write(const Table& table, const BinaryRow& partition, BucketId bucket, MetadataFileNames& names) && {
    IndexManifestEntry entry;
    entry.partition = partition;
    entry.bucket = bucket;
    entry.index_type = kDeletionVectorsIndex;
    entry.file_name = names.NextIndex();
    entry.file_size = size_bytes();
    entry.row_count = static_cast<std::int64_t>(metas_.size());
    entry.deletion_vectors = std::move(metas_);
    BRAID_TRY_ASSIGN(const std::string path, PlaceIndexFile(table, entry));
    BRAID_TRY_ASSIGN(const auto file, table.file_system().Create(path));
    BRAID_TRY(file->Append(bytes_));
    BRAID_TRY(file->Close());
    return entry;
  }

 private:
  std::string bytes_ = std::string(1, kIndexVersion);
  std::vector<DeletionVectorMeta> metas_;
};

bool NamesOneOf(const IndexManifestEntry& entry, const BucketDeletions& files) {
  for (const DeletionVectorMeta& vector : *entry.deletion_vectors) {
    if (files.contains(vector.data_file_name)) return true;
  }
  return false;
}

Result<bool> HasUnawareBuckets(const Table& table) {
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  return !table.schema().has_primary_key() && buckets == -1;
}

}  // namespace

Result<DeletionVectorIndex> DeletionVectorIndex::Read(const Table& table, const Snapshot& snapshot) {
  DeletionVectorIndex index;
  if (!snapshot.index_manifest) return index;
  BRAID_TRY_ASSIGN(const std::vector<IndexManifestEntry> entries,
                   ReadIndexManifest(table.file_system(), table.paths(), *snapshot.index_manifest));
  for (const IndexManifestEntry& entry : entries) {
    if (entry.index_type != kDeletionVectorsIndex || !entry.deletion_vectors) continue;
    BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table, entry));
    const BucketKey key{std::string(entry.partition.bytes()), entry.bucket.value()};
    auto& bucket = index.vectors_[key];
    index.index_files_.insert_or_assign(key, entry.file_name);
    for (const DeletionVectorMeta& vector : *entry.deletion_vectors) {
      bucket.insert_or_assign(vector.data_file_name, DeletionVectorRef{path, vector.offset, vector.cardinality});
    }
  }
  return index;
}

std::vector<DeletionVectorRef> DeletionVectorIndex::Find(const BinaryRow& partition, BucketId bucket,
                                                         const DataFileList& files) const {
  if (vectors_.empty()) return {};
  const auto it = vectors_.find({std::string(partition.bytes()), bucket.value()});
  if (it == vectors_.end()) return {};
  std::vector<DeletionVectorRef> found(files.size());
  bool any = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (const auto vector = it->second.find(files[i].file_name); vector != it->second.end()) {
      found[i] = vector->second;
      any = true;
    }
  }
  if (!any) found.clear();
  return found;
}

Result<BucketDeletions> DeletionVectorIndex::ReadBucket(const FileSystem& fs, const BinaryRow& partition, BucketId bucket) const {
  BucketDeletions deletions;
  const auto it = vectors_.find({std::string(partition.bytes()), bucket.value()});
  if (it == vectors_.end()) return deletions;
  for (const auto& [data_file, vector] : it->second) {
    BRAID_TRY_ASSIGN(DeletionVector read, ReadDeletionVector(fs, vector.path, vector.offset));
    deletions.emplace(data_file, std::move(read));
  }
  return deletions;
}

std::optional<std::string> DeletionVectorIndex::IndexFileOf(const BinaryRow& partition, BucketId bucket) const {
  const auto it = index_files_.find({std::string(partition.bytes()), bucket.value()});
  if (it == index_files_.end()) return std::nullopt;
  return it->second;
}

Result<IndexManifestEntry> WriteDeletionVectors(const Table& table, const BinaryRow& partition, BucketId bucket,
                                                const BucketDeletions& deletions, MetadataFileNames& names) {
  BRAID_TRY_ASSIGN(const bool bitmap64, table.options().GetBool("deletion-vectors.bitmap64", false));
  IndexFileBuilder builder;
  for (const auto& [data_file, vector] : deletions) BRAID_TRY(builder.Add(data_file, vector, bitmap64));
  return std::move(builder).Write(table, partition, bucket, names);
}

Status CheckVectorsNameLiveFiles(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta,
                                 const std::vector<IndexManifestEntry>& indexes) {
  const bool has_vectors = std::any_of(indexes.begin(), indexes.end(), [](const IndexManifestEntry& index) {
    return index.kind == FileKind::kAdd && index.index_type == kDeletionVectorsIndex && index.deletion_vectors && !index.deletion_vectors->empty();
  });
  if (!has_vectors || table.schema().has_primary_key()) return Ok();
  BRAID_TRY_ASSIGN(const auto scan, FileScan::Make(table, nullptr));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, scan->LiveFiles(latest));
  entries.insert(entries.end(), delta.begin(), delta.end());
  std::set<std::string> live;
  for (const ManifestEntry& entry : MergeEntries(std::move(entries))) live.insert(entry.file.file_name);
  for (const IndexManifestEntry& index : indexes) {
    if (index.kind != FileKind::kAdd || !index.deletion_vectors) continue;
    for (const DeletionVectorMeta& vector : *index.deletion_vectors) {
      if (live.contains(vector.data_file_name)) continue;
      return Error(ErrorCode::kConflict, fmt::format("another commit has replaced the file {} of {}, rows of which were to be deleted",
                                                     vector.data_file_name, table.name()))
          .Hint("run it again on the new state");
    }
  }
  return Ok();
}

Status CheckRemovedFilesLoseVectors(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta,
                                    const std::vector<IndexManifestEntry>& indexes) {
  if (!latest.index_manifest || table.schema().has_primary_key()) return Ok();
  std::set<std::string> removed;
  for (const ManifestEntry& entry : delta) {
    if (entry.kind == FileKind::kDelete) removed.insert(entry.file.file_name);
  }
  // The same file with other indexes.
  for (const ManifestEntry& entry : delta) {
    if (entry.kind == FileKind::kAdd) removed.erase(entry.file.file_name);
  }
  if (removed.empty()) return Ok();
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  const auto replaces = [&](const IndexManifestEntry& change, const IndexManifestEntry& index) {
    if (change.file_name == index.file_name) return true;
    return buckets > 0 && change.index_type == index.index_type && change.bucket == index.bucket &&
           change.partition == index.partition;
  };
  BRAID_TRY_ASSIGN(const std::vector<IndexManifestEntry> live,
                   ReadIndexManifest(table.file_system(), table.paths(), *latest.index_manifest));
  for (const IndexManifestEntry& index : live) {
    if (index.index_type != kDeletionVectorsIndex || !index.deletion_vectors) continue;
    if (std::any_of(indexes.begin(), indexes.end(), [&](const auto& change) { return replaces(change, index); }))
      continue;
    for (const DeletionVectorMeta& vector : *index.deletion_vectors) {
      if (!removed.contains(vector.data_file_name)) continue;
      return Error(ErrorCode::kConflict,
                   fmt::format("another commit has deleted rows of the file {} of {}, which this one replaces",
                               vector.data_file_name, table.name()))
          .Hint("run it again on the new state");
    }
  }
  return Ok();
}

Result<IndexChanges> ReplaceDeletionVectors(const Table& table, const Snapshot& snapshot, const BinaryRow& partition, BucketId bucket,
                                            const BucketDeletions& changes, MetadataFileNames& names) {
  BRAID_TRY_ASSIGN(const bool bitmap64, table.options().GetBool("deletion-vectors.bitmap64", false));
  BRAID_TRY_ASSIGN(const std::int64_t target_bytes, table.options().GetMemorySize("deletion-vector.index-file.target-size", kDefaultTargetBytes));
  BRAID_TRY_ASSIGN(const bool unaware, HasUnawareBuckets(table));
  IndexChanges result;
  BucketDeletions vectors;
  if (snapshot.index_manifest) {
    BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> entries, ReadIndexManifest(table.file_system(), table.paths(), *snapshot.index_manifest));
    for (IndexManifestEntry& entry : entries) {
      const bool of_bucket = entry.index_type == kDeletionVectorsIndex && entry.deletion_vectors && entry.partition == partition && entry.bucket == bucket;
      if (!of_bucket || (unaware && !NamesOneOf(entry, changes))) continue;
      BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table, entry));
      for (const DeletionVectorMeta& vector : *entry.deletion_vectors) {
        BRAID_TRY_ASSIGN(DeletionVector read, ReadDeletionVector(table.file_system(), path, vector.offset));
        vectors.insert_or_assign(vector.data_file_name, std::move(read));
      }
      if (unaware) result.removed.push_back(std::move(entry));
    }
  }
  for (const auto& [data_file, vector] : changes) vectors.insert_or_assign(data_file, vector);
  std::erase_if(vectors, [](const auto& item) { return item.second.empty(); });
  if (!unaware) {
    BRAID_TRY_ASSIGN(IndexManifestEntry entry, WriteDeletionVectors(table, partition, bucket, vectors, names));
    result.added.push_back(std::move(entry));
    return result;
  }
  for (auto it = vectors.begin(); it != vectors.end();) {
    IndexFileBuilder builder;
    while (it != vectors.end() && builder.size_bytes() <= target_bytes) {
      BRAID_TRY(builder.Add(it->first, it->second, bitmap64));
      ++it;
    }
    BRAID_TRY_ASSIGN(IndexManifestEntry entry, std::move(builder).Write(table, partition, bucket, names));
    result.added.push_back(std::move(entry));
  }
  return result;
}

Result<DroppedVectors> DropDeletionVectors(const Table& table, const Snapshot& snapshot, const DeletionVectorIndex& vectors,
                                           const CommitMessage& message, const std::vector<DataFileMeta>& files,
                                           MetadataFileNames& names) {
  DroppedVectors dropped;
  const std::vector<DeletionVectorRef> found = vectors.Find(message.partition, message.bucket, files);
  if (found.empty()) return dropped;
  BucketDeletions none;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].path.empty()) none.emplace(files[i].file_name, DeletionVector());
  }
  BRAID_TRY_ASSIGN(dropped.indexes, ReplaceDeletionVectors(table, snapshot, message.partition, message.bucket, none, names));
  if (message.total_buckets.value_or(-1) > 0) {
    dropped.base = DeletionVectorBase{message.partition, message.bucket, vectors.IndexFileOf(message.partition, message.bucket)};
  }
  return dropped;
}

}  // namespace braid
