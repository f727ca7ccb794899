#include "table/rescale.h"

#include <set>

#include <gmock/gmock.h>

#include "table/file_scan.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class RescaleTest : public testing::Test {
 protected:
  Result<Table> Make(Options::Map options, std::vector<std::string> keys = {"p", "k"}) {
    return CreateTestTable(fs_, TestDefinition({{"p", DataType::Int()}, {"k", DataType::Int()}, {"v", DataType::Int()}},
                                               std::move(keys), std::move(options), {"p"}));
  }

  Status Write(const Table& table, int p, int from, int to, int v) {
    std::vector<DatumList> rows;
    for (int k = from; k < to; ++k) rows.push_back({p, k, v});
    BRAID_TRY(Insert(table, rows));
    return Ok();
  }

  // Of the newest snapshot: numbers of buckets that files of the partition tell, and the buckets that they lie in.
  std::pair<std::set<int>, std::set<int>> BucketsOf(const Table& table, int p) {
    const Snapshot snapshot =
        ReadSnapshot(*fs_, table.paths(), *FindLatestSnapshot(*fs_, table.paths()).value()).value();
    const std::vector<ManifestEntry> live = FileScan::Make(table, ScanScope{}).value()->LiveFiles(snapshot).value();
    std::pair<std::set<int>, std::set<int>> buckets;
    for (const ManifestEntry& entry : live) {
      if (entry.partition.Get(0, DataType::Int())->as_int() != p) continue;
      buckets.first.insert(entry.total_buckets);
      buckets.second.insert(entry.bucket.value());
    }
    return buckets;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(RescaleTest, DistributesTheRowsOverMoreBuckets) {
  for (const char* vectors : {"false", "true"}) {
    fs_ = std::make_shared<MemoryFileSystem>();
    BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({{"bucket", "1"}, {"deletion-vectors.enabled", vectors}}));
    ASSERT_THAT(Write(table, 1, 0, 60, 1), IsOk());
    ASSERT_THAT(Write(table, 1, 30, 90, 2), IsOk());
    ASSERT_THAT(Write(table, 2, 0, 5, 3), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(table));
    ASSERT_THAT(rows, SizeIs(95));
    const PredicatePtr first = Predicate::Leaf(Predicate::Op::kEqual, "p", DataType::Int(), {1});

    BRAID_ASSERT_OK_AND_ASSIGN(const Rescaling preview,
                               RescaleTable(table, {.bucket_count = 4, .partitions = first, .dry_run = true}, "user"));
    ASSERT_THAT(preview.partitions, SizeIs(1));
    EXPECT_EQ(preview.partitions[0].name, "p=1");
    EXPECT_EQ(preview.partitions[0].bucket_count, 1);
    EXPECT_EQ(BucketsOf(table, 1).first, std::set<int>{1});

    BRAID_ASSERT_OK_AND_ASSIGN(const Rescaling rescaling,
                               RescaleTable(table, {.bucket_count = 4, .partitions = first}, "user"));
    EXPECT_NE(rescaling.snapshot, std::nullopt);
    EXPECT_EQ(BucketsOf(table, 1), (std::pair(std::set<int>{4}, std::set<int>{0, 1, 2, 3})));
    EXPECT_EQ(BucketsOf(table, 2), (std::pair(std::set<int>{1}, std::set<int>{0})));
    EXPECT_THAT(SortedRows(table), HasValue(rows)) << "deletion vectors: " << vectors;
    // Once the table has that number too, its writers go on in the new buckets, and what is done is not done again.
    BRAID_ASSERT_OK_AND_ASSIGN(const Table four, table.With(Options(Options::Map{{"bucket", "4"}})));
    ASSERT_THAT(Write(four, 1, 0, 90, 9), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const Rescaling again, RescaleTable(four, {.partitions = first}, "user"));
    EXPECT_THAT(again.partitions, IsEmpty());
    EXPECT_EQ(again.snapshot, std::nullopt);
    EXPECT_THAT(SortedRows(four), HasValue(SizeIs(95)));
    BRAID_ASSERT_OK_AND_ASSIGN(const Rescaling rest, RescaleTable(four, {}, "user"));
    ASSERT_THAT(rest.partitions, SizeIs(1));
    EXPECT_EQ(rest.partitions[0].name, "p=2");
  }
}

TEST_F(RescaleTest, WorksOnAppendTablesToo) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({{"bucket", "3"}, {"bucket-key", "k"}}, {}));
  ASSERT_THAT(Write(table, 1, 0, 20, 1), IsOk());
  ASSERT_THAT(Write(table, 1, 0, 20, 1), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(table));
  ASSERT_THAT(RescaleTable(table, {.bucket_count = 1}, "user"), IsOk());
  EXPECT_EQ(BucketsOf(table, 1), (std::pair(std::set<int>{1}, std::set<int>{0})));
  EXPECT_THAT(SortedRows(table), HasValue(rows));
}

TEST_F(RescaleTest, RefusesTablesWithoutFixedBuckets) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table, Make({{"bucket", "-1"}}));
  EXPECT_THAT(RescaleTable(table, {.bucket_count = 2}, "user"), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
