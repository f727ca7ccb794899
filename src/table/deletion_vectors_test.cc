#include "table/deletion_vectors.h"

#include <gtest/gtest.h>

#include "table/delete_rows.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const DataType kInt = DataType::Int();
const DataType kString = DataType::String();

class DeletionVectorsTest : public testing::Test {
 protected:
  Table Create(const TableDefinition& definition) {
    Result<Table> table = CreateTestTable(fs_, definition);
    EXPECT_THAT(table, IsOk());
    return *std::move(table);
  }

  Snapshot Latest(const Table& table) {
    const auto id = FindLatestSnapshot(*fs_, table.paths());
    EXPECT_THAT(id, IsOk());
    const Result<Snapshot> snapshot = ReadSnapshot(*fs_, table.paths(), **id);
    EXPECT_THAT(snapshot, IsOk());
    return *snapshot;
  }

  std::vector<IndexManifestEntry> Indexes(const Table& table) {
    const Snapshot snapshot = Latest(table);
    if (!snapshot.index_manifest) return {};
    Result<std::vector<IndexManifestEntry>> entries = ReadIndexManifest(*fs_, table.paths(), *snapshot.index_manifest);
    EXPECT_THAT(entries, IsOk());
    return *std::move(entries);
  }

  // Live data files with their buckets.
  std::vector<DataSplit> Splits(const Table& table) {
    const Result<Plan> plan = PlanBatch(table, {});
    EXPECT_THAT(plan, IsOk());
    return plan->splits;
  }

  std::shared_ptr<MemoryFileSystem> fs_ = std::make_shared<MemoryFileSystem>();
};

TEST_F(DeletionVectorsTest, AreKeptByTheCompactionsOfKeyTables) {
  for (const char* bitmap64 : {"false", "true"}) {
    SCOPED_TRACE(bitmap64);
    fs_ = std::make_shared<MemoryFileSystem>();
    const Table table = Create(TestDefinition({{"k", kInt}, {"v", kString}}, {"k"},
                                              {{"bucket", "1"}, {"deletion-vectors.enabled", "true"}, {"deletion-vectors.bitmap64", bitmap64},
                                               {"compaction.size-ratio", "0"}}));
    std::vector<DatumList> rows;
    for (int k = 0; k < 100; ++k) rows.push_back({k, "a value that makes the first file the larger one"});
    ASSERT_THAT(Insert(table, rows), IsOk());
    EXPECT_THAT(Indexes(table), IsEmpty());
    ASSERT_THAT(Insert(table, {{5, "new"}, {6, "gone"}}, {RowKind::kInsert, RowKind::kDelete}), HasValue(SizeIs(2)));
    const std::vector<IndexManifestEntry> indexes = Indexes(table);
    ASSERT_THAT(indexes, SizeIs(1));
    EXPECT_EQ(indexes[0].index_type, kDeletionVectorsIndex);
    ASSERT_THAT(*indexes[0].deletion_vectors, SizeIs(1));
    EXPECT_EQ(indexes[0].deletion_vectors->at(0).cardinality, 2);
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> read, SortedRows(table));
    EXPECT_THAT(read, SizeIs(99));
    EXPECT_THAT(read, testing::Contains(R"({"k":5,"v":"new"})"));
    BRAID_ASSERT_OK_AND_ASSIGN(const Table first, table.With(Options(Options::Map{{"scan.snapshot-id", "2"}})));
    EXPECT_THAT(SortedRows(first), HasValue(SizeIs(100))) << "an older snapshot has older vectors";

    ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
    EXPECT_THAT(SortedRows(table), HasValue(SizeIs(99)));
    ASSERT_THAT(Indexes(table), SizeIs(1)) << "an index without vectors takes the other's place";
    EXPECT_THAT(*Indexes(table)[0].deletion_vectors, IsEmpty());
  }
}

TEST_F(DeletionVectorsTest, HaveACompactionThatStartedBeforeThemDoneAgain) {
  const Table table = Create(TestDefinition({{"k", kInt}, {"v", kString}}, {"k"},
                                            {{"bucket", "1"}, {"deletion-vectors.enabled", "true"}, {"compaction.size-ratio", "0"}}));
  std::vector<DatumList> rows;
  for (int k = 0; k < 100; ++k) rows.push_back({k, "a value that makes the first file the larger one"});
  ASSERT_THAT(Insert(table, rows), IsOk());
  Committable late;
  BRAID_ASSERT_OK_AND_ASSIGN(late.messages, WriteRows(table, {{1, "late"}}));
  ASSERT_THAT(Insert(table, {{99, "meanwhile"}}), IsOk());
  EXPECT_THAT(TableCommit(table, "other").Commit(late), HasValue(SizeIs(2)));
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> read, SortedRows(table));
  EXPECT_THAT(read, SizeIs(100));
  EXPECT_THAT(read, testing::Contains(R"({"k":99,"v":"meanwhile"})"));
  EXPECT_THAT(read, testing::Contains(R"({"k":1,"v":"late"})"));
}

TEST_F(DeletionVectorsTest, HideRowsOfAppendTablesUntilCompactionDropsThem) {
  for (const char* bucket : {"-1", "1"}) {
    SCOPED_TRACE(bucket);
    fs_ = std::make_shared<MemoryFileSystem>();
    Options::Map options = {{"deletion-vectors.enabled", "true"}, {"bucket", bucket}, {"compaction.min.file-num", "2"}};
    if (options["bucket"] == "1") options.emplace("bucket-key", "id");
    const Table table = Create(TestDefinition({{"id", kInt}}, {}, options));
    ASSERT_THAT(Insert(table, {{0}, {1}, {2}, {3}}), IsOk());
    ASSERT_THAT(Insert(table, {{4}, {5}}), IsOk());
    const PredicatePtr filter = Predicate::Leaf(Predicate::Op::kIn, "id", kInt, {1, 3});
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<Snapshot> deleted, DeleteRows(table, filter, "user"));
    ASSERT_THAT(deleted, SizeIs(1));
    EXPECT_EQ(deleted[0].commit_kind, CommitKind::kOverwrite);
    const std::vector<std::string> left = {R"({"id":0})", R"({"id":2})", R"({"id":4})", R"({"id":5})"};
    EXPECT_THAT(SortedRows(table), HasValue(left));
    EXPECT_THAT(DeleteRows(table, filter, "user"), HasValue(IsEmpty())) << "they are gone already";
    ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
    EXPECT_THAT(SortedRows(table), HasValue(left));
    std::size_t vectors = 0;
    for (const IndexManifestEntry& entry : Indexes(table)) vectors += entry.deletion_vectors->size();
    EXPECT_EQ(vectors, 0U);
  }
}

TEST_F(DeletionVectorsTest, OfOneFileCannotBeChangedByTwoAtOnce) {
  const Table table = Create(TestDefinition({{"id", kInt}}, {}, {{"deletion-vectors.enabled", "true"}}));
  ASSERT_THAT(Insert(table, {{0}, {1}, {2}, {3}}), IsOk());
  const DataSplit split = Splits(table).at(0);
  MetadataFileNames names;
  const BucketDeletions changes = {{split.files.front().file_name, DeletionVector().With(std::vector<std::int64_t>{0})}};
  BRAID_ASSERT_OK_AND_ASSIGN(IndexChanges indexes, ReplaceDeletionVectors(table, Latest(table), split.partition, split.bucket, changes, names));
  const PredicatePtr one = Predicate::Leaf(Predicate::Op::kEqual, "id", kInt, {1});
  ASSERT_THAT(DeleteRows(table, one, "user"), HasValue(SizeIs(1)));
  CommitMessage message;
  message.partition = split.partition;
  message.bucket = split.bucket;
  message.total_buckets = split.total_buckets;
  message.new_index_files = std::move(indexes.added);
  Committable late;
  late.messages.push_back(std::move(message));
  EXPECT_THAT(TableCommit(table, "other").Commit(late), IsError(ErrorCode::kConflict));
  EXPECT_THAT(SortedRows(table), HasValue(ElementsAre(R"({"id":0})", R"({"id":2})", R"({"id":3})")));
}

TEST_F(DeletionVectorsTest, CannotBeGivenToAFileThatIsGone) {
  const Table table = Create(TestDefinition({{"id", kInt}}, {}, {{"deletion-vectors.enabled", "true"}, {"compaction.min.file-num", "2"}}));
  ASSERT_THAT(Insert(table, {{0}, {1}}), IsOk());
  ASSERT_THAT(Insert(table, {{2}, {3}}), IsOk());
  const DataSplit split = Splits(table).at(0);
  MetadataFileNames names;
  const BucketDeletions changes = {{split.files.front().file_name, DeletionVector().With(std::vector<std::int64_t>{0})}};
  BRAID_ASSERT_OK_AND_ASSIGN(IndexChanges indexes, ReplaceDeletionVectors(table, Latest(table), split.partition, split.bucket, changes, names));
  ASSERT_THAT(CompactTable(table, true, nullptr, "user"), HasValue(SizeIs(1)));
  CommitMessage message;
  message.partition = split.partition;
  message.bucket = split.bucket;
  message.total_buckets = split.total_buckets;
  message.new_index_files = std::move(indexes.added);
  Committable late;
  late.messages.push_back(std::move(message));
  EXPECT_THAT(TableCommit(table, "other").Commit(late), HasMessage("rows of which were to be deleted"));
}

}  // namespace
}  // namespace braid
