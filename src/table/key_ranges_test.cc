#include "table/key_ranges.h"

#include <algorithm>

#include <arrow/record_batch.h>
#include <gmock/gmock.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A data file with these keys; nothing of it is read.
DataFileMeta FileOf(const Datum& min, const Datum& max, std::int64_t bytes, const DataType& type = DataType::Int()) {
  DataFileMeta file;
  file.file_name = "data";
  file.file_size = bytes;
  file.min_key = BinaryRow::Make(std::vector<DataType>{type}, std::vector<Datum>{min});
  file.max_key = BinaryRow::Make(std::vector<DataType>{type}, std::vector<Datum>{max});
  return file;
}

class KeyRangesTest : public testing::Test {
 protected:
  Result<Table> Make(const TableDefinition& definition) {
    return CreateTestTable(std::make_shared<MemoryFileSystem>(), definition);
  }

  // The conditions of the units that one split is divided into.
  Result<std::vector<std::string>> KeysOf(std::vector<DataFileMeta> files, std::size_t readers) {
    BRAID_TRY_ASSIGN(const Table table, Make(TestDefinition({{"k", DataType::Int()}}, {"k"}, {{"bucket", "1"}})));
    DataSplit split;
    split.files = std::move(files);
    BRAID_TRY_ASSIGN(units_, DivideAmongReaders(table, {split}, readers));
    std::vector<std::string> keys;
    for (const ReadUnit& unit : units_) keys.push_back(unit.keys == nullptr ? "all" : unit.keys->ToString());
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  std::vector<ReadUnit> units_;
};

TEST_F(KeyRangesTest, CutsWhereAFileBeginsAndEachPartHasTheFilesOfItsKeys) {
  // 100 bytes at the top in two files, and 10 newer ones over all keys: 60 bytes on each side of 50.
  ASSERT_THAT(KeysOf({FileOf(0, 49, 50), FileOf(50, 99, 50), FileOf(3, 90, 10)}, 2),
              HasValue(ElementsAre("k < 50", "k >= 50")));
  for (const ReadUnit& unit : units_) EXPECT_THAT(unit.split.files, SizeIs(2));
}

TEST_F(KeyRangesTest, CutsTheHeaviestPartAgain) {
  const auto keys =
      KeysOf({FileOf(0, 9, 50), FileOf(10, 19, 50), FileOf(20, 29, 50), FileOf(30, 39, 50), FileOf(0, 39, 4)}, 4);
  EXPECT_THAT(keys, HasValue(ElementsAre("k < 10", "k >= 10 AND k < 20", "k >= 20 AND k < 30", "k >= 30")));
}

TEST_F(KeyRangesTest, CutsManyFilesInTheMiddleToo) {
  std::vector<DataFileMeta> files;
  for (int i = 0; i < 1000; ++i) files.push_back(FileOf(10 * i, 10 * i + 9, 10));
  EXPECT_THAT(KeysOf(std::move(files), 2), HasValue(ElementsAre("k < 5000", "k >= 5000")));
  for (const ReadUnit& unit : units_) EXPECT_THAT(unit.split.files, SizeIs(500));
}

TEST_F(KeyRangesTest, LeavesWholeWhatEveryPartWouldHaveToRead) {
  EXPECT_THAT(KeysOf({FileOf(0, 99, 100), FileOf(1, 98, 100), FileOf(50, 60, 1)}, 4), HasValue(ElementsAre("all")));
  EXPECT_THAT(KeysOf({FileOf(7, 7, 100), FileOf(7, 7, 100)}, 2), HasValue(ElementsAre("all"))) << "one key";
}

TEST_F(KeyRangesTest, KeepsDeletionVectorsWithTheirFiles) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             Make(TestDefinition({{"k", DataType::Int()}}, {"k"}, {{"bucket", "1"}})));
  DataSplit split;
  split.files = std::vector<DataFileMeta>{FileOf(0, 49, 50), FileOf(50, 99, 50)};
  split.deletion_vectors = {{.path = "first", .offset = 0, .cardinality = {}},
                            {.path = "second", .offset = 0, .cardinality = {}}};
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ReadUnit> units, DivideAmongReaders(table, {split}, 2));
  ASSERT_THAT(units, SizeIs(2));
  EXPECT_EQ(units[0].split.deletion_vectors[0].path, "first");
  EXPECT_EQ(units[1].split.deletion_vectors[0].path, "second");
}

TEST_F(KeyRangesTest, DoesNotCutByFloatsNorWhatIsNotMerged) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table floats,
                             Make(TestDefinition({{"k", DataType::Double()}}, {"k"}, {{"bucket", "1"}})));
  DataSplit split;
  split.files =
      std::vector<DataFileMeta>{FileOf(0.0, 1.0, 50, DataType::Double()), FileOf(2.0, 3.0, 50, DataType::Double())};
  EXPECT_THAT(DivideAmongReaders(floats, {split}, 2), HasValue(SizeIs(1)));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             Make(TestDefinition({{"k", DataType::Int()}}, {"k"}, {{"bucket", "1"}})));
  split.files = std::vector<DataFileMeta>{FileOf(0, 49, 50), FileOf(50, 99, 50)};
  split.is_changes = true;
  EXPECT_THAT(DivideAmongReaders(table, {split}, 2), HasValue(SizeIs(1)));
  EXPECT_THAT(DivideAmongReaders(table, {}, 2), HasValue(IsEmpty()));
}

TEST_F(KeyRangesTest, DividesFilesThatAreReadOneAfterTheOther) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  const auto bytes_of = [this](std::vector<std::int64_t> sizes, TableDefinition definition) {
    std::vector<DataFileMeta> files;
    for (const std::int64_t size : sizes) files.push_back(FileOf(0, 9, size));
    DataSplit split;
    split.files = std::move(files);
    split.raw_convertible = true;
    std::vector<std::vector<std::int64_t>> parts;
    const Result<std::vector<ReadUnit>> units = DivideAmongReaders(Make(definition).value(), {split}, 3);
    EXPECT_THAT(units, IsOk());
    for (const ReadUnit& unit : *units) {
      EXPECT_EQ(unit.keys, nullptr);
      parts.emplace_back();
      for (const DataFileMeta& file : unit.split.files) parts.back().push_back(file.file_size / kMiB);
    }
    return parts;
  };
  const TableDefinition append = TestDefinition({{"k", DataType::Int()}}, {}, {});
  using Parts = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(bytes_of({10 * kMiB, 10 * kMiB, 10 * kMiB, 30 * kMiB, 20 * kMiB, 10 * kMiB}, append),
            (Parts{{10, 10, 10}, {30}, {20, 10}}));
  EXPECT_EQ(bytes_of({40 * kMiB, kMiB, kMiB}, append), (Parts{{40}, {1}, {1}}));
  EXPECT_EQ(bytes_of({kMiB, kMiB, kMiB}, append), (Parts{{1, 1, 1}})) << "too little";
  EXPECT_EQ(bytes_of({20 * kMiB, 20 * kMiB},
                     TestDefinition({{"k", DataType::Int()}}, {},
                                    {{"row-tracking.enabled", "true"}, {"data-evolution.enabled", "true"}})),
            (Parts{{20, 20}}))
      << "files may hold columns of the same rows";
}

// Two files of 12 MB over all keys, in row groups of 1 MB: each part reads half of both.
TEST_F(KeyRangesTest, CutsLargeFilesWhereRowGroupsBegin) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             Make(TestDefinition({{"k", DataType::Int()}, {"text", DataType::String()}}, {"k"},
                                                 {{"bucket", "1"},
                                                  {"parquet.block.size", "1 mb"},
                                                  {"file.compression", "none"},
                                                  {"num-sorted-run.compaction-trigger", "100"}})));
  constexpr int kRows = 12'000;
  for (int file = 0; file < 2; ++file) {
    std::vector<DatumList> rows;
    for (int key = 0; key < kRows; ++key)
      rows.push_back({key, Datum(std::to_string(key) + std::string(1000, static_cast<char>('a' + file)))});
    ASSERT_THAT(Insert(table, rows), IsOk());
  }
  const ReadRequest request{.projection = std::vector<std::string>{"k", "text"}, .filter = nullptr};
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, request));
  ASSERT_THAT(plan.splits, SizeIs(1));
  ASSERT_THAT(plan.splits[0].files, SizeIs(2));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ReadUnit> units, DivideAmongReaders(table, plan.splits, 2));
  ASSERT_THAT(units, SizeIs(2));
  int all = 0;
  for (const ReadUnit& unit : units) {
    EXPECT_THAT(unit.split.files, SizeIs(2));
    ReadRequest part = request;
    part.filter = unit.keys;
    BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadSplit(table, unit.split, part));
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
    int rows = 0;
    for (const Batch& batch : batches) {
      for (std::int64_t i = 0; i < batch.row_count(); ++i) {
        const Datum text = DatumAt(*batch.rows->column(1), i, DataType::String());
        ASSERT_EQ(text.as_string().back(), 'b') << "the newer file's";
        ++rows;
      }
    }
    EXPECT_GT(rows, kRows / 3);
    EXPECT_LT(rows, 2 * kRows / 3);
    all += rows;
  }
  EXPECT_EQ(all, kRows);
}

// Overwritten, deleted and untouched keys over several files: the parts together are the whole, and each is read alone.
TEST_F(KeyRangesTest, ThePartsTogetherHoldEveryRowOnce) {
  for (const char* engine : {"deduplicate", "partial-update"}) {
    BRAID_ASSERT_OK_AND_ASSIGN(
        const Table table,
        Make(
            TestDefinition({{"name", DataType::String()}, {"n", DataType::BigInt()}}, {"name"},
                           {{"bucket", "1"}, {"merge-engine", engine}, {"num-sorted-run.compaction-trigger", "100"}})));
    const auto row = [](int key, int n) { return DatumList{Datum("key" + std::to_string(1000 + key)), Datum(n)}; };
    std::vector<std::string> expected;
    for (int first = 0; first < 400; first += 100) {  // four files side by side
      std::vector<DatumList> rows;
      for (int key = first; key < first + 100; ++key) rows.push_back(row(key, key));
      ASSERT_THAT(Insert(table, rows), IsOk());
    }
    std::vector<DatumList> newer;
    for (int key = 50; key < 350; key += 3) newer.push_back(row(key, 10'000 + key));
    ASSERT_THAT(Insert(table, newer), IsOk());
    for (int key = 0; key < 400; ++key) {
      const bool changed = key >= 50 && key < 350 && (key - 50) % 3 == 0;
      expected.push_back("{\"n\":" + std::to_string(changed ? 10'000 + key : key) + "}");
    }
    std::sort(expected.begin(), expected.end());
    const ReadRequest request{.projection = std::vector<std::string>{"n"}, .filter = nullptr};
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<DataField> fields, OutputFields(table, request));
    BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, request));
    ASSERT_THAT(plan.splits, SizeIs(1));
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<ReadUnit> units, DivideAmongReaders(table, plan.splits, 3));
    EXPECT_THAT(units, SizeIs(3)) << engine;
    std::vector<std::string> rows;
    for (const ReadUnit& unit : units) {
      ReadRequest part = request;
      part.filter = unit.keys;
      BRAID_ASSERT_OK_AND_ASSIGN(const auto reader, ReadSplit(table, unit.split, part));
      BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Batch> batches, ReadAllBatches(*reader));
      std::size_t count = 0;
      for (const Batch& batch : batches) {
        count += static_cast<std::size_t>(batch.row_count());
        for (std::int64_t i = 0; i < batch.row_count(); ++i) AppendRowJson(batch, i, fields, rows.emplace_back());
      }
      EXPECT_LT(count, 400U);
    }
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, expected) << engine;
  }
}

}  // namespace
}  // namespace braid
