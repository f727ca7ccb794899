#include "table/deletion_vectors.h"

#include "meta/stores.h"
#include "table/index_manifest.h"

namespace braid {

Result<DeletionVectorIndex> DeletionVectorIndex::Read(const Table& table, const Snapshot& snapshot) {
  DeletionVectorIndex index;
  if (!snapshot.index_manifest) return index;
  BRAID_TRY_ASSIGN(const std::vector<IndexManifestEntry> entries,
                   ReadIndexManifest(table.file_system(), table.paths(), *snapshot.index_manifest));
  for (const IndexManifestEntry& entry : entries) {
    if (entry.index_type != kDeletionVectorsIndex || !entry.deletion_vectors) continue;
    BRAID_TRY_ASSIGN(const std::string path, IndexFilePath(table, entry));
    auto& bucket = index.vectors_[{std::string(entry.partition.bytes()), entry.bucket.value()}];
    for (const DeletionVectorMeta& vector : *entry.deletion_vectors) {
      bucket.insert_or_assign(vector.data_file_name, DeletionVectorRef{path, vector.offset, vector.cardinality});
    }
  }
  return index;
}

std::vector<DeletionVectorRef> DeletionVectorIndex::Find(const BinaryRow& partition, BucketId bucket,
                                                         std::span<const DataFileMeta> files) const {
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

}  // namespace braid
