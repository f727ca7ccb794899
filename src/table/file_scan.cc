#include "table/file_scan.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "io/storage_traits.h"
#include "meta/stores.h"
#include "table/manifest_parts_internal.h"
#include "table/scan_filter_internal.h"

namespace braid {

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

namespace {

// The files of a bucket over all manifests.
struct CollectedBucket {
  BucketFiles bucket;
  std::size_t file_count = 0;  // at most
  std::vector<const DataFileMeta*> deleted;

  void ApplyDeletions() {
    if (deleted.empty()) return;
    std::unordered_set<std::string> identities;
    for (const DataFileMeta* file : deleted) identities.insert(FileIdentity(*file));
    std::erase_if(bucket.files, [&](const ScannedFile& file) { return identities.contains(FileIdentity(*file.meta)); });
  }
};

// A manifest's bucket on its way there.
struct PlacedBucket {
  const ManifestFiles::Bucket* bucket;
  std::size_t collected;
  std::uint32_t read_before;  // entries of earlier manifests and parts
};

// The whole-bucket rule of key tables (data.md §12.7, 4c): a bucket whose files may hold several versions of a key is
// kept or dropped as one.
void ApplyWholeBucketRule(std::vector<ScannedFile>& files) {
  bool overlapping = false;
  for (std::size_t i = 1; i < files.size(); ++i) {
    overlapping = overlapping || files[i].level == 0 || files[i - 1].level == 0 || files[i].level != files[i - 1].level;
  }
  if (!overlapping) {
    std::erase_if(files, [](const ScannedFile& file) { return !file.may_match; });
  } else if (std::none_of(files.begin(), files.end(), [](const ScannedFile& file) { return file.may_match; })) {
    files.clear();
  }
}

using SharedManifests = std::vector<std::shared_ptr<const ManifestFiles>>;

}  // namespace

struct FileScan::State {
  Table table;
  ManifestCache& cache;
  std::unique_ptr<const ScanFilter> filter;

  bool has_key() const { return table.schema().has_primary_key(); }
  bool tests_statistics() const { return filter->tests_keys() || filter->tests_values() || filter->tests_row_ids(); }

  Result<std::vector<ManifestFileMeta>> ReadList(const std::string& name) const {
    BRAID_TRY_ASSIGN(std::vector<ManifestFileMeta> manifests,
                     ReadManifestList(table.file_system(), table.paths(), name));
    std::vector<ManifestFileMeta> kept;
    for (ManifestFileMeta& manifest : manifests) {
      BRAID_TRY_ASSIGN(const bool may_match, filter->MayMatch(manifest));
      if (may_match) kept.push_back(std::move(manifest));
    }
    return kept;
  }

  // Those of the base list, then those of the delta list.
  Result<std::vector<ManifestFileMeta>> ReadLists(const Snapshot& snapshot) const {
    const std::array<std::string, 2> names = {snapshot.base_manifest_list, snapshot.delta_manifest_list};
    std::array<std::vector<ManifestFileMeta>, 2> lists;
    const auto read = [&](std::int64_t list) -> Status {
      const auto i = static_cast<std::size_t>(list);
      BRAID_TRY_ASSIGN(lists[i], ReadList(names[i]));
      return Ok();
    };
    // On local files handing it to another thread would take longer than reading.
    if (ParallelCalls(table.file_system()) > 1) {
      BRAID_TRY(ParallelFor(PoolFor(table.file_system()), 2, read));
    } else {
      for (std::int64_t list = 0; list < 2; ++list) BRAID_TRY(read(list));
    }
    std::vector<ManifestFileMeta> manifests = std::move(lists[0]);
    manifests.insert(manifests.end(), std::make_move_iterator(lists[1].begin()), std::make_move_iterator(lists[1].end()));
    return manifests;
  }

  // Whether to read these manifests whole, and so for the cache. A filter by partition or bucket, which passes over most
  // entries, is faster at first; when such plans come again, they are served by the cache if all fits into it.
  bool ReadsWhole(const std::vector<ManifestFileMeta>& manifests) const {
    if (tests_statistics()) return false;
    if (!filter->tests_heads()) return true;
    bool again = true;
    std::int64_t bytes = 0;
    for (const ManifestFileMeta& manifest : manifests) {
      again = cache.WantedBefore(PathOf(manifest)) && again;
      bytes += (manifest.num_added_files + manifest.num_deleted_files) * ManifestFiles::kBytesOfAFile;
    }
    return again && bytes <= cache.max_bytes();
  }

  // The whole manifests out of the cache; of those that are not there, what the filter wants.
  Result<SharedManifests> Decode(const std::vector<ManifestFileMeta>& manifests) const {
    SharedManifests decoded(manifests.size());
    std::vector<ManifestFileMeta> missing;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < manifests.size(); ++i) {
      if (!tests_statistics()) decoded[i] = cache.Find(table.shared_file_system(), PathOf(manifests[i]));
      if (decoded[i] != nullptr) continue;
      missing.push_back(manifests[i]);
      positions.push_back(i);
    }
    const bool whole = ReadsWhole(missing);
    BRAID_TRY_ASSIGN(auto parts, ReadManifestParts<ManifestFiles::Part>(
                                     table, missing, [&](const ManifestPart& part) { return DecodePart(part, whole); }));
    for (std::size_t i = 0; i < missing.size(); ++i) {
      auto files = std::make_shared<ManifestFiles>();
      files->parts = std::move(parts[i]);
      if (whole) cache.Insert(table.shared_file_system(), PathOf(missing[i]), files);
      decoded[positions[i]] = std::move(files);
    }
    return decoded;
  }

  std::string PathOf(const ManifestFileMeta& manifest) const { return table.paths().ManifestFile(manifest.file_name); }

  enum class Verdict : std::uint8_t { kUnwanted, kWantedWithItsBucket, kWanted };

  // By the entry's statistics. Deletions always count, whatever their statistics say.
  Result<Verdict> Judge(const ManifestEntry& entry, EntryTest& test) const {
    if (entry.kind == FileKind::kDelete) return Verdict::kWanted;
    if (!test.MayMatchRowIds(entry.file)) return Verdict::kUnwanted;
    BRAID_TRY_ASSIGN(const bool key, test.MayMatchKey(entry.file));
    if (!key) return Verdict::kUnwanted;
    BRAID_TRY_ASSIGN(const bool value, test.MayMatchValue(entry.file));
    if (value) return Verdict::kWanted;
    return has_key() ? Verdict::kWantedWithItsBucket : Verdict::kUnwanted;
  }

  // `whole`: also of other partitions and buckets than those wanted, which Merge leaves out.
  Result<ManifestFiles::Part> DecodePart(const ManifestPart& part, bool whole) const {
    EntryTest test(*filter);
    ManifestFilter wanted{
        .accepts = {}, .keep_key_stats = filter->tests_keys(), .keep_value_stats = filter->tests_values()};
    if (!whole && filter->tests_heads()) {
      wanted.accepts = [&test](const ManifestEntryHead& head) { return test.Wants(head); };
    }
    ManifestPartBuilder builder(whole ? part.EntryCount() : 0);
    Status judged = Ok();
    BRAID_TRY(part.Visit(wanted, [&](ManifestEntry& entry) {
      if (!judged) return;
      const Result<Verdict> verdict = Judge(entry, test);
      if (!verdict) judged = verdict.error();
      if (!verdict || *verdict == Verdict::kUnwanted) return;
      entry.file.key_stats = SimpleStats();
      entry.file.value_stats = SimpleStats();
      entry.file.value_stats_cols = std::nullopt;
      builder.Add(entry, *verdict == Verdict::kWanted);
    }));
    BRAID_TRY(judged);
    BRAID_TRY(test.status());
    return builder.Finish();
  }

  // The wanted buckets, without their files; `placed` tells where each bucket of a manifest belongs. There are so many
  // that lists which grow would take most of the time.
  static std::vector<CollectedBucket> CollectBuckets(const SharedManifests& manifests, EntryTest& test,
                                                     std::vector<PlacedBucket>& placed) {
    std::size_t count = 0;
    for (const auto& manifest : manifests) {
      for (const ManifestFiles::Part& part : manifest->parts) count += part.buckets.size();
    }
    placed.reserve(count);
    std::vector<CollectedBucket> collected;
    std::unordered_map<BucketRef, std::size_t, BucketRefHash> positions;
    std::uint32_t read_before = 0;
    for (const auto& manifest : manifests) {
      for (const ManifestFiles::Part& part : manifest->parts) {
        for (const ManifestFiles::Bucket& bucket : part.buckets) {
          if (!test.Wants(bucket.partition, bucket.bucket)) continue;
          const auto [it, is_new] =
              positions.try_emplace(BucketRef::Of(bucket.partition, bucket.bucket), collected.size());
          if (is_new) {
            collected.push_back({.bucket = {.partition = bucket.partition, .bucket = bucket.bucket, .files = {}},
                                 .file_count = 0,
                                 .deleted = {}});
          }
          collected[it->second].file_count += bucket.added.size();
          placed.push_back({.bucket = &bucket, .collected = it->second, .read_before = read_before});
        }
        read_before += static_cast<std::uint32_t>(part.metas.size());
      }
    }
    return collected;
  }

  // Puts the buckets of all manifests together and applies what only the whole shows.
  Result<FilesByBucket> Merge(SharedManifests manifests) const {
    EntryTest test(*filter);
    std::vector<PlacedBucket> placed;
    std::vector<CollectedBucket> collected = CollectBuckets(manifests, test, placed);
    for (const PlacedBucket& place : placed) {
      CollectedBucket& into = collected[place.collected];
      if (into.bucket.files.empty()) into.bucket.files.reserve(into.file_count);
      for (ScannedFile file : place.bucket->added) {
        if (!test.MayHold(place.bucket->bucket, file.total_buckets)) continue;
        file.position += place.read_before;
        into.bucket.files.push_back(file);
      }
      into.deleted.insert(into.deleted.end(), place.bucket->deleted.begin(), place.bucket->deleted.end());
    }
    BRAID_TRY(test.status());
    FilesByBucket files;
    for (CollectedBucket& bucket : collected) {
      bucket.ApplyDeletions();
      if (filter->tests_values() && has_key()) ApplyWholeBucketRule(bucket.bucket.files);
      if (!bucket.bucket.files.empty()) files.buckets.push_back(std::move(bucket.bucket));
    }
    files.SortByFirstFile();
    files.owner = std::make_shared<const SharedManifests>(std::move(manifests));
    return files;
  }

  // Whole entries, tested by what they begin with alone.
  Result<std::vector<ManifestEntry>> ReadEntries(const std::vector<ManifestFileMeta>& manifests) const {
    using Entries = std::vector<ManifestEntry>;
    BRAID_TRY_ASSIGN(
        auto parts, ReadManifestParts<Entries>(table, manifests, [&](const ManifestPart& part) -> Result<Entries> {
          EntryTest test(*filter);
          Entries entries;
          BRAID_TRY(part.Visit({.accepts = [&test](const ManifestEntryHead& head) { return test.Wants(head); }},
                               [&](ManifestEntry& entry) { entries.push_back(std::move(entry)); }));
          BRAID_TRY(test.status());
          return entries;
        }));
    Entries all;
    for (std::vector<Entries>& manifest : parts) {
      for (Entries& entries : manifest)
        all.insert(all.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
    }
    return all;
  }

  // Drops what is not wanted of live entries, by their statistics.
  Result<std::vector<ManifestEntry>> PruneLive(std::vector<ManifestEntry> entries) const {
    if (!tests_statistics()) return entries;
    EntryTest test(*filter);
    std::unordered_map<BucketRef, std::vector<ScannedFile>, BucketRefHash> buckets;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      BRAID_TRY_ASSIGN(const Verdict verdict, Judge(entries[i], test));
      if (verdict == Verdict::kUnwanted) continue;
      ScannedFile& file = buckets[BucketRef::Of(entries[i].partition, entries[i].bucket)].emplace_back(
          ScannedFile::Of(entries[i].file, entries[i].total_buckets));
      file.position = static_cast<std::uint32_t>(i);
      file.may_match = verdict == Verdict::kWanted;
    }
    std::vector<bool> wanted(entries.size());
    for (auto& [bucket, files] : buckets) {
      if (filter->tests_values() && has_key()) ApplyWholeBucketRule(files);
      for (const ScannedFile& file : files) wanted[file.position] = true;
    }
    std::vector<ManifestEntry> kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (wanted[i]) kept.push_back(std::move(entries[i]));
    }
    return kept;
  }

  // Changes as they were recorded: no other file of the bucket has a say, so only keys prune.
  Result<std::vector<ManifestEntry>> ReadChanges(const std::string& list) const {
    BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, ReadList(list));
    BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, ReadEntries(manifests));
    EntryTest test(*filter);
    std::vector<ManifestEntry> kept;
    for (ManifestEntry& entry : entries) {
      BRAID_TRY_ASSIGN(const bool may_match, test.MayMatchKey(entry.file));
      if (may_match) kept.push_back(std::move(entry));
    }
    return kept;
  }
};

FileScan::FileScan(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileScan::~FileScan() = default;

Result<std::unique_ptr<FileScan>> FileScan::Make(const Table& table, ScanScope scope, ManifestCache& cache) {
  BRAID_TRY_ASSIGN(auto filter, ScanFilter::Make(table, std::move(scope)));
  std::unique_ptr<State> state(new State{.table = table, .cache = cache, .filter = std::move(filter)});
  return std::unique_ptr<FileScan>(new FileScan(std::move(state)));
}

Result<FilesByBucket> FileScan::Files(const Snapshot& snapshot) const {
  BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, state_->ReadLists(snapshot));
  BRAID_TRY_ASSIGN(SharedManifests decoded, state_->Decode(manifests));
  return state_->Merge(std::move(decoded));
}

Result<std::vector<ManifestEntry>> FileScan::LiveFiles(const Snapshot& snapshot) const {
  BRAID_TRY_ASSIGN(const std::vector<ManifestFileMeta> manifests, state_->ReadLists(snapshot));
  BRAID_TRY_ASSIGN(std::vector<ManifestEntry> entries, state_->ReadEntries(manifests));
  return state_->PruneLive(MergeEntries(std::move(entries)));
}

Result<std::vector<ManifestEntry>> FileScan::DeltaFiles(const Snapshot& snapshot) const {
  return state_->ReadChanges(snapshot.delta_manifest_list);
}

Result<std::vector<ManifestEntry>> FileScan::ChangelogFiles(const Snapshot& snapshot) const {
  if (!snapshot.changelog_manifest_list) return std::vector<ManifestEntry>();
  return state_->ReadChanges(*snapshot.changelog_manifest_list);
}

}  // namespace braid
