#include "table/analyze.h"

#include <gmock/gmock.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class AnalyzeTest : public testing::Test {
 protected:
  // The snapshot's statistics file.
  static Result<std::string> StoredText(const Table& table, SnapshotId id) {
    BRAID_TRY_ASSIGN(const Snapshot snapshot, ReadSnapshot(table.file_system(), table.paths(), id));
    return table.file_system().ReadAll(
        JoinPath(table.paths().StatisticsDirectory(), snapshot.statistics.value_or("none")));
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

// Key 2 is written twice and key 3 deleted: two rows are left, of three files.
TEST_F(AnalyzeTest, CountsRowsAsReadersSeeThem) {
  BRAID_ASSERT_OK_AND_ASSIGN(
      const Table table,
      CreateTestTable(fs_, TestDefinition({{"k", DataType::Int().NotNull()}, {"s", DataType::String()}}, {"k"},
                                          {{"bucket", "1"}, {"write-only", "true"}})));
  ASSERT_THAT(Insert(table, {{1, "one"}, {2, "two"}, {3, "three"}}), IsOk());
  ASSERT_THAT(Insert(table, {{2, "zwei"}}), IsOk());
  ASSERT_THAT(Insert(table, {{3, Datum()}}, {RowKind::kDelete}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<AnalyzedTable> analysis, AnalyzeTable(table, {}, "user"));
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->statistics.merged_record_count, 2);
  EXPECT_THAT(analysis->columns, IsEmpty());
  EXPECT_EQ(analysis->snapshot, SnapshotId(4));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot snapshot, ReadSnapshot(*fs_, table.paths(), SnapshotId(4)));
  EXPECT_EQ(snapshot.commit_kind, CommitKind::kAnalyze);
  BRAID_ASSERT_OK_AND_ASSIGN(const TableStatistics stored, ReadStatistics(*fs_, table.paths(), *snapshot.statistics));
  EXPECT_EQ(stored, analysis->statistics);
  EXPECT_EQ(stored.snapshot_id, SnapshotId(3));
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(2))) << "no row changes";
  // A later commit keeps them.
  ASSERT_THAT(Insert(table, {{9, "nine"}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot later, ReadSnapshot(*fs_, table.paths(), SnapshotId(5)));
  EXPECT_EQ(later.statistics, snapshot.statistics);
}

TEST_F(AnalyzeTest, DescribesColumnsAsJavaStoresThem) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(fs_, TestDefinition({{"b", DataType::Boolean()},
                                                                  {"n", DataType::BigInt()},
                                                                  {"c", DataType::Decimal(6, 2)},
                                                                  {"s", DataType::String()},
                                                                  {"y", DataType::Bytes()},
                                                                  {"d", DataType::Date()},
                                                                  {"t", DataType::Time(3)},
                                                                  {"ts", DataType::Timestamp(3)},
                                                                  {"a", DataType::Array(DataType::Int())}})));
  const auto row = [](bool b, std::int64_t n, std::int64_t cents, const Datum& s, std::int64_t day) {
    return DatumList{Datum(b),
                     Datum(n),
                     Datum(Decimal{cents}),
                     s,
                     Datum("\x01\x02"),
                     Datum(day),
                     Datum(day * 1000),
                     Datum(Timestamp{day * 86'400'000, 0}),
                     Datum(DatumList{Datum(1)})};
  };
  // Two files; "grün" has four characters, "x" one and "" none: five in three texts.
  ASSERT_THAT(Insert(table, {row(true, 5, -150, "gr\xC3\xBCn", 0), row(true, -7, 225, Datum(), 19'723)}), IsOk());
  ASSERT_THAT(Insert(table, {row(true, 5, 0, "x", 1),
                             DatumList{Datum(), Datum(), Datum(), "", Datum(), Datum(), Datum(), Datum(), Datum()}}),
              IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::optional<AnalyzedTable> analysis,
                             AnalyzeTable(table, {.columns = std::nullopt}, "user"));
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->statistics.merged_record_count, 4);
  BRAID_ASSERT_OK_AND_ASSIGN(const std::string text, StoredText(table, *analysis->snapshot));
  const std::string expected_columns = R"("colStats" : {
    "b" : {
      "colId" : 0,
      "distinctCount" : 1,
      "nullCount" : 1
    },
    "n" : {
      "colId" : 1,
      "distinctCount" : 2,
      "min" : "-7",
      "max" : "5",
      "nullCount" : 1
    },
    "c" : {
      "colId" : 2,
      "distinctCount" : 3,
      "min" : "-1.50",
      "max" : "2.25",
      "nullCount" : 1
    },
    "s" : {
      "colId" : 3,
      "distinctCount" : 3,
      "nullCount" : 1,
      "avgLen" : 1,
      "maxLen" : 4
    },
    "y" : {
      "colId" : 4,
      "distinctCount" : 1,
      "nullCount" : 1,
      "avgLen" : 2,
      "maxLen" : 2
    },
    "d" : {
      "colId" : 5,
      "distinctCount" : 3,
      "min" : "0",
      "max" : "19723",
      "nullCount" : 1
    },
    "t" : {
      "colId" : 6,
      "distinctCount" : 3,
      "min" : "0",
      "max" : "19723000",
      "nullCount" : 1
    },
    "ts" : {
      "colId" : 7,
      "distinctCount" : 3,
      "min" : "1970-01-01 00:00:00.000",
      "max" : "2024-01-01 00:00:00.000",
      "nullCount" : 1
    },
    "a" : {
      "colId" : 8,
      "nullCount" : 1
    }
  }
})";
  EXPECT_THAT(text, testing::EndsWith(expected_columns));
}

TEST_F(AnalyzeTest, DescribesTheColumnsAskedForAndCommitsNothingInADryRun) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(fs_, TestDefinition({{"k", DataType::Int()}, {"s", DataType::String()}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto none, AnalyzeTable(table, {}, "user"));
  EXPECT_FALSE(none) << "nothing is there";
  ASSERT_THAT(Insert(table, {{1, "a"}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(
      const auto analysis,
      AnalyzeTable(table, {.columns = std::vector<std::string>{"s", "s"}, .dry_run = true}, "user"));
  ASSERT_TRUE(analysis);
  ASSERT_THAT(analysis->columns, SizeIs(1));
  EXPECT_EQ(analysis->columns[0].name, "s");
  EXPECT_EQ(analysis->snapshot, std::nullopt);
  EXPECT_THAT(FindLatestSnapshot(*fs_, table.paths()), HasValue(SnapshotId(1)));
  EXPECT_THAT(AnalyzeTable(table, {.columns = std::vector<std::string>{"missing"}}, "user"),
              IsError(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace braid
