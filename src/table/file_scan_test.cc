#include "table/file_scan.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/file_index.h"
#include "table/file_statistics.h"
#include "table/manifest_testing.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();
const DataType kString = DataType::String();
const std::string kNoIndexes = *EncodeFileIndex({});  // a container without any

std::vector<std::string> NamesOf(const std::vector<ManifestEntry>& entries) {
  std::vector<std::string> names;
  for (const ManifestEntry& entry : entries) names.push_back(entry.file.file_name);
  return names;
}

/// Of the files by bucket, in the order of the manifests; buckets must come by their first file.
std::vector<std::string> NamesOf(const FilesByBucket& files) {
  std::map<std::uint32_t, std::string> by_position;
  std::uint32_t last_first = 0;
  for (const BucketFiles& bucket : files.buckets) {
    EXPECT_THAT(bucket.files, testing::Not(IsEmpty()));
    EXPECT_LE(last_first, bucket.files.front().position);
    last_first = bucket.files.front().position;
    for (const ScannedFile& file : bucket.files) by_position.emplace(file.position, file.meta->file_name);
  }
  std::vector<std::string> names;
  for (auto& [position, name] : by_position) names.push_back(std::move(name));
  return names;
}

// ---- Against a model: everything is read, merged, and tested entry by entry. ----

/// Random tables, entries and filters over the columns dt, k, v and s.
class RandomScan {
 public:
  explicit RandomScan(std::uint64_t seed) : random_(seed), manifests_(Definition()) {}

  void Run() {
    const std::vector<ManifestEntry> entries = Entries();
    std::vector<std::vector<ManifestEntry>> written(1 + Below(3));
    for (const ManifestEntry& entry : entries) {
      // Files and their deletions go to the manifests in order, as commits bring them.
      const std::size_t slot = written.size() * written_before_++ / std::max<std::size_t>(entries.size(), 1);
      written[slot].push_back(entry);
    }
    const Snapshot snapshot = manifests_.Write(written, Chance(3) ? 1 : 8 << 20);
    const std::unique_ptr<ManifestCache> caches[] = {std::make_unique<ManifestCache>(1 << 20),
                                                     std::make_unique<ManifestCache>(2000)};
    for (int query = 0; query < 12; ++query) {
      ScanScope scope;
      if (query > 1) scope.filter = Filter();
      if (Chance(4)) scope.bucket = BucketId(static_cast<std::int32_t>(Below(4)));
      if (Chance(4)) scope.partitions = {PartitionOf(Below(5)), PartitionOf(Below(5))};
      scope.postponed_buckets = Chance(4);
      SCOPED_TRACE(fmt::format("query {}: {}", query, scope.filter == nullptr ? "all" : scope.filter->ToString()));
      const std::vector<std::string> expected = Model(entries, scope);
      for (const auto& cache : caches) {
        BRAID_ASSERT_OK_AND_ASSIGN(const auto scan, FileScan::Make(manifests_.table(), scope, *cache));
        BRAID_ASSERT_OK_AND_ASSIGN(const FilesByBucket files, scan->Files(snapshot));
        EXPECT_EQ(NamesOf(files), expected);
        BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ManifestEntry> live, scan->LiveFiles(snapshot));
        EXPECT_EQ(NamesOf(live), expected);
        for (const ManifestEntry& entry : live) EXPECT_THAT(entries, testing::Contains(entry));
        EXPECT_LE(cache->used_bytes(), cache->max_bytes());
      }
    }
  }

 private:
  std::size_t Below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }
  bool Chance(std::size_t one_in) { return Below(one_in) == 0; }

  TableDefinition Definition() {
    has_key_ = !Chance(3);
    partitioned_ = !Chance(3);
    engine_ = std::vector<std::string>{"deduplicate", "first-row", "partial-update"}[Below(3)];
    std::vector<std::string> keys;
    if (has_key_) keys = partitioned_ ? std::vector<std::string>{"dt", "k"} : std::vector<std::string>{"k"};
    Options::Map options = {{"bucket", has_key_ ? "4" : "-1"}};
    if (has_key_) options["merge-engine"] = engine_;
    return TestDefinition({{"dt", kString}, {"k", kInt}, {"v", kInt}, {"s", kString}}, keys, options,
                          partitioned_ ? std::vector<std::string>{"dt"} : std::vector<std::string>{});
  }

  BinaryRow PartitionOf(std::size_t number) const {
    if (!partitioned_) return BinaryRow();
    if (number == 4 && !has_key_) return manifests_.Partition({Datum()});
    return manifests_.Partition({fmt::format("2026-01-0{}", number)});
  }

  std::vector<ManifestEntry> Entries() {
    std::vector<ManifestEntry> entries;
    const std::size_t count = Below(120);
    for (std::size_t i = 0; i < count; ++i) {
      if (!entries.empty() && Chance(5)) {
        ManifestEntry deletion = entries[Below(entries.size())];
        if (deletion.kind == FileKind::kDelete) continue;
        deletion.kind = FileKind::kDelete;
        if (Chance(2)) {  // manifest.delete-file-drop-stats
          deletion.file.value_stats = SimpleStats();
          deletion.file.value_stats_cols = std::vector<std::string>();
        }
        entries.push_back(std::move(deletion));
        continue;
      }
      entries.push_back(Addition(fmt::format("data-{}.parquet", i)));
    }
    return entries;
  }

  ManifestEntry Addition(std::string name) {
    const std::int32_t bucket = Chance(12) ? -2 : static_cast<std::int32_t>(Below(4));
    ManifestEntry entry{.partition = PartitionOf(Below(5)),
                        .bucket = BucketId(has_key_ ? bucket : 0),
                        .total_buckets = has_key_ ? (Chance(8) ? 2 : 4) : -1};
    DataFileMeta& file = entry.file;
    file.file_name = std::move(name);
    file.file_size = static_cast<std::int64_t>(Below(1000));
    file.row_count = static_cast<std::int64_t>(1 + Below(20));
    file.level = has_key_ ? std::vector<std::int32_t>{0, 5, 5, 5, 3}[Below(5)] : 0;
    if (Chance(6)) file.embedded_index = kNoIndexes;
    if (Chance(6)) file.extra_files = {"extra"};
    const int low = static_cast<int>(Below(100));
    const int high = low + static_cast<int>(Below(20));
    if (has_key_) {
      file.min_key = BinaryRow::Make(std::vector{kInt}, DatumList{low});
      file.max_key = BinaryRow::Make(std::vector{kInt}, DatumList{high});
      file.key_stats = StatsOf({kInt}, {low}, {high});
    }
    const int v = static_cast<int>(Below(50));
    const auto nulls = static_cast<std::int64_t>(Below(2)) * file.row_count;
    if (Chance(5)) {
      file.value_stats_cols = std::vector<std::string>();
    } else if (Chance(3)) {
      file.value_stats_cols = std::vector<std::string>{"v", "k"};
      file.value_stats = StatsOf({kInt, kInt}, {v, low}, {v + 5, high});
    } else {
      const Datum s = nulls > 0 ? Datum() : Datum(std::string(1, static_cast<char>('a' + Below(20))));
      const bool no_day = partitioned_ && entry.partition.IsNull(0);
      const Datum first_day = no_day ? Datum() : Datum("2026-01-00");
      const Datum last_day = no_day ? Datum() : Datum("2026-01-09");
      file.value_stats =
          StatsOf({kString, kInt, kInt, kString}, {first_day, low, v, s}, {last_day, high, v + 5, s}, nulls);
    }
    return entry;
  }

  PredicatePtr Leaf(const std::string& column) {
    using Op = Predicate::Op;
    const auto number = [&](std::size_t bound) { return Datum(static_cast<int>(Below(bound))); };
    if (column == "dt") {
      const Datum day = fmt::format("2026-01-0{}", Below(5));
      if (Chance(6)) return Predicate::Leaf(Op::kIsNull, "dt", kString);
      return Predicate::Leaf(Chance(2) ? Op::kEqual : Op::kGreaterOrEqual, "dt", kString, {day});
    }
    if (column == "s")
      return Chance(2) ? Predicate::Leaf(Op::kIsNotNull, "s", kString)
                       : Predicate::Leaf(Op::kLess, "s", kString, {"k"});
    const std::size_t bound = column == "k" ? 120 : 55;
    switch (Below(4)) {
      case 0: return Predicate::Leaf(Op::kEqual, column, kInt, {number(bound)});
      case 1: return Predicate::Leaf(Op::kIn, column, kInt, {number(bound), number(bound)});
      case 2: return Predicate::Leaf(Op::kLess, column, kInt, {number(bound)});
      default: return Predicate::Leaf(Op::kGreaterOrEqual, column, kInt, {number(bound)});
    }
  }

  PredicatePtr Filter() {
    std::vector<PredicatePtr> conjuncts;
    for (const char* column : {"dt", "k", "v", "s"}) {
      if (Chance(2)) conjuncts.push_back(Leaf(column));
    }
    if (Chance(4)) conjuncts.push_back(Predicate::Or({Leaf("k"), Leaf("v")}));
    return conjuncts.empty() ? nullptr : Predicate::And(std::move(conjuncts));
  }

  /// Whether a file that does not match by its statistics may be left out is a question of its bucket in key tables.
  std::vector<std::string> Model(const std::vector<ManifestEntry>& entries, const ScanScope& scope) const {
    const TableSchema& schema = manifests_.table().schema();
    std::set<std::string> deleted;
    for (const ManifestEntry& entry : entries) {
      if (entry.kind == FileKind::kDelete) deleted.insert(EntryIdentity(entry));
    }
    SchemaCache schemas(manifests_.table().file_system(), manifests_.table().paths());
    ValueBoundsReader value_bounds(schemas, schema.fields);
    const std::vector<std::string> key_columns = {"k"};
    const PredicatePtr key_filter = has_key_ ? ConjunctsOn(scope.filter, key_columns) : nullptr;
    const PredicatePtr partition_filter = ConjunctsOn(scope.filter, schema.partition_keys);
    std::vector<const ManifestEntry*> live;
    std::vector<bool> matches;
    for (const ManifestEntry& entry : entries) {
      if (entry.kind == FileKind::kDelete || deleted.contains(EntryIdentity(entry))) continue;
      if (scope.bucket ? entry.bucket != *scope.bucket : entry.bucket.value() < 0 && !scope.postponed_buckets) continue;
      if (scope.partitions && !scope.partitions->contains(entry.partition)) continue;
      if (partition_filter != nullptr &&
          !partition_filter->Test(schema.PartitionFields(), *entry.partition.ToDatums(std::vector{kString})))
        continue;
      if (has_key_ && !HoldsKeyBucket(entry, scope.filter)) continue;
      const std::vector<DataField> key_fields = schema.Project(key_columns);
      if (key_filter != nullptr &&
          !key_filter->MayMatch(key_fields, *KeyBounds(entry.file, key_fields), entry.file.row_count))
        continue;
      bool match = true;
      for (const PredicatePtr& conjunct : Conjuncts(scope.filter)) {
        const bool decided = !schema.partition_keys.empty() && ConjunctsOn(conjunct, schema.partition_keys) != nullptr;
        match = match &&
                (decided || conjunct->MayMatch(schema.fields, *value_bounds.Read(entry.file), entry.file.row_count));
      }
      live.push_back(&entry);
      matches.push_back(match || (has_key_ && engine_ == "partial-update"));
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < live.size(); ++i) {
      bool kept = matches[i];
      if (has_key_ && !kept) {
        std::set<std::int32_t> levels;
        std::size_t files = 0;
        bool any_match = false;
        for (std::size_t j = 0; j < live.size(); ++j) {
          if (live[j]->partition != live[i]->partition || live[j]->bucket != live[i]->bucket) continue;
          ++files;
          levels.insert(live[j]->file.level);
          any_match = any_match || matches[j];
        }
        const bool overlapping = files > 1 && (levels.size() > 1 || levels.contains(0));
        kept = overlapping && any_match;
      }
      if (kept) names.push_back(live[i]->file.file_name);
    }
    return names;
  }

  // Whether a row of the only keys that the filter allows can be in the entry's bucket.
  bool HoldsKeyBucket(const ManifestEntry& entry, const PredicatePtr& filter) const {
    for (const PredicatePtr& conjunct : Conjuncts(filter)) {
      const bool pins = conjunct->op() == Predicate::Op::kEqual || conjunct->op() == Predicate::Op::kIn;
      if (!pins || conjunct->column() != "k") continue;
      return std::any_of(conjunct->literals().begin(), conjunct->literals().end(), [&](const Datum& key) {
        return BucketOf(BucketFunction::kDefault, std::vector{kInt}, DatumList{key}, entry.total_buckets).value() ==
               entry.bucket.value();
      });
    }
    return true;
  }

  std::mt19937_64 random_;
  bool has_key_ = false;
  bool partitioned_ = false;
  std::string engine_;
  ManifestsOnly manifests_;
  std::size_t written_before_ = 0;
};

TEST(FileScanTest, KeepsWhatAModelThatReadsEverythingKeeps) {
  const char* chosen = std::getenv("BRAID_TEST_SEED");
  const std::uint64_t first = chosen != nullptr ? std::stoull(chosen) : std::random_device{}();
  for (std::uint64_t seed = first; seed < first + (chosen != nullptr ? 1 : 150); ++seed) {
    SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
    RandomScan(seed).Run();
    if (testing::Test::HasFailure()) return;
  }
}

// ---- What is read. ----

TableDefinition ByDay() {
  return TestDefinition({{"dt", kString}, {"k", kInt}}, {"dt", "k"}, {{"bucket", "4"}}, {"dt"});
}

PredicatePtr OnDay(const std::string& day) {
  return Predicate::Leaf(Predicate::Op::kEqual, "dt", kString, {day});
}

TEST(FileScanTest, ReadsOnlyManifestsThatCanHoldThePartition) {
  ManifestsOnly manifests(ByDay());
  const Snapshot snapshot = manifests.Write({{FileOf(manifests, "a", {"1"}, 0), FileOf(manifests, "b", {"2"}, 1)},
                                             {FileOf(manifests, "c", {"3"}, 0)},
                                             {FileOf(manifests, "d", {"5"}, 2)}});
  ManifestCache cache(1 << 20);
  const auto files_on = [&](ScanScope scope) {
    manifests.ReadsOfManifests();
    return FileScan::Make(manifests.table(), std::move(scope), cache).value()->Files(snapshot).value();
  };
  EXPECT_THAT(NamesOf(files_on({.filter = OnDay("2")})), ElementsAre("b"));
  EXPECT_EQ(manifests.ReadsOfManifests(), 1U);
  EXPECT_THAT(NamesOf(files_on({.filter = OnDay("4")})), IsEmpty());
  EXPECT_EQ(manifests.ReadsOfManifests(), 0U);
  EXPECT_THAT(NamesOf(files_on({.partitions = {{manifests.Partition({"3"}), manifests.Partition({"5"})}}})),
              ElementsAre("c", "d"));
  EXPECT_EQ(manifests.ReadsOfManifests(), 2U);
  EXPECT_THAT(NamesOf(files_on({.bucket = BucketId(2)})), ElementsAre("d"));
  EXPECT_EQ(manifests.ReadsOfManifests(), 1U);  // the range of buckets is in the list too
}

TEST(FileScanTest, ReadsManifestsOnceThatItNeedsWhole) {
  ManifestsOnly manifests(ByDay());
  const std::vector<ManifestEntry> base = {FileOf(manifests, "a", {"1"}, 0), FileOf(manifests, "b", {"2"}, 1)};
  const Snapshot snapshot = manifests.Write({base, {FileOf(manifests, "c", {"3"}, 0)}});
  ManifestCache cache(1 << 20);
  const auto files_on = [&](ScanScope scope) {
    manifests.ReadsOfManifests();
    return FileScan::Make(manifests.table(), std::move(scope), cache).value()->Files(snapshot).value();
  };
  EXPECT_THAT(NamesOf(files_on({})), ElementsAre("a", "b", "c"));
  EXPECT_EQ(manifests.ReadsOfManifests(), 2U);
  EXPECT_THAT(NamesOf(files_on({})), ElementsAre("a", "b", "c"));
  EXPECT_THAT(NamesOf(files_on({.filter = OnDay("2")})), ElementsAre("b"));
  EXPECT_THAT(NamesOf(files_on({.bucket = BucketId(0)})), ElementsAre("a", "c"));
  EXPECT_EQ(manifests.ReadsOfManifests(), 0U);
}

TEST(FileScanTest, KeepsManifestsOfWhichPartsAreWantedAgain) {
  ManifestsOnly manifests(ByDay());
  const std::vector<ManifestEntry> base = {FileOf(manifests, "a", {"1"}, 0), FileOf(manifests, "b", {"2"}, 1)};
  const Snapshot snapshot = manifests.Write({base, {FileOf(manifests, "c", {"3"}, 0)}});
  ManifestCache cache(1 << 20);
  ManifestCache too_small(2 * ManifestFiles::kBytesOfAFile);  // for three files
  for (ManifestCache* used : {&cache, &too_small}) {
    const auto files_on = [&](ScanScope scope) {
      manifests.ReadsOfManifests();
      return FileScan::Make(manifests.table(), std::move(scope), *used).value()->Files(snapshot).value();
    };
    EXPECT_THAT(NamesOf(files_on({.bucket = BucketId(0)})), ElementsAre("a", "c"));
    EXPECT_EQ(manifests.ReadsOfManifests(), 2U);
    EXPECT_EQ(used->used_bytes(), 0);
    EXPECT_THAT(NamesOf(files_on({.bucket = BucketId(0)})), ElementsAre("a", "c"));
    EXPECT_EQ(manifests.ReadsOfManifests(), 2U);
    EXPECT_THAT(NamesOf(files_on({.bucket = BucketId(0)})), ElementsAre("a", "c"));
    EXPECT_EQ(manifests.ReadsOfManifests(), used == &cache ? 0U : 2U);
    EXPECT_THAT(NamesOf(files_on({.filter = OnDay("2")})), ElementsAre("b"));
    EXPECT_EQ(manifests.ReadsOfManifests(), used == &cache ? 0U : 1U);
  }
}

TEST(FileScanTest, KeepsFilesWithoutTheirStatistics) {
  ManifestsOnly manifests(ByDay());
  ManifestEntry entry = FileOf(manifests, "a", {"1"}, 0);
  entry.file.embedded_index = kNoIndexes;
  entry.file.value_stats_cols = std::vector<std::string>{"k"};
  entry.file.value_stats = StatsOf({kInt}, {1}, {2});
  entry.file.key_stats = StatsOf({kInt}, {1}, {2});
  const Snapshot snapshot = manifests.Write({{}, {entry}});
  const PredicatePtr filter = Predicate::Leaf(Predicate::Op::kLess, "k", kInt, {2});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto scan, FileScan::Make(manifests.table(), filter));
  BRAID_ASSERT_OK_AND_ASSIGN(const FilesByBucket files, scan->Files(snapshot));
  ASSERT_THAT(files.buckets, SizeIs(1));
  DataFileMeta expected = entry.file;
  expected.value_stats = expected.key_stats = SimpleStats();
  expected.value_stats_cols = std::nullopt;
  EXPECT_EQ(*files.buckets.front().files.front().meta, expected);
  EXPECT_THAT(scan->LiveFiles(snapshot), HasValue(ElementsAre(entry)));
}

TEST(FileScanTest, NamesADamagedManifest) {
  ManifestsOnly manifests(ByDay());
  const Snapshot snapshot = manifests.Write({{FileOf(manifests, "a", {"1"}, 0)}, {FileOf(manifests, "b", {"2"}, 0)}});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto list,
                             ReadManifestList(manifests.fs(), manifests.table().paths(), snapshot.delta_manifest_list));
  const std::string path = manifests.table().paths().ManifestFile(list.front().file_name);
  ASSERT_THAT(manifests.fs().Replace(path, "Obj"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto scan, FileScan::Make(manifests.table(), ScanScope{}));
  EXPECT_THAT(scan->Files(snapshot), IsError(ErrorCode::kCorruption));
  EXPECT_THAT(scan->Files(snapshot), HasMessage(path));
  EXPECT_THAT(scan->LiveFiles(snapshot), IsError(ErrorCode::kCorruption));
}

TEST(FileScanTest, PlansFromManyThreadsAtOnce) {
  ManifestsOnly manifests(ByDay());
  std::vector<std::vector<ManifestEntry>> lists(6);
  for (int i = 0; i < 600; ++i) {
    lists[static_cast<std::size_t>(i / 100)].push_back(
        FileOf(manifests, fmt::format("data-{}", i), {fmt::format("{}", i % 7)}, i % 4));
  }
  const Snapshot snapshot = manifests.Write(lists, 1);
  ManifestCache cache(40'000);  // not enough for all
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const std::string day = fmt::format("{}", thread);
      for (int run = 0; run < 10; ++run) {
        const auto all = FileScan::Make(manifests.table(), ScanScope{}, cache).value()->Files(snapshot);
        ASSERT_THAT(all, IsOk());
        EXPECT_THAT(NamesOf(*all), SizeIs(600));
        const auto some =
            FileScan::Make(manifests.table(), ScanScope{.filter = OnDay(day)}, cache).value()->Files(snapshot);
        ASSERT_THAT(some, IsOk());
        EXPECT_THAT(NamesOf(*some), SizeIs(86));
      }
    });
  }
  threads.clear();
  EXPECT_LE(cache.used_bytes(), cache.max_bytes());
  EXPECT_GT(cache.used_bytes(), 0);
}

// ---- The cache. ----

std::shared_ptr<const ManifestFiles> FilesNamed(const std::vector<std::string>& names) {
  ManifestPartBuilder builder(names.size());
  for (const std::string& name : names) {
    ManifestEntry entry;
    entry.file.file_name = name;
    builder.Add(entry, true);
  }
  auto files = std::make_shared<ManifestFiles>();
  files->parts.push_back(builder.Finish());
  return files;
}

TEST(ManifestCacheTest, DropsWhatWasUsedLongestAgo) {
  const std::shared_ptr<FileSystem> fs = std::make_shared<MemoryFileSystem>();
  const auto files = FilesNamed({"a", "b"});
  ManifestCache cache(3 * files->MemoryBytes());
  for (const char* path : {"/1", "/2", "/3"}) cache.Insert(fs, path, files);
  EXPECT_EQ(cache.used_bytes(), cache.max_bytes());
  EXPECT_EQ(cache.Find(fs, "/1"), files);
  cache.Insert(fs, "/4", files);
  EXPECT_EQ(cache.Find(fs, "/2"), nullptr);
  for (const char* path : {"/1", "/3", "/4"}) EXPECT_EQ(cache.Find(fs, path), files) << path;
  cache.Insert(fs, "/1", files);  // again
  EXPECT_EQ(cache.used_bytes(), cache.max_bytes());
}

TEST(ManifestCacheTest, KeepsNothingThatIsLargerThanItself) {
  const std::shared_ptr<FileSystem> fs = std::make_shared<MemoryFileSystem>();
  ManifestCache cache(FilesNamed({"a"})->MemoryBytes());
  cache.Insert(fs, "/1", FilesNamed({"a"}));
  cache.Insert(fs, "/2", FilesNamed({"a", "b", "c"}));
  EXPECT_NE(cache.Find(fs, "/1"), nullptr);
  EXPECT_EQ(cache.Find(fs, "/2"), nullptr);
}

TEST(ManifestCacheTest, TellsFileSystemsApart) {
  const std::shared_ptr<FileSystem> one = std::make_shared<MemoryFileSystem>();
  const std::shared_ptr<FileSystem> other = std::make_shared<MemoryFileSystem>();
  ManifestCache cache(1 << 20);
  cache.Insert(one, "/1", FilesNamed({"a"}));
  EXPECT_EQ(cache.Find(other, "/1"), nullptr);
  EXPECT_NE(cache.Find(one, "/1"), nullptr);
}

TEST(ManifestCacheTest, CountsLongTexts) {
  const std::int64_t small = FilesNamed({"a"})->MemoryBytes();
  EXPECT_GE(FilesNamed({std::string(1000, 'x')})->MemoryBytes(), small + 1000);
}

}  // namespace
}  // namespace braid
