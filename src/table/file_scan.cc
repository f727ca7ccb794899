#include "table/file_scan.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/thread_pool.h"
#include "meta/stores.h"
#include "table/bucket_selector.h"
#include "table/file_statistics.h"
#include "table/schema_cache.h"

namespace braid {

namespace {

std::vector<std::string> NamesOf(std::span<const DataField> fields) {
  std::vector<std::string> names;
  for (const DataField& field : fields) names.push_back(field.name);
  return names;
}

std::vector<DataType> TypesOf(std::span<const DataField> fields) {
  std::vector<DataType> types;
  for (const DataField& field : fields) types.push_back(field.type);
  return types;
}

// Columns of the table that a predicate reads.
std::vector<DataField> FieldsOf(const PredicatePtr& predicate, const TableSchema& schema) {
  if (predicate == nullptr) return {};
  const std::vector<std::string> columns = predicate->Columns();
  return schema.Project(columns);
}

using BucketKey = std::pair<std::string, std::int32_t>;  // partition's bytes, bucket

BucketKey KeyOf(const ManifestEntry& entry) { return {std::string(entry.partition.bytes()), entry.bucket.value()}; }

}  // namespace

std::vector<PredicatePtr> Conjuncts(const PredicatePtr& filter) {
  if (filter == nullptr) return {};
  if (filter->op() != Predicate::Op::kAnd) return {filter};
  std::vector<PredicatePtr> all;
  for (const PredicatePtr& child : filter->children()) {
    for (PredicatePtr& conjunct : Conjuncts(child)) all.push_back(std::move(conjunct));
  }
  return all;
}

PredicatePtr ConjunctsOn(const PredicatePtr& filter, std::span<const std::string> columns) {
  std::vector<PredicatePtr> kept;
  for (const PredicatePtr& conjunct : Conjuncts(filter)) {
    const std::vector<std::string> read = conjunct->Columns();
    const bool all_known = std::all_of(read.begin(), read.end(), [&](const std::string& column) {
      return std::find(columns.begin(), columns.end(), column) != columns.end();
    });
    if (all_known) kept.push_back(conjunct);
  }
  return kept.empty() ? nullptr : Predicate::And(std::move(kept));
}

std::vector<ManifestEntry> MergeEntries(std::vector<ManifestEntry> entries) {
  std::unordered_set<std::string> deleted;
  for (const ManifestEntry& entry : entries) {
    if (entry.kind == FileKind::kDelete) deleted.insert(EntryIdentity(entry));
  }
  std::erase_if(entries, [&](const ManifestEntry& entry) {
    return entry.kind == FileKind::kDelete || (!deleted.empty() && deleted.contains(EntryIdentity(entry)));
  });
  return entries;
}

struct FileScan::State {
  Table table;
  PredicatePtr partition_filter;
  std::vector<DataField> partition_fields;
  std::vector<DataType> partition_types;
  PredicatePtr key_filter;
  std::vector<DataField> key_fields;
  PredicatePtr value_filter;
  std::vector<DataField> value_filter_fields;
  std::unique_ptr<BucketSelector> buckets;
  bool real_buckets_only = true;  // rows in bucket -2 are invisible until they are compacted
  mutable SchemaCache schemas;

  // Memory of partitions already tested: most entries share few partitions.
  mutable std::mutex mutex;
  mutable std::unordered_map<std::string, bool> partition_results;

  Result<bool> MatchesPartition(const BinaryRow& partition) const {
    if (partition_filter == nullptr) return true;
    const std::string key(partition.bytes());
    {
      const std::lock_guard lock(mutex);
      if (const auto it = partition_results.find(key); it != partition_results.end()) return it->second;
    }
    BRAID_TRY_ASSIGN(const DatumList values, partition.ToDatums(partition_types));
    const bool matches = partition_filter->Test(partition_fields, values);
    const std::lock_guard lock(mutex);
    partition_results.emplace(key, matches);
    return matches;
  }

  Result<bool> MayMatchManifest(const ManifestFileMeta& manifest) const {
    if (partition_filter == nullptr) return true;
    BRAID_TRY_ASSIGN(const std::vector<ColumnBounds> bounds, BoundsOf(manifest.partition_stats, partition_fields));
    return partition_filter->MayMatch(partition_fields, bounds, manifest.num_added_files + manifest.num_deleted_files);
  }

  Result<bool> MayMatchEntry(const ManifestEntry& entry) const {
    if (real_buckets_only && entry.bucket.value() < 0) return false;
    BRAID_TRY_ASSIGN(const bool partition, MatchesPartition(entry.partition));
    if (!partition) return false;
    if (buckets == nullptr) return true;
    return buckets->MayContain(entry.bucket, entry.total_buckets);
  }

  Result<bool> MayMatchKey(const ManifestEntry& entry) const {
    if (key_filter == nullptr) return true;
    BRAID_TRY_ASSIGN(const std::vector<ColumnBounds> bounds, KeyBounds(entry.file, key_fields));
    return key_filter->MayMatch(key_fields, bounds, entry.file.row_count);
  }

  Result<bool> MayMatchValue(const ManifestEntry& entry) const {
    if (value_filter == nullptr) return true;
    BRAID_TRY_ASSIGN(const auto file_schema, schemas.Get(entry.file.schema_id));
    BRAID_TRY_ASSIGN(const std::vector<ColumnBounds> bounds, ValueBounds(entry.file, *file_schema, value_filter_fields));
    return value_filter->MayMatch(value_filter_fields, bounds, entry.file.row_count);
  }

  Result<std::vector<ManifestEntry>> ReadManifests(std::vector<ManifestFileMeta> manifests) const {
    std::vector<std::vector<ManifestEntry>> parts(manifests.size());
    BRAID_TRY(ParallelFor(CpuPool(), static_cast<std::int64_t>(manifests.size()), [&](std::int64_t index) -> Status {
      const ManifestFileMeta& manifest = manifests[static_cast<std::size_t>(index)];
      BRAID_TRY_ASSIGN(const bool may_match, MayMatchManifest(manifest));
      if (!may_match) return Ok();
      BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, ReadManifest(table.file_system(), table.paths(), manifest.file_name));
      std::vector<ManifestEntry>& kept = parts[static_cast<std::size_t>(index)];
      for (ManifestEntry& entry : entries) {
        BRAID_TRY_ASSIGN(const bool wanted, MayMatchEntry(entry));
        if (wanted) kept.push_back(std::move(entry));
      }
      return Ok();
    }));
    std::vector<ManifestEntry> all;
    for (std::vector<ManifestEntry>& part : parts) {
      all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return all;
  }

  // Drops the entries that the test rejects.
  Status Prune(std::vector<ManifestEntry>& entries, Result<bool> (State::*test)(const ManifestEntry&) const) const {
    std::vector<ManifestEntry> kept;
    kept.reserve(entries.size());
    for (ManifestEntry& entry : entries) {
      BRAID_TRY_ASSIGN(const bool may_match, (this->*test)(entry));
      if (may_match) kept.push_back(std::move(entry));
    }
    entries = std::move(kept);
    return Ok();
  }

  // The whole-bucket rule of key tables (data.md §12.7, 4c): a bucket whose files may hold several versions of a key is kept
  // or dropped as one.
  Status PruneWholeBuckets(std::vector<ManifestEntry>& entries) const {
    struct Bucket {
      bool overlapping = false;
      std::int32_t level = 0;
      std::int64_t files = 0;
      bool any_match = false;
    };
    std::map<BucketKey, Bucket> buckets_seen;
    std::vector<bool> matches(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      BRAID_TRY_ASSIGN(const bool may_match, MayMatchValue(entries[i]));
      matches[i] = may_match;
      Bucket& bucket = buckets_seen[KeyOf(entries[i])];
      const std::int32_t level = entries[i].file.level;
      if (bucket.files > 0 && (level == 0 || bucket.level == 0 || level != bucket.level)) bucket.overlapping = true;
      bucket.level = level;
      ++bucket.files;
      bucket.any_match = bucket.any_match || may_match;
    }
    std::vector<ManifestEntry> kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Bucket& bucket = buckets_seen[KeyOf(entries[i])];
      if (bucket.overlapping ? bucket.any_match : static_cast<bool>(matches[i])) kept.push_back(std::move(entries[i]));
    }
    entries = std::move(kept);
    return Ok();
  }
};

FileScan::FileScan(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileScan::~FileScan() = default;

Result<std::unique_ptr<FileScan>> FileScan::Make(const Table& table, const PredicatePtr& filter) {
  const TableSchema& schema = table.schema();
  BRAID_TRY_ASSIGN(auto buckets, BucketSelector::Make(schema, table.options(), filter));
  std::vector<DataField> partition_fields = schema.PartitionFields();
  const std::vector<std::string> partition_names = NamesOf(partition_fields);
  std::vector<DataField> key_fields;
  PredicatePtr key_filter;
  if (schema.has_primary_key()) {
    key_fields = schema.TrimmedPrimaryKeyFields();
    key_filter = ConjunctsOn(filter, NamesOf(key_fields));
  }
  std::vector<PredicatePtr> others;  // those that the partition alone does not decide
  for (const PredicatePtr& conjunct : Conjuncts(filter)) {
    if (ConjunctsOn(conjunct, partition_names) == nullptr) others.push_back(conjunct);
  }
  PredicatePtr value_filter = others.empty() ? nullptr : Predicate::And(std::move(others));
  std::vector<DataField> value_filter_fields = FieldsOf(value_filter, schema);
  std::vector<DataType> partition_types = TypesOf(partition_fields);
  return std::unique_ptr<FileScan>(new FileScan(std::unique_ptr<State>(new State{
      .table = table,
      .partition_filter = ConjunctsOn(filter, partition_names),
      .partition_fields = std::move(partition_fields),
      .partition_types = std::move(partition_types),
      .key_filter = std::move(key_filter),
      .key_fields = std::move(key_fields),
      .value_filter = std::move(value_filter),
      .value_filter_fields = std::move(value_filter_fields),
      .buckets = std::move(buckets),
      .real_buckets_only = true,
      .schemas = SchemaCache(table.file_system(), table.paths()),
      .mutex = {},
      .partition_results = {},
  })));
}

Result<std::vector<ManifestEntry>> FileScan::LiveFiles(const Snapshot& snapshot) const {
  const FileSystem& fs = state_->table.file_system();
  BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> manifests, ReadManifestList(fs, state_->table.paths(), snapshot.base_manifest_list));
  BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> delta, ReadManifestList(fs, state_->table.paths(), snapshot.delta_manifest_list));
  manifests.insert(manifests.end(), std::make_move_iterator(delta.begin()), std::make_move_iterator(delta.end()));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, state_->ReadManifests(std::move(manifests)));
  entries = MergeEntries(std::move(entries));
  BRAID_TRY(state_->Prune(entries, &State::MayMatchKey));
  if (state_->value_filter == nullptr) return entries;
  if (!state_->table.schema().has_primary_key()) {
    BRAID_TRY(state_->Prune(entries, &State::MayMatchValue));
    return entries;
  }
  const std::string engine = state_->table.options().Get("merge-engine", "deduplicate");
  if (engine == "partial-update" || engine == "aggregation") return entries;  // a merged value may match though no version does
  BRAID_TRY(state_->PruneWholeBuckets(entries));
  return entries;
}

Result<std::vector<ManifestEntry>> FileScan::DeltaFiles(const Snapshot& snapshot) const {
  BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> manifests,
                   ReadManifestList(state_->table.file_system(), state_->table.paths(), snapshot.delta_manifest_list));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, state_->ReadManifests(std::move(manifests)));
  BRAID_TRY(state_->Prune(entries, &State::MayMatchKey));
  return entries;
}

Result<std::vector<ManifestEntry>> FileScan::ChangelogFiles(const Snapshot& snapshot) const {
  if (!snapshot.changelog_manifest_list) return std::vector<ManifestEntry>();
  BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> manifests,
                   ReadManifestList(state_->table.file_system(), state_->table.paths(), *snapshot.changelog_manifest_list));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, state_->ReadManifests(std::move(manifests)));
  BRAID_TRY(state_->Prune(entries, &State::MayMatchKey));
  return entries;
}

}  // namespace braid
