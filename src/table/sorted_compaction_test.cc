#include "table/sorted_compaction.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "table/delete_rows.h"
#include "table/kept_rows.h"
#include "table/points_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();

class SortedCompactionTest : public PointsTest {};

TEST_F(SortedCompactionTest, WritesRowsInTheOrderOfEachStrategy) {
  constexpr int kSide = 32;
  const auto by = [](auto place) { return [place](const Point& a, const Point& b) { return place(a) < place(b); }; };
  for (const SortStrategy strategy : {SortStrategy::kOrder, SortStrategy::kZOrder, SortStrategy::kHilbert}) {
    SCOPED_TRACE(static_cast<int>(strategy));
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = CreatePoints(kSide);
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table));
    BRAID_ASSERT_OK_AND_ASSIGN(const SortedCompaction compaction,
                               CompactSorted(table, {.columns = {"x", "y"}, .strategy = strategy}, "user"));
    EXPECT_EQ(compaction.snapshot, SnapshotId(5));
    EXPECT_EQ(compaction.new_file_count, 1);
    EXPECT_THAT(SortedRows(table), HasValue(before));

    std::vector<Point> expected = PointsInOrder(table);
    std::shuffle(expected.begin(), expected.end(), std::mt19937(8));
    if (strategy == SortStrategy::kOrder) std::sort(expected.begin(), expected.end());
    if (strategy == SortStrategy::kZOrder) std::sort(expected.begin(), expected.end(), by(ZPlace));
    const std::vector<Point> stored = PointsInOrder(table);
    if (strategy != SortStrategy::kHilbert) {
      EXPECT_EQ(stored, expected);
      continue;
    }
    // The square is a cube of the curve, which leaves it only once it has been everywhere, from neighbour to neighbour.
    for (std::size_t i = 1; i < stored.size(); ++i) {
      const int distance =
          std::abs(stored[i].first - stored[i - 1].first) + std::abs(stored[i].second - stored[i - 1].second);
      EXPECT_EQ(distance, 1) << i;
    }
  }
}

TEST_F(SortedCompactionTest, MakesFilesWithNarrowRangesOfEachColumn) {
  constexpr int kSide = 512;
  for (const SortStrategy strategy : {SortStrategy::kOrder, SortStrategy::kZOrder, SortStrategy::kHilbert}) {
    SCOPED_TRACE(static_cast<int>(strategy));
    fs_ = std::make_shared<MemoryFileSystem>();
    // A file ends with the batch that fills it, so there are 32 of 8192 rows.
    const Table table = CreatePoints(kSide, {{"target-file-size", "1 kb"}, {"file.compression", "none"}});
    ASSERT_THAT(CompactSorted(table, {.columns = {"x", "y"}, .strategy = strategy}, "user"), IsOk());
    const std::vector<DataFileMeta> files = Files(table);
    ASSERT_EQ(files.size(), 32U);
    const auto count = static_cast<double>(files.size());
    const double x = FilesPerValue(files, 0, kSide);
    const double y = FilesPerValue(files, 1, kSide);
    if (strategy == SortStrategy::kOrder) {
      EXPECT_LT(x, 3);
      EXPECT_GT(y, count * 0.9);
    } else {
      // So many neighbours fill a square of about 90 by 90, less than a fifth of each side.
      EXPECT_LT(x, count / 3);
      EXPECT_LT(y, count / 3);
    }
  }
}

TEST_F(SortedCompactionTest, ReplacesTheChosenPartitionsOnly) {
  const Table table = Create({{"p", kInt}, {"v", kInt}}, {}, {"p"});
  for (const int v : {3, 1, 2}) ASSERT_THAT(Insert(table, {{1, v}, {2, v}}), IsOk());
  const std::vector<DataFileMeta> before = Files(table);
  const PredicatePtr first = Predicate::Leaf(Predicate::Op::kEqual, "p", kInt, {1});
  BRAID_ASSERT_OK_AND_ASSIGN(const SortedCompaction preview,
                             CompactSorted(table, {.columns = {"v"}, .partitions = first, .dry_run = true}, "user"));
  ASSERT_THAT(preview.partitions, SizeIs(1));
  EXPECT_EQ(preview.partitions[0].name, "p=1");
  EXPECT_EQ(preview.partitions[0].file_count, 3);
  EXPECT_EQ(preview.partitions[0].row_count, 3);
  EXPECT_EQ(preview.snapshot, std::nullopt);
  EXPECT_EQ(Files(table), before);

  BRAID_ASSERT_OK_AND_ASSIGN(const SortedCompaction done,
                             CompactSorted(table, {.columns = {"v"}, .partitions = first}, "user"));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table.paths(), done.snapshot.value()));
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kOverwrite);
  EXPECT_EQ(snapshot.total_record_count, 6);
  EXPECT_EQ(snapshot.delta_record_count, 0);
  EXPECT_EQ(Files(table).size(), 4U) << "one of p=1, three of p=2";
  BRAID_ASSERT_OK_AND_ASSIGN(const Table older, table.With(Options(Options::Map{{"scan.snapshot-id", "3"}})));
  EXPECT_THAT(SortedRows(older), HasValue(SizeIs(6)));
  EXPECT_THAT(SortedRows(table), HasValue(SortedRows(older).value()));

  const PredicatePtr none = Predicate::Leaf(Predicate::Op::kEqual, "p", kInt, {9});
  EXPECT_THAT(CompactSorted(table, {.columns = {"v"}, .partitions = none}, "user").value().partitions, IsEmpty());
}

TEST_F(SortedCompactionTest, SortsInLocalFilesWhatDoesNotFitIntoMemory) {
  const Table table = CreatePoints(128, {{"write-buffer-size", "16 kb"},
                                         {"write-buffer-spillable", "false"},
                                         {"read.batch-size", "100"},
                                         {"local-sort.max-num-file-handles", "4"}});
  for (const SortStrategy strategy : {SortStrategy::kOrder, SortStrategy::kZOrder}) {
    ASSERT_THAT(CompactSorted(table, {.columns = {"y", "x"}, .strategy = strategy}, "user"), IsOk());
    std::vector<Point> expected(128 * 128);
    for (int i = 0; i < 128 * 128; ++i) expected[static_cast<std::size_t>(i)] = {i % 128, i / 128};
    if (strategy == SortStrategy::kZOrder) {
      std::sort(expected.begin(), expected.end(), [](const Point& a, const Point& b) {
        return ZPlace({a.second, a.first}) < ZPlace({b.second, b.first});
      });
    }
    EXPECT_EQ(PointsInOrder(table), expected);
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const Table small,
                             table.With(Options(Options::Map{{"write-buffer-spill.max-disk-size", "1 kb"}})));
  EXPECT_THAT(CompactSorted(small, {.columns = {"x"}}, "user"), IsError(ErrorCode::kUnavailable));
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(128 * 128)));
}

TEST_F(SortedCompactionTest, LeavesWhatOthersAddMeanwhileAndStartsAnewWhereTheyDelete) {
  for (const char* vectors : {"false", "true"}) {
    SCOPED_TRACE(vectors);
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create({{"v", kInt}}, {{"deletion-vectors.enabled", vectors}});
    ASSERT_THAT(Insert(table, {{3}, {1}, {2}, {5}, {4}}), IsOk());
    int calls = 0;
    const auto meanwhile = [&](std::string_view, std::int64_t, std::int64_t) {
      if (calls++ > 0) return;
      EXPECT_THAT(Insert(table, {{9}, {8}}), IsOk());
      EXPECT_THAT(DeleteRows(table, Predicate::Leaf(Predicate::Op::kEqual, "v", kInt, {2}), "other"), IsOk());
    };
    ASSERT_THAT(CompactSorted(table, {.columns = {"v"}, .progress = meanwhile}, "user"), IsOk());
    EXPECT_EQ(calls, 2) << "it was begun again";
    EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"v":1})", R"({"v":3})", R"({"v":4})", R"({"v":5})",
                                                        R"({"v":8})", R"({"v":9})")));
    EXPECT_EQ(Files(table).size(), 1U);

    const auto added = [&](std::string_view, std::int64_t, std::int64_t) { EXPECT_THAT(Insert(table, {{0}}), IsOk()); };
    ASSERT_THAT(CompactSorted(table, {.columns = {"v"}, .progress = added}, "user"), IsOk());
    EXPECT_THAT(SortedRows(table), HasValue(SizeIs(7)));
    EXPECT_EQ(Files(table).size(), 2U) << "what came meanwhile is not sorted";
  }
}

TEST_F(SortedCompactionTest, ReadersOfChangesPassOverIt) {
  const Table table = Create({{"v", kInt}}, {{"streaming-read-append-overwrite", "true"}});
  ASSERT_THAT(Insert(table, {{2}, {1}}), IsOk());
  ASSERT_THAT(CompactSorted(table, {.columns = {"v"}}, "user"), IsOk());
  ASSERT_THAT(Insert(table, {{3}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const auto stream, StreamScan::Open(table, {}));
  std::vector<std::size_t> splits;
  for (;;) {
    BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Plan> plan, stream->Next());
    if (!plan) break;
    splits.push_back(plan->splits.size());
  }
  EXPECT_THAT(splits, ElementsAre(1)) << "all that was there at first";
  ASSERT_THAT(CompactSorted(table, {.columns = {"v"}}, "user"), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<Plan> sorted, stream->Next());
  ASSERT_TRUE(sorted);
  EXPECT_THAT(sorted->splits, IsEmpty());
  // A commit that copied the property says nothing of its rows.
  Snapshot snapshot = ReadSnapshot(*fs_, table.paths(), SnapshotId(4)).value();
  EXPECT_TRUE(KeepsRows(snapshot));
  snapshot.commit_user = "other";
  EXPECT_FALSE(KeepsRows(snapshot));
}

TEST_F(SortedCompactionTest, KeepsIdsOfRows) {
  const Table table = Create({{"v", kInt}}, {{"row-tracking.enabled", "true"}});
  ASSERT_THAT(Insert(table, {{3}, {1}}), IsOk());
  ASSERT_THAT(Insert(table, {{2}}), IsOk());
  const ReadRequest tracked{.projection = std::vector<std::string>{"v", "_ROW_ID", "_SEQUENCE_NUMBER"}, .filter = nullptr};
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table, tracked));
  ASSERT_THAT(CompactSorted(table, {.columns = {"v"}}, "user"), IsOk());
  EXPECT_EQ(Files(table).size(), 1U);
  EXPECT_THAT(SortedRows(table, tracked), HasValue(before));
}

TEST_F(SortedCompactionTest, RefusesOtherTablesAndColumns) {
  const Table keyed = Create({{"k", kInt.NotNull()}}, {}, {}, {"k"});
  EXPECT_THAT(CompactSorted(keyed, {.columns = {"k"}}, "user"), IsError(ErrorCode::kUnsupported));
  fs_ = std::make_shared<MemoryFileSystem>();
  const Table buckets = Create({{"k", kInt}}, {{"bucket", "2"}, {"bucket-key", "k"}});
  EXPECT_THAT(CompactSorted(buckets, {.columns = {"k"}}, "user"), HasMessage("it has buckets"));
  fs_ = std::make_shared<MemoryFileSystem>();
  const Table evolving = Create({{"k", kInt}}, {{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}});
  EXPECT_THAT(CompactSorted(evolving, {.columns = {"k"}}, "user"), HasMessage("data-evolution"));
  fs_ = std::make_shared<MemoryFileSystem>();
  const Table table = Create({{"k", kInt}, {"a", DataType::Array(kInt)}});
  EXPECT_THAT(CompactSorted(table, {.columns = {"z"}}, "user"), HasMessage("no column 'z'"));
  EXPECT_THAT(CompactSorted(table, {.columns = {}}, "user"), IsError(ErrorCode::kInvalidArgument));
  for (const SortStrategy strategy : {SortStrategy::kOrder, SortStrategy::kZOrder}) {
    EXPECT_THAT(CompactSorted(table, {.columns = {"a"}, .strategy = strategy, .dry_run = true}, "user"),
                IsError(ErrorCode::kUnsupported));
  }
  EXPECT_THAT(CompactSorted(table, {.columns = {"k"}, .strategy = SortStrategy::kHilbert}, "user"),
              IsError(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseSortStrategy("ZOrder"), HasValue(SortStrategy::kZOrder));
  EXPECT_THAT(ParseSortStrategy("none"), IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
