#include "table/delete_rows.h"

#include <gtest/gtest.h>

#include "table/deletion_vectors.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();
const DataType kString = DataType::String();

PredicatePtr IdIn(std::vector<Datum> ids) {
  return Predicate::Leaf(Predicate::Op::kIn, "id", kInt, std::move(ids));
}

// What a deletion would commit.
Result<std::vector<CommitMessage>> RemoveWhere(const Table& table, const PredicatePtr& filter) {
  BRAID_TRY_ASSIGN(const auto rows, AddressedRows::Make(table));
  BRAID_TRY_ASSIGN(const RowPositions positions, FindRows(*rows, filter));
  return RemoveRows(*rows, positions, "user");
}

class DeleteRowsTest : public testing::Test {
 protected:
  Table Create(Options::Map options = {}, std::vector<std::string> partition_keys = {}) {
    Result<Table> table = CreateTestTable(
        fs_, TestDefinition({{"id", kInt}, {"p", kString}}, {}, std::move(options), std::move(partition_keys)));
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  std::size_t FileCount(const Table& table) {
    const Result<Plan> plan = PlanBatch(table, {});
    EXPECT_THAT(plan, IsOk());
    std::size_t count = 0;
    for (const DataSplit& split : plan->splits) count += split.files.size();
    return count;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(DeleteRowsTest, WritesFilesAnewWithoutDeletionVectors) {
  for (const char* bucket : {"-1", "2"}) {
    SCOPED_TRACE(bucket);
    fs_ = std::make_shared<MemoryFileSystem>();
    Options::Map options = {{"bucket", bucket}};
    if (options["bucket"] == "2") options.emplace("bucket-key", "id");
    const Table table = Create(options, {"p"});
    ASSERT_THAT(Insert(table, {{0, "a"}, {1, "a"}, {2, "b"}}), IsOk());
    ASSERT_THAT(Insert(table, {{3, "a"}, {4, "b"}, {5, "b"}}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> deleted, DeleteRows(table, IdIn({1, 2, 5}), "user"));
    ASSERT_THAT(deleted, SizeIs(1));
    EXPECT_EQ(deleted[0].commit_kind, CommitKind::kOverwrite);
    EXPECT_EQ(deleted[0].total_record_count, 3);
    EXPECT_EQ(deleted[0].delta_record_count, -3);
    EXPECT_FALSE(deleted[0].index_manifest);
    EXPECT_THAT(SortedRows(table),
                HasValue(ElementsAre(R"({"id":0,"p":"a"})", R"({"id":3,"p":"a"})", R"({"id":4,"p":"b"})")));
    EXPECT_THAT(DeleteRows(table, IdIn({1, 9}), "user"), HasValue(IsEmpty())) << "nothing is there any more";
    BRAID_ASSERT_OK_AND_ASSIGN(const Table before, table.With(Options(Options::Map{{"scan.snapshot-id", "2"}})));
    EXPECT_THAT(SortedRows(before), HasValue(SizeIs(6))) << "older snapshots keep their rows";
    ASSERT_THAT(DeleteRows(table, nullptr, "user"), IsOk());
    EXPECT_EQ(FileCount(table), 0U);
  }
}

TEST_F(DeleteRowsTest, LeavesFilesWithoutSuchRowsAlone) {
  const Table table = Create();
  ASSERT_THAT(Insert(table, {{0, "a"}, {1, "a"}}), IsOk());
  ASSERT_THAT(Insert(table, {{2, "a"}, {3, "a"}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<CommitMessage> messages, RemoveWhere(table, IdIn({2})));
  std::size_t removed = 0;
  std::int64_t written = 0;
  for (const CommitMessage& message : messages) {
    removed += message.deleted_files.size();
    for (const DataFileMeta& file : message.new_files) written += file.row_count;
  }
  EXPECT_EQ(removed, 1U);
  EXPECT_EQ(written, 1);
}

TEST_F(DeleteRowsTest, GivesUpIfItsFilesAreGone) {
  const Table table = Create({{"compaction.min.file-num", "2"}});
  ASSERT_THAT(Insert(table, {{0, "a"}, {1, "a"}}), IsOk());
  ASSERT_THAT(Insert(table, {{2, "a"}, {3, "a"}}), IsOk());
  Committable late;
  BRAID_ASSERT_OK_AND_ASSIGN(late.messages, RemoveWhere(table, IdIn({0})));
  ASSERT_THAT(DeleteRows(table, IdIn({1}), "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(TableCommit(table, "other").Commit(late), IsError(ErrorCode::kConflict));
  BRAID_ASSERT_OK_AND_ASSIGN(late.messages, RemoveWhere(table, IdIn({0})));
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(TableCommit(table, "other").Commit(late), IsError(ErrorCode::kConflict));
  EXPECT_THAT(SortedRows(table), HasValue(SizeIs(3)));
}

TEST_F(DeleteRowsTest, KeepsNullsThoughColumnsHaveDefaultsByNow) {
  const Table table = Create();
  ASSERT_THAT(Insert(table, {{0, Datum()}, {1, "a"}}), IsOk());
  TableSchema schema = table.schema();
  schema.id = SchemaId(schema.id.value() + 1);
  schema.fields[1].default_value = "x";
  ASSERT_THAT(WriteSchema(*fs_, table.paths(), schema), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const Table altered, Table::Open(fs_, kTestTableRoot, "d.t"));
  ASSERT_THAT(DeleteRows(altered, IdIn({1}), "user"), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(altered), HasValue(ElementsAre(R"({"id":0,"p":null})")));
  ASSERT_THAT(Insert(altered, {{2, Datum()}}), IsOk());
  EXPECT_THAT(SortedRows(altered), HasValue(ElementsAre(R"({"id":0,"p":null})", R"({"id":2,"p":"x"})")));
}

TEST_F(DeleteRowsTest, TakesVectorsAwayWithTheirFiles) {
  const Table table = Create({{"deletion-vectors.enabled", "true"}});
  ASSERT_THAT(Insert(table, {{0, "a"}, {1, "a"}, {2, "a"}}), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> marked, DeleteRows(table, IdIn({0}), "user"));
  ASSERT_THAT(marked, SizeIs(1));
  EXPECT_TRUE(marked[0].index_manifest);
  EXPECT_EQ(FileCount(table), 1U);
  BRAID_ASSERT_OK_AND_ASSIGN(const Table without,
                             table.With(Options(Options::Map{{"deletion-vectors.enabled", "false"}})));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> rewritten, DeleteRows(without, IdIn({1}), "user"));
  ASSERT_THAT(rewritten, SizeIs(1));
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":2,"p":"a"})")));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<IndexManifestEntry> entries,
                             ReadIndexManifest(*fs_, table.paths(), *rewritten[0].index_manifest));
  EXPECT_THAT(entries, IsEmpty());
}

TEST_F(DeleteRowsTest, IsForAppendTables) {
  BRAID_ASSERT_OK_AND_ASSIGN(const Table table,
                             CreateTestTable(fs_, TestDefinition({{"id", kInt}}, {"id"}, {{"bucket", "1"}})));
  EXPECT_THAT(AddressedRows::Make(table), IsError(ErrorCode::kUnsupported));
}

}  // namespace
}  // namespace braid
