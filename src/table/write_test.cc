#include "table/write.h"

#include <gtest/gtest.h>

#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();
const DataType kString = DataType::String();

class WriteTest : public testing::Test {
 protected:
  Table Create(const TableDefinition& definition) {
    Result<Table> table = CreateTestTable(fs_, definition);
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  // What a later statement sees of the table.
  Table Reopened() {
    Result<Table> table = Table::Open(fs_, kTestTableRoot, "d.t");
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(WriteTest, AppendsRowsSnapshotBySnapshot) {
  const Table table = Create(TestDefinition({{"id", kInt}, {"name", kString}}));
  EXPECT_THAT(Insert(table, {{1, "a"}, {2, Datum()}}), HasValue(SizeIs(1)));
  EXPECT_THAT(Insert(table, {{1, "a"}}), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":1,"name":"a"})", R"({"id":1,"name":"a"})", R"({"id":2,"name":null})")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Table first, table.With(Options(Options::Map{{"scan.snapshot-id", "1"}})));
  EXPECT_THAT(SortedRows(first), HasValue(ElementsAre(R"({"id":1,"name":"a"})", R"({"id":2,"name":null})")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot second, ReadSnapshot(*fs_, table.paths(), SnapshotId(2)));
  EXPECT_EQ(second.total_record_count, 3);
  EXPECT_EQ(second.delta_record_count, 1);
  EXPECT_EQ(second.commit_kind, CommitKind::kAppend);
}

TEST_F(WriteTest, CommitsNothingWhenNothingWasWritten) {
  const Table table = Create(TestDefinition({{"id", kInt}}));
  EXPECT_THAT(Insert(table, {}), HasValue(IsEmpty()));
  EXPECT_THAT(FindLatestSnapshot(*fs_, table.paths()), HasValue(std::optional<SnapshotId>()));
}

TEST_F(WriteTest, KeepsTheLastRowOfEachKeyAndDropsDeletedOnes) {
  for (const char* bucket : {"1", "3", "-1"}) {
    SCOPED_TRACE(bucket);
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create(TestDefinition({{"k", kInt}, {"v", kString}}, {"k"}, {{"bucket", bucket}}));
    ASSERT_THAT(Insert(table, {{1, "a"}, {2, "b"}, {3, "c"}, {1, "a2"}}), IsOk());
    ASSERT_THAT(Insert(table, {{2, "b2"}, {3, "c"}, {4, "d"}}, {RowKind::kUpdateAfter, RowKind::kDelete, RowKind::kInsert}), IsOk());
    EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"k":1,"v":"a2"})", R"({"k":2,"v":"b2"})", R"({"k":4,"v":"d"})")));
  }
}

TEST_F(WriteTest, OrdersRowsOfAKeyByTheSequenceField) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"v", kString}, {"s", kInt}}, {"k"}, {{"bucket", "1"}, {"sequence.field", "s"}}));
  ASSERT_THAT(Insert(table, {{1, "new", 5}, {1, "old", 3}}), IsOk());
  ASSERT_THAT(Insert(table, {{1, "older", 1}}), IsOk());
  EXPECT_THAT(SortedRows(table, {.projection = std::vector<std::string>{"v"}, .filter = {}}), HasValue(ElementsAre(R"({"v":"new"})")));
}

TEST_F(WriteTest, PutsRowsIntoTheirPartitions) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"p", kString}}, {"p", "k"}, {{"bucket", "2"}}, {"p"}));
  ASSERT_THAT(Insert(table, {{1, "x"}, {2, "y"}, {3, "a/b"}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"k":1,"p":"x"})", R"({"k":2,"p":"y"})", R"({"k":3,"p":"a/b"})")));
  // Names of folders by hand: spec metadata.md §1.4.
  const std::vector<std::string> files = fs_->AllFiles();
  EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const std::string& file) { return file.starts_with("/warehouse/d.db/t/p=a%2Fb/bucket-"); }));
  const PredicatePtr filter = Predicate::Leaf(Predicate::Op::kEqual, "p", kString, {"y"});
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {.projection = {}, .filter = filter, .level = {}, .keep_retractions = false}));
  EXPECT_EQ(plan.splits.size(), 1U);
  EXPECT_THAT(SortedRows(table, {.projection = {}, .filter = filter, .level = {}, .keep_retractions = false}), HasValue(ElementsAre(R"({"k":2,"p":"y"})")));
}

TEST_F(WriteTest, PrunesFilesByTheirStatistics) {
  const Table table = Create(TestDefinition({{"id", kInt}}));
  ASSERT_THAT(Insert(table, {{1}, {5}}), IsOk());
  ASSERT_THAT(Insert(table, {{10}, {15}}), IsOk());
  const PredicatePtr filter = Predicate::Leaf(Predicate::Op::kGreater, "id", kInt, {7});
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {.projection = {}, .filter = filter, .level = {}, .keep_retractions = false}));
  ASSERT_EQ(plan.splits.size(), 1U);
  EXPECT_THAT(plan.splits.front().files, SizeIs(1));
  EXPECT_THAT(SortedRows(table, {.projection = {}, .filter = filter, .level = {}, .keep_retractions = false}), HasValue(ElementsAre(R"({"id":10})", R"({"id":15})")));
}

TEST_F(WriteTest, KeepsAKeyInItsDynamicBucket) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"v", kInt}}, {"k"}, {{"dynamic-bucket.target-row-num", "3"}}));
  std::vector<DatumList> rows;
  for (int k = 0; k < 10; ++k) rows.push_back({k, 0});
  ASSERT_THAT(Insert(table, rows), IsOk());
  for (DatumList& row : rows) row[1] = 1;
  ASSERT_THAT(Insert(table, rows), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> read, SortedRows(table));
  EXPECT_THAT(read, SizeIs(10));
  EXPECT_EQ(read.front(), R"({"k":0,"v":1})");
  // Ten keys at three a bucket: buckets 0 to 3, one HASH index each, none new in the second commit.
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot second, ReadSnapshot(*fs_, table.paths(), SnapshotId(2)));
  ASSERT_TRUE(second.index_manifest.has_value());
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot first, ReadSnapshot(*fs_, table.paths(), SnapshotId(1)));
  EXPECT_EQ(first.index_manifest, second.index_manifest);
  BRAID_ASSERT_OK_AND_ASSIGN(const auto indexes, ReadIndexManifest(*fs_, table.paths(), *second.index_manifest));
  std::vector<std::int64_t> counts;
  for (const IndexManifestEntry& index : indexes) counts.push_back(index.row_count);
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ElementsAre(1, 3, 3, 3));
}

TEST_F(WriteTest, RefusesRowsThatTheTableCannotHold) {
  const Table append = Create(TestDefinition({{"id", kInt.NotNull()}}));
  EXPECT_THAT(Insert(append, {{Datum()}}), HasMessage("column 'id' of d.t is NOT NULL"));
  EXPECT_THAT(Insert(append, {{1}}, {RowKind::kDelete}), HasMessage("no primary key"));
  EXPECT_THAT(FindLatestSnapshot(*fs_, append.paths()), HasValue(std::optional<SnapshotId>()));
}

TEST_F(WriteTest, FillsDefaultValuesInForNull) {
  TableDefinition definition = TestDefinition({{"id", kInt}, {"day", DataType::Date()}, {"name", kString}}, {}, {}, {"day"});
  definition.fields[1].default_value = "2024-02-29";
  definition.fields[2].default_value = "none";
  const Table table = Create(definition);
  ASSERT_THAT(Insert(table, {{1, Datum(), Datum()}, {2, 0, "given"}, {Datum(), 0, Datum()}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":1,"day":"2024-02-29","name":"none"})",
                                                      R"({"id":2,"day":"1970-01-01","name":"given"})",
                                                      R"({"id":null,"day":"1970-01-01","name":"none"})")));
}

TEST_F(WriteTest, TakesTheKindOfARowFromItsColumn) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"kind", kString}}, {"k"}, {{"bucket", "1"}, {"rowkind.field", "kind"}}));
  ASSERT_THAT(Insert(table, {{1, "+I"}, {2, "+i"}, {3, "+I"}}), IsOk());
  ASSERT_THAT(Insert(table, {{1, "-D"}, {2, "+u"}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"k":2,"kind":"+u"})", R"({"k":3,"kind":"+I"})")));
  for (const Datum& wrong : {Datum(), Datum("insert")}) {
    const auto result = Insert(table, {{4, wrong}});
    EXPECT_THAT(result, IsError(ErrorCode::kInvalidArgument));
    EXPECT_THAT(result, HasMessage("column 'kind' of d.t must hold the kind of each row"));
  }
}

TEST_F(WriteTest, RefusesFeaturesThatItWouldDamage) {
  const Table table =
      Create(TestDefinition({{"k", kInt}}, {"k"}, {{"bucket", "1"}, {"global-index.external-path", "/elsewhere"}}));
  EXPECT_THAT(Insert(table, {{1}}), IsError(ErrorCode::kUnsupported));
}

TEST_F(WriteTest, MovesPostponedRowsIntoBucketsWhenCompacting) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"v", kString}}, {"k"}, {{"bucket", "-2"}, {"postpone.default-bucket-num", "2"}}));
  ASSERT_THAT(Insert(table, {{1, "a"}, {2, "b"}, {1, "a2"}}), HasValue(SizeIs(1)));
  ASSERT_THAT(Insert(table, {{2, "b"}, {3, "c"}}, {RowKind::kDelete, RowKind::kInsert}), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(table), HasValue(IsEmpty())) << "they wait";
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> moved, CompactTable(table, true, nullptr, "user"));
  ASSERT_THAT(moved, SizeIs(1));
  EXPECT_EQ(moved[0].commit_kind, CommitKind::kCompact);
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"k":1,"v":"a2"})", R"({"k":3,"v":"c"})")));
  EXPECT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(IsEmpty())) << "nothing waits";
  ASSERT_THAT(Insert(table, {{1, "a3"}}), IsOk());
  EXPECT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"k":1,"v":"a3"})", R"({"k":3,"v":"c"})")));
}

TEST_F(WriteTest, LetsKeysMoveFromPartitionToPartition) {
  struct Case {
    std::string engine;
    std::vector<std::string> rows;
  };
  for (const Case& c : {Case{"deduplicate", {R"({"k":1,"v":"a2","p":"y"})", R"({"k":2,"v":"b","p":"x"})"}},
                        Case{"partial-update", {R"({"k":1,"v":"a2","p":"x"})", R"({"k":2,"v":"b","p":"x"})"}},
                        Case{"first-row", {R"({"k":1,"v":"a","p":"x"})", R"({"k":2,"v":"b","p":"x"})"}}}) {
    SCOPED_TRACE(c.engine);
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create(TestDefinition({{"k", kInt}, {"v", kString}, {"p", kString}}, {"k"}, {{"bucket", "-1"}, {"merge-engine", c.engine}}, {"p"}));
    ASSERT_THAT(Insert(table, {{1, "a", "x"}, {2, "b", "x"}}), IsOk());
    ASSERT_THAT(Insert(table, {{1, "a2", "y"}}), IsOk());
    EXPECT_THAT(SortedRows(table), HasValue(c.rows));
  }
}

TEST_F(WriteTest, RefusesAPartitionOfAnotherNumberOfBuckets) {
  const Table two = Create(TestDefinition({{"k", kInt}, {"v", kInt}}, {"k"}, {{"bucket", "2"}}));
  ASSERT_THAT(Insert(two, {{0, 0}}), IsOk());  // bucket 1 of 2 (spec metadata.md §6.3), so bucket 0 has no file
  for (int k = 0; k < 8; ++k) {
    BRAID_ASSERT_OK_AND_ASSIGN(const Table rescaled, two.With(Options(Options::Map{{"bucket", "5"}})));
    EXPECT_THAT(Insert(rescaled, {{k, 1}}), HasMessage("has 2 buckets, but option 'bucket' is 5 now")) << k;
  }
}

TEST_F(WriteTest, MergesEverythingToTheTopInAFullCompaction) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"v", kInt}}, {"k"}, {{"bucket", "1"}, {"write-only", "true"}}));
  for (int v = 0; v < 4; ++v) ASSERT_THAT(Insert(table, {{1, v}, {v + 10, v}}), IsOk());
  ASSERT_THAT(Insert(table, {{10, 0}}, {RowKind::kDelete}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table));
  EXPECT_THAT(CompactTable(table, true, nullptr, "compactor"), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(table), HasValue(before));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
  ASSERT_EQ(plan.splits.size(), 1U);
  ASSERT_EQ(plan.splits.front().files.size(), 1U);
  EXPECT_EQ(plan.splits.front().files.front().level, 5);
  EXPECT_EQ(plan.splits.front().files.front().row_count, 4);
  // Nothing is left to do.
  EXPECT_THAT(CompactTable(table, true, nullptr, "compactor"), HasValue(IsEmpty()));
}

TEST_F(WriteTest, CompactsByItselfWhenRunsAddUp) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"v", kInt}}, {"k"}, {{"bucket", "1"}}));
  for (int v = 0; v < 12; ++v) ASSERT_THAT(Insert(table, {{v % 3, v}}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"k":0,"v":9})", R"({"k":1,"v":10})", R"({"k":2,"v":11})")));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
  std::size_t files = 0;
  for (const DataSplit& split : plan.splits) files += split.files.size();
  EXPECT_LE(files, 6U);  // five runs are compacted when they have come (spec data.md §3.6)
}

TEST_F(WriteTest, MergesSmallAppendFiles) {
  const Table table = Create(TestDefinition({{"id", kInt}}));
  for (int id = 0; id < 6; ++id) ASSERT_THAT(Insert(table, {{id}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> before, SortedRows(table));
  EXPECT_THAT(CompactTable(table, false, nullptr, "compactor"), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(table), HasValue(before));
  BRAID_ASSERT_OK_AND_ASSIGN(const Plan plan, PlanBatch(table, {}));
  ASSERT_EQ(plan.splits.size(), 1U);
  EXPECT_THAT(plan.splits.front().files, SizeIs(1));
}

TEST_F(WriteTest, OverwritesWhatIsNamed) {
  const Table table = Create(TestDefinition({{"id", kInt}, {"p", kString}}, {}, {}, {"p"}));
  ASSERT_THAT(Insert(table, {{1, "x"}, {2, "y"}}), IsOk());
  const auto overwrite = [&](const std::vector<DatumList>& rows, const OverwriteTarget& target) -> Result<std::vector<Snapshot>> {
    Committable committable;
    BRAID_TRY_ASSIGN(committable.messages, WriteRows(table, rows));
    return TableCommit(table, "user").Overwrite(committable, target);
  };
  ASSERT_THAT(overwrite({{3, "x"}}, {.partition = {}, .dynamic = true}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":2,"p":"y"})", R"({"id":3,"p":"x"})")));
  ASSERT_THAT(overwrite({{4, "y"}}, {.partition = {{"p", "y"}}, .dynamic = false}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":3,"p":"x"})", R"({"id":4,"p":"y"})")));
  EXPECT_THAT(overwrite({{5, "x"}}, {.partition = {{"p", "y"}}, .dynamic = false}), IsError(ErrorCode::kInvalidArgument));
  ASSERT_THAT(overwrite({{6, "z"}}, {}), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":6,"p":"z"})")));
  ASSERT_THAT(TruncateTable(table, "user"), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(IsEmpty()));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto latest, FindLatestSnapshot(*fs_, table.paths()));
  BRAID_ASSERT_OK_AND_ASSIGN(const Snapshot last, ReadSnapshot(*fs_, table.paths(), *latest));
  EXPECT_EQ(last.commit_kind, CommitKind::kOverwrite);
  EXPECT_EQ(last.total_record_count, 0);
}

TEST_F(WriteTest, ReadsOldFilesUnderANewSchema) {
  const Table table = Create(TestDefinition({{"id", kInt}, {"a", kString}, {"b", kInt}}));
  ASSERT_THAT(Insert(table, {{1, "x", 7}}), IsOk());
  TableSchema next = table.schema();
  next.id = SchemaId(1);
  next.fields = {next.fields[0],
                 {.id = FieldId(2), .name = "renamed", .type = DataType::BigInt(), .description = {}, .default_value = {}},
                 {.id = FieldId(3), .name = "a", .type = kString, .description = {}, .default_value = {}}};
  next.highest_field_id = 3;
  ASSERT_THAT(WriteSchema(*fs_, table.paths(), next), IsOk());
  EXPECT_THAT(SortedRows(Reopened()), HasValue(ElementsAre(R"({"id":1,"renamed":7,"a":null})")));
}

TEST_F(WriteTest, KeepsTheRowsOfAllOpenFilesWithinTheBuffer) {
  const Table table = Create(TestDefinition({{"id", kInt}, {"p", kString}, {"text", kString}}, {},
                                            {{"write-buffer-size", "256 kb"}, {"file.compression", "none"}}, {"p"}));
  BRAID_ASSERT_OK_AND_ASSIGN(const auto writer, TableWriter::Make(table, {.commit_user = "writer", .spill_directory = {}}));
  std::vector<DatumList> rows;
  for (int id = 0; id < 8; ++id) {
    for (const char* partition : {"a", "b", "c", "d"}) rows.push_back({id, partition, std::string(8192, static_cast<char>('a' + id))});
  }
  BRAID_ASSERT_OK_AND_ASSIGN(const Batch batch, MakeBatch(table.schema().fields, rows));
  for (int i = 0; i < 8; ++i) ASSERT_THAT(writer->Write(batch), IsOk());  // 2 MiB
  std::int64_t written = 0;
  for (const char* partition : {"a", "b", "c", "d"}) {
    const std::string directory = std::string(kTestTableRoot) + "/p=" + partition + "/bucket-0";
    BRAID_ASSERT_OK_AND_ASSIGN(const auto files, fs_->List(directory));
    for (const FileInfo& file : files) {
      BRAID_ASSERT_OK_AND_ASSIGN(const FileStatus status, fs_->Stat(JoinPath(directory, file.name)));
      written += status.size_bytes;
    }
  }
  EXPECT_GT(written, std::int64_t{1} << 20);
  Committable committable;
  BRAID_ASSERT_OK_AND_ASSIGN(committable.messages, writer->PrepareCommit(true, kBatchCommitIdentifier));
  ASSERT_THAT(TableCommit(table, "user").Commit(committable), IsOk());
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(8 * 32)));
}

}  // namespace
}  // namespace braid
