#include "table/file_index_rewrite.h"

#include <gmock/gmock.h>

#include "format/file_index.h"
#include "table/delete_rows.h"
#include "table/expire.h"
#include "table/file_scan.h"
#include "table/table_testing.h"

namespace braid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class FileIndexRewriteTest : public testing::Test {
 protected:
  void Create(std::vector<std::string> keys, Options::Map options, std::vector<std::string> partitions = {}) {
    fs_ = std::make_shared<MemoryFileSystem>();
    BRAID_ASSERT_OK_AND_ASSIGN(
        table_, CreateTestTable(fs_, TestDefinition({{"n", DataType::Int()}, {"c", DataType::String()}},
                                                    std::move(keys), std::move(options), std::move(partitions))));
  }

  Table With(Options::Map options) const { return table_->With(Options(std::move(options))).value(); }

  std::vector<DataFileMeta> Files() const {
    const Snapshot snapshot =
        ReadSnapshot(*fs_, table_->paths(), *FindLatestSnapshot(*fs_, table_->paths()).value()).value();
    const auto scan = FileScan::Make(*table_, nullptr).value();
    std::vector<ManifestEntry> live = scan->LiveFiles(snapshot).value();
    std::vector<DataFileMeta> files;
    for (ManifestEntry& entry : live) files.push_back(std::move(entry.file));
    return files;
  }

  /// Of the index beside the file.
  std::vector<std::string> Columns(const DataFileMeta& file) const {
    EXPECT_FALSE(file.embedded_index);
    EXPECT_THAT(file.extra_files, SizeIs(1));
    std::string bytes;
    for (const std::string& path : fs_->AllFiles()) {
      if (path.ends_with(file.extra_files.at(0))) bytes = fs_->ReadAll(path).value();
    }
    std::vector<std::string> columns;
    const std::vector<FileIndexPart> parts = ParseFileIndexParts(bytes).value();
    for (const FileIndexPart& part : parts) columns.push_back(part.column);
    return columns;
  }

  std::vector<std::string> IndexFiles() const {
    std::vector<std::string> names;
    for (const std::string& path : fs_->AllFiles()) {
      if (path.ends_with(".index")) names.emplace_back(BaseName(path));
    }
    return names;
  }

  std::shared_ptr<MemoryFileSystem> fs_;
  std::optional<Table> table_;
};

TEST_F(FileIndexRewriteTest, GivesFilesTheIndexesThatAreWantedNow) {
  for (const std::vector<std::string>& keys : {std::vector<std::string>{}, std::vector<std::string>{"n"}}) {
    SCOPED_TRACE(keys.size());
    ASSERT_NO_FATAL_FAILURE(Create(keys, {{"bucket", keys.empty() ? "-1" : "1"}, {"write-only", "true"}}));
    ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
    ASSERT_THAT(Insert(*table_, {{3, "c"}}), IsOk());
    BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(*table_));
    const Table indexed = With({{"file-index.bitmap.columns", "c"},
                                {"file-index.bloom-filter.columns", "n"},
                                {"file-index.bloom-filter.n.items", "10"}});
    BRAID_ASSERT_OK_AND_ASSIGN(const IndexRewrite preview, RewriteFileIndexes(indexed, {.dry_run = true}, "user"));
    EXPECT_EQ(preview.file_count, 2);
    EXPECT_EQ(preview.snapshot, std::nullopt);
    BRAID_ASSERT_OK_AND_ASSIGN(const IndexRewrite rewrite, RewriteFileIndexes(indexed, {}, "user"));
    EXPECT_EQ(rewrite.changed_count, 2);
    EXPECT_EQ(rewrite.snapshot, SnapshotId(3));
    for (const DataFileMeta& file : Files()) EXPECT_THAT(Columns(file), ElementsAre("n", "c"));
    EXPECT_THAT(SortedRows(indexed), HasValue(rows));
    const PredicatePtr other = Predicate::Leaf(Predicate::Op::kEqual, "c", DataType::String(), {"aa"});
    EXPECT_THAT(SortedRows(indexed, {.projection = {}, .filter = other}), HasValue(IsEmpty()));
    const PredicatePtr one = Predicate::Leaf(Predicate::Op::kEqual, "c", DataType::String(), {"b"});
    EXPECT_THAT(SortedRows(indexed, {.projection = {}, .filter = one}), HasValue(ElementsAre(R"({"n":2,"c":"b"})")));

    EXPECT_EQ(RewriteFileIndexes(indexed, {}, "user").value().snapshot, std::nullopt) << "they have them already";
    BRAID_ASSERT_OK_AND_ASSIGN(const IndexRewrite fewer,
                               RewriteFileIndexes(With({{"file-index.bitmap.columns", "c"}}), {}, "user"));
    EXPECT_EQ(fewer.changed_count, 2);
    for (const DataFileMeta& file : Files()) EXPECT_THAT(Columns(file), ElementsAre("c"));
    EXPECT_EQ(RewriteFileIndexes(*table_, {}, "user").value().snapshot, std::nullopt) << "none is wanted";
    // The same indexes as once before: the deletion of those entries is still on record.
    BRAID_ASSERT_OK_AND_ASSIGN(const IndexRewrite again, RewriteFileIndexes(indexed, {}, "user"));
    EXPECT_EQ(again.changed_count, 2);
    EXPECT_THAT(Files(), SizeIs(2));
    EXPECT_EQ(SortedRows(*table_).value(), rows);
  }
}

TEST_F(FileIndexRewriteTest, LargeIndexesGetFilesThatOlderSnapshotsKeep) {
  ASSERT_NO_FATAL_FAILURE(
      Create({}, {{"bucket", "-1"}, {"file-index.bitmap.columns", "c"}, {"file-index.in-manifest-threshold", "1 b"}}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  const std::vector<std::string> first = IndexFiles();
  ASSERT_THAT(first, SizeIs(1));
  const Table more = With({{"file-index.bsi.columns", "n"}});
  ASSERT_THAT(RewriteFileIndexes(more, {}, "user"), IsOk());
  const std::vector<DataFileMeta> files = Files();
  ASSERT_THAT(files, SizeIs(1));
  ASSERT_THAT(files[0].extra_files, SizeIs(1));
  EXPECT_NE(files[0].extra_files, first);
  EXPECT_THAT(IndexFiles(), SizeIs(2));
  const PredicatePtr one = Predicate::Leaf(Predicate::Op::kEqual, "n", DataType::Int(), {2});
  EXPECT_THAT(SortedRows(more, {.projection = {}, .filter = one}), HasValue(SizeIs(1)));
  EXPECT_THAT(SortedRows(With({{"scan.snapshot-id", "1"}}), {.projection = {}, .filter = one}), HasValue(SizeIs(1)));
  EXPECT_EQ(RewriteFileIndexes(more, {}, "user").value().snapshot, std::nullopt);
  // The data file outlives the snapshot that named it with another index.
  ASSERT_THAT(ExpireSnapshots(*table_, {.snapshots = {.retain_max = 1}}, SystemClock()), IsOk());
  EXPECT_THAT(SortedRows(more), HasValue(SizeIs(2)));
  EXPECT_THAT(SortedRows(more, {.projection = {}, .filter = one}), HasValue(SizeIs(1)));
}

TEST_F(FileIndexRewriteTest, KeepsDeletedRowsDeletedAndRowIds) {
  ASSERT_NO_FATAL_FAILURE(
      Create({}, {{"bucket", "-1"}, {"deletion-vectors.enabled", "true"}, {"row-tracking.enabled", "true"}}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}, {3, "c"}}), IsOk());
  ASSERT_THAT(DeleteRows(*table_, Predicate::Leaf(Predicate::Op::kEqual, "n", DataType::Int(), {2}), "user"), IsOk());
  const ReadRequest tracked{.projection = std::vector<std::string>{"n", "_ROW_ID", "_SEQUENCE_NUMBER"}, .filter = nullptr};
  BRAID_ASSERT_OK_AND_ASSIGN(const std::vector<std::string> rows, SortedRows(*table_, tracked));
  ASSERT_THAT(rows, SizeIs(2));
  const Table indexed = With({{"file-index.bitmap.columns", "c"}});
  ASSERT_THAT(RewriteFileIndexes(indexed, {}, "user").value().changed_count, 1);
  EXPECT_THAT(SortedRows(indexed, tracked), HasValue(rows));
  for (const char* value : {"a", "b", "c"}) {
    const PredicatePtr one = Predicate::Leaf(Predicate::Op::kEqual, "c", DataType::String(), {value});
    EXPECT_THAT(SortedRows(indexed, {.projection = {}, .filter = one}), HasValue(SizeIs(std::string_view(value) == "b" ? 0 : 1)));
  }
}

TEST_F(FileIndexRewriteTest, KnowsColumnsByTheNamesThatFilesHave) {
  ASSERT_NO_FATAL_FAILURE(Create({}, {{"bucket", "-1"}}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  TableSchema schema = table_->schema();
  schema.id = SchemaId(1);
  schema.fields[0].type = DataType::BigInt();
  schema.fields[1].name = "renamed";
  schema.options = Options(Options::Map{{"bucket", "-1"}, {"file-index.bitmap.columns", "n,renamed"}});
  ASSERT_THAT(WriteSchema(*fs_, table_->paths(), schema), IsOk());
  BRAID_ASSERT_OK_AND_ASSIGN(table_, Table::Open(fs_, kTestTableRoot, "d.t"));
  ASSERT_THAT(RewriteFileIndexes(*table_, {}, "user"), IsOk());
  ASSERT_THAT(Files(), SizeIs(1));
  EXPECT_THAT(Columns(Files()[0]), ElementsAre("c")) << "n has another type there";
  const PredicatePtr one = Predicate::Leaf(Predicate::Op::kEqual, "renamed", DataType::String(), {"b"});
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = one}), HasValue(ElementsAre(R"({"n":2,"renamed":"b"})")));
  const PredicatePtr none = Predicate::Leaf(Predicate::Op::kEqual, "renamed", DataType::String(), {"aa"});
  EXPECT_THAT(SortedRows(*table_, {.projection = {}, .filter = none}), HasValue(IsEmpty()));
}

TEST_F(FileIndexRewriteTest, HeedsPartitionsAndBeginsAgainWhereFilesGo) {
  ASSERT_NO_FATAL_FAILURE(Create({}, {{"bucket", "-1"}}, {"n"}));
  ASSERT_THAT(Insert(*table_, {{1, "a"}, {2, "b"}}), IsOk());
  const Table indexed = With({{"file-index.bitmap.columns", "c"}, {"file-index.in-manifest-threshold", "1 b"}});
  const PredicatePtr first = Predicate::Leaf(Predicate::Op::kEqual, "n", DataType::Int(), {1});
  EXPECT_EQ(RewriteFileIndexes(indexed, {.partitions = first}, "user").value().file_count, 1);
  EXPECT_THAT(IndexFiles(), SizeIs(1));
  bool dropped = false;
  const auto drop = [&](std::string_view, std::int64_t, std::int64_t) {
    if (!std::exchange(dropped, true)) {
      EXPECT_THAT(DropPartitions(*table_, {{{"n", "2"}}}, "other"), IsOk());
    }
  };
  BRAID_ASSERT_OK_AND_ASSIGN(const IndexRewrite rewrite, RewriteFileIndexes(indexed, {.progress = drop}, "user"));
  EXPECT_EQ(rewrite.file_count, 1);
  EXPECT_EQ(rewrite.snapshot, std::nullopt);
  EXPECT_THAT(IndexFiles(), SizeIs(1)) << "what was made in vain is gone";
}

}  // namespace
}  // namespace braid
