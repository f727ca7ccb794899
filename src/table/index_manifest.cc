#include "table/index_manifest.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "table/bucket_writer.h"
#include "table/partitions.h"

namespace braid {

namespace {

using Slot = std::tuple<std::string, std::string, std::int32_t, std::string>;  // type, partition, bucket, file name

// What an entry takes the place of: HASH indexes, and deletion vectors of tables with buckets, are one file a bucket; all others
// stand by their file name.
Slot SlotOf(const IndexManifestEntry& entry, bool unaware_buckets) {
  const bool one_per_bucket = entry.index_type == kHashIndex || (entry.index_type == kDeletionVectorsIndex && !unaware_buckets);
  if (one_per_bucket) return {entry.index_type, std::string(entry.partition.bytes()), entry.bucket.value(), ""};
  return {entry.index_type, "", 0, entry.file_name};
}

using LiveIndexes = std::map<Slot, IndexManifestEntry>;

Error DeletedMeanwhile(const Table& table) {
  return Error(ErrorCode::kConflict, fmt::format("another commit has deleted rows of files of {} that this one works on", table.name()))
      .Hint("run it again on the new state; to let several jobs write, give all but one 'write-only'='true'");
}

Status CheckBases(const Table& table, const std::vector<DeletionVectorBase>& bases, const LiveIndexes& live) {
  for (const DeletionVectorBase& base : bases) {
    const auto found = live.find({std::string(kDeletionVectorsIndex), std::string(base.partition.bytes()), base.bucket.value(), ""});
    const bool same = found == live.end() ? !base.index_file : base.index_file == found->second.file_name;
    if (!same) return DeletedMeanwhile(table);
  }
  return Ok();
}

// In tables with unaware buckets, several index files of a partition may not hold vectors of one data file.
Status CheckVectorsOnce(const Table& table, const LiveIndexes& live) {
  std::set<std::pair<std::string, std::string>> seen;  // partition, data file
  for (const auto& [slot, entry] : live) {
    if (entry.index_type != kDeletionVectorsIndex || !entry.deletion_vectors) continue;
    for (const DeletionVectorMeta& vector : *entry.deletion_vectors) {
      if (!seen.emplace(entry.partition.bytes(), vector.data_file_name).second) return DeletedMeanwhile(table);
    }
  }
  return Ok();
}

}  // namespace

Result<std::optional<std::string>> NextIndexManifest(const Table& table, const std::optional<Snapshot>& latest,
                                                     const std::vector<IndexManifestEntry>& changes,
                                                     const std::vector<DeletionVectorBase>& bases, MetadataFileNames& names,
                                                     const ManifestWriteOptions& write) {
  const std::optional<std::string> previous = latest ? latest->index_manifest : std::nullopt;
  if (changes.empty() && bases.empty()) return previous;
  BRAID_TRY_ASSIGN(const std::int64_t buckets, table.options().GetInt("bucket", -1));
  const bool unaware = !table.schema().has_primary_key() && buckets == -1;

  LiveIndexes live;
  if (previous) {
    BRAID_TRY_ASSIGN(std::vector<IndexManifestEntry> entries, ReadIndexManifest(table.file_system(), table.paths(), *previous));
    for (IndexManifestEntry& entry : entries) {
      Slot slot = SlotOf(entry, unaware);
      live.insert_or_assign(std::move(slot), std::move(entry));
    }
  }
  BRAID_TRY(CheckBases(table, bases, live));
  if (changes.empty()) return previous;
  for (const FileKind kind : {FileKind::kDelete, FileKind::kAdd}) {
    for (const IndexManifestEntry& change : changes) {
      if (change.kind != kind) continue;
      Slot slot = SlotOf(change, unaware);
      const bool by_name = !std::get<3>(slot).empty();
      if (kind == FileKind::kDelete) {
        if (live.erase(slot) == 0 && by_name) {
          return Error(ErrorCode::kConflict, fmt::format("another commit has already removed the index file {}", change.file_name));
        }
      } else if (by_name && live.contains(slot)) {
        return Error(ErrorCode::kConflict, fmt::format("the index file {} is already committed", change.file_name));
      } else {
        live.insert_or_assign(std::move(slot), change);
      }
    }
  }
  if (unaware) BRAID_TRY(CheckVectorsOnce(table, live));
  std::vector<IndexManifestEntry> entries;
  for (auto& [slot, entry] : live) entries.push_back(std::move(entry));
  BRAID_TRY_ASSIGN(WrittenMetadata written, WriteIndexManifest(table.file_system(), table.paths(), names, entries, write));
  return std::optional(std::move(written.name));
}

Result<std::string> PlaceIndexFile(const Table& table, IndexManifestEntry& entry) {
  BRAID_TRY_ASSIGN(const bool beside_data, table.options().GetBool("index-file-in-data-file-dir", false));
  if (!beside_data) return IndexFilePath(table, entry);
  BRAID_TRY_ASSIGN(const auto places, PlacesOf(table, entry.partition, entry.bucket));
  NewFilePlaces::Place place = places->Next(entry.file_name);
  entry.external_path = std::move(place.external_path);
  return std::move(place.path);
}

Result<std::string> IndexFilePath(const Table& table, const IndexManifestEntry& entry) {
  if (entry.external_path) return *entry.external_path;
  BRAID_TRY_ASSIGN(const bool beside_data, table.options().GetBool("index-file-in-data-file-dir", false));
  if (!beside_data) return JoinPath(table.paths().IndexDirectory(), entry.file_name);
  BRAID_TRY_ASSIGN(const DatumList partition, entry.partition.ToDatums(PartitionTypes(table.layout())));
  return JoinPath(JoinPath(table.paths().root(), table.layout().BucketDirectory(partition, entry.bucket)), entry.file_name);
}

}  // namespace braid
