#include "mergetree/merge_tree_writer.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>

#include "base/result_matchers.h"
#include "base/uuid.h"
#include "io/fault_injecting_file_system.h"
#include "io/memory_file_system.h"
#include "mergetree/key_value_testing.h"

namespace braid {
namespace {

constexpr char kBucket[] = "/t/bucket-0";

/// Tells when a file is opened.
class WatchedReaders : public PlainKeyValueReaderFactory {
 public:
  WatchedReaders(std::shared_ptr<const FileSystem> fs, KeyValueSchema schema, std::function<void()> on_open)
      : PlainKeyValueReaderFactory(std::move(fs), kBucket, std::move(schema)), on_open_(std::move(on_open)) {}

  Result<std::unique_ptr<BatchReader>> Open(const DataFileMeta& file, bool merged) override {
    if (on_open_) on_open_();
    return PlainKeyValueReaderFactory::Open(file, merged);
  }

 private:
  std::function<void()> on_open_;
};

/// One bucket: what was committed, and writers on it.
class Bucket {
 public:
  explicit Bucket(Options options, std::shared_ptr<FileSystem> fs = std::make_shared<MemoryFileSystem>())
      : options_(std::move(options)), fs_(std::move(fs)) {}

  const KeyValueSchema& schema() const { return schema_; }
  std::vector<DataFileMeta>& files() { return files_; }
  FileSystem& fs() { return *fs_; }

  /// Called by compactions of writers opened from now on, for each file that they open.
  std::function<void()> on_open;

  Result<std::unique_ptr<MergeTreeWriter>> Open(ThreadPool* pool = nullptr, std::string spill_directory = {},
                                                MemoryBudget* compaction_memory = nullptr) {
    MergeTreeWriterConfig config;
    config.schema = schema_;
    config.options = options_;
    config.files = files_;
    config.readers = readers_ = std::make_shared<WatchedReaders>(fs_, schema_, on_open);
    BRAID_TRY_ASSIGN(config.writers,
                     MakeKeyValueWriterFactory({fs_, kBucket, schema_, SchemaId(0), options_, &clock_}));
    config.spill_directory = std::move(spill_directory);
    config.compaction_pool = pool;
    config.compaction_memory = compaction_memory;
    config.clock = &clock_;
    return MergeTreeWriter::Make(std::move(config));
  }

  /// As a commit does: removes and adds files.
  void Apply(const BucketChanges& changes) {
    files_.insert(files_.end(), changes.new_files.begin(), changes.new_files.end());
    for (const DataFileMeta& file : changes.compact_before) {
      const auto at = std::find(files_.begin(), files_.end(), file);
      ASSERT_NE(at, files_.end()) << file.file_name << " of level " << file.level << " was not there";
      files_.erase(at);
    }
    files_.insert(files_.end(), changes.compact_after.begin(), changes.compact_after.end());
    for (const auto* list : {&changes.new_files, &changes.compact_after, &changes.changelog_files}) {
      for (const DataFileMeta& file : *list) ever_committed_.insert(JoinPath(kBucket, file.file_name));
    }
  }

  Result<std::vector<KeyValueRow>> Read() {
    BRAID_TRY_ASSIGN(const auto function, MakeMergeFunction(options_, schema_));
    BRAID_TRY_ASSIGN(std::vector<Section> sections, PartitionIntoSections(files_, schema_.key_fields));
    PlainKeyValueReaderFactory readers(fs_, kBucket, schema_);
    BRAID_TRY_ASSIGN(const auto reader,
                     ReadSections(schema_, std::move(sections), readers, function, {.drop_retractions = true}));
    BRAID_TRY_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
    return RowsOf(schema_, batches);
  }

  const std::set<std::string>& ever_committed() const { return ever_committed_; }

 private:
  KeyValueSchema schema_ = SmallSchema();
  Options options_;
  std::shared_ptr<FileSystem> fs_;
  ManualClock clock_{1'700'000'000'000};
  std::vector<DataFileMeta> files_;
  std::shared_ptr<KeyValueReaderFactory> readers_;
  std::set<std::string> ever_committed_;
};

Options OptionsOf(Options::Map map) {
  return Options(std::move(map));
}

Batch OneRow(const KeyValueSchema& schema, std::int64_t key, const char* value, RowKind kind = RowKind::kInsert) {
  return ValueBatch(schema, {{{Datum(key), value, 0}, 0, kind}});
}

std::vector<int> LevelsOf(const std::vector<DataFileMeta>& files) {
  std::vector<int> levels;
  for (const DataFileMeta& file : files) levels.push_back(file.level);
  return levels;
}

TEST(MergeTreeWriterTest, FlushesSortedMergedRowsToLevel0) {
  Bucket bucket({});
  bucket.files() = {FileOf("earlier", 5, 1, 0, 100, 41)};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  bucket.files().clear();
  ASSERT_THAT(writer->Write(ValueBatch(bucket.schema(), {{{2, "b", 0}}, {{1, "a", 0}}, {{2, "c", 0}}})), IsOk());
  EXPECT_GT(writer->memory_bytes(), 0);
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
  ASSERT_EQ(changes.new_files.size(), 1U);
  EXPECT_EQ(changes.new_files[0].level, 0);
  EXPECT_EQ(changes.new_files[0].file_source, FileSource::kAppend);
  EXPECT_EQ(changes.new_files[0].row_count, 2);
  EXPECT_EQ(changes.new_files[0].min_sequence_number, 43) << "the first row had 42";
  EXPECT_EQ(writer->max_sequence_number(), 44);
  EXPECT_TRUE(changes.compact_before.empty() && changes.compact_after.empty() && changes.changelog_files.empty());
  bucket.Apply(changes);
  EXPECT_THAT(bucket.Read(),
              HasValue(testing::ElementsAre(KeyValueRow{{1, "a", 0}, 43}, KeyValueRow{{2, "c", 0}, 44})));
  EXPECT_THAT(writer->PrepareCommit(true), HasValue(BucketChanges{}));
}

TEST(MergeTreeWriterTest, CompactsWhenFiveRunsAreThere) {
  Bucket bucket({});
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  for (int i = 0; i < 4; ++i) {
    ASSERT_THAT(writer->Write(OneRow(bucket.schema(), i, "x")), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
    EXPECT_TRUE(changes.compact_before.empty());
    bucket.Apply(changes);
  }
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 0, "gone", RowKind::kDelete)), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  EXPECT_EQ(changes.new_files.size(), 1U);
  EXPECT_EQ(changes.compact_before.size(), 5U)
      << "the file of this checkpoint too: it was committed by its first snapshot";
  ASSERT_EQ(changes.compact_after.size(), 1U);
  EXPECT_EQ(changes.compact_after[0].level, 5);
  EXPECT_EQ(changes.compact_after[0].file_source, FileSource::kCompact);
  EXPECT_EQ(changes.compact_after[0].row_count, 3);
  EXPECT_EQ(changes.compact_after[0].delete_row_count, 0);
  bucket.Apply(changes);
  EXPECT_EQ(LevelsOf(bucket.files()), std::vector<int>{5});
  EXPECT_EQ(LevelsOf(writer->Files()), std::vector<int>{5});
}

TEST(MergeTreeWriterTest, UpgradesALargeFileWithoutRewritingIt) {
  Bucket bucket(OptionsOf({{"target-file-size", "1 b"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, "x")), IsOk());
  ASSERT_THAT(writer->Compact(true), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  ASSERT_EQ(changes.new_files.size(), 1U);
  DataFileMeta upgraded = changes.new_files[0];
  EXPECT_EQ(changes.compact_before, std::vector{upgraded});
  upgraded.level = 5;
  EXPECT_EQ(changes.compact_after, std::vector{upgraded});
}

TEST(MergeTreeWriterTest, RewritesAFileWithRetractionsOnItsWayToTheTop) {
  Bucket bucket(OptionsOf({{"target-file-size", "1 b"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, "x", RowKind::kDelete)), IsOk());
  ASSERT_THAT(writer->Compact(true), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  EXPECT_EQ(changes.compact_before.size(), 1U);
  EXPECT_TRUE(changes.compact_after.empty()) << "nothing is left of it";
}

TEST(MergeTreeWriterTest, KeepsRetractionsBelowTheTop) {
  // With the top there are five runs: the four small ones go below level 5, where the deleted row may still be.
  Bucket bucket({});
  bucket.files() = {FileOf("top", 5, 100'000'000, 0, 100, 0)};
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  for (int i = 0; i < 4; ++i) {
    ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, "x", i == 3 ? RowKind::kDelete : RowKind::kInsert)), IsOk());
    ASSERT_THAT(writer->Compact(false), IsOk());
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  ASSERT_EQ(changes.compact_after.size(), 1U);
  EXPECT_EQ(changes.compact_after[0].level, 4);
  EXPECT_EQ(changes.compact_after[0].row_count, 1);
  EXPECT_EQ(changes.compact_after[0].delete_row_count, 1);
}

TEST(MergeTreeWriterTest, DeletesFilesThatOneCheckpointBothMadeAndReplaced) {
  const auto fs = std::make_shared<MemoryFileSystem>();
  Bucket bucket({}, fs);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  for (const char* value : {"first", "second"}) {
    for (int key = 0; key < 2; ++key) {
      ASSERT_THAT(writer->Write(OneRow(bucket.schema(), key, value)), IsOk());
      ASSERT_THAT(writer->Compact(false), IsOk());
    }
    ASSERT_THAT(writer->Compact(true), IsOk());
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  EXPECT_EQ(changes.new_files.size(), 4U);
  EXPECT_EQ(changes.compact_before, changes.new_files) << "but not the first compaction's file";
  EXPECT_EQ(changes.compact_after.size(), 1U);
  EXPECT_EQ(fs->AllFiles().size(), 5U);
  bucket.Apply(changes);
  EXPECT_THAT(bucket.Read(), HasValue(testing::SizeIs(2)));
}

TEST(MergeTreeWriterTest, NeverCompactsIfWriteOnly) {
  Bucket bucket(OptionsOf({{"write-only", "true"}, {"changelog-producer", "lookup"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  for (int i = 0; i < 12; ++i) {
    ASSERT_THAT(writer->Write(OneRow(bucket.schema(), i, "x")), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
    EXPECT_TRUE(changes.compact_before.empty());
  }
  EXPECT_THAT(writer->Compact(true), IsError(ErrorCode::kInvalidArgument));
}

// As in Java, whose writers look at levels only to compact them.
TEST(MergeTreeWriterTest, DoesNotJudgeLevelsIfWriteOnly) {
  const std::vector<DataFileMeta> sharing_keys = {FileOf("a", 5, 1, 0, 10, 7), FileOf("b", 5, 1, 10, 20, 8)};
  Bucket compacting({});
  compacting.files() = sharing_keys;
  EXPECT_THAT(compacting.Open(), IsError(ErrorCode::kCorruption));
  Bucket bucket(OptionsOf({{"write-only", "true"}}));
  bucket.files() = sharing_keys;
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 10, "x")), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  ASSERT_EQ(changes.new_files.size(), 1U);
  EXPECT_EQ(changes.new_files[0].min_sequence_number, 9);
}

TEST(MergeTreeWriterTest, WritesEveryRowToTheInputChangelog) {
  Bucket bucket(OptionsOf({{"changelog-producer", "input"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  ASSERT_THAT(writer->Write(ValueBatch(bucket.schema(), {{{2, "a", 0}},
                                                         {{2, "a", 0}, 0, RowKind::kUpdateBefore},
                                                         {{2, "b", 0}, 0, RowKind::kUpdateAfter},
                                                         {{1, "c", 0}}})),
              IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
  ASSERT_EQ(changes.changelog_files.size(), 1U);
  EXPECT_TRUE(changes.changelog_files[0].file_name.starts_with("changelog-"));
  EXPECT_EQ(changes.changelog_files[0].row_count, 4);
  EXPECT_EQ(changes.changelog_files[0].delete_row_count, 1);
  EXPECT_EQ(changes.new_files[0].row_count, 2);
}

TEST(MergeTreeWriterTest, DropsKindsThatOptionsIgnore) {
  const std::vector<KeyValueRow> rows = {
      {{1, "a", 0}}, {{1, "a", 0}, 0, RowKind::kUpdateBefore}, {{2, "b", 0}, 0, RowKind::kDelete}};
  for (const auto& [option, kept] : std::map<std::string, int>{{"ignore-delete", 1}, {"ignore-update-before", 2}}) {
    Bucket bucket(OptionsOf({{option, "true"}, {"changelog-producer", "input"}}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
    ASSERT_THAT(writer->Write(ValueBatch(bucket.schema(), rows)), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
    EXPECT_EQ(changes.changelog_files[0].row_count, kept) << option;
  }
}

TEST(MergeTreeWriterTest, RefusesOptionsThatItCannotFollow) {
  Bucket expiry(OptionsOf({{"record-level.expire-time", "1 h"}}));
  EXPECT_THAT(expiry.Open(), IsError(ErrorCode::kInvalidArgument)) << "without record-level.time-field";
  Bucket engine(OptionsOf({{"merge-engine", "aggregation"}, {"fields.v.aggregate-function", "sum"}}));
  EXPECT_THAT(engine.Open(), IsError(ErrorCode::kInvalidArgument)) << "v is STRING";
}

TEST(MergeTreeWriterTest, DropsRowsThatAreOverWhenCompacting) {
  Bucket bucket(OptionsOf({{"record-level.expire-time", "1 h"}, {"record-level.time-field", "s"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  ASSERT_THAT(writer->Write(ValueBatch(bucket.schema(), {{{1, "over", 1'699'990'000}}, {{2, "fresh", 1'699'999'999}}})),
              IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(BucketChanges changes, writer->PrepareCommit(true));
  bucket.Apply(changes);
  EXPECT_THAT(bucket.Read(), HasValue(testing::SizeIs(2))) << "reads keep them";
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 3, "more")), IsOk());
  ASSERT_THAT(writer->Compact(true), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(changes, writer->PrepareCommit(true));
  bucket.Apply(changes);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<KeyValueRow> rows, bucket.Read());
  ASSERT_EQ(rows.size(), 1U) << "of 1970 is the third";
  EXPECT_EQ(rows[0].values[1], Datum("fresh"));
}

TEST(MergeTreeWriterTest, LeavesOneLevelAboveZeroToFirstRow) {
  Bucket bucket(OptionsOf({{"merge-engine", "first-row"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
  for (const char* value : {"first", "second"}) {
    ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, value)), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
    bucket.Apply(changes);
    EXPECT_EQ(LevelsOf(bucket.files()), std::vector<int>{5});
    EXPECT_THAT(bucket.Read(), HasValue(testing::ElementsAre(KeyValueRow{{1, "first", 0}, 0})));
  }
}

TEST(MergeTreeWriterTest, DeletesUncommittedFilesWhenDestroyed) {
  const auto fs = std::make_shared<MemoryFileSystem>();
  Bucket bucket(OptionsOf({{"changelog-producer", "input"}}), fs);
  BRAID_ASSERT_OK_AND_ASSIGN(auto writer, bucket.Open());
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, "committed")), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
  bucket.Apply(changes);
  ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, "lost")), IsOk());
  ASSERT_THAT(writer->Compact(true), IsOk());
  EXPECT_EQ(fs->AllFiles().size(), 5U);
  writer.reset();
  EXPECT_EQ(fs->AllFiles().size(), 2U);
  EXPECT_THAT(bucket.Read(), HasValue(testing::SizeIs(1)));
}

/// Random writes, flushes, compactions, commits and reopenings under random options, against a map.
void CheckAgainstModel(std::mt19937_64& random) {
  const auto pick = [&](std::vector<std::string> of) { return of[random() % of.size()]; };
  const Options options = OptionsOf({{"num-sorted-run.compaction-trigger", pick({"2", "3", "5"})},
                                     {"target-file-size", pick({"1 b", "2 kb", "128 mb"})},
                                     {"compaction.small-file-ratio", pick({"0", "0.7"})},
                                     {"compaction.size-ratio", pick({"0", "1", "50"})},
                                     {"compaction.max-size-amplification-percent", pick({"20", "200"})},
                                     {"compaction.force-up-level-0", pick({"true", "false"})},
                                     {"compaction.force-rewrite-all-files", pick({"true", "false", "false"})},
                                     {"commit.force-compact", pick({"true", "false"})},
                                     {"write-only", pick({"true", "false", "false"})},
                                     {"data-file.thin-mode", pick({"true", "false"})},
                                     {"changelog-producer", pick({"none", "input"})},
                                     {"write-buffer-size", pick({"1 kb", "256 mb"})},
                                     {"write-buffer-spillable", pick({"true", "false"})}});
  for (const auto& [key, value] : options.values()) SCOPED_TRACE(key + "=" + value);
  const auto fs = std::make_shared<MemoryFileSystem>();
  Bucket bucket(options, fs);
  const std::string spill = (std::filesystem::temp_directory_path() / ("braid-writer-test-" + RandomUuid())).string();
  ThreadPool pool(1);
  ThreadPool* const used_pool = random() % 2 == 0 ? &pool : nullptr;
  std::map<std::int64_t, std::pair<std::string, RowKind>> newest;
  std::map<std::int64_t, std::pair<std::string, RowKind>> committed;
  BRAID_ASSERT_OK_AND_ASSIGN(auto writer, bucket.Open(used_pool, spill));
  for (int step = 0; step < 60; ++step) {
    const std::uint64_t action = random() % 10;
    if (action < 6) {
      std::vector<KeyValueRow> rows;
      for (std::size_t i = 1 + random() % 40; i > 0; --i) {
        const auto key = static_cast<std::int64_t>(random() % 100);
        const std::string value = fmt::format("value {}", random());
        rows.push_back({{Datum(key), value, 0}, 0, random() % 4 == 0 ? RowKind::kDelete : RowKind::kUpdateAfter});
        newest[key] = {value, rows.back().kind};
      }
      ASSERT_THAT(writer->Write(ValueBatch(bucket.schema(), rows)), IsOk());
    } else if (action < 7 && options.Get("write-only", "") == "false") {
      ASSERT_THAT(writer->Compact(random() % 2 == 0), IsOk());
    } else if (action < 9) {
      BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(random() % 2 == 0));
      bucket.Apply(changes);
      committed = newest;
    } else {
      writer.reset();
      newest = committed;
      BRAID_ASSERT_OK_AND_ASSIGN(writer, bucket.Open(used_pool, spill));
      const std::vector<std::string> files = fs->AllFiles();
      EXPECT_TRUE(
          std::includes(bucket.ever_committed().begin(), bucket.ever_committed().end(), files.begin(), files.end()))
          << "files that no commit named are left";
    }
    std::map<std::int64_t, std::string> expected;
    for (const auto& [key, row] : committed) {
      if (IsAdd(row.second)) expected.emplace(key, row.first);
    }
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<KeyValueRow> rows, bucket.Read());
    std::map<std::int64_t, std::string> found;
    for (const KeyValueRow& row : rows) found.emplace(row.values[0].as_int(), row.values[1].as_string());
    ASSERT_EQ(found, expected) << "after step " << step;
  }
  writer.reset();
  std::filesystem::remove_all(spill);
}

TEST(MergeTreeWriterTest, CompactionsWaitForTheirMemory) {
  Bucket bucket({});
  for (const char* value : {"a", "b"}) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open());
    ASSERT_THAT(writer->Write(OneRow(bucket.schema(), 1, value)), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges changes, writer->PrepareCommit(false));
    bucket.Apply(changes);
  }
  ThreadPool pool(1);
  MemoryBudget budget(100);  // less than any compaction takes: it runs alone
  std::int64_t least_used = INT64_MAX;
  bucket.on_open = [&] { least_used = std::min(least_used, budget.used_bytes()); };
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, bucket.Open(&pool, {}, &budget));
  ASSERT_TRUE(budget.TryReserve(1));
  ASSERT_THAT(writer->Compact(true), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges before, writer->PrepareCommit(false));
  EXPECT_TRUE(before.empty());
  EXPECT_TRUE(writer->is_compacting());
  budget.Release(1);
  BRAID_ASSERT_OK_AND_ASSIGN(const BucketChanges after, writer->PrepareCommit(true));
  EXPECT_EQ(after.compact_before.size(), 2U);
  EXPECT_EQ(after.compact_after.size(), 1U);
  EXPECT_GT(least_used, 100);
  EXPECT_LT(least_used, INT64_MAX);
  EXPECT_EQ(budget.used_bytes(), 0);
}

TEST(MergeTreeWriterTest, EqualsAMapUnderRandomOptions) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE(fmt::format("BRAID_TEST_SEED={}", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 12 && !testing::Test::HasFailure(); ++round) CheckAgainstModel(random);
}

TEST(MergeTreeWriterTest, LosesNothingCommittedWhicheverCallFails) {
  for (std::int64_t nth = 1;; ++nth) {
    SCOPED_TRACE(fmt::format("failing call {}", nth));
    const auto memory = std::make_shared<MemoryFileSystem>();
    const auto fs = std::make_shared<FaultInjectingFileSystem>(memory);
    Bucket bucket(OptionsOf({{"num-sorted-run.compaction-trigger", "2"}, {"changelog-producer", "input"}}), fs);
    const auto run = [&]() -> Status {
      BRAID_TRY_ASSIGN(const auto writer, bucket.Open());
      for (const char* value : {"a", "b"}) {
        BRAID_TRY(writer->Write(OneRow(bucket.schema(), 1, value)));
        BRAID_TRY_ASSIGN(const BucketChanges changes, writer->PrepareCommit(true));
        bucket.Apply(changes);
      }
      return Ok();
    };
    fs->FailAt(nth, FaultInjectingFileSystem::Fault::kFail);
    const Status first = run();
    const bool struck = fs->struck();
    fs->Heal();
    EXPECT_THAT(bucket.Read(), IsOk());
    // Deleting what a failed write left may itself be the call that fails; nothing else may be left.
    if (!first) {
      EXPECT_THAT(run(), IsOk());
      EXPECT_THAT(bucket.Read(), HasValue(testing::ElementsAre(testing::Field(
                                     &KeyValueRow::values, testing::ElementsAre(Datum(1), Datum("b"), Datum(0))))));
    }
    if (!struck) break;
    ASSERT_LT(nth, 1000);
  }
}

}  // namespace
}  // namespace braid
