// Several writers at once of tables where a key's place is found, not computed: dynamic buckets, and keys that cross
// partitions.

#include "table/placed_keys.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "table/file_scan.h"
#include "table/hash_index_file.h"
#include "table/files_below_testing.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;

// Buckets of two keys, so that writers soon choose different ones. The row with the larger v wins.
Options::Map DynamicOptions(Options::Map more = {}) {
  more.merge(Options::Map{{"bucket", "-1"},
                          {"dynamic-bucket.target-row-num", "2"},
                          {"commit.min-retry-wait", "1 ms"},
                          {"sequence.field", "v"}});
  return more;
}

TableDefinition DynamicTable(Options::Map more = {}) {
  return TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"}, DynamicOptions(std::move(more)));
}

std::string RowText(int k, int v) {
  return fmt::format(R"({{"k":{},"v":{}}})", k, v);
}

Result<std::vector<Snapshot>> Commit(const Table& table, std::vector<CommitMessage> messages,
                                     const std::string& user = "user") {
  Committable committable;
  committable.messages = std::move(messages);
  return TableCommit(table, user).Commit(committable);
}

Result<Snapshot> Newest(const Table& table) {
  BRAID_TRY_ASSIGN(const auto latest, FindLatestSnapshot(table.file_system(), table.paths()));
  return ReadSnapshot(table.file_system(), table.paths(), latest.value());
}

// The hashes of every bucket of the newest snapshot, which must have each hash once.
std::map<int, std::set<std::int32_t>> Hashes(const Table& table) {
  std::map<int, std::set<std::int32_t>> hashes;
  const auto snapshot = Newest(table);
  EXPECT_THAT(snapshot, IsOk());
  if (!snapshot || !snapshot->index_manifest) return hashes;
  const auto entries = ReadIndexManifest(table.file_system(), table.paths(), *snapshot->index_manifest);
  EXPECT_THAT(entries, IsOk());
  std::set<std::pair<std::string, std::int32_t>> seen;
  for (const IndexManifestEntry& entry : *entries) {
    if (entry.index_type != kHashIndex) continue;
    const auto of_bucket = ReadHashIndex(table, entry);
    EXPECT_THAT(of_bucket, IsOk());
    EXPECT_EQ(entry.row_count, static_cast<std::int64_t>(of_bucket->size()));
    for (const std::int32_t hash : *of_bucket) {
      EXPECT_TRUE(seen.emplace(entry.partition.bytes(), hash).second) << "a hash twice";
      hashes[entry.bucket.value()].insert(hash);
    }
  }
  return hashes;
}

// Names of the files in the table's folder.
std::set<std::string> FileNames(const FileSystem& fs) {
  std::set<std::string> names;
  for (const std::string& path : FilesBelow(fs, kTestTableRoot)) names.insert(path.substr(path.rfind('/') + 1));
  return names;
}

TEST(PlacedKeysTest, KeepsTheHashesOfTwoWritersThatFillOneBucket) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(memory, DynamicTable({{"dynamic-bucket.target-row-num", "100"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{1, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{2, 1}}));
  ASSERT_THAT(Commit(table, first), IsOk());
  ASSERT_THAT(Commit(table, second), IsOk());
  EXPECT_EQ(Hashes(table).at(0).size(), 2U);
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(1, 1), RowText(2, 1))));
}

TEST(PlacedKeysTest, AKeyThatTwoWritersPutIntoDifferentBucketsEndsInOne) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, DynamicTable()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{1, 1}, {2, 1}, {3, 1}}));  // 3 in bucket 1
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second,
                             WriteRows(table, {{3, 2}, {4, 2}, {1, 2}}));  // 3 in bucket 0, 1 in bucket 1
  ASSERT_THAT(Commit(table, first), IsOk());
  ASSERT_THAT(Commit(table, second), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(1, 2), RowText(2, 1), RowText(3, 2), RowText(4, 2))));
  const auto hashes = Hashes(table);
  EXPECT_EQ(hashes.at(0).size(), 2U);
  EXPECT_EQ(hashes.at(1).size(), 2U);
}

TEST(PlacedKeysTest, LeavesNoFileOfRowsThatWereWrittenAgain) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, DynamicTable()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{1, 1}, {2, 1}, {3, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{3, 2}, {4, 2}, {1, 2}}));
  ASSERT_THAT(Commit(table, first), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto made, Commit(table, second));
  const std::set<std::string> files = FileNames(*memory);
  for (const CommitMessage& message : second) {
    for (const DataFileMeta& file : message.new_files) EXPECT_FALSE(files.contains(file.file_name));
    for (const IndexManifestEntry& index : message.new_index_files) EXPECT_FALSE(files.contains(index.file_name));
  }
  EXPECT_EQ(made.front().total_record_count, 6);  // nothing was compacted
}

TEST(PlacedKeysTest, ARowForAKeyThatAnOverwriteTookAwayIsThereAfterwards) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, DynamicTable()));
  ASSERT_THAT(Insert(table, {{1, 1}, {2, 1}, {3, 1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto known, WriteRows(table, {{3, 2}}));  // in bucket 1, no new hash
  ASSERT_THAT(TruncateTable(table, "other"), IsOk());
  ASSERT_THAT(Insert(table, {{3, 1}, {1, 3}}), IsOk());  // both in bucket 0
  ASSERT_THAT(Commit(table, known), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(1, 3), RowText(3, 2))));
}

TEST(PlacedKeysTest, KeepsTheChangesOfRowsThatWereWrittenAgain) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(memory, DynamicTable({{"changelog-producer", "input"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{1, 1}, {2, 1}, {3, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{3, 2}, {4, 2}, {1, 2}, {1, 3}}));
  ASSERT_THAT(Commit(table, first), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto made, Commit(table, second));
  EXPECT_EQ(made.front().changelog_record_count, 4);  // both of key 1
  EXPECT_EQ(made.front().delta_record_count, 3);
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(1, 3), RowText(2, 1), RowText(3, 2), RowText(4, 2))));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table changes,
                             table.With(Options(Options::Map{{"incremental-between", "1,2"},
                                                             {"incremental-between-scan-mode", "changelog"}})));
  EXPECT_THAT(SortedRows(changes), HasValue(ElementsAre(RowText(1, 2), RowText(1, 3), RowText(3, 2), RowText(4, 2))));
}

TEST(PlacedKeysTest, AWriterGoesOnAfterItsRowsWereRoutedAgain) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, DynamicTable()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer,
                             TableWriter::Make(table, {.commit_user = "writer", .spill_directory = {}}));
  const auto write = [&](const std::vector<DatumList>& rows) -> Result<std::vector<Snapshot>> {
    BRAID_TRY_ASSIGN(const Batch batch, MakeBatch(table.schema().fields, rows));
    BRAID_TRY(writer->Write(batch));
    BRAID_TRY_ASSIGN(const auto messages, writer->PrepareCommit(true, kBatchCommitIdentifier));
    return Commit(table, messages, "writer");
  };
  ASSERT_THAT(Insert(table, {{1, 1}, {2, 1}, {3, 1}}), IsOk());
  ASSERT_THAT(write({{3, 2}, {4, 2}, {5, 2}}), IsOk());
  ASSERT_THAT(write({{3, 3}, {4, 3}, {5, 3}, {6, 3}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(1, 1), RowText(2, 1), RowText(3, 3), RowText(4, 3),
                                                      RowText(5, 3), RowText(6, 3))));
  Hashes(table);
}

// Rounds of writers that all begin with the same snapshot and commit in any order, with compactions and overwrites
// between.
TEST(PlacedKeysTest, RandomInterleavingsEndAsTheModelSays) {
  const char* text = std::getenv("BRAID_TEST_SEED");
  const unsigned seed = text != nullptr ? static_cast<unsigned>(std::atoi(text)) : std::random_device{}();
  SCOPED_TRACE(testing::Message() << "BRAID_TEST_SEED=" << seed);
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int table_number = 0; table_number < 8; ++table_number) {
    auto memory = std::make_shared<MemoryFileSystem>();
    Options::Map more{{"num-sorted-run.compaction-trigger", table_number % 2 == 0 ? "2" : "5"}};
    if (table_number >= 4) more["deletion-vectors.enabled"] = "true";
    if (table_number >= 6) more["bucket"] = "1";  // keys have their place, but compactions race all the same
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Table table,
        CreateTestTable(memory, TestDefinition({{"p", DataType::Int()}, {"k", DataType::Int()}, {"v", DataType::Int()}},
                                               {"p", "k"}, DynamicOptions(more), {"p"})));
    std::map<std::pair<int, int>, int> model;
    int version = 0;
    for (int round = 0; round < 12; ++round) {
      std::vector<std::vector<CommitMessage>> prepared;
      std::vector<std::vector<DatumList>> rows_of_writers;
      for (int writer = 0; writer < 3; ++writer) {
        std::vector<DatumList>& rows = rows_of_writers.emplace_back();
        for (int row = 0; row < 4; ++row) rows.push_back({below(2), below(8 + round), ++version});
        BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(table, rows));
        prepared.push_back(std::move(messages));
      }
      const int overwritten = below(8);
      if (overwritten == 0 && round > 0) {
        const std::map<std::string, std::string> second{{"p", "1"}};
        ASSERT_THAT(DropPartitions(table, std::vector{second}, "other"), IsOk());
        std::erase_if(model, [](const auto& row) { return row.first.first == 1; });
      }
      if (overwritten == 1 && round > 0) {
        ASSERT_THAT(CompactTable(table, true, nullptr, "compactor"), IsOk());
      }
      std::vector<int> order{0, 1, 2};
      std::shuffle(order.begin(), order.end(), random);
      for (const int writer : order) {
        ASSERT_THAT(Commit(table, prepared[static_cast<std::size_t>(writer)], fmt::format("user-{}", writer)), IsOk());
        for (const DatumList& row : rows_of_writers[static_cast<std::size_t>(writer)]) {
          int& v = model[{static_cast<int>(row[0].as_int()), static_cast<int>(row[1].as_int())}];
          v = std::max(v, static_cast<int>(row[2].as_int()));
        }
      }
      std::vector<std::string> expected;
      for (const auto& [key, v] : model)
        expected.push_back(fmt::format(R"({{"p":{},"k":{},"v":{}}})", key.first, key.second, v));
      std::sort(expected.begin(), expected.end());
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(table));
      ASSERT_EQ(rows, expected) << "table " << table_number << " round " << round;
      Hashes(table);
    }
  }
}

TEST(PlacedKeysTest, ThreadsThatInsertAtOnceLoseAndDoubleNothing) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table created,
                             CreateTestTable(memory, DynamicTable({{"commit.max-retries", "200"},
                                                                   {"dynamic-bucket.target-row-num", "5"},
                                                                   {"num-sorted-run.compaction-trigger", "3"}})));
  constexpr int kThreads = 4;
  constexpr int kInserts = 12;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      // Its own file system object would be another process; the table handle is.
      const auto table = Table::Open(memory, kTestTableRoot, "d.t");
      ASSERT_THAT(table, IsOk());
      for (int insert = 0; insert < kInserts; ++insert) {
        std::vector<DatumList> rows;
        for (int row = 0; row < 6; ++row)
          rows.push_back({(insert * 4 + row * (thread + 1)) % 60, insert * kThreads + thread});
        ASSERT_THAT(Insert(*table, rows), IsOk());
      }
    });
  }
  threads.clear();
  std::map<int, int> model;
  for (int thread = 0; thread < kThreads; ++thread) {
    for (int insert = 0; insert < kInserts; ++insert) {
      for (int row = 0; row < 6; ++row) {
        int& v = model[(insert * 4 + row * (thread + 1)) % 60];
        v = std::max(v, insert * kThreads + thread);
      }
    }
  }
  std::vector<std::string> expected;
  for (const auto& [k, v] : model) expected.push_back(RowText(k, v));
  std::sort(expected.begin(), expected.end());
  EXPECT_THAT(SortedRows(created), HasValue(expected));
  Hashes(created);
}

TableDefinition CrossingTable(Options::Map more = {}) {
  more.merge(Options::Map{{"bucket", "-1"}, {"commit.min-retry-wait", "1 ms"}});
  return TestDefinition({{"p", DataType::Int()}, {"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                        std::move(more), {"p"});
}

std::string RowText(int p, int k, int v) {
  return fmt::format(R"({{"p":{},"k":{},"v":{}}})", p, k, v);
}

TEST(CrossingKeysTest, AKeyThatTwoWritersPutIntoDifferentPartitionsEndsInTheLaterOnes) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, CrossingTable()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{0, 1, 1}, {0, 2, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{1, 1, 2}, {1, 3, 2}}));
  ASSERT_THAT(Commit(table, first, "a"), IsOk());
  ASSERT_THAT(Commit(table, second, "b"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(0, 2, 1), RowText(1, 1, 2), RowText(1, 3, 2))));
}

TEST(CrossingKeysTest, AKeyThatMovesWhileAnotherWriterDeletesItIsDeletedWhereItIs) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, CrossingTable()));
  ASSERT_THAT(Insert(table, {{0, 1, 1}, {0, 2, 1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto moves, WriteRows(table, {{1, 1, 2}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto deletes, WriteRows(table, {{0, 1, 1}}, {RowKind::kDelete}));
  ASSERT_THAT(Commit(table, moves, "a"), IsOk());
  ASSERT_THAT(Commit(table, deletes, "b"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(0, 2, 1))));
}

TEST(CrossingKeysTest, RowsWithoutKeysOfOthersStayWhereTheyWereWritten) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, CreateTestTable(memory, CrossingTable()));
  ASSERT_THAT(Insert(table, {{0, 9, 1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{0, 1, 1}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{0, 2, 1}}));
  ASSERT_THAT(Commit(table, first, "a"), IsOk());
  ASSERT_THAT(CompactTable(table, true, nullptr, "compactor"), IsOk());
  ASSERT_THAT(Commit(table, second, "b"), IsOk());
  const std::set<std::string> files = FileNames(*memory);
  EXPECT_TRUE(files.contains(second.front().new_files.front().file_name));
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(0, 1, 1), RowText(0, 2, 1), RowText(0, 9, 1))));
}

TEST(CrossingKeysTest, OtherMergeEnginesKeepAKeyWhereItWasFirst) {
  for (const auto& [engine, merges] : {std::pair("partial-update", true), std::pair("first-row", false)}) {
    SCOPED_TRACE(engine);
    auto memory = std::make_shared<MemoryFileSystem>();
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Table table,
        CreateTestTable(
            memory,
            TestDefinition(
                {{"p", DataType::Int()}, {"k", DataType::Int()}, {"v", DataType::Int()}, {"w", DataType::Int()}}, {"k"},
                {{"bucket", "-1"},
                 {"merge-engine", engine},
                 {"changelog-producer", engine == std::string("first-row") ? "lookup" : "none"}},
                {"p"})));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{0, 1, 1, Datum()}}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{1, 1, Datum(), 2}, {1, 2, 5, 5}}));
    ASSERT_THAT(Commit(table, first, "a"), IsOk());
    ASSERT_THAT(Commit(table, second, "b"), IsOk());
    const std::string moved = merges ? R"({"p":0,"k":1,"v":1,"w":2})" : R"({"p":0,"k":1,"v":1,"w":null})";
    EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(moved, R"({"p":1,"k":2,"v":5,"w":5})")));
  }
}

// A job's writer goes on for long after the snapshot that it began with has expired.
TEST(CrossingKeysTest, AWriterThatIsToldOfItsCommitsWritesNothingTwice) {
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(memory, CrossingTable({{"snapshot.num-retained.min", "1"}, {"snapshot.num-retained.max", "2"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer,
                             TableWriter::Make(table, {.commit_user = "job", .spill_directory = {}}));
  for (int i = 1; i <= 6; ++i) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch,
                               MakeBatch(table.schema().fields, std::vector<DatumList>{{i % 2, i % 3, i}}));
    ASSERT_THAT(writer->Write(batch), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto messages, writer->PrepareCommit(true, i));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto made, Commit(table, messages, "job"));
    writer->CommittedUpTo(made.back());
    EXPECT_TRUE(FileNames(*memory).contains(messages.back().new_files.front().file_name)) << i;
  }
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(0, 0, 6), RowText(0, 1, 4), RowText(1, 2, 5))));
}

// Rounds of writers that all begin with the same snapshot: each key is there once, as one of the round left it.
TEST(CrossingKeysTest, RandomInterleavingsEndAsSomeOrderWould) {
  const char* text = std::getenv("BRAID_TEST_SEED");
  const unsigned seed = text != nullptr ? static_cast<unsigned>(std::atoi(text)) : std::random_device{}();
  SCOPED_TRACE(testing::Message() << "BRAID_TEST_SEED=" << seed);
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto memory = std::make_shared<MemoryFileSystem>();
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(memory, CrossingTable({{"dynamic-bucket.target-row-num", "3"},
                                                                    {"num-sorted-run.compaction-trigger", "3"}})));
  std::map<int, std::string> state;  // rows by key
  int version = 0;
  for (int round = 0; round < 40; ++round) {
    std::map<int, std::set<std::string>> written;  // a key's rows of this round; "": deleted
    std::vector<std::vector<CommitMessage>> prepared;
    for (int writer = 0; writer < 3; ++writer) {
      std::vector<DatumList> rows;
      std::vector<RowKind> kinds;
      std::map<int, std::string> last;
      for (int row = 0; row < 3; ++row) {
        const int p = below(3);
        const int k = below(15);
        rows.push_back({p, k, ++version});
        kinds.push_back(below(5) == 0 ? RowKind::kDelete : RowKind::kInsert);
        last[k] = kinds.back() == RowKind::kDelete ? "" : RowText(p, k, version);
      }
      for (const auto& [k, row] : last) written[k].insert(row);
      BRAID_ASSERT_OK_AND_ASSIGN(auto messages, WriteRows(table, rows, kinds));
      prepared.push_back(std::move(messages));
    }
    std::shuffle(prepared.begin(), prepared.end(), random);
    for (std::size_t i = 0; i < prepared.size(); ++i) {
      if (below(4) == 0) {
        ASSERT_THAT(CompactTable(table, true, nullptr, "compactor"), IsOk());
      }
      ASSERT_THAT(Commit(table, prepared[i], fmt::format("user-{}-{}", round, i)), IsOk());
    }
    std::set<std::string> allowed;
    std::set<std::string> required;
    for (const auto& [k, row] : state) {
      if (!written.contains(k)) required.insert(row);
    }
    for (const auto& [k, rows] : written) allowed.insert(rows.begin(), rows.end());
    allowed.insert(required.begin(), required.end());
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(table));
    std::map<int, std::string> now;
    for (const std::string& row : rows) {
      ASSERT_TRUE(allowed.contains(row)) << row << " in round " << round;
      const int k = std::atoi(row.c_str() + row.find("\"k\":") + 4);
      ASSERT_TRUE(now.emplace(k, row).second) << "key " << k << " twice in round " << round;
    }
    for (const std::string& row : required)
      ASSERT_TRUE(std::find(rows.begin(), rows.end(), row) != rows.end()) << row << " lost in round " << round;
    for (const auto& [k, options] : written)
      ASSERT_TRUE(now.contains(k) || options.contains("")) << "key " << k << " lost in round " << round;
    state = std::move(now);
  }
}

// Two writers' compactions of one bucket: the later one's rows are in, whatever becomes of its compaction.
TEST(LostCompactionTest, DoesNotFailTheWriter) {
  for (const char* producer : {"none", "lookup", "full-compaction"}) {
    SCOPED_TRACE(producer);
    auto memory = std::make_shared<MemoryFileSystem>();
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Table table,
        CreateTestTable(memory, TestDefinition({{"k", DataType::Int()}, {"v", DataType::Int()}}, {"k"},
                                               {{"bucket", "1"},
                                                {"num-sorted-run.compaction-trigger", "2"},
                                                {"changelog-producer", producer},
                                                {"sequence.field", "v"}})));
    ASSERT_THAT(Insert(table, {{1, 1}}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const auto first, WriteRows(table, {{1, 2}, {2, 2}}));
    BRAID_ASSERT_OK_AND_ASSIGN(const auto second, WriteRows(table, {{1, 3}, {3, 3}}));
    ASSERT_FALSE(first.front().compact_after.empty());
    ASSERT_FALSE(second.front().compact_after.empty());
    ASSERT_THAT(Commit(table, first), IsOk());
    ASSERT_THAT(Commit(table, second), IsOk());
    EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(RowText(1, 3), RowText(2, 2), RowText(3, 3))));
    BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot newest, Newest(table));
    EXPECT_EQ(newest.commit_kind, CommitKind::kCompact);
  }
}

}  // namespace
}  // namespace braid
