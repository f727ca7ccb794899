// Compactions that find out what changed: changelogs, deletion vectors and lookups, through MergeTreeWriter.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "io/memory_file_system.h"
#include "mergetree/key_value_testing.h"
#include "mergetree/merge_tree_writer.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kBucket[] = "/t/bucket-0";
constexpr RowKind kInsert = RowKind::kInsert;
constexpr RowKind kUpdateBefore = RowKind::kUpdateBefore;
constexpr RowKind kUpdateAfter = RowKind::kUpdateAfter;
constexpr RowKind kDelete = RowKind::kDelete;

/// A row as changelogs and reads show it.
struct Shown {
  DatumList values;
  RowKind kind = kInsert;
  friend bool operator==(const Shown&, const Shown&) = default;
};

void PrintTo(const Shown& row, std::ostream* out) {
  PrintTo(KeyValueRow{row.values, 0, row.kind}, out);
}

/// One bucket: what was committed, and what its changelog said.
class Bucket {
 public:
  Bucket(KeyValueSchema schema, Options options) : schema_(std::move(schema)), options_(std::move(options)) {}

  Result<std::unique_ptr<MergeTreeWriter>> Open(ThreadPool* pool = nullptr) {
    MergeTreeWriterConfig config;
    config.schema = schema_;
    config.options = options_;
    config.files = files_;
    config.deletions = deletions_;
    config.readers = readers_ = std::make_shared<PlainKeyValueReaderFactory>(fs_, kBucket, schema_);
    BRAID_TRY_ASSIGN(config.writers,
                     MakeKeyValueWriterFactory({fs_, kBucket, schema_, SchemaId(0), options_, &clock_}));
    config.compaction_pool = pool;
    config.clock = &clock_;
    return MergeTreeWriter::Make(std::move(config));
  }

  /// As a commit does. Returns the rows of the compactions' changelog.
  std::vector<Shown> Apply(const BucketChanges& changes) {
    files_.insert(files_.end(), changes.new_files.begin(), changes.new_files.end());
    for (const DataFileMeta& file : changes.compact_before) {
      const auto at = std::find(files_.begin(), files_.end(), file);
      EXPECT_NE(at, files_.end()) << file.file_name << " of level " << file.level << " was not there";
      if (at != files_.end()) files_.erase(at);
    }
    files_.insert(files_.end(), changes.compact_after.begin(), changes.compact_after.end());
    if (changes.deletions) deletions_ = *changes.deletions;
    std::vector<Shown> changelog;
    for (const DataFileMeta& file : changes.compact_changelog_files) {
      EXPECT_GT(file.level, 0);
      for (Shown& row : RowsOfFile(file)) changelog.push_back(std::move(row));
    }
    return changelog;
  }

  /// Writes rows in a commit of their own. Returns what its changelog says.
  std::vector<Shown> Commit(MergeTreeWriter& writer, const std::vector<Shown>& rows, bool full = false) {
    std::vector<KeyValueRow> written;
    for (const Shown& row : rows) written.push_back({row.values, 0, row.kind});
    if (!rows.empty()) {
      EXPECT_THAT(writer.Write(ValueBatch(schema_, written)), IsOk());
    }
    if (full) {
      EXPECT_THAT(writer.Compact(true), IsOk());
    }
    const Result<BucketChanges> changes = writer.PrepareCommit(true);
    EXPECT_THAT(changes, IsOk());
    return changes ? Apply(*changes) : std::vector<Shown>();
  }

  /// Rows above level 0 without merging: each key may be there once, as in tables whose reads do not merge.
  std::map<DatumList, DatumList, KeyLess> ReadUnmerged() {
    std::map<DatumList, DatumList, KeyLess> rows;
    for (const DataFileMeta& file : files_) {
      if (file.level == 0) continue;
      for (Shown& row : RowsOfFile(file)) {
        EXPECT_TRUE(IsAdd(row.kind)) << "a retraction above level 0";
        EXPECT_TRUE(rows.emplace(DatumList{row.values[0]}, row.values).second) << "a key twice";
      }
    }
    return rows;
  }

  std::map<DatumList, DatumList, KeyLess> ReadMerged() {
    std::map<DatumList, DatumList, KeyLess> rows;
    const auto function = MakeMergeFunction(options_, schema_);
    auto sections = PartitionIntoSections(files_, schema_.key_fields);
    PlainKeyValueReaderFactory readers(fs_, kBucket, schema_);
    const auto reader = ReadSections(schema_, *sections, readers, *function, {.drop_retractions = true});
    const auto batches = ReadAllBatches(**reader);
    EXPECT_THAT(batches, IsOk());
    for (KeyValueRow& row : RowsOf(schema_, *batches)) rows.emplace(DatumList{row.values[0]}, row.values);
    return rows;
  }

  const std::vector<DataFileMeta>& files() const { return files_; }
  std::vector<DataFileMeta>& files() { return files_; }
  const BucketDeletions& deletions() const { return deletions_; }
  const KeyValueSchema& schema() const { return schema_; }

 private:
  std::vector<Shown> RowsOfFile(const DataFileMeta& file) {
    const auto reader = readers_->OpenAllRows(file, schema_);
    const auto batches = ReadAllBatches(**reader);
    EXPECT_THAT(batches, IsOk());
    const auto deleted = deletions_.find(file.file_name);
    std::vector<Shown> rows;
    std::int64_t position = 0;
    for (KeyValueRow& row : RowsOf(schema_, *batches)) {
      if (deleted == deletions_.end() || !deleted->second.Contains(position)) rows.push_back({row.values, row.kind});
      ++position;
    }
    return rows;
  }

  KeyValueSchema schema_;
  Options options_;
  std::shared_ptr<FileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  ManualClock clock_{1'700'000'000'000};
  std::vector<DataFileMeta> files_;
  BucketDeletions deletions_;
  std::shared_ptr<KeyValueReaderFactory> readers_;
};

std::vector<Shown> Listed(const std::map<DatumList, DatumList, KeyLess>& rows) {
  std::vector<Shown> listed;
  for (const auto& [key, values] : rows) listed.push_back({values});
  return listed;
}

Options With(Options::Map options) {
  return Options(std::move(options));
}

TEST(ChangelogMergerTest, LooksUpWhatRowsWereBefore) {
  Bucket bucket(SmallSchema(), With({{"changelog-producer", "lookup"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "a", 0}}, {{2, "b", 0}}, {{3, "gone", 0}, kDelete}}),
              ElementsAre(Shown{{1, "a", 0}}, Shown{{2, "b", 0}}));
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "c", 0}}, {{2, "", 0}, kDelete}, {{4, "d", 0}, kUpdateAfter}}),
              ElementsAre(Shown{{1, "a", 0}, kUpdateBefore}, Shown{{1, "c", 0}, kUpdateAfter},
                          Shown{{2, "b", 0}, kDelete}, Shown{{4, "d", 0}}));
  EXPECT_THAT(bucket.Commit(*writer, {{{2, "again", 0}}, {{1, "c", 0}}}),
              ElementsAre(Shown{{1, "c", 0}, kUpdateBefore}, Shown{{1, "c", 0}, kUpdateAfter}, Shown{{2, "again", 0}}));
}

TEST(ChangelogMergerTest, MergesWhatItLooksUpInManyFilesOfOneLevel) {
  // Each row above has a file of its own, so that one merge looks into many batches one after the other.
  Bucket bucket(SmallSchema(), With({{"merge-engine", "aggregation"},
                                     {"fields.s.aggregate-function", "sum"},
                                     {"deletion-vectors.enabled", "true"},
                                     {"compaction.size-ratio", "0"},
                                     {"compaction.max-size-amplification-percent", "10000"},
                                     {"target-file-size", "1 b"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  std::vector<Shown> second;
  std::vector<Shown> sums;
  for (int key = 0; key < 100; ++key) {
    bucket.Commit(*writer, {{{Datum(key), "old", key}}}, true);
    second.push_back({{Datum(key), "new", 1000}});
    sums.push_back({{Datum(key), "new", 1000 + key}});
  }
  ASSERT_EQ(bucket.files().size(), 100U);
  bucket.Commit(*writer, second);
  EXPECT_EQ(Listed(bucket.ReadUnmerged()), sums);
}

TEST(ChangelogMergerTest, LeavesOutUpdatesThatChangeNothingIfAsked) {
  Bucket bucket(SmallSchema(), With({{"changelog-producer", "lookup"},
                                     {"changelog-producer.row-deduplicate", "true"},
                                     {"changelog-producer.row-deduplicate-ignore-fields", "s"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "a", 1}}}), ElementsAre(Shown{{1, "a", 1}}));
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "a", 2}}}), IsEmpty());
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "b", 2}}}),
              ElementsAre(Shown{{1, "a", 2}, kUpdateBefore}, Shown{{1, "b", 2}, kUpdateAfter}));
}

TEST(ChangelogMergerTest, TellsWhatFullCompactionsChange) {
  Bucket bucket(SmallSchema(), With({{"changelog-producer", "full-compaction"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "a", 0}}, {{2, "b", 0}}}), IsEmpty()) << "nothing was compacted";
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "c", 0}}}, true), ElementsAre(Shown{{1, "c", 0}}, Shown{{2, "b", 0}}));
  EXPECT_THAT(
      bucket.Commit(*writer, {{{1, "d", 0}}, {{2, "", 0}, kDelete}, {{3, "", 0}, kDelete}}, true),
      ElementsAre(Shown{{1, "c", 0}, kUpdateBefore}, Shown{{1, "d", 0}, kUpdateAfter}, Shown{{2, "b", 0}, kDelete}));
}

TEST(ChangelogMergerTest, ScansFilesThatMoveUpAsTheyAre) {
  // Files are large for the option: they are not rewritten, yet their rows must come into the changelog.
  for (const char* producer : {"lookup", "full-compaction"}) {
    Bucket bucket(SmallSchema(), With({{"changelog-producer", producer}, {"target-file-size", "1 b"}}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
    EXPECT_THAT(bucket.Commit(*writer, {{{1, "a", 0}}}, true), ElementsAre(Shown{{1, "a", 0}})) << producer;
    ASSERT_EQ(bucket.files().size(), 1U);
    EXPECT_EQ(bucket.files()[0].file_source, FileSource::kAppend) << "it was rewritten";
    EXPECT_EQ(bucket.files()[0].level, 5);
  }
}

TEST(ChangelogMergerTest, KeepsFirstRowsAndTellsOfThemAlone) {
  Bucket bucket(SmallSchema(), With({{"merge-engine", "first-row"}, {"changelog-producer", "lookup"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "first", 0}}, {{1, "second", 0}}}), ElementsAre(Shown{{1, "first", 0}}));
  EXPECT_THAT(bucket.Commit(*writer, {{{1, "third", 0}}, {{2, "new", 0}}}), ElementsAre(Shown{{2, "new", 0}}));
  EXPECT_THAT(bucket.ReadUnmerged(), ElementsAre(testing::Pair(DatumList{1}, DatumList{1, "first", 0}),
                                                 testing::Pair(DatumList{2}, DatumList{2, "new", 0})));
}

TEST(ChangelogMergerTest, MarksReplacedRowsInDeletionVectors) {
  Bucket bucket(SmallSchema(), With({{"deletion-vectors.enabled", "true"}, {"compaction.size-ratio", "0"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  std::vector<Shown> many;
  for (int key = 0; key < 200; ++key) many.push_back({{Datum(key), fmt::format("value {}", key), 0}});
  bucket.Commit(*writer, many);
  ASSERT_EQ(bucket.files().size(), 1U);
  const std::string large = bucket.files()[0].file_name;
  bucket.Commit(*writer, {{{7, "new", 0}}, {{9, "", 0}, kDelete}});
  ASSERT_TRUE(bucket.deletions().contains(large));
  EXPECT_EQ(bucket.deletions().at(large), DeletionVector().With(std::vector<std::int64_t>{7, 9}));
  EXPECT_EQ(bucket.ReadUnmerged().size(), 199U);
  bucket.Commit(*writer, {}, true);
  EXPECT_THAT(bucket.deletions(), IsEmpty()) << "what was rewritten has no vector";
  EXPECT_EQ(bucket.ReadUnmerged().size(), 199U);
}

TEST(ChangelogMergerTest, RewritesFilesOfTheTopLevelThatHaveDeletionVectors) {
  Bucket bucket(SmallSchema(), With({{"deletion-vectors.enabled", "true"}, {"compaction.size-ratio", "0"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  std::vector<Shown> many;
  for (int key = 0; key < 200; ++key) many.push_back({{Datum(key), fmt::format("value {}", key), 0}});
  bucket.Commit(*writer, many);
  bucket.Commit(*writer, {{{9, "", 0}, kDelete}});
  ASSERT_EQ(bucket.files().size(), 1U) << "the deletion left no row of its own";
  EXPECT_EQ(bucket.deletions().size(), 1U);
  bucket.Commit(*writer, {}, true);
  ASSERT_EQ(bucket.files().size(), 1U);
  EXPECT_EQ(bucket.files()[0].row_count, 199);
  EXPECT_THAT(bucket.deletions(), IsEmpty());
}

/// What a table holds, from the documentation of its merge engine.
class Model {
 public:
  explicit Model(std::string engine) : engine_(std::move(engine)) {}

  void Put(const DatumList& row, RowKind kind) {
    const DatumList key{row[0]};
    const auto found = rows_.find(key);
    if (!IsAdd(kind)) {
      rows_.erase(key);
    } else if (found == rows_.end() || engine_ == "deduplicate") {
      rows_[key] = row;
    } else if (engine_ == "partial-update") {
      for (std::size_t i = 1; i < row.size(); ++i) {
        if (!row[i].is_null()) found->second[i] = row[i];
      }
    } else if (engine_ == "aggregation") {
      if (!row[1].is_null()) found->second[1] = row[1];
      if (!row[2].is_null()) {
        const std::int64_t sum = (found->second[2].is_null() ? 0 : found->second[2].as_int()) + row[2].as_int();
        found->second[2] = Datum(sum);
      }
    }
  }
  const std::map<DatumList, DatumList, KeyLess>& rows() const { return rows_; }

 private:
  std::string engine_;
  std::map<DatumList, DatumList, KeyLess> rows_;
};

/// A table made of nothing but changelogs.
void Replay(const std::vector<Shown>& changelog, std::map<DatumList, DatumList, KeyLess>& rows) {
  for (const Shown& row : changelog) {
    const DatumList key{row.values[0]};
    const auto found = rows.find(key);
    if (row.kind == kInsert) {
      EXPECT_EQ(found, rows.end()) << "+I of a key that is there";
      rows[key] = row.values;
    } else if (row.kind == kUpdateAfter) {
      EXPECT_EQ(found, rows.end()) << "+U without -U";
      rows[key] = row.values;
    } else {
      ASSERT_NE(found, rows.end()) << RowKindName(row.kind) << " of a key that is not there";
      EXPECT_EQ(Shown{found->second}, Shown{row.values}) << RowKindName(row.kind) << " of another row";
      rows.erase(found);
    }
  }
}

void CheckAgainstModel(std::mt19937_64& random) {
  const auto pick = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  const std::string engine = pick({"deduplicate", "deduplicate", "partial-update", "aggregation", "first-row"});
  const bool first_row = engine == "first-row";
  const std::string producer = first_row ? pick({"none", "lookup"}) : pick({"none", "lookup", "full-compaction"});
  const bool vectors = !first_row && producer != "full-compaction" && (producer == "none" || random() % 2 == 0);
  Options::Map map = {{"merge-engine", engine},
                      {"changelog-producer", producer},
                      {"deletion-vectors.enabled", vectors ? "true" : "false"},
                      {"fields.s.aggregate-function", "sum"},
                      {"changelog-producer.row-deduplicate", pick({"true", "false"})},
                      {"num-sorted-run.compaction-trigger", pick({"2", "3", "5"})},
                      {"num-levels", pick({"3", "6"})},
                      {"target-file-size", pick({"1 b", "2 kb", "128 mb"})},
                      {"compaction.small-file-ratio", pick({"0", "0.7"})},
                      {"compaction.size-ratio", pick({"0", "1"})},
                      {"compaction.max-size-amplification-percent", pick({"200", "10000"})},
                      {"file.format.per.level", pick({"0:avro,5:parquet", "0:parquet"})},
                      {"write-buffer-size", pick({"1 kb", "256 mb"})}};
  if (engine != "aggregation") map.erase("fields.s.aggregate-function");
  if (engine == "deduplicate" && random() % 3 == 0) map.emplace("sequence.field", "s");
  const Options options = With(map);
  std::string told;
  for (const auto& [key, value] : options.values()) told += fmt::format("{}={} ", key, value);
  SCOPED_TRACE(told);
  KeyValueSchema schema = SmallSchema();
  const bool sequenced = options.Has("sequence.field");
  if (sequenced) schema.sequence_fields = {2};
  Bucket bucket(schema, options);
  ThreadPool pool(1);
  ThreadPool* const used_pool = random() % 2 == 0 ? &pool : nullptr;
  Model model(engine);
  std::map<DatumList, DatumList, KeyLess> replayed;
  BRAID_ASSERT_OK_AND_ASSIGN(auto writer, bucket.Open(used_pool));
  std::int64_t clock = 0;
  for (int step = 0; step < 40 && !testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE(fmt::format("step {}", step));
    std::vector<Shown> rows;
    for (std::size_t i = random() % 30; i > 0; --i) {
      const auto key = static_cast<std::int64_t>(random() % 60);
      const Datum text = random() % 4 == 0 ? Datum() : Datum(fmt::format("value {}", random() % 10));
      // Sequences that ascend keep the model simple.
      const Datum number = sequenced           ? Datum(clock++)
                           : random() % 4 == 0 ? Datum()
                                               : Datum(static_cast<int>(random() % 9));
      const bool deletes = engine == "deduplicate" && random() % 4 == 0;
      rows.push_back({{Datum(key), text, number}, deletes ? kDelete : kInsert});
      model.Put(rows.back().values, rows.back().kind);
    }
    const bool full = random() % 4 == 0 || producer == "full-compaction";
    Replay(bucket.Commit(*writer, rows, full), replayed);
    const std::vector<Shown> expected = Listed(model.rows());
    ASSERT_EQ(Listed(vectors || first_row ? bucket.ReadUnmerged() : bucket.ReadMerged()), expected);
    if (producer != "none") {
      ASSERT_EQ(Listed(replayed), expected) << "from the changelog";
    }
    if (random() % 5 == 0) {
      BRAID_ASSERT_OK_AND_ASSIGN(writer, bucket.Open(used_pool));
    }
  }
}

TEST(ChangelogMergerTest, EqualsAModelUnderRandomOptions) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20 && !testing::Test::HasFailure(); ++round) CheckAgainstModel(random);
}

}  // namespace
}  // namespace braid
