#include "table/clustering.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "io/fault_injecting_file_system.h"
#include "mergetree/data_file_options.h"
#include "table/clustering_options.h"
#include "table/compaction_preview.h"
#include "table/delete_rows.h"
#include "table/points_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

const DataType kInt = DataType::Int();
constexpr std::int64_t kDayMs = 24 * 60 * 60 * 1000;

PredicatePtr IsInt(const char* column, int value) {
  return Predicate::Leaf(Predicate::Op::kEqual, column, kInt, {value});
}

class ClusteringTest : public PointsTest {
 protected:
  static Options::Map Clustered(const std::string& columns, Options::Map options = {}) {
    options.emplace("clustering.incremental", "true");
    options.emplace("clustering.columns", columns);
    return options;
  }

  // A file of so many rows, in an order that is no order.
  void InsertFile(const Table& table, int rows) {
    std::vector<DatumList> written;
    for (int i = 0; i < rows; ++i) written.push_back({static_cast<int>(std::int64_t{i} * 7919 % 1'000'003)});
    ASSERT_THAT(Insert(table, written), IsOk());
  }

  // How many files each level has.
  std::map<int, int> LevelsOf(const Table& table) {
    std::map<int, int> levels;
    for (const DataFileMeta& file : Files(table)) ++levels[file.level];
    return levels;
  }

  std::int64_t BytesOfLevel(const Table& table, int level) {
    std::int64_t bytes = 0;
    for (const DataFileMeta& file : Files(table)) bytes += file.level == level ? file.file_size : 0;
    return bytes;
  }

  // A file of one row in a partition, which says that it was written then.
  void InsertAt(const Table& table, int partition, std::int64_t written_ms) {
    Committable committable;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, WriteRows(table, {{partition, 0}}));
    committable.messages[0].new_files[0].creation_time_ms = written_ms;
    ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
  }

  // The partitions that have files of level 0.
  std::set<std::int64_t> UnsortedPartitions(const Table& table) {
    std::set<std::int64_t> partitions;
    const SnapshotId latest = *FindLatestSnapshot(*fs_, table.paths()).value();
    const Snapshot snapshot = ReadSnapshot(*fs_, table.paths(), latest).value();
    const auto scan = FileScan::Make(table, ScanScope{}).value();
    const std::vector<ManifestEntry> live = scan->LiveFiles(snapshot).value();
    for (const ManifestEntry& entry : live) {
      if (entry.file.level > 0) continue;
      const DatumList values = entry.partition.ToDatums(std::vector{kInt}).value();
      partitions.insert(values[0].as_int());
    }
    return partitions;
  }
};

// Universal compaction by hand, with its defaults: five runs, six levels, 200 percent, a ratio of 1 percent.
TEST_F(ClusteringTest, SortsTheRunsThatAreDue) {
  const Table table = Create({{"x", kInt}}, Clustered("x", {{"file.compression", "none"}}));
  const auto minor = [&] { return CompactTable(table, false, nullptr, "user").value(); };
  InsertFile(table, 20'000);
  EXPECT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(5, 1))) << "all to the top";

  for (int i = 0; i < 3; ++i) InsertFile(table, 1000);
  EXPECT_THAT(minor(), IsEmpty()) << "four runs";
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(0, 3), Pair(5, 1)));

  for (int i = 0; i < 2; ++i) InsertFile(table, 1000);
  ASSERT_GT(BytesOfLevel(table, 5), BytesOfLevel(table, 0) * 2) << "else the top level would be due";
  EXPECT_THAT(minor(), SizeIs(1));
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(4, 1), Pair(5, 1))) << "those of level 0, below the next run";

  for (int i = 0; i < 4; ++i) InsertFile(table, 1);
  ASSERT_GT(BytesOfLevel(table, 4), BytesOfLevel(table, 0) * 2);
  EXPECT_THAT(minor(), SizeIs(1));
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(3, 1), Pair(4, 1), Pair(5, 1)));

  // Six runs, the first five about as large: 1 + 1 + 1 of level 0 take the file of level 3 with them, not that of level 4.
  for (int i = 0; i < 3; ++i) InsertFile(table, 1);
  EXPECT_THAT(minor(), SizeIs(1));
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(3, 1), Pair(4, 1), Pair(5, 1)));

  EXPECT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(5, 1)));
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(20'000 + 5 * 1000 + 7)));

  // Small files of one size: four of them are more than twice the last.
  fs_ = std::make_shared<MemoryFileSystem>();
  const Table small = Create({{"x", kInt}}, Clustered("x"));
  for (int i = 0; i < 5; ++i) InsertFile(small, 1);
  EXPECT_THAT(CompactTable(small, false, nullptr, "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(LevelsOf(small), ElementsAre(Pair(5, 1)));
}

TEST_F(ClusteringTest, SortsAllAgainOnlyWhereTheColumnsAreOthers) {
  const Table table = CreatePoints(32, Clustered("x", {{"target-file-size", "1 kb"}}));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> first, CompactTable(table, true, nullptr, "user"));
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].commit_kind, CommitKind::kCompact);
  EXPECT_EQ(first[0].delta_record_count, 0);
  EXPECT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(IsEmpty()));
  EXPECT_THAT(PreviewCompaction(table, true, nullptr), HasValue(IsEmpty()));

  BRAID_ASSERT_OK_AND_ASSIGN(const Table other, table.With(Options(Options::Map{{"clustering.columns", "y"}})));
  EXPECT_THAT(CompactTable(other, false, nullptr, "user"), HasValue(IsEmpty()));
  ASSERT_THAT(CompactTable(other, true, nullptr, "user"), HasValue(SizeIs(1)));
  const std::vector<Point> stored = PointsInOrder(table);
  EXPECT_TRUE(std::is_sorted(stored.begin(), stored.end(), [](const Point& a, const Point& b) { return a.second < b.second; }));
  EXPECT_THAT(SortedRows(table), HasValue(before));
}

TEST_F(ClusteringTest, SortsAsTheOptionsSay) {
  const auto by_place = [](const Point& a, const Point& b) { return ZPlace(a) < ZPlace(b); };
  struct Case {
    std::string name;
    Options::Map options;
    bool curve;
  };
  const std::vector<Case> cases = {
      {"two columns", {{"clustering.columns", " x , y "}}, true},
      {"older names", {{"sink.clustering.by-columns", "x,y"}, {"sink.clustering.strategy", "ZOrder"}}, true},
      {"by order", {{"clustering.columns", "x,y"}, {"clustering.strategy", "order"}}, false},
      {"each file alone", {{"clustering.columns", "x,y"}, {"clustering.incremental.mode", "local-sort"}}, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    fs_ = std::make_shared<MemoryFileSystem>();
    Options::Map options = c.options;
    options.emplace("clustering.incremental", "true");
    const Table table = CreatePoints(32, options);
    ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
    std::vector<Point> expected(32 * 32);
    for (int i = 0; i < 32 * 32; ++i) expected[static_cast<std::size_t>(i)] = {i / 32, i % 32};
    if (c.curve) std::sort(expected.begin(), expected.end(), by_place);
    EXPECT_EQ(PointsInOrder(table), expected);
  }
  const auto strategy_of = [](int columns) {
    std::string names = "c";
    for (int i = 1; i < columns; ++i) names += ",c";
    return ClusteringOptions::FromOptions(Options(Options::Map{{"clustering.columns", names}})).value().strategy;
  };
  EXPECT_EQ(strategy_of(1), SortStrategy::kOrder);
  EXPECT_EQ(strategy_of(2), SortStrategy::kZOrder);
  EXPECT_EQ(strategy_of(4), SortStrategy::kZOrder);
  EXPECT_EQ(strategy_of(5), SortStrategy::kHilbert);
}

TEST_F(ClusteringTest, MakesFilesWithNarrowRanges) {
  constexpr int kSide = 512;
  const Table table = CreatePoints(kSide, Clustered("x,y", {{"target-file-size", "1 kb"}, {"file.compression", "none"}}));
  const std::vector<DataFileMeta> before = Files(table);
  EXPECT_GT(FilesPerValue(before, 0, kSide), static_cast<double>(before.size()) * 0.9) << "any file may hold any value";
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), IsOk());
  const std::vector<DataFileMeta> files = Files(table);
  ASSERT_EQ(files.size(), 32U) << "of 8192 rows";
  EXPECT_LT(FilesPerValue(files, 0, kSide), 32 / 3.0);
  EXPECT_LT(FilesPerValue(files, 1, kSide), 32 / 3.0);
}

// Partitions 1 to 4 had their last file 9, 8, 7 and 0 days ago; those beyond the chosen ones are sorted as well.
TEST_F(ClusteringTest, SortsOldPartitionsBesideTheChosenOnes) {
  const std::int64_t now = UtcOfLocalTimeMs(1'700'000'000'000);
  const ManualClock clock(now);
  const auto fresh = [&](const std::string& limit) {
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create({{"p", kInt}, {"v", kInt}},
                               Clustered("v", {{"clustering.history-partition.idle-to-full-sort", "1 d"},
                                               {"clustering.history-partition.limit", limit}}),
                               {"p"});
    for (const auto& [partition, days] : std::map<int, int>{{1, 7}, {2, 9}, {3, 8}, {4, 0}}) {
      InsertAt(table, partition, 1'700'000'000'000 - days * kDayMs);
    }
    return table;
  };
  const Table table = fresh("2");
  EXPECT_THAT(CompactTable(table, false, nullptr, "user", clock), HasValue(IsEmpty())) << "no partition was chosen";
  EXPECT_THAT(PreviewCompaction(table, false, IsInt("p", 4), clock), HasValue(SizeIs(2)));
  ASSERT_THAT(CompactTable(table, false, IsInt("p", 4), "user", clock), HasValue(SizeIs(1)));
  EXPECT_THAT(UnsortedPartitions(table), ElementsAre(1, 4)) << "the two oldest are sorted";
  ASSERT_THAT(CompactTable(table, false, IsInt("p", 9), "user", clock), HasValue(SizeIs(1)));
  EXPECT_THAT(UnsortedPartitions(table), ElementsAre(4));
  EXPECT_THAT(CompactTable(table, false, IsInt("p", 9), "user", clock), HasValue(IsEmpty())) << "they are sorted";

  InsertAt(table, 2, 1'700'000'000'000 - kDayMs / 2);
  EXPECT_THAT(CompactTable(table, false, IsInt("p", 4), "user", clock), HasValue(IsEmpty())) << "it is written to";

  const Table chosen = fresh("5");
  ASSERT_THAT(CompactTable(chosen, true, IsInt("p", 1), "user", clock), HasValue(SizeIs(1)));
  EXPECT_THAT(UnsortedPartitions(chosen), ElementsAre(4));
}

TEST_F(ClusteringTest, KeepsRowsTheirIdsAndWhatIsDeleted) {
  for (const char* vectors : {"false", "true"}) {
    for (const char* tracks : {"false", "true"}) {
      SCOPED_TRACE(std::string(vectors) + tracks);
      fs_ = std::make_shared<MemoryFileSystem>();
      const Table table = Create({{"p", kInt}, {"v", kInt}},
                                 Clustered("v", {{"deletion-vectors.enabled", vectors}, {"row-tracking.enabled", tracks}}),
                                 {"p"});
      for (int i = 0; i < 6; ++i) ASSERT_THAT(Insert(table, {{1, 10 - i}, {2, i}, {1, 100 + i}}), IsOk());
      ASSERT_THAT(DeleteRows(table, IsInt("v", 103), "user"), IsOk());
      ReadRequest request;
      if (std::string_view(tracks) == "true") request.projection = std::vector<std::string>{"p", "v", "_ROW_ID"};
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table, request));
      EXPECT_THAT(before, SizeIs(17));
      for (const bool full : {false, true}) {
        ASSERT_THAT(CompactTable(table, full, full ? nullptr : IsInt("p", 1), "user"), HasValue(SizeIs(1)));
        EXPECT_THAT(SortedRows(table, request), HasValue(before));
      }
      std::int64_t rows = 0;
      for (const DataFileMeta& file : Files(table)) rows += file.row_count;
      EXPECT_EQ(rows, 17) << "what was deleted is gone for good";
      EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(5, 2)));
      ASSERT_THAT(DeleteRows(table, IsInt("v", 104), "user"), IsOk());
      EXPECT_THAT(SortedRows(table), HasValue(SizeIs(16)));
    }
  }
}

TEST_F(ClusteringTest, SortsWithinBucketsWhoseRowsHaveNoOrder) {
  const Table table = Create({{"k", kInt}, {"v", kInt}}, Clustered("v", {{"bucket", "2"},
                                                                         {"bucket-key", "k"},
                                                                         {"bucket-append-ordered", "false"}}));
  for (int i = 0; i < 5; ++i) {
    std::vector<DatumList> rows;
    for (int k = 0; k < 100; ++k) rows.push_back({k, (k * 37 + i) % 101});
    ASSERT_THAT(Insert(table, rows), IsOk());
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table));
  ASSERT_THAT(CompactTable(table, false, nullptr, "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(5, 2))) << "a file a bucket";
  for (const DataFileMeta& file : Files(table)) EXPECT_EQ(file.file_source, FileSource::kCompact);
  EXPECT_THAT(SortedRows(table), HasValue(before));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
  for (const DataSplit& split : plan.splits) {
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadSplit(table, split, {}));
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
    std::int64_t last = -1;
    for (const Batch& batch : batches) {
      for (std::int64_t row = 0; row < batch.row_count(); ++row) {
        const std::int64_t value = DatumAt(*batch.rows->column(1), row, kInt).as_int();
        EXPECT_LE(last, value);
        last = value;
      }
    }
  }
  ASSERT_THAT(Insert(table, {{1, 1}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(501)));
}

TEST_F(ClusteringTest, ReadersOfChangesPassOverIt) {
  const Table table = Create({{"v", kInt}}, Clustered("v"));
  ASSERT_THAT(Insert(table, {{2}, {1}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto stream, StreamScan::Open(table, {}));
  ASSERT_THAT(stream->Next(), IsOk());
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  ASSERT_THAT(Insert(table, {{3}}), IsOk());
  std::size_t splits = 0;
  for (;;) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Plan> plan, stream->Next());
    if (!plan) break;
    splits += plan->splits.size();
  }
  EXPECT_EQ(splits, 1U) << "the row that came afterwards";
}

TEST_F(ClusteringTest, ShowsTheOldFilesOrTheNewOnesWhereverItStops) {
  for (const auto fault : {FaultInjectingFileSystem::Fault::kFail, FaultInjectingFileSystem::Fault::kStop}) {
    for (std::int64_t nth = 1;; ++nth) {
      SCOPED_TRACE(testing::Message() << "at call " << nth);
      fs_ = std::make_shared<MemoryFileSystem>();
      const Table plain = Create({{"p", kInt}, {"v", kInt}}, Clustered("v", {{"commit.min-retry-wait", "1 ms"},
                                                                             {"commit.max-retries", "2"}}), {"p"});
      for (int i = 0; i < 2; ++i) ASSERT_THAT(Insert(plain, {{1, 2 - i}, {2, i}}), IsOk());
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(plain));
      auto faulty = std::make_shared<FaultInjectingFileSystem>(fs_);
      BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Table::Open(faulty, kTestTableRoot, "d.t"));
      faulty->FailAt(nth, fault);
      const auto compacted = CompactTable(table, true, nullptr, "user");
      const bool struck = faulty->struck();
      faulty->Heal();
      EXPECT_THAT(SortedRows(plain), HasValue(rows));
      const auto levels = LevelsOf(plain);
      EXPECT_TRUE(levels == (std::map<int, int>{{0, 4}}) || levels == (std::map<int, int>{{5, 2}}));
      ASSERT_THAT(CompactTable(plain, true, nullptr, "user"), IsOk());
      EXPECT_THAT(LevelsOf(plain), ElementsAre(Pair(5, 2)));
      EXPECT_THAT(SortedRows(plain), HasValue(rows));
      if (!struck) {
        EXPECT_THAT(compacted, HasValue(SizeIs(1)));
        EXPECT_GT(nth, 20);
        break;
      }
    }
  }
}

TEST_F(ClusteringTest, SortsTheRowsOfAStatementWhereTheOptionsSaySo) {
  struct Case {
    std::string name;
    Options::Map options;
    bool sorted;
  };
  const std::vector<Case> cases = {
      {"columns", {{"clustering.columns", "x"}}, true},
      {"none", {}, false},
      {"left to compactions", {{"clustering.columns", "x"}, {"clustering.incremental", "true"}}, false},
      {"both",
       {{"clustering.columns", "x"}, {"clustering.incremental", "true"}, {"clustering.incremental.optimize-write", "true"}},
       true},
      {"ordered buckets", {{"clustering.columns", "x"}, {"bucket", "1"}, {"bucket-key", "y"}}, false},
  };
  const std::vector<Point> rows = {{3, 1}, {1, 2}, {2, 3}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create({{"x", kInt}, {"y", kInt}}, c.options);
    BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "user", .spill_directory = {}, .sorts_rows = true}));
    EXPECT_THAT(writer->PrepareCommit(true, 1), HasValue(IsEmpty())) << "no row";
    for (const Point& row : rows) {
      const std::vector<DatumList> one = {{row.first, row.second}};
      BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(table.schema().fields, one));
      ASSERT_THAT(writer->Write(batch), IsOk());
    }
    Committable committable;
    committable.identifier = 2;
    BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, writer->PrepareCommit(true, 2));
    ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
    EXPECT_THAT(writer->PrepareCommit(true, 3), HasValue(IsEmpty())) << "each row once";
    std::vector<Point> expected = rows;
    if (c.sorted) std::sort(expected.begin(), expected.end());
    EXPECT_EQ(PointsInOrder(table), expected);
    EXPECT_THAT(LevelsOf(table), ElementsAre(Pair(0, 1)));
  }
  fs_ = std::make_shared<MemoryFileSystem>();
  const Table table = Create({{"x", kInt}}, {{"clustering.columns", "z"}});
  EXPECT_THAT(TableWriter::Make(table, {.commit_user = "user", .spill_directory = {}, .sorts_rows = true}),
              HasMessage("no column 'z'"));
  EXPECT_THAT(Insert(table, {{1}}), IsOk()) << "not a statement's";
}

TEST_F(ClusteringTest, RefusesWhatCannotBeSorted) {
  struct Case {
    Options::Map options;
    const char* message;
    ErrorCode code = ErrorCode::kInvalidArgument;
  };
  const std::vector<Case> cases = {
      {{}, "'clustering.columns' is not set"},
      {{{"clustering.columns", "z"}}, "no column 'z'"},
      {{{"clustering.columns", "a"}}, "", ErrorCode::kUnsupported},
      {{{"clustering.columns", "k"}, {"clustering.strategy", "none"}}, "'clustering.strategy'"},
      {{{"clustering.columns", "k"}, {"clustering.strategy", "hilbert"}}, ""},
      {{{"clustering.columns", "k"}, {"clustering.incremental.mode", "none"}}, "'clustering.incremental.mode'"},
      {{{"clustering.columns", "k"}, {"clustering.history-partition.idle-to-full-sort", "x"}}, "idle-to-full-sort"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    fs_ = std::make_shared<MemoryFileSystem>();
    Options::Map options = c.options;
    options.emplace("clustering.incremental", "true");
    const Table table = Create({{"k", kInt}, {"a", DataType::Array(kInt)}}, options);
    for (int i = 0; i < 2; ++i) ASSERT_THAT(Insert(table, {{i, DatumList{i}}}), IsOk());
    const auto compacted = CompactTable(table, true, nullptr, "user");
    EXPECT_THAT(compacted, IsError(c.code));
    EXPECT_THAT(compacted, HasMessage(c.message));
    EXPECT_THAT(SortedRows(table), HasValue(SizeIs(2)));
  }
}

}  // namespace
}  // namespace braid
