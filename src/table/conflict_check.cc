#include "table/conflict_check.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "mergetree/sorted_run.h"
#include "meta/stores.h"

namespace braid {

namespace {

using PartitionSet = std::unordered_set<std::string>;

// Entries of the snapshot's manifests that lie in these partitions, in order.
Result<std::vector<ManifestEntry>> EntriesOf(const Table& table, const Snapshot& snapshot, const PartitionSet& partitions) {
  std::vector<ManifestEntry> entries;
  for (const std::string* list : {&snapshot.base_manifest_list, &snapshot.delta_manifest_list}) {
    BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, ReadManifestList(table.file_system(), table.paths(), *list));
    for (const ManifestFileMeta& manifest : manifests) {
      BRAID_TRY_ASSIGN(std::vector<ManifestEntry> read, ReadManifest(table.file_system(), table.paths(), manifest.file_name));
      for (ManifestEntry& entry : read) {
        if (partitions.contains(std::string(entry.partition.bytes()))) entries.push_back(std::move(entry));
      }
    }
  }
  return entries;
}

std::string Describe(const Table& table, const ManifestEntry& entry) {
  std::vector<DataType> types;
  for (const DataField& field : table.layout().partition_fields) types.push_back(field.type);
  const Result<DatumList> values = entry.partition.ToDatums(types);
  return values ? table.layout().BucketDirectory(*values, entry.bucket) : fmt::format("bucket {}", entry.bucket);
}

// A partition keeps the number of buckets that its files were written with.
Status CheckBucketCounts(const Table& table, const std::vector<const ManifestEntry*>& entries) {
  std::unordered_map<std::string, std::int32_t> counts;
  for (const ManifestEntry* entry : entries) {
    if (entry->total_buckets <= 0) continue;
    const auto [it, is_new] = counts.emplace(entry->partition.bytes(), entry->total_buckets);
    if (is_new || it->second == entry->total_buckets) continue;
    return Error(ErrorCode::kInvalidArgument, fmt::format("{} has files of {} buckets and of {}", Describe(table, *entry), it->second, entry->total_buckets))
        .Hint("after changing the option 'bucket', rewrite the partition with INSERT OVERWRITE before writing to it");
  }
  return Ok();
}

// Files that are live once the entries are applied in order.
Result<std::vector<const ManifestEntry*>> ApplyInOrder(const Table& table, const std::vector<ManifestEntry>& base, const std::vector<ManifestEntry>& delta) {
  std::unordered_map<std::string, const ManifestEntry*> live;
  std::unordered_set<std::string> deleted;
  for (const ManifestEntry& entry : base) {
    if (entry.kind == FileKind::kDelete) deleted.insert(EntryIdentity(entry));
  }
  for (const ManifestEntry& entry : base) {
    if (entry.kind != FileKind::kAdd) continue;
    std::string identity = EntryIdentity(entry);
    if (!deleted.contains(identity)) live.emplace(std::move(identity), &entry);
  }
  for (const ManifestEntry& entry : delta) {
    std::string identity = EntryIdentity(entry);
    if (entry.kind == FileKind::kAdd) {
      if (!live.emplace(std::move(identity), &entry).second) {
        return Error(ErrorCode::kConflict, fmt::format("{} already holds the file {}", Describe(table, entry), entry.file.file_name))
            .Hint("these changes were committed before");
      }
    } else if (live.erase(identity) == 0) {
      return Error(ErrorCode::kConflict, fmt::format("another commit has already removed {} from {}", entry.file.file_name, Describe(table, entry)))
          .Hint("run it again on the new state; to let several jobs write, give all but one 'write-only'='true'");
    }
  }
  std::vector<const ManifestEntry*> entries;
  entries.reserve(live.size());
  for (const auto& [identity, entry] : live) entries.push_back(entry);
  return entries;
}

// Above level 0 a level is one sorted run.
Status CheckLevels(const Table& table, const std::vector<const ManifestEntry*>& live) {
  if (!table.schema().has_primary_key()) return Ok();
  const std::vector<DataField> key_fields = table.schema().TrimmedPrimaryKeyFields();
  using LevelKey = std::tuple<std::string, std::int32_t, std::int32_t>;  // partition, bucket, level
  std::map<LevelKey, std::vector<DataFileMeta>> levels;
  for (const ManifestEntry* entry : live) {
    if (entry->file.level > 0) {
      levels[{std::string(entry->partition.bytes()), entry->bucket.value(), entry->file.level}].push_back(entry->file);
    }
  }
  for (auto& [key, files] : levels) {
    if (files.size() < 2) continue;
    const Result<SortedRun> run = SortedRun::Make(std::move(files), key_fields);
    if (run) continue;
    return Error(ErrorCode::kConflict, fmt::format("two jobs compacted bucket {} at once: {}", std::get<1>(key), run.error().message()))
        .Hint("run it again on the new state; let one job compact and give the others 'write-only'='true'");
  }
  return Ok();
}

}  // namespace

Status CheckConflicts(const Table& table, const Snapshot& latest, const std::vector<ManifestEntry>& delta, CommitKind kind) {
  PartitionSet partitions;
  for (const ManifestEntry& entry : delta) partitions.emplace(entry.partition.bytes());
  if (partitions.empty()) return Ok();
  BRAID_TRY_ASSIGN(const std::vector<ManifestEntry> base, EntriesOf(table, latest, partitions));
  BRAID_TRY_ASSIGN(const std::vector<const ManifestEntry*> live, ApplyInOrder(table, base, delta));
  if (kind != CommitKind::kOverwrite) {
    BRAID_TRY(CheckBucketCounts(table, live));
  }
  return CheckLevels(table, live);
}

}  // namespace braid
